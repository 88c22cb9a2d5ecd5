import Bytes
import Crypto
import HTTP1
import PasskeySupport
import TestSupport
import Testing

@testable import Accounts

private let party = RelyingParty(publicURL: "https://huddle.example/")!
private let person = Identifier(high: 1, low: 2)

/// A server with its challenges, and one person with one authenticator.
private struct Ceremony {
    var challenges = PasskeyChallenges()
    let authenticator: SoftAuthenticator

    init(_ algorithm: SignatureAlgorithm = .edDSA) { authenticator = SoftAuthenticator(algorithm) }

    mutating func challenge(_ purpose: PasskeyChallenges.Purpose = .signIn, now: Int64 = 0) -> [UInt8] {
        let challenge = Random.octets(PasskeyChallenges.octets)
        challenges.add(challenge, for: purpose, now: now)
        return challenge
    }

    mutating func register(_ answer: Passkey.Registration? = nil, now: Int64 = 0) -> Result<Passkey, PasskeyRefusal> {
        let answer = answer ?? authenticator.register(challenge(.register(person: person)))
        do throws(PasskeyRefusal) {
            return .success(
                try Passkey.register(answer, at: party) { octets throws(PasskeyRefusal) in
                    try challenges.use(octets, for: .register(person: person), now: now)
                })
        } catch { return .failure(error) }
    }

    mutating func verify(_ passkey: inout Passkey, _ answer: Passkey.Assertion? = nil, now: Int64 = 0) -> PasskeyRefusal? {
        let answer = answer ?? authenticator.assert(challenge())
        do throws(PasskeyRefusal) {
            try passkey.verify(answer, at: party) { octets throws(PasskeyRefusal) in try challenges.use(octets, for: .signIn, now: now) }
            return nil
        } catch { return error }
    }
}

@Suite("Passkeys, Web Authentication Level 2 §7")
struct PasskeyTests {
    @Test("A passkey is registered and signs its person in", arguments: SignatureAlgorithm.allCases)
    func works(algorithm: SignatureAlgorithm) throws {
        var ceremony = Ceremony(algorithm)
        var passkey = try ceremony.register().get()
        #expect(passkey.credential == ceremony.authenticator.credential)
        #expect(passkey.key == ceremony.authenticator.spki)
        for counter: UInt32 in [2, 3, 100, .max] {
            ceremony.authenticator.counter = counter
            #expect(ceremony.verify(&passkey) == nil)
            #expect(passkey.counter == counter)
        }
        var stored = Passkey(credential: passkey.credential, algorithm: passkey.algorithm, key: passkey.key, counter: 5)
        ceremony.authenticator.counter = 6
        #expect(ceremony.verify(&stored) == nil)
    }

    @Test("A challenge works once, for its purpose, within 5 minutes; a refused answer uses it up")
    func challenges() throws {
        var ceremony = Ceremony()
        var passkey = try ceremony.register().get()
        ceremony.authenticator.counter = 2
        let answer = ceremony.authenticator.assert(ceremony.challenge())
        #expect(ceremony.verify(&passkey, answer) == nil)
        #expect(ceremony.verify(&passkey, answer) == .challenge)
        ceremony.authenticator.counter = 3
        #expect(ceremony.verify(&passkey, ceremony.authenticator.assert(ceremony.challenge(.register(person: person)))) == .challenge)
        #expect(ceremony.verify(&passkey, ceremony.authenticator.assert(ceremony.challenge(.confirm(person: person)))) == .challenge)
        #expect(ceremony.verify(&passkey, ceremony.authenticator.assert(Random.octets(32))) == .challenge)
        #expect(ceremony.verify(&passkey, ceremony.authenticator.assert([])) == .challenge)
        #expect(ceremony.verify(&passkey, ceremony.authenticator.assert(ceremony.challenge(now: 0)), now: 300_000) == .challenge)
        #expect(ceremony.verify(&passkey, ceremony.authenticator.assert(ceremony.challenge(now: 0)), now: 299_999) == nil)
        ceremony.authenticator.counter = 4
        var changed = ceremony.authenticator.assert(ceremony.challenge())
        let right = changed.signature
        changed.signature[0] ^= 1
        #expect(ceremony.verify(&passkey, changed) == .signature)
        changed.signature = right
        #expect(ceremony.verify(&passkey, changed) == .challenge)
        let other = ceremony.challenge(.register(person: Identifier(high: 1, low: 3)))
        #expect(ceremony.register(ceremony.authenticator.register(other)) == .failure(.challenge))
    }

