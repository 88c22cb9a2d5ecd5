import CSQLite
import Glibc
import Posix
import SQLite
import TestSupport
import Testing

@Suite("Database: opening, transactions, errors")
struct DatabaseTests {
    @Test("A missing file opens only if it may be created")
    func missingFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        for mode in [Database.Mode.readOnly, .readWrite] {
            let error = #expect(throws: SQLiteError.self) { _ = try Database(path: path, mode: mode) }
            #expect(error?.primaryCode == SQLITE_CANTOPEN)
            #expect(error?.systemError == ENOENT)
        }
        _ = try Database(path: path, mode: .readWriteCreate)
        _ = try Database(path: path, mode: .readWrite)
    }

    @Test("A statement stops when its caller has waited long enough, and works again afterwards")
    func interrupted() throws {
        let database = try Database(path: ":memory:", mode: .readWriteCreate)
        let count = try database.prepare("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT count(*) FROM n")
        var asked = 0
        database.interruptStatements {
            asked += 1
            return asked == 10
        }
        let error = #expect(throws: SQLiteError.self) { try count.run() }
        #expect(error?.isInterrupted == true && asked == 10)
        #expect(try count.first { $0.int64(0) } == 100_000, "only the statement that ran is stopped")
        database.interruptStatements(when: nil)
        asked = 0
        #expect(try count.first { $0.int64(0) } == 100_000 && asked == 0)
    }

    @Test("A read-only connection reads and refuses to write")
    func readOnly() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let writer = try Database(path: path, mode: .readWriteCreate)
        try writer.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (a); INSERT INTO t VALUES (5)")
        let reader = try Database(path: path, mode: .readOnly)
        #expect(try reader.prepare("SELECT a FROM t").first { $0.int64(0) } == 5)
        let error = #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM t") }
        #expect(error?.primaryCode == SQLITE_READONLY)
    }

    @Test("A file that is not a database is corrupt")
    func notADatabase() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        try Files.write([UInt8](repeating: 0x5A, count: 4096), to: path)
        let database = try Database(path: path, mode: .readWrite)
        let error = #expect(throws: SQLiteError.self) { try database.execute("SELECT * FROM sqlite_schema") }
        #expect(error?.isCorrupt == true)
        #expect(error?.isFull == false)
    }

    @Test("Unknown file layers are refused")
    func unknownVFS() {
        #expect(throws: SQLiteError.self) { _ = try Database(path: ":memory:", mode: .readWriteCreate, vfs: "no such layer") }
    }

    @Test("A script stops at the failing statement and names it")
    func scriptFails() throws {
        let database = try Database(path: ":memory:", mode: .readWriteCreate)
        let script = "CREATE TABLE t (a UNIQUE); -- comment\nINSERT INTO t VALUES (1); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2);"
        let error = #expect(throws: SQLiteError.self) { try database.execute(script) }
        #expect(error?.isConstraint == true)
        #expect(error?.code == SQLITE_CONSTRAINT | 8 << 8)
        #expect(error?.sql == "INSERT INTO t VALUES (1);")
        #expect(error?.message == "UNIQUE constraint failed: t.a")
        #expect(try database.prepare("SELECT count(*) FROM t").first { $0.int64(0) } == 1)
    }

    @Test("Invalid SQL is thrown with the rest of the script", arguments: ["SELEKT 1", "SELECT nothing", "SELECT \"text\""])
    func wrongSQL(sql: String) throws {
        let database = try Database(path: ":memory:", mode: .readWriteCreate)
        #expect(throws: SQLiteError.self) { _ = try database.prepare(sql) }
        let error = #expect(throws: SQLiteError.self) { try database.execute("SELECT 1; " + sql) }
        #expect(error?.sql?.contains(sql) == true)
        #expect(error?.code == SQLITE_ERROR)
    }

    @Test("Scripts without a statement do nothing", arguments: ["", " ", ";", ";;", "-- only a comment", "/* a */ ; -- b\n"])
    func emptyScript(sql: String) throws {
        try Database(path: ":memory:", mode: .readWriteCreate).execute(sql)
    }

    @Test("An error never contains bound values", arguments: [
        "INSERT INTO t VALUES (?)",
        "SELECT * FROM search WHERE search MATCH ?",
        "SELECT json_extract(?, '$.a')",
    ])
    func noBoundValues(sql: String) throws {
        let database = try Database(path: ":memory:", mode: .readWriteCreate)
        try database.execute(
            """
            CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES ('secret:Ana');
            CREATE VIRTUAL TABLE search USING fts5(body);
            """)
        let statement = try database.prepare(sql)
        statement.bind(1, "secret:Ana")
        let error = #expect(throws: SQLiteError.self) { try statement.run() }
        let text = try #require(error).description
        #expect(!text.contains("secret") && !text.contains("Ana"))
        #expect(text.contains(sql))
    }

    @Test("A transaction is open from BEGIN to the end, and rolls back with its connection")
    func transaction() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        do {
            let database = try Database(path: path, mode: .readWriteCreate)
            try database.execute("CREATE TABLE t (a)")
            #expect(!database.inTransaction)
            try database.execute("BEGIN IMMEDIATE")
            #expect(database.inTransaction)
            try database.execute("INSERT INTO t VALUES (1)")
            try database.execute("COMMIT")
            #expect(!database.inTransaction)
            try database.execute("BEGIN; INSERT INTO t VALUES (2)")
        }
        let database = try Database(path: path, mode: .readWrite)
        #expect(try database.prepare("SELECT count(*) FROM t").first { $0.int64(0) } == 1)
    }

    @Test("The second of two writers gets busy")
    func busy() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let first = try Database(path: path, mode: .readWriteCreate, busyMilliseconds: 0)
        let second = try Database(path: path, mode: .readWriteCreate, busyMilliseconds: 0)
        try first.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (a); BEGIN IMMEDIATE")
        let error = #expect(throws: SQLiteError.self) { try second.execute("BEGIN IMMEDIATE") }
        #expect(error?.isBusy == true)
        try first.execute("COMMIT")
        try second.execute("BEGIN IMMEDIATE; COMMIT")
    }

    @Test("Changes and row ids are counted")
    func counts() throws {
        let database = try Database(path: ":memory:", mode: .readWriteCreate)
        try database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        try database.run("INSERT INTO t VALUES (?, ?), (?, ?)", 7, "a", 9, nil)
        #expect(database.lastInsertRowID == 9)
        #expect(database.changes == 2)
        try database.run("UPDATE t SET a = ?", .octets([1, 2]))
        #expect(database.changes == 2)
    }

    @Test("The database counts the pages of its log, and a checkpoint resets the count")
    func logPages() throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.path + "/t.db", mode: .readWriteCreate)
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        #expect(database.logPages == 0)
        try database.execute("CREATE TABLE t (a)")
        let first = database.logPages
        #expect(first > 0)
        try database.run("INSERT INTO t VALUES (zeroblob(40960))")
        #expect(database.logPages >= first + 10)
        #expect(try database.checkpoint(.passive).log == database.logPages)
        try database.execute("BEGIN; INSERT INTO t VALUES (zeroblob(409600)); ROLLBACK; INSERT INTO t VALUES (1)")
        #expect(database.logPages < 10, "what was rolled back is not counted, and the log began again")
        try database.checkpoint(.truncate)
        #expect(database.logPages == 0)
    }

    @Test("A checkpoint copies the log, and truncating leaves none")
    func checkpoint() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let database = try Database(path: path, mode: .readWriteCreate, busyMilliseconds: 0)
        #expect(try database.checkpoint(.passive) == (-1, -1))
        try database.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let passive = try database.checkpoint(.passive)
        #expect(passive.log > 0 && passive.checkpointed == passive.log)
        #expect(try database.checkpoint(.truncate) == (0, 0))

        let reader = try Database(path: path, mode: .readOnly, busyMilliseconds: 0)
        try reader.execute("BEGIN; SELECT * FROM t")
        try database.execute("INSERT INTO t VALUES (2)")
        let error = #expect(throws: SQLiteError.self) { try database.checkpoint(.truncate) }
        #expect(error?.isBusy == true)
    }

    @Test("A database that may not grow is full, and works again when there is space")
    func full() throws {
        let database = try Database(path: ":memory:", mode: .readWriteCreate)
        try database.execute("CREATE TABLE t (a); PRAGMA max_page_count=3")
        let insert = try database.prepare("INSERT INTO t VALUES (zeroblob(100000))")
        let error = #expect(throws: SQLiteError.self) { try insert.run() }
        #expect(error?.isFull == true)
        #expect(error?.isCorrupt == false)
        try database.execute("PRAGMA max_page_count=1000")
        try insert.run()
    }

    @Test("A full disk has exactly these errors", arguments: [
        FullCase(code: SQLITE_FULL, errno: 0, isFull: true),
        FullCase(code: SQLITE_IOERR | 3 << 8, errno: ENOSPC, isFull: true),
        FullCase(code: SQLITE_IOERR | 3 << 8, errno: EDQUOT, isFull: true),
        FullCase(code: SQLITE_IOERR | 3 << 8, errno: EIO, isFull: false),
        FullCase(code: SQLITE_IOERR | 19 << 8, errno: 0, isFull: true),
        FullCase(code: SQLITE_IOERR | 4 << 8, errno: ENOSPC, isFull: false),
        FullCase(code: SQLITE_CORRUPT, errno: ENOSPC, isFull: false),
    ])
    func isFull(given: FullCase) {
        #expect(SQLiteError(code: given.code, message: "", systemError: given.errno).isFull == given.isFull)
    }

    /// 3 is a write, 4 a sync, 19 the growth of the log's index.
    struct FullCase: Sendable {
        let code: Int32
        let errno: Int32
        let isFull: Bool
    }
}
