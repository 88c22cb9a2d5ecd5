internal import Bytes
internal import Deflate

/// The resources that the connections of one reactor share for messages, so that an idle connection holds none: memory
/// for messages that arrive in pieces or are decompressed, zlib's streams for messages that refer to no earlier one,
/// and space to compress into.
package final class MessagePool {
    /// The smallest piece in octets: a usual message that arrives in two parts fits.
    private static let smallestPiece = 512
    /// The number of sizes that are kept: 512 octets … 1 MiB.
    private static let pieceClasses = 12
    /// The octets kept for later use, as in the pool of outboxes.
    private static let maxHeld = 4 << 20
    /// The number of inflaters kept for later use, 11 to 39 KiB each; the number in use is the number of compressed
    /// messages that are arriving in pieces.
    private static let maxInflaters = 16
    /// The fastest level: on frames of this protocol, level 6 saves little more for twice the time.
    static let level = 1

    /// zlib's size of hash table and block, 2^(n + 9) octets, for a deflater that a connection keeps: 8 is its default
    /// for the window of 15 bits; 5 is the smallest value that does not slow it down by flushing its blocks all the
    /// time.
    static func memoryLevel(windowBits: Int) -> Int { max(5, windowBits - 7) }
    /// The same for the shared deflaters: a sixth faster on long messages than the smallest value, and there is only
    /// one.
    private static let sharedMemoryLevel = 8

    private var pieces = MemoryPieces(smallest: smallestPiece, classes: pieceClasses, maxHeld: maxHeld)
    private var inflaters: [Inflater] = []
    /// One deflater for each window: compression takes a whole message in one call, so no connection holds one.
    private var deflaters: [Deflater] = []
    private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The number of compressed messages, for tests that a broadcast is compressed once.
    package private(set) var deflations = 0

    /// The octets that came out of compressed messages since `beginTurn`. A caller that reads for many connections
    /// checks it between two messages.
    package private(set) var inflated = 0

    package init() {}

    /// Starts a new turn of the owner's loop.
    package func beginTurn() { inflated = 0 }

    func didInflate(_ octets: Int) { inflated += octets }

    deinit { pieces.give(scratch) }

    /// The octets of memory for messages that are lent out now.
    package var lent: Int { pieces.lent - scratch.count }

    func take(atLeast octets: Int) -> UnsafeMutableRawBufferPointer { pieces.take(atLeast: octets) }

    func give(_ piece: UnsafeMutableRawBufferPointer) { pieces.give(piece) }

    /// An inflater without context.
    func takeInflater(windowBits: Int) -> Inflater {
        guard let inflater = inflaters.popLast() else { return Inflater(windowBits: windowBits) }
        inflater.reset(windowBits: windowBits)
        return inflater
    }

    func give(_ inflater: Inflater) {
        if inflaters.count < Self.maxInflaters { inflaters.append(inflater) }
    }

    /// Compresses a message that refers to no other; see `deflate(_:by:)`.
    func deflate(_ message: UnsafeRawBufferPointer, windowBits: Int) -> UnsafeRawBufferPointer? {
        let deflater: Deflater
        if let kept = deflaters.first(where: { $0.windowBits == windowBits }) {
            deflater = kept
            deflater.reset()
        } else {
            deflater = Deflater(windowBits: windowBits, level: Self.level, memoryLevel: Self.sharedMemoryLevel)
            deflaters.append(deflater)
        }
        return deflate(message, by: deflater)
    }

    /// Compresses a message.
    ///
    /// - Returns: the octets to send in its place, valid until the next message is compressed; `nil` if the message
    ///   itself is shorter.
    func deflate(_ message: UnsafeRawBufferPointer, by deflater: Deflater) -> UnsafeRawBufferPointer? {
        deflations += 1
        // The result of the previous message is no longer in use.
        pieces.give(scratch)
        scratch = pieces.take(atLeast: message.count + Inflater.tailOctets)
        guard let count = deflater.deflate(message, into: scratch) else { return nil }
        return UnsafeRawBufferPointer(rebasing: scratch[..<count])
    }
}

@available(*, unavailable) extension MessagePool: Sendable {}
