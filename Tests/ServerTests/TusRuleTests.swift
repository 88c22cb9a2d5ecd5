import Bytes
import Crypto
import Family
import HTTP1
import Testing

@testable import Server

/// The rules of tus 1.0.0 whose effect is what stays at the server; those on requests and answers alone are in `UploadsTests`.
@Suite("tus 1.0.0 at the server, rule by rule", .serialized)
struct TusRuleTests {
    private static let content = Array("An inning a line.\n".utf8)
    private let script: UploadScript
    private let path: String

    init() throws {
        script = try UploadScript()
        path = try script.create(Self.content.count)
    }

    private func head() throws -> HTTPAnswers.One { try script.ask("HEAD \(path)", UploadScript.tus) }

    @Test("core: a request of another version is not processed", arguments: ["PATCH", "DELETE"])
    func version(method: String) throws {
        let fields = ["Content-Type: application/offset+octet-stream", "Upload-Offset: 0", "Tus-Resumable: 0.2.2"]
        let answer = try script.ask("\(method) \(path)", fields, method == "PATCH" ? Self.content : [])
        #expect(answer.head.status == 412 && answer.head.fields.only("tus-version") == "1.0.0")
        #expect(try script.offset(path) == 0)
    }

    @Test("core: HEAD has the offset, the length and the metadata, and must not be cached")
    func heads() throws {
        _ = try script.patch(path, 0, Array(Self.content[..<5]))
        let fields = try head().head.fields
        #expect(fields.only("upload-offset") == "5" && fields.only("upload-length") == "\(Self.content.count)")
        #expect(fields.only("cache-control") == "no-store")
        let asked = Set(script.metadata().split(separator: ",")), told = Set((fields.only("upload-metadata") ?? "").split(separator: ","))
        #expect(asked == told)
    }

    @Test("core: a missing upload has no offset")
    func missing() throws {
        let answer = try script.ask("HEAD /files/\(Identifier(high: 1, low: 2))", UploadScript.tus)
        #expect(answer.head.status == 404 && answer.head.fields.only("upload-offset") == nil)
        #expect(try script.patch("/files/\(Identifier(high: 1, low: 2))", 0, Self.content).head.status == 404)
    }

    @Test("core: another offset than the upload's is a 409 and changes nothing", arguments: [0, 4, 6, 18, 999])
    func offsets(offset: Int) throws {
        _ = try script.patch(path, 0, Array(Self.content[..<5]))
        let answer = try script.patch(path, offset, Array("XXXXX".utf8))
        #expect(answer.head.status == 409 && answer.content.contains("\"offset_mismatch\""))
        #expect(try script.patch(path, 5, Array(Self.content[5...])).head.status == 204)
        #expect(script.blob(Self.content) != nil)
    }

    @Test("core: PATCH of another media type is a 415 and stores nothing")
    func mediaType() throws {
        let fields = UploadScript.tus + ["Upload-Offset: 0", "Content-Type: application/octet-stream"]
        #expect(try script.ask("PATCH \(path)", fields, Self.content).head.status == 415)
        #expect(try script.offset(path) == 0)
    }

    @Test("core: X-HTTP-Method-Override makes a POST a PATCH, a HEAD, a DELETE")
    func methodOverride() throws {
        let patch = UploadScript.append + ["Upload-Offset: 0", "X-HTTP-Method-Override: PATCH"]
        #expect(try script.ask("POST \(path)", patch, Array(Self.content[..<5])).head.status == 204)
        #expect(try script.offset(path) == 5)
        #expect(try script.ask("POST \(path)", UploadScript.tus + ["X-HTTP-Method-Override: DELETE"]).head.status == 204)
        #expect(try head().head.status == 404)
    }

    @Test("core: an unsupported method is a 405 that names the version, the code and the supported ones", arguments: ["PUT", "GET", "POST"])
    func methods(method: String) throws {
        let answer = try script.ask("\(method) \(path)", UploadScript.tus)
        #expect(answer.head.status == 405 && answer.head.fields.only("tus-resumable") == "1.0.0")
        #expect(answer.head.fields.only("allow") == "OPTIONS, HEAD, PATCH, DELETE" && answer.content.contains("\"method_not_allowed\""))
        let all = try script.ask("\(method == "POST" ? "PATCH" : method) /files", UploadScript.tus)
        #expect(all.head.status == 405 && all.head.fields.only("tus-resumable") == "1.0.0" && all.head.fields.only("allow") == "OPTIONS, POST")
        let bogus = try script.ask("POST \(path)", UploadScript.tus + ["X-HTTP-Method-Override: BREW"])
        #expect(bogus.head.status == 405 && bogus.content.contains("\"method_not_allowed\""))
        let draft = try script.ask("PUT \(path)", ["Upload-Draft-Interop-Version: 8"])
        #expect(draft.head.status == 405 && draft.head.fields.only("upload-draft-interop-version") == "8")
        #expect(try script.offset(path) == 0)
    }

