/// Builds frames (RFC 6455 §5.2), always with the shortest length.
///
/// `maskKey` is `nil` at a server, and at a client four octets, new for every frame and from a strong source (§5.3), as
/// a little-endian number.
package enum WebSocketEncoder {
    /// Writes the head of a frame.
    ///
    /// - Parameters:
    ///   - payload: the octets that will follow.
    ///   - isCompressed: sets RSV1: in the first frame of a compressed message (RFC 7692 §6), if compression was
    ///     agreed.
    ///   - head: at least `FrameHead.maxLength` octets of space.
    /// - Returns: the number of octets written, 2...14.
    /// - Complexity: O(1), allocates nothing: for the path that sends the payload without a copy.
    package static func writeHead(
        _ opcode: Opcode, payload: Int, isFinal: Bool = true, isCompressed: Bool = false, maskKey: UInt32? = nil,
        into head: UnsafeMutableRawBufferPointer
    ) -> Int {
        precondition(head.count >= FrameHead.maxLength, "a frame head takes up to 14 octets")
        let mask: UInt8 = maskKey == nil ? 0 : 0x80
        head[0] = (isFinal ? 0x80 : 0) | (isCompressed ? FrameHead.rsv1 : 0) | opcode.rawValue
        var length = 2
        if payload < 126 {
            head[1] = mask | UInt8(payload)
        } else if payload <= 0xFFFF {
            head[1] = mask | 126
            head.storeBytes(of: UInt16(payload).bigEndian, toByteOffset: 2, as: UInt16.self)
            length = 4
        } else {
            head[1] = mask | 127
            head.storeBytes(of: UInt64(payload).bigEndian, toByteOffset: 2, as: UInt64.self)
            length = 10
        }
        if let maskKey {
            head.storeBytes(of: maskKey.littleEndian, toByteOffset: length, as: UInt32.self)
            length += 4
        }
        return length
    }

    /// Appends one frame, masked if a key is given.
    ///
    /// - Parameter isFinal: false for every fragment of a message except the last; the later ones are `.continuation`.
    package static func append(
        _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, isFinal: Bool = true, isCompressed: Bool = false, maskKey: UInt32? = nil,
        to octets: inout [UInt8]
    ) {
        precondition(
            !opcode.isControl || (payload.count <= maxControlPayload && isFinal), "a control frame is one frame of at most 125 octets")
        precondition(!isCompressed || opcode == .text || opcode == .binary, "only a message's first frame says that it is compressed")
        withUnsafeTemporaryAllocation(byteCount: FrameHead.maxLength, alignment: 8) { head in
            let length = writeHead(
                opcode, payload: payload.count, isFinal: isFinal, isCompressed: isCompressed, maskKey: maskKey, into: head)
            octets.append(contentsOf: UnsafeRawBufferPointer(rebasing: head[..<length]))
        }
        let start = octets.count
        octets.append(contentsOf: payload)
        guard let maskKey else { return }
        octets.withUnsafeMutableBytes { all in
            Masking.apply(maskKey, to: UnsafeMutableRawBufferPointer(rebasing: all[start...]))
        }
    }

    package static func append(
        _ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true, isCompressed: Bool = false, maskKey: UInt32? = nil,
        to octets: inout [UInt8]
    ) {
        payload.withUnsafeBytes { append(opcode, $0, isFinal: isFinal, isCompressed: isCompressed, maskKey: maskKey, to: &octets) }
    }

    /// One complete frame.
    package static func frame(_ opcode: Opcode, _ payload: [UInt8], maskKey: UInt32? = nil) -> [UInt8] {
        payload.withUnsafeBytes { frame(opcode, $0, maskKey: maskKey) }
    }

    package static func frame(
        _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, isCompressed: Bool = false, maskKey: UInt32? = nil
    ) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(FrameHead.maxLength + payload.count)
        append(opcode, payload, isCompressed: isCompressed, maskKey: maskKey, to: &octets)
        return octets
    }

    /// A close frame (§5.5.1).
    ///
    /// - Parameters:
    ///   - code: `nil` for a close without a code; otherwise a code that is allowed in a frame (`WebSocketCloseCode.mayTravel`).
    ///   - reason: for logs, not for people; cut between scalars to the 123 octets that fit.
    package static func close(_ code: UInt16?, reason: String = "", maskKey: UInt32? = nil) -> [UInt8] {
        guard let code else { return frame(.close, [], maskKey: maskKey) }
        precondition(WebSocketCloseCode.mayTravel(code), "this close code is never sent")
        var payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
        for scalar in reason.unicodeScalars {
            let octets = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            guard payload.count + octets.count <= maxControlPayload else { break }
            payload.append(contentsOf: octets)
        }
        return frame(.close, payload, maskKey: maskKey)
    }

    /// A ping (§5.5.2) of at most 125 octets.
    package static func ping(_ payload: [UInt8] = [], maskKey: UInt32? = nil) -> [UInt8] {
        frame(.ping, payload, maskKey: maskKey)
    }

    /// A pong (§5.5.3) with the octets of its ping.
    package static func pong(_ payload: UnsafeRawBufferPointer, maskKey: UInt32? = nil) -> [UInt8] {
        frame(.pong, payload, maskKey: maskKey)
    }
}
