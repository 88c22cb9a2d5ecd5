package import Bytes
package import Family

/// A stored entry of a family's audit log.
package struct AuditRow: Hashable, Sendable {
    /// The number of the entry in the family, from 1.
    package var number: Int64
    package var entry: Audit.Entry

    package init(number: Int64, entry: Audit.Entry) {
        self.number = number
        self.entry = entry
    }
}

/// The audit logs of families. `family` is the integer that stands for one.
package protocol AuditReads: AnyObject {
    /// The entries of a family with smaller numbers than `before`, newest first.
    ///
    /// - Parameter member: only acts of this member and acts that concern them; `nil`: all.
    func entries(family: Int64, of member: Identifier?, before: Int64, limit: Int) throws -> [AuditRow]

    /// The acts of the host in the audit logs of all families, newest first.
    ///
    /// - Parameter mark: only acts that come after it in this order; `nil`: all.
    func hostEntries(after mark: HostActMark?, limit: Int) throws -> [(family: Int64, row: AuditRow)]
}

/// The position of an act of the host among those of all families.
package struct HostActMark: Hashable, Sendable {
    /// UTC milliseconds.
    package var at: Int64
    /// The integer that stands for the family.
    package var family: Int64
    /// The number of the entry in its family.
    package var number: Int64

    package init(at: Int64, family: Int64, number: Int64) {
        self.at = at
        self.family = family
        self.number = number
    }
}

package protocol AuditWrites: AuditReads {
    /// Adds an entry with the next number.
    ///
    /// - Parameter limit: entries of one family; above it the oldest are regularly removed.
    func append(family: Int64, _ entry: Audit.Entry, limit: Int) throws

    /// Adds to the count of the newest `sign_in_failed` of a member after `time` (UTC milliseconds).
    ///
    /// - Returns: false if there is none.
    func addFailures(_ count: Int64, family: Int64, about member: Identifier, after time: Int64) throws -> Bool

    /// Adds to the count of the newest `passkey_refused` of a member with this detail after `time` (UTC milliseconds).
    ///
    /// - Returns: false if there is none.
    func addRefusals(_ count: Int64, family: Int64, about member: Identifier, detail: String, after time: Int64) throws -> Bool

    /// Deletes the oldest entries of families, as long as they are from before `limit` (UTC milliseconds).
    ///
    /// - Parameters:
    ///   - afterFamily: families with integers after this one are searched, in their order.
    ///   - count: the largest number of entries to delete.
    ///   - families: the largest number of families to search.
    func purge(before limit: Int64, afterFamily: Int64, count: Int, families: Int) throws -> PurgedPortion<Int64>
}
