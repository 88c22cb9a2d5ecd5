internal import CZlib

/// Octets that no DEFLATE stream holds: a block type, a code, or a distance that cannot be.
package struct CorruptStream: Error, Equatable, Sendable {
    /// Octets that came out before them in the same call.
    package let written: Int
}

/// Reads raw DEFLATE (RFC 1951) as it arrives, never more than there is room for.
///
/// A stream that ends (BFINAL) goes on with the next one, and what came before may still be referred to: so RFC 7692 §7.2.3.4 has it.
///
/// Memory: 7 KiB, and the window, 2^`windowBits` octets, from the first octet that comes out.
package final class Inflater {
    /// How far back the stream may refer: 2^`windowBits` octets, 8...15. What refers further is corrupt, as far as it was given out by an
    /// earlier call.
    package private(set) var windowBits: Int
    /// Octets that have come out since it was made.
    package private(set) var produced = 0
    /// The last block of a stream is read, and nothing behind it.
    package private(set) var hasEnded = false
    /// zlib's state points back at this, so that it may not move.
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

    /// Inflates until `input` is used up or `output` is full; both may be so.
    ///
    /// A full `output` may mean that more waits inside: call again, with no input if none is left, until it is not full.
    ///
    /// - Parameters:
    ///   - input: what is used is taken off its front.
    ///   - output: room, at least one octet.
    /// - Returns: octets written.
    /// - Throws: the stream is lost; only `reset` helps.
    package func inflate(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(CorruptStream) -> Int {
        precondition(output.count > 0, "inflating takes room")
        // More than 4 GiB at once is taken in parts: the caller calls again.
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

    /// - Returns: false when the stream is corrupt.
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
                // Nothing to read, or no room.
                return true
            case Z_MEM_ERROR:
                preconditionFailure("zlib has no memory for a window")
            default:
                return false
            }
        }
    }

    /// The octets 00 00 FF FF as they lie in memory: what a sender leaves out at the end of a message, an empty stored block's (RFC 7692
    /// §7.2.1). To be inflated after it, unless `hasEnded`.
    package static let tail: UInt32 = UInt32(0xFFFF_0000).littleEndian
    package static let tailOctets = 4

    /// What came is a whole number of blocks and of octets: a message may end here.
    package var isBetweenBlocks: Bool { hasEnded || czlib_is_between_blocks(stream) != 0 }

    /// Forgets everything: the next octet begins a stream. The window's memory is kept for as long as its size is.
    package func reset(windowBits: Int) {
        let status = inflateReset2(stream, -Int32(windowBits))
        precondition(status == Z_OK, "a window has 8 to 15 bits")
        self.windowBits = windowBits
        hasEnded = false
    }
}

@available(*, unavailable) extension Inflater: Sendable {}
