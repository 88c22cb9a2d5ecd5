import Bytes
import HTTP1
import Posix
import Rooms
import Testing

@testable import Server

@Suite("Share links: what a coach gets, product.md (Documents)", .serialized)
struct SharePageTests {
    @Test("the page describes the document, as text whatever the title holds, and the button gives the file; both are counted once")
    func page() throws {
        let title = "\"><script>alert('x')</script>&"
        let fixture = try DocumentFixture(name: "<b>&\"'.pdf", title: title)
        let page = try fixture.ask("GET \(fixture.sharePath)")
        let text = String(decoding: page.content, as: UTF8.self)
        #expect(page.status == 200)
        #expect(!text.contains("<script") && !text.contains("<b>"))
        #expect(text.contains("&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</bdi></h1>"))
        #expect(SharePage.escaped("a\u{0}\u{1}\u{85}<\n") == "a&lt;")
        #expect(text.contains("Rice &lt;script&gt;") && text.contains("(97.7 KB)") && text.contains("This link works until "))
        #expect(page.fields.only("content-type") == "text/html; charset=utf-8")
        #expect(page.fields.only("cache-control") == "no-store")
        #expect(page.fields.only("referrer-policy") == "no-referrer")
        #expect(page.fields.all("content-security-policy").count == 1)
        #expect(page.fields.only("content-security-policy")?.contains("script-src") == false)
        #expect(page.fields.only("content-security-policy")?.hasPrefix("default-src 'none'; style-src 'sha256-") == true)
        // Where the button leads, from the page's own address.
        let target = try #require(text.split(separator: "href=\"").last?.split(separator: "\"").first)
        let file = try fixture.ask("GET /s/\(target)")
        #expect(file.status == 200 && file.content == fixture.content)
        #expect(file.fields.only("content-disposition")?.hasPrefix("attachment; ") == true)
        #expect(file.fields.only("cache-control") == "no-store")
        try fixture.until("both are counted") { _ in try fixture.shareFigures() == (1, 1) }
    }

    @Test("a check whether the file exists, and the continuation of a download, are not counted")
    func uncounted() throws {
        let fixture = try DocumentFixture()
        #expect(try fixture.ask("HEAD \(fixture.sharePath)").status == 200)
        #expect(try fixture.ask("HEAD \(fixture.sharePath)/file").status == 200)
        #expect(try fixture.ask("GET \(fixture.sharePath)/file", "Range: bytes=500-").status == 206)
        #expect(try fixture.ask("GET \(fixture.sharePath)/file", "Range: bytes=0-99").status == 206)
        try fixture.until("one download") { _ in try fixture.shareFigures().downloads > 0 }
        for _ in 0..<5 { fixture.server.turn() }
        #expect(try fixture.shareFigures() == (0, 1))
    }

    @Test("a link that has ended, was cut off or never was gets one and the same page")
    func missing() throws {
        let fixture = try DocumentFixture()
        let never = try fixture.ask("GET /s/\(String(repeating: "A", count: 32))")
        #expect(never.status == 404)
        #expect(String(decoding: never.content, as: UTF8.self).contains("This link does not work"))
        func undated(_ fields: HTTPFields) -> [Field] { fields.list.filter { $0.name != "date" } }
        let long = "/s/" + String(repeating: "x", count: 4_000)
        let paths: [String] = [String(fixture.sharePath.dropLast()), fixture.sharePath + "A", long, "/s/%3Cscript%3E", "/s/x/file"]
        for path in paths {
            let answer = try fixture.ask("GET \(path)")
            #expect(answer.status == 404 && answer.content == never.content, "\(path)")
            #expect(undated(answer.fields) == undated(never.fields))
        }
        // Not shared any more.
        let client = try fixture.server.live(fixture.server.parent)
        client.say(
            "{\"type\":\"mutate\",\"mutation\":1,\"operations\":[{\"op\":\"update\",\"kind\":\"document\",\"id\":\"\(fixture.document)\",\"base\":2,"
                + "\"remove\":{\"shared_with_schools\":[\"\(fixture.school)\"]}}]}")
        try client.skip(to: "ack")
        for path in [fixture.sharePath, fixture.sharePath + "/file"] {
            let ended = try fixture.ask("GET \(path)")
            #expect(ended.status == 404 && ended.content == never.content)
        }
    }

