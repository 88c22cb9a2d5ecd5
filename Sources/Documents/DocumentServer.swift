package import Bytes
internal import Crypto
internal import Family
internal import HTTPClient
internal import JSON
package import Sessions
internal import Terminal

/// A server's documents over HTTP (`proto/uploads.md`, `proto/documents.md`): each call makes one request and blocks
/// until its response. Use it on a thread of its own.
package final class DocumentServer {
    private let base: String
    private let token: String
    private let client: CurlClient

    package init(_ address: ServerAddress, token: String) throws(DocumentFailure) {
        base = "\(address.isSecure ? "https" : "http")://\(address.authority)"
        self.token = token
        do throws(HTTPClientError) { client = try CurlClient(authorities: address.authorities) } catch { throw DocumentFailure(error) }
    }

    // MARK: Uploads (tus 1.0.0)

    /// Creates an upload.
    ///
    /// - Returns: its location at the server, a path.
    func create(_ upload: NewUpload, octets: Int64, sha256: [UInt8]?) throws(DocumentFailure) -> String {
        let reply = try ask(
            "POST", "/files",
            [("Tus-Resumable", "1.0.0"), ("Upload-Length", "\(octets)"), ("Upload-Metadata", upload.metadata(sha256: sha256))])
        guard reply.head.status == 201, let place = reply.head["location"], let path = DocumentServer.path(place) else {
            throw DocumentFailure(reply)
        }
        return path
    }

    /// The number of octets of an upload that the server has; `nil` if it has no such upload any more.
    func offset(_ path: String) throws(DocumentFailure) -> Int64? {
        let reply = try ask("HEAD", path, [("Tus-Resumable", "1.0.0")])
        switch reply.head.status {
        case 200, 204:
            guard let offset = reply.head["upload-offset"].flatMap({ Int64($0) }), offset >= 0 else { throw DocumentFailure(reply) }
            return offset
        case 403, 404, 410: return nil
        default: throw DocumentFailure(reply)
        }
    }

    /// Sends a file from an offset to its end.
    ///
    /// - Returns: the number of octets that the server has now; `nil` if the offset is not the server's.
    func append(
        _ path: String, file: Int32, from offset: Int64, count: Int64, progress: @escaping (Int64) -> Bool
    ) throws(DocumentFailure) -> Int64? {
        let reply = try ask(
            "PATCH", path,
            [
                ("Tus-Resumable", "1.0.0"), ("Upload-Offset", "\(offset)"), ("Content-Type", "application/offset+octet-stream"),
            ], .file(raw: file, offset: offset, count: count), progress: { progress($0.sent) })
        switch reply.head.status {
        case 200, 204:
            guard let offset = reply.head["upload-offset"].flatMap({ Int64($0) }), offset >= 0 else { throw DocumentFailure(reply) }
            return offset
        case 409, 423: return nil
        default: throw DocumentFailure(reply)
        }
    }

    /// Cancels an upload; the server keeps nothing of it.
    package func cancel(_ path: String) throws(DocumentFailure) {
        let reply = try ask("DELETE", path, [("Tus-Resumable", "1.0.0")])
        guard reply.head.status == 204 || reply.head.status == 404 || reply.head.status == 410 else { throw DocumentFailure(reply) }
    }

    /// The path of a location; the rest is ignored, because the token is only for this server.
    static func path(_ location: String) -> String? {
        var rest = Substring(location)
        if let start = rest.firstRange(of: "://") {
            guard let slash = rest[start.upperBound...].firstIndex(of: "/") else { return nil }
            rest = rest[slash...]
        }
        guard rest.hasPrefix("/"), !rest.hasPrefix("//"), rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return String(rest)
    }

    // MARK: Downloads

    /// Downloads a document into a file, from an offset. A file with another digest, or a server that does not resume,
    /// restarts at 0.
    ///
    /// - Returns: the offset in the file at which the content began: `offset`, or 0.
    func fetch(
        _ document: Identifier, from offset: Int64, sha256: String, into file: Int32, progress: @escaping (Int64) -> Bool
    ) throws(DocumentFailure) -> Int64 {
        var begin: Int64 = 0
        let fields = offset > 0 ? [("Range", "bytes=\(offset)-"), ("If-Range", "\"\(sha256)\"")] : []
        let reply = try ask("GET", "/documents/\(document)", fields, file: { head in
            switch head.status {
            case 200: begin = 0
            case 206: begin = offset
            default: return nil
            }
            return (file, begin)
        }, progress: { progress(begin + $0.received) })
        guard reply.head.status == 200 || reply.head.status == 206 else { throw DocumentFailure(reply) }
        return begin
    }

    /// The small picture of a document, as JPEG; `nil` if it has none.
    package func thumbnail(_ document: Identifier) throws(DocumentFailure) -> [UInt8]? {
        let reply = try ask("GET", "/documents/\(document)/thumbnail")
        switch reply.head.status {
        case 200: return reply.content
        case 404: return nil
        default: throw DocumentFailure(reply)
        }
    }

    // MARK: The family

    /// The seconds that a server may take to make an archive of a family before it sends the first octet: one of 50 GB from a slow disk.
    private static let archiveSeconds = 1_800

    /// Downloads an archive of a whole family into an empty file.
    func fetchFamily(_ family: Identifier, isPrivate: Bool, into file: Int32, progress: @escaping (Int64) -> Bool) throws(DocumentFailure) {
        let reply = try ask("GET", "/families/\(family)/export" + (isPrivate ? "?private=yes" : ""), stallSeconds: Self.archiveSeconds, file: { head in
            head.status == 200 ? (file, 0) : nil
        }, progress: { progress($0.received) })
        guard reply.head.status == 200 else { throw DocumentFailure(reply) }
    }

    // MARK: Sharing

    /// Creates a link for a school; the school's earlier link ends.
    package func share(_ document: Identifier, school: Identifier, days: Int?) throws(DocumentFailure) -> ShareLink {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("school")
        writer.identifier(school)
        if let days {
            writer.key("days")
            writer.integer(days)
        }
        writer.endObject()
        let reply = try ask("POST", "/documents/\(document)/shares", [("Content-Type", "application/json")], .octets(writer.octets))
        guard reply.head.status == 201, var link = try? ShareLink.read(reply.content) else { throw DocumentFailure(reply) }
        // A path: people need the whole URL.
        if let url = link.url, url.hasPrefix("/") { link.url = base + url }
        return link
    }

    /// The links of a document, newest first, including those that have ended.
    package func shares(_ document: Identifier) throws(DocumentFailure) -> [ShareLink] {
        let reply = try ask("GET", "/documents/\(document)/shares")
        guard reply.head.status == 200, let links = try? ShareLink.readList(reply.content) else { throw DocumentFailure(reply) }
        return links
    }

    /// Ends a link immediately.
    package func revoke(_ share: String, of document: Identifier) throws(DocumentFailure) {
        let reply = try ask("DELETE", "/documents/\(document)/shares?share=\(share)")
        guard reply.head.status == 204 else { throw DocumentFailure(reply) }
    }

    /// A URL that opens the document for a few minutes without a sign-in, for a browser on this machine.
    package func link(_ document: Identifier) throws(DocumentFailure) -> String {
        let reply = try ask("POST", "/documents/\(document)/link")
        guard reply.head.status == 201, let url = (try? ShareLink.read(reply.content))?.url else { throw DocumentFailure(reply) }
        return url.hasPrefix("/") ? base + url : url
    }

    // MARK: Parts

    private func ask(
        _ method: String, _ path: String, _ fields: [(String, String)] = [], _ content: HTTPRequest.Content = .none, stallSeconds: Int? = nil,
        file: @escaping (HTTPReplyHead) -> (raw: Int32, offset: Int64)? = { _ in nil },
        progress: @escaping (HTTPProgress) -> Bool = { _ in true }
    ) throws(DocumentFailure) -> HTTPReply {
        var request = HTTPRequest(
            method, base + path, fields: fields.map { (name: $0.0, value: $0.1) } + [("Authorization", "Bearer \(token)")], content: content)
        request.stallSeconds = stallSeconds
        do throws(HTTPClientError) {
            return try client.perform(request, file: file, progress: progress)
        } catch {
            throw DocumentFailure(error)
        }
    }
}

