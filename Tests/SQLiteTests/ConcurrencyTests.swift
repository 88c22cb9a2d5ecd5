import CFaultVFS
import SQLite
import Testing

@Suite("Several connections on the fault disk")
struct ConcurrencyTests {
    @Test("A reader keeps its snapshot while another commits, and sees it afterwards")
    func snapshot() throws {
        let disk = FaultDisk()
        let writer = try disk.open()
        try writer.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let reader = try disk.open(.readOnly)
        let count = try reader.prepare("SELECT count(*) FROM t")
        try reader.execute("BEGIN")
        #expect(try count.first { $0.int64(0) } == 1)
        try writer.execute("INSERT INTO t VALUES (2)")
        #expect(try count.first { $0.int64(0) } == 1)
        // The reader limits the pages that the checkpoint may copy.
        let held = try writer.checkpoint(.passive)
        #expect(held.checkpointed < held.log)
        try reader.execute("COMMIT")
        #expect(try count.first { $0.int64(0) } == 2)
        let all = try writer.checkpoint(.passive)
        #expect(all.checkpointed == all.log)
    }

    @Test("WAL allows one writer at a time")
    func oneWriter() throws {
        let disk = FaultDisk()
        let first = try disk.open()
        let second = try disk.open()
        try first.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (a); BEGIN IMMEDIATE")
        let error = #expect(throws: SQLiteError.self) { try second.execute("BEGIN IMMEDIATE") }
        #expect(error?.isBusy == true)
        try first.execute("INSERT INTO t VALUES (1); COMMIT")
        try second.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (2); COMMIT")
        #expect(try first.prepare("SELECT count(*) FROM t").first { $0.int64(0) } == 2)
    }

    @Test("With a rollback journal a reader blocks the commit, and a pending writer blocks new readers")
    func rollbackJournalLocks() throws {
        let disk = FaultDisk()
        let writer = try disk.open()
        try writer.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let reader = try disk.open()
        let late = try disk.open()
        try reader.execute("BEGIN; SELECT * FROM t")
        try writer.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
        #expect(#expect(throws: SQLiteError.self) { try writer.execute("COMMIT") }?.isBusy == true)
        #expect(#expect(throws: SQLiteError.self) { try late.execute("SELECT * FROM t") }?.isBusy == true)
        #expect(#expect(throws: SQLiteError.self) { try late.execute("BEGIN IMMEDIATE") }?.isBusy == true)
        try reader.execute("COMMIT")
        try writer.execute("COMMIT")
        #expect(try late.prepare("SELECT count(*) FROM t").first { $0.int64(0) } == 2)
    }

    /// Writers, each on its own thread and connection, add batches of three rows; readers read all the time.
    @Test("With concurrent writers and readers every snapshot is complete and none goes back", .timeLimit(.minutes(5)))
    func atOnce() async throws {
        let disk = FaultDisk()
        try disk.open().execute("PRAGMA journal_mode=WAL; CREATE TABLE t (writer INT, batch INT, part INT)")
        // A dozen checkpoints during the test; each read costs as much as the data, so more of them would test only
        // reading.
        let batches: Int64 = 60
        let writers: Int64 = 2
        let reads = try await withThrowingTaskGroup(of: Int.self) { group in
            for writer in 1...writers {
                group.addTask {
                    let database = try disk.open(busyMilliseconds: 60_000)
                    try database.execute("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=20")
                    let insert = try database.prepare("INSERT INTO t VALUES (?, ?, ?)")
                    for batch in 1...batches {
                        try database.execute("BEGIN IMMEDIATE")
                        for part in 1...3 as ClosedRange<Int64> { try insert.run(.integer(writer), .integer(batch), .integer(part)) }
                        try database.execute("COMMIT")
                    }
                    return 0
                }
            }
            for _ in 1...2 {
                group.addTask {
                    let database = try disk.open(.readOnly, busyMilliseconds: 60_000)
                    let count = try database.prepare("SELECT count(*), count(DISTINCT writer * 1000 + batch) FROM t")
                    var last: Int64 = 0
                    var reads = 0
                    while last < 3 * batches * writers {
                        let (rows, whole) = try count.first { ($0.int64(0), $0.int64(1)) } ?? (0, 0)
                        guard rows == 3 * whole, rows >= last else {
                            Issue.record("\(rows) rows in \(whole) batches after \(last) rows")
                            return reads
                        }
                        last = rows
                        reads += 1
                        await Task.yield()
                    }
                    return reads
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(reads >= 2)
        let database = try disk.open()
        #expect(try database.prepare("PRAGMA integrity_check").first { $0.text(0) } == "ok")
        #expect(try database.prepare("SELECT count(*) FROM t").first { $0.int64(0) } == 3 * batches * writers)
    }
}
