import Testing

@testable import HTTP1

@Suite("A server's connection, request after request, RFC 9112 §9")
struct HTTPServerConnectionTests {
    static func octets(_ text: String) -> [UInt8] { Array(text.utf8) }
    static let get = octets("GET / HTTP/1.1\r\nHost: a\r\n\r\n")

    /// The state machine after a request.
    static func asked(_ text: String) throws -> HTTPServerConnection {
        var machine = HTTPServerConnection()
        let all = octets(text)
        let (event, consumed) = machine.next(all.span)
        guard case .request = event else { throw HTTPError.startLine }
        #expect(consumed == all.count)
        return machine
    }

    private func expectNext(
        _ machine: inout HTTPServerConnection, _ octets: [UInt8], from offset: Int = 0, _ event: HTTPServerConnection.Event,
            _ consumed: Int,
        at place: SourceLocation = #_sourceLocation
    ) {
        let (found, count) = machine.next(octets.span.extracting(offset...))
        #expect(found == event, sourceLocation: place)
        #expect(count == consumed, sourceLocation: place)
    }

    static func respond(
        _ machine: inout HTTPServerConnection, _ status: Int = 200, _ length: HTTPServerConnection.ResponseLength = .octets(0),
            fields: [Field] = []
    ) throws -> (head: ResponseHead, hasContent: Bool) {
        var said: [UInt8] = []
        let hasContent = machine.respond(ResponseHead(status, fields), length, date: "now", to: &said)
        let (head, end) = try #require(try ResponseHead.parse(said.span))
        #expect(end == said.count)
        #expect(head.fields.only("date") == "now")
        return (head, hasContent)
    }

    @Test("Requests sent together are returned one by one, and none before the response to the previous one")
    func pipelining() throws {
        var machine = HTTPServerConnection()
        #expect(machine.phase == .idle)
        let both = Self.get + Self.get
        let (event, consumed) = machine.next(both.span)
        guard case .request = event else { throw HTTPError.startLine }
        #expect(consumed == Self.get.count)
        #expect(machine.phase == .answering)
        expectNext(&machine, Self.get, .waits, 0)
        var said: [UInt8] = []
        _ = machine.respond(ResponseHead(204), .octets(0), date: "now", to: &said)
        expectNext(&machine, Self.get, .waits, 0)
        machine.finishResponse(to: &said)
        #expect(machine.phase == .idle)
        guard case (.request, Self.get.count) = machine.next(Self.get.span) else { throw HTTPError.startLine }
    }

