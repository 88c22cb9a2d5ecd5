internal import CZlib

/// An error: the octets are not a DEFLATE stream, because of an invalid block type, code, or distance.
package struct CorruptStream: Error, Equatable, Sendable {
    /// The octets that came out before the error in the same call.
    package let written: Int
}

/// Reads raw DEFLATE (RFC 1951) as it arrives, never more than fits the output.
///
/// After the end of a stream (BFINAL) the next one follows, and may still refer to earlier octets, as RFC 7692 §7.2.3.4
/// requires.
///
/// Memory: 7 KiB, and the window, 2^`windowBits` octets, from the first octet that comes out.
package final class Inflater {
    /// The largest distance in the stream: 2^`windowBits` octets, 8...15. A larger distance is an error, if it refers
    /// to octets returned by an earlier call.
    package private(set) var windowBits: Int
    /// The octets that have come out since it was created.
    package private(set) var produced = 0
    /// Whether the last block of a stream has been read, and nothing after it.
    package private(set) var hasEnded = false
    /// zlib's state points back at this, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    package init(windowBits: Int) {
        precondition((8...15).contains(windowBits), "a window has 8 to 15 bits")
        self.windowBits = windowBits
        stream.initialize(to: z_stream())
        let status = czlib_inflate_init(stream, Int32(windowBits))
        precondition(status == Z_OK, "zlib has no memory for a stream")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses until `input` is used up or `output` is full, or both.
    ///
    /// A full `output` may mean that more is pending: call again, without input if none is left, until it is not full.
    ///
    /// - Parameters:
    ///   - input: the used octets are removed from its front.
    ///   - output: at least one octet of space.
    /// - Returns: the number of octets written.
    /// - Throws: the stream is lost; only `reset` helps.
    package func inflate(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(CorruptStream) -> Int {
        precondition(output.count > 0, "inflating takes room")
        // More than 4 GiB are taken in parts: the caller calls again.
        let offered = UInt32(clamping: input.count)
        let room = UInt32(clamping: output.count)
        stream.pointee.next_in = input.baseAddress.map { UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self)) }
        stream.pointee.avail_in = offered
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = room
        let isSound = run()
        let written = Int(room - stream.pointee.avail_out)
        produced += written
        guard isSound else { throw CorruptStream(written: written) }
        input = UnsafeRawBufferPointer(rebasing: input[Int(offered - stream.pointee.avail_in)...])
        return written
    }

    /// - Returns: false if the stream is corrupt.
    private func run() -> Bool {
        while true {
            if hasEnded {
                guard stream.pointee.avail_in > 0 else { return true }
                // Keeps the window, unlike `inflateReset`.
                inflateResetKeep(stream)
                hasEnded = false
            }
            switch CZlib.inflate(stream, Z_SYNC_FLUSH) {
            case Z_OK:
                if stream.pointee.avail_in == 0 || stream.pointee.avail_out == 0 { return true }
            case Z_STREAM_END:
                hasEnded = true
            case Z_BUF_ERROR:
                // There is no input, or no space.
                return true
            case Z_MEM_ERROR:
                preconditionFailure("zlib has no memory for a window")
            default:
                return false
            }
        }
    }

    /// The octets 00 00 FF FF in memory order, which a sender omits at the end of a message: those of an empty stored
    /// block (RFC 7692 §7.2.1). Decompress them after the message, unless `hasEnded`.
    package static let tail: UInt32 = UInt32(0xFFFF_0000).littleEndian
    package static let tailOctets = 4

    /// Whether the octets so far are a whole number of blocks and of octets: a message may end here.
    package var isBetweenBlocks: Bool { hasEnded || czlib_is_between_blocks(stream) != 0 }

    /// Drops all state: the next octet begins a stream. The window's memory is kept as long as its size is the same.
    package func reset(windowBits: Int) {
        let status = inflateReset2(stream, -Int32(windowBits))
        precondition(status == Z_OK, "a window has 8 to 15 bits")
        self.windowBits = windowBits
        hasEnded = false
    }
}

@available(*, unavailable) extension Inflater: Sendable {}
