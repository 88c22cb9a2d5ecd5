import Crypto
import TestSupport
import Testing

@testable import Accounts

@Suite("One-time passwords, RFC 6238")
struct OneTimePasswordTests {
    private let published = OneTimePassword(secret: Array("12345678901234567890".utf8))

    @Test("Appendix B, the values for SHA-1", arguments: [
        (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"), (2_000_000_000, "69279037"),
        (20_000_000_000, "65353130"),
    ] as [(Int64, String)])
    func appendixB(seconds: Int64, expected: String) {
        let step = OneTimePassword.step(at: seconds)
        #expect(published.password(at: step, digits: 8) == expected)
        #expect(published.password(at: step) == String(expected.suffix(6)))
        #expect(published.check(String(expected.suffix(6)), at: seconds, after: nil) == step)
    }

    @Test("A password works one step early and one step late, and no further")
    func drift() {
        var random = SplitMix64.fresh()
        for _ in 0..<200 {
            let password = OneTimePassword(secret: random.octets(20))
            let step = Int64(random.below(1 << 40)) + 2
            let own = password.password(at: step)
            // Of a million passwords some are those of two steps.
            guard Set((step - 3...step + 3).map { password.password(at: $0) }).count == 7 else { continue }
            for seconds in [(step - 1) * 30, step * 30, step * 30 + 29, (step + 1) * 30 + 29] {
                #expect(password.check(own, at: seconds, after: nil) == step, "seed \(random.seed)")
            }
            #expect(password.check(own, at: (step - 1) * 30 - 1, after: nil) == nil, "seed \(random.seed)")
            #expect(password.check(own, at: (step + 2) * 30, after: nil) == nil, "seed \(random.seed)")
        }
    }

    @Test("Each password works once, and none before the last one works after it")
    func once() throws {
        let now: Int64 = 1_700_000_010
        let step = OneTimePassword.step(at: now)
        let used = try #require(published.check(published.password(at: step), at: now, after: nil))
        #expect(published.check(published.password(at: step), at: now, after: used) == nil)
        #expect(published.check(published.password(at: step - 1), at: now, after: used) == nil)
        #expect(published.check(published.password(at: step + 1), at: now, after: used) == step + 1)
    }

    @Test("A typed password may have blanks, and any other text is wrong")
    func typed() {
        let own = published.password(at: 1)
        #expect(published.check(" \(own.prefix(3)) \(own.suffix(3)) ", at: 59, after: nil) == 1)
        for text in ["", own + "0", String(own.dropLast()), "-" + own.dropFirst(), own + String(repeating: " ", count: 40)] {
            #expect(published.check(text, at: 59, after: nil) == nil)
        }
        #expect(published.check(published.password(at: 0), at: 0, after: nil) == 0)
        #expect(published.check(own, at: -1, after: nil) == nil)
    }

    @Test("The address for authenticator programs escapes the names")
    func address() {
        #expect(
            published.address(issuer: "Huddle & co", account: "mira ö")
                == "otpauth://totp/Huddle%20%26%20co:mira%20%C3%B6?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Huddle%20%26%20co&algorithm=SHA1&digits=6&period=30")
    }

    @Test("Base 32 of RFC 4648 §10, without padding", arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
    ])
    func base32(text: String, expected: String) {
        #expect(Base32.encode(Array(text.utf8)) == expected)
    }
}

@Suite("Recovery codes")
struct RecoveryCodeTests {
    @Test("A set has ten codes, each of which works once in any spelling")
    func once() {
        var random = SplitMix64.fresh()
        let made = RecoveryCodes.make(random: random.octets(RecoveryCodes.randomOctets))
        var codes = made.codes
        let texts = made.texts
        #expect(texts.count == 10 && Set(texts).count == 10 && codes.left == 10)
        for text in texts { #expect(text.utf8.count == 19 && text.split(separator: "-").count == 4) }
        for (index, text) in texts.shuffled(using: &random).enumerated() {
            let typed = random.chance(50) ? text.lowercased().filter { $0 != "-" } : text.map { $0 == "0" ? "o" : $0 == "1" ? "l" : String($0) }.joined(separator: " ")
            #expect(codes.use(typed) == true, "seed \(random.seed)")
            #expect(codes.left == 9 - index)
            #expect(codes.use(text) == false)
        }
        #expect(codes.left == 0)
    }

    @Test("Another text uses nothing up")
    func wrong() {
        let made = RecoveryCodes.make(random: Random.octets(RecoveryCodes.randomOctets))
        var codes = made.codes
        let texts = made.texts
        for text in ["", "-", String(texts[0].dropLast()), texts[0] + "0", String(repeating: "0", count: 100_000), "UUUU-UUUU-UUUU-UUUU"] {
            #expect(codes.use(text) == false)
        }
        #expect(codes.left == 10)
        #expect(!codes.hashes.contains { Array(texts.joined().utf8).starts(with: $0) })
    }

    @Test("A stored set is the set")
    func stored() {
        let (codes, texts) = RecoveryCodes.make(random: Random.octets(RecoveryCodes.randomOctets))
        var again = RecoveryCodes(hashes: codes.hashes)
        #expect(again == codes)
        #expect(again.use(texts[3]) == true)
        #expect(again.left == 9)
    }
}
