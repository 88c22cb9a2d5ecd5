import Blobs
import Bytes
import Crypto
import Family
import Ledger
import HTTP1
import Locks
import MemoryDisk
import Posix
import Store
import TestSupport
import Testing
import Uploads

@testable import Server

/// A shard that takes uploads, on a disk in memory, and clients that send some.
final class UploadScript {
    let server: TestShard
    let disk: MemoryDisk
    private(set) var table: UploadTable
    /// Milliseconds that the wall clock is ahead.
    var ahead: Int64 = 0

    init(_ limits: Limits = Limits(), disk: MemoryDisk = MemoryDisk(root: "/d")) throws {
        server = try TestShard(limits)
        self.disk = disk
        table = UploadTable(
            services: server.shard.services, limits: server.limits, reportProgress: server.shard.hub.report, folder: UploadFolder(path: "/d/uploads", disk: disk), blobs: BlobFolder(path: "/d/blobs", disk: disk),
            clock: { [box] in Clock.wallMilliseconds() + (box.script?.ahead ?? 0) })
        box.script = self
        try table.load()
        box.table = table
        server.shard.site.add(UploadRoutes.all { [box] in box.table.unsafelyUnwrapped })
        server.shard.tick.uploads = table
        table.resume()
    }

    /// A server's knowledge of uploads after a restart: the disk. Nothing may be under way.
    func restart() throws {
        table = UploadTable(
            services: server.shard.services, limits: server.limits, reportProgress: server.shard.hub.report, folder: UploadFolder(path: "/d/uploads", disk: disk), blobs: BlobFolder(path: "/d/blobs", disk: disk),
            clock: { [unowned self] in Clock.wallMilliseconds() + ahead })
        try table.load()
        box.table = table
        server.shard.tick.uploads = table
        table.resume()
    }

    private final class Box {
        weak var script: UploadScript?
        /// The table that requests find; the one from before a restart is forgotten.
        var table: UploadTable?
    }

    private let box = Box()

    func metadata(_ changes: [String: String?] = [:], of who: SessionCreated? = nil) -> String {
        var values: [String: String?] = [
            "family": "\((who ?? server.parent).family)", "athlete": "\(server.athlete.member)", "type": "transcript", "title": "Fall", "filename": "a.txt",
        ]
        values.merge(changes) { $1 }
        return values.compactMap { name, value in value.map { "\(name) \(Base64.encode(Array($0.utf8)))" } }.joined(separator: ",")
    }

    /// One request and its final answer; the connection is kept or not, nobody cares.
    func ask(_ line: String, _ fields: [String], _ content: [UInt8] = [], as who: SessionCreated? = nil) throws -> HTTPAnswers.One {
        let client = try server.connect()
        defer { client.leave() }
        send(client, line, fields, content, as: who)
        return try answer(client, to: line)
    }

    func send(_ client: TestClient, _ line: String, _ fields: [String], _ content: [UInt8] = [], as who: SessionCreated? = nil) {
        let token = (who ?? server.parent).token
        let length = fields.contains { $0.hasPrefix("Content-Length") } ? [] : ["Content-Length: \(content.count)"]
        let head = ["\(line) HTTP/1.1", "Host: a", "Authorization: Bearer \(token)"] + fields + length
        client.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + content)
    }

    func answer(_ client: TestClient, to line: String) throws -> HTTPAnswers.One {
        let method = String(line.prefix { $0 != " " })
        var found: HTTPAnswers.One?
        try server.until("the answer to \(line)") {
            try client.receive()
            found = try HTTPAnswers(client.octets, methods: [method, method, method]).list.first { $0.head.status >= 200 }
            return found != nil || client.hasEnded
        }
        return try #require(found)
    }

    static let tus = ["Tus-Resumable: 1.0.0"]
    static let append = tus + ["Content-Type: application/offset+octet-stream"]

    /// Begins an upload; where it is.
    func create(_ length: Int?, _ changes: [String: String?] = [:], as who: SessionCreated? = nil) throws -> String {
        let declared = length.map { "Upload-Length: \($0)" } ?? "Upload-Defer-Length: 1"
        let made = try ask("POST /files", Self.tus + [declared, "Upload-Metadata: \(metadata(changes, of: who))"], as: who)
        #expect(made.head.status == 201, "\(made.content)")
        return try #require(made.head.fields.only("location"))
    }

    func patch(_ path: String, _ offset: Int, _ content: [UInt8], _ fields: [String] = []) throws -> HTTPAnswers.One {
        try ask("PATCH \(path)", Self.append + ["Upload-Offset: \(offset)"] + fields, content)
    }

    func offset(_ path: String) throws -> Int? {
        try ask("HEAD \(path)", Self.tus).head.fields.only("upload-offset").flatMap { Int($0) }
    }

    func blob(_ content: [UInt8]) -> [UInt8]? {
        disk.files.first { $0.key.hasPrefix("/d/blobs/\(server.parent.family)/") && $0.key.hasSuffix(Hex.encode(Digest.sha256(content))) }?.value
    }

    /// Files of uploads, by what they are.
    func files(_ end: String) -> Int { disk.files.keys.count { $0.hasPrefix("/d/uploads/") && $0.hasSuffix(end) } }
}

@Suite("Uploads at the server", .serialized)
struct UploadTests {
    private static let text = Array(String(repeating: "An inning a line.\n", count: 2_000).utf8)

