import CLinux
import Glibc

// Each function is one kernel call, for callers that handle short writes and failures themselves.

extension Files {
    /// The content of a file whose last name is not a link: an ordinary file of at most `limit` octets. Waits for no pipe.
    ///
    /// - Throws: also for anything other than a file, and for a larger one.
    package static func readOrdinary(_ path: String, limit: Int) throws(Errno) -> [UInt8] {
        let raw = retrying { Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard raw >= 0 else { throw Errno.last("open") }
        let file = FileDescriptor(owning: raw)
        let found = try status(of: file.raw)
        guard found.kind == .file else { throw Errno(EINVAL, "open") }
        return try readToEnd(file.raw, limit: limit)
    }

    /// Opens an existing file for reading and writing.
    package static func openForUpdating(_ path: String) throws(Errno) -> FileDescriptor {
        let raw = retrying { Glibc.open(path, O_RDWR | O_CLOEXEC) }
        guard raw >= 0 else { throw Errno.last("open") }
        return FileDescriptor(owning: raw)
    }

    /// Creates a file that must not exist, for reading and writing.
    ///
    /// - Throws: `.exists` if the path exists.
    package static func createForUpdating(_ path: String, mode: UInt32 = 0o600) throws(Errno) -> FileDescriptor {
        let raw = retrying { Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode) }
        guard raw >= 0 else { throw Errno.last("open") }
        return FileDescriptor(owning: raw)
    }

    /// Reads at `offset` once.
    ///
    /// - Returns: the number of octets read, perhaps fewer than `buffer` holds; 0 at the end of the file.
    package static func read(_ raw: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        let count = retrying { pread(raw, buffer.baseAddress, buffer.count, off_t(offset)) }
        guard count >= 0 else { throw Errno.last("pread") }
        return count
    }

    /// Writes at `offset` once.
    ///
    /// - Returns: the number of octets written, perhaps fewer than given.
    package static func write(_ raw: Int32, _ octets: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        let count = retrying { pwrite(raw, octets.baseAddress, octets.count, off_t(offset)) }
        guard count >= 0 else { throw Errno.last("pwrite") }
        return count
    }

    /// Writes whole blocks at `offset` once, past the page cache: when it returns, the disk has them (but may hold them
    /// in its own memory; see `synchronizeContent`). No other thread may use the descriptor in the meantime.
    ///
    /// - Parameter octets: address, count and offset are multiples of a block of the file system.
    /// - Returns: the number of octets written, perhaps fewer than given; `nil`, with nothing written, if the file
    ///   system does not support it.
    ///
    /// Source: Linux open(2), O_DIRECT.
    package static func writePastCache(_ raw: Int32, _ octets: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int? {
        let count = retrying { linux_write_direct(raw, octets.baseAddress, octets.count, off_t(offset)) }
        if count >= 0 { return count }
        guard errno != EINVAL else { return nil }
        throw Errno.last("pwrite")
    }

    /// The length of an open file in octets.
    package static func length(_ raw: Int32) throws(Errno) -> Int {
        var found = stat()
        guard fstat(raw, &found) == 0 else { throw Errno.last("fstat") }
        return Int(found.st_size)
    }

    /// Sets the length of a file: octets above it are lost, missing ones read as zeros.
    package static func cut(_ raw: Int32, to length: Int64) throws(Errno) {
        guard retrying({ ftruncate(raw, off_t(length)) }) == 0 else { throw Errno.last("ftruncate") }
    }

    /// Waits until the file's content, and the metadata needed to read it, are on stable storage. A failure is final,
    /// as in `synchronize`.
    package static func synchronizeContent(_ raw: Int32) throws(Errno) {
        guard retrying({ fdatasync(raw) }) == 0 else { throw Errno.last("fdatasync") }
    }

    /// Waits until the names in the folder `path` are on stable storage.
    package static func synchronizeFolder(_ path: String) throws(Errno) {
        let raw = retrying { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard raw >= 0 else { throw Errno.last("open") }
        let folder = FileDescriptor(owning: raw)
        try synchronize(folder.raw)
    }

    /// Sets the modification time of a file to now.
    package static func touch(_ path: String) throws(Errno) {
        guard utimensat(AT_FDCWD, path, nil, 0) == 0 else { throw Errno.last("utimensat") }
    }
}
