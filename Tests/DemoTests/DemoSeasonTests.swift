import Bytes
import Dates
import Family
import Demo
import Testing
import Wire

@Suite("The demo family's season")
struct DemoSeasonTests {
    /// The final state of a create.
    typealias Made = (id: Identifier, athlete: Identifier?, author: Identifier, fields: Fields, sets: [FieldPatch.SetEdit])

    /// A season, and every created record's fields by kind.
    struct Season {
        let parents = [Identifier(high: 1, low: 1), Identifier(high: 1, low: 2)]
        let athletes = [Identifier(high: 2, low: 1), Identifier(high: 2, low: 2)]
        let mutations: [(author: Identifier, operations: [Operation])]

        init(today: String) {
            guard let today = CalendarDate(today) else { preconditionFailure("\(today) is not a date") }
            var last: UInt64 = 0
            mutations = DemoSeason.mutations(today: today, parents: parents, athletes: athletes) {
                last += 1
                return Identifier(high: 9, low: last)
            }.map { ($0.author, $0.operations) }
        }

        /// The fields of a created record after its create and its updates, without sets.
        func records(_ kind: Kind) -> [Made] {
            var records: [Made] = []
            for (author, operations) in mutations {
                for operation in operations where operation.kind == kind {
                    switch operation.action {
                    case .create(let athlete, let patch):
                        var fields = Fields(kind)
                        for assignment in patch.assignments { fields[assignment.field] = assignment.value }
                        records.append((operation.id, athlete, author, fields, patch.setEdits))
                    case .update(_, _, let patch):
                        guard let index = records.firstIndex(where: { $0.id == operation.id }) else { continue }
                        for assignment in patch.assignments { records[index].fields[assignment.field] = assignment.value }
                        records[index].sets += patch.setEdits
                    case .delete, .restore, .shift, .copy: break
                    }
                }
            }
            return records
        }
    }

    static let days = ["2026-11-21", "2024-02-29", "2027-01-01", "2026-03-08", "2026-07-31"]

    @Test("The season is in order of time: set up in one evening, then messages over two weeks, nothing after today", arguments: days)
    func moments(today: String) throws {
        let today = try #require(CalendarDate(today))
        let people = (1...4).map { Identifier(high: 1, low: UInt64($0)) }
        var last: UInt64 = 0
        let steps = DemoSeason.mutations(today: today, parents: Array(people[..<2]), athletes: Array(people[2...])) {
            last += 1
            return Identifier(high: 9, low: last)
        }
        #expect(steps.map(\.at) == steps.map(\.at).sorted())
        #expect(steps.allSatisfy { $0.at > DemoSeason.began && $0.at.day <= 0 && (0..<24 * 60).contains($0.at.minute) })
        let said = steps.filter { $0.operations.contains { $0.kind == .message } }
        #expect(Set(said.map(\.at)).count == said.count && Set(said.map(\.at.day)).count >= 10)
    }

