package import Bytes
package import Family

/// The document of a share link.
package struct OpenShare: Sendable {
    package var family: Identifier
    package var link: Identifier
    package var school: Identifier
    /// UTC milliseconds.
    package var expiresAt: Int64
    package var document: Record
    package var schoolName: String

    package init(family: Identifier, link: Identifier, school: Identifier, expiresAt: Int64, document: Record, schoolName: String) {
        self.family = family
        self.link = link
        self.school = school
        self.expiresAt = expiresAt
        self.document = document
        self.schoolName = schoolName
    }
}

/// Openings of a link that are counted together.
package struct ShareOpenings: Hashable, Sendable {
    package var what: ShareVisit.What
    package var count: Int64
    /// The number of openings that get a row in the log of the link.
    package var rows: Int64
    /// UTC milliseconds.
    package var first: Int64
    package var last: Int64

    package init(what: ShareVisit.What, count: Int64, rows: Int64, first: Int64, last: Int64) {
        self.what = what
        self.count = count
        self.rows = rows
        self.first = first
        self.last = last
    }
}

/// Links with which a person outside of a family opens a document. `family` is the integer that stands for one.
package protocol ShareReads: AnyObject {
    /// The document of a token at a time (UTC milliseconds): the link has neither ended nor expired, and its document
    /// and its school are living records. One look-up for all cases, so that its time reveals nothing about a guess.
    func open(hash: [UInt8], at: Int64) throws -> OpenShare?

    /// The document of a link; `nil` if the family has no such link.
    func document(family: Int64, of link: Identifier) throws -> Identifier?

    /// The links of one document, or of all, newest first, including ended ones; those of one moment by the largest id.
    func links(family: Int64, document: Identifier?, limit: Int) throws -> [StoredShareLink]

    /// The visits of a link, newest first.
    func visits(family: Int64, link: Identifier, limit: Int) throws -> [(at: Int64, what: ShareVisit.What)]

    /// The number of openings of a link, pages and downloads together; `nil` if the family has no such link.
    func openings(family: Int64, of link: Identifier) throws -> Int64?

    /// The number of links whose documents no longer exist.
    func countLost() throws -> Int
}

package protocol ShareWrites: ShareReads {
    /// - Parameter limit: links of one document; above it the oldest that have ended or expired are removed.
    func insert(family: Int64, _ link: StoredShareLink, hash: [UInt8], limit: Int) throws

    /// Ends one link, if it has not ended.
    ///
    /// - Returns: false if it had ended.
    @discardableResult
    func end(family: Int64, link: Identifier, at: Int64) throws -> Bool

    /// Ends the links of a document: of one school, or all.
    func end(family: Int64, document: Identifier, school: Identifier?, at: Int64) throws

    /// Ends the links that a member made.
    func end(family: Int64, creator: Identifier, at: Int64) throws

    /// Counts openings of a link, and adds the newest of them to the log of the link, the first with its time, the
    /// others with that of the last. Does nothing for a link that no longer exists.
    ///
    /// - Parameter limit: rows of the log; above it the oldest are removed.
    /// - Returns: the new number of openings; `nil` for a link that no longer exists.
    @discardableResult
    func note(family: Int64, link: Identifier, _ openings: ShareOpenings, limit: Int) throws -> Int64?

    /// Removes all links of a document.
    func forget(family: Int64, document: Identifier) throws

    /// Removes links that ended before a time (UTC milliseconds).
    ///
    /// - Returns: the number of removed links, at most `count`.
    func purge(before limit: Int64, count: Int) throws -> Int

    /// Removes links whose documents no longer exist.
    func forgetLost() throws
}
