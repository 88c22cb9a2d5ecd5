package import Bytes
package import Family
package import Ledger

/// The values that one version of a record replaced.
package struct HistoryRow: Hashable, Sendable {
    package var record: Identifier
    package var version: Int64
    package var sequence: Int64
    /// The author of the version.
    package var member: Identifier
    /// UTC milliseconds.
    package var at: Int64
    /// In the form of `FormerValues`; `nil` for deletions and restorations.
    package var before: [UInt8]?

    package init(record: Identifier, version: Int64, sequence: Int64, member: Identifier, at: Int64, before: [UInt8]?) {
        self.record = record
        self.version = version
        self.sequence = sequence
        self.member = member
        self.at = at
        self.before = before
    }
}

extension HistoryRow {
    init(_ write: HistoryWrite) {
        let entry = write.entry
        self.init(
            record: write.record, version: entry.version, sequence: entry.sequence, member: entry.member, at: entry.at,
            before: entry.before.map { FormerValues.encode(write.kind, $0) })
    }

    /// The row in the form that decisions use; `nil` if its values are no longer kept, so that a reader finds a version
    /// missing, as after a purge.
    package func entry(_ kind: Kind) throws -> HistoryEntry? {
        if before == FormerValues.forgotten { return nil }
        return HistoryEntry(
            version: version, sequence: sequence, member: member, at: at, before: try before.map { try FormerValues.decode(kind, $0) })
    }
}

/// The values that the versions of records replaced. `family` is the integer that stands for one.
package protocol HistoryReads: AnyObject {
    /// See `FamilyView.history`.
    func entries(family: Int64, _ record: Record, after version: Int64, limit: Int, _ budget: inout ReadBudget) throws -> [HistoryEntry]

    /// The changes of a record before a sequence, each once, latest first.
    func sequences(family: Int64, of record: Identifier, before sequence: Int64, limit: Int) throws -> [Int64]

    /// The values that a version replaced, in the form of `FormerValues`: empty for deletions and restorations, `nil`
    /// if there is no such row.
    func replaced(family: Int64, _ record: Identifier, version: Int64) throws -> [UInt8]?

    /// The versions of a record, oldest first.
    func versions(family: Int64, of record: Identifier, limit: Int) throws -> [(version: Int64, sequence: Int64)]

    /// The sequence of the last change of a record; `nil` if its history has no row.
    func lastChange(family: Int64, of record: Identifier) throws -> Int64?

    /// Passes every row of a family to `body`, in the order of records and versions.
    func forEach(family: Int64, _ body: (HistoryRow) throws -> Void) throws
}

/// Writes that no decision makes: those of imports, purges and compaction.
package protocol HistoryWrites: HistoryReads {
    func append(family: Int64, _ row: HistoryRow) throws

    /// Removes the values that one version replaced. The time and the author of the version stay.
    ///
    /// - Returns: the number of freed octets.
    func forgetValues(family: Int64, _ record: Identifier, version: Int64) throws -> Int

    /// Removes one version.
    ///
    /// - Returns: the octets of its values.
    func remove(family: Int64, _ record: Identifier, version: Int64) throws -> Int
}
