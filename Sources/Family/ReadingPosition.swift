package import Bytes

/// The position up to which a member has read: one record per member. Its id follows from the member's, so that every client of theirs moves the same
/// record without a search.
package enum ReadingPosition {
    /// The member's id with another version digit: the 7 that the server gives its members becomes an 8 (RFC 9562 §5.8, "custom").
    ///
    /// The digits of the version are turned around (`d` becomes `15 − d`), so that the two ids always differ.
    package static func id(of member: Identifier) -> Identifier {
        Identifier(high: member.high ^ 0xF000, low: member.low)
    }
}
