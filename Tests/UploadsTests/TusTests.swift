import Testing

@testable import Uploads

@Suite("tus 1.0.0: requests")
struct TusRequestTests {
    @Test("A request with another version, or without one, gets 412 and the supported version", arguments: [
        [], ["Tus-Resumable: 0.2.2"], ["Tus-Resumable: 1.0.1"], ["Tus-Resumable:"], ["Tus-Resumable: 1.0.0", "Tus-Resumable: 1.0.0"],
    ])
    func version(fields: [String]) throws {
        for line in ["POST /files", "HEAD /files/\(Script.id)", "PATCH /files/\(Script.id)", "DELETE /files/\(Script.id)"] {
            let refusal = try #require(try Script.refusal([line] + fields + ["Upload-Length: 1"]))
            #expect(refusal == .tusVersion)
            let answer = Script.answer(.tus, .refused(refusal, nil))
            #expect(answer.status == 412 && answer.field("Tus-Version") == "1.0.0" && answer.field("Tus-Resumable") == "1.0.0")
        }
    }

    @Test("OPTIONS gets a response without a version, and with any version", arguments: [[], ["Tus-Resumable: 0.1"]])
    func options(fields: [String]) throws {
        #expect(try Script.parse(["OPTIONS /files"] + fields) == .options)
        #expect(try Script.parse(["OPTIONS /files/\(Script.id)"] + fields) == .options)
    }

    @Test("OPTIONS returns versions, extensions, the largest file and the checksums")
    func optionsAnswer() {
        let answer = Script.answer(.tus, .options)
        #expect(answer.status == 204)
        #expect(answer.field("Tus-Version") == "1.0.0")
        #expect(answer.field("Tus-Extension") == "creation,creation-defer-length,creation-with-upload,expiration,checksum,termination")
        #expect(answer.field("Tus-Max-Size") == "104857600")
        #expect(answer.field("Tus-Checksum-Algorithm") == "sha1,sha256")
    }

