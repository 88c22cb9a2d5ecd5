import Bytes
import Family
import SQLite

/// A field of one kind that refers to records of another and has something to do when they go.
struct ReferringField: Hashable {
    var kind: Kind
    var field: Int
    var name: String
}

/// What the declaration says of references, the other way round: for each kind, who refers to it.
enum Referrers {
    /// Fields with a policy other than `stay`, by name and then by kind, for each kind that they refer to.
    static let of: [Kind: [String: [ReferringField]]] = {
        var found: [Kind: [String: [ReferringField]]] = [:]
        for kind in Kind.allCases {
            for (index, field) in kind.declaration.fields.enumerated() {
                guard case .reference(let target) = field.type, field.whenGone != .stay else { continue }
                found[target, default: [:]][field.name, default: []].append(ReferringField(kind: kind, field: index, name: field.name))
            }
        }
        return found
    }()

    /// The expression by which the indexes of `Schema.references` know a field.
    static func expression(_ name: String) -> String { "json_extract(CAST(fields AS TEXT), '$.\(name)')" }

    /// Finds living records by a field; its last two conditions are word for word those of the index.
    static func query(_ name: String, _ fields: [ReferringField]) -> String {
        let kinds = fields.map { "kind = \($0.kind.rawValue)" }.joined(separator: " OR ")
        return """
            SELECT \(RecordTable.columns) FROM records
            WHERE family = ? AND \(expression(name)) = ? AND (\(kinds)) AND deleted_at IS NULL ORDER BY row LIMIT ?
            """
    }
}

/// The writer's statements on who refers to whom.
final class ReferrerTable {
    private let statements: [Kind: [(fields: [ReferringField], find: Statement)]]

    init(_ database: Database) throws(SQLiteError) {
        var statements: [Kind: [(fields: [ReferringField], find: Statement)]] = [:]
        for (target, names) in Referrers.of {
            for (name, fields) in names.sorted(by: { $0.key < $1.key }) {
                statements[target, default: []].append((fields, try database.prepare(Referrers.query(name, fields))))
            }
        }
        self.statements = statements
    }

    /// The living records that refer to one, each with the field by which it does, in the order in which they were created.
    ///
    /// - Parameter limit: of records for each name of a field.
    func referrers(family: Int64, _ target: Record, limit: Int) throws -> [(row: RecordRow, field: Int)] {
        var found: [(row: RecordRow, field: Int)] = []
        for (fields, find) in statements[target.kind] ?? [] {
            find.bind(1, family)
            find.bind(2, target.id.description)
            find.bind(3, Int64(limit))
            try find.each { statement in
                let row = try RecordTable.decode(statement)
                guard let field = fields.first(where: { $0.kind == row.record.kind }) else { return }
                found.append((row, field.field))
            }
        }
        return found
    }
}

@available(*, unavailable)
extension ReferrerTable: Sendable {}
