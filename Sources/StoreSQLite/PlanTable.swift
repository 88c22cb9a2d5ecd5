import Bytes
import Family
import Ledger
import SQLite

/// The writer's statements on what is planned for which day.
final class PlanTable {
    private let events: Statement
    private let items: Statement
    private let records: RecordTable

    init(_ database: Database, _ records: RecordTable) {
        self.records = records
        events = database.prepareOnUse(Self.query(.event))
        items = database.prepareOnUse(Self.query(.tripItem))
    }

    /// Living records of a kind that begin between two days, both included.
    static func query(_ kind: Kind) -> String {
        """
        SELECT \(RecordTable.columns) FROM records
        WHERE family = ? AND kind = \(kind.rawValue) AND start >= ? AND start < ? AND deleted_at IS NULL ORDER BY start, id LIMIT ?
        """
    }

    /// Events and trip items that begin from one day on and before another (`YYYY-MM-DD`), the first `limit` of each.
    func plans(
        family: Int64, from first: String, before last: String, limit: Int, _ budget: inout ReadBudget
    ) throws -> (events: [Record], items: [Record]) {
        func list(_ statement: Statement) throws -> [Record] {
            statement.bind(1, family)
            statement.bind(2, first)
            statement.bind(3, last)
            statement.bind(4, Int64(limit))
            defer { statement.reset() }
            var found: [Record] = []
            while try statement.step(), budget.take(RecordTable.octets(statement)) { found.append(try records.read(statement, family: family)) }
            return found
        }
        return (try list(events), try list(items))
    }
}

@available(*, unavailable)
extension PlanTable: Sendable {}
