package import Bytes
package import Family
package import Ledger

/// A record as it is stored.
package struct StoredRecord: Sendable {
    /// `nil` if the row is damaged.
    package var record: Record?
    /// `nil` if the row is damaged so far that not even its id can be read.
    package var id: Identifier?
    /// Octets of the fields as they are stored, which is how they travel.
    package var octets: Int

    /// The engine does not find the record by what its fields say; only `RecordReads.forEach` looks for that.
    package var isMisfiled: Bool

    package init(record: Record?, id: Identifier?, octets: Int, isMisfiled: Bool = false) {
        self.record = record
        self.id = id
        self.octets = octets
        self.isMisfiled = isMisfiled
    }
}

/// What is stored of a record beside its values.
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

/// A deleted record whose time has come.
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

    /// What is stored beside the values of a record; `nil` if the family has no record with this id.
    func head(family: Int64, _ id: Identifier) throws -> RecordHead?

    /// How many records the family has, deleted ones included.
    func count(family: Int64) throws -> Int

    /// Everybody who is or was in the family.
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

    /// Gives `body` every record of a family, in the order of the ids.
    func forEach(family: Int64, _ body: (StoredRecord) throws -> Void) throws

    /// Gives `body` the records that a snapshot holds beside messages: the living ones, and those that were deleted after a time (UTC
    /// milliseconds), in the order of the ids.
    func forEachInSnapshot(family: Int64, deletedAfter limit: Int64, _ body: (StoredRecord) throws -> Void) throws

    /// Gives `body` the records of a kind that is not `message`, in the order of the ids.
    ///
    /// - Parameter id: records after it are given; `nil` begins with the first.
    func forEach(family: Int64, of kind: Kind, after id: Identifier?, _ body: (StoredRecord) throws -> Void) throws

    /// Gives `body` the messages about a record, each with the sequence that created it, the newest first, until `body` returns false.
    ///
    /// - Parameters:
    ///   - created: messages of this sequence and of later ones are left out, of this one those with `id` or a larger id only.
    ///   - areDeleted: whether deleted messages are given, or living ones.
    func comments(
        family: Int64, on record: Identifier, before created: Int64, _ id: Identifier, areDeleted: Bool, _ body: (StoredRecord, Int64) throws -> Bool
    ) throws

    /// How many messages are about a record.
    func countComments(family: Int64, on record: Identifier, areDeleted: Bool) throws -> Int

    /// How many living records of each kind but messages are about an athlete or about nobody; about anybody if `athlete` is `nil`.
    func countKinds(family: Int64, athlete: Identifier?) throws -> [Kind: Int]

    /// How many living messages the family has.
    func countMessages(family: Int64) throws -> Int

    /// Whether a record of this id was purged; of one kind, unless `kind` is `nil`.
    func isPurged(family: Int64, _ id: Identifier, kind: Kind?) throws -> Bool

    /// The names that are left of purged records, in the order of the ids.
    func purged(family: Int64) throws -> [PurgedRow]

    /// The deleted record whose time has come first, and of several the one with the smallest id, in the families after a key.
    ///
    /// - Parameters:
    ///   - limit: the record was deleted at this time or before, UTC milliseconds.
    ///   - families: how many are looked through.
    /// - Returns: the record, or the last family that was looked through, `nil` if there is no further one.
    func nextDue(afterFamily: Int64, deletedBefore limit: Int64, families: Int) throws -> (due: DueRecord?, lastFamily: Int64?)
}

/// The name that is left of a purged record.
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

/// Writes that no decision makes: imports and purges.
package protocol RecordWrites: RecordReads {
    /// - Parameter created: the sequence of the change that creates the record; 0 if it is not known yet.
    /// - Returns: false if the family has a record with this id already, deleted or not.
    func insert(family: Int64, _ record: Record, created: Int64) throws -> Bool

    /// Notes which change created a record.
    func setCreation(family: Int64, _ id: Identifier, sequence: Int64) throws

    /// Files a record again by what its fields say, see `StoredRecord.isMisfiled`.
    func file(family: Int64, _ id: Identifier) throws

    /// Forgets the values of a record and the change that created it.
    func forgetValues(family: Int64, _ id: Identifier) throws

    /// Removes a record.
    func remove(family: Int64, _ id: Identifier) throws

    /// Notes the name of a purged record, unless it is noted.
    func insertPurged(family: Int64, _ row: PurgedRow) throws
}
