import Blobs
import Bytes
import Family
import MemoryDisk
import SQLite
import Testing

@testable import Store
import StoreSQLite

@Suite("huddled check, guarantees.md (files and rows agree)", .bothEngines)
struct CheckTests {
    let fixture: StoreFixture
    let document: Identifier
    let blob: BlobName
    let school: Identifier

    init() throws {
        fixture = try StoreFixture()
        (document, blob) = try fixture.add([1, 2, 3, 4])
        school = fixture.world.newID()
        try fixture.world.mutate(fixture.home, fixture.home.parent, StoreTests.school(school, "Rice"))
        _ = try fixture.world.store.share(
            NewShare(family: fixture.home.family, member: fixture.home.parent, document: document, school: school)).0.get()
    }

    private func tamper(_ sql: String) throws { try Database(path: fixture.world.path, mode: .readWrite).execute(sql) }

    @Test("a database in good order passes and is counted, purged and deleted records included")
    func agrees() throws {
        let (two, _) = try fixture.add([5])
        try fixture.remove(two)
        fixture.pass(31 * Surroundings.day)
        try fixture.world.purge()
        let (three, _) = try fixture.add([6, 7])
        try fixture.remove(three)
        let report = try fixture.check()
        #expect(report.findings == [])
        #expect(report.agrees && report.families == 1 && report.documents == 2 && report.files == 2 && report.octets == 6)
        #expect(report.changes == Int(try fixture.world.snapshot(fixture.home).sequence))
        // A day after the purge of its record nobody needs the file, and the check reports that no sweep has taken it yet.
        fixture.pass(Surroundings.day + 1)
        #expect(try fixture.check().findings.map(\.code) == [.fileUnused])
        try fixture.sweep()
        #expect(try fixture.check().findings == [])
    }

    @Test("the data of random families passes", arguments: 1...4 as ClosedRange<UInt64>)
    func families(seed: UInt64) throws {
        let world = try World(seed: seed)
        var family = try RandomFamily(world, seed: seed)
        try family.live(steps: 150)
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        try family.live(steps: 30)
        let report = try world.openCheck().run(
            blobs: fixture.blobs, uploads: fixture.uploads, isDeep: false, now: world.surroundings.now)
        #expect(report.findings.filter { !$0.code.isHarmless } == [], "seed \(seed)")
    }

    static let damage: [(sql: String, code: CheckReport.Finding.Code)] = [
        ("DELETE FROM log WHERE seq = 2", .logGap),
        ("UPDATE log SET frame = CAST('{}' AS BLOB) WHERE seq = 2", .changeDamaged),
        ("UPDATE log SET frame = (SELECT frame FROM log WHERE seq = 1) WHERE seq = 2", .changeDamaged),
        ("UPDATE records SET fields = CAST(json_set(CAST(fields AS TEXT), '$.title', 'X') AS BLOB) WHERE kind = 11", .recordDiffers),
        ("UPDATE records SET version = 9 WHERE kind = 3", .recordDiffers),
        ("UPDATE records SET updated_at = 9 WHERE kind = 3", .recordDiffers),
        ("UPDATE records SET deleted_at = 9 WHERE kind = 3", .recordDiffers),
        ("UPDATE records SET deleted_at = 9 WHERE kind = 3", .checksumDiffers), ("UPDATE records SET version = 9 WHERE kind = 3", .checksumDiffers),
        ("UPDATE log SET checksum = 7", .checksumDiffers), ("UPDATE log SET checksum = checksum + 1 WHERE seq = 3", .checksumDiffers),
        ("UPDATE log SET checksum = 7 WHERE seq = (SELECT max(seq) FROM log)", .checksumDiffers),
        ("DELETE FROM records WHERE kind = 3", .recordMissing),
        ("UPDATE log SET written = written + 1", .usageDiffers), ("UPDATE families SET freed = 5", .usageDiffers),
        ("UPDATE records SET id = x'00000000000000000000000000000001' WHERE kind = 3", .recordUnknown),
        ("UPDATE records SET fields = CAST('{' AS BLOB) WHERE kind = 3", .databaseDamaged),
        ("UPDATE records SET school = 'x' WHERE kind = 11", .columnDiffers), ("UPDATE records SET about = 'x' WHERE kind = 3", .columnDiffers),
        ("INSERT INTO consumers VALUES ('reminders', 99, 0)", .cursorAhead), ("INSERT INTO consumers VALUES ('reminders', -1, 0)", .cursorAhead),
        ("UPDATE blobs SET documents = 7", .fileCount), ("UPDATE blobs SET octets = 7", .fileCount), ("DELETE FROM blobs", .fileCount),
        ("UPDATE share_links SET document = x'00000000000000000000000000000001'", .shareWithoutDocument),
    ]

