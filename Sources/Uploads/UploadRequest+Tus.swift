internal import HTTP1

extension UploadRequest {
    /// The content type of tus requests.
    package static let tusContentType = "application/offset+octet-stream"

    /// Reads a request of tus 1.0.0: core, creation, creation-defer-length, creation-with-upload, expiration, checksum, termination.
    static func tus(_ head: RequestHead, _ path: UploadPath, maxLength: Int) throws(UploadRefusal) -> UploadRequest {
        var method = head.method
        if head.fields.contains("x-http-method-override") {
            // "The actual method of the request MUST be ignored."
            guard let override = head.fields.only("x-http-method-override") else { throw .badRequest("X-HTTP-Method-Override must name one method") }
            method = override
        }
        // OPTIONS comes without a version, and every version gets a response.
        if method == "OPTIONS" { return .options }
        guard head.fields.only("tus-resumable") == "1.0.0" else { throw .tusVersion }
        switch path {
        case .unknown: throw .notFound
        case .collection:
            guard method == "POST" else { throw .method("OPTIONS, POST") }
            return .create(try creation(head, maxLength: maxLength))
        case .upload(let id):
            switch method {
            case "HEAD": return .offset(id)
            case "PATCH": return .append(id, try append(head, maxLength: maxLength))
            case "DELETE": return .cancel(id)
            default: throw .method("OPTIONS, HEAD, PATCH, DELETE")
            }
        }
    }

    private static func creation(_ head: RequestHead, maxLength: Int) throws(UploadRefusal) -> UploadCreation {
        guard !head.fields.contains("upload-concat") else { throw .badRequest("uploads cannot be concatenated; send the file as one upload") }
        let length: Int?
        switch (head.fields.contains("upload-length"), head.fields.contains("upload-defer-length")) {
        case (true, false): length = try number(head, "upload-length", "Upload-Length")
        case (false, true):
            guard head.fields.only("upload-defer-length") == "1" else { throw .badRequest("Upload-Defer-Length must be 1 or left out") }
            length = nil
        case (false, false): throw .badRequest("Upload-Length is missing; with Upload-Defer-Length: 1 it may come later")
        case (true, true): throw .badRequest("Upload-Length and Upload-Defer-Length exclude each other")
        }
        let content = contentLength(head)
        let hasContent = mediaType(head) == tusContentType
        guard hasContent || content == 0 else { throw .contentType(tusContentType) }
        try refuseCoding(head)
        if let length {
            guard length <= maxLength else { throw .tooLarge }
            guard content ?? 0 <= length else { throw .lengthExceeded }
        }
        guard content ?? 0 <= maxLength else { throw .tooLarge }
        return UploadCreation(
            length: length, metadata: try UploadMetadata(head.fields.all("upload-metadata")), hasContent: hasContent && content != 0,
            completion: .whenFull, checksum: hasContent ? try checksum(head) : nil)
    }

    private static func append(_ head: RequestHead, maxLength: Int) throws(UploadRefusal) -> UploadAppend {
        guard mediaType(head) == tusContentType else { throw .contentType(tusContentType) }
        try refuseCoding(head)
        guard head.fields.contains("upload-offset") else { throw .badRequest("Upload-Offset is missing") }
        let offset = try number(head, "upload-offset", "Upload-Offset")
        var length: Int?
        if head.fields.contains("upload-length") {
            let said = try number(head, "upload-length", "Upload-Length")
            guard said <= maxLength else { throw .tooLarge }
            length = said
        }
        return UploadAppend(offset: offset, length: length, completion: .whenFull, checksum: try checksum(head))
    }

    private static func checksum(_ head: RequestHead) throws(UploadRefusal) -> UploadChecksum? {
        guard head.fields.contains("upload-checksum") else { return nil }
        guard let text = head.fields.only("upload-checksum") else { throw .badRequest("Upload-Checksum may be present only once") }
        return try UploadChecksum(tus: text)
    }

    /// "The value MUST be a non-negative integer": digits only. A number larger than any file becomes the greatest
    /// integer.
    private static func number(_ head: RequestHead, _ name: String, _ shown: String) throws(UploadRefusal) -> Int {
        guard let text = head.fields.only(name), !text.isEmpty,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw .badRequest("\(shown) must be a whole number of octets, not below 0") }
        return Int(text) ?? .max
    }

    /// Refuses content codings: the octets of a request must be the octets of the file.
    static func refuseCoding(_ head: RequestHead) throws(UploadRefusal) {
        guard head.fields.members("content-encoding").allSatisfy({ $0.lowercased() == "identity" }) else { throw .contentCoding }
    }
}
