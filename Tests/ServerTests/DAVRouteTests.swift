import Bytes
import DAV
import Family
import HTTP1
import Posix
import Store
import TestSupport
import Testing
import Wire
import XML

@testable import Server

@Suite("Calendars for programs, over HTTP", .serialized)
struct DAVRouteTests {
    let server: TestShard
    let token: String
    let member: TestClient
    let season: String
    private let event = Identifier(high: 8, low: 1)

    init() throws {
        server = try TestShard()
        server.shard.site.add(DAVRoutes.all(server.shard.services))
        let (athlete, session) = (server.athlete.member, server.parent.token)
        token = try server.store { store throws(StoreFailure) in
            try store.makeToken(
                NewToken(id: Identifier(high: 3, low: 3), nonce: TestClient.nonce, name: "Phone", scope: .calendar, days: 9, athletes: [athlete]),
                by: try store.sessionKey(of: session))
        }.get().token
        season = "/dav/calendars/season-\(server.parent.family)-\(athlete)/"
        member = try server.live(server.parent)
    }

    struct Answer {
        var status: Int
        var fields: HTTPFields
        var content: [UInt8]
        var text: String { String(decoding: content, as: UTF8.self) }

        /// The responses of a multistatus, by address.
        var responses: [String: XMLElement] {
            get throws {
                let root = try XMLReader.read(content)
                #expect(root.name == DAVNames.d("multistatus"))
                let all = root.elements.filter { $0.name == DAVNames.d("response") }
                return Dictionary(all.map { ($0[DAVNames.d("href")]?.text ?? "", $0) }) { first, _ in first }
            }
        }

        /// The text of a property of a response; `nil` if it is not found.
        func text(_ name: XMLName, of address: String) throws -> String? { try property(name, of: address)?.text }

        func property(_ name: XMLName, of address: String) throws -> XMLElement? {
            let response = try #require(try responses[address], "\(address): \(text)")
            return response.elements.first { $0.name == DAVNames.d("propstat") && $0[DAVNames.d("status")]?.text == "HTTP/1.1 200 OK" }?[DAVNames.d("prop")]?[name]
        }

        var condition: XMLName? { get throws { try XMLReader.read(content).elements.first?.name } }
    }

    func ask(_ line: String, _ fields: [String] = [], _ content: String? = nil, token: String? = nil) throws -> Answer {
        let client = try server.connect()
        let basic = "Authorization: Basic \(Base64.encode(Array("huddle:\(token ?? self.token)".utf8)))"
        let all = [basic] + fields + (content.map { ["Content-Type: application/xml", "Content-Length: \($0.utf8.count)"] } ?? [])
        client.send(text: "\(line) HTTP/1.1\r\nHost: huddle.example\r\n" + all.map { $0 + "\r\n" }.joined() + "Connection: close\r\n\r\n" + (content ?? ""))
        try server.until("the end of the answer") { try client.receive(); return client.hasEnded }
        let (head, length) = try #require(try ResponseHead.parse(client.octets.span))
        return Answer(status: head.status, fields: head.fields, content: Array(client.octets[length...]))
    }

    func mutate(_ number: Int, _ operation: String) throws {
        member.say("{\"type\":\"mutate\",\"mutation\":\(number),\"operations\":[\(operation)]}")
        try member.skip(to: "ack \(number)")
    }

    private func addEvent(_ number: Int = 1, name: String = "Elite Camp", date: String = "2026-12-05") throws {
        try mutate(
            number,
            "{\"op\":\"create\",\"kind\":\"event\",\"id\":\"\(Identifier(high: 8, low: UInt64(number)))\",\"athlete\":\"\(server.athlete.member)\",\"fields\":"
                + "{\"type\":\"camp\",\"name\":\"\(name)\",\"start_date\":\"\(date)\",\"start_time\":\"09:00\",\"time_zone\":\"Europe/Warsaw\"}}")
    }

    /// The content of a request of a program, of `proto/caldav`.
    private func transcript(_ name: String, token: String = "") throws -> String {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let text = String(decoding: try Files.read(folder + "/proto/caldav/\(name).xml", limit: 65_536), as: UTF8.self)
        return text.replacing("/dav/calendars/CALENDAR/", with: season).replacing("ENTRY.ics", with: "\(event).ics").replacing("TOKEN", with: token)
    }

