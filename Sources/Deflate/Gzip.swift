internal import CZlib

/// Whole contents in the form of gzip (RFC 1952), as HTTP sends them.
package enum Gzip {
    /// Compresses once for many readers: as small as zlib can.
    ///
    /// - Parameter content: at most 1 GiB.
    package static func compress(_ content: [UInt8]) -> [UInt8] {
        precondition(content.count <= 1 << 30, "what is compressed in memory fits in it")
        var stream = z_stream()
        precondition(czlib_gzip_init(&stream, 9) == Z_OK, "zlib has no memory for a stream")
        defer { deflateEnd(&stream) }
        let room = Int(deflateBound(&stream, UInt(content.count)))
        return content.withUnsafeBytes { input in
            [UInt8](unsafeUninitializedCapacity: room) { output, count in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(room)
                let status = CZlib.deflate(&stream, Z_FINISH)
                precondition(status == Z_STREAM_END, "deflateBound is enough room")
                count = room - Int(stream.avail_out)
            }
        }
    }
}
