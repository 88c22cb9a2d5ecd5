import Bytes
import Crypto
@testable import Documents
import Glibc
import HTTPClient
import Locks
import Posix
@testable import Sessions
import Testing

@Suite("Documents at a server that violates every rule", .serialized)
final class DocumentServerTests {
    private let folder: String
    private static let octets = Array("%PDF-1.4 and some more".utf8)
    private let new = NewUpload(
        family: Identifier(high: 1, low: 1), athlete: Identifier(high: 1, low: 2), type: "resume", title: "A, b", description: "ü", school: Identifier(high: 1, low: 3),
        replaces: Identifier(high: 1, low: 4), fileName: "a.pdf")
    private let id = Identifier(high: 7, low: 7)

    init() throws {
        folder = try Files.makeTemporaryFolder()
        try Files.write(Self.octets, to: folder + "/a.pdf")
    }

    deinit { try? Files.removeTree(folder) }

    private func documents(_ server: HostileServer) throws -> DocumentServer {
        try DocumentServer(ServerAddress("ws://127.0.0.1:\(server.port)"), token: "secret")
    }

    /// Waits move only the clock of the upload.
    private func upload(
        _ server: HostileServer, patience: Int64 = 5_000, expecting expected: FileStamp? = nil, step: @escaping (DocumentUpload.Step) -> Bool = { _ in true }
    ) throws -> Result<Identifier, DocumentFailure> {
        var clock: Int64 = 0
        var uploading = DocumentUpload(
            try documents(server), address: "x", memory: UploadMemory(folder: folder), patience: patience, seed: 1, now: { clock },
            wait: { clock += $0; return true })
        let (new, path, memory) = (new, folder + "/a.pdf", UploadMemory(folder: folder))
        return Result { () throws(DocumentFailure) in
            let uploaded = try uploading.run(new, path: path, expecting: expected, step: step)
            memory.forget(uploaded.key)
            return uploaded.document
        }
    }

    private func refused(_ result: Result<Identifier, DocumentFailure>, _ code: String) -> Bool {
        if case .failure(.refused(_, code, _)) = result { true } else { false }
    }

    private func offline(_ result: Result<Identifier, DocumentFailure>, _ words: String) -> Bool {
        if case .failure(.offline(let sentence)) = result { sentence.contains(words) } else { false }
    }

    // MARK: Uploads

    @Test("An upload sends its description and the token, and its memory goes with its end")
    func good() throws {
        let id = id
        let server = try HostileServer { _, request in
            switch request.line {
            case "POST /files":
                let isRight = request.fields["authorization"] == "Bearer secret" && request.fields["upload-length"] == "22"
                    && request.fields["tus-resumable"] == "1.0.0" && request.fields["upload-metadata"]?.contains("title QSwgYg==,") == true
                return HostileServer.reply(isRight ? 201 : 400, ["Location: http://elsewhere.example/files/\(id)"])
            case "PATCH /files/\(id)":
                return HostileServer.reply(request.content == Self.octets ? 204 : 400, ["Upload-Offset: 22"])
            default: return HostileServer.reply(500)
            }
        }
        defer { server.end() }
        // The location is a path at this server, whichever server it names.
        #expect(try upload(server) == .success(id))
        #expect(try Files.list(folder + "/uploads") == [])
    }

    @Test("A client takes no impossible offset for the end, and asks for none for ever", arguments: [
        ("23", "bad_offset"), ("9223372036854775807", "bad_offset"), ("-1", "http_204"), ("x", "http_204"), ("99999999999999999999", "http_204"),
    ])
    func offsets(offset: String, code: String) throws {
        let id = id
        let server = try HostileServer { _, request in
            request.line == "POST /files" ? HostileServer.reply(201, ["Location: /files/\(id)"]) : HostileServer.reply(204, ["Upload-Offset: \(offset)"])
        }
        defer { server.end() }
        let result = try upload(server)
        #expect(refused(result, code), "\(result)")
        #expect(server.lines.count == 2)
    }

