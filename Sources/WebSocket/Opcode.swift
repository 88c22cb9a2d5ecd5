/// The end of a connection that we are: it decides about masking (RFC 6455 §5.1: the client masks, the server never
/// does).
package enum WebSocketRole: Sendable {
    case client, server
}

/// The content of a data message (RFC 6455 §5.6).
package enum MessageKind: UInt8, Sendable {
    /// UTF-8, checked.
    case text = 1
    /// Any octets.
    case binary = 2

    package var opcode: Opcode { self == .text ? .text : .binary }
}

/// The defined frame types (RFC 6455 §11.8); 3...7 and 11...15 are reserved and refused.
package enum Opcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    /// Whether this is a control frame: at most 125 octets, never fragmented, allowed between the fragments of a
    /// message (§5.5).
    package var isControl: Bool { rawValue & 8 != 0 }
}

/// The largest payload of a control frame (RFC 6455 §5.5).
package let maxControlPayload = 125
