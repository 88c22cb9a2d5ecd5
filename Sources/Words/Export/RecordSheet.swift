import Bytes
package import Family
internal import Terminal

/// Records of one kind as a table of cells: one column for each declared field, named as on the wire.
package enum RecordSheet {
    /// The rows, the first of which names the columns. Ids of other records become their names, choices become their
    /// labels; the elements of a set are separated by "; ".
    ///
    /// - Parameter records: records of that kind, in the order of the rows.
    package static func rows(_ kind: Kind, _ records: [Record], _ names: RecordNames) -> [[CSV.Cell]] {
        let declaration = kind.declaration
        // A field that keeps the name of a referenced record is shown in the reference's own column.
        let kept = Set(declaration.fields.compactMap { field -> String? in if case .keep(let named) = field.whenGone { named } else { nil } })
        let columns = declaration.fields.indices.filter { !kept.contains(declaration.fields[$0].name) }
        let isOwned = declaration.scope == .athlete
        let head = ["id"] + (isOwned ? ["athlete"] : []) + columns.map { declaration.fields[$0].name }
        let rows = records.map { record -> [CSV.Cell] in
            var row: [CSV.Cell] = [.text(record.id.description)]
            if isOwned { row.append(record.athlete.map { .text(names.member($0)) } ?? .empty) }
            return row + columns.map { cell(record, declaration.fields[$0], names) }
        }
        return [head.map(CSV.Cell.text)] + rows
    }

    private static func cell(_ record: Record, _ field: FieldDeclaration, _ names: RecordNames) -> CSV.Cell {
        guard let value = record.fields[field.name] else { return .empty }
        switch (value, field.type) {
        case (.text(let word), .choice(let words, let labels)):
            return .text(words.firstIndex(of: word).map { labels[$0] } ?? word)
        case (.text(let number), .decimal), (.text(let number), .measure): return .number(number)
        case (.text(let text), _): return .text(text)
        case (.integer(let number), _): return .number(String(number))
        case (.flag(let flag), _): return .text(flag ? "yes" : "no")
        case (.reference(let id), _): return .text(name(id, record, field, names))
        case (.link(_, let id), _): return .text(names[id] == nil ? id.description : names.name(id))
        case (.set(let elements), _): return .text(elements.map { $0.name.isEmpty ? $0.id.description : $0.name }.joined(separator: "; "))
        case (.json(let octets), _): return .text(String(decoding: octets.printableJSON, as: UTF8.self))
        }
    }

    /// The record's current name, otherwise its kept name, otherwise its id.
    private static func name(_ id: Identifier, _ record: Record, _ field: FieldDeclaration, _ names: RecordNames) -> String {
        if names[id] != nil { return names.name(id) }
        if case .keep(let named) = field.whenGone, let kept = record.fields.text(named) { return kept }
        return id.description
    }
}
