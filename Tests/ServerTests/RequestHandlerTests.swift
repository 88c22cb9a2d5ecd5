import HTTP1
import Posix
import EventLoop
import Store
import Testing

@testable import Server

/// A handler that follows the test's script and records its events.
private final class Script: RequestHandler {
    /// The events, in order.
    private(set) var told: [String] = []
    private(set) var octets: [UInt8] = []
    private(set) var buffers: [ContentBuffer] = []
    /// Octets that it takes when it begins; `nil` for not yet.
    var limit: Int?
    /// Gives buffers back immediately.
    var isQuick = true
    /// Answers when the content is whole.
    var answersAtEnd = true
    /// Answers 413 after the given number of octets.
    var enough = Int.max

    override func begin() {
        told.append("begin")
        if let limit, !acceptContent(limit: limit) { respond(HTTPResponse(413, "Too large.")) }
    }

    override func received(_ buffer: ContentBuffer) {
        buffer.withOctets { octets += $0 }
        if isQuick { giveBack(buffer) } else { buffers.append(buffer) }
        if octets.count >= enough, isOpen { respond(HTTPResponse(413, "Too large.")) }
    }

    override func contentEnded() {
        told.append("end")
        if answersAtEnd { respond(HTTPResponse(200, "\(octets.count)")) }
    }

    override func cancelled() { told.append("cancelled") }

    func giveAllBack() {
        let all = buffers
        buffers = []
        for buffer in all { giveBack(buffer) }
    }
}

/// A shard with `/work`, whose works the test holds.
private final class HandlerFixture {
    let server: TestShard
    private(set) var works: [Script] = []
    var prepare: (Script) -> Void = { _ in }

    init() throws {
        server = try TestShard()
        server.shard.site.add([
            RouteGroup().resource("/work", .get { [unowned self] in .handler(script($0)) }, .post { [unowned self] in .handler(script($0)) })
        ])
    }

    private func script(_ context: RequestContext) -> Script {
        let work = Script(context)
        prepare(work)
        works.append(work)
        return work
    }

    func post(_ fields: String..., version: Int = 1) -> String {
        "POST /work HTTP/1.\(version)\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    func work(_ count: Int = 1) throws -> Script {
        try server.until("the work begins") { works.count >= count }
        return works[count - 1]
    }
}

@Suite("Answers that come later, content that is taken, RFC 9110 §10.1.1, §15.2", .serialized)
struct RequestHandlerTests {
    @Test("later requests wait in order for a delayed answer")
    func later() throws {
        let fixture = try HandlerFixture()
        let client = try fixture.server.connect()
        client.send(text: HTTPTests.request("GET /work") + HTTPTests.request("GET /work") + HTTPTests.get)
        let first = try fixture.work()
        for _ in 0..<5 { fixture.server.turn() }
        try client.receive()
        #expect(client.octets.isEmpty && fixture.works.count == 1)
        first.respond(HTTPResponse(200, "one"))
        let second = try fixture.work(2)
        #expect(second.told == ["begin"] && !first.isOpen)
        // Not heard any more.
        first.respond(HTTPResponse(500, "again"))
        first.inform(104, [])
        second.respond(HTTPResponse(404, "two"))
        try fixture.server.until("three answers") { try client.receive(); return try HTTPAnswers(client.octets).list.count == 3 }
        #expect(try HTTPAnswers(client.octets).statuses == [200, 404, 200])
        #expect(first.told == ["begin"] && second.told == ["begin"])
    }

    @Test("a client that disconnects during its request cancels the handler, once")
    func leaving() throws {
        let fixture = try HandlerFixture()
        let client = try fixture.server.connect()
        client.send(text: HTTPTests.request("GET /work"))
        let work = try fixture.work()
        client.leave()
        try fixture.server.until("it is forgotten") { fixture.server.shard.table.all.isEmpty }
        #expect(work.told == ["begin", "cancelled"] && !work.isOpen)
        work.respond(HTTPResponse(200, "late"))
        fixture.server.turn()
    }

