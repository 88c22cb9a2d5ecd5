import Accounts
import Bytes
import Family
import HTTP1
import JSON
import Store
import Testing
import Wire

@testable import Server

@Suite("Sessions over HTTP: cookies, origins, sign-in and sign-out", .serialized)
struct SessionRouteTests {
    private struct Answer {
        var status: Int
        var fields: HTTPFields
        var text: String

        /// Name and value of the cookie that the answer sets.
        var cookie: String? { fields.only("set-cookie").map { String($0.prefix { $0 != ";" }) } }
        var attributes: Set<String> { Set((fields.only("set-cookie") ?? "").split(separator: ";").dropFirst().map { $0.drop { $0 == " " }.description }) }
    }

    private let server: TestShard

    init() throws {
        server = try TestShard()
        server.shard.site.add(SessionRoutes.all(server.shard.services))
        server.shard.site.add([RouteGroup("/here", .session).resource("", .get { _ in .response(HTTPResponse(204)) }, .post { _ in .response(HTTPResponse(204)) })])
    }

    private func ask(_ line: String, _ fields: String..., content: String? = nil, host: String = "localhost:8443", from address: String? = nil) throws -> Answer {
        let client = try server.connect(from: address)
        let declared = content.map { ["Content-Length: \($0.utf8.count)"] + (fields.contains { $0.hasPrefix("Content-Type") } ? [] : ["Content-Type: application/json"]) } ?? []
        let all = fields.filter { $0 != "Content-Type: none" } + declared.filter { _ in true } + ["Connection: close"]
        client.send(text: "\(line) HTTP/1.1\r\nHost: \(host)\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n" + (content ?? ""))
        try server.until("the end of the answer") { try client.receive(); return client.hasEnded }
        let (head, length) = try #require(try ResponseHead.parse(client.octets.span))
        return Answer(status: head.status, fields: head.fields, text: String(decoding: client.octets[length...], as: UTF8.self))
    }

    private static let own = "Origin: http://localhost:8443"
    private static let foreign = "Origin: https://evil.example"

    /// A browser that has signed in with a token.
    private func browser(_ who: SessionCreated? = nil, more: String = "") throws -> String {
        let answer = try ask("POST /session", Self.own, content: "{\"token\":\"\((who ?? server.parent).token)\"\(more)}")
        #expect(answer.status == 201, "\(answer.text)")
        return "Cookie: \(try #require(answer.cookie))"
    }

    @Test("A token makes a new session in a cookie that no script reads; the token stays; GET names the person, and nobody without a session")
    func signsIn() throws {
        let answer = try ask("POST /session", Self.own, content: "{\"token\":\"\(server.parent.token)\",\"device\":\"Ana's phone\"}")
        #expect(answer.status == 201 && answer.text.contains("\"signed_in\":true") && answer.text.contains("\(server.parent.member)"))
        #expect(answer.cookie?.hasPrefix("__Host-huddle-8443=") == true && answer.cookie?.contains(server.parent.token) == false)
        #expect(answer.attributes == ["Path=/", "HttpOnly", "SameSite=Strict", "Secure", "Max-Age=34560000"])
        #expect(!answer.text.contains("token"))
        let cookie = "Cookie: \(try #require(answer.cookie))"
        #expect(try ask("GET /session", cookie).text.contains("\(server.parent.member)"))
        #expect(try ask("GET /session", "Authorization: Bearer \(server.parent.token)").text.contains("\"signed_in\":true"))
        for field in ["Cookie: a=b", "Cookie: __Host-huddle-8443=none", "Authorization: Bearer none"] {
            let none = try ask("GET /session", field)
            #expect(none.status == 200 && none.text == "{\"signed_in\":false}\n")
        }
        let listed = try ask("GET /sessions", cookie)
        #expect(listed.text.contains("\"kind\":\"browser\",\"name\":\"Ana's phone\"") && listed.text.contains("\"kind\":\"terminal\""))
        #expect(listed.fields.only("cache-control") == "no-store")
    }

