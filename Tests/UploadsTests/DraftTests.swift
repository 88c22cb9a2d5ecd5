import Bytes
import HTTP1
import Testing

@testable import Uploads

private let three = UploadDialect.draft(.three)
private let five = UploadDialect.draft(.five)
private let six = UploadDialect.draft(.six)
private let eight = UploadDialect.draft(.eight)

@Suite("IETF draft: versions")
struct DraftVersionTests {
    @Test("Interop versions 3, 5, 6 and 8 get responses in kind", arguments: [("3", three), ("5", five), ("6", six), ("8", eight), ("8;a=1", eight)])
    func known(text: String, dialect: UploadDialect) throws {
        #expect(UploadDialect(try Script.head(["POST /files", "Upload-Draft-Interop-Version: \(text)"])) == dialect)
    }

    @Test("The server refuses every other version, and a draft's fields without one, and sends no 104", arguments: [
        ["Upload-Draft-Interop-Version: 4"], ["Upload-Draft-Interop-Version: 7"], ["Upload-Draft-Interop-Version: 9"],
        ["Upload-Draft-Interop-Version: 8.0"], ["Upload-Draft-Interop-Version: eight"], ["Upload-Draft-Interop-Version:"],
        ["Upload-Draft-Interop-Version: 999999999999999"], ["Upload-Draft-Interop-Version: 8", "Upload-Draft-Interop-Version: 8"], [],
    ])
    func unknown(fields: [String]) throws {
        let lines = ["POST /files", "Upload-Complete: ?1"] + fields
        let dialect = UploadDialect(try Script.head(lines))
        #expect(dialect == .unknownDraft)
        let refusal = try #require(try Script.refusal(lines))
        let answer = Script.answer(dialect, .refused(refusal, nil))
        #expect(answer.status == 400 && answer.field("Content-Type") == "application/problem+json")
        #expect(answer.field("Upload-Draft-Interop-Version") == nil)
        #expect(dialect.began(Script.state(0), maxLength: 1, now: 0) == nil && dialect.progressed(1) == nil)
    }

    @Test("OPTIONS gets a response for every client, with the limits")
    func options() throws {
        for fields in [[], ["Upload-Draft-Interop-Version: 8"], ["Upload-Draft-Interop-Version: 99"]] {
            let lines = ["OPTIONS /files"] + fields
            #expect(try Script.parse(lines) == .options)
            #expect(Script.answer(UploadDialect(try Script.head(lines)), .options).field("Upload-Limit") == "max-size=104857600")
        }
    }
}

@Suite("IETF draft: requests")
struct DraftRequestTests {
    @Test("A creation declares whether it is complete; version 3 declares the opposite", arguments: [
        (3, "Upload-Incomplete: ?0", true), (3, "Upload-Incomplete: ?1", false), (5, "Upload-Complete: ?1", true), (5, "Upload-Complete: ?0", false),
        (6, "Upload-Complete: ?1", true), (8, "Upload-Complete: ?0", false), (8, "Upload-Complete: ?1;x", true),
    ])
    func completeness(version: Int, field: String, isComplete: Bool) throws {
        let made = try Script.parse(Script.draft(version, "POST /files", field, "Content-Length: 10")).creation
        #expect(made?.completion == .declared(isComplete))
        #expect(made?.hasContent == true && made?.length == (isComplete ? 10 : nil))
    }

    @Test("A creation without that field, or with a value that is not a Boolean, is refused", arguments: [
        (3, "Upload-Complete: ?1"), (8, "Upload-Incomplete: ?0"), (8, "Upload-Complete: 1"), (8, "Upload-Complete: true"), (8, "Upload-Complete: ?2"),
        (5, "Upload-Complete:"),
    ])
    func noCompleteness(version: Int, field: String) throws {
        #expect(try Script.refusal(Script.draft(version, "POST /files", field))?.status == 400)
    }

    @Test("Up to version 6 a creation has no offset")
    func noOffset() throws {
        for (version, field) in [(3, "Upload-Incomplete: ?0"), (5, "Upload-Complete: ?1"), (6, "Upload-Complete: ?1")] {
            #expect(try Script.refusal(Script.draft(version, "POST /files", field, "Upload-Offset: 0"))?.status == 400)
        }
    }

