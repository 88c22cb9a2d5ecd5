import Accounts
import Blobs
import Bytes
import Crypto
import Family
import HTTP1
import JSON
import Posix
import Store
import TestSupport
import Testing
import Uploads
import Wire

@testable import Server

private func refusal<Value>(_ answer: Result<Value, Rejection>) -> Rejection? {
    if case .failure(let rejection) = answer { rejection } else { nil }
}

/// A shard with everything that writes files of families: documents, small pictures, uploads, exports, the sweeper.
private final class ShardFixture {
    static let secret = "Xylophone"
    static let day: Int64 = 86_400_000

    let documentFixture: DocumentFixture
    var server: TestShard { documentFixture.server }
    let table: UploadTable
    let thumbnails: ThumbnailFolder
    private let transfers: Transfers
    private let claim: DataFolder
    private let database: ServerDatabase
    /// The content of the document of the other family.
    let evergreen = Array("Evergreen".utf8)

    init() throws {
        let documentFixture = try DocumentFixture(name: "\(Self.secret).pdf", title: "\(Self.secret) transcript")
        self.documentFixture = documentFixture
        let folder = documentFixture.server.folder.path
        claim = try DataFolder(path: folder)
        database = ServerDatabase(claim)
        let services = documentFixture.server.shard.services
        table = UploadTable(
            services: services, limits: documentFixture.server.limits, reportProgress: documentFixture.server.shard.hub.report, folder: UploadFolder(path: claim.uploadsPath), blobs: documentFixture.blobs)
        try table.load()
        documentFixture.server.shard.site.add(UploadRoutes.all { [unowned table] in table })
        documentFixture.server.shard.tick.uploads = table
        table.resume()
        thumbnails = ThumbnailFolder(path: claim.thumbnailsPath)
        transfers = Transfers(
            database: database, limits: documentFixture.server.limits, blobs: documentFixture.blobs, writer: documentFixture.server.shard.workers.writer, events: documentFixture.server.events)
        documentFixture.server.shard.site.add(FamilyRoutes.all(services, FamilyExports(transfers: transfers, folder: folder)))
    }

    deinit {
        transfers.stop()
        documentFixture.server.shard.tick.uploads = nil
    }

    var family: Identifier { server.parent.family }

    /// Files of both families beside those of the shop.
    func fill() throws {
        let blob = BlobName(family: family, sha256: Digest.sha256(documentFixture.content))
        thumbnails.keep(.image(Self.jpeg(Self.secret)), of: blob)
        let other = try documentFixture.blobs.put(evergreen, family: server.stranger.family)
        thumbnails.keep(.image(Self.jpeg("Evergreen")), of: other)
        let folder = ServerDatabase.upgradePath(in: claim.path)
        try Files.makeFolder(folder)
        try Files.write(Array(Self.secret.utf8), to: folder + "/huddle-v15.db")
    }

    private static func jpeg(_ comment: String) -> [UInt8] {
        let words = Array(comment.utf8)
        return [0xFF, 0xD8, 0xFF, 0xFE, 0, UInt8(words.count + 2)] + words + [0xFF, 0xC0, 0, 17, 8, 0, 9, 0, 9, 3, 1, 17, 0, 2, 17, 0, 3, 17, 0, 0xFF, 0xD9]
    }

    var metadata: String {
        ["family": "\(family)", "athlete": "\(server.athlete.member)", "type": "transcript", "title": Self.secret, "filename": "\(Self.secret).txt"]
            .map { "\($0) \(Base64.encode(Array($1.utf8)))" }.joined(separator: ",")
    }

    /// Begins an upload; its path.
    func create(_ length: Int) throws -> String {
        let made = try documentFixture.ask("POST /files", as: server.parent, "Tus-Resumable: 1.0.0", "Upload-Length: \(length)", "Upload-Metadata: \(metadata)", content: "")
        #expect(made.status == 201)
        return try #require(made.fields.only("location"))
    }

    // MARK: The end of the family

    func ask(_ act: HostDeletion.Act) throws -> ErrorCode? {
        let family = family.description
        return refusal(try server.store { store throws(StoreFailure) in try store.perform(HostDeletion(act, family: family)).0 })?.code
    }

    var erasures: [Erasure] { get throws { try documentFixture.read { try $0.erasures(all: true) } } }

    /// Lets the days pass and the rows go.
    func eraseRows() throws {
        #expect(try ask(.request(name: "rivera")) == nil)
        server.passDay(milliseconds: 14 * Self.day)
        server.shard.workers.maintain()
        try server.until("the rows are gone") {
            let states = try erasures.map(\.state)
            // A reader was in the way for as long as a round tries.
            if states == [.pages] { server.shard.workers.maintain() }
            return states == [.files]
        }
    }

    /// A sweep to its end, or to the end of the server if that comes first.
    func sweep(ends: Bool = true) throws {
        let sweeper = Sweeper(
            folder: claim.path, database: database, limits: server.limits, blobs: documentFixture.blobs, thumbnails: thumbnails, uploads: UploadFolder(path: claim.uploadsPath),
            writer: server.shard.workers.writer, transfers: transfers, log: server.lines.log)
        sweeper.start()
        if ends { try server.until("the files are gone") { try erasures.map(\.state) == [.done] } }
        sweeper.stop()
    }

