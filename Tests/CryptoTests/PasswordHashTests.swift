import Bytes
import Crypto
import Testing

@Suite("argon2id, the values of the reference implementation")
struct PasswordHashTests {
    /// From `test.c` of the reference implementation (version 0x13).
    @Test("argon2id gives the published PHC strings", arguments: [
        (1 << 16, 2, 1, "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
        (1 << 8, 2, 1, "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
        (1 << 8, 2, 2, "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"),
    ])
    func published(memory: Int, passes: Int, lanes: Int, expected: String) throws {
        let cost = try #require(PasswordHash.Cost(memory: memory, passes: passes, lanes: lanes))
        let hash = try #require(PasswordHash.make(Array("password".utf8), salt: Array("somesalt".utf8), cost: cost))
        #expect(hash.text == expected)
        #expect(hash.cost == cost)
        #expect(hash.matches(Array("password".utf8)) == .right)
        #expect(PasswordHash(expected) == hash)
    }

    private let small = PasswordHash.Cost(memory: 64, passes: 1, lanes: 1)!

    @Test("A hash matches its own password only, octet for octet")
    func matches() throws {
        for password in [[], [0], [0, 0], [0xFF, 0xFE], Array("correct horse".utf8), [UInt8](repeating: 7, count: 256)] as [[UInt8]] {
            let hash = try #require(PasswordHash.make(password, salt: Random.octets(16), cost: small))
            #expect(hash.matches(password) == .right)
            #expect(hash.matches(password + [0]) == .wrong)
            #expect(hash.matches(Array(password.dropLast()) + [1]) == .wrong)
        }
    }

    @Test("The standard cost is that of new passwords, and another salt gives another hash")
    func standard() throws {
        let password = Array("a password".utf8)
        let first = try #require(PasswordHash.make(password, salt: Random.octets(16)))
        #expect(first.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(first.cost == .standard)
        #expect(first.text.utf8.count <= PasswordHash.maxOctets)
        #expect(PasswordHash.make(password, salt: Random.octets(16)) != first)
        #expect(first.matches(password) == .right)
    }

    @Test("A stored text of another kind or of a cost without bounds is refused before anything is computed", arguments: [
        "", "$", "password", "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=1048577,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=65,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=17$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=0256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=-1,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65\0",
    ])
    func refused(text: String) {
        #expect(PasswordHash(text) == nil)
    }

    @Test("A damaged salt or hash matches nothing")
    func damaged() throws {
        for text in ["$argon2id$v=19$m=256,t=2,p=1$!$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf6"] {
            #expect(try #require(PasswordHash(text)).matches(Array("password".utf8)) == .wrong)
        }
    }

    @Test("A cost outside of its bounds is none")
    func costs() {
        typealias Cost = PasswordHash.Cost
        #expect(Cost(memory: 8, passes: 1, lanes: 1) != nil)
        #expect(Cost(memory: 7, passes: 1, lanes: 1) == nil)
        #expect(Cost(memory: 15, passes: 1, lanes: 2) == nil)
        #expect(Cost(memory: 1 << 20, passes: 64, lanes: 16) == .largest)
        #expect(Cost(memory: (1 << 20) + 1, passes: 1, lanes: 1) == nil)
        #expect(Cost(memory: 64, passes: 0, lanes: 1) == nil)
        #expect(Cost(memory: 64, passes: 65, lanes: 1) == nil)
        #expect(Cost(memory: 64, passes: 1, lanes: 0) == nil)
        #expect(Cost(memory: 64, passes: 1, lanes: 17) == nil)
    }
}

@Suite("HMAC-SHA-1, RFC 2202")
struct HMACSHA1Tests {
    @Test("HMAC-SHA-1 gives the published values")
    func published() {
        #expect(hex(HMAC.sha1(key: [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8))) == "b617318655057264e28bc0b6fb378c8ef146be00")
        #expect(hex(HMAC.sha1(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(
            hex(HMAC.sha1(key: [UInt8](repeating: 0xAA, count: 80), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)))
                == "aa4ae5e15272d00e95705637ce8a3b55ed402112")
    }
}
