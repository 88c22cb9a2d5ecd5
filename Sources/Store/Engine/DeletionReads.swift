package import Bytes
package import Family

/// The end of a family: first nobody can find it, then its rows, their remainders in the file of the database, and its
/// files are removed.
package struct Erasure: Hashable, Sendable {
    /// Its progress. The raw value is the word in the database: it never changes.
    package enum State: String, Sendable {
        /// Rows are left.
        case rows
        /// The rows are gone; octets of them may remain in the free space of the database.
        case pages
        /// The database is done; files may remain.
        case files
        /// Only this trace remains.
        case done
    }

    /// The integer that stood for the family. No other family receives it.
    package var key: Int64
    package var family: Identifier
    /// UTC milliseconds.
    package var requestedAt: Int64
    package var begunAt: Int64
    package var state: State
    /// UTC milliseconds; `nil` before `done`.
    package var endedAt: Int64?

    package init(key: Int64, family: Identifier, requestedAt: Int64, begunAt: Int64, state: State, endedAt: Int64? = nil) {
        self.key = key
        self.family = family
        self.requestedAt = requestedAt
        self.begunAt = begunAt
        self.state = state
        self.endedAt = endedAt
    }
}

/// Requests to delete families, and their progress.
package protocol DeletionReads: AnyObject {
    /// The request to delete a family; `nil` if there is none.
    func deletion(family: Int64) throws -> FamilyDeletion?

    /// Erasures in the order of their keys.
    ///
    /// - Parameter all: whether to include those that are done.
    func erasures(all: Bool) throws -> [Erasure]
}

package protocol DeletionWrites: DeletionReads {
    /// Adds a request to delete a family, or withdraws it (`nil`).
    func setDeletion(_ deletion: FamilyDeletion?, family: Int64) throws

    /// The family whose request was due first, if one is due at `time`.
    func dueDeletion(at time: Int64) throws -> (key: Int64, family: Identifier)?

    /// Detaches a family: from now on nobody finds it, and its rows belong to nobody.
    func beginErasure(of family: Identifier, key: Int64, _ deletion: FamilyDeletion, at: Int64) throws

    /// Removes a portion of the rows of a detached family, except those of its people (`PeopleWrites.erase`).
    ///
    /// - Parameters:
    ///   - rows: the largest number of rows of one table.
    ///   - octets: the octets of content after which the portion ends; one row may be larger.
    /// - Returns: false if there was none left.
    func erase(family: Int64, rows: Int, octets: Int) throws -> Bool

    /// Notes the progress of an erasure.
    ///
    /// - Parameter at: UTC milliseconds.
    func set(_ state: Erasure.State, ofErasure key: Int64, at: Int64) throws
}

extension DeletionReads {
    /// Whether an erasure of a family with this id is not finished.
    func isErasing(_ family: Identifier) throws -> Bool { try erasures(all: false).contains { $0.family == family } }
}
