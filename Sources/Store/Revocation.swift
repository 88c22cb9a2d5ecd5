package import Bytes

/// A right that somebody takes away, outside of the family's own changes.
package enum Revocation: Hashable, Sendable {
    /// Of whoever holds the token of a session (`SignIn.session`).
    case session(Int64)
    /// Of sessions that their person ends by name.
    case sessions(SessionsEnd)
    /// Of whoever has a share link.
    case share(ShareEnd)
    /// Of the programs that have the address of a calendar feed.
    case feed(FeedEnd)
}

/// The end of a share link.
package struct ShareEnd: Hashable, Sendable {
    package var family: Identifier
    /// Who ends it.
    package var member: Identifier
    /// The document that the member takes it for a link of; `nil` for whichever it is of.
    package var document: Identifier?
    package var link: Identifier

    package init(family: Identifier, member: Identifier, document: Identifier?, link: Identifier) {
        self.family = family
        self.member = member
        self.document = document
        self.link = link
    }
}

/// Sessions of one person that are to end.
package struct SessionsEnd: Hashable, Sendable {
    package enum Choice: Hashable, Sendable {
        /// By the id that the person knows.
        case one(Identifier)
        /// All but the one that asks, tokens included.
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