    @Test("By plain http on another name than loopback the cookie has neither prefix nor Secure; another port is another cookie; brief ends with the browser")
    func names() throws {
        func cookie(_ host: String, _ more: String = "") throws -> Answer {
            try ask("POST /session", "Origin: http://\(host)", content: "{\"token\":\"\(server.parent.token)\"\(more)}", host: host)
        }
        let plain = try cookie("huddle.example")
        #expect(plain.cookie?.hasPrefix("huddle-80=") == true && plain.attributes == ["Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=34560000"])
        for host in ["127.0.0.1:81", "[::1]:81", "a.localhost:81"] {
            let loopback = try cookie(host)
            #expect(loopback.cookie?.hasPrefix("__Host-huddle-81=") == true && loopback.attributes.contains("Secure"), "\(host)")
        }
        let brief = try cookie("localhost:8443", ",\"brief\":true")
        #expect(brief.attributes == ["Path=/", "HttpOnly", "SameSite=Strict", "Secure"])
        let field = "Cookie: \(try #require(brief.cookie))"
        #expect(try ask("GET /sessions", field).status == 200)
        server.passDay(milliseconds: 86_400_000)
        #expect(try ask("GET /sessions", field).status == 401)
        let other = try ask("GET /session", field.replacing("8443", with: "8444"))
        #expect(other.text == "{\"signed_in\":false}\n")
    }

