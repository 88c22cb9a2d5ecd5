import Bytes
import Dates
import Family
import Queries

/// A list, specified once more in the plainest way: over records as any client holds them, with texts where `Queries` has keys.
struct NaiveList {
    let rules: RuleEnvironment
    /// In the family's zone.
    let today: CalendarDate

    /// A key for comparison: numbers, or octets of folded text.
    enum Word: Comparable {
        case number(Int64)
        case text(String)
    }

    func list(_ query: Query, _ records: some Sequence<Record>) -> [Record] {
        let columns = columns(query)
        return records.filter { matches(query, $0) }
            .map { record in (words: columns.map { $0.word(record) }, record: record) }
            .sorted { left, right in
                for (index, column) in columns.enumerated() where left.words[index] != right.words[index] {
                    return column.descends ? right.words[index] < left.words[index] : left.words[index] < right.words[index]
                }
                return left.record.id < right.record.id
            }
            .map(\.record)
    }

    // MARK: Order

    private struct Column {
        var descends = false
        var word: (Record) -> Word
    }

    private func columns(_ query: Query) -> [Column] {
        func date(_ descends: Bool) -> Column { Column(descends: descends) { moment($0) } }
        func created(_ descends: Bool) -> Column { Column(descends: descends) { .number($0.createdAt) } }
        let name = Column { .text(Self.folded(Self.name($0))) }
        switch query.sort {
        case .dateDescending: return [date(true), name]
        case .dateAscending, .start: return [date(false), name]
        case .name: return [name, date(true)]
        case .type: return [Column { .text(Self.text($0, Self.type) ?? "") }, date(true), created(true), name]
        case .newest: return [created(true), name]
        case .oldest: return [created(false), name]
        case .mostShared: return [Column(descends: true) { .number(Int64($0.fields.set("shared_with_schools").count)) }, created(true), name]
        }
    }

    private func moment(_ record: Record) -> Word {
        let fields = record.fields
        switch record.kind {
        case .event: return .text([fields.text("start_date"), fields.text("start_time")].compactMap { $0 }.joined(separator: "T"))
        case .tripItem:
            guard let start = fields.text("start_time").flatMap({ LocalDateTime($0) }) else { return .number(0) }
            return .number(rules.rules(fields.text("start_zone") ?? "UTC").instant(of: start))
        default: return .text(Self.text(record, Self.first) ?? "")
        }
    }

    // MARK: Fields

    private static let type: [Kind: String] = [
        .event: "type", .metric: "metric_type", .interaction: "interaction_type", .tripItem: "category", .document: "type",
    ]
    private static let first: [Kind: String] = [
        .event: "start_date", .metric: "recorded_date", .interaction: "occurred_at", .trip: "start_date", .tripItem: "start_time",
    ]
    private static let last: [Kind: String] = [.event: "end_date", .trip: "end_date", .tripItem: "end_time"]
    private static let searched: [Kind: [String]] = [
        .school: ["location"], .coach: ["role", "email"], .event: ["description", "location", "address", "city"], .metric: ["notes"],
        .interaction: ["content"], .trip: ["location", "notes"], .tripItem: ["description", "location"], .document: ["description"],
    ]
    private static let named: [Kind: [String]] = [
        .coach: ["first_name", "last_name"], .metric: ["label"], .interaction: ["subject"], .tripItem: ["title"], .document: ["title"],
    ]

    private static func text(_ record: Record, _ fields: [Kind: String]) -> String? { fields[record.kind].flatMap { record.fields.text($0) } }

    private static func name(_ record: Record) -> String {
        (named[record.kind] ?? ["name"]).compactMap { record.fields.text($0) }.joined(separator: " ")
    }

    /// Of the letters that these tests use.
    static func folded(_ text: String) -> String {
        String(text.lowercased().map { ["ä": "a", "ł": "l", "ó": "o", "ź": "z", "ö": "o", "é": "e"][$0] ?? $0 })
    }

    /// The local days that a record covers, as texts.
    private static func days(_ record: Record) -> ClosedRange<String>? {
        guard let first = text(record, first)?.prefix(10) else { return nil }
        guard let end = text(record, last), end.prefix(10) > first else { return String(first)...String(first) }
        let day = String(end.prefix(10))
        // An item that ends at midnight is not on the day that begins then.
        if end.hasSuffix("T00:00"), let before = CalendarDate(day).flatMap({ CalendarDate(days: $0.days - 1) }) {
            return String(first)...before.description
        }
        return String(first)...day
    }

    // MARK: Filters

    private func matches(_ query: Query, _ record: Record) -> Bool {
        let (fields, filter) = (record.fields, query.filter)
        guard record.kind == query.kind, record.isDeleted == query.isDeleted else { return false }
        if query.kind.declaration.scope == .athlete, let athlete = query.athlete, record.athlete != athlete { return false }
        var conditions: [Bool] = []
        if !filter.types.isEmpty { conditions.append(filter.types.contains(Self.text(record, Self.type) ?? "")) }
        if let status = filter.status {
            let is_ = fields.flag("attended") ? "attended" : fields.flag("registered") ? "registered" : "not_registered"
            conditions.append(is_ == status.rawValue)
        }
        for (wanted, field) in [
            (filter.school, "school_id"), (filter.coach, "coach_id"), (filter.event, "event_id"), (filter.trip, "trip_id"),
        ] where wanted != nil { conditions.append(fields.reference(field) == wanted) }
        let days = Self.days(record)
        if let window = filter.date { conditions.append(days.map { isIn(window, $0) } ?? false) }
        if let from = filter.from { conditions.append(days.map { $0.lowerBound >= from.description } ?? false) }
        if let to = filter.to { conditions.append(days.map { $0.lowerBound <= to.description } ?? false) }
        if let day = filter.day { conditions.append(days?.contains(day.description) ?? false) }
        if let itinerary = filter.itinerary { conditions.append(fields.flag("include_in_itinerary") == itinerary) }
        if let shared = filter.shared { conditions.append(fields.set("shared_with_schools").isEmpty != shared) }
        if query.kind == .document {
            if let current = filter.current { conditions.append(fields.flag("is_current") == current) }
            if filter.current == nil, !query.isDeleted { conditions.append(fields.flag("is_current")) }
        }
        if !query.search.isEmpty {
            let texts = [Self.name(record)] + (Self.searched[query.kind] ?? []).compactMap { fields.text($0) }
            conditions.append(texts.contains { Self.folded($0).contains(Self.folded(query.search)) })
        }
        return conditions.allSatisfy { $0 }
    }

    private func isIn(_ window: Query.Window, _ days: ClosedRange<String>) -> Bool {
        func overlaps(_ month: CalendarDate?) -> Bool {
            guard let month = month?.description.prefix(7) else { return false }
            return days.lowerBound.prefix(7) <= month && month <= days.upperBound.prefix(7)
        }
        switch window {
        case .upcoming: return days.upperBound >= today.description
        case .past: return days.upperBound < today.description
        case .thisMonth: return overlaps(today)
        case .nextMonth: return overlaps(today.adding(months: 1))
        }
    }
}
