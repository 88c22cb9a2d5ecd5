package import Bytes
package import HTTP1
internal import JSON

/// The state of an upload, as responses report it.
package struct UploadState: Hashable, Sendable {
    package var id: Identifier
    /// The number of octets on stable storage.
    package var offset: Int
    package var length: Int?
    /// Whether all octets were received and the outcome is decided.
    package var isComplete: Bool
    /// The time at which the upload is removed if no more octets arrive: milliseconds since 1970.
    package var expires: Int64
    /// The metadata as the client wrote it.
    package var metadata: String?

    package init(
        id: Identifier, offset: Int, length: Int?, isComplete: Bool, expires: Int64, metadata: String? = nil
    ) {
        self.id = id
        self.offset = offset
        self.length = length
        self.isComplete = isComplete
        self.expires = expires
        self.metadata = metadata
    }
}

/// The outcome of a request.
package enum UploadOutcome: Hashable, Sendable {
    case options
    /// The response to a request for the offset.
    case offset(UploadState)
    /// The upload was created, or octets were added; further octets are expected.
    case stored(UploadState, isCreation: Bool)
    /// The document exists; its id is the upload's id.
    case finished(UploadState, sha256: [UInt8], isCreation: Bool)
    case cancelled
    /// The request was refused. The state is present if the upload exists and the client may know it; `isComplete` if
    /// it can never continue.
    case refused(UploadRefusal, UploadState?)
}

