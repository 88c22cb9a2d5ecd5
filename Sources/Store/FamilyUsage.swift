/// The space of one family's log and history, in octets.
///
/// Each change writes the running sum into its own row of the log, so that counting reads no further page. The octets
/// that purges and compaction free are summed in `families`, because the newest row of the log does not change.
package struct FamilyUsage: Hashable, Sendable {
    /// The octets that were ever written.
    package var written: Int64
    /// The octets of these that were freed since.
    package var freed: Int64

    package init(written: Int64, freed: Int64) {
        self.written = written
        self.freed = freed
    }

    /// The usage of a family without a change.
    package static let none = FamilyUsage(written: 0, freed: 0)

    /// The current space.
    package var octets: Int64 { max(0, written - freed) }

    /// The space of a change besides its frame: its row, its entry in the index, and its receipt for 30 days.
    package static let changeOverhead: Int64 = 192
    /// The space of a row of history besides its values.
    package static let historyOverhead: Int64 = 64
}
