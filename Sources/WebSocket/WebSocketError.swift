/// The reason why a peer's octets end the connection. Each has one close code.
///
/// Source: RFC 6455; each case names its section.
package enum WebSocketError: Error, Equatable, Sendable {
    /// RSV1...RSV3 set without an extension that gives them meaning, §5.2; RSV1 outside a message's first frame, RFC
    /// 7692 §6.1.
    case reservedBits
    /// Opcode 3...7 or 11...15, §5.2.
    case reservedOpcode
    /// A control frame of more than 125 octets, §5.5.
    case controlTooLong
    /// A control frame without FIN, §5.5.
    case controlFragmented
    /// A length in more octets than it needs, §5.2.
    case lengthNotMinimal
    /// A 64-bit length with its top bit set, §5.2.
    case lengthOutOfRange
    /// A client's frame without a mask, §5.1.
    case maskMissing
    /// A server's frame with a mask, §5.1.
    case maskUnexpected
    /// A continuation frame when no message is open, §5.4.
    case continuationUnexpected
    /// A text or binary frame while a fragmented message is open, §5.4.
    case continuationExpected
    /// A close payload of one octet, §5.5.1.
    case closeTruncated
    /// A close code that is not allowed in a frame, §7.4.
    case closeCodeInvalid
    /// A close reason that is not UTF-8, §5.5.1.
    case closeReasonInvalid
    /// Text that is not UTF-8, §8.1.
    case textInvalid
    /// A message longer than `WebSocketLimits.maxMessage`, after decompression.
    case messageTooLong
    /// A compressed message that is not DEFLATE, refers to octets that were not sent before or are too far back, or
    /// ends incomplete (RFC 7692 §7.2.2).
    case compressionInvalid
    /// A message in more pieces than `WebSocketLimits.maxFragments`.
    case tooManyFragments

    /// The code of the close frame for the peer (§7.4.1).
    package var closeCode: UInt16 {
        switch self {
        case .textInvalid, .closeReasonInvalid, .compressionInvalid: WebSocketCloseCode.invalidPayload
        case .messageTooLong, .tooManyFragments: WebSocketCloseCode.tooBig
        default: WebSocketCloseCode.protocolError
        }
    }
}
