import Family
import HTTP1
import Posix
import Store
import Testing
import WebSocket

@testable import Server

/// Responses as they came, one after the other.
struct HTTPAnswers {
    struct One {
        var head: ResponseHead
        var content: String
    }

    var list: [One] = []
    /// Octets behind the last whole response.
    var rest = 0

    /// - Parameter methods: of the requests, as far as one of them was HEAD.
    init(_ octets: [UInt8], methods: [String] = []) throws {
        var left = octets[...]
        while let (head, length) = try ResponseHead.parse(Array(left).span) {
            let method = list.count < methods.count ? methods[list.count] : "GET"
            var count = 0
            if method != "HEAD", case .length(let length) = head.framing { count = length }
            guard left.count >= length + count else { break }
            let content = left.dropFirst(length).prefix(count)
            list.append(One(head: head, content: String(decoding: content, as: UTF8.self)))
            left = left.dropFirst(length + count)
        }
        rest = left.count
    }

    var statuses: [Int] { list.map(\.head.status) }
}

@Suite("HTTP/1.1 at the server, RFC 9110, RFC 9112", .serialized)
struct HTTPTests {
    static let get = "GET / HTTP/1.1\r\nHost: huddle.example\r\n\r\n"

    /// Sends, and waits for the given number of responses in all or for the end.
    static func ask(_ server: TestShard, _ client: TestClient, _ text: String, answers: Int = 1, methods: [String] = []) throws -> HTTPAnswers {
        client.send(text: text)
        try server.until("\(answers) answers") {
            try client.receive()
            return try client.hasEnded || HTTPAnswers(client.octets, methods: methods).list.count >= answers
        }
        return try HTTPAnswers(client.octets, methods: methods)
    }

