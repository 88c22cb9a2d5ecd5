package import Family

/// The reason why an upload, or one request to it, was refused: for a person (`sentence`), for a program (`code`), and
/// for HTTP (`status`).
package struct UploadRefusal: Error, Hashable, Sendable {
    /// Stable; `proto/uploads.md` has the table.
    package var code: String
    /// The status of the response in tus.
    package var status: Int
    /// The status of the response in the draft, if it differs: the draft has no status of its own for tus' 412, 423 and
    /// 460, calls too much content a bad request, and its clients do not retry after an unknown 4xx.
    package var draftStatus: Int?
    /// The name of the metadata that the refusal is about.
    package var field: String?
    /// The sentence: what happened, and what to do next.
    package var sentence: String
    /// The seconds after which a retry can help.
    package var retryAfter: Int?
    /// Whether octets were received in vain, or the upload cannot continue: its content is deleted, and every later
    /// request gets this refusal again.
    package var endsUpload: Bool
    /// The allowed methods, with 405.
    package var allow: String?
    /// Further facts in the draft's problem types.
    package var problem: Problem?

    /// The problem types of draft-ietf-httpbis-resumable-upload.
    package enum Problem: Hashable, Sendable {
        case mismatchingOffset(expected: Int, provided: Int)
        case inconsistentLength
        /// Interop version 6 only.
        case completedUpload
    }

    package init(
        _ code: String, _ status: Int, draft: Int? = nil, _ sentence: String, field: String? = nil, retryAfter: Int? = nil,
        endsUpload: Bool = false, allow: String? = nil, problem: Problem? = nil
    ) {
        self.code = code
        self.status = status
        draftStatus = draft
        self.sentence = sentence
        self.field = field
        self.retryAfter = retryAfter
        self.endsUpload = endsUpload
        self.allow = allow
        self.problem = problem
    }

    func status(in dialect: UploadDialect) -> Int { dialect == .tus ? status : draftStatus ?? status }

    /// Whether the response has the offset from which the client can resume.
    var isMismatch: Bool { if case .mismatchingOffset? = problem { true } else { false } }

    // MARK: Refusals of the protocols

    package static func badRequest(_ what: String) -> UploadRefusal {
        UploadRefusal("bad_request", 400, "This upload request is not valid: \(what).")
    }

    package static func method(_ allow: String) -> UploadRefusal {
        UploadRefusal("method_not_allowed", 405, "This address allows other methods: \(allow).", allow: allow)
    }

    package static func contentType(_ type: String) -> UploadRefusal {
        UploadRefusal("content_type", 415, "The content of this request must be sent as \(type).")
    }

    package static let contentCoding = UploadRefusal(
        "content_type", 415, "Documents are kept as they are. Send the file without Content-Encoding.")
    package static let tusVersion = UploadRefusal("unsupported_version", 412, draft: 400, "This server speaks tus 1.0.0. Send Tus-Resumable: 1.0.0.")
    package static let unknownDraft = UploadRefusal(
        "unsupported_version", 400,
        "This server speaks resumable uploads of interop versions 3, 5, 6 and 8. Name one of them in Upload-Draft-Interop-Version.")
    package static let notFound = UploadRefusal("not_found", 404, "There is no such upload. Begin a new one.")
    package static let noFamily = UploadRefusal("not_found", 404, "There is no such family. Nothing was kept.", field: "family")
    package static let notSignedIn = UploadRefusal("token_unknown", 401, "This sign-in is not valid or has ended. Sign in again.")
    package static let busy = UploadRefusal("busy", 503, "The server is busy. The stored part is kept; resume in a moment.", retryAfter: 5)
    package static let tooMany = UploadRefusal(
        "too_many_uploads", 429, "Too many uploads are open. Finish or cancel one of them first.", retryAfter: 60)

    /// A family has as many open uploads as it may have.
    package static func tooManyOfFamily(_ open: Int, limit: Int) -> UploadRefusal {
        UploadRefusal(
            "too_many_uploads", 429, "Your family has \(open) open uploads, and \(limit) is its limit. Finish or cancel one of them first.", retryAfter: 60)
    }

    /// For the older of two requests to one upload. Clients retry after it, as they must: octets of a broken connection
    /// can arrive after the request that resumes, and then belong to the newer request.
    package static let interrupted = UploadRefusal(
        "upload_interrupted", 423, draft: 503, "Another request has continued this upload, so this one ended. The received part is stored; ask for the offset.",
        retryAfter: 1)
    /// For a request whose content almost stopped for as long as a link may pause.
    package static let tooSlow = UploadRefusal(
        "too_slow", 408, draft: 503, "The file came too slowly for half a minute, so this request ended. The received part is stored; ask for the offset, then resume.",
        retryAfter: 1)

    package static func offset(expected: Int, provided: Int) -> UploadRefusal {
        UploadRefusal(
            "offset_mismatch", 409, "\(expected) octets are stored, and these would begin at \(provided). Ask for the offset and resume there.",
            problem: .mismatchingOffset(expected: expected, provided: provided))
    }

    package static let completed = UploadRefusal(
        "upload_complete", 400, "This upload is complete; nothing can be added to it.", problem: .completedUpload)
    package static let inconsistentLength = UploadRefusal(
        "inconsistent_length", 400, "The length of the file differs from the declared one. Begin a new upload.",
        problem: .inconsistentLength)
    package static let lengthExceeded = UploadRefusal(
        "length_exceeded", 413, draft: 400, "This is more than the declared length. Nothing was kept; begin a new upload.",
        endsUpload: true)
    /// For octets above the length of an upload in progress: the octets below the length may be stored.
    package static let pastLength = UploadRefusal(
        "length_exceeded", 413, draft: 400, "These octets exceed the declared length. The stored part is kept; ask for the offset, and send the missing part.")
    package static let checksumMismatch = UploadRefusal(
        "checksum_mismatch", 460, draft: 400, "These octets changed on their way. They were not kept; send them again from the same offset.")

    // MARK: Refusals about the document

    /// R135; 100 MB are 104,857,600 octets.
    package static let tooLarge = UploadRefusal(
        "file_too_large", 413, "File exceeds 100MB limit. Please compress or choose a smaller file.")
    /// An upload without a declared length exceeded the family's room.
    package static let noRoom = UploadRefusal(
        "quota_exceeded", 507,
        "This file is larger than the space that your family has left. Delete documents that are no longer needed (their room is free 30 days "
            + "later), or ask the person who runs the server for more.")
    /// The digest of the whole file differs from the declared `sha256`.
    package static let fileMismatch = UploadRefusal(
        "file_mismatch", 400, "The received file differs from the announced one. Nothing was kept; upload it again.", field: "sha256",
        endsUpload: true)

    /// R134.
    package static func fileType(_ type: DocumentType) -> UploadRefusal {
        let extensions = type.extensions.map { "." + $0.rawValue }.joined(separator: ", ")
        return UploadRefusal("file_type", 415, "Invalid file type. \(type.label) requires \(extensions).", field: "filename", endsUpload: true)
    }

    /// The first octets do not match the file's format.
    package static func otherKind(_ kind: FileExtension) -> UploadRefusal {
        UploadRefusal(
            "file_type", 415, "Invalid file type. This isn't a real .\(kind.rawValue) file. Not uploaded; choose the right file.",
            field: "filename", endsUpload: true)
    }

    package static func metadata(_ code: ErrorCode, _ field: String, _ sentence: String) -> UploadRefusal {
        UploadRefusal(code.rawValue, code.httpStatus, sentence, field: field)
    }

    /// A rejection by the family's rules as an HTTP refusal.
    package init(_ rejection: Rejection) {
        self.init(
            rejection.code.rawValue, rejection.code.httpStatus, rejection.message, field: rejection.field,
            retryAfter: rejection.retryAfterSeconds.map { Int(clamping: $0) })
    }
}
