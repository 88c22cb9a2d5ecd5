internal import Deflate

/// Compresses the messages of one connection, if that pays off.
///
/// Between messages it holds no memory, unless messages may refer to each other: then it holds zlib's memory
/// (`Deflater` gives the amount) from the first compressed message on.
package struct MessageDeflater {
    /// Messages below this number of octets are sent uncompressed.
    private let threshold: Int
    private let pool: MessagePool
    private let windowBits: Int
    private let keepsContext: Bool
    private var own: Deflater?

    /// - Parameters:
    ///   - role: the end that we are.
    ///   - threshold: the best value depends on the traffic; short messages gain little, and cost the other end time as
    ///     well.
    package init(_ terms: CompressionTerms, role: WebSocketRole, threshold: Int, pool: MessagePool) {
        self.threshold = threshold
        self.pool = pool
        windowBits = terms.windowBits(sender: role)
        keepsContext = terms.keepsContext(sender: role)
    }

    /// The compressed octets to send in place of `message`, with RSV1 set; `nil` to send it uncompressed.
    ///
    /// The result is in the pool, until the next message of any of its connections. Messages must be sent as returned,
    /// in this order: the next one may refer to an earlier one.
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
