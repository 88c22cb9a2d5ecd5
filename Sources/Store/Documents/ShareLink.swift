package import Bytes
import Crypto

/// The secret in a share link: 192 random bits as 32 characters of base64url. The database holds the SHA-256 of the text: what is looked for
/// is the hash of a guess, so the time it takes tells nothing about how good the guess is.
enum ShareToken {
    static func make(_ random: (Int) -> [UInt8]) -> String { Base64.encode(random(24), .urlSafe) }

    static func hash(_ token: String) -> [UInt8] { Digest.sha256(Array(token.utf8)) }
}

/// A wish to let a school open a document.
package struct NewShare: Hashable, Sendable {
    package var family: Identifier
    /// Who shares.
    package var member: Identifier
    package var document: Identifier
    package var school: Identifier
    /// Milliseconds until it ends; `nil` is 30 days.
    package var life: Int64?

    /// As long as nobody says otherwise: a recruiting conversation, not a season.
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

/// A share link as the family sees it.
package struct ShareLink: Hashable, Sendable {
    /// Entries of one link's log at most; above it the oldest go, the counts stay.
    static let maxViews = 1_000
    /// An ended or expired link is kept so long for its figures, milliseconds: 365 days.
    static let retention: Int64 = 365 * 86_400_000
    /// Links of one document, ended ones included; above it the oldest ended go.
    static let maxLinks = 300

    package var id: Identifier
    package var document: Identifier
    package var school: Identifier
    package var createdBy: Identifier
    /// UTC milliseconds, as all times.
    package var createdAt: Int64
    package var expiresAt: Int64
    /// Somebody revoked it, made another in its place, ended the sharing, deleted the document or removed its creator from the family; `nil` while it
    /// is good or has only expired.
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

/// A link that was made.
package struct ShareCreated: Hashable, Sendable {
    package var link: ShareLink
    /// For `/s/<token>`. This is the only time that it is seen: the database holds its hash.
    package var token: String
}

/// Somebody opened a share link.
package struct ShareVisit: Hashable, Sendable {
    package enum What: String, CaseIterable, Sendable {
        /// The page that tells what is shared.
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
