package import Family
internal import Terminal

/// Columns that a person chooses for a list: fields of the kind, the id, and the athlete.
package enum RecordColumns {
    /// Columns besides the kind's fields.
    static let others = ["id", "athlete"]

    /// The names of the columns that a list can have.
    package static func names(_ kind: Kind) -> [String] { others + kind.declaration.fields.map { $0.name.description } }

    /// The column that a word means: its name with - or _, or the beginning of one alone.
    package static func column(_ word: String, of kind: Kind) -> String? {
        let wanted = String(word.lowercased().map { $0 == "-" ? "_" : $0 })
        let all = names(kind)
        if all.contains(wanted) { return wanted }
        for ending in ["_date", "_id"] where all.contains(wanted + ending) { return wanted + ending }
        let found = all.filter { wanted.count >= 3 && $0.hasPrefix(wanted) }
        return found.count == 1 ? found[0] : nil
    }

    /// The list as a table of these columns. Texts are whole, on one line each.
    package static func table(_ columns: [String], _ records: [Record], _ text: ChangeText) -> Table {
        let rows = records.map { record in
            columns.map { column -> String in
                switch column {
                case "id": return text.names.short(record.id)
                case "athlete": return record.athlete.map(text.names.member) ?? ""
                default:
                    guard let place = record.kind.declaration.index(of: column), let value = record.fields[place] else { return "" }
                    let field = record.kind.declaration.fields[place]
                    if case .text(let content) = value, case .text = field.type { return content.printableLines.joined(separator: " ") }
                    return text.value(value, field, columns: .max)
                }
            }
        }
        // The columns that were asked for stay, even if every cell is empty.
        return Table(columns.map { .init($0.uppercased().replacing("_", with: "-"), least: 12, isKept: true) }, rows)
    }
}
