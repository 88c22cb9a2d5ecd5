package import Bytes
package import Family
package import Sync
internal import Terminal

/// The names of records, and the lookup of records by what people type.
///
/// This is a snapshot of the shown records: `update` it when records have changed.
package struct RecordNames {
    private var records: [Identifier: Record]
    /// The records by the number of their kind.
    private var lists: [[Record]]
    /// The number of changes for each kind, and the start of that count.
    private var revisions: [Kind: Int] = [:]
    private var firstRevision = 0

    package init(_ engine: borrowing SyncEngine) {
        self.init(engine.livingRecords)
    }

    /// Reads all records again; every revision is later than the revisions of `before`.
    package init(_ engine: borrowing SyncEngine, after before: RecordNames) {
        self.init(engine)
        firstRevision = before.firstRevision + (before.revisions.values.max() ?? 0) + 1
    }

    /// - Parameter records: the records, within a kind in display order.
    package init(_ records: [Record]) {
        var lists = [[Record]](repeating: [], count: Self.kindCount)
        var known: [Identifier: Record] = [:]
        known.reserveCapacity(records.count)
        for record in records {
            lists[Int(record.kind.rawValue)].append(record)
            if known[record.id] == nil { known[record.id] = record }
        }
        self.records = known
        self.lists = lists
    }

    private static let kindCount = (Kind.allCases.map { Int($0.rawValue) }.max() ?? 0) + 1

    package subscript(id: Identifier) -> Record? { records[id] }

    /// All records, by id.
    package var all: [Identifier: Record] { records }

    /// Updates these records from the engine. All records must have come from an engine.
    ///
    /// - Complexity: a search in the records of the kind for each.
    package mutating func update(_ ids: [Identifier], _ engine: borrowing SyncEngine) {
        for id in ids {
            let new = engine.record(id).flatMap { $0.isDeleted ? nil : $0 }
            guard let kind = (new ?? records[id])?.kind else { continue }
            revisions[kind, default: 0] += 1
            records[id] = new
            Self.put(new, id, into: &lists[Int(kind.rawValue)])
        }
    }

    /// - Parameter list: ordered by id.
    private static func put(_ record: Record?, _ id: Identifier, into list: inout [Record]) {
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if list[middle].id < id { low = middle + 1 } else { high = middle }
        }
        let isHeld = low < list.count && list[low].id == id
        switch record {
        case let record? where isHeld: list[low] = record
        case let record?: list.insert(record, at: low)
        case nil: if isHeld { list.remove(at: low) }
        }
    }

    /// A number that grows with each change to a record of the kind, for callers that cache a value derived from the
    /// records.
    package func revision(of kind: Kind) -> Int { firstRevision + (revisions[kind] ?? 0) }

    /// A record's name on one line, safe for a terminal; "" for an unknown record.
    package func name(_ id: Identifier) -> String { records[id].map(Self.name) ?? "" }

    package static func name(_ record: Record) -> String { name(record.fields) }

    /// The name that a record with these fields has.
    package static func name(_ fields: Fields) -> String {
        switch fields.kind {
        case .coach: fields.shownName.printable
        case .message: (fields.text("text") ?? "").printable
        case .event: EventText.name(fields, columns: .max)
        case .metric: [fields.shownName, fields.text("value") ?? "", fields.text("unit") ?? ""].joined(separator: " ").printable
        case .interaction: fields.shownName.isEmpty ? (fields.choiceLabel("interaction_type") ?? "").printable : fields.shownName.printable
        case .reminderRule: "the reminder rule"
        case .family, .member, .school, .trip, .tripItem, .document, .readingPosition: fields.shownName.printable
        }
    }

    /// The name of a member, "somebody" for a member who has left.
    package func member(_ id: Identifier) -> String {
        let name = name(id)
        return name.isEmpty ? "somebody" : name
    }

    package func records(of kind: Kind) -> [Record] { lists[Int(kind.rawValue)] }

    /// A short text that identifies `id` among the records of its kind and can be typed: at least the last 6 digits,
    /// because ids that were made together begin alike, and the next one may be made at any moment.
    package func short(_ id: Identifier) -> String {
        let text = id.description
        let others = (records[id].map { records(of: $0.kind) } ?? []).filter { $0.id != id }.map(\.id.description)
        for length in 6...12 where !others.contains(where: { $0.hasSuffix(text.suffix(length)) }) { return String(text.suffix(length)) }
        return text
    }

    /// Finds the record that a user means.
    ///
    /// - Parameter text: an id, the beginning or the end of an id (at least 4 digits), a name, or the beginning of a
    ///   name, in any case; each only if it matches exactly one record, or one document in its newest version.
    package func find(_ kind: Kind, _ text: String) throws(LookupFailure) -> Record {
        let candidates = records(of: kind)
        if let id = Identifier(text), let record = candidates.first(where: { $0.id == id }) { return record }
        let wanted = text.lowercased()
        let tests: [(Record) -> Bool] = [
            { Self.name($0).lowercased() == wanted },
            { wanted.utf8.count >= 4 && ($0.id.description.hasPrefix(wanted) || $0.id.description.hasSuffix(wanted)) },
            { !wanted.isEmpty && Self.name($0).lowercased().hasPrefix(wanted) },
        ]
        for test in tests {
            var found = candidates.filter(test)
            // A document's name means its newest version; the versions before it have the same name as a rule.
            if kind == .document, found.count > 1 {
                let current = found.filter { $0.fields.flag("is_current") }
                if current.count == 1 { found = current }
            }
            if let record = found.first, found.count == 1 { return record }
            if found.count > 1 { throw .several(kind, text, shown(found)) }
        }
        throw .none(kind, text, like: wanted.utf8.count < 3 ? [] : shown(candidates.filter { Self.name($0).lowercased().contains(wanted) }))
    }
}

extension RecordNames {
    /// The first matches, for the error sentence.
    private func shown(_ records: [Record]) -> [String] {
        let most = 5
        return records.prefix(most).map { "\(short($0.id)) \(Self.name($0))" } + (records.count > most ? ["and \(records.count - most) more"] : [])
    }
}

/// An error: the text matches no record, or several.
package enum LookupFailure: Error, Hashable, Sendable {
    /// `like`: the records whose names contain the text, but not at the beginning.
    case none(Kind, String, like: [String])
    case several(Kind, String, [String])

    package var message: String {
        switch self {
        case .none(let kind, let text, let like):
            "There is no \(kind.declaration.label.lowercased()) '\(text.printable)'."
                + (like.isEmpty ? " See the list of \(KindWords.plural(kind))." : " Did you mean \(like.joined(separator: "; "))?")
        case .several(let kind, let text, let found):
            "'\(text.printable)' matches several \(KindWords.plural(kind)): \(found.joined(separator: "; ")). Use an ID."
        }
    }
}
