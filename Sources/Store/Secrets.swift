import Bytes
import Crypto
import Family

/// A session token: 256 random bits as 43 characters of base64url. The database holds the SHA-256 of the text, so a
/// stolen copy of it gives no access; the token has all the randomness for which a slow hash would be needed.
enum SessionToken {
    /// Milliseconds after which an unused session ends.
    static let life = AccountSession.idleDays * 86_400_000
    /// Milliseconds after the last note of a use after which the next use is noted: one write per day for each session.
    static let renewal: Int64 = 86_400_000

    static func make(_ random: (Int) -> [UInt8]) -> String { Base64.encode(random(32), .urlSafe) }

    static func hash(_ token: String) -> [UInt8] { Digest.sha256(Array(token.utf8)) }
}

/// The secret of the client that redeemed a code. It has 128 random bits, so a fast hash of it is enough.
enum RedemptionNonce {
    static func hash(_ nonce: String) -> [UInt8] { Digest.sha256(Array(nonce.utf8)) }
}

/// An invite's one-time code: 100 random bits as 20 letters and digits that are hard to confuse (Crockford's base 32:
/// no I, L, O, U), in four groups of five, `7K3QX-…`. It is stored as a hash, like tokens.
enum InviteCode {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    static func make(_ random: (Int) -> [UInt8]) -> String { text(random(20)) }

    /// The code of an invite that a parent's session requests. It follows from the request, so that a repetition gets
    /// the code of the first answer although only a hash of it is stored. It cannot be computed without the key of the
    /// database and the client's nonce.
    static func make(key: [UInt8], family: Identifier, inviter: Identifier, invite: Identifier, nonce: String) -> String {
        var message = Array("huddle invite code 1\n".utf8)
        for half in [family.high, family.low, inviter.high, inviter.low, invite.high, invite.low] { BigEndian.append(half, to: &message) }
        return text(Array(HMAC.sha256(key: key, message + Array(nonce.utf8)).prefix(20)))
    }

    private static func text(_ octets: [UInt8]) -> String {
        var code: [UInt8] = []
        for (index, octet) in octets.enumerated() {
            if index > 0, index % 5 == 0 { code.append(UInt8(ascii: "-")) }
            // 32 divides 256, so five bits of each octet are evenly distributed.
            code.append(digits[Int(octet & 31)])
        }
        return String(decoding: code, as: UTF8.self)
    }

    /// The hash of a code as a person types it: any case, with or without hyphens and blanks, O for 0, I or L for 1.
    ///
    /// - Returns: `nil` for a text that cannot be a code.
    static func hash(_ typed: String) -> [UInt8]? {
        var code: [UInt8] = []
        for octet in typed.utf8 {
            switch octet {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "o"), UInt8(ascii: "O"): code.append(UInt8(ascii: "0"))
            case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "L"): code.append(UInt8(ascii: "1"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): code.append(octet - 32)
            default: code.append(octet)
            }
            guard code.count <= 20 else { return nil }
        }
        return code.count == 20 ? Digest.sha256(code) : nil
    }
}
