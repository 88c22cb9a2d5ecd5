package import Bytes

/// An entry of the access log: a person viewed data of an athlete.
package struct AccessRow: Hashable, Sendable {
    package var athlete: Identifier
    /// The person's member.
    package var member: Identifier
    /// UTC milliseconds.
    package var at: Int64
    /// A word of `AccessNote.Subject`.
    package var what: String
    package var record: Identifier?

    /// Milliseconds for which entries are kept: 365 days, so that an athlete can look back over a season.
    static let retention: Int64 = 365 * 86_400_000
    /// Milliseconds within which repeated views of the same thing by the same person count as one visit: 15 minutes.
    /// Telephones reconnect often.
    static let visit: Int64 = 900_000
    /// The largest number of entries of one athlete; above it the oldest are removed. This is ten per day for more than
    /// two years.
    static let maxEntries = 10_000

    package init(athlete: Identifier, member: Identifier, at: Int64, what: String, record: Identifier?) {
        self.athlete = athlete
        self.member = member
        self.at = at
        self.what = what
        self.record = record
    }
}

/// The access log. `family` is the integer that stands for one.
package protocol AccessReads: AnyObject {
    /// The entries of an athlete at or before a time (UTC milliseconds), newest first; those of one moment by member,
    /// word and record, the largest first.
    func entries(family: Int64, athlete: Identifier, upTo time: Int64, limit: Int) throws -> [AccessRow]

    /// Passes all entries of a family to `body`, in the order of athletes, times, members, words and records.
    func forEach(family: Int64, _ body: (AccessRow) throws -> Void) throws
}

package protocol AccessWrites: AccessReads {
    /// Adds an entry, unless the same entry is there with a later time than `visit` (UTC milliseconds).
    ///
    /// - Parameter limit: entries of one athlete; above it the oldest are regularly removed.
    func add(family: Int64, _ row: AccessRow, unlessSince visit: Int64, limit: Int) throws

    /// Adds an entry from another database.
    func append(family: Int64, _ row: AccessRow) throws

    /// Deletes entries from before `limit` (UTC milliseconds), athlete by athlete.
    ///
    /// - Parameters:
    ///   - afterFamily: families with entries after this one are searched, in the order of their integers.
    ///   - count: the largest number of entries to delete, apart from further ones of the last moment.
    ///   - families: the largest number of families to search.
    func purge(before limit: Int64, afterFamily: Int64, count: Int, families: Int) throws -> PurgedPortion<Int64>
}
