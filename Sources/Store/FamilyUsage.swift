import SQLite

/// What the log and the history of one family take, octets.
///
/// Each change writes the running sum into its own row of the log, so that counting costs no further page. What purges and compaction take
/// away is summed in `families`, because the newest row of the log stays as it is.
struct FamilyUsage: Hashable {
    /// All that was ever written.
    var written: Int64
    /// Of it, what was taken away since.
    var freed: Int64

    static let none = FamilyUsage(written: 0, freed: 0)

    var octets: Int64 { max(0, written - freed) }

    /// What a change takes beside its frame: its row, its entry in the index, and its receipt for 30 days.
    static let changeOverhead: Int64 = 192
    /// What a row of history takes beside its values.
    static let historyOverhead: Int64 = 64

    /// The sum, for a log whose rows do not say it. Reads no frame: SQLite knows the length of a value from the head of its row.
    static let computed = """
        SELECT (SELECT coalesce(sum(length(frame) + \(changeOverhead)), 0) FROM log WHERE family = ?1)
            + (SELECT coalesce(sum(coalesce(length(before), 0) + \(historyOverhead)), 0) FROM history WHERE family = ?1)
        """
}
