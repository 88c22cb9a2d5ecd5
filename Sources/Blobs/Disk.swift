import Locks
package import Posix

/// The disk that files are stored on, one kernel call per method. At this seam tests let each call fail, return short,
/// or lose the power.
///
/// Paths are absolute or relative to the process; an open file is identified by a number, which is closed once.
package protocol Disk: Sendable {
    /// Creates a file for reading and writing, mode 0600; `.exists` if the path exists.
    func create(_ path: String) throws(Errno) -> Int32
    /// Opens a file for reading and writing.
    func open(_ path: String) throws(Errno) -> Int32
    func close(_ file: Int32)
    /// Returns the number of octets read, perhaps fewer than the size of `buffer`; 0 at the end.
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int
    /// Returns the number of octets written, perhaps fewer than given. Whole blocks (`DiskBlock`) may bypass the page
    /// cache and wait for the disk.
    func write(_ file: Int32, _ octets: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int
    func cut(_ file: Int32, to length: Int64) throws(Errno)
    /// Returns when the content is on stable storage. After a failure the state of everything written since the last
    /// success is unknown.
    func synchronize(_ file: Int32) throws(Errno)
    /// Returns when the names in the folder are on stable storage.
    func synchronizeFolder(_ path: String) throws(Errno)
    /// Renames a file; it replaces an existing file of that name.
    func rename(_ path: String, to other: String) throws(Errno)
    /// Removes a file; a missing file is not an error.
    func remove(_ path: String) throws(Errno)
    /// Removes an empty folder; a missing folder is not an error.
    func removeFolder(_ path: String) throws(Errno)
    /// Creates a folder, mode 0700; returns whether it was missing.
    func makeFolder(_ path: String) throws(Errno) -> Bool
    /// The names in a folder, sorted; empty if the folder does not exist.
    func list(_ path: String) throws(Errno) -> [String]
    /// The status of a path; `nil` if nothing exists there.
    func status(_ path: String) throws(Errno) -> DiskStatus?
    /// Sets the file's modification time to now.
    func touch(_ path: String) throws(Errno)
}

/// The status of a path on a disk.
package struct DiskStatus: Equatable, Sendable {
    package let octets: Int64
    /// UTC milliseconds of the last change.
    package let modified: Int64
    package let isFolder: Bool

    package init(octets: Int64, modified: Int64, isFolder: Bool = false) {
        self.octets = octets
        self.modified = modified
        self.isFolder = isFolder
    }
}

/// The machine's own disk.
package struct SystemDisk: Disk {
    /// One file or folder is synced at a time: several are no faster together, and the writer's sync, for which
    /// families wait, would come after all of them.
    private let syncing = Turn()
    private let standBack: @Sendable () -> Void
    private let pace: @Sendable (_ octets: Int) -> Void
    private let wrote: @Sendable (_ octets: Int, _ nanoseconds: Int64) -> Void

    /// - Parameters:
    ///   - standBack: called before each sync; returns when more urgent commits are done, or soon.
    ///   - pace: called before whole blocks are written; returns when that many octets may be written.
    ///   - wrote: called after octets were written past the page cache, with the time that took.
    package init(
        standBack: @escaping @Sendable () -> Void = {}, pace: @escaping @Sendable (_ octets: Int) -> Void = { _ in },
        wrote: @escaping @Sendable (_ octets: Int, _ nanoseconds: Int64) -> Void = { _, _ in }
    ) {
        self.standBack = standBack
        self.pace = pace
        self.wrote = wrote
    }

    private final class Turn: Sendable { let lock = Lock(()) }

    package func create(_ path: String) throws(Errno) -> Int32 { try Files.createForUpdating(path).take() }
    package func open(_ path: String) throws(Errno) -> Int32 { try Files.openForUpdating(path).take() }
    package func close(_ file: Int32) { _ = FileDescriptor(owning: file) }
    package func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        try Files.read(file, into: buffer, at: offset)
    }
    package func write(_ file: Int32, _ octets: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        if DiskBlock.fits(octets, at: offset) {
            pace(octets.count)
            let begun = Clock.monotonicNanoseconds()
            if let count = try Files.writePastCache(file, octets, at: offset) {
                wrote(count, Clock.monotonicNanoseconds() - begun)
                return count
            }
        }
        return try Files.write(file, octets, at: offset)
    }
    package func cut(_ file: Int32, to length: Int64) throws(Errno) { try Files.cut(file, to: length) }
    package func synchronize(_ file: Int32) throws(Errno) {
        try syncing.lock.withLock { (_) throws(Errno) in
            standBack()
            try Files.synchronizeContent(file)
        }
    }
    package func synchronizeFolder(_ path: String) throws(Errno) {
        try syncing.lock.withLock { (_) throws(Errno) in
            standBack()
            try Files.synchronizeFolder(path)
        }
    }
    package func rename(_ path: String, to other: String) throws(Errno) { try Files.rename(path, to: other) }
    package func remove(_ path: String) throws(Errno) { try Files.remove(path) }
    package func removeFolder(_ path: String) throws(Errno) { try Files.removeFolder(path) }
    package func makeFolder(_ path: String) throws(Errno) -> Bool { try Files.makeFolder(path) }
    package func list(_ path: String) throws(Errno) -> [String] {
        do throws(Errno) { return try Files.list(path) } catch {
            if error == .noEntry { return [] }
            throw error
        }
    }
    package func status(_ path: String) throws(Errno) -> DiskStatus? {
        try Files.status(path).map { DiskStatus(octets: Int64($0.size), modified: $0.modified, isFolder: $0.kind == .folder) }
    }
    package func touch(_ path: String) throws(Errno) { try Files.touch(path) }
}

/// One open file on a disk; closed when the value is destroyed.
struct DiskFile: ~Copyable, Sendable {
    private let disk: any Disk
    private let number: Int32

    /// Creates a file; `.exists` if the path exists.
    static func create(_ path: String, on disk: any Disk) throws(Errno) -> DiskFile {
        DiskFile(disk: disk, number: try disk.create(path))
    }

    static func open(_ path: String, on disk: any Disk) throws(Errno) -> DiskFile {
        DiskFile(disk: disk, number: try disk.open(path))
    }

    private init(disk: any Disk, number: Int32) {
        self.disk = disk
        self.number = number
    }

    deinit { disk.close(number) }

    /// Writes all of `octets` at `offset`, or throws with some of them written.
    borrowing func write(_ octets: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
        var done = 0
        while done < octets.count {
            let count = try disk.write(number, UnsafeRawBufferPointer(rebasing: octets[done...]), at: offset + Int64(done))
            // A disk that accepts nothing and reports no error would be retried for ever.
            guard count > 0 else { throw Errno.noSpace }
            done += count
        }
    }

    borrowing func write(_ octets: [UInt8], at offset: Int64) throws(Errno) {
        try octets.span.bytes.withUnsafeBytes { (all) throws(Errno) in try write(all, at: offset) }
    }

    /// Fills `buffer` from `offset` on; it gets fewer octets only at the end of the file.
    borrowing func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        var done = 0
        while done < buffer.count {
            let count = try disk.read(number, into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: offset + Int64(done))
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// At most `count` octets from `offset` on.
    borrowing func read(at offset: Int64, count: Int) throws(Errno) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
        defer { buffer.deallocate() }
        let found = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
        return Array(buffer[..<found])
    }

    borrowing func cut(to length: Int64) throws(Errno) { try disk.cut(number, to: length) }
    borrowing func synchronize() throws(Errno) { try disk.synchronize(number) }
}