    @Test("an answer in the tick of its deadline is sent")
    func sameTick() throws {
        final class Answerer: TimerTarget {
            var answer: () -> Void = {}
            override func timerFired(kind: Int) { answer() }
        }
        let fixture = try HandlerFixture()
        let client = try fixture.server.connect()
        client.send(text: HTTPTests.request("GET /work"))
        let work = try fixture.work()
        let answerer = Answerer()
        answerer.answer = { work.respond(HTTPResponse(200, "in time")) }
        _ = fixture.server.shard.reactor.schedule(afterMilliseconds: Connection.requestTime - 1_000, answerer, kind: 0)
        fixture.server.pass(milliseconds: Connection.requestTime + 500)
        try fixture.server.until("the answer") { try client.receive(); return !client.octets.isEmpty || client.hasEnded }
        #expect(try HTTPAnswers(client.octets).statuses == [200])
        withExtendedLifetime(answerer) {}
    }

    @Test("a handler that does not end is given up")
    func endless() throws {
        let fixture = try HandlerFixture()
        let client = try fixture.server.connect()
        client.send(text: HTTPTests.request("GET /work"))
        let work = try fixture.work()
        fixture.server.pass(milliseconds: HTTPExchange.workTime - 1_000)
        #expect(work.told == ["begin"])
        fixture.server.pass(milliseconds: 2_000)
        #expect(try client.rest().last == "end")
        #expect(work.told == ["begin", "cancelled"])
    }

    static let sizes = [0, 1, 4_095, HTTPContent.enough - 1, HTTPContent.enough, HTTPContent.bufferOctets, HTTPContent.bufferOctets + 1, 3_000_000]

    @Test("content comes whole, by length or in chunks, and the next request behind it is answered", arguments: sizes, [false, true])
    func whole(size: Int, isChunked: Bool) throws {
        let fixture = try HandlerFixture()
        fixture.prepare = { $0.limit = 4_000_000 }
        let client = try fixture.server.connect()
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
        if isChunked {
            client.send(text: fixture.post("Transfer-Encoding: chunked"))
            var start = 0
            while start < size {
                let count = min(size - start, 1 + start % 70_000)
                client.send(Array((String(count, radix: 16) + "\r\n").utf8) + content[start..<start + count] + [13, 10])
                start += count
            }
            client.send(text: "0\r\n\r\n" + HTTPTests.get)
        } else {
            client.send(Array(fixture.post("Content-Length: \(size)").utf8) + content + Array(HTTPTests.get.utf8))
        }
        try fixture.server.until("two answers") { try client.receive(); return try HTTPAnswers(client.octets).list.count == 2 }
        #expect(try HTTPAnswers(client.octets).statuses == [200, 200])
        #expect(fixture.works[0].octets == content)
        #expect(fixture.works[0].told == ["begin", "end"])
    }

    @Test("content cut anywhere is the same content")
    func cuts() throws {
        let fixture = try HandlerFixture()
        fixture.prepare = { $0.limit = 100 }
        let requests = [
            fixture.post("Content-Length: 11") + "hello world" + HTTPTests.get,
            fixture.post("Transfer-Encoding: chunked") + "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n" + HTTPTests.get,
        ]
        for request in requests {
            let all = Array(request.utf8)
            for cut in 0...all.count {
                let client = try fixture.server.connect()
                client.send(Array(all[..<cut]))
                fixture.server.turn()
                client.send(Array(all[cut...]))
                try fixture.server.until("two answers") { try client.receive(); return try HTTPAnswers(client.octets).list.count == 2 }
                #expect(fixture.works.last?.octets == Array("hello world".utf8), "cut at \(cut)")
                client.leave()
            }
        }
    }

