package import Bytes
package import Family

/// Everything that one mutation does, as values: an engine writes them in one transaction, an overlay answers reads with them until then.
///
/// Immutable. A batch passes it on several times, so it is a reference: a copy of all its values took a dozen reference counts.
package final class Decision {
    /// The family after the decision.
    package let family: FamilyState
    /// `nil`: nothing changed, and everything below is empty.
    package let entry: LogEntry?
    /// The versions of the records that changed, for the author.
    package let versions: [RecordVersion]
    /// Overlaps that may not be meant.
    package let warnings: [MutationWarning]
    /// Records as they are after the decision, each once, in the order of their first write.
    package let records: [RecordWrite]
    /// The values that the versions replaced, in order.
    package let history: [HistoryWrite]
    /// Share links that end.
    package let endedShares: [EndedShare]
    /// Memberships that end (a time, UTC milliseconds) or are taken up again (`nil`).
    package let memberships: [(member: Identifier, removedAt: Int64?)]
    /// Files that one more document names.
    package let blobs: [BlobUse]
    /// Members whose rights changed, or the rights of others over their records, with the role they have now; `nil`: removed.
    package let rights: [(member: Identifier, role: Role?)]

    init(
        family: FamilyState, entry: LogEntry? = nil, versions: [RecordVersion] = [], warnings: [MutationWarning] = [], records: [RecordWrite] = [],
        history: [HistoryWrite] = [], endedShares: [EndedShare] = [], memberships: [(member: Identifier, removedAt: Int64?)] = [],
        blobs: [BlobUse] = [], rights: [(member: Identifier, role: Role?)] = []
    ) {
        self.family = family
        self.entry = entry
        self.versions = versions
        self.warnings = warnings
        self.records = records
        self.history = history
        self.endedShares = endedShares
        self.memberships = memberships
        self.blobs = blobs
        self.rights = rights
    }
}

@available(*, unavailable)
extension Decision: Sendable {}

/// A change with its form in the log.
package struct LogEntry: Sendable {
    package var change: Change
    /// `LedgerEnvironment.encode` of the change.
    package var octets: [UInt8]
    /// Of the family's records after the change.
    package var checksum: StateChecksum
}

/// The version of a record after a change.
package struct RecordVersion: Hashable, Sendable {
    package var id: Identifier
    package var version: Int64
}

/// A record to be inserted or replaced.
package struct RecordWrite: Sendable {
    package var record: Record
    /// The sequence of the change that creates the record; `nil` if the family has the record already.
    package var created: Int64?
    /// The record before the decision, so that an engine writes only the keys that differ; `nil`: it writes them all.
    package var former: Record?
}

/// The values that one version of a record replaced.
package struct HistoryWrite: Sendable {
    package var kind: Kind
    package var record: Identifier
    package var entry: HistoryEntry
}

/// Share links that end.
package struct EndedShare: Hashable, Sendable {
    package enum Links: Hashable, Sendable {
        /// Those of a document: of one school, or of all when `school` is `nil`.
        case document(Identifier, school: Identifier?)
        /// Those that a member made.
        case creator(Identifier)
    }

    package var links: Links
    /// UTC milliseconds.
    package var at: Int64
}

/// A file that one more document names.
package struct BlobUse: Hashable, Sendable {
    /// Hex.
    package var sha256: String
    package var octets: Int64
    /// The family did not store the file before.
    package var isNew: Bool
}
