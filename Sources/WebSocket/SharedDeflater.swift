/// Deflates what a server sends to many: each message once, however many connections take it one after the other.
package struct SharedDeflater {
    /// The window, bits. Measured on events as JSON, level 1, no context: a chunk of 64 KiB takes 415 us and comes to 0.28 of its size; with
    /// 12 bits 511 us, with 15 349 us and no fewer octets. The client spends 8 KiB on it instead of 32.
    package static let windowBits = 13
    /// Shorter messages are sent plain, octets: they fit one TCP segment anyway. A usual change (491 octets) would come to 0.66 of its
    /// size for 14 us, half of what it costs to send it to a family.
    package static let threshold = 1_024

    /// Octets deflated in one turn of the owner's loop before what follows is sent plain: 1.7 ms on an idle core, which many who sign in at
    /// once may otherwise ask for each. One portion of catching up fits (`Hub.portionOctets`).
    package static let octetsPerTurn = 262_144

    private var deflatedInTurn = 0
    /// The last message, held so that nothing else can come to lie where it lies.
    private var last: [UInt8] = []
    /// What is sent in its place; `nil` when that does not get shorter.
    private var frame: [UInt8]?

    package init() {}

    /// A new turn of the owner's loop.
    package mutating func beginTurn() { deflatedInTurn = 0 }

    /// The compressed frame of a message, as a server sends it to connections that agreed on `CompressionPolicy.shared`; its octets are
    /// shared by all that get it.
    ///
    /// - Parameter payload: a message given again right after itself is known by its storage, not compared.
    /// - Returns: `nil` when it is to be sent plain: it is short, does not get shorter, or too much was deflated in this turn.
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