@available(*, unavailable)
extension DocumentServer: Sendable {}

/// The reason why an operation on a document failed.
package enum DocumentFailure: Error, Hashable, Sendable {
    /// The network, or the server for now: another try can succeed. A sentence.
    case offline(String)
    /// The server refused, with a code and a sentence; `status` is the HTTP status.
    case refused(status: Int, code: String, sentence: String)
    /// A file on this machine. A sentence.
    case file(String)
    /// The caller cancelled the operation.
    case cancelled

    init(_ error: HTTPClientError) {
        switch error {
        case .timedOut: self = .offline("Connection timed out.")
        case .unreachable(let reason): self = .offline("The server cannot be reached: \(reason).")
        case .cancelled: self = .cancelled
        case .file(let reason): self = .file("The transfer failed: \(reason).")
        }
    }

    /// The failure in an unexpected response.
    init(_ reply: HTTPReply) {
        let said = try? Refusal.read(reply.content)
        let status = reply.head.status
        if status == 429 || status == 503 || status == 502 || status == 504 {
            self = .offline((said?.sentence).map(\.printable) ?? "The server is busy.")
        } else {
            self = .refused(
                status: status, code: said?.code ?? "http_\(status)",
                sentence: (said?.sentence).map(\.printable)
                    ?? (status >= 500 ? "Server error. Please try again." : "The server answered with status \(status), which was not expected here."))
        }
    }

    /// The sentence for the user.
    package var sentence: String {
        switch self {
        case .offline(let sentence), .file(let sentence), .refused(_, _, let sentence): sentence
        case .cancelled: "The transfer was given up."
        }
    }

    /// The sentence for a transfer: all upload failures begin with the same words (R139).
    package func sentence(isUpload: Bool) -> String {
        guard isUpload, self != .cancelled, !sentence.hasPrefix("Upload failed") else { return sentence }
        return "Upload failed: \(sentence)"
    }
}

/// `{"code":…,"field":…,"sentence":…}`.
private struct Refusal {
    var code: String?
    var sentence: String?

    static func read(_ octets: [UInt8]) throws(JSONError) -> Refusal {
        try JSONReader.read(octets) { reader throws(JSONError) in
            var refusal = Refusal()
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "code": refusal.code = try reader.readString()
                case "sentence": refusal.sentence = try reader.readString()
                default: try reader.skipValue()
                }
            }
            return refusal
        }
    }
}
