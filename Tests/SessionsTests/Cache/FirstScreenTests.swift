import Bytes
import ClientWorld
import Family
import SQLite
@testable import Sessions
@testable import Sync
import Testing
import Wire
@testable import Words

@Suite("The first screen: the content before all of the cache is read")
struct FirstScreenTests {
    /// A family with much data: an old season without recent messages, and a room with messages about many records.
    private static func records() -> [Record] {
        var records = [World.member(World.parent, "Dana"), World.member(World.athlete, "Maya Rivera")]
        for number in 0..<UInt64(400) {
            var fields = Fields(.event)
            fields["name"] = .text("Camp \(number)")
            fields["start_date"] = .text("2026-04-15")
            records.append(record(.event, 1_000 + number, fields, athlete: World.athlete))
        }
        var trip = Fields(.trip)
        trip["name"] = .text("Ohio swing")
        records.append(record(.trip, 2_000, trip, athlete: World.athlete))
        var item = Fields(.tripItem)
        item["title"] = .text("Dinner")
        item["trip_id"] = .reference(World.id(2_000))
        records.append(record(.tripItem, 2_001, item, athlete: World.athlete))
        for number in 0..<UInt64(700) {
            var more: [String: Value] = number % 7 == 0 ? ["about": .link(.event, World.id(1_000 + number % 400))] : [:]
            if number % 11 == 0 { more["mentions"] = .set([SetElement(id: World.parent, name: "Dana", role: "parent")]) }
            records.append(World.message(5_000 + number, "Line \(number)", by: number % 2 == 0 ? World.parent : World.athlete, at: Int64(number) * 1_000, more))
        }
        return records
    }

    private static func record(_ kind: Kind, _ number: UInt64, _ fields: Fields, athlete: Identifier?) -> Record {
        Record(
            kind: kind, id: World.id(number), athlete: athlete, version: 1, createdAt: 1, createdBy: World.parent, updatedAt: 1, updatedBy: World.parent,
            fields: fields)
    }

    /// A cache of such a family, with changes after the snapshot and some pending ones.
    private static func keep(in home: CacheFixture) throws {
        var engine = SyncEngine(World.configuration())
        var durable = DurableSide(home.place, restoring: &engine)
        var actions = engine.start(now: 0) + engine.connected(now: 0) + engine.receive(World.welcome(), now: 0)
        actions += engine.receive(World.joined(10, byChanges: false), now: 0)
        actions += engine.receive(.snapshot(sequence: 10, records: records()), now: 0)
        actions += engine.receive(.snapshotEnd(sequence: 10), now: 0) + engine.receive(.live(sequence: 10), now: 0)
        func change(_ sequence: Int64, _ entry: ChangeEntry) -> ServerFrame {
            .change(Change(sequence: sequence, at: 1_000_000 + sequence, member: World.athlete, client: World.other, mutation: sequence, entries: [entry]))
        }
        func entry(_ kind: Kind, _ number: UInt64, _ version: Int64, _ values: [String: Value?]) -> ChangeEntry {
            ChangeEntry(kind: kind, id: World.id(number), version: version, effect: .update(World.patch(kind, values).assignments))
        }
        actions += engine.receive(change(11, entry(.event, 1_033, 2, ["name": .text("Renamed")])), now: 0)
        actions += engine.receive(change(12, entry(.tripItem, 2_001, 2, ["title": .text("Late dinner")])), now: 0)
        actions += engine.receive(change(13, World.created(20, "Ohio State")), now: 0)
        actions += engine.receive(change(14, ChangeEntry(kind: .event, id: World.id(1_044), version: 2, effect: .delete)), now: 0)
        _ = durable.follow(actions, &engine, now: 0)
        _ = durable.follow(engine.disconnected(closeCode: nil, now: 0), &engine, now: 0)
        let waiting = Operation(kind: .event, id: World.id(1_055), action: .update(base: 1, merge: .disjoint, patch: World.patch(.event, ["city": .text("Erie")])))
        _ = durable.follow(try engine.perform([waiting], at: 3, now: 0).actions, &engine, now: 0)
        durable.save(engine)
    }

