import Bytes
import Calendar
import Dates
import Family
import Glibc
import ICalendar
import Testing

/// The rules of a zone of this machine; `nil` for one that it does not have.
func zoneRules(_ name: String) -> ZoneRules? {
    guard let file = fopen("/usr/share/zoneinfo/\(name)", "r") else { return nil }
    defer { fclose(file) }
    var octets = [UInt8](repeating: 0, count: 400_000)
    octets.removeLast(octets.count - fread(&octets, 1, octets.count, file))
    return try? ZoneRules(tzif: octets)
}

func id(_ number: UInt64) -> Identifier { Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0000 | number) }

func date(_ text: String) -> CalendarDate { CalendarDate(text) ?? .first }

/// Numbers of the members of the tests.
enum Who {
    static let parent = id(1)
    static let sofia = id(2)
    static let mateo = id(3)
    static let guest = id(4)
    static let names = [parent: "Ana Rivera", sofia: "Sofia Rivera", mateo: "Mateo Rivera", guest: "David"]
}

/// A record of the tests: made on 1 April 2026, changed `version` - 1 times since.
func record(
    _ kind: Kind, _ number: UInt64, athlete: Identifier? = nil, version: Int64 = 1, deletedAt: Int64? = nil, _ texts: [String: String],
    flags: [String] = [], references: [String: Identifier] = [:], participants: [Identifier] = []
) -> Record {
    var fields = Fields(kind)
    for (name, text) in texts { fields[name] = .text(text) }
    for name in flags { fields[name] = .flag(true) }
    for (name, id) in references { fields[name] = .reference(id) }
    if !participants.isEmpty { fields["participants"] = .set(participants.map { SetElement(id: $0, name: Who.names[$0] ?? "") }) }
    let made: Int64 = 1_775_037_600_000
    return Record(
        kind: kind, id: id(number), athlete: athlete, version: version, createdAt: made, createdBy: Who.parent, updatedAt: made + (version - 1) * 3_600_000,
        updatedBy: Who.parent, deletedAt: deletedAt, fields: fields)
}

let today = date("2026-04-15")
let noon: Int64 = 1_776_254_400_000

/// A feed of records.
func feed(
    _ records: FeedRecords, _ settings: FeedSettings = FeedSettings(name: "Test", scope: .all, kinds: FeedSettings.feedKinds),
    of owner: FeedOwner = FeedOwner(member: Who.parent, role: .parent), bounds: FeedFile.Bounds = FeedFile.Bounds()
) -> FeedFile {
    FeedFile(
        records, settings, of: owner, id: id(99), address: "https://huddle.example/feeds/TOKEN.ics", today: today, bounds: bounds,
        rules: zoneRules)
}

extension FeedFile {
    var calendar: CalendarComponent {
        get throws {
            let all = try CalendarDecoder.components(octets)
            try #require(all.count == 1)
            return all[0]
        }
    }

    var events: [CalendarComponent] { get throws { try calendar.components.filter { $0.name == "VEVENT" } } }

    var titles: [String] { get throws { try events.compactMap { $0.text("SUMMARY") } } }
}