    @Test("The two indicators of the length must agree", arguments: [
        (["Upload-Complete: ?1", "Content-Length: 10", "Upload-Length: 10"], 10, nil),
        (["Upload-Complete: ?1", "Content-Length: 10", "Upload-Length: 11"], nil, 400),
        (["Upload-Complete: ?0", "Content-Length: 10", "Upload-Length: 100"], 100, nil),
        (["Upload-Complete: ?0", "Content-Length: 10", "Upload-Length: 9"], nil, 400),
        (["Upload-Complete: ?1", "Transfer-Encoding: chunked"], nil, nil),
        (["Upload-Complete: ?1", "Transfer-Encoding: chunked", "Upload-Length: 7"], 7, nil),
        (["Upload-Complete: ?0", "Upload-Length: x"], nil, nil),
        (["Upload-Complete: ?0", "Upload-Length: 104857601"], nil, 413), (["Upload-Complete: ?0", "Content-Length: 104857601"], nil, 413),
    ] as [([String], Int?, Int?)])
    func length(fields: [String], length: Int?, status: Int?) throws {
        for version in [6, 8] {
            let lines = ["POST /files", "Upload-Draft-Interop-Version: \(version)"] + fields
            let refusal = try Script.refusal(lines)
            #expect(refusal?.status == status)
            if status == nil { #expect(try Script.parse(lines).creation?.length == length) }
            if status == 400 { #expect(refusal?.problem == .inconsistentLength) }
        }
    }

    @Test("Versions 3 and 5 do not have Upload-Length")
    func noLength() throws {
        #expect(try Script.parse(Script.draft(5, "POST /files", "Upload-Complete: ?0", "Upload-Length: 100")).creation?.length == nil)
    }

    @Test("Since version 6 an append has its own media type", arguments: [(3, true), (5, true), (6, false), (8, false)])
    func mediaType(version: Int, isOptional: Bool) throws {
        let field = version == 3 ? "Upload-Incomplete: ?0" : "Upload-Complete: ?1"
        let lines = Script.draft(version, "PATCH /files/\(Script.id)", field, "Upload-Offset: 5")
        #expect(try Script.refusal(lines)?.status == (isOptional ? nil : 415))
        #expect(try Script.refusal(lines + ["Content-Type: application/partial-upload"]) == nil)
    }

    @Test("An append has an offset", arguments: ["", "Upload-Offset: -1", "Upload-Offset: \"5\"", "Upload-Offset: 5.0", "Upload-Offset: ?1"])
    func offset(field: String) throws {
        let lines = Script.draft(8, "PATCH /files/\(Script.id)", "Upload-Complete: ?1", "Content-Type: application/partial-upload")
        #expect(try Script.refusal(lines + (field.isEmpty ? [] : [field]))?.status == 400)
        #expect(try Script.parse(lines + ["Upload-Offset: 5"]).append?.offset == 5)
    }

    @Test("An append without the field is the last one in version 3, not in 5 and 6, and refused in 8")
    func silentAppend() throws {
        let fields = ["Upload-Offset: 5", "Content-Type: application/partial-upload", "Content-Length: 5"]
        for (version, isLast) in [(3, true), (5, false), (6, false)] {
            let append = try Script.parse(Script.draft(version, "PATCH /files/\(Script.id)") + fields).append
            #expect(append?.completion == .declared(isLast) && append?.length == (isLast ? 10 : nil))
        }
        #expect(try Script.refusal(Script.draft(8, "PATCH /files/\(Script.id)") + fields)?.status == 400)
    }

    @Test("The last append gives the length: its offset and its content")
    func lastAppend() throws {
        let lines = Script.draft(
            8, "PATCH /files/\(Script.id)", "Upload-Complete: ?1", "Content-Type: application/partial-upload", "Upload-Offset: 90",
            "Content-Length: 10")
        #expect(try Script.parse(lines).append?.length == 100)
        #expect(try Script.parse(lines + ["Upload-Length: 100"]).append?.length == 100)
        #expect(try Script.refusal(lines + ["Upload-Length: 99"])?.problem == .inconsistentLength)
        let far = Script.draft(
            8, "PATCH /files/\(Script.id)", "Upload-Complete: ?1", "Content-Type: application/partial-upload", "Upload-Offset: 999999999999999",
            "Content-Length: 9000000000000000000")
        #expect(try Script.refusal(far) == .tooLarge)
    }

    @Test("Up to version 6 a request for the offset or a cancellation has no state fields", arguments: [
        (3, "Upload-Offset: 1", "HEAD", 400), (3, "Upload-Incomplete: ?0", "DELETE", 400), (5, "Upload-Complete: ?1", "HEAD", 400),
        (6, "Upload-Length: 5", "HEAD", 400), (6, "Upload-Length: 5", "DELETE", nil), (6, "Upload-Offset: 5", "DELETE", 400),
        (8, "Upload-Offset: 5", "HEAD", nil), (8, "Upload-Complete: ?0", "DELETE", nil),
    ] as [(Int, String, String, Int?)])
    func asks(version: Int, field: String, method: String, status: Int?) throws {
        #expect(try Script.refusal(Script.draft(version, "\(method) /files/\(Script.id)", field))?.status == status)
    }

    @Test("GET is like HEAD, only in version 8", arguments: [(3, 405), (5, 405), (6, 405), (8, nil)] as [(Int, Int?)])
    func get(version: Int, status: Int?) throws {
        #expect(try Script.refusal(Script.draft(version, "GET /files/\(Script.id)"))?.status == status)
        #expect(try Script.parse(Script.draft(version, "HEAD /files/\(Script.id)")) == .offset(Script.upload))
        #expect(try Script.parse(Script.draft(version, "DELETE /files/\(Script.id)")) == .cancel(Script.upload))
    }

    @Test("A coded file is refused: it would be stored as it comes")
    func coding() throws {
        #expect(try Script.refusal(Script.draft(8, "POST /files", "Upload-Complete: ?1", "Content-Encoding: gzip"))?.status == 415)
        #expect(try Script.refusal(Script.draft(8, "POST /files", "Upload-Complete: ?1", "Content-Encoding: identity")) == nil)
        let part = ["Upload-Complete: ?0", "Upload-Offset: 0", "Content-Type: application/partial-upload", "Content-Encoding: gzip"]
        #expect(try Script.refusal(Script.draft(8, "PATCH /files/\(Script.id)", part[0], part[1], part[2], part[3]))?.status == 415)
    }

    @Test("Metadata come from the field, the query, Content-Disposition and Repr-Digest")
    func metadata() throws {
        let digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let made = try Script.parse(
            Script.draft(
                8, "POST /files?type=resume&title=My%20r%C3%A9sum%C3%A9+2026", "Upload-Complete: ?1", "Huddle-Metadata: description aGk=",
                "Content-Disposition: inline; filename=\"plain.pdf\"; filename*=UTF-8''%E2%82%AC%20rates.pdf",
                "Repr-Digest: sha-512=:AA==:, sha-256=:\(digest):", "Content-Digest: sha-256=:\(digest):")
        ).creation
        let metadata = try #require(made?.metadata)
        #expect(try metadata.text("type") == "resume")
        #expect(try metadata.text("title") == "My résumé 2026")
        #expect(try metadata.text("description") == "hi")
        #expect(try metadata.text("filename") == "€ rates.pdf")
        #expect(try metadata.text("sha256")?.hasPrefix("e3b0c442") == true)
        #expect(made?.checksum?.algorithm == .sha256)
        #expect(try Script.refusal(Script.draft(8, "POST /files?a=1", "Upload-Complete: ?1", "Huddle-Metadata: a"))?.status == 400)
        #expect(try Script.refusal(Script.draft(8, "POST /files", "Upload-Complete: ?1", "Content-Digest: sha-256=5"))?.status == 400)
    }
}

@Suite("IETF draft: responses")
struct DraftAnswerTests {
    @Test("A request for the offset gets 204, offset, completeness, and no caching", arguments: [
        (three, "Upload-Incomplete", "?1", nil, nil), (five, "Upload-Complete", "?0", nil, nil),
        (six, "Upload-Complete", "?0", "100", "max-size=104857600, expires=3600"),
        (eight, "Upload-Complete", "?0", "100", "max-size=104857600, max-age=3600"),
    ] as [(UploadDialect, String, String, String?, String?)])
    func offset(dialect: UploadDialect, name: String, value: String, length: String?, limit: String?) {
        let answer = Script.answer(dialect, .offset(Script.state(25)))
        #expect(answer.status == 204 && answer.field("Upload-Offset") == "25" && answer.field(name) == value)
        #expect(answer.field("Upload-Length") == length && answer.field("Upload-Limit") == limit)
        #expect(answer.field("Cache-Control") == "no-store" && answer.field("Tus-Resumable") == nil)
        #expect(answer.field("Upload-Metadata") == nil)
    }

    @Test("An offset equal to the length does not complete an upload")
    func fullIsNotComplete() {
        #expect(Script.answer(eight, .offset(Script.state(100))).field("Upload-Complete") == "?0")
        #expect(Script.answer(eight, .offset(Script.state(100, isComplete: true))).field("Upload-Complete") == "?1")
        #expect(Script.answer(three, .offset(Script.state(100, isComplete: true))).field("Upload-Incomplete") == "?0")
    }

    @Test("A 104 has the version and the location for resuming; the limits if the version has them", arguments: [
        (three, "3", nil), (five, "5", nil), (six, "6", "max-size=9, expires=3600"), (eight, "8", "max-size=9, max-age=3600"),
    ] as [(UploadDialect, String, String?)])
    func began(dialect: UploadDialect, version: String, limit: String?) throws {
        let head = try #require(dialect.began(Script.state(0), maxLength: 9, now: Script.now))
        #expect(head.status == 104 && head.reason == "Upload Resumption Supported")
        let value = { (name: String) in head.fields.list.first { $0.name == name }?.value }
        #expect(value("Upload-Draft-Interop-Version") == version && value("Location") == "/files/\(Script.id)")
        #expect(value("Upload-Limit") == limit)
    }

    @Test("Later 104s have the offset and no location; version 3 has none")
    func progressed() throws {
        #expect(three.progressed(50) == nil)
        for dialect in [five, six, eight] {
            let head = try #require(dialect.progressed(50))
            #expect(head.status == 104 && head.fields.list.contains { $0.name == "Upload-Offset" && $0.value == "50" })
            #expect(!head.fields.list.contains { $0.name == "Location" })
        }
    }

    @Test("A part gets 201 at creation; an appended one gets 204 in version 8, 201 before")
    func stored() {
        for (dialect, status) in [(three, 201), (five, 201), (six, 201), (eight, 204)] {
            let created = Script.answer(dialect, .stored(Script.state(25), isCreation: true))
            #expect(created.status == 201 && created.field("Location") == "/files/\(Script.id)" && created.field("Upload-Offset") == "25")
            let appended = Script.answer(dialect, .stored(Script.state(25), isCreation: false))
            #expect(appended.status == status && appended.field("Location") == nil && appended.field("Upload-Offset") == "25")
            #expect(appended.field(dialect == three ? "Upload-Incomplete" : "Upload-Complete") == (dialect == three ? "?1" : "?0"))
        }
    }

    @Test("The complete upload gets the document, for a creation and an append alike")
    func finished() {
        for dialect in [three, five, six, eight] {
            for isCreation in [true, false] {
                let answer = Script.answer(dialect, .finished(Script.state(100, isComplete: true), sha256: [0xAB], isCreation: isCreation))
                #expect(answer.status == 201 && answer.field("Upload-Offset") == "100")
                #expect(answer.field(dialect == three ? "Upload-Incomplete" : "Upload-Complete") == (dialect == three ? "?0" : "?1"))
                let text = #"{"document":"\#(Script.id)","octets":100,"sha256":"ab"}"# + "\n"
                #expect(String(decoding: answer.content, as: UTF8.self) == text)
            }
        }
    }

    @Test("A wrong offset gets 409 with the correct one, and the draft's registered problem")
    func mismatch() {
        let answer = Script.answer(eight, .refused(.offset(expected: 7, provided: 9), Script.state(7)))
        #expect(answer.status == 409 && answer.field("Upload-Offset") == "7" && answer.field("Upload-Complete") == "?0")
        #expect(answer.field("Content-Type") == "application/problem+json")
        let text = String(decoding: answer.content, as: UTF8.self)
        #expect(text.contains(#""type":"https://iana.org/assignments/http-problem-types#mismatching-upload-offset""#))
        #expect(text.contains(#""expected-offset":7,"provided-offset":9"#))
    }

    @Test("Problems and statuses differ from those of tus", arguments: [
        (.inconsistentLength, 400, "inconsistent-upload-length"), (.completed, 400, "completed-upload"), (.lengthExceeded, 400, nil),
        (.checksumMismatch, 400, nil), (.tooLarge, 413, nil),
    ] as [(UploadRefusal, Int, String?)])
    func problems(refusal: UploadRefusal, status: Int, name: String?) {
        let answer = Script.answer(six, .refused(refusal, nil))
        #expect(answer.status == status)
        let text = String(decoding: answer.content, as: UTF8.self)
        #expect(text.contains("\"type\"") == (name != nil) && (name == nil || text.contains("#\(name ?? "")\"")))
        #expect(answer.field("Upload-Limit") == (status == 413 ? "max-size=104857600" : nil))
    }

    @Test("A refused document is complete: nothing can be added, and the response has no offset")
    func refusedForGood() {
        let answer = Script.answer(eight, .refused(.fileType(.resume), Script.state(50, isComplete: true)))
        #expect(answer.status == 415 && answer.field("Upload-Complete") == "?1" && answer.field("Upload-Offset") == nil)
    }

    @Test("A client without a sign-in learns how to sign in", arguments: [UploadDialect.tus, eight])
    func signIn(dialect: UploadDialect) {
        let answer = Script.answer(dialect, .refused(UploadRefusal("not_signed_in", 401, "Sign in first."), nil))
        #expect(answer.status == 401 && answer.field("WWW-Authenticate") == "Bearer")
    }
}