    /// The files of the data folder, by path.
    func files(_ under: String = "") throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        let folder = claim.path + under
        for name in try Files.list(folder) {
            guard let status = try Files.status("\(folder)/\(name)") else { continue }
            switch status.kind {
            case .folder: found.merge(try files("\(under)/\(name)")) { $1 }
            case .file: found["\(under)/\(name)"] = try Files.read("\(folder)/\(name)")
            default: break
            }
        }
        return found
    }

    /// Files that have octets of the family, or that are named after it.
    func traces() throws -> [String] {
        let words = [Self.secret, Self.secret.lowercased()].map { Array($0.utf8) } + [Array(documentFixture.content[40_000..<40_064])]
        return try files().filter { file in file.key.contains("\(family)") || words.contains { file.value.holds($0) } }.keys.sorted()
    }
}

@Suite("A family is erased by a server")
struct ErasureTests {
    @Test("14 days after the request no file of the data folder has an octet of it: rows, documents, pictures, uploads, share links; another family's files stay")
    func erases() throws {
        let fixture = try ShardFixture()
        let (documentFixture, server) = (fixture.documentFixture, fixture.server)
        try fixture.fill()
        let room = try server.live(server.parent)
        let upload = try fixture.create(100)
        let begun = try documentFixture.ask(
            "PATCH \(upload)", as: server.parent, "Tus-Resumable: 1.0.0", "Upload-Offset: 0", "Content-Type: application/offset+octet-stream",
            content: "\(ShardFixture.secret) has begun")
        #expect(begun.status == 204)
        // A second one is under way while the family goes.
        let part = String(repeating: "\(ShardFixture.secret) is on its way. ", count: 10_000)
        let second = try fixture.create(400_000)
        let sender = try server.connect()
        sender.send(text: """
            PATCH \(second) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(server.parent.token)\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r
            Content-Type: application/offset+octet-stream\r\nContent-Length: 400000\r\n\r\n\(part)
            """)
        try server.until("the octets of the second upload are in its file") {
            try fixture.files().contains { $0.key.hasSuffix(".part") && $0.value.holds(Array("is on its way".utf8)) }
        }
        let kept = try fixture.files().filter { $0.key.contains("\(server.stranger.family)") }
        #expect(kept.count == 2)
        let before = try fixture.traces()
        #expect(["/blobs/", "/thumbnails/", "/uploads/", "/upgrade/", "/huddle.db"].allSatisfy { word in before.contains { $0.contains(word) } }, "\(before)")
        #expect(try documentFixture.ask("GET \(documentFixture.sharePath)").status == 200)

        try fixture.eraseRows()
        try server.until("the room is closed") { try room.receive(); return room.hasEnded }
        #expect(try documentFixture.ask("GET \(documentFixture.sharePath)").status == 404)
        #expect(try documentFixture.ask("GET \(documentFixture.path)", as: server.parent).status == 401)
        #expect(try documentFixture.ask("HEAD \(upload)", as: server.parent, "Tus-Resumable: 1.0.0").status == 401)

        // The server ends in the middle, and the next start continues.
        try fixture.sweep(ends: false)
        try fixture.sweep()
        #expect(server.lines.count("event=family_erased") == 1)
        #expect(try fixture.traces() == [])
        #expect(try fixture.files().filter { $0.key.contains("\(server.stranger.family)") } == kept)

        // The rest of the second upload comes now, and nothing is made of it.
        sender.send(text: String(repeating: "x", count: 400_000 - part.utf8.count))
        try server.until("the sender is answered") { try sender.receive(); return sender.hasEnded || !sender.octets.isEmpty }
        try server.until("no job of files is left") { server.waitingFiles == 0 }
        #expect(String(decoding: sender.octets.prefix(12), as: UTF8.self) != "HTTP/1.1 204")
        try fixture.sweep()
        #expect(try fixture.traces() == [])
        #expect(try documentFixture.read { try $0.erasures(all: false) } == [])
    }

    @Test("Kept within the 14 days, the family has everything that it had")
    func kept() throws {
        let fixture = try ShardFixture()
        try fixture.fill()
        func files() throws -> [String] { try fixture.traces().filter { !$0.contains("huddle.db") } }
        let before = try files()
        #expect(try fixture.ask(.request(name: "Rivera")) == nil)
        fixture.server.passDay(milliseconds: 13 * ShardFixture.day)
        #expect(try fixture.ask(.withdraw) == nil)
        fixture.server.passDay(milliseconds: 13 * ShardFixture.day)
        fixture.server.shard.workers.maintain()
        // Behind the maintenance in the writer's queue, and again, because a round is several jobs.
        for _ in 0..<20 { _ = try fixture.ask(.withdraw) }
        try fixture.sweep(ends: false)
        #expect(try fixture.erasures == [] && files() == before && before.count == 3)
        #expect(try fixture.documentFixture.ask("GET \(fixture.documentFixture.path)", as: fixture.server.parent).content == fixture.documentFixture.content)
    }
}