    /// The content of a screen of 200 lines for an engine.
    private static func shown(_ engine: SyncEngine, _ changes: [Change]) -> (items: [TimelineItem], unread: UnreadCount) {
        let timeline = Timeline(engine, changes: changes)
        let items = timeline.items(engine, ChangeText(RecordNames(engine)) { _ in "" }, LocalClock(zone: nil), last: 200)
        return (items, timeline.unread(engine))
    }

    @Test("The first screen shows the same as the whole cache, from a part of the records")
    func same() throws {
        let home = try CacheFixture()
        try Self.keep(in: home)
        let found = try #require(Cache.firstScreen(home.place))
        var first = SyncEngine(World.configuration(seed: 5))
        first.restore(found.state)
        var whole = SyncEngine(World.configuration(seed: 5))
        let durable = DurableSide(home.place, restoring: &whole)
        let (few, all) = (Self.shown(first, found.changes), Self.shown(whole, durable.keptChanges))
        #expect(few.items == all.items && few.items.count > 200)
        #expect(few.items.contains { $0.text.contains("Renamed") } && few.items.contains { $0.text.contains("Late dinner") })
        #expect(few.unread.changes == all.unread.changes && all.unread.changes > 0)
        #expect(first.waitingCount == 1 && first.record(World.id(1_055))?.fields.text("city") == "Erie")
        #expect(first.cursor == whole.cursor && first.member == whole.member && first.context == whole.context)
        // Camps without recent messages take the time.
        #expect(whole.confirmedRecords.count > 1_100 && first.confirmedRecords.count < 700, "\(first.confirmedRecords.count)")
        for (id, record) in first.confirmedRecords { #expect(whole.confirmedRecord(id) == record) }
    }

    @Test("A session has the first screen until it starts, and everything afterwards")
    func session() throws {
        let home = try CacheFixture()
        try Self.keep(in: home)
        let session = try ClientSession(try ServerAddress("ws://127.0.0.1:1"), World.configuration(), cache: home.place, showsFirst: true)
        #expect(session.engine.confirmedRecords.count < 700 && session.keptChanges.count == 4 && session.cache == nil)
        session.start()
        #expect(session.engine.confirmedRecords.count > 1_100 && session.keptChanges.count == 4 && session.cache != nil)
        session.leave()
    }

    @Test("No two kinds have the same mark, and a stored body has the mark of its kind")
    func marks() throws {
        #expect(Set(Kind.allCases.map { CacheStatements.mark(of: $0) }).count == Kind.allCases.count)
        let home = try CacheFixture()
        try Self.keep(in: home)
        let database = try Database(path: home.file, mode: .readWrite, busyMilliseconds: 1_000)
        for (kind, count) in [(Kind.member, 2), (.message, 700), (.event, 400), (.school, 1)] {
            let statement = try database.prepare("SELECT count(*) FROM record WHERE \(CacheStatements.kindMark) = ?")
            statement.bind(1, CacheStatements.mark(of: kind))
            #expect(try statement.first { $0.int64(0) } == Int64(count), "\(kind.name)")
        }
        // The query uses the index.
        var plan = ""
        try database.prepare("EXPLAIN QUERY PLAN SELECT body FROM record WHERE \(CacheStatements.kindMark) = x'00' ORDER BY id DESC LIMIT 5").each { plan += $0.text(3) }
        #expect(plan.contains("record_kind") && !plan.contains("SCAN") && !plan.contains("TEMP"), "\(plan)")
    }

    @Test("A damaged cache has no first screen, and the start works as before: pending changes are taken over")
    func damaged() throws {
        let home = try CacheFixture()
        try Self.keep(in: home)
        do {
            let database = try Database(path: home.file, mode: .readWrite, busyMilliseconds: 1_000)
            try database.execute("UPDATE record SET body = x'7B7D' WHERE \(CacheStatements.kindMark) = x'6D656D62657222'")
        }
        #expect(Cache.firstScreen(home.place) == nil)
        let session = try ClientSession(try ServerAddress("ws://127.0.0.1:1"), World.configuration(), cache: home.place, showsFirst: true)
        #expect(session.engine.waitingCount == 1 && session.engine.cursor == nil)
        #expect(session.takeWarnings().first?.contains("1 of your changes that waited in it were taken over") == true)
        session.leave()
    }
}
