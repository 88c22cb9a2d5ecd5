import HTTPClient
import Posix
import Testing

/// A server that responds to each connection with a script's result for the request, on a thread of its own.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let thread: Thread

    /// - Parameter answers: one per connection: receives all octets of the request, returns the octets to send before
    ///   the end.
    init(_ answers: [@Sendable ([UInt8]) -> String], readingUntil isWhole: @escaping @Sendable ([UInt8]) -> Bool = { $0.hasSuffix("\r\n\r\n") }) throws {
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        port = try SocketAddress.local(of: listener.raw).port
        let raw = listener.take()
        thread = Thread.start(name: "scripted") {
            let listener = FileDescriptor(owning: raw)
            for answer in answers {
                guard (try? Poll.wait(listener.raw, .readable, timeoutMilliseconds: 10_000)) != nil,
                    let connection = try? Socket.accept(on: listener.raw)
                else { return }
                var octets: [UInt8] = []
                while !isWhole(octets), let more = Self.receive(connection.raw) { octets += more }
                try? Socket.sendAll(connection.raw, Array(answer(octets).utf8))
            }
        }
    }

    private static func receive(_ raw: Int32) -> [UInt8]? {
        guard (try? Poll.wait(raw, .readable, timeoutMilliseconds: 10_000)) != nil else { return nil }
        var octets: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
            if case .done(let count)? = try? Socket.receive(raw, into: buffer) { octets = Array(buffer[..<count]) }
        }
        return octets.isEmpty ? nil : octets
    }

    var url: String { "http://127.0.0.1:\(port)" }

    deinit { thread.join() }
}

extension [UInt8] {
    func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }

    var text: String { String(decoding: self, as: UTF8.self) }
}

@Suite("Requests by libcurl")
struct HTTPClientTests {
    @Test("Method, fields and content are sent, status, fields and content are received; interim responses are skipped")
    func whole() throws {
        let server = try ScriptedServer([{ request in
            let isRight = request.text.hasPrefix("PATCH /files/1 HTTP/1.1\r\n") && request.text.contains("\r\nUpload-Offset: 3\r\n")
                && !request.text.lowercased().contains("expect:") && request.hasSuffix("abc")
            return "HTTP/1.1 104 Upload\r\nUpload-Offset: 1\r\n\r\nHTTP/1.1 \(isRight ? 200 : 400) OK\r\nX-A:  b c \r\nContent-Length: 2\r\n\r\nhi"
        }], readingUntil: { $0.hasSuffix("abc") })
        let reply = try CurlClient().perform(
            HTTPRequest("PATCH", server.url + "/files/1", fields: [("Upload-Offset", "3")], content: .octets(Array("abc".utf8))))
        #expect(reply.head.status == 200)
        #expect(reply.head["x-a"] == "b c")
        #expect(reply.head["upload-offset"] == nil)
        #expect(reply.content.text == "hi")
    }

    @Test("A field that would end the line is refused")
    func injection() throws {
        let client = try CurlClient()
        #expect(throws: HTTPClientError.file("a field holds a control character")) {
            try client.perform(HTTPRequest("GET", "http://127.0.0.1:1/", fields: [("A", "b\r\nC: d")]))
        }
    }

    @Test("A redirect is an ordinary response: a token belongs to one server")
    func redirect() throws {
        let server = try ScriptedServer([{ _ in "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n" }])
        #expect(try CurlClient().perform(HTTPRequest("GET", server.url + "/")).head.status == 302)
    }

    @Test("Content comes from the middle of a file, and goes into the middle of a file")
    func files() throws {
        let folder = try Files.makeTemporaryFolder()
        defer { try? Files.removeTree(folder) }
        try Files.write(Array("0123456789".utf8), to: folder + "/source")
        let source = try Files.openForReading(folder + "/source")
        try Files.write(Array("abcdef".utf8), to: folder + "/target")
        let target = try Files.openForOverwriting(folder + "/target")
        let server = try ScriptedServer(
            [{ $0.hasSuffix("\r\n\r\n3456") ? "HTTP/1.1 206 Partial\r\nContent-Length: 2\r\n\r\nXY" : "HTTP/1.1 400 No\r\n\r\n" }],
            readingUntil: { $0.hasSuffix("3456") })
        let raw = target.raw
        let reply = try CurlClient().perform(
            HTTPRequest("PUT", server.url + "/", content: .file(raw: source.raw, offset: 3, count: 4)),
            file: { $0.status == 206 ? (raw, 2) : nil })
        #expect(reply.head.status == 206)
        #expect(reply.content.isEmpty)
        #expect(try Files.read(folder + "/target").text == "abXYef")
    }

    @Test("A file that is shorter than promised is reported as such")
    func short() throws {
        let folder = try Files.makeTemporaryFolder()
        defer { try? Files.removeTree(folder) }
        try Files.write(Array("0123".utf8), to: folder + "/source")
        let source = try Files.openForReading(folder + "/source")
        let server = try ScriptedServer([{ _ in "" }], readingUntil: { $0.hasSuffix("0123") })
        let client = try CurlClient()
        #expect(throws: HTTPClientError.file("the file became shorter while it was sent")) {
            try client.perform(HTTPRequest("PUT", server.url + "/", content: .file(raw: source.raw, offset: 0, count: 10)))
        }
    }

    @Test("No server, an interrupted response, and a cancelled request are three different errors")
    func failures() throws {
        let client = try CurlClient()
        #expect { try client.perform(HTTPRequest("GET", "http://127.0.0.1:1/")) } throws: { error in
            if case HTTPClientError.unreachable(let reason) = error { reason.contains("connect") } else { false }
        }
        let cut = try ScriptedServer([{ _ in "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc" }])
        #expect { try client.perform(HTTPRequest("GET", cut.url + "/")) } throws: { error in
            if case HTTPClientError.unreachable = error { true } else { false }
        }
        let patient = try ScriptedServer([{ _ in "" }], readingUntil: { _ in false })
        #expect(throws: HTTPClientError.cancelled) {
            try client.perform(HTTPRequest("PUT", patient.url + "/", content: .octets([1])), progress: { $0.sent == 0 })
        }
    }

    @Test("Content in memory is bounded")
    func bounded() throws {
        let server = try ScriptedServer([{ _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + String(repeating: "x", count: 300_000)
        }])
        #expect(try CurlClient().perform(HTTPRequest("GET", server.url + "/")).content.count == CurlClient.maxContent)
    }
}
