import Bytes
import CFaultVFS
import Dates
import Family
import JSON
import Posix
import Reminders
import TestSupport
import Testing
import Wire

@testable import Store

/// An operation that writes the rule of a member.
private func write(_ member: Identifier, _ held: Record?, _ change: (inout ReminderRule) -> Void) -> Family.Operation {
    var rule = ReminderRule(held)
    change(&rule)
    let fields = rule.fields
    let patch = FieldPatch(assignments: fields.values.indices.map { .init(field: $0, value: fields[$0]) })
    let id = ReminderRule.id(of: member)
    guard let held else {
        return Operation(kind: .reminderRule, id: id, action: .create(athlete: nil, patch: FieldPatch(assignments: patch.assignments.filter { $0.value != nil })))
    }
    return Operation(kind: .reminderRule, id: id, action: .update(base: held.version, merge: .disjoint, patch: patch))
}

@Suite("Reminder rules: a change arms again in its own transaction, and each member is reminded at their own times", .bothEngines)
struct ReminderRuleTests {
    private let world: World
    private let home: World.Home
    private let leo: Identifier
    private let mia: Identifier
    private let gus: Identifier
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000

    /// It is noon, UTC, on 21 November 2026. Ana, a parent, the athletes Leo and Mia, and Gus, a guest, have signed in.
    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
        mia = try world.athlete(home, name: "Mia")
        gus = try world.member(home, .guest, name: "Gus")
        for member in [home.parent, leo, mia, gus] { _ = try world.signIn(member) }
        _ = try fire()
    }

    /// Lets the reminders fire that are due.
    ///
    /// - Returns: "ana 30" for Ana's reminder with the lead of 30 minutes, in the order of the texts.
    private func fire() throws -> [String] {
        while try world.store.fireReminders() {}
        return try world.store.takeNotices().map { notice in
            guard case .reminder(let reminder, _, let member) = notice else { throw Unexpected() }
            return "\(member == home.parent ? "ana" : member == leo ? "leo" : member == mia ? "mia" : "gus") \(reminder.key.lead)"
        }.sorted()
    }

    /// A camp at 14:00 of today, unless said otherwise.
    private func addCamp(of athlete: Identifier? = nil, date: String = "2026-11-21", start: String? = "14:00") throws -> Identifier {
        let camp = world.newID()
        try #require(
            try world.mutate(
                home, home.parent,
                create(.event, camp, athlete: athlete ?? leo, [
                    "type": .text("camp"), "name": .text("Camp"), "start_date": .text(date), "start_time": start.map(Value.text), "end_time": start.map { _ in Value.text("23:00") },
                ])).ack != nil)
        return camp
    }

    private func held(_ member: Identifier) throws -> Record? { try world.snapshot(home).records[ReminderRule.id(of: member)] }

    @discardableResult
    private func set(_ member: Identifier, _ change: (inout ReminderRule) -> Void) throws -> Answer {
        let answer = try world.mutate(home, member, write(member, try held(member), change))
        try #require(answer.ack != nil, "\(answer.code as Any)")
        return answer
    }

    private func pass(_ time: Int64) { world.surroundings.now += time }

    @Test("P48 Each member is reminded at their own lead times, by kind and athlete; the others as usual")
    func leads() throws {
        _ = try addCamp()
        _ = try addCamp(of: mia)
        try set(home.parent) {
            $0.leads = [.event: [90, 10]]
            $0.athletes = [mia: [.event: [60]]]
        }
        try set(leo) { $0.leads = [.event: [0]] }
        #expect(try world.count("reminders") == 7, "0, 10, 30 and 90 for Leo's camp, 0, 30 and 60 for Mia's")
        var fired: [[String]] = []
        for _ in 0..<12 {
            pass(10 * Self.minute)
            fired.append(try fire())
        }
        // From 12:10 to 14:00.
        #expect(fired == [[], [], ["ana 90"], [], [], ["ana 60"], [], [], ["mia 30"], [], ["ana 10"], ["leo 0"]])
    }

    @Test("Items without a time have leads of their own, which are on the clocks")
    func days() throws {
        _ = try addCamp(date: "2026-11-23", start: nil)
        try set(home.parent) { $0.leads = [.allDay: [900, 1800]] }
        pass(6 * Self.hour)
        #expect(try fire() == ["ana 1800"], "18:00 two evenings before")
        pass(15 * Self.hour)
        #expect(try fire() == ["ana 900"], "09:00 of the day before")
        pass(9 * Self.hour)
        #expect(try fire() == ["leo 360"], "18:00 of the evening before")
    }

    @Test("A guest is reminded on request; mute, the calendar app and an empty list end it, and the change alone makes no reminder late")
    func requests() throws {
        _ = try addCamp()
        try set(gus) { $0.isMuted = false }
        try set(home.parent) { $0.isMuted = true }
        try set(leo) { $0.calendarReminds = true }
        pass(90 * Self.minute)
        #expect(try fire() == ["gus 30"])
        // Their times have passed, so nothing is caught up.
        try set(home.parent) { $0.isMuted = false }
        try set(leo) {
            $0.calendarReminds = false
            $0.leads = [.event: [60, 20]]
        }
        #expect(try fire() == [])
        try set(gus) { $0.leads = [.event: []] }
        pass(10 * Self.minute)
        #expect(try fire() == ["leo 20"])
        _ = try addCamp(start: "16:00")
        pass(120 * Self.minute)
        #expect(try fire() == ["ana 30", "leo 20", "leo 60"])
    }

    @Test("Deleting a rule, undoing that and restoring it arm again in the same transaction, before and after a restart")
    func undone() throws {
        let camp = try addCamp()
        let made = try set(home.parent) { $0.leads = [.event: [60]] }
        #expect(try world.count("reminders") == 2)
        let undone = try world.undo(home, home.parent, try #require(made.sequence))
        #expect(try undone.ack != nil && world.count("reminders") == 1)
        _ = try world.undo(home, home.parent, try #require(undone.sequence))
        #expect(try world.count("reminders") == 2)
        let rule = try #require(try held(home.parent))
        let deleted = try world.mutate(home, home.parent, delete(.reminderRule, rule.id, base: rule.version))
        #expect(try deleted.ack != nil && world.count("reminders") == 1)
        try world.reopen()
        #expect(try world.count("reminders") == 1)
        // A batch brings it back with other leads.
        let gone = try #require(try held(home.parent))
        var patch = FieldPatch()
        patch.assignments = [.init(field: Kind.reminderRule.field("leads"), value: .json(Array(#"{"event":[45,61]}"#.utf8)))]
        let back = try world.mutate(
            home, home.parent, restore(.reminderRule, gone.id, base: gone.version),
            Operation(kind: .reminderRule, id: gone.id, action: .update(base: gone.version, merge: .disjoint, patch: patch)))
        #expect(try back.ack != nil && world.count("reminders") == 3)
        try world.mutate(home, home.parent, delete(.event, camp, base: 1))
        #expect(try world.count("reminders") == 0)
        try world.mutate(home, home.parent, restore(.event, camp, base: 2))
        #expect(try world.count("reminders") == 3)
        pass(75 * Self.minute)
        #expect(try fire() == ["ana 45", "ana 61"])
    }

    @Test("A moved item takes each lead along: those that had not fired, also into the past, and those whose time comes again")
    func moved() throws {
        let camp = try addCamp(start: "20:00")
        try set(home.parent) { $0.leads = [.event: [60, 480, 10]] }
        #expect(try world.count("reminders") == 3, "the lead of 480 minutes has its time now")
        // To 12:50: two leads are due, 10 minutes are still to come.
        try world.mutate(home, home.parent, update(.event, camp, base: 1, ["start_time": .text("12:50")]))
        #expect(try fire() == ["ana 60"])
        pass(20 * Self.minute)
        #expect(try fire() == ["leo 30"])
        pass(20 * Self.minute)
        #expect(try fire() == ["ana 10"])
        try world.mutate(home, home.parent, update(.event, camp, base: 2, ["start_time": .text("23:00"), "end_time": .text("23:30")]))
        #expect(try world.count("reminders") == 4)
    }

    @Test("A rule, a zone and new items in one commit arm each item once, in any order")
    func oneCommit() throws {
        func camp() -> Family.Operation {
            create(.event, world.newID(), athlete: leo, [
                "type": .text("camp"), "name": .text("Camp"), "start_date": .text("2026-11-21"), "start_time": .text("18:00"), "end_time": .text("23:00"),
            ])
        }
        let family = try world.record(home, home.family)
        let answers = try world.commit([
            world.proposal(home, home.parent, [write(home.parent, nil) { $0.leads = [.event: [60]] }]), world.proposal(home, home.parent, [camp()]),
            world.proposal(home, home.parent, [update(.family, home.family, base: family.version, ["time_zone": .text("America/New_York")])]),
            world.proposal(home, home.parent, [camp(), camp()]), world.proposal(home, leo, [write(leo, nil) { $0.leads = [.event: [10]] }]),
        ])
        #expect(try answers.allSatisfy { $0.ack != nil } && world.count("reminders") == 9)
        pass(10 * Self.hour)
        #expect(try fire() == ["ana 60", "ana 60", "ana 60"])
        pass(Self.hour)
        #expect(try fire() == ["leo 10", "leo 10", "leo 10"])
    }

    @Test("Only its own member writes a rule, everyone in the family can read it, and invalid rules are refused")
    func rights() throws {
        for member in [home.parent, leo, gus] { #expect(try world.mutate(home, member, write(mia, nil) { $0.isMuted = true }).code == .notAllowed) }
        #expect(try world.mutate(home, mia, create(.reminderRule, world.newID(), ["muted": .flag(true)])).code == .notAllowed)
        try set(mia) { $0.isMuted = true }
        let rule = try #require(try held(mia))
        #expect(try world.mutate(home, home.parent, delete(.reminderRule, rule.id, base: 1)).code == .notAllowed)
        #expect(try world.mutate(home, mia, update(.reminderRule, rule.id, base: 1, ["leads": .json(Array(#"{"event":[1,2,3,4,5,6]}"#.utf8))])).code == .invalid)
        #expect(try world.mutate(home, mia, update(.reminderRule, rule.id, base: 1, ["quiet_from": .text("22:00")])).code == .required)
        #expect(try world.mutate(home, mia, update(.reminderRule, rule.id, base: 1, ["time_zone": .text("Mars/Base")])).code == .invalid)
        let stranger = try world.home("Other")
        let answers = try [rule.id, world.newID()].map { try world.mutate(stranger, stranger.parent, delete(.reminderRule, $0, base: 1)).code }
        #expect(answers[0] != nil && answers[0] == answers[1], "a stranger cannot tell a rule of ours from one that is nowhere")
        #expect(try held(mia)?.version == 1)
    }

    @Test("A dry run lists a member's reminders by their own rule, and says what silences them")
    func dryRun() throws {
        _ = try addCamp()
        func ask(_ member: Identifier) throws -> JSONTree {
            try world.reader.answer(.reminders(member: member, from: world.surroundings.now, to: world.surroundings.now + Surroundings.day, after: nil)).get()
        }
        try set(leo) { $0.leads = [.event: [60, 0]] }
        let rows = try #require(try ask(leo)["reminders"]?.elements)
        #expect(rows.map { $0["reason"]?.text } == ["1 hour before 14:00, by the member's own rule", "at 14:00, by the member's own rule"])
        #expect(rows.map { $0["at"]?.integer } == [60, 120].map { world.surroundings.now + $0 * Self.minute })
        #expect(try ask(home.parent)["reminders"]?.elements.first?["reason"]?.text == "30 minutes before 14:00")
        #expect(try ask(gus)["none_because"]?.text == "Guests get no reminders unless they ask for them.")
        try set(gus) { $0.isMuted = false }
        #expect(try ask(gus)["reminders"]?.elements.count == 1)
        try set(gus) { $0.isMuted = true }
        #expect(try ask(gus)["none_because"]?.text == "The member has muted reminders.")
        try set(leo) { $0.calendarReminds = true }
        #expect(try ask(leo)["none_because"]?.text == "The member's calendar app reminds them.")
        #expect(try fire() == [])
    }

    @Test("The rules of the members bound the number of armed reminders, and a family without rules arms one reminder for each item")
    func bounds() throws {
        for number in 0..<20 { _ = try addCamp(date: "2026-12-\(number < 9 ? "0" : "")\(number + 1)") }
        #expect(try world.count("reminders") == 20)
        for (place, member) in [home.parent, leo, mia, gus].enumerated() {
            try set(member) { $0.leads = [.event: (0..<5).map { Int64(place * 5 + $0 + 100) }] }
        }
        #expect(try world.count("reminders") == 20 * 21)
        for member in [home.parent, leo, mia, gus] { try set(member) { $0.leads = [:] } }
        #expect(try world.count("reminders") == 20)
    }

    @Test("Killed at any operation of the disk, a change of a rule is there with everything that it arms, or not at all", .sqliteOnly("It has a file"), arguments: [
        FAULTVFS_LOSE, FAULTVFS_RANDOM, FAULTVFS_KILL,
    ])
    func killed(mode: faultvfs_mode) throws {
        let disk = FaultDisk()
        var operation = 1
        var outcomes: Set<Int> = []
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            let surroundings = Surroundings()
            let home: World.Home
            var isAcknowledged = false
            do {
                let world = try disk.world(surroundings)
                home = try world.home()
                _ = try world.signIn(home.parent)
                let leo = try world.athlete(home)
                for hour in 14...16 {
                    try world.mutate(
                        home, home.parent,
                        create(.event, world.newID(), athlete: leo, [
                            "type": .text("camp"), "name": .text("Camp"), "start_date": .text("2026-11-21"), "start_time": .text("\(hour):00"),
                        ]))
                }
                while try world.store.fireReminders() {}
                faultvfs_crash_at(disk.name, Int(operation), mode, UInt64(operation))
                do {
                    isAcknowledged = try world.mutate(home, home.parent, write(home.parent, nil) { $0.leads = [.event: [45, 60]] }).ack != nil
                } catch is StoreFailure {}
            }
            let isLast = faultvfs_crashed(disk.name) == 0
            faultvfs_crash_now(disk.name, mode, UInt64(operation))
            #expect(faultvfs_restart(disk.name) == 0)
            let world = try disk.world(surroundings)
            let rule = try world.snapshot(home).records[ReminderRule.id(of: home.parent)]
            let armed = try world.count("reminders")
            #expect(armed == (rule == nil ? 3 : 9), "operation \(operation)")
            if isAcknowledged { #expect(rule != nil, "operation \(operation)") }
            outcomes.insert(armed)
            surroundings.now += 5 * Self.hour
            while try world.store.fireReminders() {}
            #expect(try world.count("fired_reminders") == (rule == nil ? 3 : 6) && world.count("reminders") == 0, "operation \(operation)")
            if isLast { break }
            operation += 1
        }
        // A kill alone loses nothing that was written, and the whole change is one write.
        #expect(operation > 3 && outcomes.contains(9) && (mode == FAULTVFS_KILL || outcomes.contains(3)))
    }
}

@Suite("A season hour by hour", .bothEngines)
struct ReminderSeasonTests {
    /// A reminder of one member.
    private struct Fact: Hashable {
        var member: Identifier
        var key: Reminder.Key
    }

    /// The family at one moment, with the reminders that follow from it by the pure rules.
    private struct Moment {
        var records: [Identifier: Record]
        var zone: String
        var rules: ReminderRules
        let environment: RuleEnvironment

        init(_ records: [Identifier: Record], _ home: World.Home, _ environment: RuleEnvironment) {
            self.records = records
            self.environment = environment
            zone = records[home.family]?.fields.text("time_zone") ?? "UTC"
            rules = ReminderRules(records.values.filter { $0.kind == .reminderRule })
        }

        func plan(_ item: Identifier) -> ReminderPlan? { records[item].flatMap { ReminderPlan($0, zone: zone, environment) } }

        func due(_ item: Identifier, _ plan: ReminderPlan) -> [Int64: Int64] {
            guard let record = records[item] else { return [:] }
            return Dictionary(uniqueKeysWithValues: rules.leads(of: record, plan).map { ($0, plan.due(lead: $0, environment)) })
        }

        /// The leads of an item that are still to come, each with its time.
        func armed(_ item: Identifier, at now: Int64) -> [Int64: Int64] { plan(item).map { due(item, $0).filter { $0.value > now } } ?? [:] }

        func facts(_ item: Identifier, _ lead: Int64, _ plan: ReminderPlan, _ members: [Identifier: Role]) -> [Fact] {
            guard let record = records[item] else { return [] }
            let trip = record.fields.reference("trip_id").flatMap { records[$0] }
            return ReminderAudience.members(of: record, trip: trip, among: members, askers: rules.askers(among: members.keys))
                .filter { rules.leads(of: record, plan, for: $0).contains(lead) }
                .map { Fact(member: $0, key: Reminder.Key(item: item, lead: lead, start: plan.start)) }
        }
    }

    @Test("Moves, deletions, rules, zones and sleeps: hour by hour exactly the reminders fire, and are armed, that follow by the pure rules")
    func season() throws {
        let days = Environment.value("HUDDLE_SEASON").flatMap(Int.init).map { max($0, 1) } ?? 5
        for seed in 1...UInt64(Environment.value("HUDDLE_SEEDS").flatMap(Int.init).map { max($0, 1) } ?? 2) { try season(seed: seed, days: days) }
    }

    private func season(seed: UInt64, days: Int) throws {
        var random = SplitMix64(seed: seed)
        let world = try World(seed: seed)
        let home = try world.home(zone: "America/New_York")
        let (leo, mia) = (try world.athlete(home), try world.athlete(home, name: "Mia"))
        let gus = try world.member(home, .guest, name: "Gus")
        let members: [Identifier: Role] = [home.parent: .parent, leo: .athlete, mia: .athlete, gus: .guest]
        for member in members.keys.sorted() { _ = try world.signIn(member) }
        let trip = world.newID()
        try world.mutate(home, home.parent, create(.trip, trip, ["name": .text("Tour"), "start_date": .text("2026-11-21"), "end_date": .text("2027-06-30")]))
        let environment = world.surroundings.environment.rules
        let zones = ["UTC", "America/New_York", "Europe/Warsaw", "Asia/Kathmandu", "Pacific/Apia", "America/Santiago"]
        let choices: [Int64] = [0, 10, 30, 60, 360, 900, 1440, 2880, 40_320]
        var items: [Identifier] = []
        var fired: Set<Fact> = []
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        func moment() throws -> Moment { Moment(try world.snapshot(home).records, home, environment) }
        func fire() throws -> [Fact] {
            while try world.store.fireReminders() {}
            return world.store.takeNotices().compactMap { notice in
                guard case .reminder(let reminder, _, let member) = notice else { return nil }
                return Fact(member: member, key: reminder.key)
            }
        }
        func time() -> String { "\(two(random.number(0..<24))):\(two(random.number(0..<60)))" }
        func day() -> String { "\(CalendarDate(utc: world.surroundings.now).adding(days: random.number(0..<6)) ?? .last)" }
        func eventFields() -> KeyValuePairs<String, Value?> {
            let hasTime = random.number(0..<4) > 0
            let start = hasTime ? time() : nil
            return [
                "start_date": .text(day()), "end_date": nil, "start_time": start.map(Value.text), "end_time": nil,
                "checkin_time": hasTime && random.number(0..<4) == 0 ? .text(time()) : nil,
                "time_zone": random.number(0..<3) == 0 ? .text(zones[random.number(0..<zones.count)]) : nil,
            ]
        }
        func itemFields() -> KeyValuePairs<String, Value?> {
            let (day, hour, zone) = (day(), random.number(0..<23), zones[random.number(0..<zones.count)])
            let isTimed = random.number(0..<3) > 0
            return [
                "start_time": .text("\(day)T\(two(hour)):30"), "start_zone": .text(zone), "end_time": isTimed ? .text("\(day)T\(two(hour + 1)):15") : nil,
                "end_zone": isTimed ? .text(zone) : nil,
            ]
        }
        func act(_ before: Moment) throws {
            switch random.number(0..<20) {
            case 0..<3:
                let event = world.newID()
                items.append(event)
                try world.mutate(
                    home, home.parent,
                    create(.event, event, athlete: random.number(0..<2) == 0 ? leo : mia, [
                        "type": .text("game"), "name": .text("Game"), "start_date": .text(day()), "start_time": random.number(0..<4) == 0 ? nil : .text(time()),
                    ]))
            case 3, 4:
                let item = world.newID()
                items.append(item)
                var fields: [(String, Value?)] = [("trip_id", .reference(trip)), ("title", .text("Bus"))]
                for (name, value) in itemFields() { fields.append((name, value)) }
                var assignments: [FieldPatch.Assignment] = []
                for (name, value) in fields where value != nil { assignments.append(.init(field: Kind.tripItem.field(name), value: value)) }
                assignments.sort { $0.field < $1.field }
                let creation = Family.Operation(kind: .tripItem, id: item, action: .create(athlete: nil, patch: FieldPatch(assignments: assignments)))
                try world.mutate(home, home.parent, creation)
            case 5..<10:
                guard let item = items.randomElement(using: &random), let record = before.records[item] else { return }
                if record.isDeleted {
                    try world.mutate(home, home.parent, restore(record.kind, item, base: record.version))
                } else if random.number(0..<4) == 0 {
                    try world.mutate(home, home.parent, delete(record.kind, item, base: record.version))
                } else {
                    try world.mutate(home, home.parent, update(record.kind, item, base: record.version, record.kind == .event ? eventFields() : itemFields()))
                }
            case 10:
                guard let family = before.records[home.family] else { return }
                try world.mutate(home, home.parent, update(.family, home.family, base: family.version, ["time_zone": .text(zones[random.number(0..<zones.count)])]))
            case 11..<15:
                guard let member = members.keys.sorted().randomElement(using: &random) else { return }
                let held = before.records[ReminderRule.id(of: member)]
                if let held, random.number(0..<5) == 0 {
                    try world.mutate(home, member, held.isDeleted ? restore(.reminderRule, held.id, base: held.version) : delete(.reminderRule, held.id, base: held.version))
                    return
                }
                guard !(held?.isDeleted ?? false) else { return }
                func some() -> [Int64] { Array(choices.shuffled(using: &random).prefix(random.number(0..<6))).sorted() }
                let (kind, item) = (random.number(0..<6), ReminderRule.Item.allCases[random.number(0..<3)])
                let list = some()
                try world.mutate(
                    home, member,
                    write(member, held) { rule in
                        switch kind {
                        case 0: rule.isMuted.toggle()
                        case 1: rule.calendarReminds.toggle()
                        case 2: rule.athletes[leo, default: [:]][item == .tripItem ? .event : item] = list
                        default: rule.leads[item] = list
                        }
                    })
            default: break
            }
        }
        for hour in 0..<(days * 24) {
            let before = try moment()
            let now = world.surroundings.now
            let count = items.count
            try act(before)
            let after = try moment()
            // A moved item takes along what had not fired, also if its time has passed by that.
            var expected: Set<Fact> = []
            for item in items.prefix(count) {
                guard let plan = after.plan(item), plan != before.plan(item) || before.zone != after.zone, plan.end > now else { continue }
                let held = Set(before.armed(item, at: now).keys)
                let due = after.due(item, plan)
                let isReplaced = !held.isEmpty && held.isDisjoint(with: due.keys)
                for (lead, time) in due where time <= now && (isReplaced || held.contains(lead)) { expected.formUnion(after.facts(item, lead, plan, members)) }
            }
            expected.subtract(fired)
            let first = try fire()
            #expect(Set(first) == expected && first.count == expected.count, "seed \(seed), hour \(hour): after the change")
            fired.formUnion(first)
            // An hour passes, or the server sleeps for longer.
            let isAsleep = random.number(0..<20) == 0
            world.surroundings.now += Int64(isAsleep ? random.number(2..<40) : 1) * 3_600_000
            if isAsleep { try world.reopen() }
            var due: Set<Fact> = []
            for item in items {
                guard let plan = after.plan(item) else { continue }
                for (lead, time) in after.armed(item, at: now) where time <= world.surroundings.now { due.formUnion(after.facts(item, lead, plan, members)) }
            }
            due.subtract(fired)
            let second = try fire()
            #expect(Set(second) == due && second.count == due.count, "seed \(seed), hour \(hour): after the time")
            fired.formUnion(second)
            guard case .done(let armed) = try world.store.transaction({ _ in try world.store.reminders.due(at: .max, limit: 10_000) }) else { throw Unexpected() }
            let stored = Set(armed.map { "\($0.key.item) \($0.key.lead) \($0.due)" })
            let wanted = Set(items.flatMap { item in after.armed(item, at: world.surroundings.now).map { "\(item) \($0.key) \($0.value)" } })
            #expect(stored == wanted && armed.count == wanted.count, "seed \(seed), hour \(hour): armed")
            guard first.count == expected.count, second.count == due.count, stored == wanted else { return }
        }
        #expect(fired.count > days * 4, "seed \(seed): only \(fired.count)")
    }
}
