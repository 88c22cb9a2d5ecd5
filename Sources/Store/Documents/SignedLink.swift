import Bytes
import Crypto

/// The proof in a link that a member opens in a browser, which cannot send a token: the member, the document, the end,
/// and a code over all of it. 96 characters of base64url: family and member (16 octets each), time (8), HMAC-SHA-256
/// (32).
enum SignedLink {
    /// Milliseconds for which a link is valid at most: 10 minutes, because it stays in histories and in logs of
    /// proxies.
    static let longestLife: Int64 = 600_000
    private static let bodyOctets = 40

    static func make(key: [UInt8], document: Identifier, family: Identifier, member: Identifier, expiresAt: Int64) -> String {
        var body: [UInt8] = []
        for half in [family.high, family.low, member.high, member.low, UInt64(bitPattern: expiresAt)] { BigEndian.append(half, to: &body) }
        return Base64.encode(body + code(key, body, document), .urlSafe)
    }

    /// The content of a link, if this server made it and its time is not over.
    static func open(_ text: String, key: [UInt8], document: Identifier, now: Int64) -> (family: Identifier, member: Identifier)? {
        guard text.utf8.count == 96, let octets = Base64.decode(Array(text.utf8).span, .urlSafe), octets.count == bodyOctets + 32 else { return nil }
        let body = Array(octets.prefix(bodyOctets))
        guard ConstantTime.equal(code(key, body, document), Array(octets.suffix(32))) else { return nil }
        let words = (0..<5).map { word in body[(word * 8)..<(word * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) } }
        let expiresAt = Int64(bitPattern: words[4])
        // The end must also be within the longest life: a wrong clock must not have made permanent links.
        guard now < expiresAt, expiresAt <= now + longestLife else { return nil }
        return (Identifier(high: words[0], low: words[1]), Identifier(high: words[2], low: words[3]))
    }

    private static func code(_ key: [UInt8], _ body: [UInt8], _ document: Identifier) -> [UInt8] {
        var message = Array("huddle document link 1\n".utf8) + body
        BigEndian.append(document.high, to: &message)
        BigEndian.append(document.low, to: &message)
        return HMAC.sha256(key: key, message)
    }
}
