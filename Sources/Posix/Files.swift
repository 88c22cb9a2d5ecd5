import CLinux
import Glibc

/// Files and folders by path. Nothing is cached: each call asks the kernel.
package enum Files {
    /// The kind of a path.
    package enum Kind: Sendable { case file, folder, socket, other }

    /// The kernel's data about a path (symbolic links are followed).
    package struct Status: Equatable, Sendable {
        package let kind: Kind
        /// The length of a file in octets.
        package let size: Int
        /// Permission bits, 0o7777 at most.
        package let mode: UInt32
        /// The time of the last change of the content, in UTC milliseconds.
        package let modified: Int64

        fileprivate init(_ found: stat) {
            kind =
                switch found.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFSOCK: .socket
                default: .other
                }
            size = Int(found.st_size)
            mode = found.st_mode & 0o7777
            modified = Int64(found.st_mtim.tv_sec) * 1_000 + Int64(found.st_mtim.tv_nsec) / 1_000_000
        }
    }

    /// The status of a path; `nil` if nothing exists there.
    package static func status(_ path: String) throws(Errno) -> Status? {
        var found = stat()
        guard onPath(path, { stat($0, &found) }) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Errno.last("stat")
        }
        return Status(found)
    }

    /// The status of an open file.
    package static func status(of raw: Int32) throws(Errno) -> Status {
        var found = stat()
        guard fstat(raw, &found) == 0 else { throw Errno.last("fstat") }
        return Status(found)
    }

    /// The absolute form of a path, for when the current folder may change; unchanged if the current folder is unknown.
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// The path after all symbolic links are followed; `nil` if nothing exists there.
    package static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Values that distinguish a file from another of the same name and content.
    package struct Identity: Equatable, Sendable {
        /// The file's number within its file system.
        package let inode: UInt64
        /// The time of the last change of its content, name or mode (ctime), in UTC nanoseconds; no program can set it
        /// to a chosen time.
        package let changed: Int64
    }

    /// - Throws: `.noEntry` if nothing exists there.
    package static func identity(_ path: String) throws(Errno) -> Identity {
        var found = stat()
        guard stat(path, &found) == 0 else { throw Errno.last("stat") }
        return Identity(inode: UInt64(found.st_ino), changed: Int64(found.st_ctim.tv_sec) * 1_000_000_000 + Int64(found.st_ctim.tv_nsec))
    }

    /// Whether two paths lead to one file.
    package static func isSame(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(path, &first) == 0 && stat(other, &second) == 0 && first.st_ino == second.st_ino && first.st_dev == second.st_dev
    }

    /// Whether anything visible exists at `path`.
    package static func exists(_ path: String) -> Bool { onPath(path) { access($0, F_OK) } == 0 }

    /// Whether `path` is a file that this user may run.
    package static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 && ((try? status(path)) ?? nil)?.kind == .file }

    /// The whole content of a file.
    ///
    /// - Throws: `.tooBig` above `limit` octets, `.noEntry` if the file does not exist.
    package static func read(_ path: String, limit: Int = 64 << 20) throws(Errno) -> [UInt8] {
        let file = try openForReading(path)
        return try readToEnd(file.raw, limit: limit)
    }

    /// Reads the rest of an open file, a pipe or a terminal, up to its end.
    ///
    /// - Throws: `.tooBig` above `limit` octets.
    package static func readToEnd(_ raw: Int32, limit: Int) throws(Errno) -> [UInt8] {
        var octets: [UInt8] = []
        // The size may be unknown (/proc) or change in the meantime, so it is only a hint; the end of the stream decides.
        var found = stat()
        if fstat(raw, &found) == 0 { octets.reserveCapacity(min(max(Int(found.st_size), 0), limit) + 1) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let result = try Octets.read(raw, into: chunk)
            guard case .done(let count) = result else { return octets }
            guard octets.count + count <= limit else { throw Errno(EFBIG, "read") }
            octets.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
        }
    }

    /// Writes `octets` to `path` so that after a crash either the old or the new content is there, complete: it writes
    /// a temporary file next to it, synchronises it, renames it, and synchronises the folder.
    package static func write(_ octets: [UInt8], to path: String, mode: UInt32 = 0o600) throws(Errno) {
        let temporary = path + ".new"
        do throws(Errno) {
            let file = try create(temporary, mode: mode)
            try Octets.writeAll(file.raw, octets)
            try synchronize(file.raw)
            try rename(temporary, to: path)
        } catch {
            unlink(temporary)
            throw error
        }
        try synchronizeFolder(of: path)
    }

    /// Writes `octets` to a `path` that does not exist, completely or not at all: it writes a hidden file next to it,
    /// synchronises it, and renames it.
    ///
    /// - Throws: `.exists` if the path exists; the existing file stays as it is.
    package static func writeNew(_ octets: [UInt8], to path: String, mode: UInt32 = 0o600) throws(Errno) {
        guard !exists(path) else { throw .exists }
        let split = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let temporary = "\(path[..<split]).\(path[split...]).\(getpid()).\(Clock.monotonicNanoseconds())"
        do throws(Errno) {
            let file = try createNew(temporary, mode: mode)
            try Octets.writeAll(file.raw, octets)
            try synchronize(file.raw)
            // Some file systems lack the first call (NFS), some lack the second (FAT).
            if onPaths(temporary, path, { linux_rename_new($0, $1) }) != 0 {
                guard errno == EINVAL else { throw Errno.last("rename") }
                guard onPaths(temporary, path, { link($0, $1) }) == 0 else { throw Errno.last("link") }
                try? remove(temporary)
            }
        } catch {
            try? remove(temporary)
            throw error
        }
        try synchronizeFolder(of: path)
    }

    /// Opens an existing file for reading.
    package static func openForReading(_ path: String) throws(Errno) -> FileDescriptor {
        try open(path, O_RDONLY, 0)
    }

    /// Creates a file, or empties an existing one, for writing; `mode` is exact, regardless of the umask.
    package static func create(_ path: String, mode: UInt32 = 0o600) throws(Errno) -> FileDescriptor {
        let file = try open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
        guard fchmod(file.raw, mode) == 0 else { throw Errno.last("fchmod") }
        return file
    }

    /// Creates a file that must not exist, for writing.
    ///
    /// - Throws: `.exists` if the path exists.
    package static func createNew(_ path: String, mode: UInt32 = 0o600) throws(Errno) -> FileDescriptor {
        try open(path, O_WRONLY | O_CREAT | O_EXCL, mode)
    }

    /// Opens a file for appending, and creates it with `mode` if it does not exist.
    package static func openForAppending(_ path: String, mode: UInt32 = 0o600) throws(Errno) -> FileDescriptor {
        try open(path, O_WRONLY | O_CREAT | O_APPEND, mode)
    }

    /// Opens a file for writing at offsets (`overwrite`), and creates it with `mode` if it does not exist; its content
    /// stays.
    package static func openForOverwriting(_ path: String, mode: UInt32 = 0o600) throws(Errno) -> FileDescriptor {
        try open(path, O_WRONLY | O_CREAT, mode)
    }

    /// Opens a file for reading and writing at offsets, and creates it with `mode` if it does not exist, but only if it
    /// belongs to this user: in a folder where others can write, a name may be a link of another user that leads to a
    /// file of ours, or a file that another user can read.
    ///
    /// - Returns: `nil` for a symbolic link, a file with a second name (a hard link), a file of another user, and
    ///   anything other than a file.
    package static func openOwn(_ path: String, mode: UInt32 = 0o600) throws(Errno) -> FileDescriptor? {
        let file: FileDescriptor
        do throws(Errno) {
            // Opening a pipe would wait for a reader.
            file = try open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode)
        } catch {
            guard error.code == ELOOP || error.code == EISDIR || error.code == ENXIO else { throw error }
            return nil
        }
        var found = stat()
        guard fstat(file.raw, &found) == 0 else { throw Errno.last("fstat") }
        guard found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid(), found.st_nlink == 1 else { return nil }
        return file
    }

    /// Writes all of `octets` at `offset`, over existing content.
    package static func overwrite(_ raw: Int32, _ octets: [UInt8], at offset: Int) throws(Errno) {
        var done = 0
        while done < octets.count {
            let count = octets.withUnsafeBytes { all in
                retrying { pwrite(raw, all.baseAddress.map { $0 + done }, all.count - done, off_t(offset + done)) }
            }
            guard count >= 0 else { throw Errno.last("pwrite") }
            done += count
        }
    }

    /// At most `count` octets from `offset` on; fewer only at the end of the file.
    package static func read(_ raw: Int32, at offset: Int, count: Int) throws(Errno) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let result = octets.withUnsafeMutableBytes { all in
                retrying { pread(raw, all.baseAddress.map { $0 + done }, count - done, off_t(offset + done)) }
            }
            guard result >= 0 else { throw Errno.last("pread") }
            if result == 0 { break }
            done += result
        }
        octets.removeLast(count - done)
        return octets
    }

    /// Makes a file private to this user: a missing file is created empty, an existing one loses the permissions of
    /// others.
    package static func makePrivate(_ path: String) throws(Errno) {
        let file = try open(path, O_RDWR | O_CREAT, 0o600)
        var found = stat()
        guard fstat(file.raw, &found) == 0 else { throw Errno.last("fstat") }
        guard found.st_mode & 0o077 != 0 else { return }
        guard fchmod(file.raw, found.st_mode & 0o700) == 0 else { throw Errno.last("fchmod") }
    }

    /// Waits until everything written to the file is on stable storage. A failure is final: the written octets may be
    /// lost.
    package static func synchronize(_ raw: Int32) throws(Errno) {
        guard retrying({ fsync(raw) }) == 0 else { throw Errno.last("fsync") }
    }

    /// Waits until the names in the folder that holds `path` are on stable storage.
    package static func synchronizeFolder(of path: String) throws(Errno) {
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folder = try open(parent, O_RDONLY | O_DIRECTORY, 0)
        try synchronize(folder.raw)
    }

    /// Renames a file and atomically replaces an existing file of that name.
    package static func rename(_ path: String, to other: String) throws(Errno) {
        guard onPaths(path, other, { Glibc.rename($0, $1) }) == 0 else { throw Errno.last("rename") }
    }

    /// Removes a file or a socket's name; a missing one is not an error.
    package static func remove(_ path: String) throws(Errno) {
        guard onPath(path, { unlink($0) }) == 0 || errno == ENOENT else { throw Errno.last("unlink") }
    }

    /// Creates a folder with exactly `mode`; its parent must exist. An existing folder stays as it is.
    ///
    /// - Returns: whether the folder was created.
    @discardableResult
    package static func makeFolder(_ path: String, mode: UInt32 = 0o700) throws(Errno) -> Bool {
        if mkdir(path, mode) == 0 {
            guard chmod(path, mode) == 0 else { throw Errno.last("chmod") }
            return true
        }
        let failure = Errno.last("mkdir")
        guard failure == .exists, try status(path)?.kind == .folder else { throw failure }
        return false
    }

    /// Creates a folder and all missing parents.
    package static func makeFolders(_ path: String, mode: UInt32 = 0o700) throws(Errno) {
        if try status(path)?.kind == .folder { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try makeFolders(String(path[..<slash]), mode: mode) }
        if !path.hasSuffix("/") { try makeFolder(path, mode: mode) }
    }

    /// The names in a folder, sorted by octets, without "." and "..".
    package static func list(_ path: String) throws(Errno) -> [String] {
        var opened: OpaquePointer?
        guard onPath(path, { opened = opendir($0); return opened == nil ? -1 : 0 }) == 0, let folder = opened else { throw Errno.last("opendir") }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else {
                guard errno == 0 else { throw Errno.last("readdir") }
                return names.sorted()
            }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    /// A new empty folder, mode 0700.
    ///
    /// - Parameter parent: `nil` for $TMPDIR or /tmp.
    package static func makeTemporaryFolder(prefix: String = "huddle", in parent: String? = nil) throws(Errno) -> String {
        var pattern = Array("\(parent ?? Environment.value("TMPDIR") ?? "/tmp")/\(prefix).XXXXXX".utf8CString)
        guard mkdtemp(&pattern) != nil else { throw Errno.last("mkdtemp") }
        return String(decoding: pattern.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes an empty folder; a missing one is not an error.
    package static func removeFolder(_ path: String) throws(Errno) {
        guard rmdir(path) != 0, errno != ENOENT else { return }
        throw Errno.last("rmdir")
    }

    /// Removes a folder and everything in it; links are removed, not followed. A missing folder is not an error.
    package static func removeTree(_ path: String) throws(Errno) {
        var found = stat()
        guard lstat(path, &found) == 0 else {
            if errno == ENOENT { return }
            throw Errno.last("lstat")
        }
        guard found.st_mode & S_IFMT == S_IFDIR else { return try remove(path) }
        for name in try list(path) { try removeTree(path + "/" + name) }
        guard rmdir(path) == 0 else { throw Errno.last("rmdir") }
    }

    /// Locks a folder for this process until the result is released or the process ends in any way.
    ///
    /// The lock is on the folder itself (flock(2)): there is no lock file that could become stale.
    ///
    /// - Parameter timeoutMilliseconds: how long to wait for a holder that is about to end, or for a child of it that
    ///   has been forked and not yet executed.
    /// - Parameter isShared: whether others may hold the folder as well, if they share it too.
    /// - Throws: `.locked` if another holder is alive.
    package static func lock(folder path: String, timeoutMilliseconds: Int = 0, isShared: Bool = false) throws(Errno) -> FolderLock {
        let folder = try open(path, O_RDONLY | O_DIRECTORY, 0)
        let end = Clock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
        while retrying({ flock(folder.raw, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) }) != 0 {
            let failure = Errno.last("flock")
            guard failure == .locked, Clock.monotonicMilliseconds() < end else { throw failure }
            // flock(2) can wait, but not with a time limit.
            var none: [Poll.Item] = []
            _ = try Poll.wait(&none, timeoutMilliseconds: 10)
        }
        return FolderLock(folder)
    }

    /// The octets that a user without special privileges may still write to the disk of `path`.
    package static func freeSpace(_ path: String) throws(Errno) -> Int {
        var found = statvfs()
        guard retrying({ statvfs(path, &found) }) == 0 else { throw Errno.last("statvfs") }
        return Int(clamping: found.f_bavail.multipliedReportingOverflow(by: UInt(found.f_frsize)).partialValue)
    }

    private static func open(_ path: String, _ flags: Int32, _ mode: UInt32) throws(Errno) -> FileDescriptor {
        let raw = onPath(path) { Glibc.open($0, flags | O_CLOEXEC, mode) }
        guard raw >= 0 else { throw Errno.last("open") }
        return FileDescriptor(owning: raw)
    }
}
