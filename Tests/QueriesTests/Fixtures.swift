import Bytes
import Dates
import Family
import Queries

func id(_ number: Int) -> Identifier { Identifier(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)) }

let ana = id(1)
let leo = id(2)

func day(_ text: String) -> CalendarDate { CalendarDate(text) ?? .first }

/// A living record with the named texts, flags and references.
func record(
    _ kind: Kind, _ number: Int, athlete: Identifier? = nil, createdAt: Int64 = 0, deletedAt: Int64? = nil, _ values: [String: Value]
) -> Record {
    var fields = Fields(kind)
    for (name, value) in values { fields[name] = value }
    return Record(
        kind: kind, id: id(number), athlete: kind.declaration.scope == .athlete ? athlete ?? ana : nil, version: 1, createdAt: createdAt,
        createdBy: ana, updatedAt: createdAt, updatedBy: ana, deletedAt: deletedAt, fields: fields)
}

func event(
    _ number: Int, _ name: String, _ start: String, end: String? = nil, time: String? = nil, type: String = "camp",
    athlete: Identifier = ana, _ more: [String: Value] = [:]
) -> Record {
    var values: [String: Value] = ["type": .text(type), "name": .text(name), "start_date": .text(start)]
    if let end { values["end_date"] = .text(end) }
    if let time { values["start_time"] = .text(time) }
    return record(.event, number, athlete: athlete, values.merging(more) { $1 })
}

/// The zones of these tests are whole hours ahead of UTC: "+02".
func instant(_ zone: String, _ local: LocalDateTime) -> Int64? {
    Int(zone).map { Int64(local.minutes - $0 * 60) * 60_000 }
}

extension Query {
    func names(of records: [Record], today: String = "2026-06-15") -> [String] {
        apply(records, today: day(today), instant: instant).map { $0.fields.text("name") ?? $0.fields.text("title") ?? "?" }
    }
}

