import Family
import SQLite

/// How connections to the database are set up.
enum Connection {
    /// Pages of 4 KiB in SQLite's log before it is copied into the database file: 8 MiB are read in a moment after a crash, and
    /// the pages at the growing end of each family's indexes are copied once for some ten changes. (Measured with 32 families:
    /// 4,000 instead of 1,000 saves 4 us a change and makes the p99 half as long again.)
    static let checkpointPages = 2_000

    /// How long the writer waits for a lock. Nobody else writes; a reader that recovers the log after a crash takes milliseconds.
    static let busyMilliseconds: Int32 = 5_000

    static func configureWriter(_ database: Database) throws {
        // Run to its end: it tells the new mode first and writes the change after, and a failure of that would be missed.
        try database.execute("PRAGMA journal_mode = WAL")
        guard try database.prepare("PRAGMA journal_mode").one({ $0.text(0) }) == "wal" else {
            throw StoreFailure("the database cannot keep a write-ahead log here")
        }
        try database.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA foreign_keys = OFF;
            """)
        try configure(database)
        // What a burst made of the log is given back when the log starts again: twice its usual size.
        try database.execute("PRAGMA journal_size_limit = \(2 * checkpointPages * 4_096)")
    }

    static func configure(_ database: Database) throws {
        // 16 MiB hold the index pages of some hundred thousand records. What spills goes into memory, not into files.
        try database.execute("PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY")
    }

    /// What links are signed with; `nil` until the writer has drawn it.
    static func linkKey(_ database: Database) throws -> [UInt8]? {
        try database.prepare("SELECT link_key FROM meta WHERE link_key IS NOT NULL").one { $0.octets(0) }
    }

    static func epoch(_ database: Database) throws -> String {
        guard let epoch = try database.prepare("SELECT epoch FROM meta").one({ $0.text(0) }) else {
            throw StoreFailure("the database has no epoch")
        }
        return epoch
    }
}

/// When SQLite's log is to be copied into the database file.
///
/// Only a checkpoint tells how many pages the log has, so the plan counts changed rows and learns from each checkpoint how many
/// pages such a row costs (two to three alone, a tenth of one in large batches).
struct CheckpointPlan {
    private var rowsBefore = 0
    /// Pages of the log that the next one of it adds to: none after a checkpoint that copied all, for then it starts again.
    private var pagesBefore = 0
    /// Rows between two checkpoints. To begin with as if each cost two and a half pages, the most that was seen.
    private(set) var interval = Connection.checkpointPages * 2 / 5

    func isDue(rows: Int) -> Bool { rows - rowsBefore >= interval }

    /// Four times what is due: then a commit does it itself.
    func isOverdue(rows: Int) -> Bool { rows - rowsBefore >= 4 * interval }

    /// - Parameters:
    ///   - rows: changed since the connection was opened.
    ///   - pages: in the log, and of them in the database file; `nil` when that is not known, or the log is empty now.
    mutating func didCheckpoint(rows: Int, pages: (log: Int, checkpointed: Int)?) {
        if let pages {
            let changed = rows - rowsBefore
            let added = pages.log - pagesBefore
            if added > 0, changed > 0 { interval = min(max(changed * Connection.checkpointPages / added, 200), 20_000) }
        }
        pagesBefore = pages.map { $0.log == $0.checkpointed ? 0 : $0.log } ?? 0
        rowsBefore = rows
    }
}
