/// Compresses the messages that a server sends to many connections: each message once, if the connections take it one
/// after the other.
package struct SharedDeflater {
    /// The window in bits. Measured on events as JSON, level 1, no context: a chunk of 64 KiB takes 415 us and shrinks
    /// to 0.28 of its size; with 12 bits 511 us, with 15 bits 349 us and no fewer octets. The client spends 8 KiB on it
    /// instead of 32.
    package static let windowBits = 13
    /// Messages below this number of octets are sent uncompressed: they fit one TCP segment anyway. A usual change (491
    /// octets) would shrink to 0.66 of its size for 14 us, half of the cost of sending it to a family.
    package static let threshold = 1_024

    /// The octets compressed in one turn of the owner's loop before further messages are sent uncompressed: 1.7 ms on
    /// an idle core, which each of many clients that sign in at the same time may otherwise cause. One portion of
    /// catching up fits (`Hub.portionOctets`).
    package static let octetsPerTurn = 262_144

    private var deflatedInTurn = 0
    /// The last message, retained so that its storage cannot be reused.
    private var last: [UInt8] = []
    /// Its compressed frame; `nil` if that would not be shorter.
    private var frame: [UInt8]?

    package init() {}

    /// Starts a new turn of the owner's loop.
    package mutating func beginTurn() { deflatedInTurn = 0 }

    /// The compressed frame of a message, as a server sends it to connections that agreed on
    /// `CompressionPolicy.shared`; all recipients share its octets.
    ///
    /// - Parameter payload: a message that is passed again directly after itself is recognised by its storage, not
    ///   compared.
    /// - Returns: `nil` to send it uncompressed: it is short, does not shrink, or too much was compressed in this turn.
    package mutating func frame(_ kind: MessageKind, _ payload: [UInt8], pool: MessagePool) -> [UInt8]? {
        guard payload.count >= Self.threshold else { return nil }
        if !isLast(payload) {
            last = payload
            frame = nil
            guard deflatedInTurn < Self.octetsPerTurn else { return nil }
            deflatedInTurn += payload.count
            frame = payload.withUnsafeBytes { octets in
                pool.deflate(octets, windowBits: Self.windowBits).map { WebSocketEncoder.frame(kind.opcode, $0, isCompressed: true) }
            }
        }
        return frame
    }

    private func isLast(_ payload: [UInt8]) -> Bool {
        payload.count == last.count && payload.withUnsafeBytes { one in last.withUnsafeBytes { one.baseAddress == $0.baseAddress } }
    }
}
