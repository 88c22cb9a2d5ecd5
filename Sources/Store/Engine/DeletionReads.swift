package import Bytes
package import Family

/// The end of a family: first it is taken away from everybody, then its rows, what they left in the file of the database, and its files go.
package struct Erasure: Hashable, Sendable {
    /// How far it is. The raw value is the word in the database: it never changes.
    package enum State: String, Sendable {
        /// Rows are left.
        case rows
        /// The rows are gone; octets of them may be left in the free space of the database.
        case pages
        /// The database is done; files may be left.
        case files
        /// Nothing is left but this trace.
        case done
    }

    /// The integer that stood for the family. No other family gets it.
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

/// Requests to delete families, and what became of them.
package protocol DeletionReads: AnyObject {
    /// The request to delete a family; `nil` if there is none.
    func deletion(family: Int64) throws -> FamilyDeletion?

    /// Erasures in the order of their keys.
    ///
    /// - Parameter all: also those that are done.
    func erasures(all: Bool) throws -> [Erasure]
}

package protocol DeletionWrites: DeletionReads {
    /// Enters a request to delete a family, or takes it back (`nil`).
    func setDeletion(_ deletion: FamilyDeletion?, family: Int64) throws

    /// The family whose request was due first, if one is due at `time`.
    func dueDeletion(at time: Int64) throws -> (key: Int64, family: Identifier)?

    /// Takes a family away: from now on nobody finds it, and its rows are nobody's.
    func beginErasure(of family: Identifier, key: Int64, _ deletion: FamilyDeletion, at: Int64) throws

    /// Removes a portion of the rows of a family that was taken away, but those of its people (`PeopleWrites.erase`).
    ///
    /// - Parameters:
    ///   - rows: of one table at most.
    ///   - octets: of their content after which the portion ends; one row may be larger.
    /// - Returns: false if there was none left.
    func erase(family: Int64, rows: Int, octets: Int) throws -> Bool

    /// Notes how far an erasure is.
    ///
    /// - Parameter at: UTC milliseconds.
    func set(_ state: Erasure.State, ofErasure key: Int64, at: Int64) throws
}

extension DeletionReads {
    /// Whether anything of a family with this id is still to be erased.
    func isErasing(_ family: Identifier) throws -> Bool { try erasures(all: false).contains { $0.family == family } }
}