    @Test("A cookie counts with the server's own Origin alone where anything is changed; nothing is done otherwise")
    func origins() throws {
        let cookie = try browser()
        #expect(try ask("POST /here", cookie, Self.own, content: "").status == 204)
        for origin in [Self.foreign, "Origin: null", "Origin: http://localhost:8444", "Origin: https://localhost:8443", "X: y"] {
            #expect(try ask("POST /here", cookie, origin, content: "").status == 403, "\(origin)")
            #expect(try ask("DELETE /session", cookie, origin).status == 403, "\(origin)")
            #expect(try ask("DELETE /sessions", cookie, origin).status == 403, "\(origin)")
        }
        // A page that may open a socket is still not the server's own.
        server.shard.site.allow(OriginPolicy([try #require(WebOrigin("https://evil.example"))]))
        #expect(try ask("POST /here", cookie, Self.foreign, content: "").status == 403)
        #expect(try ask("GET /here", cookie, Self.foreign).status == 204, "the browser keeps the answer from the page")
        #expect(try ask("GET /sessions", cookie).text.contains("browser"), "nothing ended")
        // A token is not an ambient credential.
        #expect(try ask("POST /here", "Authorization: Bearer \(server.parent.token)", Self.foreign, content: "").status == 204)
        #expect(try ask("GET /here", cookie, "Authorization: Bearer \(server.parent.token)").status == 400)
        #expect(try ask("GET /session", cookie, "Authorization: Basic YTpi").status == 400)
    }

    @Test("Signing in takes JSON alone, and not from another page; other content is refused by name", arguments: [
        ("{}", 400), ("{\"token\":\"a\",\"code\":\"b\",\"client\":\"c\"}", 400), ("{\"code\":\"b\"}", 400), ("{\"code\":\"b\",\"client\":\"c\"}", 400),
        ("{\"token\":7}", 400), ("{\"password\":\"x\"}", 400), ("[]", 400), ("{\"token\":\"none\"}", 401), ("{\"token\":\"none\",\"device\":\"\"}", 400),
    ])
    func content(text: String, status: Int) throws {
        let answer = try ask("POST /session", Self.own, content: text)
        #expect(answer.status == status && answer.cookie == nil, "\(answer.text)")
    }

    @Test("A form, content without a type, and a page of elsewhere sign nobody in")
    func otherTypes() throws {
        let content = "{\"token\":\"\(server.parent.token)\"}"
        for type in ["Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded", "Content-Type: none"] {
            let answer = try ask("POST /session", Self.own, type, content: content)
            #expect(answer.status == 415 && answer.cookie == nil, "\(type)")
        }
        for origin in [Self.foreign, "Origin: null"] {
            let answer = try ask("POST /session", origin, content: content)
            #expect(answer.status == 403 && answer.cookie == nil)
        }
        #expect(try ask("POST /session", content: content).status == 201, "a program sends no Origin")
    }

    @Test("A code signs a browser in once; a lost answer is repeated by its client alone; wrong codes of an address are 429 after sixty")
    func codes() throws {
        func redeem(_ code: String, client: String = TestClient.nonce, name: String? = "Gus", from address: String? = nil) throws -> Answer {
            let name = name.map { ",\"name\":\"\($0)\"" } ?? ""
            return try ask("POST /session", Self.own, content: "{\"code\":\"\(code)\",\"client\":\"\(client)\"\(name)}", from: address)
        }
        let unnamed = try redeem(server.code, name: nil)
        #expect(unnamed.status == 400 && unnamed.text.contains("\"code\":\"required\",\"field\":\"name\""))
        let first = try redeem(server.code)
        #expect(first.status == 201, "\(first.text)")
        #expect(try redeem(server.code, client: String(repeating: "0", count: 32)).status == 403)
        let second = try redeem(server.code)
        #expect(second.status == 201)
        #expect(try ask("GET /sessions", "Cookie: \(try #require(first.cookie))").status == 401, "the lost one ended")
        let cookie = "Cookie: \(try #require(second.cookie))"
        #expect(try ask("GET /sessions", cookie).text.contains("\"kind\":\"browser\""))
        #expect(try redeem(server.code).status == 403, "the first use ends the code")
        for _ in 0..<SignInThrottle.addressAttempts { #expect(try redeem("00000-00000-00000-00000", from: "198.51.100.9").status == 403) }
        let slowed = try redeem("00000-00000-00000-00000", from: "198.51.100.9")
        #expect(slowed.status == 429 && slowed.fields.contains("retry-after"))
        #expect(try redeem("00000-00000-00000-00000", from: "198.51.100.10").status == 403)
    }

    @Test("DELETE ends the session and its sockets, and takes the cookie away; the token beside it stays")
    func signsOut() throws {
        let cookie = try browser()
        let socket = try server.connect()
        try socket.upgrade(fields: [cookie, Self.own, "Host: localhost:8443"])
        socket.say("{\"type\":\"sign_in\"}")
        #expect(try socket.next() == "welcome")
        let answer = try ask("DELETE /session", cookie, Self.own)
        #expect(answer.status == 204 && answer.cookie == "__Host-huddle-8443=" && answer.attributes.contains("Max-Age=0"))
        #expect(try socket.rest().suffix(3) == ["signed_out", "close 4501", "end"])
        #expect(try ask("GET /sessions", cookie).status == 401)
        #expect(try ask("DELETE /session", cookie, Self.own).status == 401)
        #expect(try ask("GET /sessions", "Authorization: Bearer \(server.parent.token)").status == 200)
    }

    @Test("The family of an invite is added to the person of a browser, once; strangers, other pages, a wrong code and a wrong name add nothing")
    func addsFamily() throws {
        let (cookie, ana) = (try browser(server.stranger), try server.live(server.parent))
        func add(_ code: String, _ more: String = "", client: String = TestClient.nonce, _ fields: [String]? = nil) throws -> Answer {
            let fields = fields ?? [cookie, Self.own]
            return try ask("POST /families", fields[0], fields.count > 1 ? fields[1] : "X: y", content: "{\"code\":\"\(code)\",\"client\":\"\(client)\"\(more)}")
        }
        let name = ",\"name\":\"Gus\""
        #expect(try add(server.code, name, ["X: y", Self.own]).status == 401)
        #expect(try add(server.code, name, [cookie, Self.foreign]).status == 403)
        #expect(try add(server.code).text.contains("\"field\":\"name\""))
        #expect(try add(server.code, ",\"name\":\"Somebody\"").text.contains("\"field\":\"name\""))
        #expect(try add("00000-00000-00000-00000", name).text.contains("\"code_unknown\""))
        #expect(try add(server.code, name, client: "short").text.contains("\"field\":\"client\""))
        #expect(try add(server.code, ",\"token\":\"x\"").status == 400)
        #expect(try !ask("GET /session", cookie).text.contains("Rivera"))

        let added = try add(server.code, name)
        #expect(added.status == 201 && added.text.contains("\"name\":\"Rivera\"") && added.text.contains("\"role\":\"parent\""), "\(added.text)")
        _ = try ana.skip(to: "change")
        // The code is used; a client that lost the answer finds the family in `GET /session`.
        for client in [TestClient.nonce, String(repeating: "0", count: 32)] { #expect(try add(server.code, name, client: client).text.contains("\"code_unknown\"")) }
        // One person with one sign-in, in this session and in those that were there before.
        for field in [cookie, "Authorization: Bearer \(server.stranger.token)"] {
            let text = try ask("GET /session", field).text
            #expect(text.contains("Okafor") && text.contains("Rivera"), "\(text)")
        }
    }

    @Test("On the socket the cookie signs in with the server's own Origin alone; without one that counts sign_in needs a token")
    func socket() throws {
        let cookie = try browser()
        server.shard.site.allow(OriginPolicy([try #require(WebOrigin("https://evil.example"))]))
        for fields in [[cookie, Self.foreign], [cookie], [Self.own], ["Cookie: __Host-huddle-8443=none", Self.own]] {
            let socket = try server.connect()
            try socket.upgrade(fields: fields + ["Host: localhost:8443"])
            socket.say("{\"type\":\"sign_in\"}")
            #expect(try socket.rest().suffix(3) == ["error token_unknown", "close 4501", "end"], "\(fields)")
        }
        let both = try server.connect()
        try both.upgrade(fields: [cookie, Self.own, "Host: localhost:8443"])
        both.say("{\"type\":\"sign_in\",\"token\":\"\(server.athlete.token)\"}")
        #expect(try both.next() == "welcome")
        #expect(both.memberships.map(\.member) == [server.athlete.member], "a token in the frame is the one that counts")
    }

    @Test("The same functions as on the socket: names, one end, all others")
    func manages() throws {
        let cookie = try browser()
        let lost = try browser()
        let listed = try ask("GET /sessions", cookie).text
        let id = try #require(listed.firstMatch(of: /"id":"([0-9a-f-]{36})","kind":"browser","name":"","created":"[0-9-]*","used":"[0-9-]*","ends":"[0-9-]*","current":false/)?.1)
        #expect(try ask("PATCH /sessions/\(id)", cookie, Self.own, content: "{\"name\":\" Old phone \"}").text.contains("\"name\":\"Old phone\""))
        #expect(try ask("PATCH /sessions/\(id)", cookie, Self.own, content: "{\"name\":\"\"}").status == 400)
        let athlete = try browser(server.athlete)
        for path in ["/sessions/\(id)", "/sessions/none", "/sessions/\(server.parent.member)"] {
            #expect(try ask("DELETE \(path)", athlete, Self.own).status == 404, "\(path)")
        }
        #expect(try ask("DELETE /sessions/\(id)", cookie, Self.own).status == 204)
        #expect(try ask("GET /sessions", lost).status == 401)
        let third = try browser()
        #expect(try ask("DELETE /sessions", cookie, Self.own).status == 204)
        #expect(try ask("GET /sessions", third).status == 401)
        #expect(try ask("GET /here", "Authorization: Bearer \(server.parent.token)").status == 401)
        #expect(try ask("GET /sessions", cookie).status == 200 && ask("GET /sessions", athlete).status == 200)
    }
}

@Suite("Tokens for programs, over HTTP and on the socket", .serialized)
struct TokenRouteTests {
    private let server: TestShard

    init() throws {
        server = try TestShard()
        server.shard.site.add(SessionRoutes.all(server.shard.services) + TokenRoutes.all(server.shard.services))
        server.shard.site.add([
            RouteGroup("/here", .session).resource("", .get { _ in .response(HTTPResponse(204)) }, .post { _ in .response(HTTPResponse(204)) }),
            RouteGroup("/calendar", .calendar).resource(
                "", .get { context in
                    guard case .calendar(let access) = context.identity else { return .response(HTTPResponse(500)) }
                    return .response(HTTPResponse(200, content: Array(access.athletes.map { "\($0.athlete)" }.joined(separator: ",").utf8)))
                }),
        ])
    }

    private func ask(_ line: String, _ fields: String..., content: String? = nil) throws -> (status: Int, fields: HTTPFields, text: String) {
        let client = try server.connect()
        let all = fields + (content.map { ["Content-Type: application/json", "Content-Length: \($0.utf8.count)"] } ?? []) + ["Connection: close"]
        client.send(text: "\(line) HTTP/1.1\r\nHost: localhost:8443\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n" + (content ?? ""))
        try server.until("the end of the answer") { try client.receive(); return client.hasEnded }
        let (head, length) = try #require(try ResponseHead.parse(client.octets.span))
        return (head.status, head.fields, String(decoding: client.octets[length...], as: UTF8.self))
    }

    private func bearer(_ token: String) -> String { "Authorization: Bearer \(token)" }
    private func basic(_ text: String) -> String { "Authorization: Basic \(Base64.encode(Array(text.utf8)))" }

    private func content(_ scope: String, _ number: UInt64, athletes: [Identifier] = []) -> String {
        let list = athletes.isEmpty ? "" : ",\"athletes\":[\(athletes.map { "\"\($0)\"" }.joined(separator: ","))]"
        return "{\"id\":\"\(Identifier(high: 0x0191_0000_0000_7000, low: number))\",\"nonce\":\"\(TestClient.nonce)\",\"name\":\"Export\",\"scope\":\"\(scope)\",\"days\":30\(list)}"
    }

    private func make(_ scope: String, _ number: UInt64, athletes: [Identifier] = []) throws -> String {
        let answer = try ask("POST /tokens", bearer(server.parent.token), content: content(scope, number, athletes: athletes))
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(answer.text.firstMatch(of: /"token":"([^"]*)"/).map { String($0.1) })
    }

    @Test("A token that reads gets what is read and 403 for everything else; one that writes may write; none manages the account")
    func scopes() throws {
        let read = try make("read", 1), write = try make("write", 2)
        #expect(try make("read", 1) == read)
        #expect(try ask("GET /here", bearer(read)).status == 204 && ask("POST /here", bearer(write), content: "").status == 204)
        let refused = try ask("POST /here", bearer(read), content: "")
        #expect(refused.status == 403 && refused.text.contains("\"code\":\"not_allowed\""))
        for token in [read, write] {
            for (line, text) in [("GET /sessions", nil), ("DELETE /sessions", nil), ("GET /tokens", nil), ("POST /tokens", content("write", 9))] as [(String, String?)] {
                #expect(try ask(line, bearer(token), content: text).status == 403, "\(line)")
            }
            #expect(try ask("POST /session", content: "{\"token\":\"\(token)\"}").status == 403)
        }
        #expect(try ask("GET /tokens", bearer(server.parent.token)).text.split(separator: "\"kind\":\"token\"").count == 3)
    }

    @Test("On the socket a token that reads joins and hears changes; its mutations and invites are not_allowed; the end of the token closes it")
    func socket() throws {
        let client = try server.open()
        client.say("{\"type\":\"sign_in\",\"token\":\"\(try make("read", 1))\"}")
        #expect(try client.next() == "welcome")
        client.join(server.parent.family, 5)
        try client.skip(to: "live")
        client.mutate(1)
        #expect(try client.skip(to: "reject").hasPrefix("reject 1"))
        client.say("{\"type\":\"invite\",\"request\":1,\"id\":\"\(server.parent.member)\",\"nonce\":\"\(TestClient.nonce)\",\"name\":\"R\",\"role\":\"guest\"}")
        #expect(try client.skip(to: "error") == "error not_allowed")
        client.say("{\"type\":\"sessions\",\"request\":2}")
        #expect(try client.skip(to: "error") == "error not_allowed")
        let id = Identifier(high: 0x0191_0000_0000_7000, low: 1)
        #expect(try ask("DELETE /tokens/\(id)", bearer(server.parent.token)).status == 204)
        #expect(try client.rest().suffix(3) == ["signed_out", "close 4501", "end"])
    }

    @Test("A token for calendars opens them by Basic, whatever the user name; nothing else does, and it opens nothing else")
    func calendar() throws {
        let token = try make("calendar", 1, athletes: [server.athlete.member])
        let opened = try ask("GET /calendar", basic("anybody:\(token)"))
        #expect(opened.status == 200 && opened.text == "\(server.athlete.member)")
        #expect(try ask("GET /calendar", basic(":\(token)")).status == 200)
        let write = try make("write", 2)
        for field in [bearer(token), basic("a:\(write)"), basic("a:\(server.parent.token)"), basic(token), basic("a:"), "Authorization: Basic %%%", "X: y"] {
            let refused = try ask("GET /calendar", field)
            #expect(refused.status == 401 && refused.fields.only("www-authenticate") == "Basic realm=\"huddle\", charset=\"UTF-8\"", "\(field)")
        }
        #expect(try ask("GET /here", bearer(token)).status == 401)
        let client = try server.open()
        client.say("{\"type\":\"sign_in\",\"token\":\"\(token)\"}")
        #expect(try client.next() == "error token_unknown")
        #expect(try ask("DELETE /sessions", bearer(server.parent.token)).status == 204)
        #expect(try ask("GET /calendar", basic("a:\(token)")).status == 401)
    }

    @Test("Content of another form is refused by name", arguments: [
        ("{}", "id"), ("{\"id\":\"7\"}", "id"), ("{\"id\":\"01910000-0000-7000-8000-000000000001\",\"nonce\":\"x\"}", "nonce"),
        ("{\"id\":\"01910000-0000-7000-8000-000000000001\",\"nonce\":\"5f1c9a7e20b4d3865f1c9a7e20b4d386\",\"scope\":\"all\"}", "scope"),
        ("{\"id\":\"01910000-0000-7000-8000-000000000001\",\"nonce\":\"5f1c9a7e20b4d3865f1c9a7e20b4d386\",\"scope\":\"read\"}", "name"),
        ("{\"id\":\"01910000-0000-7000-8000-000000000001\",\"nonce\":\"5f1c9a7e20b4d3865f1c9a7e20b4d386\",\"scope\":\"read\",\"name\":\"x\"}", "days"),
    ])
    func content(text: String, field: String) throws {
        let answer = try ask("POST /tokens", bearer(server.parent.token), content: text)
        #expect(answer.status == 400 && answer.text.contains("\"field\":\"\(field)\""), "\(answer.text)")
    }
}