    @Test("The head of a response says how its content ends, and whether the connection does", arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 200, 5, "5", nil, nil, true),
        ("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", 200, 5, "5", nil, nil, false),
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 304, 5, nil, nil, nil, false),
        ("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", 204, 0, nil, nil, nil, false),
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 200, nil, nil, "chunked", nil, true),
        ("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", 200, nil, nil, "chunked", nil, false),
        ("GET / HTTP/1.0\r\n\r\n", 200, 5, "5", nil, "close", true),
        ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", 200, 5, "5", nil, "keep-alive", true),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, nil, nil, nil, "close", true),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n", 200, 5, "5", nil, "close", true),
        ("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", 200, 5, "5", nil, "close", true),
    ] as [(String, Int, Int?, String?, String?, String?, Bool)])
    func heads(request: String, status: Int, length: Int?, contentLength: String?, coding: String?, connection: String?,
        hasContent: Bool) throws {
        var machine = try Self.asked(request)
        let (head, sends) = try Self.respond(&machine, status, length.map { .octets($0) } ?? .unknown)
        #expect(head.fields.only("content-length") == contentLength)
        #expect(head.fields.only("transfer-encoding") == coding)
        #expect(head.fields.only("connection") == connection)
        #expect(sends == hasContent)
        var said: [UInt8] = []
        if sends { Self.octets("hello").withUnsafeBytes { machine.append($0, to: &said) } }
        machine.finishResponse(to: &said)
        let expected = !hasContent ? "" : coding == nil ? "hello" : "5\r\nhello\r\n0\r\n\r\n"
        #expect(String(decoding: said, as: UTF8.self) == expected)
        #expect(machine.phase == (connection == "close" ? .closing : .idle))
    }

    @Test("Connection names Upgrade together with close")
    func connectionField() throws {
        var machine = try Self.asked("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let (head, _) = try Self.respond(&machine, 426, fields: [Field("Connection", "Upgrade"), Field("Upgrade", "websocket")])
        #expect(head.fields.members("connection") == ["Upgrade", "close"])
    }

    @Test("Content that reaches the socket in another way is counted")
    func ownWay() throws {
        var machine = try Self.asked("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try Self.respond(&machine, 200, .octets(100))
        machine.didSend(60)
        machine.didSend(40)
        var said: [UInt8] = []
        machine.finishResponse(to: &said)
        #expect(said == [])
        #expect(machine.phase == .idle)
    }

    @Test("The last request of a connection gets a response that says so")
    func maxRequests() throws {
        var machine = HTTPServerConnection()
        for count in 1...HTTPServerConnection.maxRequests {
            guard case (.request, _) = machine.next(Self.get.span) else { throw HTTPError.startLine }
            let (head, _) = try Self.respond(&machine, 204)
            #expect(head.fields.only("connection") == (count == HTTPServerConnection.maxRequests ? "close" : nil))
            var said: [UInt8] = []
            machine.finishResponse(to: &said)
        }
        #expect(machine.phase == .closing)
        expectNext(&machine, Self.get, .waits, 0)
    }

    @Test("100 MB of content pass in pieces as received, and none of it is stored", arguments: [true, false])
    func large(isChunked: Bool) throws {
        let total = 100_000_000
        let field = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(total)"
        var machine = try Self.asked("PUT / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
        let early: [UInt8] = [1, 2]
        expectNext(&machine, early, .waits, 0)
        let continued = try machine.accept(limit: total)
        #expect(continued == [])
        let portion = 65_536
        // Chunks and portions do not coincide.
        let chunk = Self.octets("fffa\r\n") + [UInt8](repeating: 7, count: 65_530) + [13, 10]
        let raw = [UInt8](repeating: 7, count: portion)
        func nextChunk(_ passed: Int) -> [UInt8] {
            guard passed + 65_530 > total else { return chunk }
            return Self.octets(String(total - passed, radix: 16) + "\r\n") + raw[..<(total - passed)] + Self.octets("\r\n0\r\n\r\n")
        }
        var passed = 0
        var isWhole = false
        var sent = 0
        while !isWhole {
            let octets = isChunked ? nextChunk(passed) : Array(raw[..<min(portion, total - sent)])
            sent += octets.count
            var offset = 0
            while true {
                let (event, consumed) = machine.next(octets.span.extracting(offset...))
                offset += consumed
                if case .content(let range) = event { passed += range.count }
                if event == .contentEnd { isWhole = true }
                if event == .contentEnd || event == .needsMore && consumed == 0 { break }
            }
            #expect(offset == octets.count)
        }
        #expect(passed == total)
        #expect(machine.phase == .answering)
        _ = try Self.respond(&machine, 201)
    }

    @Test("Content at its limit is accepted, one octet more is refused: in advance by length, on the way in chunks")
    func contentLimit() throws {
        var machine = try Self.asked("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n")
        #expect(throws: HTTPError.contentTooLarge) { try machine.accept(limit: 10) }
        var (head, _) = try Self.respond(&machine, 413)
        #expect(head.status == 413)
        machine = try Self.asked("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
        _ = try machine.accept(limit: 10)
        machine = try Self.asked("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        _ = try machine.accept(limit: 10)
        let chunks = Self.octets("5\r\nhello\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n")
        var script: [HTTPServerConnection.Event] = []
        var offset = 0
        while true {
            let (event, consumed) = machine.next(chunks.span.extracting(offset...))
            offset += consumed
            if event == .needsMore, consumed == 0 { break }
            if event != .needsMore { script.append(event) }
            if case .refused = event { break }
        }
        #expect(script == [.content(3..<8), .content(5..<10), .refused(.contentTooLarge)])
        (head, _) = try Self.respond(&machine, 413)
        #expect(head.fields.only("connection") == "close")
    }

    @Test("The server sends 100 when content is accepted, once, and only to a client that asked and has content", arguments: [
        ("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 5\r\n\r\n", true),
        ("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n", true),
        ("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n", false),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", false),
        ("PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", false),
    ])
    func continues(request: String, isSaid: Bool) throws {
        var machine = try Self.asked(request)
        let said = try machine.accept(limit: 100)
        #expect(try ResponseHead.parse(said.span)?.head.status == (isSaid ? 100 : nil))
    }

    @Test("After an early response content is discarded up to the limit; above it the connection ends", arguments: [
        ("Content-Length: 65536", false), ("Content-Length: 65537", true), ("Transfer-Encoding: chunked", false),
        ("Expect: 100-continue\r\nContent-Length: 5", true), ("Connection: close\r\nContent-Length: 5", true),
    ])
    func drains(field: String, ends: Bool) throws {
        var machine = try Self.asked("PUT / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
        let (head, _) = try Self.respond(&machine, 404)
        #expect(head.fields.only("connection") == (ends ? "close" : nil))
        var said: [UInt8] = []
        machine.finishResponse(to: &said)
        #expect(machine.phase == (ends ? .closing : .content))
        guard !ends else { return }
        let content = [UInt8](repeating: 7, count: HTTPServerConnection.maxDrain)
        let isChunked = field.hasPrefix("T")
        let rest = (isChunked ? Self.octets("10000\r\n") + content + Self.octets("\r\n0\r\n\r\n") : content) + Self.get
        var (event, consumed) = machine.next(rest.span)
        #expect(event == .needsMore)
        (event, _) = machine.next(rest.span.extracting(consumed...))
        guard case .request = event else { throw HTTPError.startLine }
    }

    @Test("A chunk above the discard limit, or a broken one, ends the connection without another response", arguments: ["10001\r\n", "x\r\n"])
    func drainsTooMuch(size: String) throws {
        var machine = try Self.asked("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        _ = try Self.respond(&machine, 404)
        var said: [UInt8] = []
        machine.finishResponse(to: &said)
        let rest = Self.octets(size) + [UInt8](repeating: 7, count: 70_000)
        let event = machine.next(rest.span).event
        #expect(event == .waits)
        #expect(machine.phase == .closing)
    }

    @Test("A response in the middle of content discards the rest, chunk by chunk")
    func answersInTheMiddle() throws {
        var machine = try Self.asked("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        _ = try machine.accept(limit: 100)
        let first = Self.octets("a\r\nhello")
        expectNext(&machine, first, .content(3..<8), 8)
        _ = try Self.respond(&machine, 409)
        var said: [UInt8] = []
        machine.finishResponse(to: &said)
        let rest = Self.octets("hello\r\n0\r\n\r\n")
        expectNext(&machine, rest, .needsMore, rest.count)
        #expect(machine.phase == .idle)
    }

    @Test("After an upgrade every octet is left unread")
    func upgrade() throws {
        var machine = HTTPServerConnection()
        let all = Self.octets("GET /ws HTTP/1.1\r\nHost: a\r\n\r\n") + [0x81, 0x80, 1, 2, 3, 4]
        let (_, consumed) = machine.next(all.span)
        machine.upgrade()
        #expect(consumed == all.count - 6)
        #expect(machine.phase == .upgraded)
        expectNext(&machine, all, from: consumed, .waits, 0)
    }

    @Test("A peer that takes too long gets a response while a request is open, and only then")
    func timeouts() throws {
        var machine = HTTPServerConnection()
        let told1 = machine.timedOut()
        #expect(!told1)
        #expect(machine.phase == .closing)
        machine = HTTPServerConnection()
        expectNext(&machine, Self.octets("GET / HTTP/1.1\r\nHo"), .needsMore, 0)
        #expect(machine.phase == .head)
        let told4 = machine.timedOut()
        #expect(told4)
        let (head, _) = try Self.respond(&machine, 408)
        #expect(head.fields.only("connection") == "close")
        machine = try Self.asked("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
        _ = try machine.accept(limit: 5)
        let told2 = machine.timedOut()
        #expect(told2)
        _ = try Self.respond(&machine, 408)
        // The response is sent already; only its content is awaited.
        machine = try Self.asked("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
        _ = try Self.respond(&machine, 404)
        var said: [UInt8] = []
        machine.finishResponse(to: &said)
        let told3 = machine.timedOut()
        #expect(!told3)
        #expect(machine.phase == .closing)
    }

    @Test("A head that arrives slowly is kept up to its limit, and refused above it")
    func drip() {
        var script = ServerScript()
        script.receive(Self.octets("GET / HTTP/1.1\r\nHost: a\r\n"))
        for _ in 0..<30_000 where script.machine.phase == .head { script.receive(Self.octets("X")) }
        #expect(script.held.count <= script.machine.maxHeld)
        #expect(script.machine.phase == .closing)
        #expect(String(decoding: script.said.prefix(12), as: UTF8.self) == "HTTP/1.1 431")
    }
}
