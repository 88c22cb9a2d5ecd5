package import Bytes
import Crypto

/// The secret in a share link: 192 random bits as 32 characters of base64url. The database holds the SHA-256 of the
/// text and looks for the hash of a guess, so the time that this takes reveals nothing about the guess.
enum ShareToken {
    static func make(_ random: (Int) -> [UInt8]) -> String { Base64.encode(random(24), .urlSafe) }

    static func hash(_ token: String) -> [UInt8] { Digest.sha256(Array(token.utf8)) }
}

/// A request to let a school open a document.
package struct NewShare: Hashable, Sendable {
    package var family: Identifier
    /// The member who shares.
    package var member: Identifier
    package var document: Identifier
    package var school: Identifier
    /// Milliseconds until it ends; `nil` is 30 days.
    package var life: Int64?

    /// The default: a recruiting conversation, not a season.
    package static let usualLife: Int64 = 30 * 86_400_000
    package static let longestLife: Int64 = 365 * 86_400_000
    /// A minute: shorter ones are mistakes.
    package static let shortestLife: Int64 = 60_000

    package init(family: Identifier, member: Identifier, document: Identifier, school: Identifier, life: Int64? = nil) {
        self.family = family
        self.member = member
        self.document = document
        self.school = school
        self.life = life
    }
}

/// A share link, as the family sees it.
package struct StoredShareLink: Hashable, Sendable {
    /// The largest number of entries in one link's log; above it the oldest are removed, the counts stay.
    static let maxViews = 1_000
    /// Milliseconds for which an ended or expired link is kept for its figures: 365 days.
    static let retention: Int64 = 365 * 86_400_000
    /// The largest number of links of one document, including ended ones; above it the oldest ended ones are removed.
    static let maxLinks = 300

    package var id: Identifier
    package var document: Identifier
    package var school: Identifier
    package var createdBy: Identifier
    /// UTC milliseconds, like all times.
    package var createdAt: Int64
    package var expiresAt: Int64
    /// The time at which a member revoked or replaced it, ended the sharing, deleted the document or removed its
    /// creator from the family; `nil` if it is valid or has only expired.
    package var endedAt: Int64?
    /// How often its page was opened.
    package var views: Int64
    package var downloads: Int64
    /// When it was opened last.
    package var lastOpenedAt: Int64?

    package init(
        id: Identifier, document: Identifier, school: Identifier, createdBy: Identifier, createdAt: Int64, expiresAt: Int64,
        endedAt: Int64? = nil, views: Int64 = 0, downloads: Int64 = 0, lastOpenedAt: Int64? = nil
    ) {
        self.id = id
        self.document = document
        self.school = school
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.endedAt = endedAt
        self.views = views
        self.downloads = downloads
        self.lastOpenedAt = lastOpenedAt
    }
}

/// A new link.
package struct ShareCreated: Hashable, Sendable {
    package var link: StoredShareLink
    /// For `/s/<token>`. The token is shown only now: the database holds its hash.
    package var token: String
}

/// A visit of a share link.
package struct ShareVisit: Hashable, Sendable {
    package enum What: String, CaseIterable, Sendable {
        /// The page of the document.
        case page
        /// The file.
        case download
    }

    package var family: Identifier
    package var link: Identifier
    package var what: What

    package init(family: Identifier, link: Identifier, what: What) {
        self.family = family
        self.link = link
        self.what = what
    }
}
