import Locks
package import Posix

/// What files are kept on, one call of the kernel a method: the seam at which tests let each call fail, come short, or lose the power.
///
/// Paths are absolute or relative to the process; files are known by a number that is closed once.
package protocol Disk: Sendable {
    /// Makes a file that must not be there yet (`.exists`), for reading and writing, mode 0600.
    func create(_ path: String) throws(Errno) -> Int32
    /// Opens a file for reading and writing.
    func open(_ path: String) throws(Errno) -> Int32
    func close(_ file: Int32)
    /// Octets read, perhaps fewer than `buffer` has; 0 at the end.
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int
    /// Octets written, perhaps fewer than there are. Whole blocks (`DiskBlock`) may go past the kernel's memory, and wait for the disk.
    func write(_ file: Int32, _ octets: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int
    func cut(_ file: Int32, to length: Int64) throws(Errno)
    /// Returns when the content is on stable storage. After a failure nothing is known of what was written since the last success.
    func synchronize(_ file: Int32) throws(Errno)
    /// Returns when the names in the folder are on stable storage.
    func synchronizeFolder(_ path: String) throws(Errno)
    /// Gives a file another name, in the place of what has it.
    func rename(_ path: String, to other: String) throws(Errno)
    /// Removes a file; nothing there is no error.
    func remove(_ path: String) throws(Errno)
    /// Makes a folder, mode 0700; whether it was missing.
    func makeFolder(_ path: String) throws(Errno) -> Bool
    /// The names in a folder, sorted; none when there is no such folder.
    func list(_ path: String) throws(Errno) -> [String]
    /// `nil` when nothing is there.
    func status(_ path: String) throws(Errno) -> DiskStatus?
    /// Makes now the time of the file's last change.
    func touch(_ path: String) throws(Errno)
}

/// What a disk knows about a path.
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
    /// One file or folder at a time is synced: several are no faster together, and the writer's sync, for which families wait, would come behind
    /// them all.
    private let syncing = Turn()
    private let standBack: @Sendable () -> Void
    private let pace: @Sendable (_ octets: Int) -> Void
    private let wrote: @Sendable (_ octets: Int, _ nanoseconds: Int64) -> Void

    /// - Parameters:
    ///   - standBack: called before each sync; returns when the commits that go first are done, or soon.
    ///   - pace: called before whole blocks are written; returns when that many octets may be.
    ///   - wrote: called after octets have gone to the disk past the kernel's memory, with how long that took.
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

/// One open file on a disk; closed when its life ends.
struct DiskFile: ~Copyable, Sendable {
    private let disk: any Disk
    private let number: Int32

    /// Makes a file that must not be there yet.
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
            // A disk that takes nothing and says no error would be asked for ever.
            guard count > 0 else { throw Errno.noSpace }
            done += count
        }
    }

    borrowing func write(_ octets: [UInt8], at offset: Int64) throws(Errno) {
        try octets.span.bytes.withUnsafeBytes { (all) throws(Errno) in try write(all, at: offset) }
    }

    /// Fills `buffer` from `offset` on; fewer octets only where the file ends.
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
