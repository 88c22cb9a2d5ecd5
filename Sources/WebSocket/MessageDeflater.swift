internal import Deflate

/// Deflates the messages of one connection, where that pays.
///
/// Between messages it holds nothing, unless they may refer to each other: then zlib's memory, `Deflater` says how much, from the first
/// compressed message on.
package struct MessageDeflater {
    /// Shorter messages are sent as they are, octets.
    private let threshold: Int
    private let pool: MessagePool
    private let windowBits: Int
    private let keepsContext: Bool
    private var own: Deflater?

    /// - Parameters:
    ///   - role: which end we are.
    ///   - threshold: what pays depends on the traffic; short messages gain little, and cost the other end time too.
    package init(_ terms: CompressionTerms, role: WebSocketRole, threshold: Int, pool: MessagePool) {
        self.threshold = threshold
        self.pool = pool
        windowBits = terms.windowBits(sender: role)
        keepsContext = terms.keepsContext(sender: role)
    }

    /// What to send in place of `message`, with RSV1 set; `nil` when it is to be sent plain.
    ///
    /// What it returns lies in the pool, until the next message of any of its connections. A message must be sent as it says, in this
    /// order: the next one may refer to it.
    package mutating func deflate(_ message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard message.count >= threshold else { return nil }
        guard keepsContext else { return pool.deflate(message, windowBits: windowBits) }
        let deflater =
            own ?? Deflater(windowBits: windowBits, level: MessagePool.level, memoryLevel: MessagePool.memoryLevel(windowBits: windowBits))
        own = deflater
        return pool.deflate(message, by: deflater)
    }
}

@available(*, unavailable) extension MessageDeflater: Sendable {}
