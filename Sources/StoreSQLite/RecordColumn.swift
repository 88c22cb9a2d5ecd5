import Bytes
import Family
import Ledger
import SQLite

/// A column that holds the value of one field, so that an index finds a record by it. The program fills it with each write.
enum RecordColumn: String, CaseIterable {
    /// The record that a message is about.
    case about
    case school
    case coach
    case event
    case trip
    /// The document of which this one is the next version.
    case replaces
    /// The local day of an event, the local time of a trip item.
    case start

    /// The column of a field by which records refer to others that may go (`Referrers`).
    init(reference name: String) {
        guard name.hasSuffix("_id"), let column = RecordColumn(rawValue: String(name.dropLast(3))) else {
            preconditionFailure("no column holds \(name): add one in a step of Schema")
        }
        self = column
    }

    /// The names of all, as a statement lists them.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// A column that the records of a kind fill.
    struct Filled {
        let column: RecordColumn
        /// Position among all columns.
        let place: Int32
        /// Position in the kind's declaration.
        let field: Int
    }

    /// The columns that the records of a kind fill.
    static func filled(by kind: Kind) -> [Filled] { filled[Int(kind.rawValue)] }

    /// By the raw value of the kind.
    private static let filled: [[Filled]] = {
        var filled = [[Filled]](repeating: [], count: Int(Kind.allCases.map(\.rawValue).max() ?? 0) + 1)
        func fill(_ column: RecordColumn, _ kind: Kind, _ field: Int?) {
            guard let field, let place = allCases.firstIndex(of: column) else {
                preconditionFailure("a \(kind.name) has no field for the column \(column.rawValue)")
            }
            filled[Int(kind.rawValue)].append(Filled(column: column, place: Int32(place), field: field))
        }
        for (name, fields) in Referrers.of.values.joined() {
            for field in fields { fill(RecordColumn(reference: name), field.kind, field.field) }
        }
        for (column, kind, name) in [
            (RecordColumn.about, Kind.message, "about"), (.replaces, .document, "replaces"), (.start, .event, "start_date"),
            (.start, .tripItem, "start_time"),
        ] { fill(column, kind, kind.declaration.index(of: name)) }
        return filled
    }()
}

extension Fields {
    /// The columns in their order, `nil` where one stays empty.
    var columns: [String?] {
        var columns = [String?](repeating: nil, count: RecordColumn.allCases.count)
        for filled in RecordColumn.filled(by: kind) { columns[Int(filled.place)] = columnText(filled.field) }
        return columns
    }

    /// The value of a field as a column holds it.
    func columnText(_ field: Int) -> String? {
        switch self[field] {
        case .text(let text): text
        case .reference(let id), .link(_, let id): id.description
        case .integer, .flag, .json, .set, nil: nil
        }
    }
}

extension Statement {
    /// Binds all columns from a parameter on.
    func bindColumns(_ fields: Fields, from first: Int32) {
        for place in 0..<Int32(RecordColumn.allCases.count) { bindNull(first + place) }
        for filled in RecordColumn.filled(by: fields.kind) { bind(first + filled.place, fields.columnText(filled.field)) }
    }

    /// Reads all columns from one on.
    func columns(from first: Int32) -> [String?] {
        (0..<Int32(RecordColumn.allCases.count)).map { isNull(first + $0) ? nil : text(first + $0) }
    }
}
