import Bytes
import Calendar
import Crypto
import Dates
import Deflate
import Family
import HTTP1
import Store
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Calendar feeds over the wire and over HTTP", .serialized)
struct FeedRouteTests {
    private let server: TestShard
    private let shared = SharedFeedState()
    private static let nonce = String(repeating: "0", count: 31) + "1"

    init() throws {
        server = try TestShard()
        server.shard.site.add(FeedRoutes.all(server.shard.services, shared))
    }

    private func say(_ client: TestClient, _ act: CalendarsRequest.Act, request: Int64 = 1) {
        client.say(String(decoding: ClientFrame.calendars(CalendarsRequest(request: request, act)).encode(), as: UTF8.self))
    }

    private func add(_ client: TestClient, _ settings: FeedSettings = FeedSettings(name: "Phone", scope: .all), number: UInt64 = 1) throws -> CalendarMade {
        say(client, .add(Identifier(high: 7, low: number), nonce: Self.nonce, settings))
        try client.skip(to: "calendars")
        return try #require(client.calendars?.made)
    }

    private func ask(_ path: String, _ method: String = "GET", _ fields: String..., from address: String? = nil) throws -> (status: Int, fields: HTTPFields, content: [UInt8]) {
        let client = try server.connect(from: address)
        client.send(text: "\(method) \(path) HTTP/1.1\r\nHost: huddle.example\r\n" + fields.map { $0 + "\r\n" }.joined() + "Connection: close\r\n\r\n")
        try server.until("the end of the answer") { try client.receive(); return client.hasEnded }
        let (head, length) = try #require(try ResponseHead.parse(client.octets.span))
        return (head.status, head.fields, Array(client.octets[length...]))
    }

    private func path(_ made: CalendarMade) -> String { "/feeds/\(made.token).ics" }

    /// Forgets when each feed was fetched, as ten seconds do.
    private func rest() { shared.pace = FeedPace() }

    @Test("A member makes a feed, and a program fetches it; the list says how often and by which program")
    func flow() throws {
        let mine = try server.live(server.parent)
        let made = try add(mine)
        let answer = try ask(path(made), "GET", "User-Agent: Phone/1 x")
        #expect(answer.status == 200)
        #expect(answer.fields.all("content-type") == ["text/calendar; charset=utf-8"] && answer.fields.all("vary") == ["Accept-Encoding"])
        let text = String(decoding: answer.content, as: UTF8.self)
        #expect(text.hasPrefix("BEGIN:VCALENDAR\r\n") && text.hasSuffix("END:VCALENDAR\r\n"))
        #expect(text.replacing("\r\n ", with: "").contains("SOURCE;VALUE=URI:http://huddle.example/feeds/\(made.token).ics\r\n"))
        try server.until("the fetch is written") {
            say(mine, .list)
            try mine.skip(to: "calendars")
            return mine.calendars?.calendars.first?.fetches == 1
        }
        #expect(mine.calendars?.calendars.first?.program == "Phone/1 x")
        #expect(mine.calendars?.made == nil, "the address is shown once")
    }

    @Test("Unknown, revoked and malformed addresses get the same answer, and a revoked one gets it before the list arrives")
    func missing() throws {
        let mine = try server.live(server.parent)
        let made = try add(mine)
        let unknown = try ask("/feeds/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.ics")
        #expect(unknown.status == 404)
        say(mine, .remove(made.id))
        #expect(try mine.skip(to: "calendars") == "calendars 0")
        for path in [path(made), "/feeds/\(made.token)", "/feeds/.ics", "/feeds/x.ics", "/feeds/\(made.token).ICS"] {
            let answer = try ask(path)
            #expect(answer.status == 404 && answer.content == unknown.content, "\(path)")
        }
    }

    @Test("A feed that has not changed is 304 by its tag, in each content coding; a change of the family gives another tag")
    func validators() throws {
        let mine = try server.live(server.parent)
        let paths = try (1...5).map { path(try add(mine, number: UInt64($0))) }
        let plain = try ask(paths[0]), tag = try #require(plain.fields.all("etag").first)
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
        let small = try ask(paths[1], "GET", "Accept-Encoding: gzip")
        #expect(small.fields.all("content-encoding") == ["gzip"])
        let head = try ask(paths[0], "HEAD")
        #expect(head.status == 200 && head.content.isEmpty && head.fields.all("etag") == [tag] && head.fields.all("content-length") == ["\(plain.content.count)"])
        rest()
        let again = try ask(paths[0], "GET", "If-None-Match: \(tag)")
        #expect(again.status == 304 && again.content.isEmpty && again.fields.all("etag") == [tag])
        rest()
        #expect(try ask(paths[0], "GET", "If-None-Match: \(tag)", "Accept-Encoding: gzip").status == 200, "another coding has another tag")
        mine.say(
            "{\"type\":\"mutate\",\"mutation\":1,\"operations\":[{\"op\":\"create\",\"kind\":\"event\",\"id\":\"\(Identifier(high: 8, low: 1))\",\"athlete\":\"\(server.athlete.member)\","
                + "\"fields\":{\"type\":\"game\",\"name\":\"Final\",\"start_date\":\"2099-01-02\"}}]}")
        try mine.skip(to: "ack 1")
        rest()
        let changed = try ask(paths[0], "GET", "If-None-Match: \(tag)")
        #expect(changed.status == 200 && String(decoding: changed.content, as: UTF8.self).contains("SUMMARY:Final"))
    }

