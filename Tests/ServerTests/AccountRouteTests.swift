import Accounts
import Bytes
import Crypto
import Family
import HTTP1
import JSON
import Posix
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Store

@Suite("Signing in by name over HTTP, and what guessers get", .serialized)
struct AccountRouteTests {
    private struct Answer: Equatable {
        var status: Int
        var code: String
        var text: String
        var retryAfter: String?
        /// `Cookie:` with all that the answer sets.
        var cookies: [String]
    }

    private let server: TestShard

    init() throws {
        server = try TestShard()
        server.shard.site.add(SessionRoutes.all(server.shard.services) + TokenRoutes.all(server.shard.services) + AccountRoutes.all(server.shard.services))
    }

    private func ask(
        _ line: String, _ content: String? = nil, token: String? = nil, cookies: [String] = [], from address: String? = nil
    ) throws -> Answer {
        try answer(try send(line, content, token: token, cookies: cookies, from: address))
    }

    private func send(
        _ line: String, _ content: String? = nil, token: String? = nil, cookies: [String] = [], from address: String? = nil
    ) throws -> TestClient {
        let client = try server.connect(from: address)
        var fields = ["Host: localhost:8443", "Origin: http://localhost:8443", "Connection: close"]
        if let token { fields.append("Authorization: Bearer \(token)") }
        if !cookies.isEmpty { fields.append("Cookie: " + cookies.joined(separator: "; ")) }
        if let content { fields += ["Content-Type: application/json", "Content-Length: \(content.utf8.count)"] } else { fields.append("Content-Length: 0") }
        client.send(text: "\(line) HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n" + (content ?? ""))
        return client
    }

    private func answer(_ client: TestClient) throws -> Answer {
        try server.until("the end of the answer") { try client.receive(); return client.hasEnded }
        let octets = client.octets
        let parsed = try ResponseHead.parse(octets.span)
        let (head, length) = try #require(parsed)
        let text = String(decoding: octets[length...], as: UTF8.self)
        let code = text.firstMatch(of: /"code":"([a-z_]*)"/).map { String($0.1) } ?? ""
        return Answer(
            status: head.status, code: code, text: text, retryAfter: head.fields.only("retry-after"),
            cookies: head.fields.all("set-cookie").map { String($0.prefix { $0 != ";" }) })
    }

    private static func signIn(_ name: String, _ password: String, _ more: String = "") -> String {
        "{\"name\":\"\(name)\",\"password\":\"\(password)\"\(more)}"
    }

    private var ana: String { server.parent.token }

