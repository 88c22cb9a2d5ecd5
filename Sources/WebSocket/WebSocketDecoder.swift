internal import Deflate

/// The limits on the memory that one connection can use.
package struct WebSocketLimits: Equatable, Sendable {
    /// The longest accepted message in octets, all fragments together, after decompression. Above it: close 1009.
    package var maxMessage: Int
    /// The largest number of frames of one message, not counting an empty last one: libraries that cut a message into
    /// equal pieces end it with one (Autobahn 9.3.1 does). Above it: close 1009.
    package var maxFragments: Int

    /// - Parameters:
    ///   - maxMessage: octets, 0...2^31; the upper bound only keeps sums far from overflow.
    ///   - maxFragments: at least 1.
    package init(maxMessage: Int, maxFragments: Int) {
        precondition((0...1 << 31).contains(maxMessage), "a message limit is at most 2 GiB")
        precondition(maxFragments >= 1, "a message has at least one frame")
        self.maxMessage = maxMessage
        self.maxFragments = maxFragments
    }
}

/// An event from the peer. Payload pointers are valid until the decoder's next call.
package enum WebSocketEvent {
    /// A complete message; text is valid UTF-8.
    case message(MessageKind, UnsafeRawBufferPointer)
    /// Reply with a pong of the same octets, at most 125.
    case ping(UnsafeRawBufferPointer)
    case pong(UnsafeRawBufferPointer)
    /// The peer begins the closing handshake or replies to ours; `nil` if it sent no code. Nothing follows it.
    case close(code: UInt16?, reason: String)
}