    @Test("A feed is fetched once in ten seconds, and twenty addresses that open nothing are enough for ten minutes")
    func paces() throws {
        let mine = try server.live(server.parent)
        let made = try add(mine)
        #expect(try ask(path(made)).status == 200)
        let early = try ask(path(made))
        #expect(early.status == 429 && early.fields.all("retry-after") == ["10"])
        rest()
        #expect(try ask(path(made)).status == 200)
        for number in 0..<20 { #expect(try ask("/feeds/\(number).ics", from: "192.0.2.7").status == 404) }
        #expect(try ask("/feeds/x.ics", from: "192.0.2.7").status == 429)
        #expect(try ask("/feeds/x.ics", from: "192.0.2.8").status == 404)
        rest()
        #expect(try ask(path(made), from: "192.0.2.7").status == 200, "a feed that is there opens all the same")
    }

    @Test("Nobody ends or changes the feed of another, not even for a moment")
    func others() throws {
        let mine = try server.live(server.parent), other = try server.live(server.athlete, client: 3)
        let made = try add(mine)
        say(other, .remove(made.id))
        #expect(try other.skip(to: "calendars") == "calendars 0")
        #expect(try ask(path(made)).status == 200)
        say(other, .change(made.id, FeedSettings(name: "Mine now")))
        #expect(try other.skip(to: "error") == "error not_found")
    }

    @Test("A token for a program makes no feed")
    func tokens() throws {
        let member = server.parent.member, token = server.parent.token
        let made = try server.store { store throws(StoreFailure) in
            try store.makeToken(NewToken(id: Identifier(high: 3, low: 3), nonce: Self.nonce, name: "P", scope: .write, days: 9), by: try store.sessionKey(of: token))
        }.get()
        let program = try server.live(SessionCreated(token: made.token, family: server.parent.family, member: member, role: .parent), client: 9)
        say(program, .list)
        #expect(try program.skip(to: "error") == "error not_allowed")
    }
}

@Suite("Feeds that were made lately")
struct FeedCacheTests {
    private func state(_ head: Int64) -> FeedCache.State {
        FeedCache.State(
            feed: OpenFeed(
                family: Identifier(high: 1, low: 1), id: Identifier(high: 1, low: 2), owner: .init(member: Identifier(high: 1, low: 3), role: .parent),
                settings: FeedSettings(name: "A"), head: head), day: .first, address: nil)
    }

    private func name(_ number: Int) -> FeedName { FeedName(family: Identifier(high: 1, low: 1), feed: Identifier(high: 2, low: UInt64(number))) }

    @Test("A feed is found for the same state alone")
    func states() {
        var cache = FeedCache()
        cache.put(name(1), state(5), FeedRepresentation([1, 2, 3]))
        #expect(cache.entry(name(1), state(5))?.length == 3)
        #expect(cache.entry(name(1), state(6)) == nil && cache.entry(name(2), state(5)) == nil)
        cache.put(name(1), state(6), FeedRepresentation([4]))
        #expect(cache.entry(name(1), state(5)) == nil && cache.count == 1 && cache.octets == 1)
    }

    @Test("Octets and entries have bounds: the feeds that were not used for the longest time go first")
    func bounds() {
        var cache = FeedCache(maxOctets: 1_000, maxEntries: 50)
        for number in 0..<200 {
            cache.put(name(number), state(1), FeedRepresentation((0..<100).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ number) }))
            _ = cache.entry(name(0), state(1))
            #expect(cache.octets <= 1_000 && cache.count <= 50)
        }
        #expect(cache.entry(name(0), state(1))?.content != nil, "in use all the time")
        #expect(cache.entry(name(199), state(1))?.content != nil)
        #expect(cache.entry(name(1), state(1)) == nil)
        cache.put(name(500), state(1), FeedRepresentation([UInt8](repeating: 0, count: 5_000).enumerated().map { UInt8(truncatingIfNeeded: $0.offset &* 131) }))
        #expect(cache.octets <= 1_000)
    }

    @Test("The memory of paces has a bound")
    func paces() {
        var pace = FeedPace()
        for number in 0..<25_000 {
            #expect(pace.wait(name(number), isHead: false, now: 0) == nil)
            #expect(pace.count <= FeedPace.maxFeeds)
        }
        #expect(pace.wait(name(24_999), isHead: false, now: 9_999) == 1)
        #expect(pace.wait(name(24_999), isHead: true, now: 9_999) == nil)
        #expect(pace.wait(name(24_999), isHead: false, now: 10_000) == nil)
    }
}
