import Posix
import Testing

/// The octets that a peer sends to a server, and the result that the RFC demands.
struct AbuseCase: Sendable, CustomTestStringConvertible {
    enum Step: Sendable {
        case send([UInt8])
        /// Milliseconds in which nothing is said: only where time is the point.
        case pause(Int64)
        /// So often: the octets, then the pause.
        case drip([UInt8], every: Int64, times: Int)
        /// Ends our side of the stream.
        case finish
        /// Goes with a reset.
        case cut
    }

    enum Outcome: Sendable {
        /// A response with one of these, then the end of the stream.
        case status([Int])
        /// A close frame with this code (or the other one, where two limits are met at the same moment) after the upgrade, then the end;
        /// `nil`: one without a code.
        case close(UInt16?, or: UInt16? = nil)
        /// These octets among those after the upgrade.
        case answer([UInt8])
        /// A TLS alert with one of these descriptions as the last thing, then the end.
        case alert([UInt8])
        /// The end, without a word that follows the rules of this server's protocols.
        case end
        /// Nothing is asked for: the peer has gone.
        case nothing
    }

    let name: String
    let steps: [Step]
    let outcome: Outcome

    var testDescription: String { name }

    static func http(_ name: String, _ text: String, _ statuses: Int...) -> AbuseCase {
        AbuseCase(name: name, steps: [.send(Array(text.utf8))], outcome: .status(statuses))
    }

    /// After an upgrade.
    static func webSocket(_ name: String, _ frames: [UInt8], _ code: UInt16?) -> AbuseCase {
        AbuseCase(name: name, steps: [.send(upgrade + frames)], outcome: .close(code))
    }

    static let upgrade = Array(
        ("GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: huddle.v1\r\n\r\n").utf8)

    // MARK: Frames, right and wrong

    /// A frame with any head.
    ///
    /// - Parameter form: octets of the extended length, 0, 2 or 8, also where a shorter form would do; `nil`: the shortest.
    static func frame(
        _ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, reserved: UInt8 = 0, isMasked: Bool = true, form: Int? = nil
    ) -> [UInt8] {
        var octets: [UInt8] = [(fin ? 0x80 : 0) | reserved << 4 | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch form ?? (payload.count < 126 ? 0 : payload.count < 65_536 ? 2 : 8) {
        case 0: octets.append(mask | UInt8(payload.count))
        case 2: octets += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: octets += [mask | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        guard isMasked else { return octets + payload }
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        return octets + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
    }

    static func text(_ text: String, fin: Bool = true) -> [UInt8] { frame(1, Array(text.utf8), fin: fin) }

    static func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] { frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason) }
}
