/// How much one connection may make us hold.
package struct WebSocketLimits: Equatable, Sendable {
    /// Longest message accepted, octets, all fragments together. Past it: close 1009.
    package var maxMessage: Int
    /// Most frames that one message may come in, not counting an empty last one: libraries that cut a message into equal pieces
    /// end it so (Autobahn 9.3.1 does). Past it: close 1009.
    package var maxFragments: Int

    /// - Parameters:
    ///   - maxMessage: octets, 0...2^31; the upper end only keeps sums far from overflow.
    ///   - maxFragments: at least 1.
    package init(maxMessage: Int, maxFragments: Int) {
        precondition((0...1 << 31).contains(maxMessage), "a message limit is at most 2 GiB")
        precondition(maxFragments >= 1, "a message has at least one frame")
        self.maxMessage = maxMessage
        self.maxFragments = maxFragments
    }
}

/// What a peer said. Payload pointers are valid until the decoder's next call.
package enum WebSocketEvent {
    /// A whole message; text is valid UTF-8.
    case message(MessageKind, UnsafeRawBufferPointer)
    /// Answer with a pong of the same octets, at most 125.
    case ping(UnsafeRawBufferPointer)
    case pong(UnsafeRawBufferPointer)
    /// The peer begins or answers the closing handshake; `nil` when it gave no code. Nothing follows it.
    case close(code: UInt16?, reason: String)
}