    @Test("no more is received than there are free buffers")
    func backpressure() throws {
        let fixture = try HandlerFixture()
        fixture.prepare = {
            $0.limit = 8_000_000
            $0.isQuick = false
        }
        let client = try fixture.server.connect()
        let size = 6_000_000
        client.send(Array(fixture.post("Content-Length: \(size)").utf8) + [UInt8](repeating: 7, count: size))
        let work = try fixture.work()
        try fixture.server.until("the buffers are out") { try client.receive(); return work.buffers.count == HTTPContent.maxBuffers }
        for _ in 0..<50 {
            try client.receive()
            fixture.server.turn()
        }
        #expect(work.octets.count <= HTTPContent.maxBuffers * HTTPContent.bufferOctets)
        // A slow disk is not held against the client.
        fixture.server.pass(milliseconds: Progress.time * 2)
        #expect(work.told == ["begin"])
        try fixture.server.until("all of it") {
            work.giveAllBack()
            try client.receive()
            return work.told.contains("end")
        }
        #expect(work.octets.count == size)
    }

    @Test("an answer may precede the content: little content is read and dropped, with much the connection ends")
    func early() throws {
        let fixture = try HandlerFixture()
        fixture.prepare = {
            $0.limit = 8_000_000
            $0.enough = 100_000
        }
        let client = try fixture.server.connect()
        let size = 150_000
        client.send(Array(fixture.post("Content-Length: \(size)").utf8) + [UInt8](repeating: 7, count: size) + Array(HTTPTests.get.utf8))
        try fixture.server.until("two answers") { try client.receive(); return try HTTPAnswers(client.octets).list.count == 2 }
        #expect(try HTTPAnswers(client.octets).statuses == [413, 200])
        let other = try fixture.server.connect()
        other.send(Array(fixture.post("Content-Length: 6000000").utf8) + [UInt8](repeating: 7, count: 6_000_000))
        try fixture.server.until("the answer") { try other.receive(); return try HTTPAnswers(other.octets).list.count == 1 }
        let answer = try HTTPAnswers(other.octets).list[0]
        #expect(answer.head.status == 413 && answer.head.fields.only("connection") == "close")
        other.leave()
        #expect(fixture.works.allSatisfy { $0.told == ["begin"] })
    }

    @Test("content above the accepted length is refused: immediately when its length says so, otherwise where it happens")
    func tooLarge() throws {
        let fixture = try HandlerFixture()
        fixture.prepare = { $0.limit = 10 }
        for request in [
            fixture.post("Content-Length: 11", "Expect: 100-continue"), fixture.post("Transfer-Encoding: chunked") + "b\r\nhello world\r\n0\r\n\r\n",
        ] {
            let client = try fixture.server.connect()
            client.send(text: request)
            #expect(try client.rest().last == "end")
            #expect(try HTTPAnswers(client.octets).statuses == [413])
        }
        #expect(fixture.works[1].told == ["begin"] && !fixture.works[1].isOpen)
    }

    @Test("100 is said when the content is taken, not before, and not when it is refused")
    func expectation() throws {
        let fixture = try HandlerFixture()
        let client = try fixture.server.connect()
        client.send(text: fixture.post("Content-Length: 5", "Expect: 100-continue"))
        let work = try fixture.work()
        for _ in 0..<5 { fixture.server.turn() }
        try client.receive()
        #expect(client.octets.isEmpty)
        #expect(work.acceptContent(limit: 5))
        try fixture.server.until("100") { try client.receive(); return !client.octets.isEmpty }
        #expect(String(decoding: client.octets, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send(text: "hello")
        try fixture.server.until("the answer") { try client.receive(); return try HTTPAnswers(client.octets).list.count == 2 }
        #expect(try HTTPAnswers(client.octets).statuses == [100, 200])
    }