/// A final response; the sender adds length, date and connection.
package struct UploadAnswer: Equatable, Sendable {
    package var status: Int
    package var fields: [Field] = []
    package var content: [UInt8] = []

    package func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension UploadDialect {
    /// The response for an outcome in this dialect.
    ///
    /// - Parameters:
    ///   - maxLength: the octets of the largest file.
    ///   - now: milliseconds since 1970.
    package func answer(_ outcome: UploadOutcome, maxLength: Int, now: Int64) -> UploadAnswer {
        // Caches may store neither a momentary state nor data about one member.
        var answer = UploadAnswer(status: 200, fields: [Field("Cache-Control", "no-store")])
        switch outcome {
        case .options: options(&answer, maxLength: maxLength)
        case .cancelled:
            answer.status = 204
            addVersion(&answer)
        case .refused(let refusal, let state): refuse(&answer, refusal, state, maxLength: maxLength, now: now)
        case .offset(let state):
            answer.status = self == .tus ? 200 : 204
            addState(&answer, state, maxLength: maxLength, now: now)
            if self == .tus, let metadata = state.metadata { answer.fields.append(Field("Upload-Metadata", metadata)) }
        case .stored(let state, let isCreation):
            // Up to version 6, the response to an append that is not the last is 201.
            answer.status = isCreation || appendsAreCreated ? 201 : 204
            if isCreation { answer.fields.append(Field("Location", UploadPath.of(state.id))) }
            addState(&answer, state, maxLength: maxLength, now: now)
        case .finished(let state, let sha256, let isCreation):
            answer.status = isCreation || self != .tus ? 201 : 204
            if isCreation { answer.fields.append(Field("Location", UploadPath.of(state.id))) }
            addState(&answer, state, maxLength: maxLength, now: now)
            if self != .tus { addReceipt(&answer, state, sha256) }
        }
        return answer
    }

    private var appendsAreCreated: Bool {
        if case .draft(let version) = self { version < .eight } else { false }
    }

    private func addVersion(_ answer: inout UploadAnswer) {
        switch self {
        case .tus: answer.fields.append(Field("Tus-Resumable", "1.0.0"))
        case .draft(let version): answer.fields.append(Field("Upload-Draft-Interop-Version", String(version.rawValue)))
        case .unknownDraft: break
        }
    }

    private func addState(_ answer: inout UploadAnswer, _ state: UploadState, maxLength: Int, now: Int64) {
        addVersion(&answer)
        answer.fields.append(Field("Upload-Offset", String(state.offset)))
        switch self {
        case .tus:
            if let length = state.length {
                answer.fields.append(Field("Upload-Length", String(length)))
            } else {
                answer.fields.append(Field("Upload-Defer-Length", "1"))
            }
            if !state.isComplete { answer.fields.append(Field("Upload-Expires", HTTPDate.text(state.expires / 1_000))) }
        case .draft(let version):
            answer.fields.append(Field(version.completenessField, version.completeness(state.isComplete)))
            if version >= .six, let length = state.length { answer.fields.append(Field("Upload-Length", String(length))) }
            if let limit = limit(maxLength: maxLength, expires: state.expires, now: now) { answer.fields.append(Field("Upload-Limit", limit)) }
        case .unknownDraft: break
        }
    }

    /// The value of `Upload-Limit`; `nil` if the version has no such field.
    private func limit(maxLength: Int, expires: Int64, now: Int64) -> String? {
        guard case .draft(let version) = self, version >= .six else { return nil }
        let seconds = max(0, (expires - now) / 1_000)
        return "max-size=\(maxLength), \(version == .six ? "expires" : "max-age")=\(seconds)"
    }

    /// Describes both protocols: an OPTIONS request does not always name its protocol. The caller, which knows the
    /// path, adds `Allow`.
    private func options(_ answer: inout UploadAnswer, maxLength: Int) {
        answer.status = 204
        answer.fields += [
            Field("Tus-Resumable", "1.0.0"), Field("Tus-Version", "1.0.0"),
            Field("Tus-Extension", "creation,creation-defer-length,creation-with-upload,expiration,checksum,termination"),
            Field("Tus-Max-Size", String(maxLength)),
            Field("Tus-Checksum-Algorithm", UploadChecksum.Algorithm.allCases.map(\.rawValue).joined(separator: ",")),
            Field("Upload-Limit", "max-size=\(maxLength)"), Field("Accept-Patch", "\(UploadRequest.tusContentType), \(UploadRequest.partialUpload)"),
        ]
    }

    private func addReceipt(_ answer: inout UploadAnswer, _ state: UploadState, _ sha256: [UInt8]) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("document")
        writer.identifier(state.id)
        writer.key("octets")
        writer.integer(state.offset)
        writer.key("sha256")
        writer.string(Hex.encode(sha256))
        writer.endObject()
        answer.content = writer.octets + [0x0A]
        answer.fields.append(Field("Content-Type", "application/json"))
    }

    private func refuse(_ answer: inout UploadAnswer, _ refusal: UploadRefusal, _ state: UploadState?, maxLength: Int, now: Int64) {
        answer.status = refusal.status(in: self)
        addVersion(&answer)
        if refusal.code == "unsupported_version" { answer.fields.append(Field("Tus-Version", "1.0.0")) }
        if refusal.status == 401 { answer.fields.append(Field("WWW-Authenticate", "Bearer")) }
        if let allow = refusal.allow { answer.fields.append(Field("Allow", allow)) }
        if let seconds = refusal.retryAfter { answer.fields.append(Field("Retry-After", String(seconds))) }
        if case .draft(let version) = self {
            if let state {
                // A refused upload is complete: nothing can be added, and the refusal is the response to the upload
                // itself. Version 8 distinguishes that response from errors about operations that a complete upload
                // does not allow (§"Completeness"; 409: §"Server Behavior").
                let isAnswer = state.isComplete && !(version >= .eight && refusal.problem != nil)
                answer.fields.append(Field(version.completenessField, version.completeness(isAnswer)))
                if !state.isComplete || refusal.isMismatch { answer.fields.append(Field("Upload-Offset", String(state.offset))) }
            }
            if answer.status == 413, version >= .six { answer.fields.append(Field("Upload-Limit", "max-size=\(maxLength)")) }
        }
        answer.fields.append(Field("Content-Type", self == .tus ? "application/json" : "application/problem+json"))
        answer.content = body(refusal)
    }

    private func body(_ refusal: UploadRefusal) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if self != .tus {
            if let problem = refusal.problem, problem != .completedUpload || self == .draft(.six) {
                writer.key("type")
                writer.string("https://iana.org/assignments/http-problem-types#\(problem.name)")
            }
            writer.key("title")
            writer.string(refusal.sentence)
            if case .mismatchingOffset(let expected, let provided) = refusal.problem {
                writer.key("expected-offset")
                writer.integer(expected)
                writer.key("provided-offset")
                writer.integer(provided)
            }
        }
        writer.key("code")
        writer.string(refusal.code)
        writer.key("field")
        if let field = refusal.field { writer.string(field) } else { writer.null() }
        writer.key("sentence")
        writer.string(refusal.sentence)
        writer.endObject()
        return writer.octets + [0x0A]
    }

    /// The interim response with the location for resuming, sent while the content is still arriving; `nil` if the
    /// dialect has none. Only for clients of HTTP/1.1 (RFC 9110 §15.2).
    package func began(_ state: UploadState, maxLength: Int, now: Int64) -> ResponseHead? {
        guard case .draft(let version) = self else { return nil }
        var fields = [Field("Upload-Draft-Interop-Version", String(version.rawValue)), Field("Location", UploadPath.of(state.id))]
        if let limit = limit(maxLength: maxLength, expires: state.expires, now: now) { fields.append(Field("Upload-Limit", limit)) }
        return ResponseHead(104, fields)
    }

    /// The interim response with the number of octets on stable storage; `nil` if the dialect has none. Version 3 has
    /// only the first interim response.
    package func progressed(_ offset: Int) -> ResponseHead? {
        guard case .draft(let version) = self, version >= .five else { return nil }
        return ResponseHead(104, [Field("Upload-Draft-Interop-Version", String(version.rawValue)), Field("Upload-Offset", String(offset))])
    }
}

extension UploadRefusal.Problem {
    /// The problem type's name in IANA's registry.
    var name: String {
        switch self {
        case .mismatchingOffset: "mismatching-upload-offset"
        case .inconsistentLength: "inconsistent-upload-length"
        case .completedUpload: "completed-upload"
        }
    }
}
