package import Bytes
package import Family
package import Ledger

/// A stored record.
package struct StoredRecord: Sendable {
    /// `nil` if the row is damaged.
    package var record: Record?
    /// `nil` if the row is damaged so much that not even its id can be read.
    package var id: Identifier?
    /// The octets of the stored fields, which are sent in the same form.
    package var octets: Int

    /// Whether the engine would not find the record by its fields; only `RecordReads.forEach` checks that.
    package var isMisfiled: Bool

    package init(record: Record?, id: Identifier?, octets: Int, isMisfiled: Bool = false) {
        self.record = record
        self.id = id
        self.octets = octets
        self.isMisfiled = isMisfiled
    }
}

/// The stored data of a record besides its values.
package struct RecordHead: Hashable, Sendable {
    /// The raw value of a `Kind`; another number if the row is damaged.
    package var kind: Int64
    /// The sequence of the change that created the record; 0 if it is not known.
    package var created: Int64
    /// UTC milliseconds; `nil` for a living record.
    package var deletedAt: Int64?

    package init(kind: Int64, created: Int64, deletedAt: Int64?) {
        self.kind = kind
        self.created = created
        self.deletedAt = deletedAt
    }
}

/// A deleted record that is due for purging.
package struct DueRecord: Sendable {
    package var family: Int64
    /// Without fields if they are damaged; `nil` if nothing of the row can be read.
    package var record: Record?
    package var isDamaged: Bool

    package init(family: Int64, record: Record?, isDamaged: Bool) {
        self.family = family
        self.record = record
        self.isDamaged = isDamaged
    }
}

/// The records of families. `family` is the integer that stands for one.
package protocol RecordReads: AnyObject {
    /// The record, deleted or not; `nil` if the family has no record with this id.
    func find(family: Int64, _ id: Identifier) throws -> StoredRecord?

    /// The stored data besides the values of a record; `nil` if the family has no record with this id.
    func head(family: Int64, _ id: Identifier) throws -> RecordHead?

    /// The number of records of the family, including deleted ones.
    func count(family: Int64) throws -> Int

    /// All current and former members of the family.
    func members(family: Int64) throws -> [Identifier: MemberState]

    /// See `FamilyView.referrers`.
    func referrers(family: Int64, _ target: Record, limit: Int, _ budget: inout ReadBudget) throws -> [Referrer]

    /// See `FamilyView.plans`.
    func plans(
        family: Int64, from first: String, before last: String, limit: Int, _ budget: inout ReadBudget
    ) throws -> (events: [Record], items: [Record])

    /// See `FamilyView.successor`.
    func successor(family: Int64, of document: Identifier, excluding isExcluded: (Identifier) -> Bool) throws -> Record?

    /// See `FamilyView.newestVersion`.
    func newestVersion(family: Int64, replacing document: Identifier) throws -> Int64

    /// Passes every record of a family to `body`, in the order of the ids.
    func forEach(family: Int64, _ body: (StoredRecord) throws -> Void) throws

    /// Passes the records of a snapshot except messages to `body`: the living ones, and those that were deleted after a
    /// time (UTC milliseconds), in the order of the ids.
    func forEachInSnapshot(family: Int64, deletedAfter limit: Int64, _ body: (StoredRecord) throws -> Void) throws

    /// Passes the records of a kind that is not `message` to `body`, in the order of the ids.
    ///
    /// - Parameter id: the records after it are passed; `nil` begins with the first.
    func forEach(family: Int64, of kind: Kind, after id: Identifier?, _ body: (StoredRecord) throws -> Void) throws

    /// Passes the living events or trip items that begin on a day (`YYYY-MM-DD`) or later to `body`, in the order of
    /// their starts and ids.
    func forEachUpcoming(family: Int64, of kind: Kind, from day: String, _ body: (StoredRecord) throws -> Void) throws

    /// Passes the messages about a record to `body`, each with the sequence that created it, newest first, until `body`
    /// returns false.
    ///
    /// - Parameters:
    ///   - created: messages of later sequences are left out, and of this sequence those with `id` or a larger id.
    ///   - areDeleted: whether deleted messages are passed, or living ones.
    func comments(
        family: Int64, on record: Identifier, before created: Int64, _ id: Identifier, areDeleted: Bool, _ body: (StoredRecord, Int64) throws -> Bool
    ) throws

    /// The number of messages about a record.
    func countComments(family: Int64, on record: Identifier, areDeleted: Bool) throws -> Int

    /// The number of living records of each kind, except messages, about an athlete or about nobody; about anybody if
    /// `athlete` is `nil`.
    func countKinds(family: Int64, athlete: Identifier?) throws -> [Kind: Int]

    /// The number of living messages of the family.
    func countMessages(family: Int64) throws -> Int

    /// Whether a record with this id was purged; of one kind, unless `kind` is `nil`.
    func isPurged(family: Int64, _ id: Identifier, kind: Kind?) throws -> Bool

    /// The names of purged records, in the order of the ids.
    func purged(family: Int64) throws -> [PurgedRow]

    /// The deleted record that has been due for purging longest, and of several the one with the smallest id, in the
    /// families after a key.
    ///
    /// - Parameters:
    ///   - limit: the record was deleted at this time or before, UTC milliseconds.
    ///   - families: the number of families to search.
    /// - Returns: the record, or the last family that was searched, `nil` if there is no further one.
    func nextDue(afterFamily: Int64, deletedBefore limit: Int64, families: Int) throws -> (due: DueRecord?, lastFamily: Int64?)
}

/// The name of a purged record.
package struct PurgedRow: Hashable, Sendable {
    package var id: Identifier
    package var kind: Kind
    /// UTC milliseconds.
    package var deletedAt: Int64

    package init(id: Identifier, kind: Kind, deletedAt: Int64) {
        self.id = id
        self.kind = kind
        self.deletedAt = deletedAt
    }
}

/// Writes that no decision makes: those of imports and purges.
package protocol RecordWrites: RecordReads {
    /// - Parameter created: the sequence of the change that creates the record; 0 if it is not known yet.
    /// - Returns: false if the family has a record with this id already, deleted or not.
    func insert(family: Int64, _ record: Record, created: Int64) throws -> Bool

    /// Notes the change that created a record.
    func setCreation(family: Int64, _ id: Identifier, sequence: Int64) throws

    /// Indexes a record again by its fields, see `StoredRecord.isMisfiled`.
    func file(family: Int64, _ id: Identifier) throws

    /// Removes the values of a record and the change that created it.
    func forgetValues(family: Int64, _ id: Identifier) throws

    /// Removes a record.
    func remove(family: Int64, _ id: Identifier) throws

    /// Notes the name of a purged record, unless it is already noted.
    func insertPurged(family: Int64, _ row: PurgedRow) throws
}
