/// What the log and the history of one family take, octets.
///
/// Each change writes the running sum into its own row of the log, so that counting costs no further page. What purges and compaction take
/// away is summed in `families`, because the newest row of the log stays as it is.
package struct FamilyUsage: Hashable, Sendable {
    /// All that was ever written.
    package var written: Int64
    /// Of it, what was taken away since.
    package var freed: Int64

    package init(written: Int64, freed: Int64) {
        self.written = written
        self.freed = freed
    }

    /// Of a family without a change.
    package static let none = FamilyUsage(written: 0, freed: 0)

    /// What is there now.
    package var octets: Int64 { max(0, written - freed) }

    /// What a change takes beside its frame: its row, its entry in the index, and its receipt for 30 days.
    package static let changeOverhead: Int64 = 192
    /// What a row of history takes beside its values.
    package static let historyOverhead: Int64 = 64
}
