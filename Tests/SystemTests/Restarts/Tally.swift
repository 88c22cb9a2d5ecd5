import Bytes
import Family
import Sync
import Wire

/// The history of one client of the restart test, and its records at the end.
struct Tally: Sendable {
    let client: Identifier
    /// Ids of all mutations that were ever asked for.
    var issued: Set<Int64> = []
    var acknowledged: [Int64: Ack] = [:]
    /// As drafts, with the operations as they were sent.
    var rejected: [Int64: Draft] = [:]
    /// Drafts that were sent again as new mutations.
    var retried: Set<Int64> = []
    /// For each live connection that was cut, how many mutations were unanswered.
    var cuts: [Int] = []
    /// Of those that were unanswered, how many the killed server had done nevertheless.
    var doneUnheard = 0
    var resumes = 0
    var snapshots = 0
    var records: [Identifier: Record] = [:]
    var drafts: Set<Int64> = []
    var pending = 0
    var cursor: Cursor?
    /// Events that must not happen.
    var complaints: [String] = []
}