    @Test("R136 a file sent in parts becomes a document and a blob under its family and its digest, and the family is notified")
    func whole() throws {
        let script = try UploadScript()
        let room = try script.server.live(script.server.athlete)
        let path = try script.create(Self.text.count)
        #expect(try script.patch(path, 0, Array(Self.text[..<20_000])).head.status == 204)
        #expect(try script.offset(path) == 20_000)
        let last = try script.patch(path, 20_000, Array(Self.text[20_000...]))
        #expect(last.head.status == 204 && last.head.fields.only("upload-offset") == "\(Self.text.count)")
        let digest = Hex.encode(Digest.sha256(Self.text))
        #expect(script.disk.files["/d/blobs/\(script.server.parent.family)/\(digest.prefix(2))/\(digest)"] == Self.text)
        #expect(script.files(".part") == 0)
        #expect(try room.skip(to: "change").hasPrefix("change"))
        // The last answer may have got lost.
        #expect(try script.offset(path) == Self.text.count)
        #expect(try script.patch(path, Self.text.count, []).head.status == 204)
    }

    @Test("creation with upload, an empty file, and a length that comes later")
    func creations() throws {
        let script = try UploadScript()
        let fields = UploadScript.append + ["Upload-Metadata: \(script.metadata())"]
        let whole = try script.ask("POST /files", fields + ["Upload-Length: 5"], Array("hello".utf8))
        #expect(whole.head.status == 201 && whole.head.fields.only("upload-offset") == "5" && script.blob(Array("hello".utf8)) != nil)
        let empty = try script.ask("POST /files", UploadScript.tus + ["Upload-Length: 0", "Upload-Metadata: \(script.metadata())"])
        #expect(empty.head.status == 201 && script.blob([]) == [])
        let path = try script.create(nil)
        #expect(try script.ask("HEAD \(path)", UploadScript.tus).head.fields.only("upload-defer-length") == "1")
        #expect(try script.patch(path, 0, Array("abc".utf8)).head.status == 204)
        #expect(try script.patch(path, 3, Array("d".utf8), ["Upload-Length: 4"]).head.status == 204)
        #expect(script.blob(Array("abcd".utf8)) != nil)
    }

    @Test("the draft: 104 with the location, completeness declared, the answer of the document; both protocols on one upload")
    func draft() throws {
        let script = try UploadScript()
        for version in [3, 5, 6, 8] {
            let content = Array("version \(version)".utf8)
            let isLast = version == 3 ? "Upload-Incomplete: ?0" : "Upload-Complete: ?1"
            let interop = "Upload-Draft-Interop-Version: \(version)"
            let client = try script.server.connect()
            script.send(client, "POST /files", [interop, isLast, "Huddle-Metadata: \(script.metadata())"], content)
            let made = try script.answer(client, to: "POST /files")
            #expect(made.head.status == 201 && made.content.contains("\"document\""))
            let interim = try HTTPAnswers(client.octets).list[0].head
            #expect(interim.status == 104 && interim.fields.only("location")?.hasPrefix("/files/") == true)
            #expect(interim.fields.only("upload-draft-interop-version") == "\(version)")
            #expect(script.blob(content) == content)
        }
        // Begun in tus, gone on with in the draft, ended in tus.
        let path = try script.create(9)
        #expect(try script.patch(path, 0, Array("abc".utf8)).head.status == 204)
        let part = ["Upload-Draft-Interop-Version: 8", "Content-Type: application/partial-upload", "Upload-Complete: ?0"]
        let middle = try script.ask("PATCH \(path)", part + ["Upload-Offset: 3"], Array("def".utf8))
        #expect(middle.head.status == 204 && middle.head.fields.only("upload-complete") == "?0")
        let wrong = try script.ask("PATCH \(path)", part + ["Upload-Offset: 5"], Array("def".utf8))
        #expect(wrong.head.status == 409 && wrong.head.fields.only("upload-offset") == "6")
        #expect(try script.patch(path, 6, Array("ghi".utf8)).head.status == 204)
        #expect(script.blob(Array("abcdefghi".utf8)) != nil)
    }

    @Test("a correct checksum is accepted, a wrong one leaves nothing of its request")
    func checksums() throws {
        let script = try UploadScript()
        let path = try script.create(6)
        let right = UploadChecksum(.sha1, Digest.sha1(Array("abc".utf8))).tus
        #expect(try script.patch(path, 0, Array("abc".utf8), ["Upload-Checksum: \(right)"]).head.status == 204)
        #expect(try script.patch(path, 3, Array("xyz".utf8), ["Upload-Checksum: \(right)"]).head.status == 460)
        #expect(try script.offset(path) == 3)
        let other = UploadChecksum(.sha256, Digest.sha256(Array("def".utf8))).tus
        #expect(try script.patch(path, 3, Array("def".utf8), ["Upload-Checksum: \(other)"]).head.status == 204)
        #expect(script.blob(Array("abcdef".utf8)) != nil)
    }

    @Test("a refused upload gets its status and its sentence, and nothing of it is kept", arguments: [
        (["filename": "a.exe"], 415, "Invalid file type. Transcript requires .pdf, .txt."), (["title": nil], 400, "Title is required. Nothing was kept."),
        (["athlete": "0198c2a4-0000-7000-8000-00000000000a"], 400, "athlete"), (["family": "0198c2a4-0000-7000-8000-00000000000a"], 404, "family"),
        (["replaces": "0198c2a4-0000-7000-8000-00000000000a"], 400, "replaces"), (["school_id": "0198c2a4-0000-7000-8000-00000000000a"], 400, "School"),
    ] as [([String: String?], Int, String)])
    func refusals(changes: [String: String?], status: Int, word: String) throws {
        let script = try UploadScript()
        let answer = try script.ask("POST /files", UploadScript.tus + ["Upload-Length: 5", "Upload-Metadata: \(script.metadata(changes))"])
        #expect(answer.head.status == status && answer.content.contains(word), "\(answer.content)")
        #expect(script.table.count == 0 && script.disk.files.isEmpty)
    }

