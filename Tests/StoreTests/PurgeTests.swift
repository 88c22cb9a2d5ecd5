import Bytes
import Family
import SQLite
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("Purge, semantics.md (Undo and purge)", .bothEngines)
struct PurgeTests {
    let world: World
    let home: World.Home

    init() throws {
        world = try World()
        home = try world.home()
    }

    static let secret = "Quiet word"

    /// The tables of the database that hold a text.
    private func holds(_ text: String) throws -> [String] { try world.holders(of: text) }

    /// A school that was named, renamed, deleted, restored and deleted, with the secret in each of its versions; beside another.
    private func deleted() throws -> (school: Identifier, other: Identifier, deletion: Int64) {
        let school = world.newID()
        let other = world.newID()
        try world.mutate(home, home.parent, StoreTests.school(school, Self.secret), StoreTests.school(other, "Rice"))
        try world.mutate(home, home.parent, update(.school, school, base: 1, ["name": .text(Self.secret + " 2")]))
        try world.mutate(home, home.parent, update(.school, school, base: 2, ["location": .text(Self.secret + " 3")]))
        try world.mutate(home, home.parent, delete(.school, school, base: 3))
        try world.mutate(home, home.parent, restore(.school, school, base: 4))
        let last = try world.mutate(home, home.parent, delete(.school, school, base: 5), update(.school, other, base: 1, ["notes": .text("Kept")]))
        return (school, other, try #require(last.sequence))
    }

    @Test("30 days after the deletion no table holds a value of the record, and everything else stands")
    func blanks() throws {
        let (school, other, deletion) = try deleted()
        world.surroundings.now += 30 * Surroundings.day - 1
        #expect(try world.purge().records == 0)
        #expect(try world.record(home, school).isDeleted)
        world.surroundings.now += 1
        let purged = try world.purge()
        #expect(purged.records == 1)
        #expect(try holds(Self.secret) == [])
        #expect(try holds("Rice") == ["log", "records"])
        #expect(try world.record(home, other).fields.text("notes") == "Kept")
        #expect(try world.snapshot(home).records[school] == nil)
        #expect(try world.stored { try $0.history.versions(family: 1, of: school, limit: 9).isEmpty })
        #expect(try world.stored { try $0.families.all().map(\.floor) } == [deletion])
        // The sequence has no gap, and the changes of other records are in the same frames.
        #expect(try world.count("log") == Int(deletion))
        #expect(try world.purge().records == 0)
    }

    @Test("history of a purged record answers purged to the family, and to others as for a record that never was")
    func history() throws {
        let (school, _, _) = try deleted()
        let stranger = try world.home("Other")
        func code(_ home: World.Home, _ kind: Kind, _ id: Identifier) throws -> Rejection? {
            let request = HistoryRequest(request: 1, record: .init(kind: kind, id: id), limit: 9)
            guard case .failure(let rejection) = try world.reader.history(family: home.family, member: home.parent, request) else { return nil }
            return rejection
        }
        #expect(try code(home, .school, school) == nil, "deleted, and can come back")
        world.surroundings.now += 30 * Surroundings.day
        try world.purge()
        #expect(try code(home, .school, school)?.code == .purged)
        #expect(try code(home, .event, school)?.code == .notFound, "asked for as another kind")
        let never = try code(stranger, .school, world.newID())
        var seen = try code(stranger, .school, school)
        seen?.id = never?.id
        #expect(seen?.code == .notFound && seen == never)
    }

    @Test("history asks the clock: 30 days after the deletion no value is shown, whether the purge has run or not")
    func historyByTheClock() throws {
        let (school, other, deletion) = try deleted()
        func ofRecord() throws -> ErrorCode? {
            let request = HistoryRequest(request: 1, record: .init(kind: .school, id: school), limit: 9)
            guard case .failure(let rejection) = try world.reader.history(family: home.family, member: home.parent, request) else { return nil }
            return rejection.code
        }
        func ofFamily() throws -> [UInt8] {
            ServerFrame.history(try world.reader.history(family: home.family, member: home.parent, HistoryRequest(request: 1, limit: 99)).get()).encode()
        }
        func text(_ frame: [UInt8]) -> String { String(decoding: frame, as: UTF8.self) }
        world.surroundings.now += 30 * Surroundings.day - 1
        #expect(try ofRecord() == nil)
        #expect(text(try ofFamily()).contains(Self.secret))
        world.surroundings.now += 1
        #expect(try ofRecord() == .purged)
        let unswept = try ofFamily()
        #expect(!text(unswept).contains(Self.secret) && text(unswept).contains("Rice"))
        guard case .history(let page) = try decode(unswept) else { throw Unexpected() }
        #expect(page.entries.first { $0.sequence == deletion }?.isUndoable == false)
        // The purge changes nothing that anybody can see.
        #expect(try holds(Self.secret) != [])
        #expect(try world.purge().records == 1)
        #expect(text(try ofFamily()) == text(unswept))
        #expect(try ofRecord() == .purged)
        #expect(try world.record(home, other).fields.text("notes") == "Kept")
    }

    @Test("a cursor below the floor gets a reset, one at the floor the changes")
    func resets() throws {
        let (_, _, deletion) = try deleted()
        try world.mutate(home, home.parent, message(world.newID(), "Later"))
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        func resume(_ sequence: Int64) throws -> JoinState.Resume? {
            let cursor = Cursor(epoch: Cursor.epoch(of: home.family, database: world.store.epoch), sequence: sequence)
            guard case .joined(let state) = try world.join(home, home.parent, cursor: cursor) else { return nil }
            return state.resume
        }
        #expect(try resume(deletion - 1) == .reset(.logTrimmed))
        #expect(try resume(1) == .reset(.logTrimmed))
        #expect(try resume(deletion) == .changes(after: deletion))
        // A client that joined before the purge and reads on after it gets no blank frames either.
        #expect(try world.reader.changes(family: home.family, after: deletion - 1, maxOctets: .max).isTrimmed)
        #expect(try !world.reader.changes(family: home.family, after: deletion, maxOctets: .max).isTrimmed)
    }

    @Test("another family keeps its log, and its records of the same age")
    func isolated() throws {
        let (_, _, _) = try deleted()
        let second = try world.home("Birch")
        let theirs = world.newID()
        try world.mutate(second, second.parent, school(theirs, "Theirs"))
        world.surroundings.now += 31 * Surroundings.day
        #expect(try world.purge().records == 1)
        #expect(try world.stored { try $0.families.all().count { $0.floor == 0 } } == 1)
        #expect(try holds("Theirs") == ["log", "records"])
    }

    @Test("a reference to the purged record keeps its copied name")
    func keepsNames() throws {
        let jo = world.newID()
        let event = world.newID()
        let athlete = try world.athlete(home)
        try world.mutate(home, home.parent, coach(jo, "Jo", "Diaz", role: "Pitching"), camp(event, athlete: athlete))
        try world.mutate(home, home.parent, editSet(.event, event, base: 1, "coaches_present", add: [jo]))
        try world.mutate(home, home.parent, delete(.coach, jo, base: 1))
        world.surroundings.now += 31 * Surroundings.day
        #expect(try world.purge().records == 1)
        #expect(try world.record(home, event).fields.set("coaches_present") == [SetElement(id: jo, name: "Jo Diaz", role: "Pitching")])
    }

    @Test("a record of many versions is purged in portions, and each leaves a readable state", arguments: [40])
    func portions(versions: Int64) throws {
        let school = world.newID()
        try world.mutate(home, home.parent, StoreTests.school(school, Self.secret))
        for version in 1...versions {
            try world.mutate(home, home.parent, update(.school, school, base: version, ["name": .text("\(Self.secret) \(version)")]))
        }
        try world.mutate(home, home.parent, delete(.school, school, base: versions + 1))
        world.surroundings.now += 31 * Surroundings.day
        var portions = 0
        while try !world.store.maintain().isFinished {
            portions += 1
            #expect(try world.snapshot(home).records[school] == nil)
            try world.mutate(home, home.parent, message(world.newID(), "Between"))
            // A restart begins the round again and continues in the middle of the record.
            if portions == 5 { try world.reopen() }
            try #require(portions < 100)
        }
        // 42 changes, 16 a portion, besides the three of receipts, people and accesses.
        #expect(portions >= 7)
        #expect(try holds(Self.secret) == [])
    }

    @Test("a change that cannot be read is reported and left as it is; the record is purged, and so are those of other families", .sqliteOnly("It damages a row"))
    func damagedChange() throws {
        let (school, _, deletion) = try deleted()
        let neighbour = try world.home("Nowak")
        let theirs = world.newID()
        try world.mutate(neighbour, neighbour.parent, StoreTests.school(theirs, "Elm"))
        try world.mutate(neighbour, neighbour.parent, delete(.school, theirs, base: 1))
        let broken = deletion - 2
        try world.damage("UPDATE log SET frame = CAST('{\"type\":\"change\"' AS BLOB) WHERE family = 1 AND seq = \(broken)")
        world.surroundings.now += 31 * Surroundings.day
        var damaged: [DamagedRow] = []
        var records = 0
        while true {
            let portion = try world.store.maintain()
            damaged += portion.damaged
            records += portion.purged.records
            if portion.isFinished { break }
        }
        #expect(damaged == [DamagedRow(family: home.family, row: .change(broken))])
        #expect(records == 2)
        #expect(try world.snapshot(home).records[school] == nil)
        #expect(try holds(Self.secret) == [])
        #expect(try world.query("SELECT count(*) FROM log WHERE family = 1 AND seq = \(broken) AND instr(frame, CAST('{\"type\":\"change\"' AS BLOB)) = 1 AND length(frame) = 16") == 1)
        #expect(try world.mutate(home, home.parent, message(world.newID(), "Still here")).sequence != nil)
        #expect(try world.store.maintain().damaged.isEmpty)
    }

    @Test("a deleted record that cannot be read is reported; it is purged if its id can be read, and records of other families go in any case", .sqliteOnly("It damages a row"), arguments: [
        "UPDATE records SET fields = CAST('{\"name\":7}' AS BLOB)", "UPDATE records SET kind = 99",
    ])
    func damagedRecord(damage: String) throws {
        let (school, _, _) = try deleted()
        let neighbour = try world.home("Nowak")
        let theirs = world.newID()
        try world.mutate(neighbour, neighbour.parent, StoreTests.school(theirs, "Elm"))
        try world.mutate(neighbour, neighbour.parent, delete(.school, theirs, base: 1))
        try world.damage("\(damage) WHERE family = 1 AND id = x'\(Self.hex(school))'")
        world.surroundings.now += 31 * Surroundings.day
        var damaged: [DamagedRow] = []
        var portions = 0
        while true {
            let portion = try world.store.maintain()
            damaged += portion.damaged
            portions += 1
            if portion.isFinished { break }
            try #require(portions < 20)
        }
        let isLegible = !damage.contains("kind")
        #expect(damaged == [DamagedRow(family: home.family, row: .record(isLegible ? school : nil))])
        #expect(try world.query("SELECT count(*) FROM records WHERE id = x'\(Self.hex(school))'") == (isLegible ? 0 : 1))
        #expect(try world.query("SELECT count(*) FROM records WHERE id = x'\(Self.hex(theirs))'") == 0)
        if isLegible { #expect(try holds(Self.secret) == []) }
    }

    @Test("a removed member's name and birth date are purged as well; the other members stay")
    func members() throws {
        let leo = try world.athlete(home, name: "Leonardo")
        try world.mutate(home, home.parent, delete(.member, leo, base: 1))
        world.surroundings.now += 31 * Surroundings.day
        #expect(try world.purge().records == 1)
        #expect(try holds("Leonardo") == [])
        #expect(try world.stored { try $0.people.persons(family: 1).allSatisfy { $0.born == nil } })
        #expect(try world.mutate(home, home.parent, message(world.newID(), "Still here")).sequence != nil)
    }

    @Test("a family that is full has room again after a purge")
    func makesRoom() throws {
        let world = try World { $0.limits.recordsPerFamily = 4 }
        let home = try world.home()
        let school = world.newID()
        try world.mutate(home, home.parent, StoreTests.school(school, "One"), StoreTests.school(world.newID(), "Two"))
        #expect(try world.mutate(home, home.parent, StoreTests.school(world.newID(), "Three")).code == .familyFull)
        try world.mutate(home, home.parent, delete(.school, school, base: 1))
        #expect(try world.mutate(home, home.parent, StoreTests.school(world.newID(), "Three")).code == .familyFull)
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        #expect(try world.mutate(home, home.parent, StoreTests.school(world.newID(), "Three")).sequence != nil)
    }

    @Test("a database of version 1 learns where each record was created", .sqliteOnly("It is a step of its schema"))
    func migrates() throws {
        let (school, other, _) = try deleted()
        let created = try world.query("SELECT sum(created_seq * row) FROM records")
        #expect(created > 0)
        // The step alone, on what it makes: others follow it.
        let database = try Database(path: world.path, mode: .readWrite)
        try database.execute(
            """
            ALTER TABLE sessions RENAME COLUMN used_at TO used; DROP INDEX sessions_by_use; ALTER TABLE sessions DROP COLUMN used;
            DROP INDEX deleted_records; DROP INDEX comments; ALTER TABLE records DROP COLUMN created_seq; DROP TABLE purged; DROP TABLE access_log
            """)
        try database.execute(Schema.keeping)
        try world.reopen()
        #expect(try world.query("SELECT sum(created_seq * row) FROM records") == created)
        #expect(try world.snapshot(home).records.keys.contains(school) && world.snapshot(home).records.keys.contains(other))
    }

    static func hex(_ id: Identifier) -> String { id.description.replacing("-", with: "") }
}

@Suite("Sessions end, semantics.md (People, members, sessions)", .bothEngines)
struct SessionLifeTests {
    let world: World
    let home: World.Home

    init() throws {
        world = try World()
        home = try world.home()
    }

    private func token() throws -> String {
        guard case .token(let created) = try world.store.perform(.token(member: home.parent)).0.get() else { throw Unexpected() }
        return created.token
    }

    @Test("a session that nobody uses ends after 90 days, and its row goes")
    func expires() throws {
        let token = try token()
        world.surroundings.now += 90 * Surroundings.day - 1
        #expect(try world.reader.signIn(token: token) != nil)
        #expect(try world.purge().sessions == 0)
        world.surroundings.now += 1
        #expect(try world.reader.signIn(token: token) == nil)
        #expect(try world.purge().sessions == 1)
        #expect(try world.count("sessions") == 0)
    }

    @Test("R002 use restarts the 90 days, and is noted once per day")
    func slides() throws {
        let token = try token()
        #expect(try world.reader.signIn(token: token)?.isRenewalDue == false)
        for _ in 1...6 {
            world.surroundings.now += 60 * Surroundings.day
            let signIn = try #require(try world.reader.signIn(token: token))
            #expect(signIn.isRenewalDue)
            try world.store.renew(sessions: [signIn.session, 12_345])
            #expect(try world.reader.signIn(token: token)?.isRenewalDue == false)
        }
        #expect(try world.purge().sessions == 0)
        // 360 days are over; the 400th ends the session that is in use.
        world.surroundings.now += 40 * Surroundings.day - 1
        #expect(try world.reader.signIn(token: token) != nil)
        world.surroundings.now += 1
        #expect(try world.reader.signIn(token: token) == nil)
        #expect(try world.purge().sessions == 1)
    }
}

@Suite("The access log", .bothEngines)
struct AccessLogTests {
    let world: World
    let home: World.Home
    let leo: Identifier

    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
    }

    private func count() throws -> Int { try world.count("access_log") }

    @Test("one visit is one entry; another person, thing or quarter of an hour is another")
    func visits() throws {
        let look = AccessNote(family: home.family, athlete: leo, member: home.parent, subject: .context)
        try world.store.note([look, look])
        #expect(try count() == 1)
        world.surroundings.now += 899_999
        try world.store.note([look])
        #expect(try count() == 1)
        world.surroundings.now += 1
        try world.store.note([look])
        #expect(try count() == 2)
        var document = look
        document.subject = .document
        document.record = world.newID()
        var other = document
        other.record = world.newID()
        try world.store.note([document, other, document])
        #expect(try count() == 4)
        try world.store.note([AccessNote(family: world.newID(), athlete: leo, member: home.parent, subject: .context)])
        #expect(try count() == 4)
    }

    @Test("entries are kept a year, and an athlete has at most 10,000", .sqliteOnly("10,000 entries take the other engine too long"))
    func bounds() throws {
        try world.store.note([AccessNote(family: home.family, athlete: leo, member: home.parent, subject: .context)])
        world.surroundings.now += 365 * Surroundings.day
        #expect(try world.purge().accesses == 0)
        world.surroundings.now += 1
        #expect(try world.purge().accesses == 1)
        for _ in 0..<5 {
            try world.store.note(
                (0..<2_100).map { _ in
                    AccessNote(family: home.family, athlete: leo, member: home.parent, subject: .document, record: world.newID())
                })
            world.surroundings.now += 1
        }
        let kept = try count()
        #expect((10_000...10_100).contains(kept))
    }

    @Test("an entry is not a record: it makes no change and is in no snapshot")
    func isNoRecord() throws {
        let before = try world.snapshot(home)
        try world.store.note([AccessNote(family: home.family, athlete: leo, member: home.parent, subject: .export)])
        let after = try world.snapshot(home)
        #expect(before.sequence == after.sequence && before.records == after.records)
    }
}
