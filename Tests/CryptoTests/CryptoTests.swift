import Bytes
import Crypto
import Testing

/// Lower-case hex, for comparison with published values.
func hex(_ octets: [UInt8]) -> String {
    octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

@Suite("Digests, FIPS 180-4 and RFC 6455 §1.3")
struct DigestTests {
    @Test("SHA-1 gives the published values", arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11", "b37a4f2cc0624f1690f64606cf385945b2bec4ea"),
    ])
    func sha1(text: String, expected: String) {
        #expect(hex(Digest.sha1(Array(text.utf8))) == expected)
    }

    @Test("SHA-256 gives the published values", arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ])
    func sha256(text: String, expected: String) {
        #expect(hex(Digest.sha256(Array(text.utf8))) == expected)
    }

    @Test("SHA-256 in pieces equals SHA-256 in one call, cut at every octet")
    func streaming() {
        let octets = (0..<130).map { UInt8($0) }
        let whole = Digest.sha256(octets)
        for cut in 0...octets.count {
            var stream = SHA256()
            stream.update(Array(octets[..<cut]))
            stream.update(Array(octets[cut...]))
            #expect(stream.finish() == whole)
        }
    }
}

@Suite("Random octets")
struct RandomTests {
    @Test("The generator returns the requested number of octets, and never the same twice", arguments: [0, 1, 16, 32, 4096])
    func octets(count: Int) {
        let first = Random.octets(count)
        #expect(first.count == count)
        if count >= 16 { #expect(first != Random.octets(count)) }
    }

    @Test("10,000 words across many blocks are all different")
    func words() {
        var seen: Set<UInt64> = []
        for _ in 0..<10_000 { seen.insert(Random.uint64()) }
        #expect(seen.count == 10_000)
        #expect(!seen.contains(0))
    }

    @Test("An identifier has its time, version 7 and the variant, and grows with time")
    func identifier() {
        let early = Random.identifier(milliseconds: 1_700_000_000_000)
        let late = Random.identifier(milliseconds: 1_700_000_000_001)
        #expect(early.high >> 16 == 1_700_000_000_000)
        #expect(early.high >> 12 & 0xF == 7)
        #expect(early.low >> 62 == 2)
        #expect(early < late)
        #expect(early != Random.identifier(milliseconds: 1_700_000_000_000))
    }
}

@Suite("Comparison of secrets")
struct ConstantTimeTests {
    @Test("Equal octets are equal; one bit, or one octet more, is not")
    func equality() {
        let secret = Random.octets(32)
        #expect(ConstantTime.equal(secret, secret))
        #expect(ConstantTime.equal([], []))
        #expect(!ConstantTime.equal(secret, secret + [0]))
        #expect(!ConstantTime.equal(secret, []))
        for index in secret.indices {
            var other = secret
            other[index] ^= 1
            #expect(!ConstantTime.equal(secret, other))
        }
    }
}

@Suite("Digests in pieces and message authentication")
struct RunningDigestTests {
    @Test(
        "Any cut gives the digest of the whole",
        arguments: [
            (DigestAlgorithm.md5, "900150983cd24fb0d6963f7d28e17f72"),
            (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ])
    func pieces(algorithm: DigestAlgorithm, expected: String) {
        let text = Array("abc".utf8)
        for cut in 0...3 {
            var digest = RunningDigest(algorithm)
            digest.update(Array(text[..<cut]))
            digest.update(Array(text[cut...]))
            let found = digest.finish()
            #expect(found.count == algorithm.width)
            #expect(Hex.encode(found) == expected)
        }
    }

    @Test("HMAC-SHA-256 as in RFC 4231 §4.3, test case 2")
    func hmac() {
        let code = HMAC.sha256(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(Hex.encode(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(HMAC.sha256(key: [1], []).count == 32)
    }
}
