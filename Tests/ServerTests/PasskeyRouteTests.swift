import Accounts
import Bytes
import Crypto
import Family
import HTTP1
import PasskeySupport
import Posix
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Store

@Suite("Passkeys over HTTP, and what is refused", .serialized)
struct PasskeyRouteTests {
    private struct Answer: Equatable {
        var status: Int
        var code: String
        var text: String
        var retryAfter: String?
        var cookies: [String]
    }

    private let server: TestShard

    init() throws {
        server = try TestShard()
        let services = server.shard.services
        server.shard.site.add(SessionRoutes.all(services) + AccountRoutes.all(services) + PasskeyRoutes.all(services))
        server.shard.accounts.passkeys.party = RelyingParty(publicURL: Self.url)
    }

    private static let url = "http://localhost:8443"

    private func send(
        _ line: String, _ content: String? = nil, token: String? = nil, cookies: [String] = [], origin: String? = PasskeyRouteTests.url, from address: String? = nil
    ) throws -> TestClient {
        let client = try server.connect(from: address)
        var fields = ["Host: localhost:8443", "Connection: close"]
        if let origin { fields.append("Origin: \(origin)") }
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

    private func ask(
        _ line: String, _ content: String? = nil, token: String? = nil, cookies: [String] = [], origin: String? = PasskeyRouteTests.url, from address: String? = nil
    ) throws -> Answer {
        try answer(try send(line, content, token: token, cookies: cookies, origin: origin, from: address))
    }

    private var ana: String { server.parent.token }

    // MARK: The browser

    private func authenticator(_ algorithm: SignatureAlgorithm = .es256) -> SoftAuthenticator {
        let made = SoftAuthenticator(algorithm)
        (made.origin, made.party) = (Self.url, "localhost")
        return made
    }

    private func octets(_ name: String, in answer: Answer, after head: String = "") throws -> [UInt8] {
        let start = try head.isEmpty ? answer.text.startIndex : #require(answer.text.firstRange(of: head)).upperBound
        let pattern = try Regex("\"\(name)\":\"([A-Za-z0-9_-]*)\"")
        let text = try #require(answer.text[start...].firstMatch(of: pattern)?[1].substring, "\(answer.text)")
        return try #require(Base64.decode(String(text), .urlSafe))
    }

    private static func text(_ octets: [UInt8]) -> String { Base64.encode(octets, .urlSafe) }

    private static func body(_ credential: [UInt8], _ answer: Passkey.Registration, name: String = "Phone") -> String {
        """
        {"credential":"\(text(credential))","client_data":"\(text(answer.clientData))","authenticator_data":"\(text(answer.authenticatorData))",\
        "public_key":"\(text(answer.key))","algorithm":\(answer.algorithm),"name":"\(name)"}
        """
    }

    private static func body(_ credential: [UInt8], _ answer: Passkey.Assertion, handle: [UInt8]?, _ more: String = "") -> String {
        """
        {"credential":"\(text(credential))","client_data":"\(text(answer.clientData))","authenticator_data":"\(text(answer.authenticatorData))",\
        "signature":"\(text(answer.signature))"\(handle.map { ",\"user_handle\":\"\(text($0))\"" } ?? "")\(more)}
        """
    }

    /// Registers a passkey, and gives the handle of its person.
    @discardableResult
    private func register(_ authenticator: SoftAuthenticator, name: String = "Phone", token: String? = nil) throws -> [UInt8] {
        let token = token ?? ana
        let options = try ask("POST /passkeys/options", token: token)
        #expect(options.status == 200, "\(options.text)")
        let made = authenticator.register(try octets("challenge", in: options))
        let added = try ask("POST /passkeys", Self.body(authenticator.credential, made, name: name), token: token)
        #expect(added.status == 201, "\(added.text)")
        return try octets("id", in: options, after: "\"user\"")
    }

    private func challenge(from address: String? = nil) throws -> [UInt8] {
        let options = try ask("POST /passkeys/sign-in/options", from: address)
        #expect(options.status == 200, "\(options.text)")
        return try octets("challenge", in: options)
    }

    private func signIn(_ authenticator: SoftAuthenticator, _ handle: [UInt8]?, _ more: String = "", from address: String? = nil) throws -> Answer {
        authenticator.counter += 1
        let body = Self.body(authenticator.credential, authenticator.assert(try challenge(from: address)), handle: handle, more)
        return try ask("POST /passkeys/sign-in", body, from: address)
    }

    /// The reasons of refusals in the audit log, by the count.
    private func reasons() throws -> [String: Int64] {
        server.pass(milliseconds: 1_000)
        let family = server.parent.family
        let entries = try server.store { store throws(StoreFailure) in try store.auditEntries(of: family) }
        return Dictionary(entries.filter { $0.act == "passkey_refused" }.map { ($0.detail ?? "", $0.count) }, uniquingKeysWith: +)
    }

    // MARK: What works

    @Test("A passkey is registered, signs its person in by a cookie, is listed, renamed and removed", arguments: SignatureAlgorithm.allCases)
    func works(algorithm: SignatureAlgorithm) throws {
        let phone = authenticator(algorithm)
        let options = try ask("POST /passkeys/options", token: ana)
        #expect(options.text.contains(#""rp":{"id":"localhost","name":"Huddle"}"#) && options.text.contains(#""userVerification":"required""#))
        #expect(options.text.contains(#""alg":-8},{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}"#))
        let handle = try register(phone)
        let made = try signIn(phone, handle, ",\"device\":\"Laptop\"")
        #expect(made.status == 201 && made.text.contains("\(server.parent.member)") && made.cookies.count == 1)
        #expect(made.cookies.first?.hasPrefix("__Host-huddle-8443=") == true)
        #expect(try ask("GET /sessions", cookies: made.cookies).text.contains("\"kind\":\"browser\",\"name\":\"Laptop\""))
        #expect(try ask("GET /account", cookies: made.cookies).text.contains("confirmed_until"))
        let list = try ask("GET /passkeys", cookies: made.cookies)
        let id = try #require(list.text.firstMatch(of: /"id":"([0-9a-f-]{36})","name":"Phone"/)).1
        #expect(list.text.contains("used_on"))
        #expect(try ask("PATCH /passkeys/\(id)", "{\"name\":\"My phone\"}", cookies: made.cookies).text.contains("My phone"))
        #expect(try ask("PATCH /passkeys/\(id)", "{\"name\":\"\"}", cookies: made.cookies).code == "required")
        let again = try ask("POST /passkeys/options", cookies: made.cookies)
        #expect(try octets("id", in: again, after: "excludeCredentials") == phone.credential)
        #expect(try ask("DELETE /passkeys/\(id)", cookies: made.cookies).text == "{\"passkeys\":[]}\n")
        #expect(try ask("DELETE /passkeys/\(id)", cookies: made.cookies).code == "not_found")
        #expect(try signIn(phone, handle).code == "passkey_refused")
    }

    @Test("A passkey counts as both factors, and as the check that a change needs")
    func confirms() throws {
        let phone = authenticator()
        let handle = try register(phone)
        server.passDay(milliseconds: 600_000)
        #expect(try ask("POST /passkeys/options", token: ana).code == "confirm_first")
        #expect(try ask("PUT /account/password", "{\"name\":\"ana\",\"password\":\"correct horse\"}", token: ana).code == "confirm_first")
        let options = try ask("POST /passkeys/confirm/options", token: ana)
        #expect(try octets("id", in: options, after: "allowCredentials") == phone.credential)
        phone.counter += 1
        let use = phone.assert(try octets("challenge", in: options))
        let body = Self.body(phone.credential, use, handle: nil)
        #expect(try ask("POST /passkeys/confirm", body, token: ana).text.contains("confirmed_until"))
        #expect(try ask("POST /passkeys/options", token: ana).status == 200)
        #expect(try ask("POST /passkeys/confirm", body, token: ana).code == "passkey_refused")
        // Of another person, and the challenge of another purpose.
        let other = authenticator()
        let leo = try register(other, token: server.athlete.token)
        other.counter += 1
        let foreign = try octets("challenge", in: try ask("POST /passkeys/confirm/options", token: ana))
        #expect(try ask("POST /passkeys/confirm", Self.body(other.credential, other.assert(foreign), handle: leo), token: ana).code == "passkey_refused")
        phone.counter += 1
        #expect(try ask("POST /passkeys/confirm", Self.body(phone.credential, phone.assert(try challenge()), handle: handle), token: ana).code == "passkey_refused")
        #expect(try ask("POST /passkeys/confirm/options", token: server.stranger.token).code == "contradicted")
        #expect(try reasons() == ["challenge": 2, "unknown": 1])
    }

    // MARK: What is refused

    @Test("A foreign origin, RP, type or key, missing UP or UV, and a counter that moved back are refused with one answer and entered with the reason")
    func refuses() throws {
        let phone = authenticator()
        let handle = try register(phone)
        let changes: [(String, (SoftAuthenticator) -> Void)] = [
            ("origin", { $0.origin = "https://evil.example" }), ("origin", { $0.origin = "http://localhost" }),
            ("relying_party", { $0.party = "evil.example" }), ("user_verification", { $0.flags = 0x01 }), ("user_presence", { $0.flags = 0x04 }),
            ("type", { $0.type = "webauthn.create" }), ("counter", { $0.counter -= 1 }), ("counter", { $0.counter = 0 }),
            ("origin", { $0.extraMember = #","crossOrigin":true"# }),
        ]
        _ = try signIn(phone, handle)
        var expected: [String: Int64] = [:]
        var texts: Set<String> = []
        for (reason, change) in changes {
            let before = (phone.origin, phone.party, phone.flags, phone.counter)
            phone.counter += reason == "counter" ? 0 : 1
            change(phone)
            let answer = try ask("POST /passkeys/sign-in", Self.body(phone.credential, phone.assert(try challenge()), handle: handle))
            #expect(answer.status == 403 && answer.code == "passkey_refused" && answer.cookies.isEmpty, "\(reason): \(answer.text)")
            texts.insert(answer.text)
            expected[reason, default: 0] += 1
            (phone.origin, phone.party, phone.flags, phone.counter) = before
            (phone.type, phone.extraMember) = (nil, "")
        }
        // Another key under the same identifier, a handle of another person or none, and a passkey of nobody.
        let other = authenticator()
        other.counter = 100
        let signed = other.assert(try challenge())
        #expect(try ask("POST /passkeys/sign-in", Self.body(phone.credential, signed, handle: handle)).code == "passkey_refused")
        expected["signature"] = 1
        #expect(try signIn(phone, nil).code == "passkey_refused")
        #expect(try signIn(phone, [1, 2, 3]).code == "passkey_refused")
        expected["unknown"] = 2
        texts.insert(try signIn(other, handle).text)
        #expect(texts.count == 1)
        #expect(try signIn(phone, handle).status == 201)
        #expect(try reasons() == expected)
    }

    @Test("A new passkey is refused for the same reasons, and nothing is stored")
    func refusesNew() throws {
        let changes: [(String, (SoftAuthenticator) -> Void)] = [
            ("origin", { $0.origin = "https://evil.example" }), ("relying_party", { $0.party = "evil.example" }), ("user_verification", { $0.flags = 0x01 }),
            ("user_presence", { $0.flags = 0x04 }), ("type", { $0.type = "webauthn.get" }),
        ]
        for (reason, change) in changes {
            let phone = authenticator()
            change(phone)
            let made = phone.register(try octets("challenge", in: try ask("POST /passkeys/options", token: ana)))
            #expect(try ask("POST /passkeys", Self.body(phone.credential, made), token: ana).code == "passkey_refused", "\(reason)")
        }
        let phone = authenticator()
        var made = phone.register(try octets("challenge", in: try ask("POST /passkeys/options", token: ana)))
        made.algorithm = -8
        #expect(try ask("POST /passkeys", Self.body(phone.credential, made), token: ana).code == "passkey_refused")
        let named = phone.register(try octets("challenge", in: try ask("POST /passkeys/options", token: ana)))
        #expect(try ask("POST /passkeys", Self.body([9], named), token: ana).code == "passkey_refused")
        // The challenge of another session of the same server.
        let foreign = phone.register(try octets("challenge", in: try ask("POST /passkeys/options", token: server.stranger.token)))
        #expect(try ask("POST /passkeys", Self.body(phone.credential, foreign), token: ana).code == "passkey_refused")
        #expect(try ask("GET /passkeys", token: ana).text == "{\"passkeys\":[]}\n")
        #expect(try Set(reasons().keys) == ["origin", "relying_party", "user_verification", "user_presence", "type", "key", "authenticator_data", "challenge"])
    }

    @Test("A challenge works once, also for two answers in parallel, and for 5 minutes")
    func challenges() throws {
        let phone = authenticator()
        let handle = try register(phone)
        let shared = try challenge()
        var bodies: [String] = []
        for _ in 0..<2 {
            phone.counter += 1
            bodies.append(Self.body(phone.credential, phone.assert(shared), handle: handle))
        }
        let clients = try bodies.map { try send("POST /passkeys/sign-in", $0) }
        let answers = try clients.map { try answer($0) }
        #expect(answers.map(\.status).sorted() == [201, 403])
        phone.counter += 1
        let late = Self.body(phone.credential, phone.assert(try challenge()), handle: handle)
        server.pass(milliseconds: PasskeyChallenges.life)
        #expect(try ask("POST /passkeys/sign-in", late).code == "passkey_refused")
        // An answer that was refused has used its challenge up.
        let again = try challenge()
        phone.flags = 0x01
        phone.counter += 1
        #expect(try ask("POST /passkeys/sign-in", Self.body(phone.credential, phone.assert(again), handle: handle)).code == "passkey_refused")
        phone.flags = 0x05
        #expect(try ask("POST /passkeys/sign-in", Self.body(phone.credential, phone.assert(again), handle: handle)).code == "passkey_refused")
        #expect(try reasons() == ["challenge": 3, "user_verification": 1])
    }

    @Test("Two answers with the same counter that were compared at the same time open one session")
    func race() throws {
        let phone = authenticator()
        let handle = try register(phone)
        phone.counter += 1
        let bodies = try (0..<2).map { _ in Self.body(phone.credential, phone.assert(try challenge()), handle: handle) }
        try server.holdWriter()
        let clients = try bodies.map { try send("POST /passkeys/sign-in", $0) }
        for _ in 0..<50 { server.turn() }
        server.letWriterGo()
        let answers = try clients.map { try answer($0) }
        #expect(answers.map(\.status).sorted() == [201, 403])
        #expect(try reasons() == ["counter": 1])
    }

    @Test("The 21st passkey is refused before a browser makes it")
    func limit() throws {
        for number in 0..<Passkey.most { try register(authenticator(.edDSA), name: "Key \(number)") }
        let refused = try ask("POST /passkeys/options", token: ana)
        #expect(refused.status == 422 && refused.code == "too_many")
    }

    @Test("Pages of elsewhere, content of another form and strangers get nothing")
    func badInput() throws {
        let phone = authenticator()
        let handle = try register(phone)
        phone.counter += 1
        let right = phone.assert(try challenge())
        let body = Self.body(phone.credential, right, handle: handle)
        #expect(try ask("POST /passkeys/sign-in", body, origin: "https://evil.example").code == "foreign_page")
        #expect(try ask("POST /passkeys/sign-in/options", origin: "https://evil.example").code == "foreign_page")
        for line in ["GET /passkeys", "POST /passkeys/options", "POST /passkeys/confirm/options", "DELETE /passkeys/1"] {
            #expect(try ask(line).status == 401, "\(line)")
        }
        let bodies = [
            "{}", "[]", "{\"credential\":1}", body.replacing("\"signature\":\"", with: "\"signature\":\"="), body.replacing("signature", with: "sign"),
            body.replacing(Self.text(phone.credential), with: ""), body.replacing(Self.text(phone.credential), with: String(repeating: "A", count: 1_400)),
        ]
        for body in bodies {
            let answer = try ask("POST /passkeys/sign-in", body)
            #expect(answer.status == 400, "\(body): \(answer.text)")
        }
        #expect(try ask("POST /passkeys", "{}", token: ana).code == "required")
        #expect(try ask("PATCH /passkeys/nothing", "{\"name\":\"x\"}", token: ana).code == "not_found")
        #expect(try ask("POST /passkeys/sign-in", body).status == 201, "nothing above used the challenge up")
    }

    @Test("A right answer with one octet changed opens nothing, whichever octet it is")
    func changed() throws {
        let phone = authenticator(.edDSA)
        let handle = try register(phone)
        var random = SplitMix64(seed: 15)
        for _ in 0..<300 {
            phone.counter += 1
            var body = Array(Self.body(phone.credential, phone.assert(try challenge()), handle: handle).utf8)
            let place = Int.random(in: 0..<body.count, using: &random)
            let octet = UInt8.random(in: 0x20...0x7E, using: &random)
            guard octet != body[place] else { continue }
            body[place] = octet
            let text = String(decoding: body, as: UTF8.self)
            let answer = try ask("POST /passkeys/sign-in", text)
            #expect(answer.status == 400 || answer.status == 403, "\(answer.status) \(text)")
            #expect(answer.cookies.isEmpty, "\(text)")
        }
        #expect(try signIn(phone, handle).status == 201)
    }

    @Test("An address gets 300 challenges in 5 minutes, and 60 refusals in 10 minutes")
    func limits() throws {
        let phone = authenticator()
        let handle = try register(phone)
        let address = "192.0.2.1"
        let one = try challenge()
        for _ in 0..<60 {
            #expect(try ask("POST /passkeys/sign-in", Self.body(phone.credential, phone.assert(one), handle: nil), from: address).code == "passkey_refused")
            server.pass(milliseconds: 100)
        }
        phone.counter += 1
        let body = Self.body(phone.credential, phone.assert(try challenge()), handle: handle)
        let slowed = try ask("POST /passkeys/sign-in", body, from: address)
        #expect(slowed.status == 429 && slowed.code == "rate_limited" && slowed.retryAfter != nil)
        #expect(try ask("POST /passkeys/sign-in", body, from: "198.51.100.7").status == 201)
        let service = server.shard.accounts.passkeys
        let other = NetworkAddress("203.0.113.9")
        for _ in 0..<PasskeyService.perAddress { #expect((try? service.challengeToSignIn(from: other).get()) != nil) }
        guard case .failure(let refusal) = service.challengeToSignIn(from: other) else { throw Unexpected("one challenge too many") }
        #expect(refusal.code == .rateLimited)
        #expect((try? service.challengeToSignIn(from: NetworkAddress("203.0.113.10")).get()) != nil)
        server.pass(milliseconds: PasskeyChallenges.life)
        #expect((try? service.challengeToSignIn(from: other).get()) != nil)
    }

    // MARK: public-url

    @Test("Without public-url every route says what to set")
    func withoutURL() throws {
        server.shard.accounts.passkeys.party = nil
        for line in ["GET /passkeys", "POST /passkeys", "POST /passkeys/options", "POST /passkeys/sign-in", "POST /passkeys/sign-in/options", "POST /passkeys/confirm"] {
            let answer = try ask(line, token: line.contains("sign-in") ? nil : ana)
            #expect(answer.status == 501 && answer.code == "no_public_url" && answer.text.contains("public-url"), "\(line): \(answer.text)")
        }
    }

    @Test("With public-url its pages are the server's own behind a proxy that changes host and scheme, and pages of the requested host are not")
    func publicOrigin() throws {
        var policy = OriginPolicy()
        policy.publicOrigin = WebOrigin("https://huddle.example")
        let server = try TestShard(site: HTTPSite(origins: policy))
        let services = server.shard.services
        server.shard.site.add(SessionRoutes.all(services) + PasskeyRoutes.all(services))
        server.shard.accounts.passkeys.party = PublicURL("https://huddle.example/")?.party
        func status(_ origin: String, host: String) throws -> Int {
            let client = try server.connect()
            client.send(
                text: "POST /passkeys/sign-in/options HTTP/1.1\r\nHost: \(host)\r\nOrigin: \(origin)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            try server.until("the end of the answer") { try client.receive(); return client.hasEnded }
            let octets = client.octets
            let parsed = try ResponseHead.parse(octets.span)
            return try #require(parsed).0.status
        }
        #expect(try status("https://huddle.example", host: "10.0.0.7:8787") == 200)
        #expect(try status("http://10.0.0.7:8787", host: "10.0.0.7:8787") == 403)
        #expect(try status("https://evil.example", host: "evil.example") == 403)
        policy.hosts = ["club.example"]
        server.shard.site.allow(policy)
        #expect(try status("http://club.example", host: "club.example") == 200)
        #expect(try status("http://10.0.0.7:8787", host: "10.0.0.7:8787") == 403)
    }

    @Test("public-url is https with a name and no path; http for this machine alone")
    func urls() {
        for text in ["https://huddle.example", "https://huddle.example/", "https://huddle.example:8443", "http://localhost:8787", "http://a.localhost"] {
            #expect(PublicURL(text) != nil, "\(text)")
        }
        for text in [
            "", "huddle.example", "http://huddle.example", "https://192.0.2.1", "https://[::1]", "https://huddle.example/app", "https://huddle.example//",
            "https://a@huddle.example", "wss://huddle.example", "https://huddle.example?x", "https://", "https:///",
        ] { #expect(PublicURL(text) == nil, "\(text)") }
    }
}
