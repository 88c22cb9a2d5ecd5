import Family
import SQLite

/// The statements of lists.
final class ListStatements {
    /// Records of one kind after an id, in the order of ids. The third condition is the index's own, which a bound kind does not imply.
    static let kindQuery = """
        SELECT \(RecordTable.columns) FROM records WHERE family = ? AND kind = ? AND kind <> \(Kind.message.rawValue) AND id > ? ORDER BY id
        """
    /// Living records of a kind that begin on a day or later.
    static let upcomingQuery = """
        SELECT \(RecordTable.columns) FROM records WHERE family = ? AND kind = ? AND start >= ? AND deleted_at IS NULL ORDER BY start, id
        """
    /// Messages about a record before a sequence and an id, the newest first.
    static let commentQuery = """
        SELECT \(RecordTable.columns), created_seq FROM records WHERE family = ?1 AND about = ?2 AND (created_seq, id) < (?3, ?4)
        AND (deleted_at IS NULL) = ?5 ORDER BY created_seq DESC, id DESC
        """

    let ofKind: Statement
    let upcoming: Statement
    let comments: Statement
    let countComments: Statement
    let countKinds: Statement
    let countMessages: Statement

    init(_ database: Database) {
        let messages = Kind.message.rawValue
        ofKind = database.prepareOnUse(Self.kindQuery)
        upcoming = database.prepareOnUse(Self.upcomingQuery)
        comments = database.prepareOnUse(Self.commentQuery)
        countComments = database.prepareOnUse(
            "SELECT count(*) FROM records WHERE family = ? AND about = ? AND (deleted_at IS NULL) = ?")
        countKinds = database.prepareOnUse(
            """
            SELECT kind, count(*) FROM records WHERE family = ?1 AND kind <> \(messages) AND deleted_at IS NULL
            AND (?2 IS NULL OR athlete IS NULL OR athlete = ?2) GROUP BY kind
            """)
        // All records but the others and the deleted: each part is counted in an index, and messages need none of their own.
        countMessages = database.prepareOnUse(
            """
            SELECT (SELECT count(*) FROM records WHERE family = ?1)
                - (SELECT count(*) FROM records WHERE family = ?1 AND kind <> \(messages))
                - (SELECT count(*) FROM records WHERE family = ?1 AND deleted_at IS NOT NULL AND kind = \(messages))
            """)
    }
}

@available(*, unavailable)
extension ListStatements: Sendable {}