    @Test("interim responses leave immediately, any number of them, and none to a client of HTTP/1.0")
    func interim() throws {
        let fixture = try HandlerFixture()
        fixture.prepare = { $0.limit = 10 }
        let client = try fixture.server.connect()
        client.send(text: fixture.post("Content-Length: 4") + "ab")
        let work = try fixture.work()
        for count in 1...3 {
            work.inform(104, [Field("Upload-Offset", "\(count)")])
            try fixture.server.until("a word") { try client.receive(); return try HTTPAnswers(client.octets).list.count == count }
        }
        client.send(text: "cd")
        try fixture.server.until("the answer") { try client.receive(); return try HTTPAnswers(client.octets).list.count == 4 }
        #expect(try HTTPAnswers(client.octets).statuses == [104, 104, 104, 200])
        let old = try fixture.server.connect()
        old.send(text: fixture.post("Content-Length: 4", version: 0) + "ab")
        try fixture.work(2).inform(104, [])
        old.send(text: "cd")
        _ = try old.rest()
        #expect(try HTTPAnswers(old.octets).statuses == [200])
    }

    @Test("a client that sends content too slowly gets 408 and the handler keeps the octets so far; a client that makes progress may take its time")
    func slow() throws {
        let fixture = try HandlerFixture()
        fixture.prepare = { $0.limit = 1_000_000 }
        let client = try fixture.server.connect()
        client.send(Array(fixture.post("Content-Length: 1000000").utf8))
        let work = try fixture.work()
        for _ in 0..<4 {
            client.send([UInt8](repeating: 1, count: Progress.least))
            for _ in 0..<5 { fixture.server.turn() }
            fixture.server.pass(milliseconds: Progress.time + 10)
            try client.receive()
            #expect(!client.hasEnded && work.isOpen)
        }
        client.send([1, 2, 3])
        for _ in 0..<5 { fixture.server.turn() }
        fixture.server.pass(milliseconds: Progress.time + 10)
        #expect(try client.rest().last == "end")
        #expect(try HTTPAnswers(client.octets).statuses == [408])
        #expect(work.told == ["begin", "cancelled"])
        #expect(work.octets.count == 4 * Progress.least + 3)
    }

    @Test("after a client disconnects in the middle, the handler has the octets so far", arguments: [false, true])
    func brokenOff(isHalf: Bool) throws {
        let fixture = try HandlerFixture()
        fixture.prepare = { $0.limit = 1_000_000 }
        let client = try fixture.server.connect()
        client.send(Array(fixture.post("Content-Length: 1000000").utf8) + [UInt8](repeating: 1, count: 1_000))
        let work = try fixture.work()
        for _ in 0..<3 { fixture.server.turn() }
        if isHalf { try client.finishSending() } else { client.leave() }
        try fixture.server.until("it is forgotten") { fixture.server.shard.table.all.isEmpty }
        #expect(work.told == ["begin", "cancelled"])
        #expect(work.octets.count == 1_000)
    }

    @Test("jobs: readers and the file pool answer on the reactor's thread, in the order of their key")
    func jobs() throws {
        let fixture = try HandlerFixture()
        var heard: [Int] = []
        var signIn: Bool?
        let key = fixture.server.parent.family
        for number in 0..<20 { fixture.server.shard.workers.work(key) { number } then: { heard.append($0 ?? -1) } }
        let token = fixture.server.parent.token
        fixture.server.shard.workers.read { reader throws(StoreFailure) in try reader.signIn(token: token) != nil } then: { signIn = $0 }
        try fixture.server.until("all answers") { heard.count == 20 && signIn != nil }
        #expect(heard == Array(0..<20) && signIn == true)
    }
}

