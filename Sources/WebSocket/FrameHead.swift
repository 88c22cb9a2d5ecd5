/// The head of one frame (RFC 6455 §5.2): the octets before the payload.
package struct FrameHead: Equatable, Sendable {
    package var isFinal: Bool
    package var opcode: Opcode
    /// RSV1: the message that begins here is compressed (RFC 7692 §6).
    package var isCompressed = false
    /// The octets of payload after the head.
    package var payload: Int
    /// The masking key, first octet lowest; `nil` in frames of a server.
    package var maskKey: UInt32?
    /// The octets of the head itself, 2...14.
    package var length: Int

    /// The longest head: two octets, a 64-bit length, a masking key.
    package static let maxLength = 14
    /// The bit of the first octet to which RFC 7692 gives a meaning.
    static let rsv1: UInt8 = 0x40

    /// Reads one frame head from the front of `octets`.
    ///
    /// An error in the first two octets is reported as soon as they have arrived.
    ///
    /// - Parameters:
    ///   - octets: octets not yet consumed, any length; not stored.
    ///   - role: the end that *we* are: a server requires the mask, a client forbids it.
    ///   - compression: whether compression was agreed: then RSV1 is allowed in the first frame of a message, and
    ///     nowhere else.
    /// - Returns: the head, or `nil` if more octets are needed.
    /// - Throws: an error in this head alone; the decoder checks the order of frames and their sizes.
    /// - Complexity: O(1), allocates nothing.
    ///
    /// Source: RFC 6455 §5.2 layout, §5.5 control frames, §5.1 masking by clients; RFC 7692 §6 RSV1.
    package static func read(
        _ octets: UnsafeRawBufferPointer, role: WebSocketRole, compression: Bool = false
    ) throws(WebSocketError) -> FrameHead? {
        guard octets.count >= 2 else { return nil }
        let first = octets[0]
        let second = octets[1]
        let isCompressed = compression && first & rsv1 != 0
        guard first & 0x70 == (isCompressed ? rsv1 : 0) else { throw .reservedBits }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .reservedOpcode }
        guard !isCompressed || opcode == .text || opcode == .binary else { throw .reservedBits }
        let isFinal = first & 0x80 != 0
        let short = Int(second & 0x7F)
        if opcode.isControl {
            guard isFinal else { throw .controlFragmented }
            guard short <= maxControlPayload else { throw .controlTooLong }
        }
        let isMasked = second & 0x80 != 0
        if isMasked != (role == .server) { throw isMasked ? .maskUnexpected : .maskMissing }

        var length = 2
        var payload = short
        if short == 126 {
            guard octets.count >= 4 else { return nil }
            payload = Int(UInt16(bigEndian: octets.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            guard payload > 125 else { throw .lengthNotMinimal }
            length = 4
        } else if short == 127 {
            guard octets.count >= 10 else { return nil }
            let long = UInt64(bigEndian: octets.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            guard let fits = Int(exactly: long) else { throw .lengthOutOfRange }
            guard fits > 0xFFFF else { throw .lengthNotMinimal }
            payload = fits
            length = 10
        }
        guard isMasked else {
            return FrameHead(
                isFinal: isFinal, opcode: opcode, isCompressed: isCompressed, payload: payload, maskKey: nil, length: length)
        }
        guard octets.count >= length + 4 else { return nil }
        let key = UInt32(littleEndian: octets.loadUnaligned(fromByteOffset: length, as: UInt32.self))
        return FrameHead(
            isFinal: isFinal, opcode: opcode, isCompressed: isCompressed, payload: payload, maskKey: key, length: length + 4)
    }
}