    @Test("core: OPTIONS needs no version and no token, and names the extensions")
    func options() throws {
        let client = try script.server.connect()
        defer { client.leave() }
        client.send(Array("OPTIONS /files HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let answer = try script.answer(client, to: "OPTIONS /files")
        #expect(answer.head.status == 204 && answer.head.fields.only("tus-max-size") == "104857600")
        #expect(answer.head.fields.only("tus-extension")?.contains("termination") == true)
    }

    @Test("creation: a declared length is not changed by a later request, and a deferred one is declared once")
    func lengths() throws {
        #expect(try script.patch(path, 0, [], ["Upload-Length: 19"]).head.status == 400)
        let deferred = try script.create(nil)
        #expect(try script.ask("HEAD \(deferred)", UploadScript.tus).head.fields.only("upload-defer-length") == "1")
        #expect(try script.patch(deferred, 0, Array(Self.content[..<5]), ["Upload-Length: 18"]).head.status == 204)
        let fields = try script.ask("HEAD \(deferred)", UploadScript.tus).head.fields
        #expect(fields.only("upload-defer-length") == nil && fields.only("upload-length") == "18")
        #expect(try script.patch(deferred, 5, Array(Self.content[5...]), ["Upload-Length: 19"]).head.status == 400)
        #expect(try script.patch(deferred, 5, Array(Self.content[5...]), ["Upload-Length: 18"]).head.status == 204)
    }

    @Test("creation: a length above the largest is a 413, and no upload begins")
    func tooLarge() throws {
        let before = script.files("")
        let answer = try script.ask("POST /files", UploadScript.tus + ["Upload-Length: 104857601", "Upload-Metadata: \(script.metadata())"])
        #expect(answer.head.status == 413 && answer.head.fields.only("location") == nil)
        #expect(script.files("") == before)
    }

    @Test("expiration: an upload names its expiry, and is removed then")
    func expiration() throws {
        let answer = try script.patch(path, 0, Array(Self.content[..<5]))
        #expect(answer.head.fields.only("upload-expires")?.hasSuffix(" GMT") == true)
        script.ahead = Int64(Limits().uploadLife) + 1_000
        script.server.pass(milliseconds: UploadTable.sweepInterval + 1)
        try script.server.until("it is gone") { script.table.count == 0 }
        #expect(try script.patch(path, 5, Array(Self.content[5...])).head.status == 404)
    }

    @Test("checksum: an unknown algorithm is a 400, another digest a 460, and neither stores an octet", arguments: [
        ("md5 1B2M2Y8AsgTpgAmY7PhCfg==", 400), ("sha1 2jmj7l5rSw0yVb/vlWAYkK/YBwk=", 460),
    ])
    func checksum(text: String, status: Int) throws {
        #expect(try script.patch(path, 0, Self.content, ["Upload-Checksum: \(text)"]).head.status == status)
        #expect(try script.offset(path) == 0)
        let right = "sha256 " + Base64.encode(Digest.sha256(Self.content))
        #expect(try script.patch(path, 0, Self.content, ["Upload-Checksum: \(right)"]).head.status == 204)
    }

    @Test("termination: a cancelled upload frees its octets and does not exist for any later request", arguments: ["HEAD", "PATCH", "DELETE"])
    func termination(method: String) throws {
        _ = try script.patch(path, 0, Array(Self.content[..<5]))
        #expect(try script.ask("DELETE \(path)", UploadScript.tus).head.status == 204)
        #expect(script.files("") == 0)
        #expect(try script.ask("\(method) \(path)", UploadScript.append + ["Upload-Offset: 5"]).head.status == 404)
    }

    @Test("every named extension is one that these tests show")
    func extensions() throws {
        let client = try script.server.connect()
        defer { client.leave() }
        client.send(Array("OPTIONS \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let told = try script.answer(client, to: "OPTIONS \(path)").head.fields.only("tus-extension")
        #expect(told == "creation,creation-defer-length,creation-with-upload,expiration,checksum,termination")
    }
}