/// Decodes the octets of a WebSocket connection, cut anywhere, into messages and control frames.
///
/// `feed` lends octets, then the caller calls `next` until it returns `nil`:
///
///     decoder.feed(received)
///     while let event = try decoder.next() { … }
///
/// A frame that is complete in the lent octets and needs no assembly is unmasked and delivered in place: no copy, no
/// allocation. Only fragments, frames cut off at the end of the input, and decompressed octets go into a store of the
/// decoder. The store grows with the octets that have *arrived* (an announced length reserves nothing), to at most
/// `maxMessage` + 125 octets, and is released when `next` finds it empty: to the pool, if there is one, so that steady
/// traffic does not allocate.
///
/// A compressed message is decompressed as it arrives, never further than one octet past `maxMessage`: that octet
/// proves it too long. Its text is checked as it comes out.
///
/// After an error, or a close frame, all further input is ignored (RFC 6455 §7.1.7, §5.5.1).
///
/// Source: RFC 6455 §5 framing, §5.4 fragmentation, §8.1 text; RFC 7692 §6.2, §7.2.2 compression.
package struct WebSocketDecoder: ~Copyable {
    /// The store's first size: a typical small frame cut in two fits, and malloc serves it from a bin.
    private static let smallestStore = 512

    private var limits: WebSocketLimits
    private let role: WebSocketRole
    private let pool: MessagePool?
    /// Whether a close frame or an error has ended the input.
    package private(set) var hasEnded = false

    /// The rest of the lent octets.
    private var input: UnsafeMutableRawPointer?
    private var inputCount = 0

    /// The start of a head at the end of the last input.
    private var partialHead: (UInt64, UInt64) = (0, 0)
    private var partialHeadCount: UInt8 = 0

    /// The frame whose payload is being copied; valid only while `isInFrame`.
    private var isInFrame = false
    private var opcode = Opcode.continuation
    private var isFinal = false
    private var remaining = 0
    private var maskKey: UInt32 = 0

    /// The message being assembled, `nil` between messages.
    private var kind: MessageKind?
    private var text = TextCheck()
    private var fragments = 0
    /// The octets of the message in the store.
    private var messageCount = 0

    /// The peer's compression: its window, 0 if it may not compress; and whether it refers to earlier messages.
    private var peerWindowBits: UInt8 = 0
    private var peerKeepsContext = false
    /// Whether the open message is compressed, and the number of its compressed octets so far.
    private var isCompressed = false
    private var compressedCount = 0
    /// Exists while a compressed message is open, and after it if the next one may refer to it.
    private var inflater: Inflater?

    /// The open message, followed by a control frame that arrived in pieces.
    private var store: UnsafeMutableRawPointer?
    private var storeCapacity = 0
    private var storeCount = 0

    /// - Parameters:
    ///   - role: the end that *we* are; a server requires masked frames, a client refuses them.
    ///   - pool: lends memory and inflaters to all connections of a reactor; `nil` for a connection without a reactor.
    package init(role: WebSocketRole, limits: WebSocketLimits, pool: MessagePool? = nil) {
        self.role = role
        self.limits = limits
        self.pool = pool
    }

    deinit {
        if let store { Self.giveBack(store, storeCapacity, to: pool) }
        if let inflater { pool?.give(inflater) }
    }

    /// Accepts compressed messages from the next frame on, on these terms; call it before the first octet after the
    /// handshake.
    package mutating func accept(compression terms: CompressionTerms) {
        let peer: WebSocketRole = role == .server ? .client : .server
        peerWindowBits = UInt8(terms.windowBits(sender: peer))
        peerKeepsContext = terms.keepsContext(sender: peer)
    }

    /// The octets that the open message's inflater has produced so far, for tests of the limit; `nil` if there is none.
    var inflatedOctets: Int? { inflater?.produced }

    /// The octets of memory held besides the struct itself: 0 on an idle connection.
    package var heldOctets: Int { storeCapacity }

    /// Whether part of a message or frame has arrived, and its end has not.
    package var isWithinMessage: Bool { isInFrame || partialHeadCount > 0 || kind != nil }

    /// Accepts messages up to `octets` from the next frame on: an authenticated peer may be allowed more. Never reduces
    /// the limit.
    package mutating func raise(maxMessage octets: Int) {
        limits = WebSocketLimits(maxMessage: max(limits.maxMessage, octets), maxFragments: limits.maxFragments)
    }

    /// Lends octets that arrived. They are changed in place, and must stay valid until `next` has returned `nil` or
    /// thrown.
    package mutating func feed(_ octets: UnsafeMutableRawBufferPointer) {
        precondition(inputCount == 0, "the octets lent before are not used up: call next() until it returns nil")
        guard !hasEnded else { return }
        input = octets.baseAddress
        inputCount = octets.count
    }

    /// The next event of the lent octets, or `nil` if they are used up: then none of them is referenced any more.
    ///
    /// - Throws: once; the connection must be failed with the error's close code.
    /// - Complexity: O(octets taken).
    package mutating func next() throws(WebSocketError) -> WebSocketEvent? {
        // The octets of the last event are no longer needed, except those of an incomplete control frame.
        if !(isInFrame && opcode.isControl) { storeCount = messageCount }
        guard !hasEnded else {
            settle()
            return nil
        }
        do throws(WebSocketError) {
            let event = try take()
            if event == nil { settle() }
            return event
        } catch {
            end()
            settle()
            throw error
        }
    }

    /// Ends the turn before the lent octets are used up: neither they nor the octets of the last event are referenced
    /// any more.
    ///
    /// - Returns: the octets that were not read yet, unchanged, to be lent again first.
    package mutating func takeBack() -> UnsafeRawBufferPointer {
        let rest = UnsafeRawBufferPointer(start: input, count: inputCount)
        inputCount = 0
        if !(isInFrame && opcode.isControl) { storeCount = messageCount }
        settle()
        return rest
    }

    // MARK: Frames

    private mutating func take() throws(WebSocketError) -> WebSocketEvent? {
        while true {
            if !isInFrame {
                guard let head = try takeHead() else { return nil }
                try admit(head)
                let joins = head.opcode == .continuation || (!head.isFinal && !head.opcode.isControl)
                if !joins, !head.isCompressed, head.payload <= inputCount {
                    return try whole(head)
                }
                begin(head)
            }
            if isCompressed, !opcode.isControl { try inflatePayload() } else { try copyPayload() }
            guard remaining == 0 else { return nil }
            isInFrame = false
            if opcode.isControl {
                return try control(opcode, UnsafeRawBufferPointer(rebasing: stored[messageCount...]))
            }
            if isFinal {
                if isCompressed { try finishInflating() }
                return try assembled()
            }
        }
    }

    /// The next head, from the input alone or joined to the end of the last input; `nil` if it is incomplete.
    private mutating func takeHead() throws(WebSocketError) -> FrameHead? {
        guard inputCount > 0, let input else { return nil }
        let held = Int(partialHeadCount)
        let compression = peerWindowBits > 0
        if held == 0,
            let head = try FrameHead.read(UnsafeRawBufferPointer(start: input, count: inputCount), role: role, compression: compression)
        {
            advance(head.length)
            return head
        }
        let added = min(inputCount, FrameHead.maxLength - held)
        let role = role
        let head = try withUnsafeMutableBytes(of: &partialHead) { glue throws(WebSocketError) -> FrameHead? in
            UnsafeMutableRawBufferPointer(rebasing: glue[held..<held + added])
                .copyMemory(from: UnsafeRawBufferPointer(start: input, count: added))
            return try FrameHead.read(UnsafeRawBufferPointer(rebasing: glue[..<(held + added)]), role: role, compression: compression)
        }
        guard let head else {
            // 14 octets always contain a head, so all of the input is in the joined octets.
            partialHeadCount = UInt8(held + added)
            advance(added)
            return nil
        }
        partialHeadCount = 0
        advance(head.length - held)
        return head
    }

    /// Checks the order and the size of frames, which a single head cannot show.
    private func admit(_ head: FrameHead) throws(WebSocketError) {
        switch head.opcode {
        case .continuation:
            guard kind != nil else { throw .continuationUnexpected }
            guard fragments < limits.maxFragments || (head.isFinal && head.payload == 0) else { throw .tooManyFragments }
        case .text, .binary:
            guard kind == nil else { throw .continuationExpected }
        case .close, .ping, .pong:
            return
        }
        let isCompressed = head.isCompressed || (head.opcode == .continuation && self.isCompressed)
        let room = isCompressed ? maxCompressed - compressedCount : limits.maxMessage - messageCount
        guard head.payload <= room else { throw .messageTooLong }
    }

    /// The largest number of octets of a compressed message: far above the output of any compressor for a message of
    /// the maximum length, and still a limit on messages made of empty blocks only.
    private var maxCompressed: Int { 2 * limits.maxMessage + 1024 }

    /// Handles a frame that is complete in the input and is a message, or a control frame, by itself.
    private mutating func whole(_ head: FrameHead) throws(WebSocketError) -> WebSocketEvent? {
        let payload = UnsafeMutableRawBufferPointer(start: input, count: head.payload)
        advance(head.payload)
        if let key = head.maskKey { Masking.apply(key, to: payload) }
        let octets = UnsafeRawBufferPointer(payload)
        switch head.opcode {
        case .text:
            guard TextCheck.isText(octets) else { throw .textInvalid }
            return .message(.text, octets)
        case .binary:
            return .message(.binary, octets)
        default:
            return try control(head.opcode, octets)
        }
    }

    private mutating func begin(_ head: FrameHead) {
        isInFrame = true
        opcode = head.opcode
        isFinal = head.isFinal
        remaining = head.payload
        maskKey = head.maskKey ?? 0
        switch head.opcode {
        case .text, .binary:
            kind = head.opcode == .text ? .text : .binary
            text = TextCheck()
            fragments = 1
            isCompressed = head.isCompressed
            guard isCompressed else { return }
            compressedCount = 0
            if inflater == nil {
                let bits = Int(peerWindowBits)
                inflater = pool?.takeInflater(windowBits: bits) ?? Inflater(windowBits: bits)
            }
        case .continuation:
            fragments += 1
        case .close, .ping, .pong:
            break
        }
    }

    /// Moves the arrived octets of the current frame into the store, unmasked; text is checked now, not at the end
    /// (§8.1, fail fast).
    private mutating func copyPayload() throws(WebSocketError) {
        let count = min(remaining, inputCount)
        guard count > 0, let input else { return }
        let store = makeRoom(for: count)
        let place = UnsafeMutableRawBufferPointer(start: store + storeCount, count: count)
        place.copyMemory(from: UnsafeRawBufferPointer(start: input, count: count))
        Masking.apply(maskKey, to: place)
        maskKey = Masking.turn(maskKey, by: count)
        remaining -= count
        advance(count)
        guard opcode.isControl else { return try didStore(count) }
        storeCount += count
    }

    /// Called when `count` octets of the open message were added at the end of the store.
    private mutating func didStore(_ count: Int) throws(WebSocketError) {
        if kind == .text, let store {
            guard text.accept(UnsafeRawBufferPointer(start: store + storeCount, count: count)) else { throw .textInvalid }
        }
        storeCount += count
        messageCount = storeCount
    }

    // MARK: Compression

    /// Decompresses the arrived octets of the current frame into the store.
    private mutating func inflatePayload() throws(WebSocketError) {
        let count = min(remaining, inputCount)
        guard count > 0, let input else { return }
        let place = UnsafeMutableRawBufferPointer(start: input, count: count)
        Masking.apply(maskKey, to: place)
        maskKey = Masking.turn(maskKey, by: count)
        remaining -= count
        compressedCount += count
        advance(count)
        try inflate(UnsafeRawBufferPointer(place))
    }

    private mutating func inflate(_ octets: UnsafeRawBufferPointer) throws(WebSocketError) {
        guard let inflater else { return }
        var rest = octets
        while true {
            // One octet more than allowed may come out, so that an excess is detected.
            let most = limits.maxMessage + 1 - messageCount
            if storeCapacity == storeCount {
                // JSON usually compresses to a third; further output grows the store by doubling.
                _ = makeRoom(for: min(most, max(Self.smallestStore, 4 * rest.count)))
            }
            let room = UnsafeMutableRawBufferPointer(start: store.map { $0 + storeCount }, count: min(most, storeCapacity - storeCount))
            let count: Int
            var isSound = true
            do throws(CorruptStream) {
                count = try inflater.inflate(&rest, into: room)
            } catch {
                // The output before the error is checked first: the result does not depend on how the stream is cut.
                count = error.written
                isSound = false
            }
            pool?.didInflate(count)
            try didStore(count)
            guard messageCount <= limits.maxMessage else { throw .messageTooLong }
            guard isSound else { throw .compressionInvalid }
            // The output space is full, so more output may be pending.
            if rest.isEmpty, count < room.count { return }
        }
    }

    /// Called when the whole compressed message has arrived.
    private mutating func finishInflating() throws(WebSocketError) {
        guard let inflater else { return }
        if !inflater.hasEnded {
            var tail = Inflater.tail
            try withUnsafeBytes(of: &tail) { octets throws(WebSocketError) in try inflate(octets) }
        }
        guard inflater.isBetweenBlocks else { throw .compressionInvalid }
        if !peerKeepsContext { releaseInflater() }
    }

    private mutating func releaseInflater() {
        if let inflater { pool?.give(inflater) }
        inflater = nil
    }

    /// The complete message in the store.
    private mutating func assembled() throws(WebSocketError) -> WebSocketEvent? {
        guard let kind else { return nil }
        guard kind == .binary || text.isComplete else { throw .textInvalid }
        self.kind = nil
        let message = stored
        messageCount = 0
        return .message(kind, message)
    }

    private mutating func control(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer) throws(WebSocketError) -> WebSocketEvent? {
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        default: break
        }
        guard payload.count > 0 else {
            end()
            return .close(code: nil, reason: "")
        }
        guard payload.count >= 2 else { throw .closeTruncated }
        let code = UInt16(bigEndian: payload.loadUnaligned(as: UInt16.self))
        guard WebSocketCloseCode.mayTravel(code) else { throw .closeCodeInvalid }
        let reason = UnsafeRawBufferPointer(rebasing: payload[2...])
        guard TextCheck.isText(reason) else { throw .closeReasonInvalid }
        end()
        return .close(code: code, reason: String(decoding: reason, as: UTF8.self))
    }

    // MARK: Memory

    private var stored: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: store, count: storeCount) }

    private mutating func advance(_ count: Int) {
        // `input` is nil only if nothing was lent, and then `count` is 0.
        input = input.map { $0 + count }
        inputCount -= count
    }

    /// Ignores all further input. The returned event may still point into the store.
    private mutating func end() {
        hasEnded = true
        inputCount = 0
        kind = nil
        messageCount = 0
        isInFrame = false
        releaseInflater()
    }

    /// Releases the input, and the store if it is empty.
    private mutating func settle() {
        input = nil
        storeCount = hasEnded ? 0 : storeCount
        if storeCount == 0, let store {
            Self.giveBack(store, storeCapacity, to: pool)
            self.store = nil
            storeCapacity = 0
        }
    }

    private mutating func makeRoom(for count: Int) -> UnsafeMutableRawPointer {
        let needed = storeCount + count
        if let store, needed <= storeCapacity { return store }
        // Doubling, so that a message that arrives in many pieces is copied O(1) times per octet; but at most the size
        // that this frame can need if it is the last, and never more than the limit. `admit` has ensured that `needed`
        // fits.
        let most =
            isCompressed && !opcode.isControl
            ? limits.maxMessage + 1 : isFinal ? storeCount + remaining : limits.maxMessage + maxControlPayload
        let capacity = max(needed, min(most, max(Self.smallestStore, 2 * storeCapacity)))
        let grown = pool?.take(atLeast: capacity) ?? UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        guard let place = grown.baseAddress else { preconditionFailure("memory that was asked for has an address") }
        if let store {
            place.copyMemory(from: store, byteCount: storeCount)
            Self.giveBack(store, storeCapacity, to: pool)
        }
        store = place
        storeCapacity = grown.count
        return place
    }

    private static func giveBack(_ store: UnsafeMutableRawPointer, _ capacity: Int, to pool: MessagePool?) {
        if let pool { pool.give(UnsafeMutableRawBufferPointer(start: store, count: capacity)) } else { store.deallocate() }
    }
}

@available(*, unavailable)
extension WebSocketEvent: Sendable {}
