import Blobs
import Bytes
import Family
import HTTP1
import Posix
import SQLite
import Store
import TestSupport
import Testing

@testable import Server

@Suite("Downloads: who gets a document, guarantees.md (private documents), RFC 9110 §13, §14", .serialized)
struct DownloadTests {
    @Test("a member gets the file by a session or a signed link, as a download of its name, and its properties by HEAD")
    func whole() throws {
        let fixture = try DocumentFixture()
        let link = try fixture.read {
            $0.signedLink(to: fixture.document, family: fixture.server.parent.family, member: fixture.server.parent.member)
        }
        let asked: [(String, SessionCreated?)] = [
            ("GET \(fixture.path)", fixture.server.parent), ("GET \(fixture.path)", fixture.server.athlete), ("GET \(fixture.path)?link=\(link)", nil),
        ]
        for (line, who) in asked {
            let answer = try fixture.ask(line, as: who)
            #expect(answer.status == 200)
            #expect(answer.content == fixture.content)
            #expect(answer.fields.only("content-disposition") == "attachment; filename=\"Fall highlights.pdf\"")
            #expect(answer.fields.only("content-type") == "application/pdf")
            #expect(answer.fields.only("x-content-type-options") == "nosniff")
            #expect(answer.fields.only("content-security-policy")?.contains("sandbox") == true)
            #expect(answer.fields.only("cache-control") == "private, no-cache")
            #expect(answer.fields.only("referrer-policy") == "no-referrer")
        }
        let head = try fixture.ask("HEAD \(fixture.path)", as: fixture.server.parent)
        #expect(head.status == 200 && head.content.isEmpty)
        #expect(head.fields.only("content-length") == "\(fixture.content.count)")
        #expect(head.fields.only("accept-ranges") == "bytes")
    }