    @Test("A client gives up after a while if a server accepts nothing, reports another sender, or forgets each upload", arguments: [
        "nothing", "contested", "forgetting", "busy", "closing",
    ])
    func endless(_ how: String) throws {
        let id = id
        let server = try HostileServer { _, request in
            switch (request.line.prefix(4), how) {
            case ("POST", _): HostileServer.reply(201, ["Location: /files/\(id)"])
            case ("HEAD", "forgetting"): HostileServer.reply(404)
            case ("HEAD", _): HostileServer.reply(200, ["Upload-Offset: 0"])
            case (_, "nothing"): HostileServer.reply(204, ["Upload-Offset: 0"])
            case (_, "contested"): HostileServer.reply(409)
            case (_, "busy"): HostileServer.reply(503, [], "{\"code\":\"busy\",\"sentence\":\"Later.\"}")
            default: ""
            }
        }
        defer { server.end() }
        let result = try upload(server)
        #expect(offline(result, "Upload failed. Please try again."), "\(result)")
        // With growing pauses: five seconds are a few attempts.
        #expect((3...60).contains(server.lines.count), "\(server.lines.count)")
        // The next run resumes.
        #expect(try Files.list(folder + "/uploads").count == 1)
    }

    @Test("Invalid locations, redirects, and meaningless responses are refusals with a sentence", arguments: [
        ("201", "Location: //evil.example/files/1", "http_201"), ("201", "Location: http://evil.example", "http_201"), ("201", "X: 1", "http_201"),
        ("201", "Location: /files/nobody", "bad_place"), ("201", "Location: /files/a\u{7F}b", "http_201"), ("302", "Location: http://127.0.0.1:1/", "http_302"),
        ("200", "Location: /files/1", "http_200"), ("999", "X: 1", "http_999"),
    ])
    func places(status: String, field: String, code: String) throws {
        let server = try HostileServer { _, _ in HostileServer.reply(Int(status) ?? 0, [field]) }
        defer { server.end() }
        let result = try upload(server)
        #expect(refused(result, code), "\(result)")
        #expect(server.lines == ["POST /files"])
        #expect(((try? Files.list(folder + "/uploads")) ?? []) == [])
    }

