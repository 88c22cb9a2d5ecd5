/// Why a connection ends, and whether coming back helps: one table for the standard's codes and ours (`proto/errors.json`).
///
/// Source: RFC 6455 §7.4; 4000...4499 reconnect, 4500...4999 stop.
package enum CloseCode: UInt16, CaseIterable, Sendable {
    case normal = 1000
    case goingAway = 1001
    case protocolError = 1002
    case unsupportedData = 1003
    case invalidPayload = 1007
    case policyViolation = 1008
    case messageTooBig = 1009
    case mandatoryExtension = 1010
    case internalError = 1011
    case serviceRestart = 1012
    case tryAgainLater = 1013
    /// The server drains for a restart or upgrade: reconnect after a moment, with the cursor.
    case restarting = 4000
    /// The reader fell too far behind; it resumes from its cursor.
    case slowReader = 4001
    case pongTimeout = 4002
    case signInTimeout = 4003
    case tooManyConnections = 4004
    /// A message that takes too long.
    case slowSender = 4005
    /// Removed from the family.
    case removed = 4500
    /// The session was ended (signed out here or elsewhere).
    case sessionEnded = 4501
    /// A message that is not a frame of this protocol.
    case badFrame = 4502

    /// Whether a client should connect again by itself. Codes that nobody assigned follow their range; an abrupt end (no code) reconnects.
    package static func reconnects(_ code: UInt16?) -> Bool {
        guard let code else { return true }
        switch code {
        case 1002, 1003, 1007...1010: return false
        case 4500...4999: return false
        default: return true
        }
    }
}

extension CloseCode {
    /// Why the server closes with it, for people who write clients.
    package var meaning: String {
        switch self {
        case .normal: "The client asked for it."
        case .goingAway: "The server is shutting down."
        case .protocolError: "Octets that are not WebSocket frames."
        case .unsupportedData: "A binary message: frames of this protocol are text."
        case .invalidPayload: "Text that is not UTF-8."
        case .policyViolation: "Against the rules of this server."
        case .messageTooBig: "A message longer than message_octets."
        case .mandatoryExtension: "An extension that the client needs is missing."
        case .internalError: "A fault of the server; nothing that was acknowledged is lost."
        case .serviceRestart: "The server restarts."
        case .tryAgainLater: "The server is overloaded."
        case .restarting: "The server drains for a restart or an upgrade: reconnect after a moment, with the cursor."
        case .slowReader: "The client read too slowly (outbox_octets, outbox_age): reconnect with the cursor."
        case .pongTimeout: "No answer to a ping within pong_time."
        case .signInTimeout: "Not signed in within sign_in_time."
        case .tooManyConnections: "More than connections_per_member."
        case .slowSender: "A message did not come in message_time, with a second more for each KiB of it: reconnect with the cursor."
        case .removed: "The member was removed from the family."
        case .sessionEnded: "The session was ended, here or elsewhere."
        case .badFrame: "A message that is not a frame of this protocol; an error frame says why."
        }
    }
}
