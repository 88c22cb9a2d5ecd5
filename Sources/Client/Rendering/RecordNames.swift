package import Bytes
package import Family

/// What records are called, and how people point at them.
///
/// A snapshot of what is shown: build it anew when records have changed.
package struct RecordNames {
    private let records: [Identifier: Record]
    private let byKind: [Kind: [Record]]

    package init(_ engine: borrowing SyncEngine) {
        self.init(engine.livingRecords)
    }

    /// - Parameter records: within a kind in the order in which they are to be told.
    package init(_ records: [Record]) {
        byKind = Dictionary(grouping: records) { $0.kind }
        self.records = Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package subscript(id: Identifier) -> Record? { records[id] }

    /// A record's name on one line, safe for a terminal; "" for one that is not here.
    package func name(_ id: Identifier) -> String { records[id].map(Self.name) ?? "" }

    package static func name(_ record: Record) -> String { name(record.fields) }

    /// The name that fields give a record of their kind.
    package static func name(_ fields: Fields) -> String {
        switch fields.kind {
        case .coach: fields.shownName.printable
        case .message: (fields.text("text") ?? "").printable
        case .event: EventText.name(fields, columns: .max)
        case .metric: [fields.shownName, fields.text("value") ?? "", fields.text("unit") ?? ""].joined(separator: " ").printable
        case .interaction: fields.shownName.isEmpty ? (fields.choiceLabel("interaction_type") ?? "").printable : fields.shownName.printable
        case .family, .member, .school, .trip, .tripItem, .document, .readingPosition: fields.shownName.printable
        }
    }

    /// The name of a member, "somebody" for one who has left.
    package func member(_ id: Identifier) -> String {
        let name = name(id)
        return name.isEmpty ? "somebody" : name
    }

    package func records(of kind: Kind) -> [Record] { byKind[kind] ?? [] }

    /// A short text that names `id` among the records of its kind and can be typed back: at least 6 digits of its end, because ids
    /// that were made together begin alike, and the next one may be made any moment.
    package func short(_ id: Identifier) -> String {
        let text = id.description
        let others = (records[id].map { records(of: $0.kind) } ?? []).filter { $0.id != id }.map(\.id.description)
        for length in 6...12 where !others.contains(where: { $0.hasSuffix(text.suffix(length)) }) { return String(text.suffix(length)) }
        return text
    }

    /// The record that a person means.
    ///
    /// - Parameter text: an id, the beginning or the end of one (4 digits at least), a name, or the beginning of one, any case; each
    ///   only when it fits one record.
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
            let found = candidates.filter(test)
            if let record = found.first, found.count == 1 { return record }
            if found.count > 1 { throw .several(kind, text, found.prefix(5).map { "\(short($0.id)) \(Self.name($0))" }) }
        }
        throw .none(kind, text)
    }
}

/// Nothing, or too much, is meant by what somebody typed.
package enum LookupFailure: Error, Hashable, Sendable {
    case none(Kind, String)
    case several(Kind, String, [String])

    package var message: String {
        switch self {
        case .none(let kind, let text): "There is no \(kind.name) '\(text.printable)'."
        case .several(let kind, let text, let found):
            "'\(text.printable)' names more than one \(kind.name): \(found.joined(separator: "; ")). Use the id."
        }
    }
}
