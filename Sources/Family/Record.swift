package import Bytes

/// One thing that the family shares: envelope and fields.
package struct Record: Hashable, Sendable {
    package let kind: Kind
    package let id: Identifier
    /// The athlete who owns it, for kinds of scope `.athlete`; `nil` for the others.
    package var athlete: Identifier?
    /// 1 at creation, one more at each change. An author names the version that an edit was based on.
    package var version: Int64
    /// UTC milliseconds.
    package var createdAt: Int64
    package var createdBy: Identifier
    package var updatedAt: Int64
    package var updatedBy: Identifier
    /// UTC milliseconds of the deletion; `nil` while the record lives. A deleted record (tombstone) keeps its fields for 30 days.
    package var deletedAt: Int64?
    package var fields: Fields

    package init(
        kind: Kind, id: Identifier, athlete: Identifier?, version: Int64, createdAt: Int64, createdBy: Identifier,
        updatedAt: Int64, updatedBy: Identifier, deletedAt: Int64? = nil, fields: Fields
    ) {
        self.kind = kind
        self.id = id
        self.athlete = athlete
        self.version = version
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.updatedAt = updatedAt
        self.updatedBy = updatedBy
        self.deletedAt = deletedAt
        self.fields = fields
    }

    package var isDeleted: Bool { deletedAt != nil }
}