    @Test("an address that tries many invalid links has to wait, others do not")
    func guesses() throws {
        let fixture = try DocumentFixture()
        for number in 0..<GuessLimit.most { #expect(try fixture.ask("GET /s/guess\(number)", from: "198.51.100.7").status == 404) }
        let refused = try fixture.ask("GET /s/guess", from: "198.51.100.7")
        #expect(refused.status == 429)
        #expect(refused.fields.only("retry-after").flatMap { Int($0) }.map { (1...600).contains($0) } == true)
        // Behind one address there may be a whole school: a link that works opens all the same.
        #expect(try fixture.ask("GET \(fixture.sharePath)", from: "198.51.100.7").status == 200)
        #expect(try fixture.ask("GET \(fixture.sharePath)/file", from: "198.51.100.7").content == fixture.content)
        #expect(try fixture.ask("GET /s/guess", from: "198.51.100.8").status == 404)
        fixture.server.pass(milliseconds: GuessLimit.time)
        #expect(try fixture.ask("GET /s/guess", from: "198.51.100.7").status == 404)
    }

    @Test("a link opens as often as its rate allows, page and file together; then 429 with a time, and again after it; other links are not affected")
    func openings() throws {
        let fixture = try DocumentFixture(octets: 10)
        let burst = OpeningLimit.rate.burst
        // Time passes while the test runs: at most this many more.
        var opened = 0
        var refused: (status: Int, fields: HTTPFields, content: [UInt8])?
        while refused == nil, opened <= 40 * burst {
            let answer = try fixture.ask("GET \(fixture.sharePath)" + (opened % 2 == 0 ? "" : "/file"))
            if answer.status == 200 { opened += 1 } else { refused = answer }
        }
        #expect(opened >= burst)
        #expect(refused?.status == 429 && refused?.fields.only("retry-after") == "1")
        let text = String(decoding: try #require(refused).content, as: UTF8.self)
        #expect(text.contains("very many requests"))
        #expect(try fixture.ask("GET /s/guess").status == 404)
        fixture.server.pass(milliseconds: 1_000)
        #expect(try fixture.ask("GET \(fixture.sharePath)").status == 200)
        try fixture.until("all that were opened are counted") { _ in
            fixture.server.pass(milliseconds: UsageRecorder.interval)
            let figures = try fixture.shareFigures()
            return figures.views + figures.downloads == Int64(opened) + 1
        }
    }

    @Test("each link has its own permits; the memory of links is bounded, and full permits equal no entry")
    func openingLimit() {
        var limit = OpeningLimit()
        func name(_ number: Int) -> ShareLinkName { ShareLinkName(family: Identifier(high: 1, low: 1), link: Identifier(high: 2, low: UInt64(number))) }
        for _ in 0..<OpeningLimit.rate.burst { #expect(limit.wait(name(0), now: 1_000) == nil) }
        #expect(limit.wait(name(0), now: 1_000) == 200)
        #expect(limit.wait(name(1), now: 1_000) == nil)
        #expect(limit.wait(name(0), now: 1_200) == nil)
        #expect(limit.wait(name(0), now: 1_200) == 200)
        for number in 0..<OpeningLimit.maxLinks { _ = limit.wait(name(number), now: 2_000) }
        #expect(limit.links == OpeningLimit.maxLinks)
        // All rest: they are forgotten, and have all their permits anyway.
        #expect(limit.wait(name(OpeningLimit.maxLinks), now: 9_000) == nil)
        #expect(limit.links == 1)
        for number in 0..<3 * OpeningLimit.maxLinks { _ = limit.wait(name(number), now: 9_001) }
        #expect(limit.links <= OpeningLimit.maxLinks)
    }

    @Test("the memory of addresses that guess is bounded")
    func bounded() throws {
        var limit = GuessLimit()
        for number in 0..<GuessLimit.maxAddresses + 5 {
            limit.miss(NetworkAddress("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)"), now: 0)
        }
        let first = try #require(NetworkAddress("10.0.0.0"))
        for _ in 0..<GuessLimit.most { limit.miss(first, now: 5) }
        #expect(limit.wait(first, now: 5) == GuessLimit.time)
        #expect(limit.wait(first, now: GuessLimit.time + 5) == nil)
        #expect(limit.addresses <= GuessLimit.maxAddresses)
    }
}
