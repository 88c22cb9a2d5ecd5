import CFaultVFS
import Glibc
import SQLite
import Testing

@Suite("Disk failures at every operation", .serialized)
struct FaultTests {
    struct Plan: Sendable, CustomTestStringConvertible {
        let code: Int32
        let times: Int
        var gathersLog = false
        var testDescription: String { "code \(code), \(times) times" + (gathersLog ? ", gathered" : "") }
    }

    /// The workload as a server runs it that refuses writes while the disk is full: it rolls back and tries again
    /// later. The plan ends when `patience` tries have failed.
    private func runStubbornly(_ workload: inout Workload, patience: Int) throws -> [SQLiteError] {
        var errors: [SQLiteError] = []
        while workload.committed < Workload.transactions {
            do throws(SQLiteError) {
                let database = try workload.open()
                let insert = try database.prepare("INSERT INTO note (batch, part, body) VALUES (?, ?, ?)")
                while workload.committed < Workload.transactions {
                    do throws(SQLiteError) {
                        try Workload.transaction(workload.committed + 1, in: database, insert)
                        workload.committed += 1
                    } catch {
                        if database.inTransaction { try database.execute("ROLLBACK") }
                        errors.append(error)
                        if errors.count == patience { faultvfs_fail_at(workload.disk.name, 0, 0, 0) }
                    }
                }
            } catch {
                errors.append(error)
                if errors.count == patience { faultvfs_fail_at(workload.disk.name, 0, 0, 0) }
            }
            try #require(errors.count < 1000)
        }
        return errors
    }

    @Test("A full or failing disk refuses, loses nothing and recovers", arguments: [
        Plan(code: SQLiteCode.full, times: 1),
        Plan(code: SQLiteCode.full, times: -1),
        Plan(code: SQLiteCode.writeFailed, times: 1),
        Plan(code: SQLiteCode.writeFailed, times: 5),
        Plan(code: SQLiteCode.full, times: 1, gathersLog: true),
        Plan(code: SQLiteCode.full, times: -1, gathersLog: true),
        Plan(code: SQLiteCode.writeFailed, times: 1, gathersLog: true),
        Plan(code: SQLiteCode.writeFailed, times: 5, gathersLog: true),
    ])
    func refuses(plan: Plan) throws {
        let disk = FaultDisk()
        var operation = 1
        var refusals = 0
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            faultvfs_fail_at(disk.name, operation, plan.code, plan.times)
            var workload = Workload(disk: disk, setting: Setting(gathersLog: plan.gathersLog))
            let errors = try runStubbornly(&workload, patience: 8)
            for error in errors {
                #expect(error.isFull == (plan.code == SQLiteCode.full), "\(error)")
                #expect(error.primaryCode == SQLiteCode.full || error.systemError == EIO, "\(error)")
            }
            refusals += errors.count
            let isLast = faultvfs_failures(disk.name) == 0
            faultvfs_crash_now(disk.name, FAULTVFS_LOSE, 0)
            #expect(faultvfs_restart(disk.name) == 0)
            #expect(workload.violations() == [], "operation \(operation)")
            if isLast { break }
            operation += 1
        }
        #expect(operation > (plan.gathersLog ? 40 : 100) && refusals > (plan.gathersLog ? 20 : 100), "\(operation), \(refusals)")
    }

    @Test("A failed sync is not reported as a full disk, but as a failed sync")
    func syncFails() throws {
        let disk = FaultDisk()
        let database = try disk.open()
        try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (a)")
        faultvfs_fail_at(disk.name, 1, SQLiteCode.syncFailed, 1)
        let error = #expect(throws: SQLiteError.self) { try database.execute("INSERT INTO t VALUES (1)") }
        #expect(error?.code == SQLiteCode.syncFailed)
        #expect(error?.systemError == EIO)
        #expect(error?.isFull == false)
    }
}

@Suite("The fault disk itself")
struct FaultDiskTests {
    @Test("Counting: the n-th operation from now fails")
    func counting() throws {
        let disk = FaultDisk()
        let database = try disk.open()
        try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (a)")
        let before = faultvfs_operations(disk.name)
        try database.execute("INSERT INTO t VALUES (1)")
        let each = faultvfs_operations(disk.name) - before
        #expect(each > 1)
        faultvfs_crash_at(disk.name, each + 1, FAULTVFS_LOSE, 0)
        try database.execute("INSERT INTO t VALUES (2)")
        #expect(faultvfs_crashed(disk.name) == 0)
        #expect(throws: SQLiteError.self) { try database.execute("INSERT INTO t VALUES (3)") }
        #expect(faultvfs_crashed(disk.name) == 1)
        #expect(throws: SQLiteError.self) { try disk.open() }
        #expect(throws: SQLiteError.self) { try database.execute("SELECT * FROM t; INSERT INTO t VALUES (4)") }
    }

    @Test("Restarting, resetting and removing wait until everything is closed")
    func openHandles() throws {
        let disk = FaultDisk()
        do {
            let database = try disk.open()
            try database.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (a)")
            #expect(faultvfs_open_handles(disk.name) == 2)
            #expect(faultvfs_restart(disk.name) == 2)
            #expect(faultvfs_reset(disk.name) == 2)
            #expect(faultvfs_remove(disk.name) == 2)
            try database.execute("INSERT INTO t VALUES (1)")
        }
        #expect(faultvfs_open_handles(disk.name) == 0)
        #expect(faultvfs_restart(disk.name) == 0)
        #expect(try disk.open(.readOnly).prepare("SELECT a FROM t").first { $0.int64(0) } == 1)
        #expect(faultvfs_reset(disk.name) == 0)
        #expect(throws: SQLiteError.self) { try disk.open(.readOnly) }
    }

    @Test("The reader handles a damaged file: random failures repeat by their seed")
    func randomRepeats() throws {
        func remains(_ seed: UInt64) throws -> [Int64] {
            let disk = FaultDisk()
            do {
                let database = try disk.open()
                try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; CREATE TABLE t (a); PRAGMA wal_checkpoint(TRUNCATE)")
                for value in 1...40 as ClosedRange<Int64> { try database.run("INSERT INTO t VALUES (?)", .integer(value)) }
                faultvfs_crash_now(disk.name, FAULTVFS_RANDOM, seed)
            }
            #expect(faultvfs_restart(disk.name) == 0)
            var found: [Int64] = []
            do throws(SQLiteError) {
                try disk.open().prepare("SELECT a FROM t").forEach { found.append($0.int64(0)) }
            } catch {
                found = [Int64(error.code)]
            }
            return found
        }
        var outcomes: Set<[Int64]> = []
        for seed in 1...30 as ClosedRange<UInt64> {
            let first = try remains(seed)
            #expect(try remains(seed) == first)
            outcomes.insert(first)
        }
        #expect(outcomes.count > 1)
    }
}
