import Testing

@testable import HTTP1

/// A request that is refused, shown in test output on one line.
struct Malformed: Sendable, CustomTestStringConvertible {
    var text: String
    var error: HTTPError
    var status: Int

    var testDescription: String { text.debugDescription }

    init(_ text: String, _ error: HTTPError, _ status: Int) {
        self.text = text
        self.error = error
        self.status = status
    }

    static let all: [Malformed] = [
        Malformed("GET /  HTTP/1.1\r\nHost: a\r\n\r\n", .startLine, 400),
        Malformed("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .startLine, 400),
        Malformed(" GET / HTTP/1.1\r\nHost: a\r\n\r\n", .startLine, 400),
        Malformed("GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", .startLine, 400),
        Malformed("GET /\r\n\r\n", .startLine, 400),
        Malformed("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", .startLine, 400),
        Malformed("GET / http/1.1\r\nHost: a\r\n\r\n", .startLine, 400),
        Malformed("GET / HTTP/11\r\nHost: a\r\n\r\n", .startLine, 400),
        Malformed("\u{16}\u{3}\u{1}", .startLine, 400),
        Malformed("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .version, 505),
        Malformed("GET / HTTP/1.2\r\nHost: a\r\n\r\n", .version, 505),
        Malformed("GET / HTTP/0.9\r\n\r\n", .version, 505),
        Malformed("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET /ż HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET a HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET * HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET http:// HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET http://user@a/ HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET / HTTP/1.1\nHost: a\r\n\r\n", .controlOctet, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\n\r\n", .controlOctet, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", .controlOctet, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", .controlOctet, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7F}b\r\n\r\n", .controlOctet, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", .foldedField, 400),
        Malformed("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .foldedField, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n\tb\r\n\r\n", .foldedField, 400),
        Malformed("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .fieldName, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\n: a\r\n\r\n", .fieldName, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", .fieldName, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nX(y): a\r\n\r\n", .fieldName, 400),
        Malformed("GET / HTTP/1.1\r\n\r\n", .host, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", .host, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .host, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .host, 400),
        Malformed("GET / HTTP/1.1\r\nHost: u@b\r\n\r\n", .host, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n", .contentLength, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", .contentLength, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n", .contentLength, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", .contentLength, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", .contentLength, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775808\r\n\r\n", .contentLength, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", .framing, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", .framing, 400),
        Malformed("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .framing, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .transferCoding, 501),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", .transferCoding, 501),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", .framing, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", .framing, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", .framing, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", .framing, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked;q=1\r\n\r\n", .framing, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ,chunked\r\n\r\n", .framing, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n", .framing, 400),
        Malformed("GET / HTTP/1.1\r\nHost:\r\n\r\n", .host, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", .host, 400),
        Malformed("GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", .host, 400),
        Malformed("GET / HTTP/1.1\r\nHost: ::1\r\n\r\n", .host, 400),
        Malformed("GET /a\"b HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET /a\\b HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET /%2 HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET http:/a HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET http://a:b/ HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
        Malformed("CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n", .target, 400),
    ]
}

@Suite("Request heads, RFC 9112 §2, §3, §5, §6")
struct RequestHeadTests {
    static func parse(_ text: String) throws(HTTPError) -> (head: RequestHead, length: Int)? {
        try RequestHead.parse(Array(text.utf8).span)
    }

    @Test("A head reads the same with any octets after it, and not before its last octet")
    func split() throws {
        let text = "GET /events?upcoming=1 HTTP/1.1\r\nHost: huddle.example:8787\r\nX-Note:  zażółć \t\r\nAccept:\r\n\r\n"
        let octets = Array(text.utf8)
        for end in 0..<octets.count {
            #expect(try RequestHead.parse(Array(octets[..<end]).span) == nil, "\(end) octets")
        }
        for rest in ["", "GET / HTTP/1.1\r\n", "\u{1}\u{2}"] {
            let (head, length) = try #require(try Self.parse(text + rest))
            #expect(length == octets.count)
            #expect(head.method == "GET")
            #expect(head.target == "/events?upcoming=1")
            #expect(head.path == "/events")
            #expect(head.query == "upcoming=1")
            #expect(head.minorVersion == 1)
            #expect(head.fields.list == [Field("host", "huddle.example:8787"), Field("x-note", "zażółć"), Field("accept", "")])
            #expect(head.framing == .none)
        }
    }

    @Test("One empty line before a request is skipped, a second is not")
    func emptyLine() throws {
        #expect(try Self.parse("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")?.length == 29)
        #expect(throws: HTTPError.startLine) { try Self.parse("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") }
    }

    @Test("Each malformed request has its error and status", arguments: Malformed.all)
    func refused(input: Malformed) {
        #expect(throws: input.error) { try Self.parse(input.text) }
        #expect(input.error.status == input.status)
        // Octet by octet the result is the same, at the latest with the last octet.
        let octets = Array(input.text.utf8)
        var first: HTTPError?
        for end in 0...octets.count where first == nil {
            do throws(HTTPError) { _ = try RequestHead.parse(Array(octets[..<end]).span) } catch { first = error }
        }
        #expect(first == input.error)
    }

    @Test("Limits hold at their number and one above it")
    func limits() throws {
        func request(target: Int) -> String { "GET /" + String(repeating: "a", count: target - 1) + " HTTP/1.1\r\nHost: a\r\n\r\n" }
        // 8192 octets of line: 4 of method, 9 of version.
        #expect(try Self.parse(request(target: 8192 - 13)) != nil)
        #expect(throws: HTTPError.startLineTooLong) { try Self.parse(request(target: 8192 - 12)) }
        #expect(throws: HTTPError.startLineTooLong) { try Self.parse("GET /" + String(repeating: "a", count: 9000)) }
        #expect(HTTPError.startLineTooLong.status == 414)

        func request(fields: Int) -> String {
            "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "a: b\r\n", count: fields - 1) + "\r\n"
        }
        #expect(try Self.parse(request(fields: 100)) != nil)
        #expect(throws: HTTPError.fieldsTooLarge) { try Self.parse(request(fields: 101)) }

        func request(octets: Int) -> String {
            "GET / HTTP/1.1\r\nHost: a\r\nX:" + String(repeating: "b", count: octets - 9 - 4) + "\r\n\r\n"
        }
        #expect(try Self.parse(request(octets: 16384)) != nil)
        #expect(throws: HTTPError.fieldsTooLarge) { try Self.parse(request(octets: 16385)) }
        #expect(throws: HTTPError.fieldsTooLarge) { try Self.parse("GET / HTTP/1.1\r\nX:" + String(repeating: "b", count: 20_000)) }
        #expect(HTTPError.fieldsTooLarge.status == 431)
        #expect(Array(request(target: 8192 - 13).utf8).count < HeadLimits.standard.total)
    }

    @Test("Targets of every form give path and query", arguments: [
        ("GET / HTTP/1.1", "/", nil), ("GET /a?b?c HTTP/1.1", "/a", "b?c"), ("GET http://a HTTP/1.1", "/", nil),
        ("GET http://a?q HTTP/1.1", "/", "q"), ("GET //a HTTP/1.1", "//a", nil), ("GET /%7e/.. HTTP/1.1", "/%7e/..", nil),
        ("CONNECT a:80 HTTP/1.1", "a:80", nil), ("GET http://[::1]:80/x HTTP/1.1", "/x", nil), ("GET HTTPS://a:1/b HTTP/1.1", "/b", nil),
        ("OPTIONS * HTTP/1.1", "*", nil),
    ] as [(String, String, String?)])
    func targets(line: String, path: String, query: String?) throws {
        let (head, _) = try #require(try Self.parse(line + "\r\nHost: a\r\n\r\n"))
        #expect(head.path == path)
        #expect(head.query == query)
    }

    @Test("An absolute target names the resource's authority, otherwise Host does", arguments: [
        ("GET / HTTP/1.1", "b:8080"), ("GET http://A:1/ HTTP/1.1", "a:1"), ("CONNECT c:443 HTTP/1.1", "c:443"),
        ("OPTIONS * HTTP/1.1", "b:8080"),
    ])
    func authorities(line: String, authority: String) throws {
        let (head, _) = try #require(try Self.parse(line + "\r\nHost: B:8080\r\n\r\n"))
        #expect(head.authority == Authority(authority))
        #expect(try Self.parse("GET / HTTP/1.0\r\n\r\n")?.head.authority == nil)
    }

    @Test("Framing and keep-alive are read from the fields")
    func connection() throws {
        func head(_ fields: String, _ version: String = "1.1") throws -> RequestHead {
            try #require(try Self.parse("POST / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n")).head
        }
        #expect(try head("Content-Length: 0012\r\n").framing == .length(12))
        #expect(try head("Transfer-Encoding: Chunked\r\n").framing == .chunked)
        #expect(try head("").keepsAlive)
        #expect(try !head("Connection: x, Close\r\n").keepsAlive)
        #expect(try !head("", "1.0").keepsAlive)
        #expect(try head("Connection: keep-alive\r\n", "1.0").keepsAlive)
    }

    @Test("Lists are read over all lines of a field, without empty members")
    func lists() {
        let fields = HTTPFields([Field("a", " x ,, y"), Field("b", "z"), Field("a", "\tZ"), Field("c", ",")])
        #expect(fields.members("a") == ["x", "y", "Z"])
        #expect(fields.members("c") == [])
        #expect(fields.hasToken("z", in: "a"))
        #expect(!fields.hasToken("z", in: "c"))
        #expect(fields.only("a") == nil)
        #expect(fields.only("b") == "z")
    }

    @Test("Octets above 127 that are not UTF-8 stay distinct and are not repaired")
    func opaque() throws {
        let octets = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xFF, 0xFE] + Array("\r\n\r\n".utf8)
        #expect(try RequestHead.parse(octets.span)?.head.fields.only("x") == "\u{FF}\u{FE}")
    }
}

@Suite("Response heads, RFC 9112 §4")
struct ResponseHeadTests {
    @Test("A written head reads back, and not before its last octet")
    func roundTrip() throws {
        var octets: [UInt8] = []
        ResponseHead(426, [Field("Upgrade", "websocket"), Field("Content-Length", "3")]).append(to: &octets)
        for end in 0..<octets.count { #expect(try ResponseHead.parse(Array(octets[..<end]).span) == nil) }
        let (head, length) = try #require(try ResponseHead.parse((octets + [1, 2, 3]).span))
        #expect(length == octets.count)
        #expect(head.status == 426)
        #expect(head.reason == "Upgrade Required")
        #expect(head.fields.only("upgrade") == "websocket")
        #expect(head.framing == .length(3))
    }

    @Test("A value cannot smuggle a line")
    func injection() throws {
        var octets: [UInt8] = []
        ResponseHead(200, [Field("a", "b\r\nSet-Cookie: c")]).append(to: &octets)
        let head = try #require(try ResponseHead.parse(octets.span)).head
        #expect(head.fields.list == [Field("a", "b  Set-Cookie: c")])
    }

    @Test("A closing response says so, keeps the token of an upgrade, and counts its body")
    func closing() throws {
        let octets = ResponseHead.closing(426, [Field("connection", "Upgrade")], body: "é\n")
        let (head, length) = try #require(try ResponseHead.parse(octets.span))
        #expect(head.fields.members("connection") == ["Upgrade", "close"])
        #expect(head.framing == .length(octets.count - length))
    }

    @Test("Malformed status lines are refused", arguments: [
        "HTTP/1.1 200\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 600 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTP/1.1 200 OK\r\n\r\n", "\r\n\r\n",
    ])
    func malformed(text: String) {
        #expect(throws: HTTPError.startLine) { try ResponseHead.parse(Array(text.utf8).span) }
    }

    @Test("A response that two readers could interpret differently is refused like a request", arguments: [
        ("HTTP/1.1 200 OK\n\n", .controlOctet), ("HTTP/1.1 200 OK\r\nA: b\n\r\n", .controlOctet), ("HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", .controlOctet),
        ("HTTP/1.1 200 O\0K\r\n\r\n", .controlOctet), ("HTTP/1.1 200 OK\r\nA: b\0\r\n\r\n", .controlOctet),
        ("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", .foldedField), ("HTTP/1.1 200 OK\r\n A: b\r\n\r\n", .foldedField),
        ("HTTP/1.1 200 OK\r\nA : b\r\n\r\n", .fieldName), ("HTTP/1.1 200 OK\r\nA\r\n\r\n", .fieldName), ("HTTP/1.1 200 OK\r\n: b\r\n\r\n", .fieldName),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", .contentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n", .contentLength), ("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n", .contentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", .framing),
        ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .framing), ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", .framing),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .transferCoding), ("HTTP/2.0 200 OK\r\n\r\n", .version),
    ] as [(String, HTTPError)])
    func strict(text: String, error: HTTPError) {
        let octets = Array(text.utf8)
        #expect(throws: error) { try ResponseHead.parse(octets.span) }
        var first: HTTPError?
        for end in 0...octets.count where first == nil {
            do throws(HTTPError) { _ = try ResponseHead.parse(Array(octets[..<end]).span) } catch { first = error }
        }
        #expect(first == error)
    }

    @Test("Status, fields and the request's method decide about a response's content", arguments: [
        ("GET", "200 OK\r\nContent-Length: 5", "hello", true), ("GET", "200 OK\r\nTransfer-Encoding: chunked", "hello", true), ("GET", "200 OK", "hellohello", false),
        ("HEAD", "200 OK\r\nContent-Length: 5", "", true), ("GET", "304 Not Modified\r\nContent-Length: 5", "", true), ("GET", "204 No Content", "", true),
        ("GET", "101 Switching Protocols", "", true), ("CONNECT", "200 OK\r\nContent-Length: 5", "", true), ("CONNECT", "404 Not Found\r\nContent-Length: 5", "hello", true),
    ])
    func content(method: String, head: String, content: String, isEnd: Bool) throws {
        let (head, _) = try #require(try ResponseHead.parse(Array("HTTP/1.1 \(head)\r\n\r\n".utf8).span))
        var reader = try head.content(to: method, limit: 100)
        let octets = Array((head.framing == .chunked ? "5\r\nhello\r\n0\r\n\r\n" : "hellohello").utf8)
        var offset = 0
        var found: [UInt8] = []
        var hasEnded = false
        while !hasEnded {
            let piece = try reader.read(octets.span.extracting(offset...))
            found += octets[offset...][(offset + piece.content.lowerBound)..<(offset + piece.content.upperBound)]
            offset += piece.consumed
            hasEnded = piece.isEnd
            if piece.consumed == 0 { break }
        }
        #expect(String(decoding: found, as: UTF8.self) == content)
        #expect(hasEnded == isEnd)
    }

    @Test("A transfer coding without allowed content is refused, and content above the limit", arguments: ["204 No Content", "101 Switching Protocols"])
    func bare(status: String) throws {
        let chunked = try #require(try ResponseHead.parse(Array("HTTP/1.1 \(status)\r\nTransfer-Encoding: chunked\r\n\r\n".utf8).span)).head
        #expect(throws: HTTPError.framing) { try chunked.content(to: "GET", limit: 100) }
        let long = try #require(try ResponseHead.parse(Array("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n".utf8).span)).head
        #expect(throws: HTTPError.contentTooLarge) { try long.content(to: "GET", limit: 100) }
    }

    @Test("A status line without a reason is read")
    func noReason() throws {
        #expect(try ResponseHead.parse(Array("HTTP/1.1 200 \r\n\r\n".utf8).span)?.head.status == 200)
    }
}
