import CFaultVFS
import SQLite
import Testing

@Suite("A write-ahead log whose pages are gathered")
struct GatheredLogTests {
    private static let start = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t (a INTEGER PRIMARY KEY, body BLOB)"

    /// Operations of the disk for one commit of some rows of almost a page each.
    private static func operations(of rows: Int64, gathersLog: Bool) throws -> Int {
        let disk = FaultDisk()
        let database = try disk.open(gathersLog: gathersLog)
        try database.execute(start)
        // The log has its head already.
        try database.run("INSERT INTO t VALUES (0, 'x')")
        let before = faultvfs_operations(disk.name)
        try insert(rows, into: database)
        return Int(faultvfs_operations(disk.name) - before)
    }

    private static func insert(_ rows: Int64, into database: Database) throws {
        try database.execute("BEGIN IMMEDIATE")
        for row in 1..<(rows + 1) { try database.run("INSERT INTO t VALUES (?, ?)", .integer(row), .octets([UInt8](repeating: UInt8(row & 0xFF), count: 4_000))) }
        try database.execute("COMMIT")
    }

    @Test("A commit of twenty pages takes one write and one sync instead of two writes for each page")
    func fewWrites() throws {
        #expect(try Self.operations(of: 20, gathersLog: true) == 2)
        #expect(try Self.operations(of: 20, gathersLog: false) > 40)
    }

    @Test("A commit that is longer than one piece takes one write for each piece, and another connection reads all of it")
    func longCommits() throws {
        let disk = FaultDisk()
        let writer = try disk.open(gathersLog: true)
        try writer.execute(Self.start)
        let reader = try disk.open(.readOnly)
        #expect(try reader.prepare("SELECT count(*) FROM t").first { $0.int64(0) } == 0)
        let before = faultvfs_operations(disk.name)
        try Self.insert(300, into: writer)
        let taken = faultvfs_operations(disk.name) - before
        // 300 pages of rows and a few above them, at most 30 in a piece.
        #expect(taken >= 11 && taken < 16, "\(taken)")
        #expect(try reader.prepare("SELECT sum(length(body)) FROM t").first { $0.int64(0) } == 300 * 4_000)
        #expect(try reader.prepare("PRAGMA integrity_check").first { $0.text(0) } == "ok")
    }

    @Test("A transaction reads its own pages that no longer fit into memory, before its commit and after it was rolled back")
    func spilledPages() throws {
        let disk = FaultDisk()
        let database = try disk.open(gathersLog: true)
        try database.execute(Self.start + "; PRAGMA cache_size = 10")
        try Self.insert(50, into: database)
        try database.execute("BEGIN IMMEDIATE; UPDATE t SET body = zeroblob(3900)")
        #expect(try database.prepare("SELECT count(*) FROM t WHERE body = zeroblob(3900)").first { $0.int64(0) } == 50)
        try database.execute("ROLLBACK")
        #expect(try database.prepare("SELECT sum(length(body)) FROM t").first { $0.int64(0) } == 50 * 4_000)
        try database.execute("UPDATE t SET body = zeroblob(3900)")
        try database.checkpoint(.truncate)
        #expect(try database.prepare("PRAGMA integrity_check").first { $0.text(0) } == "ok")
        #expect(try disk.open(.readOnly).prepare("SELECT count(*) FROM t WHERE body = zeroblob(3900)").first { $0.int64(0) } == 50)
    }

    @Test("A sync that fails is reported as a sync that fails, with its errno")
    func syncFails() throws {
        let disk = FaultDisk()
        let database = try disk.open(gathersLog: true)
        try database.execute(Self.start)
        faultvfs_fail_at(disk.name, 1, SQLiteCode.syncFailed, 1)
        let error = #expect(throws: SQLiteError.self) { try database.run("INSERT INTO t VALUES (1, 'x')") }
        #expect(error?.code == SQLiteCode.syncFailed)
        #expect(error?.systemError == 5)
        #expect(error?.isFull == false)
    }
}
