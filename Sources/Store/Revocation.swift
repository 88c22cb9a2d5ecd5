package import Bytes

/// A right that is withdrawn outside of the family's own changes.
package enum Revocation: Hashable, Sendable {
    /// The right of a session's token (`SignIn.session`).
    case session(Int64)
    /// The rights of sessions that their person ends by name.
    case sessions(SessionsEnd)
    /// The right of a share link.
    case share(ShareEnd)
    /// The right of a calendar feed's address.
    case feed(FeedEnd)
}

/// The end of a share link.
package struct ShareEnd: Hashable, Sendable {
    package var family: Identifier
    /// The member who ends it.
    package var member: Identifier
    /// The document to which the link belongs, according to the member; `nil` for any document.
    package var document: Identifier?
    package var link: Identifier

    package init(family: Identifier, member: Identifier, document: Identifier?, link: Identifier) {
        self.family = family
        self.member = member
        self.document = document
        self.link = link
    }
}

/// Sessions of one person that must end.
package struct SessionsEnd: Hashable, Sendable {
    package enum Choice: Hashable, Sendable {
        /// The session with the id that the person sees.
        case one(Identifier)
        /// All sessions except the one that asks, including tokens.
        case others
    }

    /// The session that asks (`SignIn.session`).
    package var session: Int64
    package var choice: Choice

    package init(session: Int64, _ choice: Choice) {
        self.session = session
        self.choice = choice
    }
}

/// The end of a calendar feed.
package struct FeedEnd: Hashable, Sendable {
    package var family: Identifier
    /// The member whose feed it is.
    package var member: Identifier
    package var feed: Identifier

    package init(family: Identifier, member: Identifier, feed: Identifier) {
        self.family = family
        self.member = member
        self.feed = feed
    }
}