    private func set(_ name: String = "Ana", _ password: String = "correct horse", token: String? = nil) throws {
        let answer = try ask("PUT /account/password", Self.signIn(name, password), token: token ?? ana)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func word(_ name: String, in answer: Answer) -> String? {
        (try? Regex("\"\(name)\":\"([^\"]*)\"")).flatMap { answer.text.firstMatch(of: $0)?[1].substring.map(String.init) }
    }

    // MARK: Name and password

    @Test("A name with its password opens a browser's session and a cookie by which the account knows the browser; brief opens one without it")
    func signsIn() throws {
        try set()
        let made = try ask("POST /session", Self.signIn("ána", "correct horse", ",\"device\":\"Phone\""))
        #expect(made.status == 201 && made.text.contains("\(server.parent.member)") && made.cookies.count == 2)
        #expect(made.cookies.first?.hasPrefix("__Host-huddle-8443=") == true && made.cookies.last?.hasPrefix("__Host-huddle-8443-device=") == true)
        let listed = try ask("GET /sessions", cookies: made.cookies)
        #expect(listed.text.contains("\"kind\":\"browser\",\"name\":\"Phone\""))
        let state = try ask("GET /account", cookies: made.cookies)
        #expect(state.text.contains("\"name\":\"Ana\",\"factor\":false,\"recovery_codes\":0,\"confirmed_until\":"))
        let brief = try ask("POST /session", Self.signIn("Ana", "correct horse", ",\"brief\":true"))
        #expect(brief.status == 201 && brief.cookies.count == 1)
    }

    @Test("A wrong password and a name of nobody get the same answer, and each costs one comparison; so does a recovery code of nobody")
    func same() throws {
        try set()
        let before = server.shard.accounts.comparisons
        let bodies = [
            Self.signIn("ana", "wrong horse"), Self.signIn("nobody", "wrong horse"), Self.signIn("a\\u0000b", "correct horse"),
            "{\"name\":\"ana\",\"recovery_code\":\"0000-0000-0000-0000\"}", "{\"name\":\"nobody\",\"recovery_code\":\"0000-0000-0000-0000\"}",
            Self.signIn(String(repeating: "x", count: 400), "correct horse"),
        ]
        let answers = try bodies.map { try ask("POST /session", $0) }
        #expect(Set(answers.map(\.text)).count == 1 && answers[0].status == 401 && answers[0].code == "sign_in_failed")
        #expect(answers.allSatisfy { $0.retryAfter == nil && $0.cookies.isEmpty })
        #expect(server.shard.accounts.comparisons == before + bodies.count)
    }

    @Test("The rules for names and passwords are reported by field; a name of another person is taken")
    func rules() throws {
        func refusal(_ name: String, _ password: String) throws -> (String, String?) {
            let answer = try ask("PUT /account/password", Self.signIn(name, password), token: ana)
            return (answer.code, word("field", in: answer))
        }
        #expect(try refusal("an", "correct horse") == ("out_of_range", "name"))
        #expect(try refusal(" ana", "correct horse") == ("invalid", "name"))
        #expect(try refusal("ana", "short") == ("out_of_range", "password"))
        #expect(try refusal("horse", "correct HÖRSE") == ("invalid", "password"))
        #expect(try refusal("ana", String(repeating: "x", count: 257)) == ("out_of_range", "password"))
        try set("Leo", token: server.athlete.token)
        #expect(try refusal("LEO", "correct horse") == ("already_exists", "name"))
        #expect(try ask("PUT /account/password", "{\"name\":\"ana\"}", token: ana).code == "required")
        #expect(try ask("PUT /account/password", "{\"name\":\"ana\",\"password\":\"correct horse\",\"one_time\":\"1\"}", token: ana).code == "invalid")
        #expect(try ask("POST /session", "{\"password\":\"correct horse\"}").code == "required")
        #expect(try ask("POST /session", "{\"name\":\"ana\",\"password\":\"correct horse\",\"token\":\"x\"}").code == "required")
        #expect(try ask("POST /session", "{\"name\":\"ana\",\"password\":\"correct horse\",\"recovery_code\":\"x\"}").code == "required")
    }

    @Test("After 10 minutes a change needs the password again; another password ends the other sessions and tokens")
    func confirms() throws {
        try set()
        let other = try ask("POST /session", Self.signIn("ana", "correct horse"))
        server.passDay(milliseconds: 600_000)
        for line in ["DELETE /account/password", "POST /account/factor", "DELETE /account/factor", "POST /account/recovery-codes"] {
            #expect(try ask(line, token: ana).code == "confirm_first", "\(line)")
        }
        #expect(try ask("PUT /account/password", Self.signIn("ana", "battery staple"), token: ana).code == "confirm_first")
        #expect(try ask("POST /account/confirm", "{\"password\":\"wrong horse\"}", token: ana).code == "sign_in_failed")
        #expect(try ask("POST /account/confirm", "{\"password\":\"correct horse\"}", token: ana).text.contains("confirmed_until"))
        let changed = try ask("PUT /account/password", Self.signIn("ana", "battery staple"), token: ana)
        #expect(changed.status == 200 && word("device", in: changed)?.count == 43)
        #expect(try ask("GET /account", cookies: other.cookies).status == 401)
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse")).code == "sign_in_failed")
        #expect(try ask("DELETE /account/password", token: ana).status == 200)
        #expect(try ask("POST /session", Self.signIn("ana", "battery staple")).code == "sign_in_failed")
        #expect(try ask("POST /account/confirm", "{\"password\":\"battery staple\"}", token: ana).code == "contradicted")
    }

    @Test("A password that changes while a sign-in is on its way to the writer opens no session")
    func race() throws {
        try set()
        let token = ana
        let session = try server.store { store throws(StoreFailure) in try store.sessionKey(of: token) }
        let listed = try ask("GET /sessions", token: ana).text
        try server.holdWriter()
        // The change waits at the writer before the sign-in does.
        let name = try SignInName("ana")
        let hash = try #require(PasswordHash.make(Array("battery staple".utf8), salt: Random.octets(16), cost: TestShard.passwordCost))
        var changed: Result<Bool, Rejection>?
        server.shard.workers.write { store throws(StoreFailure) in
            _ = try store.recordCheck(session: session)
            return (try store.setPassword(name, hash, by: session).map { _ in true }, [])
        } then: { changed = $0 }
        let before = server.shard.accounts.comparisons
        let racing = try send("POST /session", Self.signIn("ana", "correct horse"))
        try server.until("the password is compared") { try racing.receive(); return server.shard.accounts.comparisons == before + 1 }
        server.letWriterGo()
        let late = try answer(racing)
        #expect(late.code == "sign_in_failed" && late.cookies.isEmpty)
        #expect(try #require(changed).get())
        #expect(!listed.contains("browser"))
        let count = try server.store { store throws(StoreFailure) in try store.sessionsOfAll() }
        #expect(count.filter { $0 == .browser }.isEmpty)
    }

    @Test("Without a hasher, and with one that has no room, a sign-in is busy and counts as no failure")
    func busy() throws {
        try set()
        let hasher = server.shard.accounts.hasher
        server.shard.accounts.hasher = nil
        for _ in 0..<8 {
            let answer = try ask("POST /session", Self.signIn("ana", "wrong horse"), from: "192.0.2.1")
            #expect(answer.status == 503 && answer.code == "busy")
        }
        server.shard.accounts.hasher = hasher
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse"), from: "192.0.2.1").status == 201)
    }

    // MARK: Guessing

    @Test("After five failures an address waits; a known browser, another address and the sessions do not; the right password forgives")
    func slows() throws {
        try set()
        let known = try #require(try ask("POST /session", Self.signIn("ana", "correct horse")).cookies.last)
        for _ in 0..<5 { #expect(try ask("POST /session", Self.signIn("ana", "wrong horse"), from: "192.0.2.1").retryAfter == nil) }
        let slowed = try ask("POST /session", Self.signIn("ana", "correct horse"), from: "192.0.2.1")
        #expect(slowed.status == 401 && slowed.code == "sign_in_failed" && slowed.retryAfter == "1")
        // Names of nobody are slowed as well.
        for _ in 0..<5 { _ = try ask("POST /session", Self.signIn("nobody", "wrong horse"), from: "192.0.2.1") }
        #expect(try ask("POST /session", Self.signIn("nobody", "wrong horse"), from: "192.0.2.1").retryAfter == "1")
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse"), cookies: [known], from: "192.0.2.1").status == 201)
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse"), from: "198.51.100.7").status == 201)
        #expect(try ask("GET /account", token: ana, from: "192.0.2.1").status == 200)
        server.pass(milliseconds: 1_000)
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse"), from: "192.0.2.1").status == 201)
        #expect(try ask("POST /session", Self.signIn("ana", "wrong horse"), from: "192.0.2.1").retryAfter == nil)
    }

    @Test("Codes and names share the 60 attempts of an address in 10 minutes")
    func shared() throws {
        try set()
        let address = "192.0.2.9"
        for number in 0..<30 { _ = try ask("POST /session", Self.signIn("nobody \(number)", "wrong horse"), from: address) }
        for number in 0..<30 {
            let code = "{\"code\":\"00000-00000-00000-000\(10 + number)\",\"client\":\"9d1f6b0c3e7a4852c06e5fb18a2d7394\"}"
            #expect(try ask("POST /session", code, from: address).code == "code_unknown")
        }
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse"), from: address).retryAfter != nil)
        let code = "{\"code\":\"\(server.code)\",\"client\":\"9d1f6b0c3e7a4852c06e5fb18a2d7394\",\"name\":\"Gus\"}"
        let held = try ask("POST /session", code, from: address)
        #expect(held.status == 429 && held.retryAfter != nil)
        let frame = try server.open(from: address)
        frame.redeem(server.code)
        #expect(try frame.next() == "error rate_limited")
        #expect(try ask("POST /session", code, from: "198.51.100.7").status == 201)
    }

    @Test("A stolen session cannot guess the password fast, and its guesses hold up nobody else")
    func confirmGuesses() throws {
        try set()
        for _ in 0..<5 { #expect(try ask("POST /account/confirm", "{\"password\":\"wrong horse\"}", token: ana).retryAfter == nil) }
        #expect(try ask("POST /account/confirm", "{\"password\":\"correct horse\"}", token: ana).retryAfter == "1")
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse")).status == 201)
    }

    @Test("Failures are entered into the audit log as one count, without the address")
    func audited() throws {
        try set()
        for _ in 0..<3 { _ = try ask("POST /session", Self.signIn("ana", "wrong horse")) }
        server.pass(milliseconds: 1_000)
        let family = server.parent.family
        let entries = try server.store { store throws(StoreFailure) in try store.auditEntries(of: family) }
        let failed = try #require(entries.first { $0.act == "sign_in_failed" })
        #expect(failed.count == 3 && failed.author == .server && failed.about == server.parent.member && failed.detail == nil)
    }

    // MARK: Factors and recovery

    private func oneTime(_ secret: String, later steps: Int64 = 0) throws -> String {
        let octets = try #require(Self.base32(secret))
        return OneTimePassword(secret: octets).password(at: OneTimePassword.step(at: Clock.wallMilliseconds() / 1_000) + steps)
    }

    private static func base32(_ text: String) -> [UInt8]? {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (octets, value, bits) = ([UInt8](), UInt32(0), 0)
        for letter in text.utf8 {
            guard let digit = letters.firstIndex(of: letter) else { return nil }
            value = value << 5 | UInt32(digit)
            bits += 5
            if bits >= 8 {
                bits -= 8
                octets.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
            }
        }
        return octets
    }

    @Test("A second factor is drawn, confirmed, asked for and removed; a recovery code takes its place once")
    func factor() throws {
        #expect(try ask("POST /account/factor", token: ana).code == "contradicted")
        try set()
        let drawn = try ask("POST /account/factor", token: ana)
        let secret = try #require(word("secret", in: drawn))
        #expect(word("address", in: drawn)?.hasPrefix("otpauth://totp/Huddle:Ana?secret=\(secret)") == true)
        #expect(try ask("PUT /account/factor", "{\"one_time\":\"12345\"}", token: ana).code == "invalid")
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse")).status == 201, "not in force yet")
        let confirmed = try ask("PUT /account/factor", "{\"one_time\":\"\(try oneTime(secret))\"}", token: ana)
        #expect(confirmed.text.contains("\"factor\":true"))
        let missing = try ask("POST /session", Self.signIn("ana", "correct horse"))
        #expect(missing.status == 401 && missing.code == "factor_required")
        let next = try oneTime(secret, later: 1)
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse", ",\"one_time\":\"\(next)\"")).status == 201)
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse", ",\"one_time\":\"\(next)\"")).code == "sign_in_failed")
        let codes = try ask("POST /account/recovery-codes", token: ana).text.matches(of: /[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}/).map { String($0.0) }
        #expect(codes.count == 10)
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse", ",\"one_time\":\"\(codes[0])\"")).status == 201)
        let both = try ask("POST /session", "{\"name\":\"ana\",\"recovery_code\":\"\(codes[1])\",\"one_time\":\"\(codes[2])\"}")
        #expect(both.status == 201)
        #expect(try ask("GET /account", cookies: both.cookies).text.contains("\"recovery_codes\":7"))
        // Without the old password: the recovery counts as a check.
        let changed = try ask("PUT /account/password", Self.signIn("ana", "battery staple"), cookies: both.cookies)
        #expect(changed.status == 200 && word("device", in: changed) == nil, "a browser gets it in its cookie")
        #expect(changed.cookies.first?.hasPrefix("__Host-huddle-8443-device=") == true)
        #expect(try ask("DELETE /account/factor", cookies: both.cookies).text.contains("\"factor\":false"))
        #expect(try ask("POST /session", Self.signIn("ana", "battery staple")).status == 201)
    }

    @Test("A parent's code brings a member back by POST /session; who may not, and strangers, get the same as for a family that is not there")
    func recovery() throws {
        let path = "POST /families/\(server.parent.family)/members/\(server.athlete.member)/recovery"
        #expect(try ask(path, token: server.stranger.token).status == 404)
        #expect(try ask(path, token: server.athlete.token).status == 403)
        #expect(try ask(path).status == 401)
        let made = try ask(path, token: ana)
        let code = try #require(word("code", in: made))
        let back = try ask("POST /session", "{\"code\":\"\(code)\",\"client\":\"9d1f6b0c3e7a4852c06e5fb18a2d7394\"}")
        #expect(back.status == 201 && back.text.contains("\(server.athlete.member)") && !back.text.contains("recovered"))
        #expect(try ask("GET /session", token: server.athlete.token).text.contains("\"recovered\":{\"way\":\"parent\",\"at\":"))
        #expect(try ask("POST /families/none/members/none/recovery", token: ana).status == 404)
    }

    @Test("No body of an account's request brings the server down or changes anything: cut, mistyped, deep, long")
    func hostile() throws {
        try set()
        var random = SplitMix64(seed: 15)
        let whole = "{\"name\":\"ana\",\"password\":\"correct horse\",\"recovery_code\":\"0000\",\"one_time\":\"1\"}"
        let lines = ["POST /session", "POST /account/confirm", "PUT /account/password", "PUT /account/factor"]
        for round in 0..<120 {
            var octets = Array(whole.utf8)
            for _ in 0...Int(random.next() % 4) {
                let place = Int(random.next() % UInt64(octets.count))
                switch random.next() % 3 {
                case 0: octets[place] = UInt8(ascii: " ") + UInt8(random.next() % 95)
                case 1: octets.remove(at: place)
                default: octets.insert(UInt8(ascii: "\""), at: place)
                }
            }
            let answer = try ask(lines[round % 4], String(decoding: octets, as: UTF8.self), token: round % 4 == 0 ? nil : ana)
            #expect((400..<500).contains(answer.status), "\(octets): \(answer.status)")
            server.pass(milliseconds: 3_600_000)
        }
        for body in [String(repeating: "[", count: 400), "{\"name\":\"\(String(repeating: "x", count: 5_000))\"}", "{\"password\":1}", "null", ""] {
            #expect((400..<500).contains(try ask("POST /session", body).status))
        }
        #expect(try ask("POST /session", Self.signIn("ana", "correct horse")).status == 201)
    }
}

extension FamilyStore {
    /// The session of a token.
    func sessionKey(of token: String) throws(StoreFailure) -> Int64 {
        do { return try people.session(hash: SessionToken.hash(token))?.key ?? 0 } catch { throw StoreFailure(error) }
    }

    /// The kinds of the sessions of the first people.
    fileprivate func sessionsOfAll() throws(StoreFailure) -> [SessionKind] {
        do { return try (1...8).flatMap { try people.sessions(ofPerson: $0, limit: 100).map(\.kind) } } catch { throw StoreFailure(error) }
    }

    func auditEntries(of family: Identifier) throws(StoreFailure) -> [Audit.Entry] {
        do {
            guard let key = try families.find(family)?.key else { return [] }
            return try audits.entries(family: key, of: nil, before: .max, limit: 100).map(\.entry)
        } catch { throw StoreFailure(error) }
    }
}
