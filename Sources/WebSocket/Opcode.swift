/// Which end of a connection we are: it decides who masks (RFC 6455 §5.1: the client does, the server never).
package enum WebSocketRole: Sendable {
    case client, server
}

/// What a data message carries (RFC 6455 §5.6).
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

    /// Control frames are at most 125 octets, never fragmented, and may stand between the fragments of a message (§5.5).
    package var isControl: Bool { rawValue & 8 != 0 }
}

/// The most a control frame may carry (RFC 6455 §5.5).
package let maxControlPayload = 125
