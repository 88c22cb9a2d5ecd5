import Bytes
import HTTP1
import Posix
import TestSupport
import Testing

@testable import Server

/// Serves one file at `/file`.
private final class FileFixture {
    let server: TestShard
    let path: String
    let content: [UInt8]
    private let file: OpenFile

    init(octets: Int) throws {
        server = try TestShard()
        path = server.folder.path + "/content"
        content = (0..<octets).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
        try Files.write(content, to: path)
        file = OpenFile(try Files.openForReading(path))
        server.shard.site.add([
            RouteGroup().resource(
                "/file",
                .get { [unowned self] in
                    let shown = Representation(length: content.count, contentType: "a/b", validators: Validators(tag: EntityTag("x")))
                    let selection = ContentSelection($0.head, shown, now: 0, boundary: "BOUNDARY")
                    return .response(HTTPResponse(selection, of: file, key: Identifier(high: 1, low: 1), family: Identifier(high: 0, low: 2)))
                })
        ])
    }

    /// The file is on the disk only.
    func forget() throws {
        let file = try Files.openForReading(path)
        try Files.synchronize(file.raw)
        // Pages that the kernel has not listed yet cannot be dropped; it lists them when others come.
        let deadline = Clock.monotonicMilliseconds() + 60_000
        var isGone = false
        while !isGone, Clock.monotonicMilliseconds() < deadline {
            FileCache.forget(file.raw)
            isGone = !FileCache.holds(file.raw, at: 0) && !FileCache.holds(file.raw, at: content.count - 1)
            guard !isGone else { break }
            var none: [Poll.Item] = []
            _ = try Poll.wait(&none, timeoutMilliseconds: 50)
        }
        #expect(isGone)
        // To look may have begun to read.
        FileCache.forget(file.raw)
    }

    /// All answers up to the count.
    func answers(_ client: TestClient, _ count: Int = 1) throws -> [(head: ResponseHead, content: ArraySlice<UInt8>)] {
        var found: [(head: ResponseHead, content: ArraySlice<UInt8>)] = []
        try server.until("\(count) answers") {
            try client.receive()
            found = []
            var left = client.octets[...]
            while let (head, length) = try ResponseHead.parse(left.span) {
                var octets = 0
                if case .length(let length) = head.framing { octets = length }
                guard left.count >= length + octets else { break }
                found.append((head, left.dropFirst(length).prefix(octets)))
                left = left.dropFirst(length + octets)
            }
            return found.count >= count
        }
        return found
    }
}

@Suite("Files as content, RFC 9110 §14, sendfile(2)", .serialized)
struct FileContentTests {
    @Test("a file comes whole, and the next answer behind it", arguments: [0, 1, 4_096, 65_537, 9_000_001])
    func whole(octets: Int) throws {
        let fixture = try FileFixture(octets: octets)
        let client = try fixture.server.connect()
        client.send(text: HTTPTests.request("GET /file") + HTTPTests.get)
        let answers = try fixture.answers(client, 2)
        #expect(answers.map(\.head.status) == [200, 200])
        #expect(answers[0].content.elementsEqual(fixture.content))
    }

    @Test("HEAD sends the length and nothing else")
    func head() throws {
        let fixture = try FileFixture(octets: 1_000)
        let client = try fixture.server.connect()
        let answers = try HTTPTests.ask(
            fixture.server, client, HTTPTests.request("HEAD /file") + HTTPTests.get, answers: 2, methods: ["HEAD", "GET"])
        #expect(answers.statuses == [200, 200])
        #expect(answers.list[0].head.fields.only("content-length") == "1000")
    }

    @Test("several parts arrive with the separators between them, also those that are not in memory")
    func parts() throws {
        let fixture = try FileFixture(octets: 5_000_000)
        try fixture.forget()
        let client = try fixture.server.connect()
        client.send(text: HTTPTests.request("GET /file", "Range: bytes=0-9,2000000-4000000,-5"))
        let answer = try fixture.answers(client)[0]
        #expect(answer.head.status == 206)
        var expected: [UInt8] = []
        for (index, range) in [0..<10, 2_000_000..<4_000_001, 4_999_995..<5_000_000].enumerated() {
            expected += Array((index == 0 ? "--BOUNDARY\r\n" : "\r\n--BOUNDARY\r\n").utf8)
            expected += Array("Content-Type: a/b\r\nContent-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/5000000\r\n\r\n".utf8)
            expected += fixture.content[range]
        }
        expected += Array("\r\n--BOUNDARY--\r\n".utf8)
        #expect(answer.content.elementsEqual(expected))
    }

    @Test("a range that is only on the disk is read ahead by the pool, and arrives whole")
    func cold() throws {
        let fixture = try FileFixture(octets: 7_340_033)
        try fixture.forget()
        let client = try fixture.server.connect()
        client.send(text: HTTPTests.request("GET /file"))
        #expect(try fixture.answers(client)[0].content.elementsEqual(fixture.content))
    }

    @Test("the server gives up a client that reads nothing, keeps one that reads slowly, and holds memory for neither")
    func slow() throws {
        let fixture = try FileFixture(octets: 20_000_000)
        let client = try fixture.server.connect()
        client.isReading = false
        client.send(text: HTTPTests.request("GET /file"))
        for _ in 0..<10 { fixture.server.turn() }
        #expect(fixture.server.shard.table.all.first.flatMap { ($0 as? Connection)?.waitingOctets } == 0)
        for _ in 0..<3 {
            client.isReading = true
            try client.receive()
            client.isReading = false
            for _ in 0..<5 { fixture.server.turn() }
            fixture.server.pass(milliseconds: Progress.time + 10)
            #expect(fixture.server.shard.table.all.count == 1)
        }
        fixture.server.pass(milliseconds: Progress.time + 10)
        #expect(fixture.server.shard.table.all.isEmpty)
        #expect(fixture.server.lines.count("event=slow_reader") == 1)
    }

    @Test("after a client disconnects in the middle, its state is removed and its file closed")
    func leaving() throws {
        let fixture = try FileFixture(octets: 20_000_000)
        let client = try fixture.server.connect()
        client.isReading = false
        client.send(text: HTTPTests.request("GET /file"))
        for _ in 0..<5 { fixture.server.turn() }
        client.leave()
        try fixture.server.until("it is forgotten") { fixture.server.shard.table.all.isEmpty }
    }

    @Test("a file that is shorter than declared ends the connection within the content")
    func short() throws {
        let fixture = try FileFixture(octets: 3_000_000)
        // The same file, emptied.
        let file = try Files.create(fixture.path)
        try Octets.writeAll(file.raw, Array(fixture.content[..<1_000_000]))
        let client = try fixture.server.connect()
        client.send(text: HTTPTests.request("GET /file"))
        #expect(try client.rest().last.map { ["end", "reset"].contains($0) } == true)
        #expect(client.octets.count < 1_000_500)
    }
}
