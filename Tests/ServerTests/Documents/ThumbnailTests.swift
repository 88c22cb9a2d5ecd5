import Blobs
import Bytes
import HTTP1
import Locks
import Posix
import EventLoop
import Store
import TestSupport
import Testing

@testable import Server

/// A JPEG as far as its frame header shows: nobody here looks at the picture.
private func jpeg(_ width: Int, _ height: Int, comment: String = "") -> [UInt8] {
    let words = Array(comment.utf8)
    let length = words.count + 2
    return [0xFF, 0xD8, 0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 255)] + words
        + [0xFF, 0xC0, 0, 17, 8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255), 3, 1, 17, 0, 2, 17, 0, 3, 17, 0, 0xFF, 0xD9]
}

/// A document, and pictures of it by a program that the test plays.
private final class ThumbnailFixture {
    let documentFixture: DocumentFixture
    let thumbnails: Thumbnails
    private final class Count: Sendable { let made = Lock(0) }
    private let count = Count()

    init(limit: Int = 4, type: String = "application/pdf", in former: DocumentFixture? = nil, _ make: @escaping @Sendable (_ isStopped: @Sendable () -> Bool) -> ThumbnailMaker.Outcome) throws {
        documentFixture = try former ?? DocumentFixture(type: type)
        let count = count
        let maker = ThumbnailMaker(covers: { $0 == "application/pdf" }) { _, _, isStopped in
            count.made.withLock { $0 += 1 }
            return make(isStopped)
        }
        thumbnails = Thumbnails(
            folder: ThumbnailFolder(path: documentFixture.server.folder.path + "/thumbnails"), blobs: documentFixture.blobs, maker: maker, events: documentFixture.server.events, limit: limit)
        if former == nil { documentFixture.server.shard.site.add([thumbnails.resource(documentFixture.server.shard.services)]) }
    }

    deinit { thumbnails.stop() }

    /// How often the program ran.
    var made: Int { count.made.withLock { $0 } }
    var path: String { "\(documentFixture.path)/thumbnail" }
    func ask(_ method: String = "GET", _ fields: String...) throws -> (status: Int, fields: HTTPFields, content: [UInt8]) {
        try documentFixture.ask("\(method) \(path)", as: documentFixture.server.parent, fields.first ?? "Accept: */*")
    }

    /// Asks, and does not wait for the answer.
    func begin() throws -> TestClient {
        let client = try documentFixture.server.connect()
        client.send(text: "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(documentFixture.server.parent.token)\r\nConnection: close\r\n\r\n")
        return client
    }

    func status(_ client: TestClient) throws -> Int {
        try documentFixture.server.until("the end of the answer") { try client.receive(); return client.hasEnded }
        let octets = client.octets
        guard let (head, _) = try ResponseHead.parse(octets.span) else { throw Unexpected("no head") }
        return head.status
    }
}

@Suite("Small pictures of documents, proto/documents.md (Thumbnails)", .serialized)
struct ThumbnailTests {
    private static let picture = jpeg(512, 300)

    @Test("a picture is made once, kept, and sent with the fields that a browser needs to cache it")
    func made() throws {
        let documentFixture = try ThumbnailFixture { _ in .image(Self.picture) }
        for _ in 0..<3 {
            let answer = try documentFixture.ask()
            #expect(answer.status == 200 && answer.content == Self.picture)
            #expect(answer.fields.only("content-type") == "image/jpeg" && answer.fields.only("cache-control") == "private, no-cache")
            #expect(answer.fields.only("x-content-type-options") == "nosniff" && answer.fields.only("content-security-policy")?.contains("sandbox") == true)
        }
        let tag = try #require(try documentFixture.ask().fields.only("etag"))
        #expect(try documentFixture.ask("GET", "If-None-Match: \(tag)").status == 304)
        #expect(try documentFixture.ask("HEAD").content == [])
        #expect(documentFixture.made == 1)
        // It is not in the access log: the list of documents is not either.
        for _ in 0..<3 { documentFixture.documentFixture.server.turn() }
    }

