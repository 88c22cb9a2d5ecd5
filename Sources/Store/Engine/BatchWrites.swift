package import Bytes
import Family
package import Ledger
import Wire

/// All that a batch decided, as values.
package struct BatchWrites {
    /// In the order of the decisions.
    package var decisions: [DecisionWrites] = []
    /// In the order of the proposals.
    package var receipts: [ReceiptWrite] = []

    package init() {}
}

/// What one decision writes into the tables of its family.
package struct DecisionWrites {
    /// The integer that stands for the family.
    package var family: Int64
    /// Records as they are after the decision, each once.
    package var records: [RecordWrite]
    /// What the versions replaced, in order.
    package var history: [HistoryRow]
    package var endedShares: [EndedShare]
    /// Memberships that end (a time, UTC milliseconds) or are taken up again (`nil`).
    package var memberships: [(member: Identifier, removedAt: Int64?)]
    /// Files that one more document names.
    package var blobs: [BlobUse]
    /// `nil`: nothing changed.
    package var change: LogRow?
}

extension DecisionWrites {
    /// - Parameter usage: what the log and the history of the family take; with this decision afterwards.
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

/// A receipt on its way into the tables.
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
