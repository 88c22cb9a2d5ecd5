import CFaultVFS
import SQLite
import Testing

/// A killed process leaves its writes to the system: the next process reads data that no sync has made durable yet. If
/// it shows that data to anyone and the power fails, the shown data never existed. These tests show what the process
/// must do before it shows anything.
@Suite("Process ends at every operation, power failure after the restart", .serialized)
struct KillTests {
    enum Ending: Sendable {
        /// `kill -9`.
        case killed
        /// A sync fails, and the process ends without another call. Linux then counts the pages as clean: they are
        /// shown, and no later sync makes them durable.
        case syncFailed
    }

    /// The next process's actions before it reads.
    struct Start: Sendable {
        var checkpoints = false
        var commits = false
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let ending: Ending
        let start: Start
        let keeps: Bool
        var testDescription: String { "\(ending), then \(start): \(keeps ? "keeps" : "loses")" }
    }

    @Test("Data shown by the next process stays, if it was made durable first", arguments: [
        Case(ending: .killed, start: Start(), keeps: false),
        // The sync of any commit covers the whole log.
        Case(ending: .killed, start: Start(commits: true), keeps: true),
        Case(ending: .killed, start: Start(checkpoints: true), keeps: true),
        Case(ending: .killed, start: Start(checkpoints: true, commits: true), keeps: true),
        Case(ending: .syncFailed, start: Start(), keeps: false),
        // The commit is after frames that are not on the disk.
        Case(ending: .syncFailed, start: Start(commits: true), keeps: false),
        // The database is new and durable, but the log is not cut durably: its older frames are replayed over it.
        Case(ending: .syncFailed, start: Start(checkpoints: true), keeps: false),
        Case(ending: .syncFailed, start: Start(checkpoints: true, commits: true), keeps: true),
    ])
    func shownStays(given: Case) throws {
        let disk = FaultDisk()
        var losses: [String] = []
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            switch given.ending {
            case .killed: faultvfs_crash_at(disk.name, operation, FAULTVFS_KILL, 0)
            case .syncFailed: faultvfs_fail_at(disk.name, operation, SQLiteCode.syncFailed, 1)
            }
            var workload = Workload(disk: disk, setting: Setting())
            workload.diesOnFailure = true
            do throws(SQLiteError) { try workload.run() } catch {}
            let isLast = faultvfs_crashed(disk.name) == 0 && faultvfs_failures(disk.name) == 0
            #expect(faultvfs_restart(disk.name) == 0)
            let shown = try restart(&workload, given.start)
            #expect(shown >= workload.committed, "operation \(operation)")
            workload.committed = shown
            #expect(faultvfs_restart(disk.name) == 0)
            let wrong = workload.violations()
            if !wrong.isEmpty { losses.append("operation \(operation): \(wrong)") }
            if isLast { break }
            operation += 1
        }
        #expect(losses.isEmpty == given.keeps, "\(losses.prefix(5))")
        #expect(operation > 100)
    }

    /// - Returns: the newest batch that the second process showed before the power failed.
    private func restart(_ workload: inout Workload, _ start: Start) throws -> Int64 {
        let database = try workload.open()
        if start.checkpoints { try database.checkpoint(.truncate) }
        if start.commits { try database.execute("PRAGMA user_version=2") }
        let shown = try database.prepare("SELECT coalesce(max(batch), 0) FROM note").first { $0.int64(0) }
        faultvfs_crash_now(workload.disk.name, FAULTVFS_LOSE, 0)
        return try #require(shown)
    }
}

/// Extended codes, which the importer cannot see: they are computed macros.
enum SQLiteCode {
    static let syncFailed: Int32 = 10 | 4 << 8
    static let writeFailed: Int32 = 10 | 3 << 8
    static let full: Int32 = 13
}
