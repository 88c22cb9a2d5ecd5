package import Bytes

/// An entry of the access log: somebody looked at what belongs to an athlete.
package struct AccessRow: Hashable, Sendable {
    package var athlete: Identifier
    /// Who looked.
    package var member: Identifier
    /// UTC milliseconds.
    package var at: Int64
    /// A word of `AccessNote.Subject`.
    package var what: String
    package var record: Identifier?

    /// Entries are kept so long, milliseconds: 365 days, so that an athlete can look back over a season.
    static let retention: Int64 = 365 * 86_400_000
    /// The same person looking at the same thing again within so many milliseconds is one visit: 15 minutes. Telephones reconnect often.
    static let visit: Int64 = 900_000
    /// Entries of one athlete at most; above it the oldest go. Ten per day for more than two years.
    static let maxEntries = 10_000

    package init(athlete: Identifier, member: Identifier, at: Int64, what: String, record: Identifier?) {
        self.athlete = athlete
        self.member = member
        self.at = at
        self.what = what
        self.record = record
    }
}

/// Who looked at what. `family` is the integer that stands for one.
package protocol AccessReads: AnyObject {
    /// The entries of an athlete at a time (UTC milliseconds) or before, the newest first; those of one moment by member, word and record, the largest
    /// first.
    func entries(family: Int64, athlete: Identifier, upTo time: Int64, limit: Int) throws -> [AccessRow]

    /// Gives `body` all entries of a family, in the order of athletes, times, members, words and records.
    func forEach(family: Int64, _ body: (AccessRow) throws -> Void) throws
}

package protocol AccessWrites: AccessReads {
    /// Adds an entry, unless the same entry is there with a later time than `visit` (UTC milliseconds).
    ///
    /// - Parameter limit: entries of one athlete; above it the oldest go, now and then.
    func add(family: Int64, _ row: AccessRow, unlessSince visit: Int64, limit: Int) throws

    /// Adds an entry of another database.
    func append(family: Int64, _ row: AccessRow) throws

    /// Deletes entries from before `limit` (UTC milliseconds), athlete by athlete.
    ///
    /// - Parameters:
    ///   - afterFamily: families with entries after it are looked through, in the order of their integers.
    ///   - count: entries that are deleted at most, apart from further ones of the last moment.
    ///   - families: how many families are looked through at most.
    func purge(before limit: Int64, afterFamily: Int64, count: Int, families: Int) throws -> PurgedPortion<Int64>
}
