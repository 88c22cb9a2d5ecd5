import Blobs
import Bytes
import Dates
import Posix

/// The place of the backups of one server: a folder for each backup, named by its time, and one folder of files that all of them share.
///
///     2026-11-23T18-30-00.123Z/huddle.db
///     2026-11-23T18-30-00.123Z/MANIFEST
///     files/<family>/<aa>/<sha256>
struct BackupFolder: Sendable {
    let path: String
    let disk: any Disk

    var files: BlobFolder { BlobFolder(path: "\(path)/\(BackupNames.files)", disk: disk) }

    /// One backup in the folder.
    struct Entry: Equatable, Sendable {
        let name: String
        let madeAt: Int64
        /// Whether it has its manifest.
        let isFinished: Bool
    }

    /// The name of a backup that is begun at `instant`.
    static func name(_ instant: Instant) -> String { String(RFC3339.text(instant).map { $0 == ":" ? "-" : $0 }) }

    /// The time of a backup's name; `nil` for names that `name` does not make.
    static func instant(_ name: String) -> Instant? {
        guard name.utf8.count == 24 else { return nil }
        let time = String(name.enumerated().map { $0.offset > 10 && $0.element == "-" ? ":" : $0.element })
        guard let instant = RFC3339.instant(time), self.name(instant) == name else { return nil }
        return instant
    }

    /// All backups, the oldest first.
    func entries() throws(Errno) -> [Entry] {
        var entries: [Entry] = []
        for name in try disk.list(path) {
            guard let madeAt = Self.instant(name) else { continue }
            entries.append(Entry(name: name, madeAt: madeAt, isFinished: try disk.status("\(path)/\(name)/\(BackupNames.manifest)") != nil))
        }
        return entries
    }

    /// Removes a backup. Its manifest goes first, so that the remains after a crash are not treated as a backup.
    func remove(_ name: String) throws(Errno) {
        let folder = "\(path)/\(name)"
        try disk.remove("\(folder)/\(BackupNames.manifest)")
        try disk.synchronizeFolder(folder)
        try Files.removeTree(folder)
        try disk.synchronizeFolder(path)
    }

    /// Removes the files that no backup names.
    ///
    /// - Throws: also for a manifest that cannot be read, because its files would be lost.
    func removeUnusedFiles() throws -> Int {
        var used: Set<BlobName> = []
        for entry in try entries() where entry.isFinished { used.formUnion(try BackupSource.manifest("\(path)/\(entry.name)").files) }
        var unused: [BlobName] = []
        var strangers: [String] = []
        try files.forEach { entry in
            switch entry {
            case .blob(let blob, _, _): if !used.contains(blob) { unused.append(blob) }
            case .stranger(let name, _): if name.hasSuffix(IncomingBlob.suffix) { strangers.append(name) }
            }
        }
        for blob in unused { _ = try files.remove(blob, unusedSince: .max) }
        for name in strangers { try files.removeStranger(name, unusedSince: .max) }
        return unused.count
    }
}
