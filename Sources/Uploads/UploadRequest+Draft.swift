internal import Bytes
internal import HTTP1

extension UploadRequest {
    /// The content type of appending requests since interop version 6.
    package static let partialUpload = "application/partial-upload"

    /// Reads a request of draft-ietf-httpbis-resumable-upload.
    ///
    /// Structured fields of another type count as absent (draft §"State").
    static func draft(
        _ head: RequestHead, _ path: UploadPath, _ version: UploadDialect.DraftVersion, maxLength: Int
    ) throws(UploadRefusal) -> UploadRequest {
        if head.method == "OPTIONS" { return .options }
        switch path {
        case .unknown: throw .notFound
        case .collection:
            guard head.method == "POST" else { throw .method("OPTIONS, POST") }
            return .create(try creation(head, version, maxLength: maxLength))
        case .upload(let id):
            switch head.method {
            case "HEAD":
                try refuseState(head, version, andLength: true)
                return .offset(id)
            // Interop version 8 allows both methods for the offset.
            case "GET" where version >= .eight: return .offset(id)
            case "PATCH": return .append(id, try append(head, version, maxLength: maxLength))
            case "DELETE":
                try refuseState(head, version, andLength: false)
                return .cancel(id)
            default: throw .method("OPTIONS, HEAD, PATCH, DELETE")
            }
        }
    }

    /// Up to version 6, a request for the offset or a cancellation must not have the fields of an appending request.
    private static func refuseState(
        _ head: RequestHead, _ version: UploadDialect.DraftVersion, andLength: Bool
    ) throws(UploadRefusal) {
        guard version < .eight else { return }
        let forbidden = ["upload-offset", version.completenessField.lowercased()] + (andLength && version == .six ? ["upload-length"] : [])
        for name in forbidden where head.fields.contains(name) {
            throw .badRequest("a request that sends nothing does not say \(name)")
        }
    }

    private static func creation(
        _ head: RequestHead, _ version: UploadDialect.DraftVersion, maxLength: Int
    ) throws(UploadRefusal) -> UploadCreation {
        guard let completes = completeness(head, version) else { throw .badRequest("\(version.completenessField) is missing, or neither ?0 nor ?1") }
        if version < .eight, head.fields.contains("upload-offset") { throw .badRequest("a new upload has no Upload-Offset") }
        try refuseCoding(head)
        let content = contentLength(head)
        let length = try length(head, version, offset: 0, completes: completes, maxLength: maxLength)
        guard content ?? 0 <= maxLength else { throw .tooLarge }
        return UploadCreation(
            length: length, metadata: try metadata(head), hasContent: content != 0, completion: .declared(completes),
            checksum: try UploadChecksum.digest(head.fields.all("content-digest")))
    }

    private static func append(
        _ head: RequestHead, _ version: UploadDialect.DraftVersion, maxLength: Int
    ) throws(UploadRefusal) -> UploadAppend {
        if version >= .six, mediaType(head) != partialUpload { throw .contentType(partialUpload) }
        try refuseCoding(head)
        guard let offset = integer(head, "upload-offset") else { throw .badRequest("Upload-Offset is missing, or not a whole number of octets") }
        let completes: Bool
        switch completeness(head, version) {
        case let said?: completes = said
        // "The request MUST include the Upload-Complete header field."
        case nil where version >= .eight: throw .badRequest("Upload-Complete is missing, or neither ?0 nor ?1")
        // Version 3: an absent field means `Upload-Incomplete: ?0`. Later versions: only an explicit field means
        // complete.
        case nil: completes = version == .three
        }
        return UploadAppend(
            offset: offset, length: try length(head, version, offset: offset, completes: completes, maxLength: maxLength),
            completion: .declared(completes), checksum: try UploadChecksum.digest(head.fields.all("content-digest")))
    }

    /// Reads the two indicators of the total length, which must agree (draft §"Length").
    private static func length(
        _ head: RequestHead, _ version: UploadDialect.DraftVersion, offset: Int, completes: Bool, maxLength: Int
    ) throws(UploadRefusal) -> Int? {
        let said = version >= .six ? integer(head, "upload-length") : nil
        var end: Int?
        if let content = contentLength(head) {
            let (sum, isOver) = offset.addingReportingOverflow(content)
            guard !isOver else { throw .tooLarge }
            if completes { end = sum }
            if let said, completes ? sum != said : sum > said { throw .inconsistentLength }
        }
        let length = said ?? end
        if let length, length > maxLength { throw .tooLarge }
        return length
    }

    private static func completeness(_ head: RequestHead, _ version: UploadDialect.DraftVersion) -> Bool? {
        let value = head.fields.only(version.completenessField.lowercased()).flatMap { StructuredField.boolean($0) }
        return version == .three ? value.map { !$0 } : value
    }

    private static func integer(_ head: RequestHead, _ name: String) -> Int? {
        guard let value = head.fields.only(name).flatMap({ StructuredField.integer($0) }), value >= 0 else { return nil }
        return Int(value)
    }

    /// The description of the document, from the field in tus' grammar, the query, `Content-Disposition` and
    /// `Repr-Digest`; the first source of a name counts, but the query and the field must not both have it.
    private static func metadata(_ head: RequestHead) throws(UploadRefusal) -> UploadMetadata {
        var metadata = try UploadMetadata(head.fields.all("huddle-metadata"))
        if let query = head.query { try metadata.add(query: query) }
        if metadata["filename"] == nil, let disposition = head.fields.only("content-disposition"),
            let name = ContentDisposition.fileName(disposition)
        {
            try metadata.add("filename", name)
        }
        if metadata["sha256"] == nil, let digest = try UploadChecksum.digest(head.fields.all("repr-digest")) {
            try metadata.add("sha256", Hex.encode(digest.digest))
        }
        return metadata
    }
}

extension UploadDialect.DraftVersion {
    /// The field that marks an upload as complete or incomplete.
    package var completenessField: String { self == .three ? "Upload-Incomplete" : "Upload-Complete" }

    /// The value of that field.
    package func completeness(_ isComplete: Bool) -> String { isComplete != (self == .three) ? "?1" : "?0" }
}