@Suite("Routes and Bearer, RFC 9110 §9.3.7, §15.5.6, RFC 6750", .serialized)
struct RouteTests {
    @Test("Each path has its methods; the override of a POST counts only where a resource says so", arguments: [
        ("GET /a", 200, nil), ("GET /a/", 404, nil), ("GET /a/x", 201, nil), ("GET /a/x/y", 404, nil), ("GET /a/x/file", 202, nil),
        ("POST /a", 405, "GET, HEAD, OPTIONS"), ("POST /a/x", 405, "GET, HEAD, PATCH, OPTIONS"), ("OPTIONS /a/x", 204, "GET, HEAD, PATCH, OPTIONS"),
        ("OPTIONS /a", 200, "GET, HEAD, OPTIONS"), ("PATCH /a/x", 201, nil), ("OPTIONS *", 204, "GET, HEAD, PROPFIND, PATCH, OPTIONS"),
        ("GET /a/%2e%2e/a", 404, nil), ("GET /a/x%2Ffile", 404, nil), ("GET //a", 404, nil), ("BREW /a", 501, nil),
    ] as [(String, Int, String?)])
    func table(line: String, status: Int, allow: String?) throws {
        let site = HTTPSite()
        let group = RouteGroup("/a")
        site.add([
            group.resource("", .get { _ in .response(HTTPResponse(200, "")) }, RouteMethod("OPTIONS") { _ in .response(HTTPResponse(200, "")) }),
            group.resource(
                "/{name}", .get { .response(HTTPResponse(201, $0.path["name"])) }, .patch { .response(HTTPResponse(201, $0.path["name"])) },
                overridesMethod: true),
            group.group("/{name}").resource("/file", .get { .response(HTTPResponse(202, $0.path["name"])) }),
        ])
        let (head, _) = try #require(try RequestHead.parse(Array(HTTPTests.request(line).utf8).span))
        guard case .response(let response) = site.answer(head, peer: nil, isSecure: false) else { throw Unexpected("no response") }
        #expect(response.status == status)
        #expect(response.fields.first { $0.name == "Allow" }?.value == allow)
        if status == 201 || status == 202 { #expect(response.content == Array("x\n".utf8)) }
        var posted = head
        posted.method = "POST"
        posted.fields.list.append(Field("x-http-method-override", "PATCH"))
        guard case .response(let overridden) = site.answer(posted, peer: nil, isSecure: false) else { throw Unexpected("no response") }
        if head.path == "/a/x" { #expect(overridden.status == 201) } else { #expect(overridden.status != 201) }
    }

    private final class Whose: RequestHandler {
        override func begin() { respond(HTTPResponse(200, "\(context.signIn?.memberships.count ?? 0)")) }
    }

    @Test("a session's token is accepted, anything else is 401 in the same words, without a handler", arguments: [
        (nil, 401), ("Bearer ", 401), ("Bearer nonsense", 401), ("Basic TOKEN", 401), ("Bearer TOKEN", 200), ("bearer  TOKEN", 200), ("TOKEN", 401),
        ("Bearer TOKEN\r\nAuthorization: Bearer TOKEN", 401),
    ] as [(String?, Int)])
    func bearer(value: String?, status: Int) throws {
        let server = try TestShard()
        var handlers = 0
        server.shard.site.add([
            RouteGroup("/whose", .session).resource(
                "",
                .get {
                    handlers += 1
                    return .handler(Whose($0))
                })
        ])
        let client = try server.connect()
        let text = value.map { "Authorization: " + $0.replacing("TOKEN", with: server.parent.token) }
        let answer = try HTTPTests.ask(server, client, HTTPTests.request("GET /whose", text ?? "X-Nothing: 1")).list[0]
        #expect(answer.head.status == status)
        #expect(handlers == (status == 200 ? 1 : 0))
        guard status == 401 else { return }
        #expect(answer.head.fields.only("www-authenticate")?.hasPrefix("Bearer realm=") == true)
        #expect(answer.content.hasPrefix("{\"code\":\"token_unknown\",\"sentence\":\""))
    }

    @Test("A group refuses in its own words, and knows the parameters of the path then")
    func words() throws {
        let server = try TestShard()
        let group = RouteGroup("/own", .session) { _, context in HTTPResponse(401, "Not you, \(context.path["name"]).") }
        server.shard.site.add([group.resource("/{name}", .get { .handler(Whose($0)) })])
        let answer = try HTTPTests.ask(server, try server.connect(), HTTPTests.request("GET /own/a%20b", "Authorization: Bearer x")).list[0]
        #expect(answer.head.status == 401 && answer.content == "Not you, a b.\n")
    }
}
