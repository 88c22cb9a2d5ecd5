internal import CZlib

/// Writes messages as raw DEFLATE (RFC 1951), each ended so that it can be read alone or after the previous ones.
///
/// Memory: 2^(`windowBits` + 2) + 2^(`memoryLevel` + 9) octets and 6 KiB.
package final class Deflater {
    /// The window that the reader needs, 8...15 bits.
    package let windowBits: Int
    /// The octets taken in since it was created, including those of messages that were given up.
    package private(set) var consumed = 0
    /// zlib's state points back at this, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// The octets compressed between two checks whether compression pays off.
    private static let stride = 16_384
    /// The octets that zlib may have taken and not yet written if nothing repeats: a block's symbols.
    private let heldBack: Int

    /// - Parameters:
    ///   - windowBits: 8...15. For 8, a zlib stream of 9 is used: it keeps 262 octets free at the window's end
    ///     (`MIN_LOOKAHEAD`), so it refers back by at most 512 - 262 = 250 octets, which fits a window of 256.
    ///   - level: from 1, fast, to 9, small.
    ///   - memoryLevel: 1...9.
    package init(windowBits: Int, level: Int, memoryLevel: Int) {
        precondition((8...15).contains(windowBits), "a window has 8 to 15 bits")
        self.windowBits = windowBits
        heldBack = 1 << (memoryLevel + 6)
        stream.initialize(to: z_stream())
        let status = czlib_deflate_init(stream, Int32(level), Int32(max(9, windowBits)), Int32(memoryLevel))
        precondition(status == Z_OK, "zlib has no memory for a stream, or its levels are 1 to 9")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses one whole message, if that makes it shorter.
    ///
    /// - Parameters:
    ///   - message: at most 2 GiB.
    ///   - output: at least as many octets as the message, plus 4.
    /// - Returns: the number of octets written, without the empty block's last four (RFC 7692 §7.2.1), fewer than the
    ///   message has; or `nil` if the message would not get shorter and has to be sent uncompressed: then later
    ///   messages cannot refer to it, nor to earlier ones.
    package func deflate(_ message: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
        precondition(message.count <= 1 << 31 && output.count >= message.count + Inflater.tailOctets, "deflating takes room")
        guard message.count > 0 else { return nil }
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(message.count + Inflater.tailOctets)
        var taken = 0
        while taken < message.count {
            let count = min(Self.stride, message.count - taken)
            taken += count
            let isLast = taken == message.count
            stream.pointee.next_in = message.baseAddress.map {
                UnsafeMutablePointer(mutating: ($0 + (taken - count)).assumingMemoryBound(to: UInt8.self))
            }
            stream.pointee.avail_in = UInt32(count)
            CZlib.deflate(stream, isLast ? Z_SYNC_FLUSH : Z_NO_FLUSH)
            consumed += count
            let written = message.count + Inflater.tailOctets - Int(stream.pointee.avail_out)
            // Remaining space means that everything was written, including the tail.
            if isLast, stream.pointee.avail_out > 0, written - Inflater.tailOctets < message.count { return written - Inflater.tailOctets }
            // The first stride shows a picture or an archive: compression saves less than one part in sixteen.
            guard stream.pointee.avail_out > 0, taken <= heldBack || written < (taken - heldBack) / 16 * 15 else { break }
        }
        reset()
        return nil
    }

    /// Drops the context: the next message refers only to itself.
    package func reset() {
        deflateReset(stream)
    }
}

@available(*, unavailable) extension Deflater: Sendable {}
