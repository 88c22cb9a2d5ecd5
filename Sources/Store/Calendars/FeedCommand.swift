package import Bytes
import Crypto
package import Family

/// A member's request to the writer about their calendar feeds.
package struct FeedCommand: Hashable, Sendable {
    package enum Act: Hashable, Sendable {
        /// The client draws the id and the nonce; the secret follows from both, so that a repetition of the request
        /// gets it again.
        case add(Identifier, nonce: String, FeedSettings)
        case change(Identifier, FeedSettings)
    }

    package var family: Identifier
    package var member: Identifier
    /// The session that asks.
    package var session: Int64
    package var act: Act

    package init(family: Identifier, member: Identifier, session: Int64, _ act: Act) {
        self.family = family
        self.member = member
        self.session = session
        self.act = act
    }
}

/// The name of a calendar feed among those of all families.
package struct FeedName: Hashable, Sendable {
    package var family: Identifier
    package var feed: Identifier

    package init(family: Identifier, feed: Identifier) {
        self.family = family
        self.feed = feed
    }
}

/// The secret in the address of a feed: 192 bits of an HMAC over the request, with the key of the database, as 32
/// characters of base64url. It cannot be computed without that key and the client's nonce; the database holds its
/// SHA-256.
enum FeedToken {
    static func make(key: [UInt8], family: Identifier, member: Identifier, id: Identifier, nonce: String) -> String {
        var message = Array("huddle calendar 1\n".utf8)
        for half in [family.high, family.low, member.high, member.low, id.high, id.low] { BigEndian.append(half, to: &message) }
        return Base64.encode(Array(HMAC.sha256(key: key, message + Array(nonce.utf8)).prefix(24)), .urlSafe)
    }

    static func hash(_ token: String) -> [UInt8] { Digest.sha256(Array(token.utf8)) }
}