    @Test("a member without the right gets the answer for a document that never was; a request without a token is asked for one")
    func nobody() throws {
        let fixture = try DocumentFixture()
        let never = Identifier(high: 6, low: 6)
        let missing = try fixture.ask("GET /documents/\(never)", as: fixture.server.parent)
        #expect(missing.status == 404)
        func compare(_ line: String, as who: SessionCreated?) throws {
            let answer = try fixture.ask(line, as: who)
            #expect(answer.status == 404, "\(line)")
            #expect(answer.content == missing.content && answer.fields.list.map(\.name) == missing.fields.list.map(\.name), "\(line)")
        }
        try compare("GET \(fixture.path)", as: fixture.server.stranger)
        try compare("GET /documents/nonsense", as: fixture.server.parent)
        try compare("GET /documents/\(fixture.server.parent.member)", as: fixture.server.parent)
        for link in ["", "x", String(repeating: "A", count: 96), "%00"] { try compare("GET \(fixture.path)?link=\(link)", as: nil) }
        // A link is for one document.
        let link = try fixture.read { $0.signedLink(to: never, family: fixture.server.parent.family, member: fixture.server.parent.member) }
        try compare("GET \(fixture.path)?link=\(link)", as: nil)
        for fields in [[], ["Authorization: Bearer nonsense"], ["Authorization: Basic eDp5"]] {
            let client = try fixture.server.connect()
            client.send(text: "GET \(fixture.path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
            #expect(try client.status() == 401)
        }
        #expect(try fixture.ask("POST \(fixture.path)", as: fixture.server.parent).status == 405)
        #expect(try fixture.ask("OPTIONS \(fixture.path)").fields.only("allow") == "GET, HEAD, OPTIONS")
    }

    @Test("nobody can open a deleted document, by session, link or share, nor one whose member was removed")
    func deleted() throws {
        let fixture = try DocumentFixture()
        let family = fixture.server.parent.family
        let links = try fixture.read { reader in
            [fixture.server.parent, fixture.server.athlete].map { reader.signedLink(to: fixture.document, family: family, member: $0.member) }
        }
        for link in links { #expect(try fixture.ask("GET \(fixture.path)?link=\(link)").status == 200) }
        let client = try fixture.server.live(fixture.server.parent)
        func remove(_ kind: String, _ id: Identifier, base: Int, number: Int) throws {
            client.say(
                "{\"type\":\"mutate\",\"mutation\":\(number),\"operations\":[{\"op\":\"delete\",\"kind\":\"\(kind)\",\"id\":\"\(id)\",\"base\":\(base)}]}")
            try client.skip(to: "ack")
        }
        try remove("member", fixture.server.athlete.member, base: 1, number: 1)
        #expect(try fixture.ask("GET \(fixture.path)?link=\(links[1])").status == 404)
        #expect([401, 404].contains(try fixture.ask("GET \(fixture.path)", as: fixture.server.athlete).status))
        #expect(try fixture.ask("GET \(fixture.path)", as: fixture.server.parent).status == 200)
        // Sharing it was a change too.
        try remove("document", fixture.document, base: 2, number: 2)
        #expect(try fixture.ask("GET \(fixture.path)", as: fixture.server.parent).status == 404)
        #expect(try fixture.ask("GET \(fixture.path)?link=\(links[0])").status == 404)
        #expect(try fixture.ask("GET \(fixture.sharePath)").status == 404)
        #expect(try fixture.ask("GET \(fixture.sharePath)/file").status == 404)
    }

    @Test("parts, conditions and copies that the client has already", arguments: [
        (["Range: bytes=0-9"], 206, 0..<10), (["Range: bytes=-5"], 206, 99_995..<100_000), (["Range: bytes=99990-200000"], 206, 99_990..<100_000),
        (["Range: bytes=100000-"], 416, 0..<0), (["Range: bytes=5-1"], 200, 0..<100_000), (["Range: octets=1-2"], 200, 0..<100_000),
        (["Range: bytes=0-9", "If-Range: TAG"], 206, 0..<10), (["Range: bytes=0-9", "If-Range: \"other\""], 200, 0..<100_000),
        (["If-None-Match: TAG"], 304, 0..<0), (["If-None-Match: \"other\""], 200, 0..<100_000), (["If-Match: \"other\""], 412, 0..<0),
        (["If-Match: TAG", "Range: bytes=7-7"], 206, 7..<8),
    ] as [([String], Int, Range<Int>)])
    func selections(fields: [String], status: Int, range: Range<Int>) throws {
        let fixture = try DocumentFixture()
        let tag = try #require(try fixture.ask("HEAD \(fixture.path)", as: fixture.server.parent).fields.only("etag"))
        #expect(tag.utf8.count == 66)
        let client = try fixture.server.connect()
        let all = fields.map { $0.replacing("TAG", with: tag) + "\r\n" }.joined()
        client.send(
            text: "GET \(fixture.path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer \(fixture.server.parent.token)\r\n\(all)\r\n")
        #expect(try client.status() == status)
        let (head, length) = try #require(try ResponseHead.parse(client.octets.span))
        #expect(Array(client.octets[length...]) == Array(fixture.content[range]))
        if status == 206 { #expect(head.fields.only("content-range") == "bytes \(range.lowerBound)-\(range.upperBound - 1)/100000") }
        if status != 200, status != 206 { #expect(head.fields.only("cache-control") == "private, no-cache") }
    }

    @Test("several parts are sent as parts; ten thousand are sent as one whole, not ten thousand answers")
    func manyRanges() throws {
        let fixture = try DocumentFixture()
        let two = try fixture.ask("GET \(fixture.path)", as: fixture.server.parent, "Range: bytes=0-1,100-101")
        #expect(two.status == 206)
        #expect(two.fields.only("content-type")?.hasPrefix("multipart/byteranges; boundary=") == true)
        let text = "bytes=" + (0..<3_000).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ",")
        let many = try fixture.ask("GET \(fixture.path)", as: fixture.server.parent, "Range: " + String(text.prefix(15_000)))
        #expect(many.status == 200 && many.content == fixture.content)
        let tooMany = "bytes=" + (0..<10_000).map { "\($0)-\($0)" }.joined(separator: ",")
        #expect(try fixture.ask("GET \(fixture.path)", as: fixture.server.parent, "Range: " + tooMany).status == 431)
    }

    @Test("a download is noted for the athlete whose document it is, once per visit; one's own is not, nor one that was not sent")
    func accessLog() throws {
        let fixture = try DocumentFixture()
        func count() throws -> Int64 {
            let database = try Database(path: fixture.server.folder.path + "/huddle.db", mode: .readOnly)
            return try database.prepare("SELECT count(*) FROM access_log").first { $0.int64(0) } ?? -1
        }
        _ = try fixture.ask("HEAD \(fixture.path)", as: fixture.server.parent)
        _ = try fixture.ask("GET \(fixture.path)", as: fixture.server.athlete)
        _ = try fixture.ask("GET \(fixture.path)", as: fixture.server.stranger)
        _ = try fixture.ask("GET \(fixture.path)", as: fixture.server.parent, "Range: bytes=999999-")
        for _ in 0..<3 { _ = try fixture.ask("GET \(fixture.path)", as: fixture.server.parent) }
        try fixture.server.until("it is noted") { try count() > 0 }
        for _ in 0..<5 { fixture.server.turn() }
        #expect(try count() == 1)
    }

    @Test("a file that differs from its row is never sent as if it were intact, and the log reports it", arguments: [true, false])
    func damaged(isGone: Bool) throws {
        let fixture = try DocumentFixture()
        let found = try fixture.read { reader in
            let signIn = try #require(try reader.signIn(token: fixture.server.parent.token))
            return try reader.document(fixture.document, by: signIn)
        }
        let path = fixture.blobs.path(of: try #require(found).document.blob)
        if isGone { try Files.remove(path) } else { try Files.write([1, 2, 3], to: path) }
        let answer = try fixture.ask("GET \(fixture.path)", as: fixture.server.parent)
        #expect(answer.status == 500)
        #expect(String(decoding: answer.content, as: UTF8.self).contains("huddled check"))
        #expect(fixture.server.lines.count("event=blob_missing") == 1)
        #expect(try fixture.ask("GET /health").status == 200)
    }

    @Test("a flood of parts over one connection is answered part by part")
    func rangeFlood() throws {
        let fixture = try DocumentFixture()
        let client = try fixture.server.connect()
        let count = 200
        let shortest = try fixture.ask("GET \(fixture.path)", as: fixture.server.parent, "Range: bytes=0-0").fields.list.reduce(0) { $0 + $1.value.utf8.count }
        for number in 0..<count {
            client.send(
                text: "GET \(fixture.path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(fixture.server.parent.token)\r\nRange: bytes=\(number)-\(number)\r\n\r\n")
        }
        try fixture.server.until("all parts") {
            try client.receive()
            // The answers are read when they can all be there: to read them costs more than to send them.
            return try client.octets.count >= shortest * count && HTTPAnswers(client.octets).list.count == count
        }
        #expect(try HTTPAnswers(client.octets).statuses == [Int](repeating: 206, count: count))
    }
}

@Suite("Names of files that people keep, RFC 6266, RFC 8187")
struct AttachmentNameTests {
    @Test("any name becomes one that a header, a browser and a folder accept", arguments: [
        ("a.pdf", "a.pdf"), ("", "document"), ("...", "document"), ("  .hidden ", "document.hidden"), (".txt", "document.txt"), ("..pdf", "document.pdf"), (" .\u{200B}txt", "document.txt"), (".a.pdf", "a.pdf"), ("a\r\nSet-Cookie: x=1.pdf", "aSet-Cookie_ x=1.pdf"),
        ("a\"b\\c/d.pdf", "a_b_c_d.pdf"), ("../../etc/passwd", "_.._etc_passwd"), ("C:\\x.txt", "C__x.txt"), ("r\u{202E}fdp.exe", "rfdp.exe"),
        ("\u{2066}x\u{2069}.pdf", "x.pdf"), ("Zażółć.pdf", "Zażółć.pdf"), ("履歴書.pdf", "履歴書.pdf"), ("a\u{0}b.pdf", "ab.pdf"), ("x.pdf. . ", "x.pdf"),
        ("50%20off.pdf", "50%20off.pdf"), ("a;b.pdf", "a_b.pdf"), ("👨‍👩‍👧.pdf", "👨‍👩‍👧.pdf"),
    ])
    func safe(name: String, expected: String) {
        #expect(AttachmentName.safe(name) == expected)
        let field = AttachmentName.disposition(name)
        #expect(field.hasPrefix("attachment; filename=\""))
        #expect(field.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        #expect(field.filter { $0 == "\"" }.count == 2 && !field.contains("\\"))
        if !expected.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) {
            let encoded = field.split(separator: "filename*=UTF-8''").last.map { String($0) } ?? ""
            #expect(PercentCoding.text(encoded.utf8) == expected)
        }
    }

    @Test("a very long name is cut before its extension, at a whole character", arguments: ["a", "ż", "履", "👍"])
    func long(letter: String) {
        let name = AttachmentName.safe(String(repeating: letter, count: 5_000) + ".pdf")
        #expect(name.hasSuffix(letter + ".pdf") && name.utf8.count <= AttachmentName.longest && name.utf8.count > AttachmentName.longest - 4)
        #expect(AttachmentName.safe("a." + String(repeating: "b", count: 5_000)).utf8.count <= AttachmentName.longest)
    }

    @Test("names made at random never leave the field", arguments: 0..<20)
    func random(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<200 {
            var name = String.UnicodeScalarView()
            for _ in 0..<(state % 40) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let number = UInt32(truncatingIfNeeded: state >> 33)
                name.append(Unicode.Scalar(number % (number & 1 == 0 ? 0x80 : 0x11_0000)) ?? "\n")
            }
            state = state &* 6_364_136_223_846_793_005 &+ 1
            let field = AttachmentName.disposition(String(name))
            #expect(field.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && field.filter { $0 == "\"" }.count == 2, "seed \(seed): \(field)")
            let safe = AttachmentName.safe(String(name))
            #expect(!safe.isEmpty && AttachmentName.safe(safe) == safe, "seed \(seed)")
        }
    }
}