    @Test("A foreign origin, frame, relying party, type or key is refused, and so are missing UP and UV", arguments: SignatureAlgorithm.allCases)
    func foreign(algorithm: SignatureAlgorithm) throws {
        var ceremony = Ceremony(algorithm)
        var passkey = try ceremony.register().get()
        let changes: [(PasskeyRefusal, (SoftAuthenticator) -> Void)] = [
            (.origin, { $0.origin = "https://evil.example" }), (.origin, { $0.origin = "http://huddle.example" }),
            (.origin, { $0.origin = "https://huddle.example:8443" }), (.origin, { $0.origin = "https://huddle.example.evil.example" }),
            (.origin, { $0.origin = "null" }), (.origin, { $0.extraMember = #","crossOrigin":true"# }),
            (.relyingParty, { $0.party = "evil.example" }), (.relyingParty, { $0.party = "example" }), (.relyingParty, { $0.party = "https://huddle.example" }),
            (.userPresence, { $0.flags = 0x04 }), (.userVerification, { $0.flags = 0x01 }), (.userPresence, { $0.flags = 0 }),
            (.authenticatorData, { $0.flags = 0x15 }), (.clientData, { $0.extraMember = #","type":"webauthn.get""# }),
            (.clientData, { $0.extraMember = "," }), (.type, { $0.type = "webauthn.other" }),
        ]
        for (refusal, change) in changes {
            let authenticator = ceremony.authenticator
            let before = (authenticator.origin, authenticator.party, authenticator.flags)
            change(authenticator)
            authenticator.counter += 1
            #expect(ceremony.verify(&passkey) == refusal)
            #expect(ceremony.register() == .failure(refusal))
            (authenticator.origin, authenticator.party, authenticator.flags) = before
            (authenticator.type, authenticator.extraMember) = (nil, "")
            authenticator.counter += 1
            #expect(ceremony.verify(&passkey) == nil)
        }
        ceremony.authenticator.type = "webauthn.create"
        #expect(ceremony.verify(&passkey) == .type)
        ceremony.authenticator.type = "webauthn.get"
        #expect(ceremony.register() == .failure(.type))
        var other = Ceremony(algorithm)
        var stranger = Passkey(credential: passkey.credential, algorithm: algorithm.rawValue, key: other.authenticator.spki, counter: 0)
        ceremony.authenticator.type = nil
        ceremony.authenticator.counter += 1
        #expect(ceremony.verify(&stranger) == .signature)
        #expect(other.verify(&passkey) == .signature)
    }

    @Test("A counter that stays or falls is refused and changes nothing, unless the authenticator has none")
    func counter() throws {
        var ceremony = Ceremony()
        ceremony.authenticator.counter = 7
        var passkey = try ceremony.register().get()
        for counter: UInt32 in [7, 6, 1, 0] {
            ceremony.authenticator.counter = counter
            #expect(ceremony.verify(&passkey) == .counter)
            #expect(passkey.counter == 7)
        }
        ceremony.authenticator.counter = 0
        var without = try ceremony.register().get()
        for _ in 0..<3 { #expect(ceremony.verify(&without) == nil) }
        ceremony.authenticator.counter = 1
        #expect(ceremony.verify(&without) == nil)
        ceremony.authenticator.counter = 0
        #expect(ceremony.verify(&without) == .counter)
    }

    @Test("A forged counter without a right signature changes nothing")
    func forgedCounter() throws {
        var ceremony = Ceremony()
        var passkey = try ceremony.register().get()
        ceremony.authenticator.counter = 2
        var answer = ceremony.authenticator.assert(ceremony.challenge())
        answer.authenticatorData.replaceSubrange(33..<37, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(ceremony.verify(&passkey, answer) == .signature)
        #expect(passkey.counter == 1)
    }

    @Test("Only the three algorithms are accepted, each with a key of its own kind")
    func algorithms() {
        for algorithm in SignatureAlgorithm.allCases {
            for number in [-7, -8, -257, -35, -37, 0, 7] where number != algorithm.rawValue {
                var ceremony = Ceremony(algorithm)
                var answer = ceremony.authenticator.register(ceremony.challenge(.register(person: person)))
                answer.algorithm = number
                #expect(ceremony.register(answer) == .failure(.key))
            }
        }
    }

    @Test("An answer cut at any octet is refused")
    func cut() throws {
        var ceremony = Ceremony()
        var passkey = try ceremony.register().get()
        ceremony.authenticator.counter = 2
        let whole = ceremony.authenticator.register(Random.octets(32))
        for count in 0..<whole.authenticatorData.count - 3 {
            var answer = ceremony.authenticator.register(ceremony.challenge(.register(person: person)))
            answer.authenticatorData = Array(answer.authenticatorData[..<count])
            #expect(ceremony.register(answer) == .failure(.authenticatorData), "\(count) octets")
        }
        let assertion = ceremony.authenticator.assert(Random.octets(32))
        for count in assertion.clientData.indices {
            var answer = ceremony.authenticator.assert(ceremony.challenge())
            answer.clientData = Array(answer.clientData[..<count])
            #expect(ceremony.verify(&passkey, answer) == .clientData, "\(count) octets")
        }
        var long = ceremony.authenticator.assert(ceremony.challenge())
        long.authenticatorData += [0]
        #expect(ceremony.verify(&passkey, long) == .authenticatorData)
    }

    @Test("The challenges of many strangers do not grow without bound, and the newest work")
    func bounds() {
        var challenges = PasskeyChallenges(entries: 10)
        var last: [UInt8] = []
        for now in 0..<1_000 {
            last = Random.octets(32)
            challenges.add(last, for: .signIn, now: Int64(now))
            #expect(challenges.count <= 20)
        }
        #expect(throws: Never.self) { try challenges.use(last, for: .signIn, now: 1_000) }
    }
}

@Suite("The server's own name for passkeys")
struct RelyingPartyTests {
    @Test("Origin and id follow from the public address alone", arguments: [
        ("https://huddle.example", "https://huddle.example", "huddle.example"),
        ("https://Huddle.Example/path/", "https://huddle.example", "huddle.example"),
        ("https://huddle.example:8443", "https://huddle.example:8443", "huddle.example"),
        ("http://localhost:8787", "http://localhost:8787", "localhost"),
    ])
    func accepted(address: String, origin: String, id: String) throws {
        let party = try #require(RelyingParty(publicURL: address))
        #expect(party.origin == WebOrigin(origin))
        #expect(party.id == id)
    }

    @Test("Addresses, plain HTTP and anything else are refused", arguments: [
        "", "huddle.example", "http://huddle.example", "https://192.0.2.7", "https://[2001:db8::7]/", "ftp://huddle.example", "https://",
        "https://user@huddle.example", "https://huddle.example?x", "https://huddle.example#x", "https://a,b",
    ])
    func refused(address: String) {
        #expect(RelyingParty(publicURL: address) == nil)
    }
}