    @Test("R135 too large, too much for the family, too many at the same time")
    func limits() throws {
        var limits = Limits()
        limits.familyStorage = 1_000
        limits.uploadsPerMember = 2
        let script = try UploadScript(limits)
        func post(_ length: Int) throws -> HTTPAnswers.One {
            try script.ask("POST /files", UploadScript.tus + ["Upload-Length: \(length)", "Upload-Metadata: \(script.metadata())"])
        }
        let large = try post(104_857_601)
        #expect(large.head.status == 413 && large.content.contains("File exceeds 100MB limit. Please compress or choose a smaller file."))
        #expect(try post(1_001).head.status == 507)
        #expect(try post(600).head.status == 201)
        // Announced octets count.
        let second = try post(600)
        #expect(second.head.status == 507 && second.content.contains("quota_exceeded"))
        #expect(try post(300).head.status == 201)
        #expect(try post(1).head.status == 429)
    }

    @Test("A family has as many open uploads as its limit says, its own one or the usual one; the next is refused with figures and a wait, and counted")
    func familyUploads() throws {
        var limits = Limits()
        limits.uploadsPerFamily = 2
        let script = try UploadScript(limits)
        func post() throws -> HTTPAnswers.One {
            try script.ask("POST /files", UploadScript.tus + ["Upload-Length: 5", "Upload-Metadata: \(script.metadata())"])
        }
        for _ in 0..<2 { #expect(try post().head.status == 201) }
        let refused = try post()
        #expect(refused.head.status == 429 && refused.head.fields.only("retry-after") == "60")
        #expect(refused.content.contains("too_many_uploads") && refused.content.contains("Your family has 2 open uploads, and 2 is its limit."))
        script.table.mostOfFamily = { [family = script.server.parent.family] in $0 == family ? 3 : 0 }
        #expect(try post().head.status == 201)
        #expect(try post().content.contains("Your family has 3 open uploads, and 3 is its limit."))
        #expect(script.table.open(of: script.server.parent.family) == 3 && script.table.open(of: script.server.stranger.family) == 0)
        #expect(script.table.quotaRefusals.values.map(\.count) == [2, 0])
    }

    @Test("P36 a file of exactly the largest size is accepted, one octet more is not, declared or not")
    func largest() throws {
        var limits = Limits()
        limits.documentOctets = 1_000
        let script = try UploadScript(limits)
        func isTooLarge(_ answer: HTTPAnswers.One) -> Bool { answer.head.status == 413 && answer.content.contains("File exceeds 100MB limit.") }
        let path = try script.create(1_000)
        #expect(try script.patch(path, 0, Array(Self.text[..<1_000])).head.status == 204)
        #expect(script.blob(Array(Self.text[..<1_000])) != nil)
        #expect(isTooLarge(try script.ask("POST /files", UploadScript.tus + ["Upload-Length: 1001", "Upload-Metadata: \(script.metadata())"])))
        let unknown = try script.create(nil)
        #expect(isTooLarge(try script.patch(unknown, 0, Array(Self.text[..<1_001]))))
        #expect(isTooLarge(try script.patch(unknown, 0, [], ["Upload-Length: 1001"])))
        #expect(try script.patch(unknown, 0, Array(Self.text[1..<600])).head.status == 204)
        #expect(isTooLarge(try script.patch(unknown, 599, Array(Self.text[..<402]))))
        #expect(try script.patch(unknown, 599, Array(Self.text[600..<1_001]), ["Upload-Length: 1000"]).head.status == 204)
        #expect(script.blob(Array(Self.text[1..<1_001])) != nil)
    }

    @Test("an upload of unknown length takes no more than the family has room for, refused immediately or when it shows")
    func unknownLength() throws {
        var limits = Limits()
        limits.familyStorage = 1_000
        let script = try UploadScript(limits)
        func isNoRoom(_ answer: HTTPAnswers.One) -> Bool { answer.head.status == 507 && answer.content.contains("\"quota_exceeded\"") }
        let path = try script.create(nil)
        #expect(isNoRoom(try script.ask("POST /files", UploadScript.tus + ["Upload-Length: 1", "Upload-Metadata: \(script.metadata())"])))
        #expect(isNoRoom(try script.patch(path, 0, Array(Self.text[..<1_001]))))
        #expect(isNoRoom(try script.patch(path, 0, [], ["Upload-Length: 1001"])))
        #expect(try script.offset(path) == 0)
        #expect(try script.patch(path, 0, Array(Self.text[..<400])).head.status == 204)
        #expect(isNoRoom(try script.patch(path, 400, Array(Self.text[..<601]))))
        #expect(try script.patch(path, 400, Array(Self.text[400..<1_000]), ["Upload-Length: 1000"]).head.status == 204)
        #expect(script.blob(Array(Self.text[..<1_000])) != nil)
    }

    @Test("after a restart an upload of unknown length still takes no more than the family had room for")
    func unknownLengthAfterRestart() throws {
        var limits = Limits()
        limits.familyStorage = 1_000
        let script = try UploadScript(limits)
        func isNoRoom(_ answer: HTTPAnswers.One) -> Bool { answer.head.status == 507 && answer.content.contains("\"quota_exceeded\"") }
        let known = try script.create(300)
        let path = try script.create(nil)
        #expect(try script.patch(path, 0, Array(Self.text[..<400])).head.status == 204)
        try script.restart()
        #expect(isNoRoom(try script.ask("POST /files", UploadScript.tus + ["Upload-Length: 1", "Upload-Metadata: \(script.metadata())"])))
        #expect(isNoRoom(try script.patch(path, 400, Array(Self.text[400..<701]))))
        #expect(isNoRoom(try script.patch(path, 400, [], ["Upload-Length: 701"])))
        let client = try script.server.connect()
        let chunked = UploadScript.append + ["Upload-Offset: 400", "Transfer-Encoding: chunked"]
        client.send(
            text: (["PATCH \(path) HTTP/1.1", "Host: a", "Authorization: Bearer \(script.server.parent.token)"] + chunked).joined(separator: "\r\n")
                + "\r\n\r\n12d\r\n" + String(repeating: "x", count: 0x12D) + "\r\n0\r\n\r\n")
        #expect(isNoRoom(try script.answer(client, to: "PATCH")))
        #expect(try script.offset(path) == 400)
        #expect(try script.patch(path, 400, Array(Self.text[400..<700]), ["Upload-Length: 700"]).head.status == 204)
        #expect(try script.patch(known, 0, Array(Self.text[..<300])).head.status == 204)
        #expect(script.blob(Array(Self.text[..<700])) != nil && script.blob(Array(Self.text[..<300])) != nil)
    }

    @Test("a request without a sign-in, another member and another family see nothing")
    func strangers() throws {
        let script = try UploadScript()
        let path = try script.create(5)
        for who in [script.server.stranger, script.server.athlete] {
            for line in ["HEAD \(path)", "DELETE \(path)"] { #expect(try script.ask(line, UploadScript.tus, as: who).head.status == 404) }
        }
        var nobody = script.server.parent
        nobody.token = "no"
        let answer = try script.ask("HEAD \(path)", UploadScript.tus, as: nobody)
        #expect(answer.head.status == 401 && answer.head.fields.only("www-authenticate") == "Bearer")
        #expect(try script.offset(path) == 0)
    }

    @Test("R134 a file that differs from its extension is refused as soon as its octets show it, the answer is repeated, and its octets are removed")
    func otherKind() throws {
        let script = try UploadScript()
        let program = [0x4D, 0x5A, 0x90, 0] + [UInt8](repeating: 0, count: 9_000)
        let path = try script.create(9_004, ["filename": "a.pdf"])
        let answer = try script.patch(path, 0, program)
        #expect(answer.head.status == 415 && answer.content.contains("Invalid file type."))
        #expect(script.files(".part") == 0 && script.blob(program) == nil)
        #expect(try script.patch(path, 0, program).head.status == 415)
        #expect(try script.ask("HEAD \(path)", UploadScript.tus).head.status == 415)
    }

    @Test("a complete file that differs from the announced one is refused")
    func otherFile() throws {
        let script = try UploadScript()
        let path = try script.create(3, ["sha256": String(repeating: "0", count: 64)])
        #expect(try script.patch(path, 0, Array("abc".utf8)).head.status == 400)
        #expect(script.files(".part") == 0 && script.blob(Array("abc".utf8)) == nil)
    }

    @Test("DELETE ends an upload and what it held; later requests meet nothing")
    func cancel() throws {
        let script = try UploadScript()
        let path = try script.create(100)
        #expect(try script.patch(path, 0, Array("abc".utf8)).head.status == 204)
        #expect(try script.ask("DELETE \(path)", UploadScript.tus).head.status == 204)
        #expect(try script.ask("HEAD \(path)", UploadScript.tus).head.status == 404)
        #expect(try script.patch(path, 3, [1]).head.status == 404)
        #expect(script.disk.files.isEmpty && script.table.count == 0)
    }

    /// An upload of `text` in one request, of which so much has come.
    private func begun(_ script: UploadScript, octets: Int) throws -> (path: String, older: TestClient) {
        let path = try script.create(Self.text.count)
        let older = try script.server.connect()
        script.send(older, "PATCH \(path)", UploadScript.append + ["Upload-Offset: 0", "Content-Length: \(Self.text.count)"], Array(Self.text[..<octets]))
        for _ in 0..<20 { script.server.turn() }
        return (path, older)
    }

    @Test("a newer request makes the older yield: all its octets are stored, and it ends; in tus once it is silent", arguments: [0, 3, 5, 6, 8])
    func yields(version: Int) throws {
        let script = try UploadScript()
        let (path, older) = try begun(script, octets: 20_000)
        if version == 0 { script.server.pass(milliseconds: UploadTurns.silence) }
        let begun = Clock.monotonicMilliseconds()
        let answer = try script.ask("HEAD \(path)", version == 0 ? UploadScript.tus : ["Upload-Draft-Interop-Version: \(version)"])
        let offset = try #require(answer.head.fields.only("upload-offset").flatMap { Int($0) })
        // Immediately: no request waits for a silent one, and in the draft none waits at all.
        #expect(offset == 20_000 && (version == 0 || Clock.monotonicMilliseconds() - begun < UploadTurns.patience))
        let interrupted = try script.answer(older, to: "PATCH")
        #expect(interrupted.head.status == 423 && interrupted.head.fields.only("retry-after") == "1")
        #expect(try script.patch(path, offset, Array(Self.text[offset...])).head.status == 204)
        #expect(script.blob(Self.text) == Self.text)
    }

    @Test("tus: a HEAD while octets arrive does not interrupt them, waits for a pause, and gets the stored offset")
    func patience() throws {
        let script = try UploadScript()
        let (path, older) = try begun(script, octets: 10_000)
        let asking = try script.server.connect()
        script.send(asking, "HEAD \(path)", UploadScript.tus)
        // Now and then a little comes, for longer than anybody waits.
        var sent = 10_000, waited: Int64 = 0
        for _ in 0..<5 { script.server.turn() }
        while true {
            try asking.receive()
            guard asking.octets.isEmpty else { break }
            try #require(waited <= UploadTurns.patience + UploadTurns.silence, "who asks waits too long")
            older.send(Array(Self.text[sent..<sent + 500]))
            sent += 500
            script.server.pass(milliseconds: UploadTurns.silence / 2)
            waited += UploadTurns.silence / 2
            for _ in 0..<5 { script.server.turn() }
        }
        #expect(waited >= UploadTurns.patience - UploadTurns.silence)
        let told = try script.answer(asking, to: "HEAD")
        // Nothing of a request that has just begun is on stable storage.
        #expect(told.head.status == 200 && told.head.fields.only("upload-offset") == "0")
        older.send(Array(Self.text[sent...]))
        #expect(try script.answer(older, to: "PATCH").head.status == 204)
        #expect(script.blob(Self.text) == Self.text)
    }

    @Test("tus: a HEAD gets the offset as soon as the other request has ended, fallen silent, or yielded to a third", arguments: ["end", "cut", "silence", "draft", "PATCH", "DELETE"])
    func patienceEnds(how: String) throws {
        let script = try UploadScript()
        let (path, older) = try begun(script, octets: 10_000)
        let asking = try script.server.connect()
        script.send(asking, "HEAD \(path)", UploadScript.tus)
        for _ in 0..<5 { script.server.turn() }
        #expect(asking.octets.isEmpty)
        switch how {
        case "end": older.send(Array(Self.text[10_000...]))
        case "cut": older.leave()
        case "silence": script.server.pass(milliseconds: UploadTurns.silence)
        case "draft": #expect(try script.ask("HEAD \(path)", ["Upload-Draft-Interop-Version: 8"]).head.fields.only("upload-offset") == "10000")
        case "PATCH":
            // The place of an active sender is its own; after it another may continue.
            #expect(try script.patch(path, 0, Self.text).head.status == 409 && asking.octets.isEmpty)
            #expect(try script.patch(path, 10_000, Array(Self.text[10_000...])).head.status == 204)
        default: #expect(try script.ask("DELETE \(path)", UploadScript.tus).head.status == 204)
        }
        let told = try script.answer(asking, to: "HEAD")
        // The first request was answered first.
        #expect(told.head.status == 200 && told.head.fields.only("upload-offset") == "\(how == "end" ? Self.text.count : 10_000)")
        if how == "PATCH" || how == "end" { #expect(script.blob(Self.text) == Self.text) }
    }

    @Test("a finished upload repeats its answer to a request without content, and refuses one with content, in every dialect", arguments: [0, 3, 5, 6, 8])
    func repeats(version: Int) throws {
        let script = try UploadScript()
        let content = Array("hello".utf8)
        let path = try script.create(5)
        #expect(try script.patch(path, 0, content).head.status == 204)
        let isLast = version == 3 ? "Upload-Incomplete: ?0" : "Upload-Complete: ?1"
        let draft = ["Upload-Draft-Interop-Version: \(version)", isLast, "Content-Type: application/partial-upload"]
        let fields = (version == 0 ? UploadScript.append : draft) + ["Upload-Offset: 5"]
        func chunks(_ text: String) throws -> HTTPAnswers.One {
            let client = try script.server.connect()
            defer { client.leave() }
            let head = ["PATCH \(path) HTTP/1.1", "Host: a", "Authorization: Bearer \(script.server.parent.token)"] + fields + ["Transfer-Encoding: chunked"]
            client.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n" + text).utf8))
            return try script.answer(client, to: "PATCH")
        }
        let refused = 400, again = version == 6 ? refused : version == 0 ? 204 : 201
        #expect(try script.ask("PATCH \(path)", fields).head.status == again)
        #expect(try chunks("0\r\n\r\n").head.status == again)
        for more in [try script.ask("PATCH \(path)", fields, Array("more".utf8)), try chunks("4\r\nmore\r\n0\r\n\r\n")] {
            #expect(more.head.status == refused && more.content.contains("\"upload_complete\""), "\(more.content)")
            if version == 8 { #expect(more.head.fields.only("upload-complete") == "?0") }
        }
        if version == 0 { #expect(try script.ask("PATCH \(path)", fields + ["Upload-Length: 6"]).content.contains("\"inconsistent_length\"")) }
        // A client that sends nothing, not even the end of nothing, keeps nobody out.
        let held = try script.server.connect()
        let head = ["PATCH \(path) HTTP/1.1", "Host: a", "Authorization: Bearer \(script.server.parent.token)"] + fields + ["Transfer-Encoding: chunked"]
        held.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        for _ in 0..<20 { script.server.turn() }
        #expect(try script.offset(path) == 5)
        // Another offset: 409 with the right one, and in version 8 not as if it were the file's own answer.
        let wrong = try script.ask("PATCH \(path)", fields.map { $0.hasPrefix("Upload-Offset") ? "Upload-Offset: 2" : $0 }, Array("llo".utf8))
        #expect(wrong.head.status == 409)
        if version != 0 { #expect(wrong.head.fields.only("upload-offset") == "5") }
        if version == 8 { #expect(wrong.head.fields.only("upload-complete") == "?0") }
        #expect(script.blob(content) == content)
    }

    @Test("invalid chunks: a body with code and sentence, and the octets before them are stored", arguments: [0, 3, 5, 6, 8])
    func chunks(version: Int) throws {
        let script = try UploadScript()
        let path = try script.create(5)
        let isLast = version == 3 ? "Upload-Incomplete: ?0" : "Upload-Complete: ?1"
        let draft = ["Upload-Draft-Interop-Version: \(version)", isLast, "Content-Type: application/partial-upload"]
        let fields = (version == 0 ? UploadScript.append : draft) + ["Upload-Offset: 0", "Transfer-Encoding: chunked"]
        let client = try script.server.connect()
        let head = ["PATCH \(path) HTTP/1.1", "Host: a", "Authorization: Bearer \(script.server.parent.token)"] + fields
        client.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n3\r\nhel\r\nZ\r\n").utf8))
        let answer = try script.answer(client, to: "PATCH")
        #expect(answer.head.status == 400 && answer.content.contains("\"code\":\"bad_request\""), "\(answer.content)")
        #expect(try script.offset(path) == 3)
        #expect(try script.patch(path, 3, Array("lo".utf8)).head.status == 204)
    }

    @Test("a client that sends almost nothing for half a minute is refused in its protocol, and its octets are stored", arguments: [0, 3, 5, 6, 8])
    func tooSlow(version: Int) throws {
        let script = try UploadScript()
        let path = try script.create(Self.text.count)
        let isLast = version == 3 ? "Upload-Incomplete: ?0" : "Upload-Complete: ?1"
        let draft = ["Upload-Draft-Interop-Version: \(version)", isLast, "Content-Type: application/partial-upload"]
        let client = try script.server.connect()
        let fields = (version == 0 ? UploadScript.append : draft) + ["Upload-Offset: 0", "Content-Length: \(Self.text.count)"]
        script.send(client, "PATCH \(path)", fields, Array(Self.text[..<9_000]))
        for _ in 0..<20 { script.server.turn() }
        script.server.pass(milliseconds: Progress.time)
        let answer = try script.answer(client, to: "PATCH")
        #expect(answer.head.status == (version == 0 ? 408 : 503) && answer.content.contains("\"too_slow\""), "\(answer.content)")
        #expect(answer.head.fields.only(version == 0 ? "tus-resumable" : "upload-draft-interop-version") == (version == 0 ? "1.0.0" : "\(version)"))
        #expect(try script.offset(path) == 9_000)
    }

    @Test("a PATCH at another offset than that of the older one gets 409 immediately; the older continues, also when it has sent nothing yet")
    func loses() throws {
        let script = try UploadScript()
        // More than a request gathers before the disk is given any of it.
        let content = Array(repeating: Self.text, count: 6).flatMap { $0 }
        for (already, other) in [(140_000, 0), (140_000, 5_000), (0, 1)] {
            let path = try script.create(content.count)
            let older = try script.server.connect()
            let head = UploadScript.append + ["Upload-Offset: 0", "Content-Length: \(content.count)"]
            script.send(older, "PATCH \(path)", head, Array(content[..<already]))
            for _ in 0..<20 {
                script.server.turn()
                try older.receive()
            }
            let loser = try script.patch(path, other, Array(content[other...]))
            #expect(loser.head.status == 409 && loser.content.contains("\"offset_mismatch\""), "\(already) \(other)")
            older.send(Array(content[already...]))
            #expect(try script.answer(older, to: "PATCH").head.status == 204)
            #expect(try script.offset(path) == content.count)
        }
    }

    @Test("two that begin at the same offset: the newer one has the upload, and the older is refused as locked")
    func locks() throws {
        let script = try UploadScript()
        let path = try script.create(Self.text.count)
        let older = try script.server.connect()
        script.send(older, "PATCH \(path)", UploadScript.append + ["Upload-Offset: 0", "Content-Length: \(Self.text.count)"])
        for _ in 0..<20 { script.server.turn() }
        #expect(try script.patch(path, 0, Self.text).head.status == 204)
        #expect(try script.answer(older, to: "PATCH").head.status == 423)
        #expect(script.blob(Self.text) == Self.text)
    }

    @Test("of several that send the same octets at the same time, in any portions, exactly one stores them", arguments: 0..<40)
    func races(seed: UInt64) throws {
        let script = try UploadScript()
        var random = SplitMix64(seed: seed)
        let hasChecksum = seed % 4 == 3
        let content = Array(Self.text[..<(20_000 + Int(random.next() % 16_000))])
        let path = try script.create(content.count)
        let checksum = hasChecksum ? ["Upload-Checksum: \(UploadChecksum(.sha256, Digest.sha256(content)).tus)"] : []
        let count = 2 + Int(random.next() % 4)
        var left: [(client: TestClient, octets: ArraySlice<UInt8>)] = []
        for _ in 0..<count {
            let client = try script.server.connect()
            script.send(client, "PATCH \(path)", UploadScript.append + checksum + ["Upload-Offset: 0", "Content-Length: \(content.count)"])
            left.append((client, content[...]))
            for _ in 0..<(random.next() % 3) { script.server.turn() }
        }
        while left.contains(where: { !$0.octets.isEmpty }) {
            let index = Int(random.next() % UInt64(count))
            let portion = min(left[index].octets.count, 1 + Int(random.next() % 9_000))
            left[index].client.send(Array(left[index].octets.prefix(portion)))
            left[index].octets.removeFirst(portion)
            for _ in 0..<(random.next() % 3) { script.server.turn() }
        }
        let statuses = try left.map { try script.answer($0.client, to: "PATCH").head.status }
        #expect(statuses.count { $0 == 204 } == 1 && statuses.allSatisfy { [204, 409, 423].contains($0) }, "seed \(seed): \(statuses)")
        #expect(script.blob(content) == content, "seed \(seed)")
    }

    @Test("a broken connection leaves its octets; the next one continues there")
    func breaks() throws {
        let script = try UploadScript()
        let path = try script.create(Self.text.count)
        let client = try script.server.connect()
        script.send(client, "PATCH \(path)", UploadScript.append + ["Upload-Offset: 0", "Content-Length: \(Self.text.count)"], Array(Self.text[..<30_000]))
        for _ in 0..<20 { script.server.turn() }
        client.leave()
        let offset = try #require(try script.offset(path))
        #expect(try script.patch(path, offset, Array(Self.text[offset...])).head.status == 204)
        #expect(script.blob(Self.text) == Self.text)
    }

    @Test("Content beyond the length is refused, announced or in chunks; only draft version 8 ends the upload", arguments: [0, 3, 5, 6, 8])
    func overflow(version: Int) throws {
        let script = try UploadScript()
        let path = try script.create(3)
        let isLast = version == 3 ? "Upload-Incomplete: ?0" : "Upload-Complete: ?1"
        let draft = ["Upload-Draft-Interop-Version: \(version)", isLast, "Content-Type: application/partial-upload"]
        let fields = (version == 0 ? UploadScript.append : draft) + ["Upload-Offset: 0"]
        let status = version == 0 ? 413 : 400
        // In chunks the length shows only with the octet that is too many.
        let client = try script.server.connect()
        let head = ["PATCH \(path) HTTP/1.1", "Host: a", "Authorization: Bearer \(script.server.parent.token)"] + fields + ["Transfer-Encoding: chunked"]
        client.send(text: head.joined(separator: "\r\n") + "\r\n\r\n4\r\nabcd\r\n0\r\n\r\n")
        let chunked = try script.answer(client, to: "PATCH")
        #expect(chunked.head.status == status && chunked.content.contains("\"length_exceeded\""), "\(chunked.content)")
        if version != 8 {
            let offset = try #require(try script.offset(path))
            let announced = try script.ask("PATCH \(path)", fields.dropLast() + ["Upload-Offset: \(offset)"], Array("abcd".utf8))
            // A request of the draft says that it ends the file, so its length shows another length of the file.
            let code = version == 0 ? "length_exceeded" : "inconsistent_length"
            #expect(announced.head.status == status && announced.content.contains("\"\(code)\""), "\(announced.content)")
            #expect(try script.offset(path) == offset)
            #expect(try script.patch(path, offset, Array("abc".utf8).suffix(3 - offset)).head.status == 204)
            #expect(script.blob(Array("abc".utf8)) != nil)
        } else {
            let again = try script.ask("PATCH \(path)", fields, Array("abc".utf8))
            #expect(again.head.status == 400 && again.content.contains("\"length_exceeded\""), "\(again.head.status) \(again.content)")
            #expect(script.blob(Array("abc".utf8)) == nil)
            // The answer leaves before the file pool has deleted the file.
            try script.server.until("the file is deleted") { script.files(".part") == 0 }
        }
    }

    @Test("an upload that nobody continues expires")
    func expires() throws {
        let script = try UploadScript()
        let path = try script.create(100)
        script.ahead = Int64(Limits().uploadLife) + 1_000
        script.server.pass(milliseconds: UploadTable.sweepInterval + 1)
        try script.server.until("it is gone") { script.table.count == 0 && script.disk.files.isEmpty }
        #expect(try script.ask("HEAD \(path)", UploadScript.tus).head.status == 404)
    }

    @Test("whichever call of the disk fails: a right status, no acknowledged octet lost, and the file in the end", arguments: [
        Errno.noSpace, Errno(5), Errno(24),
    ])
    func faults(errno: Errno) throws {
        var call = 0
        var isReached = true
        while isReached {
            let script = try UploadScript()
            let content = Array(Self.text[..<9_000])
            let before = script.disk.calls
            script.disk.fail(after: call, .fails(errno))
            var path: String?
            var told = 0
            for attempt in 0..<6 {
                if path == nil {
                    let made = try script.ask("POST /files", UploadScript.tus + ["Upload-Length: 9000", "Upload-Metadata: \(script.metadata())"])
                    if made.head.status == 201 {
                        path = made.head.fields.only("location")
                    } else {
                        #expect([500, 503, 507].contains(made.head.status) && script.table.count == 0, "call \(call): \(made.head.status)")
                    }
                    continue
                }
                guard let path else { continue }
                let offset = try #require(try script.offset(path), "call \(call)")
                #expect(offset >= told, "call \(call): from \(told) back to \(offset)")
                told = offset
                let half = attempt < 2 ? min(4_500, content.count) : content.count
                let answer = try script.patch(path, offset, Array(content[offset..<max(offset, half)]))
                if answer.head.status == 204 {
                    told = Int(answer.head.fields.only("upload-offset") ?? "") ?? -1
                } else {
                    let expected = errno == .noSpace ? 507 : errno == Errno(24) ? 503 : 500
                    #expect(answer.head.status == expected, "call \(call): \(answer.head.status) \(answer.content)")
                }
                if script.blob(content) != nil, told == content.count { break }
            }
            #expect(script.blob(content) == content, "call \(call)")
            isReached = script.disk.calls - before > call
            call += 1
        }
        #expect(call > 15)
    }

    @Test("a server that starts again knows every upload, finishes full ones, and removes orphans")
    func restart() throws {
        let disk = MemoryDisk(root: "/d")
        let content = Array("abcdef".utf8)
        let path: String
        do {
            let script = try UploadScript(disk: disk)
            path = try script.create(6)
            #expect(try script.patch(path, 0, Array(content[..<4])).head.status == 204)
        }
        // The members are others, as after a restored backup: nobody may continue it, and nothing traps.
        let again = try UploadScript(disk: disk)
        #expect(again.table.count == 1)
        #expect(try again.ask("HEAD \(path)", UploadScript.tus).head.status == 404)
    }
}

@Suite("When an upload is synced")
struct UploadSyncTests {
    @Test("not for few octets; then once per second, and sooner after many", arguments: [
        // Mebibytes that come, milliseconds that pass after each, and how many are on stable storage after each.
        (1, 2_000, [0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8]), (1, 0, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), (4, 500, [0, 8, 8, 16, 16, 24, 24]),
       
        (8, 1, [0, 0, 0, 32, 32, 32, 32, 64]),
    ])
    func cadence(mebibytes: Int, passing: Int64, synced: [Int64]) throws {
        final class Time: Sendable {
            let now = Lock<Int64>(1)
        }
        let time = Time()
        let disk = MemoryDisk(root: "/d")
        let (folder, blobs) = (UploadFolder(path: "/d/uploads", disk: disk), BlobFolder(path: "/d/blobs", disk: disk))
        try folder.prepare()
        let id = Identifier(high: 1, low: 1)
        let who = Base64.encode(Array(id.description.utf8))
        let metadata = try UploadMetadata(["family \(who),athlete \(who),type cmVzdW1l,title w6k=,filename YS5wZGY="])
        let record = try UploadRecord(member: id, createdAt: 5, endsWhenFull: true, metadata: metadata)
        let steps = UploadSteps(id, record, folder: folder, blobs: blobs, now: { time.now.withLock { $0 } })
        _ = try steps.create(length: 100 << 20, description: record.encoded).get()
        _ = try steps.begin(at: 0, length: nil, checksum: nil).get()
        let octets = Array("%PDF-1.7".utf8) + [UInt8](repeating: 7, count: mebibytes << 20 - 8)
        var found: [Int64] = []
        for _ in synced {
            time.now.withLock { $0 += passing }
            found.append(try octets.withUnsafeBytes { try steps.take($0).get().offset } >> 20)
        }
        #expect(found == synced)
        // The client that ends a request has all octets so far.
        #expect(steps.end(isWhole: false, completes: nil, checksum: nil).standing?.offset == Int64(synced.count * octets.count))
    }
}

@Suite("The stored state of an upload")
struct UploadRecordTests {
    @Test("a description is read back, with metadata as they were written", arguments: [true, false])
    func record(isWritten: Bool) throws {
        let id = "0198c2a4-0000-7000-8000-00000000000a"
        var metadata = try UploadMetadata([
            "family \(Base64.encode(Array(id.utf8))),athlete \(Base64.encode(Array(id.utf8))), type cmVzdW1l,title w6k=,filename YS5wZGY=,x",
        ])
        if !isWritten { metadata.forgetWriting() }
        let member = Identifier(high: 1, low: 2)
        var record = try UploadRecord(member: member, createdAt: 5, endsWhenFull: isWritten, metadata: metadata)
        record.mostOctets = isWritten ? 77 : nil
        let back = try #require(UploadRecord(record.encoded))
        #expect(back.mostOctets == record.mostOctets)
        #expect(back.member == member && back.createdAt == 5 && back.endsWhenFull == isWritten && back.document == record.document)
        #expect(back.metadata.written == metadata.written)
        #expect(UploadRecord([]) == nil && UploadRecord(Array("{}".utf8)) == nil)
        let document = back.newDocument(member, octets: 7, sha256: [0xAB])
        #expect(document.fields.assignments.map(\.field) == document.fields.assignments.map(\.field).sorted())
        #expect(document.file.type == "application/pdf" && document.file.sha256 == "ab" && document.fields.assignments.count == 2)
    }

    @Test("an outcome is read back, and a long sentence is cut to its slot", arguments: [
        .finished(sha256: [UInt8](repeating: 7, count: 32)), .refused(.fileType(.transcript)), .refused(.fileMismatch),
    ] as [UploadEnd])
    func end(end: UploadEnd) {
        let octets = end.encoded(limit: StoredUploadProgress.maxOutcome)
        #expect(octets.count <= StoredUploadProgress.maxOutcome)
        #expect(UploadEnd(octets) == end || end == .refused(.fileType(.transcript)) && UploadEnd(octets) != nil)
        let long = UploadEnd.refused(UploadRefusal("a", 400, String(repeating: "é\"", count: 500)))
        let cut = long.encoded(limit: StoredUploadProgress.maxOutcome)
        #expect(cut.count <= StoredUploadProgress.maxOutcome && UploadEnd(cut) != nil)
        #expect(UploadEnd([]) == nil && UploadEnd(Array("+x".utf8)) == nil)
    }
}
