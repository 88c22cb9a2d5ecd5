import Bytes
import Family
import Ledger
import SQLite

extension Referrers {
    /// Finds living records by a field.
    static func query(_ name: String, _ fields: [ReferringField]) -> String {
        let kinds = fields.map { "kind = \($0.kind.rawValue)" }.joined(separator: " OR ")
        return """
            SELECT \(RecordTable.columns) FROM records
            WHERE family = ? AND \(RecordColumn(reference: name).rawValue) = ? AND (\(kinds)) AND deleted_at IS NULL LIMIT ?
            """
    }
}

/// The writer's statements on who refers to whom.
final class ReferrerTable {
    private let statements: [Kind: [(fields: [ReferringField], find: Statement)]]
    private let records: RecordTable

    init(_ database: Database, _ records: RecordTable) {
        self.records = records
        var statements: [Kind: [(fields: [ReferringField], find: Statement)]] = [:]
        for (target, names) in Referrers.of {
            for (name, fields) in names.sorted(by: { $0.key < $1.key }) {
                statements[target, default: []].append((fields, database.prepareOnUse(Referrers.query(name, fields))))
            }
        }
        self.statements = statements
    }

    /// The living records that refer to one, each with the field by which it does, in any order.
    ///
    /// - Parameter limit: records for each name of a field.
    func referrers(family: Int64, _ target: Record, limit: Int, _ budget: inout ReadBudget) throws -> [Referrer] {
        var found: [Referrer] = []
        for (fields, find) in statements[target.kind] ?? [] {
            find.bind(1, family)
            find.bind(2, target.id.description)
            find.bind(3, Int64(limit))
            defer { find.reset() }
            while try find.step(), budget.take(RecordTable.octets(find)) {
                let record = try records.read(find, family: family)
                guard let field = fields.first(where: { $0.kind == record.kind }) else { continue }
                found.append(Referrer(record: record, field: field.field))
            }
        }
        return found
    }
}

@available(*, unavailable)
extension ReferrerTable: Sendable {}
