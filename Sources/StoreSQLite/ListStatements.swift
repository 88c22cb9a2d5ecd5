import Family
import SQLite

/// The statements of lists.
final class ListStatements {
    let rowsOfKind: Statement
    let ofRow: Statement
    let comments: Statement
    let countComments: Statement
    let countKinds: Statement
    let countMessages: Statement

    init(_ database: Database) throws(SQLiteError) {
        let columns = RecordTable.columns
        let messages = Kind.message.rawValue
        // The second condition is the index's own, which a bound kind does not imply.
        rowsOfKind = try database.prepare("SELECT row FROM records WHERE family = ? AND kind = ? AND kind <> \(messages)")
        ofRow = try database.prepare("SELECT \(columns) FROM records WHERE row = ?")
        comments = try database.prepare(
            """
            SELECT \(columns), created_seq FROM records WHERE family = ?1 AND about = ?2 AND (created_seq, id) < (?3, ?4)
            AND (deleted_at IS NULL) = ?5 ORDER BY created_seq DESC, id DESC
            """)
        countComments = try database.prepare(
            "SELECT count(*) FROM records WHERE family = ? AND about = ? AND (deleted_at IS NULL) = ?")
        countKinds = try database.prepare(
            """
            SELECT kind, count(*) FROM records WHERE family = ?1 AND kind <> \(messages) AND deleted_at IS NULL
            AND (?2 IS NULL OR athlete IS NULL OR athlete = ?2) GROUP BY kind
            """)
        // All records but the others and the deleted: each part is counted in an index, and messages need none of their own.
        countMessages = try database.prepare(
            """
            SELECT (SELECT count(*) FROM records WHERE family = ?1)
                - (SELECT count(*) FROM records WHERE family = ?1 AND kind <> \(messages))
                - (SELECT count(*) FROM records WHERE family = ?1 AND deleted_at IS NOT NULL AND kind = \(messages))
            """)
    }
}

@available(*, unavailable)
extension ListStatements: Sendable {}