    @Test("a member who may see the document may see its picture; nobody else can know that there is one")
    func rights() throws {
        let documentFixture = try ThumbnailFixture { _ in .image(Self.picture) }
        let (server, never) = (documentFixture.documentFixture.server, "/documents/\(Identifier(high: 1, low: 1))/thumbnail")
        #expect(try documentFixture.documentFixture.ask("GET \(documentFixture.path)").status == 401)
        let stranger = try documentFixture.documentFixture.ask("GET \(documentFixture.path)", as: server.stranger)
        let missing = try documentFixture.documentFixture.ask("GET \(never)", as: server.parent)
        #expect(stranger.status == 404 && stranger.content == missing.content)
        #expect(documentFixture.made == 0)
        for who in [server.parent, server.athlete, try #require(documentFixture.documentFixture.guest)] { #expect(try documentFixture.documentFixture.ask("GET \(documentFixture.path)", as: who).status == 200) }
        #expect(try documentFixture.ask("POST").status == 405)
    }

    @Test("a document's signed link opens its picture too, no other document's, and not with any letter changed")
    func link() throws {
        let documentFixture = try ThumbnailFixture { _ in .image(Self.picture) }
        let made = String(decoding: try documentFixture.documentFixture.ask("POST \(documentFixture.documentFixture.path)/link", as: documentFixture.documentFixture.server.parent).content, as: UTF8.self)
        let link = try #require(made.split(separator: "?link=").last?.split(separator: "\"").first)
        for wrong in ["", "\(link.dropLast())", "\(link.dropLast())\(link.hasSuffix("A") ? "B" : "A")"] {
            #expect(try documentFixture.documentFixture.ask("GET \(documentFixture.path)?link=\(wrong)").status == 404)
        }
        #expect(try documentFixture.documentFixture.ask("GET /documents/\(Identifier(high: 1, low: 1))/thumbnail?link=\(link)").status == 404)
        #expect(documentFixture.made == 0)
        #expect(try documentFixture.documentFixture.ask("GET \(documentFixture.path)?link=\(link)").content == Self.picture)
        documentFixture.documentFixture.server.passDay(milliseconds: 600_000)
        #expect(try documentFixture.documentFixture.ask("GET \(documentFixture.path)?link=\(link)").status == 404)
    }

    @Test("a file without a result is tried once, also after a restart; a kind without a program never")
    func failed() throws {
        let documentFixture = try ThumbnailFixture { _ in .failed }
        for _ in 0..<3 {
            let answer = try documentFixture.ask()
            #expect(answer.status == 404 && String(decoding: answer.content, as: UTF8.self).contains("\"code\":\"no_thumbnail\""))
        }
        #expect(documentFixture.made == 1)
        let text = try ThumbnailFixture(type: "text/plain") { _ in .image(Self.picture) }
        #expect(try text.ask().status == 404)
        #expect(text.made == 0)
    }

    @Test("a picture that could not be made now does not mark the file as faulty")
    func postponed() throws {
        let documentFixture = try ThumbnailFixture { _ in .postponed }
        for _ in 0..<2 {
            let answer = try documentFixture.ask()
            #expect(answer.status == 503 && answer.fields.only("retry-after") == "5")
        }
        #expect(documentFixture.made == 2)
    }

    @Test("while a slow one is made, everybody else is served; requests above the limit are asked to come back")
    func slow() throws {
        let (gate, began) = (BlockingQueue<Bool>(limit: 1), BlockingQueue<Bool>(limit: 1))
        let documentFixture = try ThumbnailFixture(limit: 1) { _ in
            _ = began.put(true)
            _ = gate.take(maximum: 1)
            return .image(Self.picture)
        }
        let first = try documentFixture.begin()
        try documentFixture.documentFixture.server.until("it is being made") { documentFixture.made == 1 }
        #expect(try documentFixture.documentFixture.ask("GET \(documentFixture.documentFixture.path)", as: documentFixture.documentFixture.server.parent).content == documentFixture.documentFixture.content)
        let room = try documentFixture.documentFixture.server.live(documentFixture.documentFixture.server.athlete)
        #expect(try documentFixture.ask().status == 503)
        _ = gate.put(true)
        #expect(try documentFixture.status(first) == 200)
        #expect(try documentFixture.ask().status == 200)
        #expect(documentFixture.made == 1)
        withExtendedLifetime(room) {}
    }

    @Test("the end of the server does not wait for a picture that is being made")
    func stop() throws {
        let documentFixture = try ThumbnailFixture { isStopped in
            while !isStopped() {}
            return .postponed
        }
        let client = try documentFixture.begin()
        try documentFixture.documentFixture.server.until("it is being made") { documentFixture.made == 1 }
        documentFixture.thumbnails.stop()
        #expect(try documentFixture.status(client) == 503)
    }

    @Test("pictures go with their files; failures are tried again after a month; unfinished ones are removed")
    func sweep() throws {
        let documentFixture = try DocumentFixture()
        let folder = ThumbnailFolder(path: documentFixture.server.folder.path + "/thumbnails")
        let family = documentFixture.server.parent.family
        let blob = try documentFixture.blobs.put(Array("one".utf8), family: family)
        let bad = try documentFixture.blobs.put(Array("two".utf8), family: family)
        let gone = try #require(BlobName(family: family, sha256: String(repeating: "a", count: 64)))
        folder.keep(.image(Self.picture), of: blob)
        folder.keep(.failed, of: bad)
        folder.keep(.image(Self.picture), of: gone)
        let half = "\(folder.path)/\(family)/aa/half.part"
        try Files.write([1], to: half)
        let now = Clock.wallMilliseconds()
        try folder.sweep(documentFixture.blobs, now: now)
        #expect(folder.entry(of: blob) == .image(Self.picture) && folder.entry(of: bad) == .failed && folder.entry(of: gone) == nil)
        #expect(Files.exists(half))
        try folder.sweep(documentFixture.blobs, now: now + ThumbnailFolder.failureLife + 1_000)
        #expect(folder.entry(of: blob) == .image(Self.picture) && folder.entry(of: bad) == nil)
        #expect(!Files.exists(half))
        // A folder that is not there is empty.
        try ThumbnailFolder(path: folder.path + "/none").sweep(documentFixture.blobs, now: now)
    }

    @Test("a file of a program that was cut off, or taken over, is not a picture")
    func acceptable() {
        let whole = jpeg(512, 512, comment: "made by")
        #expect(Thumbnail.isAcceptable(whole))
        for count in 0..<whole.count { #expect(!Thumbnail.isAcceptable(Array(whole[..<count])), "\(count)") }
        for (width, height) in [(0, 5), (5, 0), (513, 5), (5, 513), (65_535, 65_535)] { #expect(!Thumbnail.isAcceptable(jpeg(width, height))) }
        #expect(!Thumbnail.isAcceptable(Array("<svg onload=alert(1)>".utf8) + [0xFF, 0xD9]))
        #expect(!Thumbnail.isAcceptable(Array(whole.dropLast(2)) + [UInt8](repeating: 0, count: Thumbnail.maxOctets) + [0xFF, 0xD9]))
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var octets = whole
            for _ in 0..<3 { octets[Int.random(in: 0..<octets.count, using: &generator)] = .random(in: 0...255, using: &generator) }
            if let (width, height) = Thumbnail.size(octets) { #expect((0...65_535).contains(width) && (0...65_535).contains(height)) }
        }
    }
}
