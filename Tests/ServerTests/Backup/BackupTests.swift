import Blobs
import Bytes
import Dates
import Family
import Locks
import Posix
import Store
import StoreSQLite
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("huddled backup and restore", .serialized)
struct BackupTests {
    @Test("A backup lists every file with its digest, and the next one copies only files that are new")
    func incremental() throws {
        let fixture = try BackupFixture()
        let first = try fixture.backUp()
        #expect(first.families == 1 && first.files == 2 && first.octets == 140_000 && first.newFiles == 2 && first.newOctets == 140_000)
        #expect(fixture.isNoted)
        try fixture.withStore { try fixture.addDocument($0) }
        let second = try fixture.backUp()
        #expect(second.files == 3 && second.newFiles == 1 && second.newOctets == 70_000)
        #expect(try fixture.entries().map(\.isFinished) == [true, true])
        for report in [first, second] {
            #expect(try Files.list(report.path) == ["MANIFEST", "huddle.db"])
            let manifest = try BackupSource.manifest(report.path)
            #expect(manifest.files.count == report.files && manifest.schema == ServerDatabase.version && manifest.program == HuddleVersion.text)
        }
    }

    @Test("A restored folder is whole, has another epoch, and keeps or ends the sign-ins", arguments: [false, true])
    func roundTrip(endsSessions: Bool) throws {
        let fixture = try BackupFixture()
        let head = try fixture.head(DataFolder.databasePath(in: fixture.data))
        let backup = try fixture.backUp()
        let target = fixture.folder.path + "/restored"
        // The folder of the backups means the newest backup in it.
        let report = try Restore(fixture.place, to: target, endsSessions: endsSessions).run()
        #expect(report.backup == backup.path && report.families == 1 && report.files == 2 && report.hasEndedSessions == endsSessions)
        try fixture.expectWhole(target, head: head)
        let (database, former) = (DataFolder.databasePath(in: target), DataFolder.databasePath(in: fixture.data))
        #expect(try fixture.epoch(database) != fixture.epoch(former))
        #expect(try fixture.isSignedIn(former))
        #expect(try fixture.isSignedIn(database) == !endsSessions)
        #expect(try Files.list(target) == ["blobs", "huddle.db"])
        #expect(try Files.status(database)?.mode == 0o600)
        // The backup stays as it was.
        #expect(try BackupSource.manifest(backup.path).files.count == 2)
    }

    @Test("A backup that is made while the server commits is the family at one moment, and ends")
    func besideWrites() throws {
        let fixture = try BackupFixture()
        let store = try fixture.openStore()
        // The copy takes several steps, and the log is overdue for a checkpoint that waits for readers.
        for _ in 0..<300 { try fixture.addSchool(store) }
        let before = try fixture.head(DataFolder.databasePath(in: fixture.data))
        let finished = Finished()
        let (data, place) = (fixture.data, fixture.place)
        let thread = Posix.Thread.start(name: "copy") {
            let result = Result { () throws(ServerError) in try Backup.make(dataFolder: data, to: place, keep: nil) }
            finished.result.withLock { $0 = result }
            finished.isOver.store(true, ordering: .sequentiallyConsistent)
        }
        var commits = 0
        while !finished.isOver.load(ordering: .relaxed) {
            try fixture.addSchool(store)
            try store.checkpointIfDue()
            commits += 1
        }
        thread.join()
        let report = try #require(finished.result.withLock { $0 }).get()
        let head = try fixture.head(report.path + "/huddle.db")
        #expect(commits > 0 && head >= before && head <= before + Int64(commits))
        let target = fixture.folder.path + "/restored"
        _ = try Restore(report.path, to: target, endsSessions: false).run()
        try fixture.expectWhole(target, head: head)
        withExtendedLifetime(store) {}
    }

    private final class Finished: Sendable {
        let isOver = Atomic<Bool>(false)
        let result = Lock<Result<Backup.Report, ServerError>?>(nil)
    }

    @Test("No file is swept while a copy is being made, and a second copy waits for the first")
    func locks() throws {
        let fixture = try BackupFixture()
        try fixture.expectFree()
        do {
            let claim = try CopyLock.take(in: fixture.data, waiting: 0)
            #expect(CopyLock.isHeld(in: fixture.data))
            let isSwept = try CopyLock.keepOut(of: fixture.data) { Issue.record("files were removed during a copy") }
            #expect(!isSwept)
            #expect(throws: Errno.locked) { _ = try CopyLock.take(in: fixture.data, waiting: 0) }
            withExtendedLifetime(claim) {}
        }
        try fixture.expectFree()
        var isRun = false
        let isSwept = try CopyLock.keepOut(of: fixture.data) {
            isRun = true
            #expect(throws: Errno.locked) { _ = try CopyLock.take(in: fixture.data, waiting: 0) }
        }
        #expect(isSwept && isRun)
        try fixture.expectFree()
        // A folder without files has nothing to sweep, and can be copied.
        let empty = try TemporaryFolder()
        #expect(!CopyLock.isHeld(in: empty.path))
        #expect(try CopyLock.keepOut(of: empty.path) {})
    }

