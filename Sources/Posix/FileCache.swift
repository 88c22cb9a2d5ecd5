import CLinux
import Glibc

/// Files in the kernel's page cache: reads that do not wait for a disk.
///
/// Source: Linux preadv2(2), RWF_NOWAIT; sendfile(2).
package enum FileCache {
    /// Reads octets that are in memory.
    ///
    /// - Returns: the number of octets, from `offset` on; `.wouldBlock` if the first of them is not in memory, or the
    ///   file system cannot say; `.endOfStream` after the end.
    package static func read(_ file: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> IOResult {
        precondition(buffer.count > 0, "an empty read would look like the end of the file")
        let count = retrying { linux_read_cached(file, buffer.baseAddress, buffer.count, off_t(offset)) }
        if count > 0 { return .done(count) }
        if count == 0 { return .endOfStream }
        if errno == EOPNOTSUPP { return .wouldBlock }
        return try Octets.wouldBlock("preadv2")
    }

    /// Reads octets, and waits for the disk if they are not in memory.
    ///
    /// - Returns: the number of octets; `.endOfStream` after the end.
    package static func readWaiting(_ file: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> IOResult {
        precondition(buffer.count > 0, "an empty read would look like the end of the file")
        let count = retrying { pread(file, buffer.baseAddress, buffer.count, off_t(offset)) }
        guard count >= 0 else { throw Errno.last("pread") }
        return count == 0 ? .endOfStream : .done(count)
    }

    /// The error for a file that ends before a position at which it is known to continue.
    package static let cutShort = Errno(EIO, "read")

    /// Whether the octet at `offset` is in memory; also false if the file system cannot say.
    package static func holds(_ file: Int32, at offset: Int) -> Bool {
        var octet: UInt8 = 0
        let result = withUnsafeMutableBytes(of: &octet) { buffer in try? read(file, at: offset, into: buffer) }
        // At the end of the file no read has to wait.
        return result == .done(1) || result == .endOfStream
    }

    /// Drops the cached content of a synchronised file from the kernel's memory, for tests.
    package static func forget(_ file: Int32) { _ = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) }

    /// Sends octets of a file to a socket. SIGPIPE has to be ignored: sendfile(2) has no flag for that.
    ///
    /// - Returns: `.endOfStream` if the file ends at `offset` or before.
    package static func send(_ socket: Int32, _ file: Int32, from offset: Int, count: Int) throws(Errno) -> IOResult {
        let sent = retrying { linux_send_file(socket, file, off_t(offset), count) }
        if sent > 0 { return .done(sent) }
        if sent == 0 { return .endOfStream }
        return try Octets.wouldBlock("sendfile")
    }
}