    @Test("A program finds the calendars from every address at which it may begin")
    func discovery() throws {
        for line in ["GET /.well-known/caldav", "PROPFIND /.well-known/caldav", "PROPFIND /.well-known/caldav/", "PROPFIND /", "PROPFIND /dav"] {
            let answer = try ask(line)
            #expect(answer.status == 301 && answer.fields.all("location") == ["/dav/"], "\(line)")
        }
        let options = try ask("OPTIONS /dav/")
        #expect(options.status == 200 && options.fields.all("dav") == ["1, 3, calendar-access"])
        for word in ["PROPFIND", "REPORT", "PROPPATCH"] { #expect(options.fields.only("allow")?.contains(word) == true) }
        for program in ["apple-principal", "davx5-principal", "thunderbird-principal"] {
            let answer = try ask("PROPFIND /dav/", ["Depth: 0"], try transcript(program))
            #expect(answer.status == 207 && answer.fields.all("content-type") == ["application/xml; charset=utf-8"])
            #expect(try answer.property(DAVNames.d("current-user-principal"), of: "/dav/")?[DAVNames.d("href")]?.text == "/dav/", "\(program)")
        }
        let home = try ask("PROPFIND /dav/", ["Depth: 0"], try transcript("apple-home-set"))
        #expect(try home.property(DAVNames.c("calendar-home-set"), of: "/dav/")?[DAVNames.d("href")]?.text == "/dav/calendars/")
    }

    @Test("The home lists the calendars of the token with what each program asks for")
    func home() throws {
        for program in ["apple-home", "davx5-home"] {
            let answer = try ask("PROPFIND /dav/calendars/", ["Depth: 1"], try transcript(program))
            #expect(Set(try answer.responses.keys) == ["/dav/calendars/", season], "\(program)")
            #expect(try answer.text(DAVNames.d("displayname"), of: season) == "Leo: season")
            #expect(try answer.property(DAVNames.d("resourcetype"), of: season)?.elements.map(\.name) == [DAVNames.d("collection"), DAVNames.c("calendar")])
            #expect(try answer.property(DAVNames.c("supported-calendar-component-set"), of: season)?.elements.map(\.attributes) == [[XMLName("name"): "VEVENT"]])
            #expect(answer.text.contains("HTTP/1.1 404 Not Found"), "properties that nobody has")
        }
        let state = try ask("PROPFIND \(season)", ["Depth: 0"], try transcript("davx5-state"))
        #expect(try state.text(DAVNames.c("max-resource-size"), of: season) == "65536")
        #expect(try state.property(DAVNames.d("supported-report-set"), of: season)?.elements.count == 3)
        #expect(try state.text(DAVNames.cs("getctag"), of: season) == state.text(DAVNames.d("sync-token"), of: season))
        #expect(try ask("PROPFIND /dav/", ["Depth: infinity"]).condition == DAVNames.d("propfind-finite-depth"))
    }

    @Test("An entry is listed with its tag, and read by that tag, by a multiget and by a GET alike")
    func entries() throws {
        try addEvent()
        let address = "\(season)\(event).ics"
        let list = try ask("PROPFIND \(season)", ["Depth: 1"])
        #expect(Set(try list.responses.keys) == [season, address])
        let tag = try #require(try list.text(DAVNames.d("getetag"), of: address))
        #expect(tag.hasPrefix("\"1-"))
        let read = try ask("GET \(address)")
        #expect(read.status == 200 && read.fields.all("etag") == [tag] && read.text.contains("SUMMARY:Elite Camp\r\n"))
        #expect(try ask("GET \(address)", ["If-None-Match: \(tag)"]).status == 304)
        let head = try ask("HEAD \(address)")
        #expect(head.status == 200 && head.content.isEmpty && head.fields.all("etag") == [tag])
        for program in ["apple-multiget", "davx5-multiget", "thunderbird-multiget"] {
            let answer = try ask("REPORT \(season)", ["Depth: 1"], try transcript(program))
            #expect(try answer.text(DAVNames.c("calendar-data"), of: address) == read.text, "\(program)")
            #expect(try answer.text(DAVNames.d("getetag"), of: address) == tag)
        }
        let missing = try #require(try ask("REPORT \(season)", [], try transcript("apple-multiget")).responses["\(season)nothing.ics"])
        #expect(missing[DAVNames.d("status")]?.text == "HTTP/1.1 404 Not Found")
    }

    @Test("A calendar-query selects by time and by UID")
    func query() throws {
        try addEvent(1, date: "2026-09-30")
        try addEvent(2, date: "2026-10-01")
        let late = "\(season)\(Identifier(high: 8, low: 2)).ics"
        #expect(Set(try ask("REPORT \(season)", ["Depth: 1"], try transcript("apple-range")).responses.keys) == [late])
        #expect(try ask("REPORT \(season)", ["Depth: 1"], try transcript("davx5-range")).responses.count == 2)
        let uid = """
            <C:calendar-query xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><getetag/></prop><C:filter><C:comp-filter name="VCALENDAR">\
            <C:comp-filter name="VEVENT"><C:prop-filter name="UID"><C:text-match>\(Identifier(high: 8, low: 2))</C:text-match></C:prop-filter></C:comp-filter>\
            </C:comp-filter></C:filter></C:calendar-query>
            """
        #expect(Set(try ask("REPORT \(season)", [], uid).responses.keys) == [late])
    }

    @Test("A sync-collection reports what changed since its token, and what is gone as 404; a token of elsewhere is refused")
    func sync() throws {
        try addEvent()
        let address = "\(season)\(event).ics"
        func sync(_ token: String) throws -> (answer: Answer, token: String) {
            let answer = try ask("REPORT \(season)", ["Depth: 1"], try transcript("davx5-sync", token: token))
            return (answer, try #require(try XMLReader.read(answer.content)[DAVNames.d("sync-token")]?.text, "\(answer.text)"))
        }
        let first = try ask("REPORT \(season)", ["Depth: 1"], try transcript("thunderbird-sync"))
        #expect(Set(try first.responses.keys) == [address])
        let start = try #require(try XMLReader.read(first.content)[DAVNames.d("sync-token")]?.text)
        let (nothing, same) = try sync(start)
        #expect(try nothing.responses.isEmpty && same == start)
        try mutate(2, "{\"op\":\"update\",\"kind\":\"event\",\"id\":\"\(event)\",\"base\":1,\"fields\":{\"name\":\"Camp\"}}")
        let (changed, next) = try sync(start)
        #expect(try changed.text(DAVNames.d("getetag"), of: address)?.hasPrefix("\"2-") == true)
        try mutate(3, "{\"op\":\"delete\",\"kind\":\"event\",\"id\":\"\(event)\",\"base\":2}")
        let gone = try sync(next).answer
        #expect(try gone.responses[address]?[DAVNames.d("status")]?.text == "HTTP/1.1 404 Not Found")
        for token in ["urn:huddle:sync:other:1", "made up"] {
            let refused = try ask("REPORT \(season)", [], try transcript("davx5-sync", token: token))
            #expect(try refused.status == 403 && refused.condition == DAVNames.d("valid-sync-token"), "\(token)")
        }
    }

    @Test("Without a token for calendars there is nothing; with one there is nothing of others, nor of athletes that it does not name")
    func rights() throws {
        try addEvent()
        let refused = try ask("PROPFIND /dav/", token: server.parent.token)
        #expect(refused.status == 401 && refused.fields.only("www-authenticate")?.hasPrefix("Basic ") == true)
        let unknown = Identifier(high: 9, low: 9)
        var contents: Set<String> = []
        for path in [
            "season-\(server.stranger.family)-\(server.stranger.member)/", "season-\(server.parent.family)-\(server.parent.member)/",
            "season-\(server.parent.family)-\(unknown)/", "itinerary-\(server.parent.family)-\(unknown)/", "nothing/", "season-\(server.parent.family)-\(server.athlete.member)/\(unknown).ics",
            "season-\(server.parent.family)-\(server.athlete.member)/x", "season-\(server.parent.family)-\(server.athlete.member)/\(event).ics/x",
        ] {
            let answer = try ask("PROPFIND /dav/calendars/\(path)", ["Depth: 0"])
            #expect(answer.status == 404, "\(path)")
            contents.insert(answer.text)
        }
        #expect(contents.count == 1, "one answer for all of them")
        #expect(try ask("GET /dav/calendars/season-\(server.stranger.family)-\(server.stranger.member)/\(event).ics").status == 404)
        #expect(try ask("REPORT /dav/calendars/", [], try transcript("davx5-sync")).condition == DAVNames.d("supported-report"))
    }

    @Test("Invalid and oversized content is refused, and a PROPPATCH changes nothing of the server's own")
    func refusals() throws {
        for (content, status) in [("<a", 400), ("<!DOCTYPE a><a/>", 400), (String(repeating: "<a>", count: 40), 400), ("<other/>", 400)] {
            #expect(try ask("PROPFIND \(season)", ["Depth: 0"], content).status == status, "\(content)")
        }
        #expect(try ask("PROPFIND \(season)", ["Depth: 0", "Content-Length: 2000000"]).status == 413)
        let patched = try ask("PROPPATCH \(season)", [], "<propertyupdate xmlns=\"DAV:\"><set><prop><displayname>x</displayname></prop></set></propertyupdate>")
        #expect(patched.status == 207 && patched.text.contains("HTTP/1.1 403 Forbidden"))
        #expect(try ask("GET \(season)").status == 405)
        for method in ["MKCALENDAR", "LOCK", "COPY", "MOVE"] { #expect(try ask("\(method) \(season)").status == 501, "\(method)") }
    }

    @Test("A phone gets a profile with the server's name, without the token")
    func profile() throws {
        let answer = try ask("GET /dav/account.mobileconfig")
        #expect(answer.status == 200 && answer.fields.only("content-type")?.hasPrefix("application/x-apple-aspen-config") == true)
        #expect(answer.text.contains("<key>CalDAVHostName</key><string>huddle.example</string>") && !answer.text.contains(token))
        #expect(try ask("GET /dav/account.mobileconfig").content == answer.content, "the same account each time")
    }
}