    @Test("A file of an earlier backup that was damaged since is copied again")
    func damagedFile() throws {
        let fixture = try BackupFixture()
        let first = try fixture.backUp()
        let blob = try #require(try BackupSource.manifest(first.path).files.first)
        let path = BackupFolder(path: fixture.place, disk: SystemDisk()).files.path(of: blob)
        var octets = try Files.read(path)
        octets[500] ^= 1
        try Files.write(octets, to: path)
        #expect(throws: ServerError.self) { try Restore(first.path, to: fixture.folder.path + "/restored", endsSessions: false).run() }
        _ = try fixture.backUp()
        // Both backups are good again.
        _ = try Restore(first.path, to: fixture.folder.path + "/restored", endsSessions: false).run()
    }

    @Test("Data that does not agree with itself gives no backup")
    func damagedData() throws {
        let fixture = try BackupFixture()
        _ = try fixture.backUp()
        let entries = try fixture.entries()
        try Files.remove(fixture.data + "/backup.done")
        // The file of a new document is gone from the data folder.
        var lost: BlobName?
        try fixture.withStore { lost = try fixture.addDocument($0) }
        try Files.remove(fixture.blobs.path(of: try #require(lost)))
        let error = #expect(throws: ServerError.self) { try fixture.backUp() }
        #expect(error?.sentence.contains("huddled check --deep") == true, "\(error?.sentence ?? "")")
        #expect(try fixture.entries().filter(\.isFinished) == entries)
        #expect(!fixture.isNoted)
    }

    @Test("Backups are kept by day, week and month, and files that no backup names are removed")
    func rotation() throws {
        let fixture = try BackupFixture()
        let keep = try #require(BackupKeep("2d1m"))
        let day: Int64 = 86_400_000
        // 2026-11-21 05:00 UTC.
        let start: Int64 = 1_795_237_200_000
        for index in 0..<4 {
            if index == 2 { try fixture.withStore { try fixture.addDocument($0) } }
            _ = try fixture.backUp(keep: keep, at: start + Int64(index) * day)
        }
        #expect(try fixture.entries().map(\.madeAt) == [start + 2 * day, start + 3 * day])
        // An old backup of a document that is gone from the newer ones takes its file along.
        let other = try BackupFixture(documents: 1)
        _ = try BackupFolder(path: fixture.place, disk: SystemDisk()).removeUnusedFiles()
        var files = 0
        let stranger = BackupFolder(path: fixture.place, disk: SystemDisk()).files
        _ = try stranger.put([1, 2, 3], family: other.parent.family)
        #expect(try BackupFolder(path: fixture.place, disk: SystemDisk()).removeUnusedFiles() == 1)
        try stranger.forEach { _ in files += 1 }
        #expect(files == 3)
        // A manifest that cannot be read keeps every file.
        let name = try #require(try fixture.entries().first).name
        try Files.write([1], to: "\(fixture.place)/\(name)/MANIFEST")
        _ = try stranger.put([1, 2, 3], family: other.parent.family)
        let error = #expect(throws: ServerError.self) { try fixture.backUp(keep: keep, at: start + 3 * day + 1) }
        #expect(error?.sentence.contains("is a verified backup") == true, "\(error?.sentence ?? "")")
        try stranger.forEach { _ in files += 1 }
        #expect(files == 7)
    }

    static let kept: [(text: String, days: [Int], kept: [Int])] = [
        ("1d", [0, 1, 2], [2]), ("2d", [0, 1, 2], [1, 2]), ("9d", [0, 5, 9], [0, 5, 9]),
        // Day 0 is Thursday 1970-01-01; the week ends with day 3.
        ("1w", [0, 3, 4], [4]), ("2w", [0, 3, 4], [3, 4]), ("2w", [0, 3, 4, 10, 11], [10, 11]),
        ("1m", [0, 30, 31], [31]), ("2m", [0, 30, 31, 58], [30, 58]), ("3m", [0, 30, 31, 58, 59], [30, 58, 59]),
        ("1d1w1m", [0, 30, 31, 58, 59], [59]), ("2d1m", [0, 30, 31, 58, 59], [58, 59]),
    ]

    @Test("The newest of each day, week and month stays", arguments: kept)
    func keeping(_ example: (text: String, days: [Int], kept: [Int])) throws {
        let keep = try #require(BackupKeep(example.text))
        let noon = { (day: Int) in Int64(day) * 86_400_000 + 43_200_000 }
        // An earlier one of the same day never stays beside a later one.
        let instants = example.days.flatMap { [noon($0) - 1, noon($0)] }
        #expect(keep.kept(instants) == Set(example.kept.map(noon)), "\(example.text)")
        #expect(keep.kept([]) == [])
    }

    @Test("A rule for keeping is numbers of days, weeks and months", arguments: ["", "d", "7", "0d", "7x", "7d7d", "-7d", "7 d", "1000d", "7d4", "7D", "٧d"])
    func badRules(text: String) { #expect(BackupKeep(text) == nil) }
}
