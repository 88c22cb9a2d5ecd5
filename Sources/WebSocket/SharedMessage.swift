/// One message of a server on its way to many: its frame is made once, and deflated at most once, however many connections take it.
package final class SharedMessage {
    /// The window of deflated messages, bits. On frames of 500 octets to snapshots of 64 KiB it costs a few percent of what 15 saves,
    /// and a client spends 4 KiB on it instead of 32.
    package static let windowBits = 12
    /// Shorter messages are sent plain, octets: below, deflating saves less than a TCP segment's head and costs both ends time.
    package static let threshold = 256

    package let kind: MessageKind
    package let payload: [UInt8]
    private var plainFrame: [UInt8]?
    /// Inner `nil`: deflating does not pay.
    private var deflatedFrame: [UInt8]??

    package init(_ kind: MessageKind, _ payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
    }

    /// The whole frame, as a server sends it; the octets are shared by all that get it.
    ///
    /// - Parameter compressed: for connections that agreed on `CompressionPolicy.shared`.
    package func frame(compressed: Bool, pool: MessagePool) -> [UInt8] {
        if compressed, let frame = deflated(pool) { return frame }
        if let plainFrame { return plainFrame }
        let frame = WebSocketEncoder.frame(kind.opcode, payload)
        plainFrame = frame
        return frame
    }

    private func deflated(_ pool: MessagePool) -> [UInt8]? {
        if let deflatedFrame { return deflatedFrame }
        let frame: [UInt8]? =
            payload.count < Self.threshold
            ? nil
            : payload.withUnsafeBytes { octets in
                pool.deflate(octets, windowBits: Self.windowBits).map {
                    WebSocketEncoder.frame(kind.opcode, $0, isCompressed: true)
                }
            }
        deflatedFrame = .some(frame)
        return frame
    }
}

@available(*, unavailable) extension SharedMessage: Sendable {}
