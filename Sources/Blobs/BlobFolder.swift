package import Bytes
internal import Crypto
internal import Locks
package import Posix

/// The files of documents, each under the name of its content: `<family>/<aa>/<sha256>`, never changed once it has its name.
///
/// A file gets its name whole and synced, before the row that speaks of it is committed; it loses it when no row has spoken of it for a
/// day. So what a database says is there, is there, also for a copy of the database that is younger than a day.
package final class BlobFolder: Sendable {
    package let path: String
    private let disk: any Disk
    /// Who takes a blob that is there already into use, and who removes one that nobody has used for long, must not meet halfway.
    private let naming = Lock<Void>(())

    /// - Parameter path: made when the first blob comes.
    package init(path: String, disk: any Disk = SystemDisk()) {
        self.path = path
        self.disk = disk
    }

    /// Where the octets of `blob` are, when they are there.
    package func path(of blob: BlobName) -> String { "\(folder(of: blob))/\(blob.sha256)" }

    private func folder(of blob: BlobName) -> String { "\(path)/\(blob.family)/\(blob.fan)" }

    // MARK: Coming

    /// Gives the file at `part` its place as `blob`, for good: when this returns, a power cut cannot take it away. A blob that is there
    /// already stays as it is, counts as just changed, and `part` is left to whoever made it; one that has another length, which no
    /// blob may have, is replaced.
    ///
    /// May be called again after any failure and after a crash.
    ///
    /// - Parameters:
    ///   - part: on the same file system; its content is synced and has the digest that `blob` names.
    ///   - octets: its length.
    /// - Returns: whether `part` was moved.
    /// - Throws: `.noEntry` when neither `part` nor the blob is there.
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
        // Also for one that was there: whoever put it there may still be waiting for the disk.
        try disk.synchronizeFolder(folder)
        if isMoved { try disk.synchronizeFolder(parent(of: part)) }
        return isMoved
    }

    /// Makes a blob of octets that are at hand (the demo).
    package func put(_ octets: [UInt8], family: Identifier) throws(Errno) -> BlobName {
        let blob = BlobName(family: family, sha256: Digest.sha256(octets))
        var incoming = try receive(family: family)
        try octets.span.bytes.withUnsafeBytes { (all) throws(Errno) in try incoming.append(all) }
        _ = try incoming.finish()
        return blob
    }

    /// A file that comes in pieces and becomes a blob at its end, without the means to go on after a crash: imports.
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

    /// Also one that is there is made sure of once in a process: who made it may have died before its name was synced.
    private func makeFolder(_ path: String, parent: String) throws(Errno) {
        let isNew = try disk.makeFolder(path)
        if isNew || !known.withLock({ $0.contains(path) }) { try disk.synchronizeFolder(parent) }
        known.withLock { _ = $0.insert(path) }
    }

    /// Folders whose names are on stable storage. At most 256 a family and one.
    private let known = Lock<Set<String>>([])

    private func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    // MARK: Reading

    /// Opens a blob for reading; `nil` when it is not there. For the machine's own disk only.
    package func open(_ blob: BlobName) throws(Errno) -> FileDescriptor? {
        do throws(Errno) { return try Files.openForReading(path(of: blob)) } catch {
            if error == .noEntry { return nil }
            throw error
        }
    }

    /// Length and age of a blob; `nil` when it is not there.
    package func status(_ blob: BlobName) throws(Errno) -> DiskStatus? { try disk.status(path(of: blob)) }

    /// How a blob is compared with what a row says.
    package enum Finding: Equatable, Sendable {
        case agrees
        case missing
        case otherLength(Int64)
        case otherContent
    }

    /// Compares a blob with its row.
    ///
    /// - Parameters:
    ///   - octets: as the row has it.
    ///   - isDeep: reads the whole file and compares its digest with its name.
    package func verify(_ blob: BlobName, octets: Int64, isDeep: Bool) throws(Errno) -> Finding {
        guard let status = try status(blob) else { return .missing }
        guard status.octets == octets else { return .otherLength(status.octets) }
        guard isDeep else { return .agrees }
        let file = try DiskFile.open(path(of: blob), on: disk)
        return Hex.encode(try digest(file).finish()) == blob.sha256 ? .agrees : .otherContent
    }

    /// Reads a blob in pieces of at most 256 KiB; `false` when it is not there.
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

    /// What is in the folder.
    package enum Entry: Equatable, Sendable {
        case blob(BlobName, octets: Int64, modified: Int64)
        /// A file that is no blob: what an import that was cut short left behind, or somebody else's. The path is below the folder's.
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
                    // One that is swept meanwhile is not there any more.
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

    // MARK: Going

    /// Removes a blob that was last taken into use before `before`; a younger one stays, because a row for it may be on its way.
    ///
    /// - Parameter before: UTC milliseconds.
    /// - Returns: whether it is gone.
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

    /// Removes a file that `forEach` found to be no blob, when it was last changed before `before`.
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

/// How files are read.
enum BlobReading {
    /// Octets read at once: past 256 KiB reading gets no faster, and it is what one thread of the pool holds.
    static let pieceOctets = 262_144
}