    @Test("The season has the schools, coaches, events and messages of a full season", arguments: days)
    func counts(today: String) {
        let season = Season(today: today)
        #expect(season.records(.school).count == 12)
        #expect(season.records(.coach).count >= 20)
        #expect(season.records(.event).count == 40)
        #expect(season.records(.message).count >= 25)
        for athlete in season.athletes { #expect(season.records(.event).count(where: { $0.athlete == athlete }) == 20) }
    }

    @Test("Every mutation fits the limit, and its author is a member who may send it", arguments: days)
    func authors(today: String) {
        let season = Season(today: today)
        for (author, operations) in season.mutations {
            #expect((1...25).contains(operations.count))
            #expect(season.parents.contains(author) || season.athletes.contains(author))
        }
        for event in season.records(.event) { #expect(season.parents.contains(event.author) || event.author == event.athlete) }
    }

    @Test("Every mutation is one that a client could have sent")
    func wire() throws {
        for (index, mutation) in Season(today: "2026-11-21").mutations.enumerated() {
            let frame = ClientFrame.mutate(id: Int64(index + 1), operations: mutation.operations)
            #expect(try ClientFrame.decode(frame.encode(), limits: Limits()) == frame)
        }
    }

    @Test("An operation refers only to records created by earlier mutations")
    func references() {
        let season = Season(today: "2026-11-21")
        var known: [Identifier: Kind] = [:]
        for member in season.parents + season.athletes { known[member] = .member }
        for (_, operations) in season.mutations {
            var created: [Identifier: Kind] = [:]
            for operation in operations {
                let patch: FieldPatch
                switch operation.action {
                case .create(_, let given):
                    patch = given
                    #expect(given.setEdits.isEmpty, "a create has no add and remove on the wire")
                    #expect(known[operation.id] == nil && created[operation.id] == nil)
                    created[operation.id] = operation.kind
                case .update(let base, _, let given):
                    patch = given
                    #expect(known[operation.id] == operation.kind && base == 1)
                case .delete, .restore, .shift, .copy: continue
                }
                #expect(patch.assignments.map(\.field) == patch.assignments.map(\.field).sorted())
                for assignment in patch.assignments {
                    switch (operation.kind.declaration.fields[assignment.field].type, assignment.value) {
                    case (.reference(let kind), .reference(let id)): #expect(known[id] == kind)
                    case (.link, .link(let kind, let id)): #expect(known[id] == kind)
                    case (.set(let kind, _), .set(let elements)): for element in elements { #expect(known[element.id] == kind) }
                    default: break
                    }
                }
                for edit in patch.setEdits {
                    guard case .set(let kind, _) = operation.kind.declaration.fields[edit.field].type else {
                        Issue.record("\(operation.kind) has no set at \(edit.field)")
                        continue
                    }
                    #expect(Set(edit.add).count == edit.add.count && !edit.add.isEmpty)
                    for id in edit.add { #expect(known[id] == kind) }
                }
            }
            known.merge(created) { old, _ in old }
        }
    }

    @Test("No event has been updated twice, so that the base version of each update is right")
    func updatesOnce() {
        let updated = Season(today: "2026-11-21").mutations.flatMap(\.operations).filter {
            if case .update = $0.action { return true }
            return false
        }
        #expect(Set(updated.map(\.id)).count == updated.count)
        #expect(updated.count >= 15)
    }

    @Test("Events cover every case of the product", arguments: days)
    func variety(today: String) {
        let events = Season(today: today).records(.event)
        func count(_ fits: (Fields) -> Bool) -> Int { events.count { fits($0.fields) } }
        for type in ["camp", "showcase", "official_visit", "unofficial_visit", "game"] {
            #expect(count { $0.text("type") == type } >= 3, "\(type)")
        }
        for source in ["email", "flyer", "web_search", "recommendation", "friend", "other"] {
            #expect(count { $0.text("event_source") == source } >= 1, "\(source)")
        }
        #expect(count { $0.flag("attended") } >= 15)
        #expect(count { $0.flag("registered") && !$0.flag("attended") } >= 8)
        #expect(count { !$0.flag("registered") && !$0.flag("attended") } >= 8)
        #expect(count { $0.text("end_date") != nil } >= 8)
        #expect(count { $0.text("cost") != nil } >= 15)
        #expect(count { $0.text("cost") == "0" } >= 1)
        #expect(count { $0.text("checkin_time") != nil } >= 10)
        #expect(count { $0.text("host") != nil && $0.reference("school_id") == nil } >= 8)
        #expect(count { $0.text("performance_notes") != nil } >= 10)
        #expect(count { $0["stats_recorded"] != nil } >= 10)
        #expect(count { $0.text("start_time") == "23:15" && $0.text("end_time") == nil } == 1)
        #expect(Set(events.compactMap { $0.fields.text("state") }).count >= 10)
        #expect(Set(events.compactMap { $0.fields.text("time_zone") }).count >= 4)
        #expect(events.count { !$0.sets.isEmpty } >= 12)
    }

    @Test("Dates exist, are in order, and are on both sides of today, with one event in progress and one tonight", arguments: days)
    func dates(today: String) throws {
        let events = Season(today: today).records(.event)
        var past = 0
        var future = 0
        for event in events {
            let start = try #require(event.fields.text("start_date"))
            let end = event.fields.text("end_date") ?? start
            for date in [start, end] { #expect(Self.exists(date), "\(date)") }
            #expect(start <= end)
            if end < today { past += 1 }
            if start > today { future += 1 }
            if event.fields.flag("attended") { #expect(end < today, "\(event.fields.text("name") ?? "") is attended and not over") }
        }
        #expect(past == 21 && future == 17)
        #expect(events.count { $0.fields.text("start_date") == today } == 1)
        #expect(events.count { ($0.fields.text("start_date") ?? "") < today && ($0.fields.text("end_date") ?? "") > today } == 1)
    }

    @Test("The name of the season agrees with the month, and no placeholder is left")
    func seasonWords() throws {
        let words = ["Winter", "Winter", "Spring", "Spring", "Spring", "Summer", "Summer", "Summer", "Fall", "Fall", "Fall", "Winter"]
        for today in Self.days {
            for event in Season(today: today).records(.event) {
                let name = try #require(event.fields.text("name"))
                #expect(!name.contains("{"))
                let month = try #require(Int(event.fields.text("start_date")?.dropFirst(5).prefix(2) ?? ""))
                for word in Set(words) where name.contains(word) { #expect(word == words[month - 1], "\(name) in month \(month)") }
            }
        }
    }

    @Test("The domain's rules and permissions accept every operation, and each attendance changes its event", arguments: days)
    func accepted(today: String) throws {
        let season = Season(today: today)
        let zones: Set = ["America/New_York", "America/Chicago", "America/Denver", "America/Phoenix", "America/Los_Angeles"]
        let environment = RuleEnvironment { zones.contains($0) }
        var held: [Identifier: Record] = [:]
        for (author, operations) in season.mutations {
            let actor = Actor(member: author, role: season.parents.contains(author) ? .parent : .athlete)
            for (index, var operation) in operations.enumerated() {
                try Validation.canonicalize(&operation, index: index, environment: environment)
                var access = Access(actor: actor, kind: operation.kind, action: .create)
                var record = Record(
                    kind: operation.kind, id: operation.id, athlete: nil, version: 1, createdAt: 0, createdBy: author, updatedAt: 0,
                    updatedBy: author, fields: Fields(operation.kind))
                switch operation.action {
                case .create(let athlete, let patch):
                    access.owner = athlete
                    record.athlete = athlete
                    record.fields = Merge.apply(patch, to: record.fields) { _, id in SetElement(id: id) }.fields
                    Validation.applyDefaults(
                        &record.fields, environment: environment,
                        context: { RuleContext(member: author, now: 0, zone: DemoSeason.timeZone, targets: held) })
                case .update(_, _, let patch):
                    record = try #require(held[operation.id])
                    access.action = .update
                    access.owner = record.athlete
                    let merged = Merge.apply(patch, to: record.fields) { _, id in SetElement(id: id) }
                    #expect(!merged.changed.isEmpty)
                    record.fields = merged.fields
                case .delete, .restore, .shift, .copy:
                    Issue.record("the demo deletes nothing")
                }
                try Permission.check(access, operation: index, id: operation.id)
                try Validation.check(record.fields, operation: index, id: operation.id, environment: environment)
                held[operation.id] = record
            }
        }
        let late = try #require(held.values.first { $0.kind == .event && $0.fields.text("start_time") == "23:15" })
        #expect(late.fields.text("end_time") == "00:15")
        #expect(late.fields.text("end_date") ?? "" > late.fields.text("start_date") ?? "")

        // No person is in two places, and items are within their trip.
        for trip in held.values where trip.kind == .trip {
            let planned = held.values.filter { $0.kind == .tripItem && $0.fields.reference("trip_id") == trip.id }
            let items = planned.compactMap { OverlapCheck.Item(id: $0.id, $0.fields, environment) }
            let travellers = Set(trip.fields.set("participants").map(\.id))
            #expect(OverlapCheck.overlaps(of: Set(items.map(\.id)), among: items, travellers: travellers) == [])
            for item in planned {
                #expect(item.fields.text("start_time") ?? "" >= trip.fields.text("start_date") ?? "?")
                #expect((item.fields.text("end_time") ?? item.fields.text("start_time") ?? "?").prefix(10) <= trip.fields.text("end_date") ?? "")
                #expect(Set(item.fields.set("participants").map(\.id)).isSubset(of: travellers))
            }
        }
        // Results at an event have its day and its school; the others have their own date.
        for contact in held.values where contact.kind == .interaction {
            #expect(contact.fields.text("occurred_at") ?? "?" < today + "T")
            #expect(contact.fields.text("subject") != nil)
        }
        for result in held.values where result.kind == .metric {
            #expect(result.fields.text("recorded_date") ?? "?" < today)
            #expect(result.fields.text("unit") != nil)
        }
    }

    @Test("Trips, items, results and contacts cover every case of the product", arguments: days)
    func plans(today: String) {
        let season = Season(today: today)
        func records(_ kind: Kind, _ name: String) -> Set<String> { Set(season.records(kind).compactMap { $0.fields.text(name) }) }
        #expect(season.records(.trip).count == 3 && season.records(.tripItem).count == 19)
        #expect(season.records(.metric).count == 16 && season.records(.interaction).count == 13)
        #expect(records(.tripItem, "category").count == 6)
        #expect(records(.tripItem, "source_type") == ["ai_extracted", "places_tab"])
        #expect(season.records(.tripItem).contains { $0.fields.text("end_time") == nil })
        #expect(season.records(.tripItem).contains { $0.fields.text("start_zone") != nil } && records(.trip, "time_zone").count == 3)
        #expect(season.records(.trip).contains { $0.fields.text("end_date") ?? "" < today })
        #expect(records(.metric, "metric_type").count == 6 && season.records(.metric).contains { $0.fields.reference("event_id") == nil })
        #expect(records(.interaction, "interaction_type").count == 4 && records(.interaction, "direction").count == 2)
        #expect(records(.interaction, "sentiment").count == 4)
        // Every result and contact of an event found its event.
        #expect(season.records(.metric).count { $0.fields.reference("event_id") != nil } == 14)
        #expect(season.records(.interaction).count { $0.fields.reference("event_id") != nil } == 7)
    }

    @Test("Messages are about events and mention members")
    func messages() {
        let messages = Season(today: "2026-11-21").records(.message)
        #expect(messages.count { $0.fields["about"] != nil } >= 15)
        #expect(messages.count { !$0.fields.set("mentions").isEmpty } >= 5)
        #expect(Set(messages.map(\.author)).count == 4)
    }

    @Test("The athletes are 17 and 16", arguments: days)
    func ages(today: String) throws {
        let births = DemoSeason.birthDates(today: try #require(CalendarDate(today))).map(\.description)
        for (birth, age) in zip(births, [17, 16]) {
            #expect(Self.exists(birth))
            let year = try #require(Int(today.prefix(4)))
            #expect("\(year - age)" + today.dropFirst(4) >= birth && "\(year - age - 1)" + today.dropFirst(4) < birth)
        }
    }

    @Test("Every e-mail address and every URL ends in .example")
    func addresses() throws {
        let season = Season(today: "2026-11-21")
        for coach in season.records(.coach) {
            let email = try #require(coach.fields.text("email"))
            #expect(email.hasSuffix(".example") && email.contains("@"))
        }
        for kind in [Kind.school, .event] {
            for record in season.records(kind) {
                guard let url = record.fields.text("url") else { continue }
                #expect(url.hasPrefix("https://www.") && url.contains(".example/"))
            }
        }
    }

    /// Whether `YYYY-MM-DD` is a day, by a table of the test's own.
    static func exists(_ text: String) -> Bool {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard text.utf8.count == 10, parts.count == 3, (1...12).contains(parts[1]) else { return false }
        let isLeap = parts[0] % 4 == 0 && (parts[0] % 100 != 0 || parts[0] % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[parts[1] - 1]).contains(parts[2])
    }
}
