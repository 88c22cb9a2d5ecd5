import Bytes
import SQLite
package import Store

/// Copies of a database in files of SQLite: made beside a running server or without one, and made ready to be served.
package enum StoreCopy {
    /// Copies a database as it is at one moment. The writer continues in the meantime; its log grows by what it writes.
    ///
    /// - Parameters:
    ///   - path: the database; any version that this program knows.
    ///   - copy: a path at which there is nothing.
    ///   - vfs: the layer of files of the database, and that of the copy; `nil` is the system's.
    ///   - goesOn: called after each MiB; `false` ends the copy.
    /// - Returns: the version of the copied database; `nil` if the copy was ended. Then, and after a failure, `copy` holds nothing of use.
    package static func make(
        of path: String, at copy: String, vfs: (source: String?, copy: String?) = (nil, nil), goesOn: (_ left: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(StoreFailure) -> Int? {
        do {
            let source = try Database(path: path, mode: .readOnly, vfs: vfs.source)
            try Schema.check(source)
            let destination = try Database(path: copy, mode: .readWriteCreate, vfs: vfs.copy)
            guard try source.copy(to: destination, goesOn: goesOn) else { return nil }
            return Int(try destination.prepare("PRAGMA user_version").one { $0.int64(0) } ?? 0)
        } catch { throw SQLiteFailure.storeFailure(error) }
    }

    /// The version of the database at `path`; 0 for an empty file.
    ///
    /// - Throws: a sentence for a database of a newer program or of something else.
    package static func version(of path: String) throws(StoreFailure) -> Int? {
        do {
            let database = try Database(path: path, mode: .readOnly)
            try Schema.check(database)
            return try database.prepare("PRAGMA user_version").one { $0.int64(0) }.map { Int($0) }
        } catch { throw SQLiteFailure.storeFailure(error) }
    }

    /// The version of databases that this program writes.
    package static var version: Int { Int(Schema.version) }

    /// Makes a copy ready to be served in the place of another database: it gets a new epoch, and all sign-ins end if that is asked for.
    ///
    /// - Parameter epoch: 16 random octets.
    package static func renew(_ path: String, epoch: [UInt8], endsSessions: Bool) throws(StoreFailure) {
        do {
            let database = try Database(path: path, mode: .readWrite)
            try Schema.check(database)
            try database.execute("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
            try database.run("UPDATE meta SET epoch = ?", .text(Hex.encode(epoch)))
            if endsSessions {
                // A code whose redemption can be repeated would answer with a session that has ended.
                // Codes were in `invites` before version 14.
                let version = try database.prepare("PRAGMA user_version").one { $0.int64(0) } ?? 0
                let codes = version < 14 ? "invites" : "codes"
                try database.execute("DELETE FROM \(codes) WHERE session IS NOT NULL; DELETE FROM sessions")
                // A later version has codes that a signed-in device made for another one.
                let makers = try database.prepare("SELECT count(*) FROM pragma_table_info('codes') WHERE name = 'maker'").one { $0.int64(0) } ?? 0
                if makers > 0 { try database.execute("DELETE FROM codes WHERE maker IS NOT NULL") }
            }
            try database.execute("COMMIT")
        } catch { throw SQLiteFailure.storeFailure(error) }
    }
}
