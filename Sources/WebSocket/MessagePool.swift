internal import Bytes
internal import Deflate

/// What the connections of one reactor share for messages, so that an idle one holds nothing: memory for those that arrive in pieces
/// or are inflated, zlib's streams for those that refer to no earlier message, and room to deflate into.
package final class MessagePool {
    /// The smallest piece, octets: a usual message cut in two fits.
    private static let smallestPiece = 512
    /// Sizes that are kept: 512 octets … 1 MiB.
    private static let pieceClasses = 12
    /// Octets kept for later use, as in the pool of outboxes.
    private static let maxHeld = 4 << 20
    /// Inflaters kept for later use, 11 to 39 KiB each; as many are in use at once as compressed messages arrive in pieces.
    private static let maxInflaters = 16
    /// The quickest level: on frames of this protocol, 6 saves little more for twice the time.
    static let level = 1

    /// zlib's measure of hash table and block, 2^(n + 9) octets, for a deflater that a connection keeps: 8 is its default for the window of
    /// 15 bits; 5 is the least that does not slow it down by emptying its blocks all the time.
    static func memoryLevel(windowBits: Int) -> Int { max(5, windowBits - 7) }
    /// The same for those that all share: a sixth quicker on long messages than the least, and there is only one.
    private static let sharedMemoryLevel = 8

    private var pieces = MemoryPieces(smallest: smallestPiece, classes: pieceClasses, maxHeld: maxHeld)
    private var inflaters: [Inflater] = []
    /// One for each window: deflating takes a whole message, so that nobody holds one.
    private var deflaters: [Deflater] = []
    private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// Messages deflated, for those that are asked whether a broadcast is deflated once.
    package private(set) var deflations = 0

    /// Octets that came out of compressed messages since `beginTurn`. Who reads for many looks at it between two messages.
    package private(set) var inflated = 0

    package init() {}

    /// A new turn of the owner's loop.
    package func beginTurn() { inflated = 0 }

    func didInflate(_ octets: Int) { inflated += octets }

    deinit { pieces.give(scratch) }

    /// Octets of memory for messages lent out now.
    package var lent: Int { pieces.lent - scratch.count }

    func take(atLeast octets: Int) -> UnsafeMutableRawBufferPointer { pieces.take(atLeast: octets) }

    func give(_ piece: UnsafeMutableRawBufferPointer) { pieces.give(piece) }

    /// An inflater that remembers nothing.
    func takeInflater(windowBits: Int) -> Inflater {
        guard let inflater = inflaters.popLast() else { return Inflater(windowBits: windowBits) }
        inflater.reset(windowBits: windowBits)
        return inflater
    }

    func give(_ inflater: Inflater) {
        if inflaters.count < Self.maxInflaters { inflaters.append(inflater) }
    }

    /// Deflates a message that refers to no other; see `deflate(_:by:)`.
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

    /// Deflates a message.
    ///
    /// - Returns: what to send in its place, valid until the next message is deflated; `nil` when the message itself is shorter.
    func deflate(_ message: UnsafeRawBufferPointer, by deflater: Deflater) -> UnsafeRawBufferPointer? {
        deflations += 1
        // What the last message left there is done with by now.
        pieces.give(scratch)
        scratch = pieces.take(atLeast: message.count + Inflater.tailOctets)
        guard let count = deflater.deflate(message, into: scratch) else { return nil }
        return UnsafeRawBufferPointer(rebasing: scratch[..<count])
    }
}

@available(*, unavailable) extension MessagePool: Sendable {}
