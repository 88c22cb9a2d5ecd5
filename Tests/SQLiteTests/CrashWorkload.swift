import CFaultVFS
import SQLite
import Testing

/// The settings that decide whether committed transactions survive.
struct Setting: Sendable, CustomTestStringConvertible {
    var journal = "WAL"
    var synchronous = "FULL"
    var gathersLog = false
    var lies = false

    var testDescription: String { journal + " " + synchronous + (gathersLog ? " gathered" : "") + (lies ? " on a disk that lies" : "") }
}

/// Transactions of three rows each, some larger than a page, in two sessions, with checkpoints in between.
///
/// `committed` is the transaction that a server would have acknowledged: the last one whose COMMIT returned.
struct Workload {
    static let transactions: Int64 = 14
    static let rowsEach: Int64 = 3

    let disk: FaultDisk
    let setting: Setting
    /// The process ends at the first failure, without closing anything.
    var diesOnFailure = false
    var hasSchema = false
    var committed: Int64 = 0

    init(disk: FaultDisk, setting: Setting) {
        self.disk = disk
        self.setting = setting
        faultvfs_lie_about_sync(disk.name, setting.lies ? 1 : 0)
    }

    /// Runs to the end, or throws at the first failure.
    mutating func run() throws(SQLiteError) {
        let half = Workload.transactions / 2
        try sitting(upTo: half)
        try sitting(upTo: Workload.transactions)
    }

    private mutating func sitting(upTo last: Int64) throws(SQLiteError) {
        let database = try open()
        let insert = try database.prepare("INSERT INTO note (batch, part, body) VALUES (?, ?, ?)")
        while committed < last {
            do throws(SQLiteError) {
                try Workload.transaction(committed + 1, in: database, insert)
            } catch {
                if diesOnFailure { faultvfs_crash_now(disk.name, FAULTVFS_KILL, 0) }
                throw error
            }
            committed += 1
        }
    }

    /// Opens the database as after a start, and creates the table if it is missing.
    mutating func open() throws(SQLiteError) -> Database {
        let database = try disk.open(gathersLog: setting.gathersLog)
        try database.execute(
            """
            PRAGMA journal_mode=\(setting.journal); PRAGMA synchronous=\(setting.synchronous);
            PRAGMA wal_autocheckpoint=12;
            CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, batch INT, part INT, body BLOB, UNIQUE (batch, part));
            """)
        hasSchema = true
        return database
    }

    static func transaction(_ batch: Int64, in database: Database, _ insert: Statement) throws(SQLiteError) {
        try database.execute("BEGIN IMMEDIATE")
        for part in 1...rowsEach {
            insert.bind(1, batch)
            insert.bind(2, part)
            insert.bind(3, body(batch, part))
            try insert.run()
        }
        try database.execute("COMMIT")
    }

    /// The content of row `part` of `batch`: between 1 and 6001 octets.
    static func body(_ batch: Int64, _ part: Int64) -> [UInt8] {
        [UInt8](repeating: UInt8(batch * 16 + part), count: 1 + Int(batch * 977 + part * 3001) % 6001)
    }

    /// The problems of the database after a restart, in words; empty if every promise was kept.
    func violations() -> [String] {
        do throws(SQLiteError) {
            let database = try disk.open()
            guard try database.prepare("PRAGMA integrity_check").first({ $0.text(0) }) == "ok" else { return ["integrity"] }
            guard try database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'note'").first({ _ in true }) != nil else {
                return hasSchema ? ["the table is lost"] : []
            }
            var parts: [Int64: Int64] = [:]
            var wrong: [String] = []
            try database.prepare("SELECT batch, part, body FROM note").forEach { row in
                parts[row.int64(0), default: 0] += 1
                if row.octets(2) != Workload.body(row.int64(0), row.int64(1)) { wrong.append("row of \(row.int64(0)) is damaged") }
            }
            for batch in 1..<(committed + 1) where parts[batch] == nil { wrong.append("committed \(batch) is lost") }
            for (batch, count) in parts where count != Workload.rowsEach { wrong.append("\(batch) is half there") }
            for batch in parts.keys where batch > committed + 1 { wrong.append("\(batch) was never written") }
            return wrong
        } catch {
            return [error.description]
        }
    }
}
