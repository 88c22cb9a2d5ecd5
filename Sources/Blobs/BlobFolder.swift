package import Bytes
internal import Crypto
internal import Locks
package import Posix

/// The files of documents, each named by its content: `<family>/<aa>/<sha256>`, never changed once it has its name.
///
/// A file gets its name complete and synced, before the row that names it is committed. It loses the name when no row
/// has named it for a day. Every file that a database names therefore exists, also for a copy of the database that is
/// younger than a day.
package final class BlobFolder: Sendable {
    package let path: String
    private let disk: any Disk
    /// Serialises taking an existing blob into use with removing a blob that was unused for long.
    private let naming = Lock<Void>(())

    /// - Parameter path: created with the first blob.
    package init(path: String, disk: any Disk = SystemDisk()) {
        self.path = path
        self.disk = disk
    }

    /// The path of `blob`, if the blob exists.
    package func path(of blob: BlobName) -> String { "\(folder(of: blob))/\(blob.sha256)" }

    private func folder(of blob: BlobName) -> String { "\(path)/\(blob.family)/\(blob.fan)" }

    // MARK: Adding

    /// Moves the file at `part` permanently to its place as `blob`: when this returns, a power cut cannot remove it. An
    /// existing blob stays as it is, counts as just changed, and `part` stays with its creator; an existing blob of
    /// another length, which no valid blob has, is replaced.
    ///
    /// May be called again after any failure and after a crash.
    ///
    /// - Parameters:
    ///   - part: a path on the same file system; its content is synced and has the digest in `blob`.
    ///   - octets: its length.
    /// - Returns: whether `part` was moved.
    /// - Throws: `.noEntry` if neither `part` nor the blob exists.
    package func adopt(_ part: String, as blob: BlobName, octets: Int64) throws(Errno) -> Bool {
        let folder = folder(of: blob)
        let target = path(of: blob)
        let outcome = naming.withLock { (_) -> Result<Bool, Errno> in
            Result { () throws(Errno) in
                try makeFolders(for: blob)
                if try disk.status(target)?.octets == octets {
                    try disk.touch(target)
                    return false
                }
                try disk.rename(part, to: target)
                return true
            }
        }
        let isMoved = try outcome.get()
        // Also for an existing blob: its creator may still be waiting for the disk.
        try disk.synchronizeFolder(folder)
        if isMoved { try disk.synchronizeFolder(parent(of: part)) }
        return isMoved
    }

    /// Creates a blob from octets in memory (the demo).
    package func put(_ octets: [UInt8], family: Identifier) throws(Errno) -> BlobName {
        let blob = BlobName(family: family, sha256: Digest.sha256(octets))
        var incoming = try receive(family: family)
        try octets.span.bytes.withUnsafeBytes { (all) throws(Errno) in try incoming.append(all) }
        _ = try incoming.finish()
        return blob
    }

    /// Creates a file that arrives in pieces and becomes a blob at its end, without resumption after a crash: for
    /// imports.
    package func receive(family: Identifier) throws(Errno) -> IncomingBlob {
        try makeFolder(path, parent: parent(of: path))
        try makeFolder("\(path)/\(family)", parent: path)
        return try IncomingBlob(folder: self, disk: disk, family: family)
    }

    private func makeFolders(for blob: BlobName) throws(Errno) {
        try makeFolder(path, parent: parent(of: path))
        try makeFolder("\(path)/\(blob.family)", parent: path)
        try makeFolder(folder(of: blob), parent: "\(path)/\(blob.family)")
    }

    /// An existing folder is also synced once per process: its creator may have died before the name was synced.
    private func makeFolder(_ path: String, parent: String) throws(Errno) {
        let isNew = try disk.makeFolder(path)
        if isNew || !known.withLock({ $0.contains(path) }) { try disk.synchronizeFolder(parent) }
        known.withLock { _ = $0.insert(path) }
    }

    /// The folders whose names are on stable storage. At most 256 per family, and one more for the family.
    private let known = Lock<Set<String>>([])

    private func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    // MARK: Reading

    /// Opens a blob for reading; `nil` if it does not exist. Only for the machine's own disk.
    package func open(_ blob: BlobName) throws(Errno) -> FileDescriptor? {
        do throws(Errno) { return try Files.openForReading(path(of: blob)) } catch {
            if error == .noEntry { return nil }
            throw error
        }
    }

    /// The length and age of a blob; `nil` if it does not exist.
    package func status(_ blob: BlobName) throws(Errno) -> DiskStatus? { try disk.status(path(of: blob)) }

    /// The result of comparing a blob with its row.
    package enum Finding: Equatable, Sendable {
        case agrees
        case missing
        case otherLength(Int64)
        case otherContent
    }

    /// Compares a blob with its row.
    ///
    /// - Parameters:
    ///   - octets: the length in the row.
    ///   - isDeep: whether to read the whole file and compare its digest with its name.
    package func verify(_ blob: BlobName, octets: Int64, isDeep: Bool) throws(Errno) -> Finding {
        guard let status = try status(blob) else { return .missing }
        guard status.octets == octets else { return .otherLength(status.octets) }
        guard isDeep else { return .agrees }
        let file = try DiskFile.open(path(of: blob), on: disk)
        return Hex.encode(try digest(file).finish()) == blob.sha256 ? .agrees : .otherContent
    }

    /// Reads a blob in pieces of at most 256 KiB; `false` if it does not exist.
    package func read(_ blob: BlobName, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard try status(blob) != nil else { return false }
        let file = try DiskFile.open(path(of: blob), on: disk)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlobReading.pieceOctets, alignment: 4_096)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try file.read(into: buffer, at: offset)
            if count == 0 { return true }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }

    /// An entry of the folder.
    package enum Entry: Equatable, Sendable {
        case blob(BlobName, octets: Int64, modified: Int64)
        /// A file that is not a blob: the rest of an interrupted import, or a file from another program. The path is
        /// relative to the folder.
        case stranger(String, modified: Int64)
    }

    /// Calls `body` for each file, family by family.
    package func forEach(_ body: (Entry) throws -> Void) throws {
        for first in try disk.list(path) {
            guard let family = Identifier(first), try disk.status("\(path)/\(first)")?.isFolder == true else {
                try stranger(first, body)
                continue
            }
            for second in try disk.list("\(path)/\(first)") {
                guard second.utf8.count == 2, try disk.status("\(path)/\(first)/\(second)")?.isFolder == true else {
                    try stranger("\(first)/\(second)", body)
                    continue
                }
                for third in try disk.list("\(path)/\(first)/\(second)") {
                    let place = "\(first)/\(second)/\(third)"
                    guard let blob = BlobName(family: family, sha256: third), blob.fan == second else {
                        try stranger(place, body)
                        continue
                    }
                    // A blob that is swept in the meantime no longer exists.
                    guard let status = try disk.status("\(path)/\(place)") else { continue }
                    try body(.blob(blob, octets: status.octets, modified: status.modified))
                }
            }
        }
    }

    private func stranger(_ place: String, _ body: (Entry) throws -> Void) throws {
        guard let status = try disk.status("\(path)/\(place)"), !status.isFolder else { return }
        try body(.stranger(place, modified: status.modified))
    }

    // MARK: Removing

    /// Removes a blob that was last taken into use before `before`. A younger one stays, because a row for it may be
    /// about to be committed.
    ///
    /// - Parameter before: UTC milliseconds.
    /// - Returns: whether the blob is gone.
    package func remove(_ blob: BlobName, unusedSince before: Int64) throws(Errno) -> Bool {
        try naming.withLock { (_) -> Result<Bool, Errno> in
            Result { () throws(Errno) in
                guard let status = try disk.status(path(of: blob)) else { return true }
                guard status.modified < before else { return false }
                try disk.remove(path(of: blob))
                return true
            }
        }.get()
    }

    /// Removes everything of a family, files that are not blobs as well. May be called again after any failure.
    ///
    /// - Parameter isStopped: asked between files.
    /// - Returns: whether nothing of the family is left.
    package func removeAll(of family: Identifier, isStopped: () -> Bool = { false }) throws(Errno) -> Bool {
        func remove(_ place: String) throws(Errno) -> Bool {
            guard let status = try disk.status(place) else { return true }
            guard status.isFolder else {
                if isStopped() { return false }
                try disk.remove(place)
                return true
            }
            for name in try disk.list(place) { guard try remove("\(place)/\(name)") else { return false } }
            // A family of the same id may come back, and its folders are to be synced again then.
            known.withLock { _ = $0.remove(place) }
            try disk.removeFolder(place)
            return true
        }
        let place = "\(path)/\(family)"
        guard try disk.status(place) != nil else {
            // An earlier call may have ended before its sync.
            if try disk.status(path) != nil { try disk.synchronizeFolder(path) }
            return true
        }
        guard try remove(place) else { return false }
        try disk.synchronizeFolder(path)
        return true
    }

    /// Removes a file that `forEach` reported as not a blob, if it was last changed before `before`.
    package func removeStranger(_ place: String, unusedSince before: Int64) throws(Errno) {
        guard let status = try disk.status("\(path)/\(place)"), !status.isFolder, status.modified < before else { return }
        try disk.remove("\(path)/\(place)")
    }
}

/// The digest of a whole file, or of its first `length` octets.
func digest(_ file: borrowing DiskFile, length: Int64 = .max) throws(Errno) -> SHA256 {
    var digest = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlobReading.pieceOctets, alignment: 4_096)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < length {
        let wanted = Int(min(Int64(buffer.count), length - offset))
        let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
        if count == 0 { break }
        digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        offset += Int64(count)
    }
    return digest
}

/// The constants for reading files.
enum BlobReading {
    /// The octets per read: reading does not get faster above 256 KiB, and each thread of the pool holds that much.
    static let pieceOctets = 262_144
}
