internal import Bytes
package import Family

/// Which records of a kind are wanted, and in which order.
package struct ListFilter: Hashable, Sendable {
    package enum Time: Hashable, Sendable {
        case all
        /// The last day is today or later.
        case upcoming
        case past
    }

    package var kind: Kind
    package var time = Time.all
    /// Words of the field `type`; `nil` for all.
    package var types: Set<String>?
    /// Any case, anywhere in the texts that people search (R036).
    package var text = ""

    package init(_ kind: Kind) { self.kind = kind }

    /// The types that a word of the filter means: one, or both visits (R033).
    package static func types(_ word: String) -> Set<String>? {
        if word == "visit" { return ["official_visit", "unofficial_visit"] }
        guard let index = Kind.event.declaration.index(of: "type"),
            case .choice(let words, _) = Kind.event.declaration.fields[index].type, words.contains(word)
        else { return nil }
        return [word]
    }

    /// The records wanted. Events: soonest first when only upcoming ones are wanted, else newest first; messages: oldest first;
    /// others: by name.
    ///
    /// - Parameters:
    ///   - today: `YYYY-MM-DD` in the family's zone.
    ///   - context: records of other athletes are left out.
    package func apply(_ records: [Record], today: String, context: Context) -> [Record] {
        let wanted = text.lowercased()
        let found = records.filter { record in
            guard record.kind == kind, !record.isDeleted else { return false }
            if kind.declaration.scope == .athlete, case .athlete(let id) = context, record.athlete != id { return false }
            if let types, !types.contains(record.fields.text("type") ?? "") { return false }
            if kind == .event, time != .all {
                guard let last = EventText.lastDay(record.fields) else { return false }
                guard (last >= today) == (time == .upcoming) else { return false }
            }
            return wanted.isEmpty || Self.searched(record).contains { $0.lowercased().contains(wanted) }
        }
        switch kind {
        case .event:
            let sorted = found.sorted { Self.eventKey($0).lexicographicallyPrecedes(Self.eventKey($1)) }
            return time == .upcoming ? sorted : sorted.reversed()
        case .metric: return Self.newest(found, "recorded_date")
        case .interaction: return Self.newest(found, "occurred_at")
        case .trip: return Self.newest(found, "start_date")
        case .tripItem: return Self.newest(found, "start_time").reversed()
        case .message: return found.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
        default: return found.sorted { (Self.nameKey($0), $0.id) < (Self.nameKey($1), $1.id) }
        }
    }

    private static func searched(_ record: Record) -> [String] {
        guard record.kind == .event else { return [RecordNames.name(record)] }
        return ["name", "description", "location", "address", "city"].compactMap { record.fields.text($0) }
    }

    /// By a date or a time, the latest first.
    private static func newest(_ records: [Record], _ field: String) -> [Record] {
        records.sorted { ($0.fields.text(field) ?? "", $0.id) > ($1.fields.text(field) ?? "", $1.id) }
    }

    private static func eventKey(_ record: Record) -> [String] {
        [
            record.fields.text("start_date") ?? "", record.fields.text("start_time") ?? "", nameKey(record), record.id.description,
        ]
    }

    private static func nameKey(_ record: Record) -> String { RecordNames.name(record).lowercased() }
}