@Suite("GET /families/ID/export, issue 15 (deleting a family, confirm_first)")
struct FamilyExportTests {
    private let fixture: ShardFixture

    init() throws { fixture = try ShardFixture() }

    private func path(_ family: Identifier? = nil, _ query: String = "") -> String { "/families/\(family ?? fixture.family)/export\(query)" }

    private func get(
        _ query: String = "", of family: Identifier? = nil, method: String = "GET", as who: SessionCreated? = nil
    ) throws -> (status: Int, fields: HTTPFields, content: [UInt8]) {
        try fixture.documentFixture.ask("\(method) \(path(family, query))", as: who)
    }

    /// The next archive of the family may be made.
    private func passMinute() { fixture.server.pass(milliseconds: FamilyExports.interval) }

    private static func holds(_ content: [UInt8], _ text: String) -> Bool { content.holds(Array(text.utf8)) }

    @Test("A stranger gets the answer for a family that does not exist; athletes and guests are refused, and a client without a sign-in")
    func strangers() throws {
        let server = fixture.server
        let stranger = try get(as: server.stranger)
        let nobody = try get(of: Identifier(high: 7, low: 7), as: server.stranger)
        #expect(stranger.status == 404 && nobody.status == 404 && stranger.content == nobody.content)
        #expect(try fixture.documentFixture.ask("GET /families/nothing/export", as: server.stranger).content == nobody.content)
        for who in [server.athlete, fixture.documentFixture.guest] {
            let refused = try get(as: who)
            #expect(refused.status == 403 && Self.holds(refused.content, "Only parents"), "\(String(decoding: refused.content, as: UTF8.self))")
        }
        #expect(try get().status == 401)
        #expect(try get("?private=perhaps", as: server.parent).status == 400)
        #expect(try get(method: "POST", as: server.parent).status == 405)
        // Nothing was made, so the family may have a copy now.
        #expect(try get(method: "HEAD", as: server.parent).status == 200)
        #expect(try get(as: server.parent).status == 200)
    }

    @Test("A parent gets the whole family, birth dates only with private=yes, once per minute, and it is in the audit log")
    func copies() throws {
        let parent = fixture.server.parent
        let plain = try get(as: parent)
        #expect(plain.status == 200 && plain.fields.only("content-type") == "application/x-tar" && plain.fields.only("cache-control") == "no-store")
        #expect(plain.content.holds(fixture.documentFixture.content) && Self.holds(plain.content, ShardFixture.secret))
        #expect(!Self.holds(plain.content, "2009-03-04"))
        let soon = try get(as: parent)
        #expect(soon.status == 429 && (1...60).contains(soon.fields.only("retry-after").flatMap { Int($0) } ?? 0), "\(String(decoding: soon.content, as: UTF8.self))")
        passMinute()
        let full = try get("?private=yes", as: parent)
        #expect(full.status == 200 && Self.holds(full.content, "2009-03-04"))
        let audit = try fixture.documentFixture.read { try $0.answer(.audit(family: "Rivera", after: nil)).get() }
        #expect(audit["entries"]?.elements.filter { $0["act"]?.text == "exported" }.count == 2, "\(audit["entries"]?.elements.map { $0["act"]?.text } ?? [])")
        #expect(try Files.list(fixture.server.folder.path).filter { $0.hasPrefix("export") } == [], "no file stays")
    }

    @Test("With private data a parent who has a password shows it within the 10 minutes before")
    func confirms() throws {
        let server = fixture.server
        let parent = server.parent
        let session = try #require(try fixture.documentFixture.read { try $0.signIn(token: parent.token) }).session
        let hash = try #require(PasswordHash.make(Array("correct horse".utf8), salt: [UInt8](repeating: 7, count: 16), cost: TestShard.passwordCost))
        let name = try SignInName("ana rivera")
        #expect(refusal(try server.store { store throws(StoreFailure) in try store.setPassword(name, hash, by: session) }) == nil)
        server.passDay(milliseconds: 600_000)
        let refused = try get("?private=yes", as: parent)
        #expect(refused.status == 403 && Self.holds(refused.content, "confirm_first"), "\(String(decoding: refused.content, as: UTF8.self))")
        #expect(try get(as: parent).status == 200, "without private data nothing is asked")
        passMinute()
        #expect(try server.store { store throws(StoreFailure) in try store.recordCheck(session: session) } == nil)
        #expect(try get("?private=yes", as: parent).status == 200)
    }

    @Test("A family can be copied until it is erased, and not after")
    func deletion() throws {
        let parent = fixture.server.parent
        #expect(try fixture.ask(.request(name: "Rivera")) == nil)
        let copy = try get(as: parent)
        #expect(copy.status == 200 && Self.holds(copy.content, "deletion_date"))
        passMinute()
        try fixture.eraseRows()
        #expect(try get(as: parent).status == 401)
        #expect(try get(as: fixture.server.stranger).status == 404)
    }
}
