package import Bytes
package import Family

/// A family, without its records.
package struct FamilyRow: Hashable, Sendable {
    /// The integer that stands for the family in every key.
    package var key: Int64
    package var id: Identifier
    /// The log can no longer serve cursors below it.
    package var floor: Int64
    /// UTC milliseconds.
    package var createdAt: Int64

    package init(key: Int64, id: Identifier, floor: Int64, createdAt: Int64) {
        self.key = key
        self.id = id
        self.floor = floor
        self.createdAt = createdAt
    }
}

/// The families of a database.
package protocol FamilyReads: DeletionReads {
    /// The family with this id; `nil` if there is none.
    func find(_ id: Identifier) throws -> FamilyRow?

    /// The id of the family with this integer; `nil` if there is none, or if its row cannot be read.
    func id(of key: Int64) throws -> Identifier?

    /// All families, in the order of their keys.
    func all() throws -> [FamilyRow]

    /// The number of families.
    func count() throws -> Int

    /// Families after a key, in the order of their keys.
    func all(after key: Int64, limit: Int) throws -> [FamilyRow]

    /// The limits that the host has set for one family.
    func quotas(family: Int64) throws -> FamilyQuotas

    /// The families for which the host has set limits.
    func ownQuotas() throws -> [Identifier: FamilyQuotas]
}

/// Adds families, and imports that may become families.
package protocol FamilyWrites: FamilyReads, DeletionWrites {
    /// An integer that stands for neither a family nor an import, and never stood for an erased family.
    func nextKey() throws -> Int64

    /// Makes a family. If its key stood for an import, the import is complete, and followers of the log find an arrival at a new position.
    func insert(_ family: FamilyRow) throws

    /// Raises the floor of a family to a sequence, if it is lower.
    func raiseFloor(family: Int64, to sequence: Int64) throws

    /// Notes that the log or the history of a family takes less space.
    func free(family: Int64, octets: Int) throws

    /// Sets the limits of one family; those without a value are the limits of all families.
    func setQuotas(family: Int64, _ quotas: FamilyQuotas) throws

    /// Begins an import. Its rows belong to no family until `insert`.
    func beginImport(key: Int64, id: Identifier, at: Int64) throws

    /// Removes a portion of the rows of an unfinished import.
    ///
    /// - Parameter limit: the largest number of rows of one table, apart from further entries of the access log of the
    ///   last moment.
    /// - Returns: false if there is no such import.
    func sweepImports(limit: Int) throws -> Bool
}
