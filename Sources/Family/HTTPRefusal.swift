/// One code of the answers `{"code":…,"sentence":…}` over HTTP, with the sentences that only HTTP has.
///
/// Refusals by the family's rules have the codes and sentences of `ErrorCode` over HTTP as well; they are not repeated here. A test proves that
/// the sources of the server write these codes, statuses and sentences, and no others.
package struct HTTPRefusal: Hashable, Sendable {
    package let code: String
    /// Most statuses are of every request. Those of the upload draft that tus does not have are in `draftStatuses`.
    package let statuses: [Int]
    /// Statuses of the same refusal to a client of draft-ietf-httpbis-resumable-upload.
    package let draftStatuses: [Int]
    package let sentences: [ErrorSentence]

    private init(_ code: String, _ statuses: Int..., draft: Int..., sentences: KeyValuePairs<String, String>) {
        self.code = code
        self.statuses = statuses
        draftStatuses = draft
        self.sentences = sentences.map { ErrorSentence(template: $0.key, when: $0.value) }
    }

    package static let all: [HTTPRefusal] = [
        // Every request.
        .init("bad_request", 400, sentences: [
            "This is not a valid HTTP/1.1 request (RFC 9110, RFC 9112). Check its syntax.": "Every request.",
            "This upload request is not valid: {problem}.": "Uploads.",
        ]),
        .init("two_credentials", 400, sentences: [
            "This request has a cookie and a token. Send one of them.": "Every request with a credential.",
        ]),
        .init("foreign_page", 403, sentences: [
            "A page of another site may not do this. Nothing was done; open this server's own page.":
                "A request other than GET with the cookie of a session and another Origin than the server's own, or none; POST /session from another page.",
        ]),
        .init("not_found", 404, sentences: [
            "There is no resource at this address. Clients connect to {path}.": "Every request: the path.",
            "This file belongs to another version of the web client. Load the page again.": "GET /app/BUILD/FILE: the build or the file.",
            "This document no longer exists, or this link has ended. Look for it in your list of documents.":
                "/documents: a document that does not exist, is deleted or is not yours to see; a signed link that has ended.",
            "There is no such upload. Begin a new one.": "Uploads: the id.",
            "There is no calendar at this address, or it has ended. Make a new one in Huddle and subscribe to that.": "/feeds.",
            "There is no such family. Nothing was kept.": "Uploads: a family that you are not a member of, whether it exists or not.",
        ]),
        .init("method_not_allowed", 405, sentences: [
            "Nothing can be changed here by HTTP. Use GET, or connect to {path}.": "A path that is only read.",
            "This method is not allowed here. Allowed: {methods}.": "Another path.",
            "This address allows other methods: {methods}.": "Uploads.",
        ]),
        .init("too_slow", 408, draft: 503, sentences: [
            "The request did not come in time. Send it again.": "Every request: the head or the content.",
            "The file came too slowly for half a minute, so this request ended. The received part is stored; ask for the offset, then resume.": "Uploads.",
        ]),
        .init("too_large", 413, sentences: [
            "The request body is too large. Send a smaller one.": "Every request.",
        ]),
        .init("address_too_long", 414, sentences: ["This address is too long. Use a shorter one.": "Every request: the first line."]),
        .init("expectation_unknown", 417, sentences: [
            "The server supports only the expectation 100-continue. Send the request without another.": "Every request: Expect.",
        ]),
        .init("fields_too_large", 431, sentences: ["The fields of this request are too large. Send fewer or shorter ones.": "Every request."]),
        .init("method_unknown", 501, sentences: [
            "The server does not know this method. OPTIONS lists the allowed ones.": "Every request.",
        ]),
        .init("coding_unknown", 501, sentences: [
            "The server supports only the transfer coding chunked. Send the content without another.": "Every request: Transfer-Encoding.",
        ]),
        .init("no_public_url", 501, sentences: [
            "This server does not accept passkeys, because its public-url is not set. Ask the person who runs it to set public-url = https://HOST.":
                "/passkeys.",
        ]),
        .init("qr_unavailable", 501, sentences: ["This server draws no QR codes. Ask the host to install libqrencode4.": "/qr."]),
        .init("version_unknown", 505, sentences: ["This server speaks HTTP/1.1. Use that version.": "Every request."]),
        // Documents, links, thumbnails, uploads.
        .init("token_unknown", 401, sentences: [
            "This sign-in is not valid or has ended. Sign in again.": "/documents and uploads: no token, or a token that opens nothing.",
        ]),
        .init("busy", 503, sentences: [
            "The server is busy. Try again in a moment.": "/documents. Retry-After says when.",
            "The server is busy. The stored part is kept; resume in a moment.": "Uploads. Retry-After says when.",
        ]),
        .init("file_missing", 500, sentences: [
            "The file of this document cannot be read. The person who runs this server can find the cause with huddled check.": "/documents/ID and /s/TOKEN/file.",
        ]),
        .init("no_thumbnail", 404, sentences: [
            "This document has no thumbnail. Show an icon of its type.": "/documents/ID/thumbnail.",
        ]),
        // Uploads.
        .init("required", 400, sentences: ["{name} is required. Nothing was kept.": "Metadata: a name that is missing or empty."]),
        .init("invalid", 400, sentences: [
            "Document type must be one of {types}. Nothing was kept; choose one of them.": "Metadata: type.",
            "The name of the file is too long or contains control characters. Rename it, and upload it again.": "Metadata: filename.",
            "sha256 must be 64 hexadecimal digits, or left out. Nothing was kept.": "Metadata: sha256.",
            "{name} is not an identifier. Nothing was kept.": "Metadata: an id.",
            "{name} is not valid UTF-8 text. Nothing was kept; send it again.": "Metadata: any name.",
        ]),
        .init("offset_mismatch", 409, sentences: [
            "{count} octets are stored, and these would begin at {offset}. Ask for the offset and resume there.": "PATCH.",
        ]),
        .init("unsupported_version", 412, 400, draft: 400, sentences: [
            "This server speaks tus 1.0.0. Send Tus-Resumable: 1.0.0.": "tus.",
            "This server speaks resumable uploads of interop versions 3, 5, 6 and 8. Name one of them in Upload-Draft-Interop-Version.": "The draft.",
        ]),
        .init("file_too_large", 413, sentences: ["File exceeds 100MB limit. Please compress or choose a smaller file.": "document_octets."]),
        .init("length_exceeded", 413, draft: 400, sentences: [
            "This is more than the declared length. Nothing was kept; begin a new upload.": "A creation.",
            "These octets exceed the declared length. The stored part is kept; ask for the offset, and send the missing part.": "PATCH.",
        ]),
        .init("content_type", 415, sentences: [
            "The content of this request must be sent as {type}.": "Content-Type.",
            "Send the content of this request without Content-Encoding.": "Content-Encoding of JSON.",
            "Documents are kept as they are. Send the file without Content-Encoding.": "Content-Encoding of a file.",
        ]),
        .init("file_type", 415, sentences: [
            "Invalid file type. {type} requires {extensions}.": "The extension of filename.",
            "Invalid file type. This isn't a real {extension} file. Not uploaded; choose the right file.": "The first octets.",
        ]),
        .init("upload_interrupted", 423, draft: 503, sentences: [
            "Another request has continued this upload, so this one ended. The received part is stored; ask for the offset.": "The older of two requests.",
        ]),
        .init("too_many_uploads", 429, sentences: [
            "Too many uploads are open. Finish or cancel one of them first.": "uploads_per_member.",
            "Your family has {count} open uploads, and {limit} is its limit. Finish or cancel one of them first.": "uploads_per_family, or the family's own limit.",
        ]),
        .init("checksum_mismatch", 460, draft: 400, sentences: [
            "These octets changed on their way. They were not kept; send them again from the same offset.": "Upload-Checksum, Content-Digest.",
        ]),
        .init("upload_complete", 400, sentences: ["This upload is complete; nothing can be added to it.": "PATCH."]),
        .init("inconsistent_length", 400, sentences: [
            "The length of the file differs from the declared one. Begin a new upload.": "Upload-Length.",
        ]),
        .init("file_mismatch", 400, sentences: [
            "The received file differs from the announced one. Nothing was kept; upload it again.": "Metadata: sha256.",
        ]),
        .init("storage_failed", 500, sentences: ["The server could not write the file. The stored part is kept; resume later.": "A fault of the server's disk."]),
        .init("storage_full", 507, sentences: [
            "The server's disk is full. The stored part is kept; resume later, or tell the person who runs the server.": "Uploads.",
        ]),
        .init("quota_exceeded", 507, sentences: [
            "This file is larger than the space that your family has left. Delete documents that are no longer needed (their room is free 30 days later), or ask the person who runs the server for more.":
                "An upload that did not state its length.",
        ]),
    ]
}