/// Turns the octets of a WebSocket connection, cut anywhere, into messages and control frames.
///
/// `feed` lends octets, then `next` is called until it returns `nil`:
///
///     decoder.feed(received)
///     while let event = try decoder.next() { … }
///
/// A frame that lies whole in the lent octets and needs no assembly is unmasked there and delivered from there: no copy, no allocation.
/// Only fragments, and what a frame lacks at the end of the input, go into a store of our own, which grows with what has
/// *arrived* (an announced length reserves nothing), to at most `maxMessage` + 125 octets, and is given back when `next` finds it empty.
///
/// After an error, or a close frame, all further input is ignored (RFC 6455 §7.1.7, §5.5.1).
///
/// Source: RFC 6455 §5 framing, §5.4 fragmentation, §8.1 text.
package struct WebSocketDecoder: ~Copyable {
    /// The store's first size: a typical small frame cut in two fits, and malloc serves it from a bin.
    private static let smallestStore = 512

    private var limits: WebSocketLimits
    private let role: WebSocketRole
    /// True after a close frame or an error: nothing more is read.
    package private(set) var hasEnded = false

    /// What is left of the lent octets.
    private var input: UnsafeMutableRawPointer?
    private var inputCount = 0

    /// The start of a head that the last input ended in.
    private var partialHead: (UInt64, UInt64) = (0, 0)
    private var partialHeadCount: UInt8 = 0

    /// The frame whose payload is being copied; counts only while `isInFrame`.
    private var isInFrame = false
    private var opcode = Opcode.continuation
    private var isFinal = false
    private var remaining = 0
    private var maskKey: UInt32 = 0

    /// The message being assembled, `nil` between messages.
    private var kind: MessageKind?
    private var text = TextCheck()
    private var fragments = 0
    /// Octets of it in the store.
    private var messageCount = 0

    /// The open message, and behind it a control frame that came in pieces.
    private var store: UnsafeMutableRawPointer?
    private var storeCapacity = 0
    private var storeCount = 0

    /// - Parameter role: which end *we* are; a server demands masked frames, a client refuses them.
    package init(role: WebSocketRole, limits: WebSocketLimits) {
        self.role = role
        self.limits = limits
    }

    deinit {
        store?.deallocate()
    }

    /// Octets of memory held beside the struct itself: 0 on an idle connection.
    package var heldOctets: Int { storeCapacity }

    /// Accepts messages up to `octets` from the next frame on: who is known may be allowed more. Never less than before.
    package mutating func raise(maxMessage octets: Int) {
        limits = WebSocketLimits(maxMessage: max(limits.maxMessage, octets), maxFragments: limits.maxFragments)
    }

    /// Lends octets that arrived. They are changed in place, and must stay valid until `next` has returned `nil` or thrown.
    package mutating func feed(_ octets: UnsafeMutableRawBufferPointer) {
        precondition(inputCount == 0, "the octets lent before are not used up: call next() until it returns nil")
        guard !hasEnded else { return }
        input = octets.baseAddress
        inputCount = octets.count
    }

    /// The next event of the lent octets, or `nil` when they are used up: then none of them is referred to any more.
    ///
    /// - Throws: once; the connection must be failed with the error's close code.
    /// - Complexity: O(octets taken).
    package mutating func next() throws(WebSocketError) -> WebSocketEvent? {
        // What the last event pointed at is done with; a control frame still under way is not.
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

    // MARK: Frames

    private mutating func take() throws(WebSocketError) -> WebSocketEvent? {
        while true {
            if !isInFrame {
                guard let head = try takeHead() else { return nil }
                try admit(head)
                let joins = head.opcode == .continuation || (!head.isFinal && !head.opcode.isControl)
                if !joins, head.payload <= inputCount {
                    return try whole(head)
                }
                begin(head)
            }
            try copyPayload()
            guard remaining == 0 else { return nil }
            isInFrame = false
            if opcode.isControl {
                return try control(opcode, UnsafeRawBufferPointer(rebasing: stored[messageCount...]))
            }
            if isFinal { return try assembled() }
        }
    }

    /// The next head, from the input alone or glued to what the last input ended in; `nil` when it is not all there.
    private mutating func takeHead() throws(WebSocketError) -> FrameHead? {
        guard inputCount > 0, let input else { return nil }
        let held = Int(partialHeadCount)
        if held == 0, let head = try FrameHead.read(UnsafeRawBufferPointer(start: input, count: inputCount), role: role) {
            advance(head.length)
            return head
        }
        let added = min(inputCount, FrameHead.maxLength - held)
        let role = role
        let head = try withUnsafeMutableBytes(of: &partialHead) { glue throws(WebSocketError) -> FrameHead? in
            UnsafeMutableRawBufferPointer(rebasing: glue[held..<held + added])
                .copyMemory(from: UnsafeRawBufferPointer(start: input, count: added))
            return try FrameHead.read(UnsafeRawBufferPointer(rebasing: glue[..<(held + added)]), role: role)
        }
        guard let head else {
            // 14 octets always make a head, so all of the input went into the glue.
            partialHeadCount = UInt8(held + added)
            advance(added)
            return nil
        }
        partialHeadCount = 0
        advance(head.length - held)
        return head
    }

    /// Order and size: what a single head cannot tell.
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
        guard head.payload <= limits.maxMessage - messageCount else { throw .messageTooLong }
    }

    /// A frame that lies whole in the input and is a message, or a control frame, by itself.
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
        case .continuation:
            fragments += 1
        case .close, .ping, .pong:
            break
        }
    }

    /// Moves what has arrived of the current frame into the store, unmasked; text is checked now, not at the end (§8.1, fail fast).
    private mutating func copyPayload() throws(WebSocketError) {
        let count = min(remaining, inputCount)
        guard count > 0, let input else { return }
        let store = makeRoom(for: count)
        let place = UnsafeMutableRawBufferPointer(start: store + storeCount, count: count)
        place.copyMemory(from: UnsafeRawBufferPointer(start: input, count: count))
        Masking.apply(maskKey, to: place)
        maskKey = Masking.turn(maskKey, by: count)
        storeCount += count
        remaining -= count
        advance(count)
        guard !opcode.isControl else { return }
        messageCount = storeCount
        if kind == .text {
            guard text.accept(UnsafeRawBufferPointer(place)) else { throw .textInvalid }
        }
    }

    /// The message that the store holds, complete.
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
        guard CloseCode.mayTravel(code) else { throw .closeCodeInvalid }
        let reason = UnsafeRawBufferPointer(rebasing: payload[2...])
        guard TextCheck.isText(reason) else { throw .closeReasonInvalid }
        end()
        return .close(code: code, reason: String(decoding: reason, as: UTF8.self))
    }

    // MARK: Memory

    private var stored: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: store, count: storeCount) }

    private mutating func advance(_ count: Int) {
        // `input` is nil only when nothing was lent, and then `count` is 0.
        input = input.map { $0 + count }
        inputCount -= count
    }

    /// Ignores all that follows. What the store holds may still be pointed at by the event being returned.
    private mutating func end() {
        hasEnded = true
        inputCount = 0
        kind = nil
        messageCount = 0
        isInFrame = false
    }

    /// Lets go of the input, and gives the store back when nothing is in it.
    private mutating func settle() {
        input = nil
        storeCount = hasEnded ? 0 : storeCount
        if storeCount == 0, let store {
            store.deallocate()
            self.store = nil
            storeCapacity = 0
        }
    }

    private mutating func makeRoom(for count: Int) -> UnsafeMutableRawPointer {
        let needed = storeCount + count
        if let store, needed <= storeCapacity { return store }
        // Doubling, so that a message that comes in many pieces is copied O(1) times an octet; but no more than this frame
        // can need when it is the last, and never more than the limit. `admit` has made `needed` fit.
        let most = isFinal ? storeCount + remaining : limits.maxMessage + maxControlPayload
        let capacity = max(needed, min(most, max(Self.smallestStore, 2 * storeCapacity)))
        let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        if let store {
            grown.copyMemory(from: store, byteCount: storeCount)
            store.deallocate()
        }
        store = grown
        storeCapacity = capacity
        return grown
    }
}

@available(*, unavailable)
extension WebSocketEvent: Sendable {}
