import Family
import SQLite
import Store

/// How connections to the database are set up.
enum DatabaseConnection {
    /// Pages of 4 KiB in SQLite's log before it is copied into the database file: 8 MiB are read in a moment after a crash, and
    /// the pages at the growing end of each family's indexes are copied once for some ten changes. (Measured with 32 families:
    /// 4,000 instead of 1,000 saves 4 us a change and makes the p99 half as long again.)
    static let checkpointPages = 2_000

    /// How long the writer waits for a lock. Nobody else writes; a reader that recovers the log after a crash takes milliseconds.
    static let busyMilliseconds: Int32 = 5_000

    /// Pages that the writer keeps: 16 MiB hold the index pages of some hundred thousand records.
    private static let writerCacheKiB = 16_384
    /// Pages that one reader keeps. SQLite drops them all at the first snapshot after a commit, so a large cache serves only a
    /// server on which nobody writes, and it counts for each family that has just joined.
    private static let readerCacheKiB = 2_048

    static func configureWriter(_ database: Database) throws {
        // Run to its end: it returns the new mode first and writes the change after, and a failure of that would be missed.
        try database.execute("PRAGMA journal_mode = WAL")
        guard try database.prepare("PRAGMA journal_mode").one({ $0.text(0) }) == "wal" else {
            throw StoreFailure("the database cannot keep a write-ahead log here")
        }
        try database.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA secure_delete = ON;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA foreign_keys = OFF;
            """)
        try configure(database, cacheKiB: writerCacheKiB)
        // After a burst the log shrinks to twice its usual size when it starts from the beginning.
        try database.execute("PRAGMA journal_size_limit = \(2 * checkpointPages * 4_096)")
    }

    static func configureReader(_ database: Database) throws {
        try configure(database, cacheKiB: readerCacheKiB)
    }

    private static func configure(_ database: Database, cacheKiB: Int) throws {
        // SQLite keeps temporary tables in memory, not in files.
        try database.execute("PRAGMA cache_size = -\(cacheKiB); PRAGMA temp_store = MEMORY")
    }

    /// The key that signs links; `nil` until the writer has drawn it.
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

/// When SQLite's log is to be copied into the database file, by its pages (`Database.logPages`).
///
/// After a checkpoint that copied everything the next commit starts the log from its beginning, unless a reader still needs it. Then the log grows
/// on; if readers relieve each other without a gap, for good. So a log of `longPages` makes the checkpoint wait for readers.
struct CheckpointPlan {
    /// 24 MiB. A wait for readers costs writers time, so it is rare; with it the log stays far below 64 MiB.
    static let longPages = 6_144
    /// How long such a checkpoint waits for readers: as long as one read may take.
    static let restartMilliseconds: Int32 = 250

    /// Pages of the log at the last look.
    private var pages = 0
    /// Pages at the last checkpoint, and at the last one that waited for readers; 0 if the log has begun again since.
    private var copied = 0
    private var restarted = 0

    /// Takes note of the size of the log.
    mutating func look(_ pages: Int) {
        if pages < self.pages { (copied, restarted) = (0, 0) }
        self.pages = pages
    }

    var isDue: Bool { pages - copied >= DatabaseConnection.checkpointPages }

    /// Twice what is due: then a commit does it itself.
    var isOverdue: Bool { pages - copied >= 2 * DatabaseConnection.checkpointPages }

    /// Whether the checkpoint that is due waits for readers. After one that waited in vain the log grows by a third before the next.
    var isRestartDue: Bool { pages >= Self.longPages && pages - restarted >= Self.longPages / 3 }

    mutating func didCheckpoint(isRestart: Bool) {
        copied = pages
        if isRestart { restarted = pages }
    }
}
