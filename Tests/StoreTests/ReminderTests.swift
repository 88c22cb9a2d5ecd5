import Bytes
import CFaultVFS
import Family
import JSON
import Posix
import Reminders
import SQLite
import StoreMemory
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("Reminders: armed with their items, fired once, kept until seen", .bothEngines)
struct ReminderTests {
    /// SQL that makes a database of this program what the step before `reminders` made.
    static let takenBack = """
        DROP TABLE reminders;
        DROP TABLE fired_reminders;
        ALTER TABLE meta DROP COLUMN reminder_zones;
        """

    private let world: World
    private let home: World.Home
    private let leo: Identifier
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000

    /// It is noon, UTC, on 21 November 2026. Ana and Leo, an athlete of sixteen, have signed in.
    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
        for member in [home.parent, leo] { _ = try world.signIn(member) }
        _ = try fire()
    }

    /// Lets the reminders fire that are due.
    ///
    /// - Returns: what the devices of members receive, in words, in the order of the names.
    private func fire() throws -> [String] {
        while try world.store.fireReminders() {}
        return try world.store.takeNotices().map { notice in
            guard case .reminder(let reminder, let family, let member) = notice else { throw Unexpected() }
            #expect(family == home.family)
            return "\(name(member)) \(reminder.state.rawValue) \(reminder.title) \(reminder.body) \(reminder.when)"
        }.sorted()
    }

    private func name(_ member: Identifier) -> String { member == home.parent ? "ana" : member == leo ? "leo" : "somebody" }

    /// The reminders that a member gets at a join, in words.
    private func held(_ member: Identifier) throws -> [String] {
        guard case .joined(let state) = try world.join(home, member) else { throw Unexpected() }
        return state.reminders.map { "\($0.state.rawValue) \($0.title)" }
    }

    /// A camp of Leo's, 14:00 to 16:00 today unless said otherwise.
    private func addCamp(start: String = "14:00", end: String = "16:00", date: String = "2026-11-21", name: String = "Camp") throws -> Identifier {
        let camp = world.newID()
        try #require(
            try world.mutate(
                home, home.parent,
                create(.event, camp, athlete: leo, [
                    "type": .text("camp"), "name": .text(name), "start_date": .text(date), "start_time": .text(start), "end_time": .text(end),
                ])).ack != nil)
        return camp
    }

    private func pass(_ time: Int64) { world.surroundings.now += time }

    private func version(_ id: Identifier) throws -> Int64 { try world.record(home, id).version }

    @Test("R166 A reminder fires at its time, once for the athlete and once for each parent, and is kept until one device has seen it")
    func once() throws {
        _ = try addCamp()
        #expect(try world.count("reminders") == 1)
        pass(90 * Self.minute - 1)
        #expect(try fire() == [])
        pass(1)
        #expect(try fire() == ["ana due Upcoming: Camp No location 2026-11-21T14:00", "leo due Upcoming: Camp No location 2026-11-21T14:00"])
        #expect(try fire() == [] && world.count("reminders") == 0 && world.count("fired_reminders") == 2)
        try world.reopen()
        #expect(try fire() == [])
        #expect(try held(leo) == ["due Upcoming: Camp"] && held(home.parent) == ["due Upcoming: Camp"])
        guard case .joined(let state) = try world.join(home, leo), let key = state.reminders.first?.key else { throw Unexpected() }
        for _ in 0..<2 {
            #expect(try world.store.see(key, family: home.family, member: leo) == nil)
            #expect(world.store.takeNotices() == [.reminderSeen(key, family: home.family, member: leo)])
        }
        try world.reopen()
        #expect(try held(leo) == [] && held(home.parent) == ["due Upcoming: Camp"])
        #expect(try world.store.see(key, family: world.newID(), member: leo)?.code == .notFound)
        #expect(try world.store.see(key, family: home.family, member: world.newID())?.code == .notFound)
        #expect(world.store.takeNotices() == [])
        pass(31 * Surroundings.day)
        #expect(try held(home.parent) == [])
        try world.purge()
        #expect(try world.count("fired_reminders") == 0)
    }

    @Test("If the server sleeps through its time, a reminder fires late until the end of the item, and is missed afterwards", arguments: [
        (121, "late"), (239, "late"), (240, "missed"), (40_000, "missed"),
    ] as [(Int64, String)])
    func late(minutes: Int64, state: String) throws {
        _ = try addCamp()
        pass(minutes * Self.minute)
        try world.reopen()
        #expect(try fire() == ["ana \(state) Upcoming: Camp No location 2026-11-21T14:00", "leo \(state) Upcoming: Camp No location 2026-11-21T14:00"])
        #expect(try held(leo) == ["\(state) Upcoming: Camp"])
        try world.reopen()
        #expect(try fire() == [])
    }

    @Test("After more than 30 days nobody is reminded of an item that is over")
    func tooLate() throws {
        _ = try addCamp()
        pass(31 * Surroundings.day)
        try world.reopen()
        #expect(try fire() == [] && world.count("reminders") == 0 && world.count("fired_reminders") == 0)
    }

    @Test("R167 A reminder moves with its item, goes with it, comes back with it, and is armed again after it has fired if the start changes")
    func moves() throws {
        let camp = try addCamp()
        try world.mutate(home, home.parent, update(.event, camp, base: 1, ["start_time": .text("15:00")]))
        pass(2 * Self.hour)
        #expect(try fire() == [])
        try world.mutate(home, home.parent, delete(.event, camp, base: version(camp)))
        #expect(try world.count("reminders") == 0)
        try world.mutate(home, home.parent, restore(.event, camp, base: version(camp)))
        pass(30 * Self.minute)
        #expect(try fire().count == 2)
        // The same start again is not another reminder; another start is.
        try world.mutate(home, home.parent, update(.event, camp, base: version(camp), ["name": .text("Autumn camp")]))
        #expect(try world.count("reminders") == 0)
        #expect(try held(leo) == ["due Upcoming: Autumn camp"])
        let moved = try world.mutate(home, home.parent, update(.event, camp, base: version(camp), ["start_time": .text("15:40")]))
        #expect(try held(leo) == [], "nobody needs the reminder of a start that is no more")
        let sequence = try #require(moved.sequence)
        let client = World.client(of: home.parent)
        let undo = Mutation(client: client, id: 900, body: .undo(sequence: sequence), overlap: nil)
        #expect(try world.commit(Proposal(family: home.family, member: home.parent, context: .all, mutation: undo, session: 7)).ack != nil)
        #expect(try fire() == [], "it has fired for this start")
        #expect(try held(leo) == ["due Upcoming: Autumn camp"])
        try world.mutate(home, home.parent, update(.event, camp, base: version(camp), ["start_time": .text("15:50")]))
        pass(50 * Self.minute)
        #expect(try fire() == ["ana due Upcoming: Autumn camp No location 2026-11-21T15:50", "leo due Upcoming: Autumn camp No location 2026-11-21T15:50"])
        try world.mutate(home, home.parent, delete(.event, camp, base: version(camp)))
        #expect(try held(leo) == [])
        try world.mutate(home, home.parent, restore(.event, camp, base: version(camp)))
        #expect(try held(leo) == ["due Upcoming: Autumn camp"])
        #expect(try fire() == [])
    }

    @Test("An unfired reminder of an item that moves to within its lead fires immediately; one of a new item is not caught up")
    func withinLead() throws {
        let camp = try addCamp()
        try world.mutate(home, home.parent, update(.event, camp, base: 1, ["start_time": .text("12:10")]))
        #expect(try fire().count == 2)
        _ = try addCamp(start: "12:20")
        #expect(try fire() == [] && world.count("reminders") == 0)
        let past = try addCamp()
        try world.mutate(home, home.parent, update(.event, past, base: 1, ["start_time": .text("08:00"), "end_time": .text("09:00")]))
        #expect(try fire() == [] && world.count("reminders") == 0, "it has ended")
    }

    @Test("The family's zone moves the reminders of items that have no zone of their own")
    func zones() throws {
        let own = world.newID()
        _ = try addCamp()
        try world.mutate(
            home, home.parent,
            create(.event, own, athlete: leo, [
                "type": .text("camp"), "name": .text("Abroad"), "start_date": .text("2026-11-21"), "start_time": .text("14:00"), "time_zone": .text("UTC"),
            ]))
        let family = try world.record(home, home.family)
        try #require(
            try world.mutate(home, home.parent, update(.family, home.family, base: family.version, ["time_zone": .text("America/New_York")])).ack != nil)
        pass(90 * Self.minute)
        #expect(try fire() == ["ana due Upcoming: Abroad No location 2026-11-21T14:00", "leo due Upcoming: Abroad No location 2026-11-21T14:00"])
        pass(5 * Self.hour)
        #expect(try fire() == ["ana due Upcoming: Camp No location 2026-11-21T14:00", "leo due Upcoming: Camp No location 2026-11-21T14:00"])
    }

    @Test("The members of a reminder are found when it fires: by role, age, consent, sign-in and removal")
    func audience() throws {
        let young = try world.athlete(home, name: "Kid", born: "2015-01-01")
        let (guest, second) = (try world.member(home, .guest, name: "Gus"), try world.member(home, .parent, name: "Bo"))
        for member in [guest, second] { _ = try world.signIn(member) }
        let trip = world.newID()
        try world.mutate(
            home, home.parent,
            create(.trip, trip, ["name": .text("Tour"), "start_date": .text("2026-11-21"), "time_zone": .text("UTC")]),
            create(.tripItem, world.newID(), [
                "trip_id": .reference(trip), "title": .text("Bus"), "start_time": .text("2026-11-21T14:00"), "end_time": .text("2026-11-21T15:00"),
                "start_zone": .text("UTC"), "location": .text("Gate 4"),
            ]))
        let removal = try world.mutate(home, home.parent, delete(.member, second, base: version(second)))
        try #require(removal.ack != nil)
        pass(90 * Self.minute)
        _ = young
        #expect(try fire() == ["ana due Upcoming: Bus Gate 4 2026-11-21T14:00", "leo due Upcoming: Bus Gate 4 2026-11-21T14:00"])
    }

    @Test("A member who was removed has no reminders any more, and a join sends at most 100, the newest")
    func bounds() throws {
        for number in 0..<105 {
            _ = try addCamp(start: "\(13 + number / 60):\(number % 60 < 10 ? "0" : "")\(number % 60)", end: "23:00", name: "Camp \(number)")
        }
        for _ in 0..<11 {
            pass(10 * Self.minute)
            _ = try fire()
        }
        pass(Self.hour)
        _ = try fire()
        let held = try held(leo)
        #expect(held.count == 100 && held.first == "late Upcoming: Camp 5" && held.last == "late Upcoming: Camp 104")
        try world.mutate(home, home.parent, delete(.member, leo, base: version(leo)))
        #expect(try world.count("fired_reminders") == 105)
    }

    @Test("A database without reminders arms those of all families at its start, and other zone data arms them again")
    func armsAll() throws {
        let other = try world.home("Smith")
        _ = try addCamp()
        try world.mutate(other, other.parent, create(.trip, world.newID(), ["name": .text("Tour"), "start_date": .text("2026-11-21")]))
        guard world.memory == nil else { return }
        try world.damage("DELETE FROM reminders; UPDATE meta SET reminder_zones = NULL")
        #expect(try fire() == [] && world.count("reminders") == 1)
        // As if the zone had been an hour to the west when it was armed.
        try world.damage("UPDATE reminders SET due = due - 3600000, start = start - 3600000; UPDATE meta SET reminder_zones = 'older'")
        pass(30 * Self.minute)
        #expect(try fire() == [])
        pass(Self.hour)
        #expect(try fire().count == 2)
    }

    @Test("A dry run lists the reminders of a member with their reasons, in pages, and says why there are none; it fires nothing")
    func dryRun() throws {
        for number in 0..<70 { _ = try addCamp(start: number == 0 ? "14:00" : "15:00", name: "Camp \(number)") }
        let guest = try world.member(home, .guest, name: "Gus")
        func ask(_ member: Identifier, after: Int64? = nil) throws -> JSONTree {
            try world.reader.answer(.reminders(member: member, from: world.surroundings.now, to: world.surroundings.now + Surroundings.day, after: after)).get()
        }
        let first = try ask(leo)
        let rows = try #require(first["reminders"]?.elements)
        #expect(rows.count == HostQuestion.rows && first["name"]?.text == "Leo")
        #expect(rows[0]["title"]?.text == "Upcoming: Camp 0" && rows[0]["body"]?.text == "No location" && rows[0]["when"]?.text == "2026-11-21T14:00")
        #expect(rows[0]["reason"]?.text == "30 minutes before 14:00" && rows[0]["at"]?.integer == world.surroundings.now + 90 * Self.minute)
        let next = try #require(first["next"]?.integer)
        let second = try ask(leo, after: next)
        #expect(second["reminders"]?.elements.count == 70 - HostQuestion.rows && second["next"] == nil)
        #expect(try ask(guest)["none_because"]?.text == "Nobody has signed in as this member.")
        _ = try world.signIn(guest)
        #expect(try ask(guest)["none_because"]?.text == "Guests get no reminders unless they ask for them.")
        let kid = try world.athlete(home, name: "Kid", born: "2015-01-01")
        #expect(try ask(kid)["none_because"]?.text?.contains("below 13") == true)
        #expect(throws: Rejection.self) { try ask(world.newID()) }
        #expect(try fire() == [] && world.count("reminders") == 70)
    }

    @Test("An erased family leaves no reminders, and its reminders do not fire")
    func erased() throws {
        _ = try addCamp()
        pass(90 * Self.minute)
        _ = try fire()
        _ = try addCamp(start: "18:00", end: "19:00")
        #expect(try world.count("reminders") == 1 && world.count("fired_reminders") == 2)
        try #require(try world.store.perform(DeletionCommand(.request(name: "Rivera"), family: home.family, by: .host)).0.failure == nil)
        pass(15 * Surroundings.day)
        for _ in 0..<4 { try world.purge() }
        _ = world.store.takeNotices()
        #expect(try fire() == [] && world.count("reminders") == 0 && world.count("fired_reminders") == 0)
    }

    @Test("The next reminder, those that are due and those of a member are found by an index", .sqliteOnly("It is about its indexes"))
    func plans() throws {
        for (query, index) in [
            (ReminderTable.nextQuery, "reminders_by_due"), (ReminderTable.dueQuery, "reminders_by_due"), (ReminderTable.unseenQuery, "unseen_reminders"),
        ] {
            let plan = try Database(path: world.path, mode: .readOnly).prepare("EXPLAIN QUERY PLAN " + query).all { $0.text(3) }.joined(separator: "; ")
            #expect(plan.contains(index), "\(plan)")
        }
    }

    @Test("Killed at any operation of the disk between due and seen, a reminder is neither lost nor told twice", .sqliteOnly("It has a file"), arguments: [
        FAULTVFS_LOSE, FAULTVFS_RANDOM, FAULTVFS_KILL,
    ])
    func killed(mode: faultvfs_mode) throws {
        let disk = FaultDisk()
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            let surroundings = Surroundings()
            let home: World.Home
            func told(_ world: World) throws -> Int {
                while try world.store.fireReminders() {}
                return world.store.takeNotices().count { if case .reminder = $0 { true } else { false } }
            }
            func held(_ world: World, _ home: World.Home) throws -> [Reminder] {
                guard case .joined(let state) = try world.join(home, home.parent) else { throw Unexpected() }
                return state.reminders
            }
            var before = 0
            var hasSeen = false
            do {
                let world = try disk.world(surroundings)
                home = try world.home()
                _ = try world.signIn(home.parent)
                let leo = try world.athlete(home)
                try world.mutate(
                    home, home.parent,
                    create(.event, world.newID(), athlete: leo, [
                        "type": .text("camp"), "name": .text("Camp"), "start_date": .text("2026-11-21"), "start_time": .text("14:00"),
                    ]))
                _ = try told(world)
                surroundings.now += 90 * Self.minute
                faultvfs_crash_at(disk.name, Int(operation), mode, UInt64(operation))
                do {
                    before = try told(world)
                    let key = Reminder.Key(item: Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0001), lead: 30, start: surroundings.now + 30 * Self.minute)
                    hasSeen = try world.store.see(key, family: home.family, member: home.parent) == nil
                } catch is StoreFailure {}
            }
            let isLast = faultvfs_crashed(disk.name) == 0
            faultvfs_crash_now(disk.name, mode, UInt64(operation))
            #expect(faultvfs_restart(disk.name) == 0)
            let world = try disk.world(surroundings)
            let after = try told(world)
            #expect(before + after <= 1, "operation \(operation)")
            #expect(try world.count("fired_reminders") == 1 && world.count("reminders") == 0, "operation \(operation)")
            // Seen, with or without an answer, or still to be shown; if nobody was connected, a join shows it.
            if hasSeen { #expect(try held(world, home).isEmpty, "operation \(operation)") }
            if before == 0 { #expect(try held(world, home).count == 1, "operation \(operation)") }
            if isLast { break }
            operation += 1
        }
        #expect(operation > 3)
    }

    @Test("In random histories of items, moves, deletions, sleeps and lost answers each reminder fires exactly once for each start that came")
    func random() throws {
        for seed in 1...UInt64(Environment.value("HUDDLE_SEEDS").flatMap(Int.init).map { max($0, 1) } ?? 6) {
            var random = SplitMix64(seed: seed)
            func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
            var items: [Identifier] = []
            var fired: [Reminder.Key: Int] = [:]
            let world = try World(seed: seed)
            let home = try world.home()
            _ = try world.signIn(home.parent)
            let athlete = try world.athlete(home)
            func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
            func time() -> String { "\(two(number(0...23))):\(two(number(0...59)))" }
            for _ in 0..<120 {
                switch number(0...9) {
                case 0...2:
                    let item = world.newID()
                    items.append(item)
                    let day = "2026-11-\(number(21...24))"
                    try world.mutate(
                        home, home.parent,
                        create(.event, item, athlete: athlete, [
                            "type": .text("game"), "name": .text("Game"), "start_date": .text(day), "start_time": number(0...3) == 0 ? nil : .text(time()),
                        ]))
                case 3, 4:
                    guard let item = items.randomElement(using: &random) else { continue }
                    let record = try world.record(home, item)
                    guard !record.isDeleted else {
                        try world.mutate(home, home.parent, restore(.event, item, base: record.version))
                        continue
                    }
                    if number(0...2) == 0 {
                        try world.mutate(home, home.parent, delete(.event, item, base: record.version))
                    } else {
                        try world.mutate(home, home.parent, update(.event, item, base: record.version, ["start_time": .text(time()), "end_time": .text("23:59")]))
                    }
                case 5: try world.reopen()
                case 6 where world.memory != nil: world.memory?.fail(at: 1, of: .commit, number(0...1) == 0 ? .unknownAndDone : .unknownAndLost)
                default: world.surroundings.now += Int64(number(1...200)) * Self.minute
                }
                while try world.store.fireReminders() {}
                for notice in world.store.takeNotices() {
                    guard case .reminder(let reminder, _, let member) = notice else { continue }
                    #expect(member == home.parent)
                    fired[reminder.key, default: 0] += 1
                }
                world.memory?.failNothing()
                // Nothing that is due waits, and what is armed belongs to a living item.
                #expect(world.store.nextReminder.map { $0 > world.surroundings.now } ?? true, "seed \(seed)")
            }
            #expect(fired.values.allSatisfy { $0 == 1 }, "seed \(seed)")
            let rules = world.surroundings.environment.rules
            guard case .done(let armed) = try world.store.transaction({ _ in try world.store.reminders.due(at: .max, limit: 1_000) }) else { throw Unexpected() }
            for one in armed {
                let record = try world.record(home, one.key.item)
                let plan = ReminderPlan(record, zone: "UTC", rules)
                #expect(plan?.due == one.due && plan?.start == one.key.start && one.due > world.surroundings.now, "seed \(seed)")
            }
            // Every living item whose reminder is still to come is armed.
            for item in items {
                guard let plan = ReminderPlan(try world.record(home, item), zone: "UTC", rules), plan.due > world.surroundings.now else { continue }
                #expect(armed.contains { $0.key.item == item }, "seed \(seed)")
            }
        }
    }
}