    @Test("A client shows a server's text without anything that steers a terminal; heads of any size do no harm")
    func sentences() throws {
        let server = try HostileServer { number, _ in
            number == 0
                ? HostileServer.reply(403, [], "{\"code\":\"not_allowed\",\"sentence\":\"No\\u001b[2J.\",\"more\":[1,{}]}")
                : HostileServer.reply(403, (0..<900).map { "X-\($0): \(String(repeating: "y", count: 200))" }, "[[[[")
        }
        defer { server.end() }
        guard case .failure(.refused(403, "not_allowed", let sentence)) = try upload(server) else { return #expect(Bool(false), "not refused") }
        #expect(!sentence.contains("\u{1B}"))
        if case .success = try upload(server) { #expect(Bool(false), "it went on") }
    }

    @Test("After a 401 the sent octets are not forgotten")
    func signedOut() throws {
        let id = id
        let server = try HostileServer { _, request in
            request.line.hasPrefix("POST") ? HostileServer.reply(201, ["Location: /files/\(id)"]) : HostileServer.reply(401, [], "{\"code\":\"token_unknown\",\"sentence\":\"Sign in.\"}")
        }
        defer { server.end() }
        #expect(refused(try upload(server), "token_unknown"))
        #expect(try Files.list(folder + "/uploads").count == 1)
    }

    // MARK: Files that change

    /// A server that accepts ten octets per request, and then breaks the connection.
    private func slow(_ taken: Taken) throws -> HostileServer {
        let id = id
        return try HostileServer { _, request in
            switch request.line.prefix(4) {
            case "POST":
                taken.begin()
                return HostileServer.reply(201, ["Location: /files/\(id)"])
            case "HEAD": return taken.octets.isEmpty ? HostileServer.reply(404) : HostileServer.reply(200, ["Upload-Offset: \(taken.octets.count)"])
            case "PATC":
                taken.add(request.content.prefix(10))
                return taken.octets.count == Self.octets.count ? HostileServer.reply(204, ["Upload-Offset: \(Self.octets.count)"]) : ""
            default:
                taken.begin()
                return HostileServer.reply(204)
            }
        }
    }

    private final class Taken: Sendable {
        private let held = Lock<[UInt8]>([])
        var octets: [UInt8] { held.withLock { $0 } }
        func begin() { held.withLock { $0 = [] } }
        func add(_ more: ArraySlice<UInt8>) { held.withLock { $0 += more } }
    }

    private func stamp() throws -> FileStamp { FileStamp(try #require(try Files.status(folder + "/a.pdf"))) }

    @Test("R141 An unchanged file resumes where it stopped; the store gets its digest before any octet leaves")
    func unchanged() throws {
        let taken = Taken()
        let read = Lock<[FileStamp]>([])
        let server = try slow(taken)
        defer { server.end() }
        let expected = try stamp()
        // Cancelled in the middle, as by the end of a program.
        let first = try upload(server, expecting: expected) { step in
            if case .read(let stamp) = step { read.withLock { $0.append(stamp) } }
            if case .waits = step { return false }
            return true
        }
        #expect(first == .failure(.cancelled) && taken.octets.count == 10)
        let known = try #require(read.withLock { $0.first })
        #expect(known.sha256 == Hex.encode(Digest.sha256(Self.octets)) && known.octets == expected.octets)
        // Only touched: the digest shows that the content is the same.
        try Files.write(Self.octets, to: folder + "/a.pdf")
        #expect(try upload(server, expecting: known) == .success(id))
        #expect(taken.octets == Self.octets && server.lines.count { $0.hasPrefix("POST") } == 1)
    }

    @Test("R141 A file that has changed or is gone is reported in one sentence, and nothing of either is left", arguments: ["changed", "same length and time", "gone", "never read"])
    func changed(how: String) throws {
        let taken = Taken()
        let server = try slow(taken)
        defer { server.end() }
        var expected = try stamp()
        _ = try upload(server, expecting: expected) { if case .waits = $0 { false } else { true } }
        if how != "never read" { expected.sha256 = Hex.encode(Digest.sha256(Self.octets)) }
        switch how {
        case "gone": try Files.remove(folder + "/a.pdf")
        case "same length and time":
            try Files.write(Self.octets.reversed(), to: folder + "/a.pdf")
            expected.changed = try stamp().changed
        default: try Files.write(Self.octets + [1], to: folder + "/a.pdf")
        }
        guard case .failure(.file(let sentence)) = try upload(server, expecting: expected) else { return #expect(Bool(false), "it went on") }
        #expect(sentence.contains(how == "gone" ? "no longer exists" : "has changed since its upload was asked for") && sentence.contains("nothing of it is kept"))
        #expect(server.lines.count { $0.hasPrefix("PATCH") } == 1, "octets of another file were sent")
        // The server's octets are dropped, if they can be named.
        if how != "never read" { #expect(server.lines.last == "DELETE /files/\(id)" && taken.octets.isEmpty) }
    }

    @Test("R141 A file that changes during its upload is not sent half old and half new")
    func changing() throws {
        let taken = Taken()
        let server = try slow(taken)
        defer { server.end() }
        let path = folder + "/a.pdf"
        let result = try upload(server) { step in
            if case .waits = step, let file = try? Files.openForUpdating(path) { try? Files.overwrite(file.raw, Array(Self.octets.reversed() + [1]), at: 0) }
            return true
        }
        guard case .failure(.file(let sentence)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(sentence.contains("changed while it was on its way") && server.lines.last == "DELETE /files/\(id)")
        #expect(try Files.list(folder + "/uploads") == [])
    }

    @Test("R139 R146 Failures have the words of the requirements", arguments: [
        (DocumentFailure(HTTPClientError.timedOut), "Upload failed: Connection timed out."), (.offline("Upload failed. Please try again. x"), "Upload failed. Please try again. x"),
        (.cancelled, "The transfer was given up."), (.file("a is empty."), "Upload failed: a is empty."),
    ])
    func words(failure: DocumentFailure, sentence: String) {
        #expect(failure.sentence(isUpload: true) == sentence)
        #expect(failure.sentence(isUpload: false) == failure.sentence)
    }

    @Test("R146 An error of the server is reported in plain words", arguments: [(500, "Server error. Please try again."), (418, "The server answered with status 418, which was not expected here.")])
    func broken(status: Int, sentence: String) throws {
        let server = try HostileServer { _, _ in HostileServer.reply(status) }
        defer { server.end() }
        guard case .failure(let failure) = try upload(server) else { return #expect(Bool(false), "it went on") }
        #expect(failure.sentence == sentence)
    }

    // MARK: Downloads

    private func download(_ server: HostileServer, to name: String = "got") throws -> Result<Void, DocumentFailure> {
        let file = DocumentDownload.File(document: id, octets: Int64(Self.octets.count), sha256: Hex.encode(Digest.sha256(Self.octets)))
        var downloading = DocumentDownload(try documents(server), attempts: 3, seed: 1) { _ in true }
        let path = folder + "/" + name
        return Result { () throws(DocumentFailure) in try downloading.run(file, to: path) { _ in true } }
    }

    @Test("An interrupted download resumes; a file with a wrong digest never gets its name")
    func downloads() throws {
        let text = String(decoding: Self.octets, as: UTF8.self)
        let cut = try HostileServer { number, request in
            number == 0
                ? "HTTP/1.1 200 OK\r\nContent-Length: 22\r\nConnection: close\r\n\r\n" + text.prefix(9)
                : request.fields["range"] == "bytes=9-" && request.fields["if-range"] == "\"\(Hex.encode(Digest.sha256(Self.octets)))\""
                    ? HostileServer.reply(206, [], String(text.dropFirst(9))) : HostileServer.reply(400)
        }
        defer { cut.end() }
        _ = try download(cut).get()
        #expect(try Files.read(folder + "/got") == Self.octets)
        #expect(cut.lines.count == 2)

        for wrong in [String(text.reversed()), text + "more", ""] {
            let server = try HostileServer { _, _ in HostileServer.reply(200, [], wrong) }
            defer { server.end() }
            guard case .failure(.offline(let sentence)) = try download(server, to: "wrong") else { return #expect(Bool(false), "it was taken") }
            #expect(sentence.hasPrefix("Download failed. Please try again."))
            #expect(!Files.exists(folder + "/wrong") && server.lines.count == 3)
        }
    }

    @Test("A server that sends without end does not fill the disk")
    func flood() throws {
        let server = try HostileServer { _, _ in
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: 3_000_000)
        }
        defer { server.end() }
        if case .success = try download(server, to: "flood") { #expect(Bool(false), "it was taken") }
        let left = try Files.list(folder).filter { $0.hasSuffix(".part") }
        for name in left { #expect(try Files.status(folder + "/" + name)?.size ?? 0 <= 3_000_000) }
        #expect(!Files.exists(folder + "/flood"))
    }

    @Test("A download writes to no file that another user put under its temporary name", arguments: ["link", "hard link", "pipe", "folder"])
    func planted(what: String) throws {
        let server = try HostileServer { _, _ in HostileServer.reply(200, [], String(decoding: Self.octets, as: UTF8.self)) }
        defer { server.end() }
        let victim = folder + "/victim"
        try Files.write(Array("precious, and longer than the document".utf8), to: victim)
        let file = DocumentDownload.File(document: id, octets: Int64(Self.octets.count), sha256: Hex.encode(Digest.sha256(Self.octets)))
        let part = DocumentDownload.part(of: file, for: folder + "/got")
        switch what {
        case "link": #expect(symlink(victim, part) == 0)
        case "hard link": #expect(link(victim, part) == 0)
        case "pipe": #expect(mkfifo(part, 0o666) == 0)
        default: try Files.makeFolder(part)
        }
        guard case .failure(.file(let sentence)) = try download(server) else { return #expect(Bool(false), "it was written") }
        #expect(sentence.contains("is a link, or not a file of yours") && sentence.contains("--output"), "\(sentence)")
        #expect(try Files.read(victim) == Array("precious, and longer than the document".utf8) && server.lines.isEmpty)
        #expect(!Files.exists(folder + "/got"))
    }

    // MARK: Values

    @Test("Metadata are the pairs of tus, each value in base64, and absent ones are omitted")
    func metadata() throws {
        let pairs = new.metadata(sha256: [UInt8](repeating: 255, count: 32)).split(separator: ",").map { $0.split(separator: " ").map(String.init) }
        let values = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], String(decoding: Base64.decode($0[1]) ?? [], as: UTF8.self)) })
        #expect(values == [
            "family": "\(Identifier(high: 1, low: 1))", "athlete": "\(Identifier(high: 1, low: 2))", "type": "resume", "title": "A, b", "filename": "a.pdf", "description": "ü",
            "school_id": "\(Identifier(high: 1, low: 3))", "replaces": "\(Identifier(high: 1, low: 4))", "sha256": String(repeating: "f", count: 64),
        ])
        let plain = NewUpload(family: new.family, athlete: new.athlete, type: "resume", title: "x", fileName: "a")
        #expect(plain.metadata(sha256: nil).split(separator: ",").count == 5)
    }

    @Test("An upload is remembered for one server, one file content, and one description of it; without a folder, not at all")
    func memory() throws {
        let memory = UploadMemory(folder: folder + "/state")
        func key(_ upload: NewUpload, _ server: String = "s", _ sha256: String = "00") -> String { memory.key(upload, server: server, sha256: sha256) }
        var other = new
        other.title = "B"
        var split = new
        (split.type, split.title) = ("resum", "eA, b")
        let keys = [key(new), key(other), key(split), key(new, "t"), key(new, "s", "01")]
        #expect(Set(keys).count == keys.count)
        memory.keep(keys[0], place: "/files/1")
        #expect(memory.place(keys[0]) == "/files/1" && memory.place(keys[1]) == nil)
        #expect(try Files.status(folder + "/state/uploads/" + keys[0])?.mode == 0o600)
        memory.forget(keys[0])
        #expect(memory.place(keys[0]) == nil)
        try Files.write([0xFF, 0xFE], to: folder + "/state/uploads/" + keys[1])
        #expect(memory.place(keys[1]) == nil)
        // An upload abandoned for weeks is removed with the next stored one.
        memory.keep(keys[2], place: "/files/2")
        #expect(utimes(folder + "/state/uploads/" + keys[1], [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]) == 0)
        memory.keep(keys[3], place: "/files/3")
        #expect(Set(try Files.list(folder + "/state/uploads")) == [keys[2], keys[3]])
        let none = UploadMemory(folder: nil)
        none.keep("k", place: "/files/1")
        #expect(none.place("k") == nil)
    }

    @Test("Links are read with any further content; an invalid link is refused")
    func links() throws {
        let school = Identifier(high: 3, low: 3)
        let list = try ShareLink.readList(Array("{\"next\":null,\"shares\":[{\"id\":\"a\",\"school\":\"\(school)\",\"expires_at\":50,\"views\":2,\"x\":[{}]},{\"id\":\"b\",\"ended_at\":3,\"expires_at\":50}]}".utf8))
        #expect(list.map(\.id) == ["a", "b"] && list[0].school == school && list[0].views == 2)
        #expect(list[0].isOpen(at: 49) && !list[0].isOpen(at: 50) && !list[1].isOpen(at: 1))
        let whole = Array("{\"shares\":[{\"id\":\"a\",\"views\":1}]}".utf8)
        for count in 0..<whole.count { #expect(throws: (any Error).self) { try ShareLink.readList(Array(whole[..<count])) } }
        for wrong in ["[]", "{\"shares\":{}}", "{\"shares\":[{\"views\":\"1\"}]}", "{\"shares\":[{\"school\":\"x\"}]}", "{\"shares\":[{\"views\":1.5}]}"] {
            #expect(throws: (any Error).self) { try ShareLink.readList(Array(wrong.utf8)) }
        }
    }
}
