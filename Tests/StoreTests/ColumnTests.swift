import Bytes
import CFaultVFS
import Family
import Ledger
import SQLite
import Testing

@testable import Store
@testable import StoreSQLite
import TestSupport

@Suite("Columns by which records are found")
struct ColumnTests {
    private static var before: Int { Schema.migrations.firstIndex(of: Schema.columns) ?? 0 }

    /// Makes the database as the program before the step would have written it.
    private static func takeBack(_ path: String, vfs: String? = nil) throws {
        let database = try Database(path: path, mode: .readWrite, vfs: vfs)
        let added = RecordColumn.allCases.filter { $0 != .about }.map(\.rawValue)
        let indexes = ["school", "coach", "event", "trip", "replaced", "start"].map { "DROP INDEX records_by_\($0);" }
        try database.execute(FollowerTests.takenBack)
        try database.execute((indexes + added.map { "ALTER TABLE records DROP COLUMN \($0);" }).joined() + Schema.references)
        try database.execute("PRAGMA user_version = \(before)")
    }

    /// The columns of all records that differ from their fields, and the number of filled ones.
    private static func audit(_ path: String, vfs: String? = nil) throws -> (differing: [String], filled: [Int]) {
        var differing: [String] = []
        var filled = [Int](repeating: 0, count: RecordColumn.allCases.count)
        let rows = try Database(path: path, mode: .readOnly, vfs: vfs).prepare("SELECT \(RecordTable.columns), \(RecordColumn.names) FROM records")
        try rows.each { row in
            let record = try RecordTable.decode(row)
            let stored = row.columns(from: RecordTable.columnCount)
            if stored != record.fields.columns { differing.append("\(record.kind) \(record.id): \(stored), \(record.fields.columns)") }
            for (place, value) in stored.enumerated() where value != nil { filled[place] += 1 }
        }
        return (differing, filled)
    }

    private struct Season {
        let home: World.Home
        let school: Identifier
        let trip: Identifier
        let document: Identifier

        /// Records of all kinds that fill a column, a deleted one among them.
        init(_ world: World) throws {
            home = try world.home()
            let leo = try world.athlete(home)
            (school, trip, document) = (world.newID(), world.newID(), world.newID())
            let coach = world.newID(), event = world.newID(), item = world.newID(), gone = world.newID()
            try world.mutate(
                home, home.parent, StoreTests.school(school, "Rice"), StoreTests.coach(coach, "Jo", "Diaz"), camp(event, athlete: leo),
                StoreTests.trip(trip), tripItem(item, trip), tripItem(gone, trip, start: "2026-12-06T09:00"),
                metric(world.newID(), athlete: leo, ["event_id": .reference(event)]),
                interaction(world.newID(), athlete: leo, ["coach_id": .reference(coach), "event_id": .reference(event), "school_id": .reference(school)]),
                create(.message, world.newID(), ["text": .text("Which gate?"), "about": .link(.event, event)]))
            try world.mutate(home, home.parent, delete(.tripItem, gone, base: 1))
            try world.add(world.document(home, leo, id: document, content: 1))
            try world.add(world.document(home, leo, content: 2, replaces: document, school: school))
        }

        /// Whether a migrated database finds records by its columns.
        func check(_ world: World, _ comment: Comment) throws {
            #expect(try world.store.records.newestVersion(family: 1, replacing: document) == 2, comment)
            var budget = ReadBudget(octets: .max)
            func referrers(_ id: Identifier) throws -> Int {
                try world.store.records.referrers(family: 1, try world.record(home, id), limit: 9, &budget).count
            }
            #expect(try referrers(school) == 2, comment)
            #expect(try referrers(trip) == 1, comment)
            let plans = try world.store.records.plans(family: 1, from: "2026-12-05", before: "2026-12-06", limit: 9, &budget)
            #expect(plans.events.count == 1 && plans.items.count == 1, comment)
        }
    }

    @Test("The test takes a database back to exactly what the steps before made")
    func takesBack() throws {
        let schema = "SELECT group_concat(replace(sql, '\"', ''), char(10)) FROM (SELECT sql FROM sqlite_schema ORDER BY name)"
        let world = try World()
        try Self.takeBack(world.path)
        let folder = try TemporaryFolder()
        let old = try Database(path: folder.path + "/old.db", mode: .readWriteCreate)
        try Schema.migrate(old, epoch: "e", at: 0, steps: Array(Schema.migrations.prefix(Self.before)))
        #expect(try Database(path: world.path, mode: .readOnly).prepare(schema).one { $0.text(0) } == old.prepare(schema).one { $0.text(0) })
    }

