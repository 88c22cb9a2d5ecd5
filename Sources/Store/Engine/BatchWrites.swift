package import Bytes
import Family
package import Ledger
import Wire

/// All decisions of a batch, as values.
package struct BatchWrites {
    /// In the order of the decisions.
    package var decisions: [DecisionWrites] = []
    /// In the order of the proposals.
    package var receipts: [ReceiptWrite] = []

    package init() {}
}

/// The writes of one decision into the tables of its family.
package struct DecisionWrites {
    /// The integer that stands for the family.
    package var family: Int64
    /// Records after the decision, each once.
    package var records: [RecordWrite]
    /// The values that the versions replaced, in order.
    package var history: [HistoryRow]
    package var endedShares: [EndedShare]
    /// Memberships that end (a time, UTC milliseconds) or begin again (`nil`).
    package var memberships: [(member: Identifier, removedAt: Int64?)]
    /// Files that one more document names.
    package var blobs: [BlobUse]
    /// `nil` if nothing changed.
    package var change: LogRow?
}

extension DecisionWrites {
    /// - Parameter usage: the space of the family's log and history; includes this decision afterwards.
    init(_ decision: Decision, family: Int64, _ usage: inout FamilyUsage) {
        self.family = family
        records = decision.records
        history = decision.history.map { HistoryRow($0) }
        endedShares = decision.endedShares
        memberships = decision.memberships
        blobs = decision.blobs
        for row in history { usage.written += Int64(row.before?.count ?? 0) + FamilyUsage.historyOverhead }
        guard let entry = decision.entry else { return }
        usage.written += Int64(entry.octets.count) + FamilyUsage.changeOverhead
        change = LogRow(entry.change, frame: entry.octets, checksum: entry.checksum, written: usage.written)
    }
}

/// A receipt to be written into the tables.
package struct ReceiptWrite {
    package var name: ClientName
    /// The integer that stands for the client; `nil` if the client has none yet.
    package var client: Int64?
    package var mutation: Int64
    /// UTC milliseconds.
    package var at: Int64
    package var receipt: RecordedReceipt

    package init(name: ClientName, client: Int64?, mutation: Int64, at: Int64, receipt: RecordedReceipt) {
        self.name = name
        self.client = client
        self.mutation = mutation
        self.at = at
        self.receipt = receipt
    }
}
