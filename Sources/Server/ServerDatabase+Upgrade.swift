import Posix
import Store

// The copy of a database that a newer program makes before it changes the tables.
//
// It is in the folder `upgrade` of the data folder, as `huddle-v15.db` for a database of version 15. A step back is
// then possible without a backup: stop the server, replace `huddle.db` with the file, and start the older program.
extension ServerDatabase {
    /// Milliseconds after which a start of the server removes a copy.
    private static let keptTime: Int64 = 30 * 86_400_000
    /// Octets that must stay free beside the copy: SQLite's log grows by the writes of the steps.
    private static let reserve = 64 << 20

    /// The folder of the copies in a data folder.
    static func upgradePath(in folder: String) -> String { folder + "/upgrade" }

    /// Copies the database if a step from its version to this program's is due.
    ///
    /// - Throws: a sentence, if there is no room or the copy cannot be written; the database has not changed then.
    func copyBeforeUpgrade(_ log: Log?) throws(StoreFailure) {
        do {
            try removeOldCopies(log)
            guard Files.exists(path), let version = try Self.version(of: path), version > 0, version < Self.version else { return }
            let octets = [path, path + "-wal"].reduce(0) { $0 + (((try? Files.status($1)) ?? nil)?.size ?? 0) }
            let free = try Files.freeSpace(folder)
            guard free >= octets + Self.reserve else {
                throw StoreFailure(
                    "The database has to be upgraded from version \(version) to \(Self.version), and there is no room for a copy of it first: "
                        + "\(Self.mebibytes(octets + Self.reserve)) are needed, \(Self.mebibytes(free)) are free. Nothing was changed. "
                        + "Make room, or make a backup elsewhere and start with --no-backup-before-upgrade.")
            }
            let place = Self.upgradePath(in: folder)
            try Files.makeFolder(place)
            let (part, whole) = ("\(place)/huddle-v\(version).db.part", "\(place)/huddle-v\(version).db")
            // The remainder of a start that was interrupted.
            for left in [part, part + "-journal", part + "-wal", part + "-shm"] where Files.exists(left) { try Files.remove(left) }
            let began = Clock.monotonicMilliseconds()
            guard try Self.copy(from: folder, to: part, goesOn: { true }) != nil else { throw StoreFailure("The copy was stopped.") }
            try Files.makePrivate(part)
            let written = try Files.openForReading(part)
            try Files.synchronize(written.raw)
            try Files.rename(part, to: whole)
            try Files.synchronizeFolder(of: whole)
            log?(
                .info, "upgrade_copied",
                [
                    .init("from", version), .init("to", Self.version), .init("copy", whole), .init("octets", octets),
                    .init("ms", Clock.monotonicMilliseconds() - began),
                ])
        } catch let failure as StoreFailure {
            throw failure
        } catch let error as Errno {
            throw StoreFailure("The database could not be copied before its upgrade: \(error.text). Nothing was changed. Check the disk, or start with --no-backup-before-upgrade.")
        } catch {
            throw StoreFailure("The database could not be copied before its upgrade: \(error). Nothing was changed.")
        }
    }

    /// Removes the copies that were not used for a step back.
    private func removeOldCopies(_ log: Log?) throws(Errno) {
        let place = Self.upgradePath(in: folder)
        guard Files.exists(place) else { return }
        for name in try Files.list(place) where name.hasPrefix("huddle-v") {
            guard let status = try Files.status("\(place)/\(name)"), status.modified < Clock.wallMilliseconds() - Self.keptTime else { continue }
            try Files.remove("\(place)/\(name)")
            log?(.info, "upgrade_copy_removed", [.init("copy", "\(place)/\(name)"), .init("days", Self.keptTime / 86_400_000)])
        }
    }

    private static func mebibytes(_ octets: Int) -> String { "\((octets + (1 << 20) - 1) >> 20) MiB" }
}