    @Test("A database from before gets columns that agree with its records, wherever the first start is killed", arguments: [
        (FAULTVFS_LOSE, 0), (FAULTVFS_RANDOM, 1), (FAULTVFS_KILL, 0),
    ] as [(faultvfs_mode, UInt64)])
    func migrates(mode: faultvfs_mode, seed: UInt64) throws {
        let disk = FaultDisk()
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            let surroundings = Surroundings()
            let season: Season
            do {
                let world = try disk.world(surroundings)
                season = try Season(world)
                _ = try world.store.truncateLog()
            }
            try Self.takeBack("huddle.db", vfs: disk.name)
            faultvfs_crash_at(disk.name, operation, mode, seed &+ UInt64(operation))
            // Throws where the kill meets it.
            let isPast = disk.takesMoreThanOneStep(surroundings)
            let isLast = isPast || faultvfs_crashed(disk.name) == 0
            faultvfs_crash_now(disk.name, mode, seed &+ UInt64(operation))
            #expect(faultvfs_restart(disk.name) == 0)
            let world = try disk.world(surroundings)
            let (differing, filled) = try Self.audit("huddle.db", vfs: disk.name)
            #expect(differing == [], "operation \(operation)")
            #expect(filled == [1, 2, 1, 2, 2, 1, 3], "operation \(operation)")
            try season.check(world, "operation \(operation)")
            if isLast { break }
            operation += 1
        }
        #expect(operation > 4)
    }

    @Test("A record whose fields are damaged does not stop the step, and keeps empty columns")
    func damaged() throws {
        let world = try World()
        let season = try Season(world)
        try Self.takeBack(world.path)
        try Database(path: world.path, mode: .readWrite).execute(
            "DROP INDEX trip_items_by_day; DROP INDEX records_by_trip; UPDATE records SET fields = x'7B' WHERE kind = 10")
        try Database(path: world.path, mode: .readWrite).execute(
            """
            CREATE INDEX trip_items_by_day ON records (family) WHERE kind = 10;
            CREATE INDEX records_by_trip ON records (family) WHERE kind = 10;
            """)
        try world.reopen()
        #expect(try world.query("SELECT count(*) FROM records WHERE kind = 10 AND trip IS NULL AND start IS NULL") == 2)
        #expect(try world.query("SELECT count(*) FROM records WHERE kind = 5 AND start = '2026-12-05'") == 1)
        try world.mutate(season.home, season.home.parent, school(world.newID(), "Brook"))
    }

    @Test("Whatever random families do, the columns agree with the records", arguments: 1...4 as ClosedRange<UInt64>)
    func follows(seed: UInt64) throws {
        let world = try World(seed: seed)
        var family = try RandomFamily(world, seed: seed)
        try family.hurry(steps: 150)
        try family.live(steps: 60)
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        try family.hurry(steps: 30)
        let (differing, filled) = try Self.audit(world.path)
        #expect(differing == [], "seed \(seed)")
        #expect(filled.reduce(0, +) > 50, "seed \(seed): \(filled)")
    }

    @Test("A write that leaves a column as it is does not write its index")
    func writesOnlyWhatDiffers() throws {
        let world = try World()
        let season = try Season(world)
        // Wrong values by hand: the write of the next mutation shows which columns it names.
        func columns(_ id: String) throws -> Int64 {
            try world.query("SELECT (trip = 'x') + 2 * (start = 'y') FROM records WHERE id = x'\(id)'")
        }
        let items = try world.snapshot(season.home).records.values.filter { $0.kind == .tripItem && !$0.isDeleted }
        let item = try #require(items.first)
        let hex = "\(item.id)".replacing("-", with: "")
        try world.damage("UPDATE records SET trip = 'x', start = 'y' WHERE id = x'\(hex)'")
        try world.mutate(season.home, season.home.parent, update(.tripItem, item.id, base: 1, ["title": .text("Other")]))
        #expect(try columns(hex) == 3)
        try world.mutate(season.home, season.home.parent, update(.tripItem, item.id, base: 2, ["start_time": .text("2026-12-07T10:00")]))
        #expect(try columns(hex) == 1)
        try world.mutate(season.home, season.home.parent, delete(.tripItem, item.id, base: 3))
        #expect(try columns(hex) == 0)
        #expect(try Self.audit(world.path).differing == [])
    }
}
