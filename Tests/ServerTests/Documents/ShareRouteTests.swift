import Bytes
import Family
import FrameCheck
import HTTP1
import JSON
import Posix
import Store
import Testing

@testable import Server

@Suite("Links of members, proto/documents.md (Share links)", .serialized)
struct ShareRouteTests {
    /// The answer of one request as text.
    private func text(_ answer: (status: Int, fields: HTTPFields, content: [UInt8])) -> String { String(decoding: answer.content, as: UTF8.self) }

    /// The text member `name` of an object, at its first place.
    private func member(_ name: String, _ text: String) throws -> String {
        try #require(text.split(separator: "\"\(name)\":\"").dropFirst().first?.split(separator: "\"").first.map(String.init))
    }

    private func wish(_ school: Identifier, days: String? = nil) -> String {
        "{\"school\":\"\(school)\"" + (days.map { ",\"days\":\($0)" } ?? "") + "}"
    }

    @Test("a link is made, works immediately and for the requested time, is listed with its counts but never again with its secret, and ends")
    func life() throws {
        let fixture = try DocumentFixture()
        let before = Clock.wallMilliseconds()
        let made = try fixture.ask("POST \(fixture.path)/shares", as: fixture.server.parent, content: wish(fixture.school, days: "3"))
        #expect(made.status == 201 && made.fields.only("cache-control") == "no-store", "\(text(made))")
        let url = try member("url", text(made))
        let id = try member("id", text(made))
        #expect(try fixture.ask("GET \(url)").status == 200)
        #expect(try fixture.ask("GET \(url)/file").content == fixture.content)
        // The school had one: it is over.
        #expect(try fixture.ask("GET \(fixture.sharePath)").status == 404)
        try fixture.until("both are counted") { reader in
            let link = try reader.shares(family: fixture.server.parent.family, document: fixture.document).first { "\($0.id)" == id }
            return link?.views == 1 && link?.downloads == 1
        }
        let links = try fixture.read { try $0.shares(family: fixture.server.parent.family, document: fixture.document) }
        let life = try #require(links.first { "\($0.id)" == id }).expiresAt - before
        #expect((3 * 86_400_000..<3 * 86_400_000 + 60_000).contains(life))
        #expect(links.count == 2 && links.count { $0.endedAt == nil } == 1)

        for who in [fixture.server.parent, fixture.server.athlete, try #require(fixture.guest)] {
            let listed = try fixture.ask("GET \(fixture.path)/shares", as: who)
            #expect(listed.status == 200)
            #expect(text(listed).hasPrefix("{\"shares\":[{\"id\":\"\(id)\",\"school\":\"\(fixture.school)\""), "\(text(listed))")
            #expect(text(listed).contains("\"views\":1,\"downloads\":1,\"last_opened_at\":") && text(listed).contains("\"ended_at\":"))
            #expect(!text(listed).contains("url") && !text(listed).contains(url.dropFirst(3)))
        }
        #expect(try fixture.ask("HEAD \(fixture.path)/shares", as: fixture.server.parent).content.isEmpty)
        // Twice is as once.
        for _ in 0..<2 { #expect(try fixture.ask("DELETE \(fixture.path)/shares?share=\(id)", as: fixture.server.athlete).status == 204) }
        for path in [url, url + "/file"] { #expect(try fixture.ask("GET \(path)").status == 404) }
    }

    @Test("a new school joins shared_with_schools in the same commit, and the family sees that; the same again is not a change")
    func change() throws {
        let fixture = try DocumentFixture()
        let room = try fixture.server.live(fixture.server.athlete)
        let added = Identifier(high: 5, low: 77)
        let client = try fixture.server.live(fixture.server.parent, client: 2)
        client.say("{\"type\":\"mutate\",\"mutation\":1,\"operations\":[{\"op\":\"create\",\"kind\":\"school\",\"id\":\"\(added)\",\"fields\":{\"name\":\"Ashgrove\"}}]}")
        try client.skip(to: "ack")
        try room.skip(to: "change")
        #expect(try fixture.ask("POST \(fixture.path)/shares", as: fixture.server.parent, content: wish(added)).status == 201)
        #expect(try room.skip(to: "change").hasPrefix("change"))
        let versions = { try fixture.read { try $0.shares(family: fixture.server.parent.family, document: fixture.document).count } }
        #expect(try versions() == 2)
        #expect(try fixture.ask("POST \(fixture.path)/shares", as: fixture.server.parent, content: wish(added)).status == 201)
        #expect(try versions() == 3)
    }

    @Test("without the right: guests 403, strangers and other documents the answer for one that never was, no token 401")
    func rights() throws {
        let fixture = try DocumentFixture()
        let family = fixture.server
        let guest = try #require(fixture.guest)
        let link = try #require(fixture.share).link.id
        let never = Identifier(high: 1, low: 1)
        let lines = ["POST \(fixture.path)/shares", "GET \(fixture.path)/shares", "DELETE \(fixture.path)/shares?share=\(link)", "POST \(fixture.path)/link"]
        for line in lines {
            let content = line.hasSuffix("POST \(fixture.path)/shares") ? wish(fixture.school) : nil
            let nobody = try fixture.ask(line, content: content)
            #expect(nobody.status == 401 && nobody.fields.only("www-authenticate")?.hasPrefix("Bearer") == true, "\(line)")
            #expect(try fixture.ask(line, "Authorization: Bearer \(String(repeating: "x", count: 43))", content: content).status == 401)
            let stranger = try fixture.ask(line, as: family.stranger, content: content)
            let missing = try fixture.ask(line.replacing("\(fixture.document)", with: "\(never)"), as: family.parent, content: content)
            #expect(stranger.status == 404 && missing.status == 404 && stranger.content == missing.content, "\(line)")
        }
        let refused = try fixture.ask("POST \(fixture.path)/shares", as: guest, content: wish(fixture.school))
        #expect(refused.status == 403 && text(refused).contains("\"code\":\"not_allowed\""), "\(text(refused))")
        #expect(try fixture.ask("DELETE \(fixture.path)/shares?share=\(link)", as: guest).status == 403)
        #expect(try fixture.ask("GET \(fixture.sharePath)").status == 200)
        // The athlete, whose document it is, may.
        #expect(try fixture.ask("POST \(fixture.path)/shares", as: family.athlete, content: wish(fixture.school)).status == 201)
    }

    @Test("an invalid request is refused with its field, and no link is made")
    func refusals() throws {
        let fixture = try DocumentFixture()
        let parent = fixture.server.parent
        let cases: [(String, Int, String, String?)] = [
            ("", 400, "invalid", nil), ("{}", 400, "required", "school"), ("[]", 400, "invalid", nil), ("{\"school\":7}", 400, "invalid", "school"),
            ("{\"school\":\"x\"}", 400, "invalid", "school"), ("{\"days\":3}", 400, "required", "school"),
            (wish(fixture.school, days: "0"), 400, "out_of_range", "days"), (wish(fixture.school, days: "366"), 400, "out_of_range", "days"),
            (wish(fixture.school, days: "-1"), 400, "out_of_range", "days"), (wish(fixture.school, days: "1.5"), 400, "invalid", "days"),
            (wish(fixture.school, days: "\"3\""), 400, "invalid", "days"), (wish(fixture.school, days: "9223372036854775807"), 400, "out_of_range", "days"),
            (wish(fixture.school, days: "9223372036854775808"), 400, "invalid", "days"), (wish(fixture.school, days: "106751991168"), 400, "out_of_range", "days"),
            ("{\"school\":\"\(fixture.school)\",\"more\":1}", 400, "invalid", nil), (wish(fixture.school) + "x", 400, "invalid", nil),
            ("{\"school\":", 400, "invalid", nil),
            (String(repeating: "[", count: 3_000), 400, "invalid", nil), (String(repeating: " ", count: 4_097), 413, "too_large", nil),
            (wish(Identifier(high: 1, low: 2)), 400, "unknown_reference", "shared_with_schools"),
            // A document is not a school.
            (wish(fixture.document), 400, "unknown_reference", "shared_with_schools"),
        ]
        for (content, status, code, field) in cases {
            let answer = try fixture.ask("POST \(fixture.path)/shares", as: parent, content: content)
            #expect(answer.status == status && text(answer).contains("\"code\":\"\(code)\""), "\(content.prefix(80)): \(text(answer))")
            #expect(!text(answer).contains("draft"))
            #expect(text(answer).contains("\"field\"") == (field != nil), "\(content.prefix(80)): \(text(answer))")
            if let field { #expect(try member("field", text(answer)) == field) }
            if let problem = FrameCheck.httpProblem(answer.status, answer.content) { Issue.record("\(content.prefix(80)): \(problem)") }
        }
        let chunked = try fixture.ask(
            "POST \(fixture.path)/shares", "Authorization: Bearer \(parent.token)", "Transfer-Encoding: chunked\r\n\r\n1388\r\n\(String(repeating: " ", count: 5_000))\r\n0")
        #expect(chunked.status == 413)
        for target in ["", "?share=", "?share=x"] {
            #expect(try fixture.ask("DELETE \(fixture.path)/shares\(target)", as: parent).status == 400)
        }
        #expect(try fixture.ask("DELETE \(fixture.path)/shares?share=\(Identifier(high: 3, low: 3))", as: parent).status == 404)
        let links = try fixture.read { try $0.shares(family: parent.family, document: fixture.document) }
        #expect(links.count == 1 && links[0].endedAt == nil)
    }

    @Test("JSON is taken as application/json or without a type; another type or a coding is refused with 415", arguments: [
        ("Content-Type: application/json", 201), ("Content-Type: Application/JSON ; charset=utf-8", 201), ("X-Nothing: 1", 201),
        ("Content-Type: text/plain", 415), ("Content-Type: application/x-www-form-urlencoded", 415), ("Content-Type: application/jsonx", 415),
        ("Content-Type: ", 415), ("Content-Type: application/json\r\nContent-Type: application/json", 415), ("Content-Encoding: gzip", 415),
    ])
    func contentType(field: String, status: Int) throws {
        let fixture = try DocumentFixture()
        let answer = try fixture.ask("POST \(fixture.path)/shares", as: fixture.server.parent, field, content: wish(fixture.school))
        #expect(answer.status == status)
        guard status == 415 else { return }
        #expect(FrameCheck.httpProblem(answer.status, answer.content) == nil)
        #expect(try fixture.read { try $0.shares(family: fixture.server.parent.family, document: fixture.document) }.count == 1)
    }

    @Test("a year is the longest, a day the shortest; the default is thirty days", arguments: [("365", 365), ("1", 1), (nil, 30)] as [(String?, Int64)])
    func days(asked: String?, days: Int64) throws {
        let fixture = try DocumentFixture()
        let before = Clock.wallMilliseconds()
        #expect(try fixture.ask("POST \(fixture.path)/shares", as: fixture.server.parent, content: wish(fixture.school, days: asked)).status == 201)
        let links = try fixture.read { try $0.shares(family: fixture.server.parent.family, document: fixture.document) }
        let life = try #require(links.first { $0.endedAt == nil }).expiresAt - before
        #expect((days * 86_400_000..<days * 86_400_000 + 60_000).contains(life))
    }

    @Test("a share link works to its last moment and not beyond, then with the answer of one that never was; it is listed as over")
    func expiry() throws {
        let fixture = try DocumentFixture()
        let made = try fixture.ask("POST \(fixture.path)/shares", as: fixture.server.parent, content: wish(fixture.school, days: "1"))
        let url = try member("url", text(made))
        let never = try fixture.ask("GET /s/\(String(repeating: "A", count: 32))").content
        fixture.server.passDay(milliseconds: 86_400_000 - 60_000)
        #expect(try fixture.ask("GET \(url)").status == 200)
        #expect(try fixture.ask("GET \(url)/file").content == fixture.content)
        fixture.server.passDay(milliseconds: 60_000)
        for path in [url, url + "/file"] {
            let ended = try fixture.ask("GET \(path)")
            #expect(ended.status == 404 && ended.content == never, "\(path)")
        }
        #expect(try fixture.ask("GET \(fixture.path)", as: fixture.server.parent).status == 200)
        // Another for the same school works again.
        let again = try member("url", text(try fixture.ask("POST \(fixture.path)/shares", as: fixture.server.parent, content: wish(fixture.school))))
        #expect(try fixture.ask("GET \(again)").status == 200)
    }

    @Test("a signed link ends after ten minutes, for anyone who has it")
    func signedExpiry() throws {
        let fixture = try DocumentFixture()
        let url = try member("url", text(try fixture.ask("POST \(fixture.path)/link", as: fixture.server.parent)))
        fixture.server.passDay(milliseconds: 600_000 - 30_000)
        #expect(try fixture.ask("GET \(url)").status == 200)
        fixture.server.passDay(milliseconds: 30_000)
        #expect(try fixture.ask("GET \(url)").status == 404)
    }

    @Test("a signed link opens this document alone, for a reader without a session, and not with any letter changed")
    func signed() throws {
        let fixture = try DocumentFixture()
        for who in [fixture.server.parent, fixture.server.athlete, try #require(fixture.guest)] {
            let made = try fixture.ask("POST \(fixture.path)/link", as: who)
            let url = try member("url", text(made))
            #expect(made.status == 201 && url.hasPrefix("\(fixture.path)?link="))
            #expect(try fixture.ask("GET \(url)").content == fixture.content)
            #expect(try fixture.ask("GET \(url.dropLast())").status == 404)
            #expect(try fixture.ask("GET \(url.replacing("\(fixture.document)", with: "\(fixture.school)"))").status == 404)
            // It opens the file, and nothing else.
            #expect(try fixture.ask("GET \(url.replacing("?link=", with: "/shares?link="))").status == 401)
        }
    }

    @Test("unsupported methods are refused, with the list of supported ones")
    func methods() throws {
        let fixture = try DocumentFixture()
        for (line, allowed) in [("PUT \(fixture.path)/shares", "GET, HEAD, POST, DELETE, OPTIONS"), ("GET \(fixture.path)/link", "POST, OPTIONS")] {
            let answer = try fixture.ask(line, as: fixture.server.parent)
            #expect(answer.status == 405 && answer.fields.only("allow") == allowed)
        }
    }
}
