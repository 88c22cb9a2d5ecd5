package import Bytes
package import Family

/// The reads that decisions about one family make.
///
/// A storage engine answers them from its tables, an `Overlay` from what a batch has decided so far. Rows travel as values. Every method
/// may throw the failure of its engine, which ends the batch, or a `Rejection`, which refuses the mutation that asked (a record that is
/// damaged on disk). Reads of several rows end early when their budget is spent.
package protocol FamilyView {
    /// The record, deleted or not; `nil` if the family has no record with this id.
    func record(_ id: Identifier) throws -> Record?

    /// The sequence of the change that created a record; `nil` if that is not known.
    func creation(of id: Identifier) throws -> Int64?

    /// The living records that refer to `target` by a field whose policy is not `stay`, in any order.
    ///
    /// - Parameter limit: records for each name of a field (`Referrers.of`).
    func referrers(of target: Record, limit: Int, _ budget: inout ReadBudget) throws -> [Referrer]

    /// The living events and trip items that begin from one day on and before another, each in the order of their beginning, then of their ids.
    ///
    /// - Parameters:
    ///   - first: `YYYY-MM-DD`.
    ///   - last: `YYYY-MM-DD`, not included.
    ///   - limit: of each kind.
    func plans(
        from first: String, before last: String, limit: Int, _ budget: inout ReadBudget
    ) throws -> (events: [Record], items: [Record])

    /// The versions of a record above `version`, oldest first.
    ///
    /// - Parameter limit: entries at most; a record can have thousands of versions.
    func history(of record: Record, after version: Int64, limit: Int, _ budget: inout ReadBudget) throws -> [HistoryEntry]

    /// The change with this sequence; `nil` if the log does not hold it.
    func change(_ sequence: Int64) throws -> Change?

    /// The newest living document that replaces another.
    ///
    /// - Parameter isExcluded: documents that count as absent.
    func successor(of document: Identifier, excluding isExcluded: (Identifier) -> Bool) throws -> Record?

    /// The largest number in a chain among the documents that ever replaced this one, deleted ones included; 0 for none.
    func newestVersion(replacing document: Identifier) throws -> Int64

    /// The octets of the family's files, each file once, and the octets among them of the file with this digest.
    func usage(besides sha256: String) throws -> (used: Int64, known: Int64)
}

/// A record that refers to another, with the field by which it does.
package struct Referrer {
    package var record: Record
    /// Position in the declaration of the record's kind.
    package var field: Int

    package init(record: Record, field: Int) {
        self.record = record
        self.field = field
    }
}

/// The values that one version of a record replaced.
package struct HistoryEntry: Hashable, Sendable {
    package var version: Int64
    package var sequence: Int64
    /// The author of the version.
    package var member: Identifier
    /// UTC milliseconds.
    package var at: Int64
    /// Fields that the version changed, with the values before; `nil` for deletions and restorations.
    package var before: [FieldPatch.Assignment]?

    package init(version: Int64, sequence: Int64, member: Identifier, at: Int64, before: [FieldPatch.Assignment]?) {
        self.version = version
        self.sequence = sequence
        self.member = member
        self.at = at
        self.before = before
    }

    /// Whether the version changed a field.
    func touches(_ field: Int) -> Bool { before?.contains { $0.field == field } ?? false }
}