    static func request(_ line: String, _ fields: String...) -> String {
        "\(line) HTTP/1.1\r\nHost: huddle.example\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test("every form of smuggling has the outcome that the RFC demands, and the server continues")
    func smuggling() throws {
        let server = try TestShard()
        #expect(SmugglingCase.all.count > 160)
        for one in SmugglingCase.all {
            let client = try server.connect()
            client.send(one.sent)
            let methods = one.sent.starts(with: "HEAD".utf8) ? ["HEAD"] : []
            try server.until("the answers to \(one.name)") {
                try client.receive()
                let answers = try HTTPAnswers(client.octets, methods: methods)
                return client.hasEnded || !one.ends && answers.list.count >= one.answers.count
            }
            let answers = try HTTPAnswers(client.octets, methods: methods)
            #expect(answers.statuses == one.answers, "\(one.name)")
            #expect(answers.rest == 0, "\(one.name)")
            #expect(client.hasEnded == one.ends, "\(one.name)")
            if !one.ends {
                #expect(try Self.ask(server, client, Self.get, answers: one.answers.count + 1, methods: methods).statuses.last == 200, "\(one.name)")
            }
            client.leave()
        }
        try server.until("all are forgotten") { server.shard.table.all.isEmpty }
    }

    @Test("the table of resources: status, Allow, and content if any", arguments: [
        ("GET /", 200, nil, true), ("HEAD /", 200, nil, false), ("GET /?x", 200, nil, true), ("OPTIONS /", 204, "GET, HEAD, PROPFIND, OPTIONS", false),
        ("OPTIONS *", 204, "GET, HEAD, PROPFIND, OPTIONS", false), ("POST /", 405, "GET, HEAD, PROPFIND, OPTIONS", true), ("DELETE /ws", 405, "GET, HEAD, OPTIONS", true),
        ("GET /health", 200, nil, true), ("HEAD /health", 200, nil, false), ("GET /ws", 426, nil, true), ("HEAD /ws", 426, nil, false),
        ("GET /nothing", 404, nil, true), ("POST /nothing", 404, nil, true), ("OPTIONS /nothing", 404, nil, true), ("TRACE /", 501, nil, true),
        ("BREW /", 501, nil, true), ("GET http://huddle.example/health", 200, nil, true), ("GET //", 404, nil, true), ("GET /%77s", 426, nil, true), ("GET /%2e/ws", 404, nil, true), ("GET /ws%2F", 404, nil, true),
    ] as [(String, Int, String?, Bool)])
    func resources(line: String, status: Int, allow: String?, hasContent: Bool) throws {
        let server = try TestShard()
        let client = try server.connect()
        let methods = [String(line.prefix { $0 != " " })]
        let answers = try Self.ask(server, client, Self.request(line), methods: methods)
        let one = try #require(answers.list.first)
        #expect(one.head.status == status)
        #expect(one.head.fields.only("allow") == allow)
        #expect(one.content.isEmpty == !hasContent)
        #expect(one.head.fields.only("date").map { HTTPDate.seconds($0, now: 0) } != nil)
        #expect(one.head.fields.only("x-content-type-options") == "nosniff")
        #expect(one.head.fields.only("content-security-policy")?.contains("default-src 'none'") == true)
        if hasContent { #expect(one.head.fields.only("content-type") != nil) }
        if status == 426 { #expect(one.head.fields.only("upgrade") == "websocket") }
        // It stays open for the next.
        #expect(try Self.ask(server, client, Self.get, answers: 2, methods: methods).statuses == [status, 200])
        #expect(server.lines.count("event=http", "status=\(status)") == (status >= 400 ? 1 : 0))
    }

    @Test("the page is revalidated by its tag, and sent in parts")
    func page() throws {
        let server = try TestShard()
        let client = try server.connect()
        let whole = try #require(try Self.ask(server, client, Self.get).list.first)
        let tag = try #require(whole.head.fields.only("etag"))
        let again = try Self.ask(server, client, Self.request("GET /", "If-None-Match: \(tag)"), answers: 2).list[1]
        #expect(again.head.status == 304)
        #expect(again.head.fields.only("content-length") == nil)
        let part = try Self.ask(server, client, Self.request("GET /", "Range: bytes=2-8", "If-Range: \(tag)"), answers: 3).list[2]
        #expect(part.head.status == 206)
        #expect(part.content == "DOCTYPE")
        let parts = try Self.ask(server, client, Self.request("GET /", "Range: bytes=0-1,-8"), answers: 4).list[3]
        #expect(parts.head.fields.only("content-type")?.hasPrefix("multipart/byteranges; boundary=") == true)
        #expect(parts.content.contains("</html>"))
        let none = try Self.ask(server, client, Self.request("GET /", "Range: bytes=99999-"), answers: 5).list[4]
        #expect(none.head.status == 416)
        #expect(none.head.fields.only("content-range") == "bytes */\(whole.content.utf8.count)")
        #expect(try Self.ask(server, client, Self.request("GET /", "If-Match: \"other\""), answers: 6).statuses.last == 412)
    }

    @Test("health shows a balancer when the server ends, on a connection that it has")
    func health() throws {
        let server = try TestShard()
        let client = try server.connect()
        #expect(try Self.ask(server, client, Self.request("GET /health")).list[0].content == "{\"status\":\"ready\"}\n")
        server.shard.drain.start()
        let draining = try Self.ask(server, client, Self.request("GET /health"), answers: 2)
        if draining.list.count > 1 {
            #expect(draining.list[1].head.status == 503)
            #expect(draining.list[1].content == "{\"status\":\"draining\"}\n")
        } else {
            // The writer was quicker.
            #expect(client.hasEnded)
        }
    }

    @Test("requests are answered in order however they are cut, the upgrade among them, and frames behind it are processed")
    func pipelining() throws {
        let server = try TestShard()
        var frame: [UInt8] = []
        WebSocketEncoder.append(
            .text, Array("{\"type\":\"sign_in\",\"token\":\"\(server.parent.token)\"}".utf8), isFinal: true, maskKey: 99, to: &frame)
        let before = Self.request("GET /health") + Self.request("POST /", "Transfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n\r\n"
        let all = Array((before + TestClient.request).utf8) + frame
        for cut in stride(from: 0, through: all.count, by: 23) {
            let client = try server.connect()
            client.send(Array(all[..<cut]))
            server.turn()
            client.send(Array(all[cut...]))
            #expect(try client.next() == "welcome", "cut at \(cut)")
            client.leave()
        }
    }

    @Test("the server stops reading from a client that reads no responses, and serves it to the end when it reads again")
    func unread() throws {
        let server = try TestShard()
        let client = try server.connect()
        client.isReading = false
        let count = 3_000
        let requests = (0..<count).map { _ in Self.request("GET /health") }
        var most = 0
        var sent = 0
        // A connection takes a limited number of requests; the rest is for others.
        let taken = HTTPServerConnection.maxRequests
        for request in requests {
            client.send(text: request)
            sent += 1
            if sent % 50 == 0 {
                server.turn()
                most = max(most, server.shard.table.all.first.flatMap { ($0 as? Connection)?.waitingOctets } ?? 0)
            }
        }
        #expect(most > 0 && most <= HTTPExchange.maxOutput * 2 + 1_024)
        client.isReading = true
        try server.until("the last answer") { try client.receive(); return client.hasEnded }
        let answers = try HTTPAnswers(client.octets)
        #expect(answers.statuses == [Int](repeating: 200, count: taken))
        #expect(answers.list.last?.head.fields.only("connection") == "close")
    }

    @Test("a client that ends its side after the request still gets the answer")
    func halfClosed() throws {
        let server = try TestShard()
        let client = try server.connect()
        client.send(text: Self.get)
        try client.finishSending()
        #expect(try client.status() == 200)
    }

    @Test("a connection that is kept alive ends silently after its time; one that never asks, after that of a request")
    func idle() throws {
        let server = try TestShard()
        let client = try server.connect()
        #expect(try Self.ask(server, client, Self.get).statuses == [200])
        let fresh = try server.connect()
        server.turn()
        server.pass(milliseconds: Connection.requestTime)
        #expect(try fresh.rest() == ["end"])
        #expect(fresh.octets == [])
        #expect(!client.hasEnded)
        server.pass(milliseconds: Connection.idleTime - Connection.requestTime)
        #expect(try client.rest() == ["end"])
        #expect(try HTTPAnswers(client.octets).statuses == [200])
    }

    @Test("missing content ends the connection after the answer")
    func slowContent() throws {
        let server = try TestShard()
        let client = try server.connect()
        #expect(try Self.ask(server, client, Self.request("POST /", "Content-Length: 10") + "hello").statuses == [405])
        server.pass(milliseconds: Connection.requestTime)
        #expect(try client.rest() == ["end"])
    }
}

@Suite("Permission to upgrade: Origin and proxies, RFC 6455 §10.2, RFC 7239", .serialized)
struct OriginTests {
    static func upgrade(_ fields: String) -> String {
        TestClient.request.replacing("Host: a\r\n", with: "Host: huddle.example\r\n" + fields)
    }

    @Test("web pages of this server and of listed origins may connect, others may not, programs need no origin", arguments: [
        ("", 101), ("Origin: http://huddle.example\r\n", 101), ("Origin: http://huddle.example:80\r\n", 101), ("Origin: https://app.example\r\n", 101),
        ("Origin: https://huddle.example\r\n", 403), ("Origin: http://evil.example\r\n", 403), ("Origin: null\r\n", 403),
        ("Origin: http://huddle.example\r\nOrigin: http://huddle.example\r\n", 403), ("Origin: http://huddle.example.evil.example\r\n", 403),
    ])
    func origins(fields: String, status: Int) throws {
        let site = HTTPSite(origins: OriginPolicy(Set(["https://app.example"].compactMap { WebOrigin($0) })))
        let server = try TestShard(site: site)
        let client = try server.connect()
        let answers = try HTTPTests.ask(server, client, Self.upgrade(fields))
        #expect(answers.statuses == [status])
    }

    /// The site's word, for peers that a socket pair does not have.
    static func status(_ site: HTTPSite, peer: String, _ fields: [Field], isSecure: Bool = false) throws -> (status: Int, address: NetworkAddress?) {
        let (head, _) = try #require(try RequestHead.parse(Array(upgrade("").utf8).span))
        var asked = head
        asked.fields.list += fields
        switch site.answer(asked, peer: NetworkAddress(peer), isSecure: isSecure) {
        case .response(let response): return (response.status, nil)
        case .upgrade(_, let source, _): return (101, source.address)
        case .handler: throw Unexpected("nobody works on this")
        }
    }

    @Test("a trusted proxy reports TLS and the address of the client; others are not believed")
    func proxies() throws {
        let site = HTTPSite(trust: ProxyTrust(["10.0.0.0/8"].compactMap { AddressRange($0) }))
        let page = Field("origin", "https://huddle.example")
        let older = [Field("x-forwarded-for", "198.51.100.9, 192.0.2.1"), Field("x-forwarded-proto", "https")]
        #expect(try Self.status(site, peer: "10.0.0.1", [page] + older) == (101, NetworkAddress("192.0.2.1")))
        #expect(try Self.status(site, peer: "10.0.0.1", [page, Field("forwarded", "for=192.0.2.1;proto=https")]) == (101, NetworkAddress("192.0.2.1")))
        #expect(try Self.status(site, peer: "203.0.113.5", [page] + older).status == 403)
        #expect(try Self.status(site, peer: "203.0.113.5", older) == (101, NetworkAddress("203.0.113.5")))
        #expect(try Self.status(site, peer: "203.0.113.5", [page], isSecure: true).status == 101)
        #expect(try Self.status(site, peer: "10.0.0.1", [Field("forwarded", "for=192.0.2.2")] + older).status == 400)
    }
}