    @Test("The server accepts HEAD, PATCH and DELETE of an upload, POST to the collection, and nothing else", arguments: [
        ("HEAD", true), ("PATCH", true), ("DELETE", true), ("GET", false), ("POST", false), ("PUT", false), ("head", false),
    ])
    func methods(method: String, isKnown: Bool) throws {
        let fields = ["Content-Type: application/offset+octet-stream", "Upload-Offset: 0"]
        let refusal = try Script.refusal(["\(method) /files/\(Script.id)", "Tus-Resumable: 1.0.0"] + fields)
        #expect((refusal == nil) == isKnown)
        if let refusal { #expect(refusal.status == 405 && refusal.allow == "OPTIONS, HEAD, PATCH, DELETE") }
        let toAll = try Script.refusal(["\(method) /files", "Tus-Resumable: 1.0.0", "Upload-Length: 1"])
        #expect(toAll.map { $0.status == 405 && $0.allow == "OPTIONS, POST" } == (method == "POST" ? nil : true))
    }

    @Test("X-HTTP-Method-Override replaces any method")
    func methodOverride() throws {
        let path = "/files/\(Script.id)"
        #expect(try Script.parse(Script.tus("POST \(path)", "X-HTTP-Method-Override: DELETE")) == .cancel(Script.upload))
        #expect(try Script.parse(Script.tus("GET \(path)", "X-HTTP-Method-Override: HEAD")) == .offset(Script.upload))
        let patch = try Script.parse(
            Script.tus("POST \(path)", "X-HTTP-Method-Override: PATCH", "Upload-Offset: 7", "Content-Type: application/offset+octet-stream"))
        #expect(patch.append?.offset == 7)
        #expect(try Script.refusal(Script.tus("PATCH \(path)", "X-HTTP-Method-Override: PUT"))?.status == 405)
        let twice = Script.tus("POST \(path)", "X-HTTP-Method-Override: HEAD", "X-HTTP-Method-Override: DELETE")
        #expect(try Script.refusal(twice)?.status == 400)
    }

    @Test("An invalid id is an unknown upload", arguments: ["x", "", "/", "../x", "0198C2A4-0000-7000-8000-00000000000A"])
    func badIdentifier(name: String) throws {
        guard !name.isEmpty else { return }
        #expect(try Script.refusal(Script.tus("HEAD /files/\(name)"))?.status == 404)
    }

    @Test("Other paths are not uploads", arguments: ["/", "/file", "/filesx", "/documents/1"])
    func otherPaths(path: String) {
        #expect(UploadPath(path) == nil)
    }

    // MARK: PATCH

    @Test("PATCH has its media type, otherwise 415", arguments: [
        ("application/offset+octet-stream", true), ("Application/Offset+Octet-Stream", true), ("application/octet-stream", false),
        ("application/partial-upload", false), ("", false),
    ])
    func patchType(type: String, isTaken: Bool) throws {
        let fields = type.isEmpty ? [] : ["Content-Type: \(type)"]
        let refusal = try Script.refusal(["PATCH /files/\(Script.id)", "Tus-Resumable: 1.0.0", "Upload-Offset: 0"] + fields)
        #expect(refusal?.status == (isTaken ? nil : 415))
    }

    @Test("Upload-Offset is present, once, and a whole number not below 0", arguments: [
        ("0", 0), ("70", 70), ("999999999999999", 999_999_999_999_999), ("-1", nil), ("+1", nil), ("1.0", nil), ("", nil), ("0x1", nil), ("١", nil),
        ("9999999999999999999999", .max),
    ] as [(String, Int?)])
    func patchOffset(text: String, value: Int?) throws {
        let fields = ["Tus-Resumable: 1.0.0", "Content-Type: application/offset+octet-stream"]
        let lines = ["PATCH /files/\(Script.id)", "Upload-Offset: \(text)"] + fields
        if let value {
            #expect(try Script.parse(lines).append?.offset == value)
        } else {
            #expect(try Script.refusal(lines)?.status == 400)
        }
        #expect(try Script.refusal(["PATCH /files/\(Script.id)"] + fields)?.status == 400)
        #expect(try Script.refusal(lines + ["Upload-Offset: 0"])?.status == 400)
    }

    @Test("Coded octets are not the file's: 415", arguments: [("gzip", 415), ("identity", nil), ("Identity, br", 415)] as [(String, Int?)])
    func coding(text: String, status: Int?) throws {
        let fields = ["Tus-Resumable: 1.0.0", "Content-Type: application/offset+octet-stream", "Content-Encoding: \(text)"]
        #expect(try Script.refusal(["PATCH /files/\(Script.id)", "Upload-Offset: 0"] + fields)?.status == status)
        #expect(try Script.refusal(["POST /files", "Upload-Length: 5", "Content-Length: 5"] + fields)?.status == status)
    }

    @Test("A deferred length comes with PATCH, and is at most the largest")
    func patchLength() throws {
        let fields = ["PATCH /files/\(Script.id)", "Tus-Resumable: 1.0.0", "Content-Type: application/offset+octet-stream", "Upload-Offset: 0"]
        #expect(try Script.parse(fields + ["Upload-Length: 104857600"]).append?.length == 104_857_600)
        #expect(try Script.refusal(fields + ["Upload-Length: 104857601"])?.status == 413)
        #expect(try Script.refusal(fields + ["Upload-Length: x"])?.status == 400)
        #expect(try Script.parse(fields).append?.length == nil)
    }

    // MARK: Creation

    @Test("A creation has a length or defers it, and not both", arguments: [
        (["Upload-Length: 100"], nil), (["Upload-Length: 0"], nil), (["Upload-Defer-Length: 1"], nil), ([], 400), (["Upload-Length: -1"], 400),
        (["Upload-Defer-Length: 0"], 400), (["Upload-Defer-Length: 2"], 400), (["Upload-Length: 1", "Upload-Defer-Length: 1"], 400),
        (["Upload-Length: 1", "Upload-Length: 1"], 400), (["Upload-Length: 104857600"], nil), (["Upload-Length: 104857601"], 413),
        (["Upload-Length: 9223372036854775807"], 413), (["Upload-Length: 99999999999999999999999"], 413),
        (["Upload-Length: 1", "Upload-Concat: partial"], 400),
    ] as [([String], Int?)])
    func creation(fields: [String], status: Int?) throws {
        #expect(try Script.refusal(["POST /files", "Tus-Resumable: 1.0.0"] + fields)?.status == status)
    }

    @Test("A creation has length and metadata, and completes when it is full")
    func creationValues() throws {
        let made = try Script.parse(Script.tus("POST /files/", "Upload-Length: 100", "Upload-Metadata: filename YS5wZGY=,secret")).creation
        #expect(made?.length == 100 && made?.hasContent == false && made?.completion == .whenFull)
        #expect(try made?.metadata.text("filename") == "a.pdf")
        #expect(made?.metadata["secret"] == [])
        let deferred = try Script.parse(Script.tus("POST /files", "Upload-Defer-Length: 1")).creation
        #expect(deferred?.length == nil && deferred?.metadata.written == nil)
    }

    @Test("Creation with upload: content has its media type, and is no longer than the length", arguments: [
        (["Content-Length: 5", "Content-Type: application/offset+octet-stream"], nil), (["Content-Length: 5"], 415),
        (["Content-Length: 5", "Content-Type: text/plain"], 415), (["Content-Length: 0", "Content-Type: text/plain"], nil),
        (["Content-Length: 101", "Content-Type: application/offset+octet-stream"], 413),
        (["Transfer-Encoding: chunked", "Content-Type: application/offset+octet-stream"], nil), (["Transfer-Encoding: chunked"], 415),
    ] as [([String], Int?)])
    func creationWithUpload(fields: [String], status: Int?) throws {
        let lines = ["POST /files", "Tus-Resumable: 1.0.0", "Upload-Length: 100"] + fields
        #expect(try Script.refusal(lines)?.status == status)
        if status == nil { #expect(try Script.parse(lines).creation?.hasContent == !fields.contains("Content-Length: 0")) }
    }

    @Test("More content than a file may have is refused before it arrives, also with a deferred length")
    func tooMuch() throws {
        let lines = Script.tus(
            "POST /files", "Upload-Defer-Length: 1", "Content-Length: 104857601", "Content-Type: application/offset+octet-stream")
        #expect(try Script.refusal(lines) == .tooLarge)
    }

    // MARK: Checksum

    @Test("Upload-Checksum has an algorithm and a digest in base64", arguments: [
        ("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=", true), ("sha256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", true),
        ("md5 1B2M2Y8AsgTpgAmY7PhCfg==", false), ("SHA1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=", false), ("sha1", false), ("sha1 ", false),
        ("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0", false), ("sha1  Kq5sNclPz7QV2+lfQIuc6R7oRu0=", false), ("sha1 Kq5s", false), ("", false),
    ])
    func checksum(text: String, isTaken: Bool) throws {
        let lines = Script.tus(
            "PATCH /files/\(Script.id)", "Content-Type: application/offset+octet-stream", "Upload-Offset: 0", "Upload-Checksum: \(text)")
        #expect(try Script.refusal(lines)?.status == (isTaken ? nil : 400))
        if isTaken { #expect(try Script.parse(lines).append?.checksum?.tus == text) }
        #expect(try Script.refusal(lines + ["Upload-Checksum: \(text)"])?.status == 400)
    }
}

@Suite("tus 1.0.0: responses")
struct TusAnswerTests {
    @Test("Every response has the version", arguments: [
        .options, .offset(Script.state(7)), .stored(Script.state(7), isCreation: true), .stored(Script.state(7), isCreation: false),
        .finished(Script.state(100, isComplete: true), sha256: [], isCreation: false), .cancelled, .refused(.notFound, nil),
    ] as [UploadOutcome])
    func version(outcome: UploadOutcome) {
        #expect(Script.answer(.tus, outcome).field("Tus-Resumable") == "1.0.0")
        #expect(Script.answer(.tus, outcome).field("Cache-Control") == "no-store")
    }

    @Test("HEAD returns offset and length, and the metadata as written, and is not cached")
    func head() {
        let answer = Script.answer(.tus, .offset(Script.state(70)))
        #expect(answer.status == 200 && answer.content.isEmpty)
        #expect(answer.field("Upload-Offset") == "70" && answer.field("Upload-Length") == "100")
        #expect(answer.field("Upload-Metadata") == "filename YS5wZGY=,secret")
        #expect(answer.field("Upload-Defer-Length") == nil)
    }

    @Test("HEAD reports an unknown length as long as it is unknown, and offset 0")
    func deferredHead() {
        let answer = Script.answer(.tus, .offset(Script.state(0, of: nil)))
        #expect(answer.field("Upload-Offset") == "0")
        #expect(answer.field("Upload-Defer-Length") == "1" && answer.field("Upload-Length") == nil)
    }

    @Test("A creation gets 201, its location, and its expiry")
    func created() {
        let answer = Script.answer(.tus, .stored(Script.state(5), isCreation: true))
        #expect(answer.status == 201 && answer.field("Location") == "/files/\(Script.id)")
        #expect(answer.field("Upload-Offset") == "5")
        #expect(answer.field("Upload-Expires") == "Sat, 21 Nov 2026 01:00:00 GMT")
    }

    @Test("PATCH gets 204, the new offset, and the expiry; the last one gets no expiry")
    func patched() {
        let answer = Script.answer(.tus, .stored(Script.state(70), isCreation: false))
        #expect(answer.status == 204 && answer.field("Upload-Offset") == "70")
        #expect(answer.field("Upload-Expires") == "Sat, 21 Nov 2026 01:00:00 GMT")
        let last = Script.answer(.tus, .finished(Script.state(100, isComplete: true), sha256: [1], isCreation: false))
        #expect(last.status == 204 && last.field("Upload-Offset") == "100" && last.field("Upload-Expires") == nil && last.content.isEmpty)
        #expect(Script.answer(.tus, .finished(Script.state(0, of: 0, isComplete: true), sha256: [1], isCreation: true)).status == 201)
    }

    @Test("DELETE gets 204, and later requests get 404")
    func deleted() {
        #expect(Script.answer(.tus, .cancelled).status == 204)
        for refusal in [UploadRefusal.notFound, .noFamily] {
            let answer = Script.answer(.tus, .refused(refusal, nil))
            #expect(answer.status == refusal.status && answer.field("Upload-Offset") == nil)
        }
    }

    @Test("Refusals have the status of the specification", arguments: [
        (.offset(expected: 7, provided: 8), 409), (.tooLarge, 413), (.lengthExceeded, 413), (.checksumMismatch, 460), (.contentType("x/y"), 415),
        (.fileType(.transcript), 415), (.badRequest("x"), 400), (.method("OPTIONS"), 405),
    ] as [(UploadRefusal, Int)])
    func refusals(refusal: UploadRefusal, status: Int) {
        let answer = Script.answer(.tus, .refused(refusal, Script.state(7)))
        #expect(answer.status == status && answer.field("Content-Type") == "application/json")
        #expect(answer.field("Allow") == refusal.allow)
        #expect(answer.field("Upload-Offset") == nil)
        #expect(!Script.answer(.tus, .refused(refusal, nil)).content.isEmpty)
    }

    @Test("A refusal's content is code, field and sentence")
    func content() {
        let answer = Script.answer(.tus, .refused(.fileType(.transcript), nil))
        let text = #"{"code":"file_type","field":"filename","sentence":"Invalid file type. Transcript requires .pdf, .txt."}"# + "\n"
        #expect(String(decoding: answer.content, as: UTF8.self) == text)
    }

    @Test("tus has no interim responses")
    func interim() {
        #expect(UploadDialect.tus.began(Script.state(0), maxLength: 1, now: 0) == nil)
        #expect(UploadDialect.tus.progressed(5) == nil)
    }
}