    @Test("each damage of the database is reported", .sqliteOnly("It damages rows"), arguments: damage)
    func database(sql: String, code: CheckReport.Finding.Code) throws {
        try tamper(sql)
        let report = try fixture.check()
        #expect(report.findings.contains { $0.code == code }, "\(report.findings.map(\.sentence))")
        #expect(!report.agrees)
        for finding in report.findings { #expect(finding.sentence.hasSuffix(".") && !finding.sentence.contains("Rice"), "\(finding.sentence)") }
    }

    @Test("each damage of the files is reported", arguments: [CheckReport.Finding.Code.fileMissing, .fileLength, .fileContent])
    func files(code: CheckReport.Finding.Code) throws {
        let path = fixture.blobs.path(of: blob)
        switch code {
        case .fileMissing: try fixture.disk.remove(path)
        case .fileLength:
            let file = try fixture.disk.open(path)
            try fixture.disk.cut(file, to: 3)
            fixture.disk.close(file)
        default:
            fixture.disk.spoil(path)
            #expect(try fixture.check(isDeep: false).agrees, "only reading finds it")
        }
        var report = try fixture.check()
        #expect(report.findings.map(\.code) == [code])
        #expect(!report.agrees)
        try report.repair(fixture.world.store, blobs: fixture.blobs, uploads: fixture.uploads, now: fixture.world.surroundings.now)
        #expect(!report.agrees, "only a copy can repair that")
        // The same file uploaded again replaces a missing or short one.
        if code != .fileContent {
            _ = try fixture.blobs.put([1, 2, 3, 4], family: fixture.home.family)
            #expect(try fixture.check().agrees)
        }
    }

    @Test("repairing removes files without a row and counts again; then nothing is found", .sqliteOnly("It damages rows"))
    func repairs() throws {
        let orphan = try fixture.blobs.put([77], family: fixture.home.family)
        fixture.disk.close(try fixture.disk.create("/data/blobs/\(fixture.home.family)/00000000.incoming"))
        fixture.disk.close(try fixture.disk.create("/data/uploads/notes.txt"))
        let upload = try fixture.uploads.create(fixture.world.newID(), length: 9, description: [])
        try upload.append([1, 2])
        try upload.synchronize()
        let file = try fixture.disk.open(upload.partPath)
        try fixture.disk.cut(file, to: 1)
        fixture.disk.close(file)
        try tamper("UPDATE blobs SET documents = 7; UPDATE share_links SET document = x'00000000000000000000000000000001'")
        fixture.pass(2 * Surroundings.day)
        var report = try fixture.check()
        #expect(
            Set(report.findings.map(\.code)) == [.fileUnused, .leftover, .uploadDamaged, .fileCount, .shareWithoutDocument],
            "\(report.findings)")
        try report.repair(fixture.world.store, blobs: fixture.blobs, uploads: fixture.uploads, now: fixture.world.surroundings.now)
        #expect(report.findings.allSatisfy(\.isRepaired) && report.agrees)
        #expect(try fixture.check().findings == [])
        #expect(try !fixture.isThere(orphan) && fixture.isThere(blob))
    }

    @Test("a file younger than a day is not a finding: a record for it may be on its way")
    func young() throws {
        _ = try fixture.blobs.put([77], family: fixture.home.family)
        #expect(try fixture.check().findings == [])
    }

    @Test("Repairing computes a wrong checksum from the records again", .sqliteOnly("It damages rows"))
    func repairsChecksum() throws {
        let right = try fixture.world.frames(fixture.home).verification
        try tamper("UPDATE log SET checksum = checksum + 1")
        var report = try fixture.check()
        #expect(Set(report.findings.map(\.code)) == [.checksumDiffers] && report.findings.count == 2)
        try report.repair(fixture.world.store, blobs: fixture.blobs, uploads: fixture.uploads, now: fixture.world.surroundings.now)
        #expect(report.agrees)
        #expect(try fixture.check().findings == [])
        #expect(try fixture.world.frames(fixture.home).verification == right)
        try fixture.world.mutate(fixture.home, fixture.home.parent, StoreTests.school(fixture.world.newID(), "Brook"))
        #expect(try fixture.check().findings == [])
    }

    @Test("Repairing fills the columns of a record from its fields again", .sqliteOnly("It damages rows"))
    func repairsColumns() throws {
        try tamper("UPDATE records SET school = 'x', start = 'y' WHERE kind IN (3, 11)")
        var report = try fixture.check()
        #expect(report.findings.map(\.code) == [.columnDiffers, .columnDiffers])
        try report.repair(fixture.world.store, blobs: fixture.blobs, uploads: fixture.uploads, now: fixture.world.surroundings.now)
        #expect(report.agrees)
        #expect(try fixture.check().findings == [])
    }

    @Test("Rows of the log without a checksum are in order: an earlier program or an import wrote them", .sqliteOnly("It damages rows"))
    func noChecksum() throws {
        try tamper("UPDATE log SET checksum = NULL")
        #expect(try fixture.check().findings == [])
    }

    @Test("a database of another version is reported, not checked", .sqliteOnly("It is the version of its schema"))
    func version() throws {
        try tamper("PRAGMA user_version = 1")
        #expect(throws: StoreFailure.self) { _ = try StoreCheck(path: fixture.world.path) }
    }
}
