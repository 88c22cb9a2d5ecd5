import Blobs
import Bytes
import Crypto
import HTTP1
import Posix
import Store

/// A document's file as a response.
struct DocumentFile {
    let document: StoredDocument
    /// `Cache-Control`.
    let caching: String

    /// The part of the file that the request receives: the whole, ranges, or only the answer that it has not changed.
    func selection(_ head: RequestHead) -> ContentSelection {
        ContentSelection(head, representation, now: HTTPSite.now, boundary: Hex.encode(Random.octets(16)))
    }

    private var representation: Representation {
        Representation(
            length: Int(document.octets), contentType: AttachmentType.safe(document.fileType),
            validators: Validators(tag: EntityTag(document.blob.sha256), lastModified: document.createdAt / 1_000),
            fields: [
                Field("Content-Disposition", AttachmentName.disposition(document.fileName)), Field("Cache-Control", caching),
                // If a browser shows the file all the same, it has no rights: no script, no origin, no form.
                Field("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'"),
                Field("Cross-Origin-Resource-Policy", "same-origin"), Field("X-Robots-Tag", "noindex"),
            ])
    }

    /// Opens the blob. Call this on a thread that may block.
    ///
    /// - Returns: `nil` if the file does not match its row; `huddled check` reports the details.
    static func open(_ document: StoredDocument, in blobs: BlobFolder) -> OpenFile? {
        guard let descriptor = (try? blobs.open(document.blob)) ?? nil,
            (try? Files.length(descriptor.raw)) == Int(clamping: document.octets)
        else { return nil }
        return OpenFile(descriptor)
    }
}

/// Media types that are safe in a field.
enum AttachmentType {
    /// `type/subtype` without parameters; any other text becomes the type of plain octets.
    static func safe(_ text: String) -> String {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isType = parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(Grammar.isTokenOctet) }
        return isType && text.utf8.count <= 127 ? text : "application/octet-stream"
    }
}

/// A handler that responds with a document's file.
class DocumentFileHandler: DocumentHandler {
    let blobs: BlobFolder

    init(_ context: RequestContext, _ services: RequestServices, _ blobs: BlobFolder) {
        self.blobs = blobs
        super.init(context, services)
    }

    /// Opens the file if the request needs its octets, and answers.
    ///
    /// - Parameters:
    ///   - refusal: called after the file was opened, immediately before it is sent: a right may have ended in the
    ///     meantime. `nil` sends it.
    ///   - sending: called before octets of the file are sent, with the position of the first one.
    final func give(_ file: DocumentFile, refusal: @escaping () -> HTTPResponse?, sending: @escaping (Int) -> Void) {
        let selection = file.selection(context.head)
        guard !selection.pieces.isEmpty else { return respond(HTTPResponse(selection.status, selection.fields)) }
        let document = file.document
        services.work(for: self, document.id, of: document.family) { [blobs] in
            DocumentFile.open(document, in: blobs)
        } then: { [self] open in
            guard let open else {
                services.log(.error, "blob_missing", [.init("document", "\(document.id)")])
                return respond(
                    HTTPResponse(
                        500, code: "file_missing",
                        sentence: "The file of this document cannot be read. The person who runs this server can find the cause with huddled check."))
            }
            // A server that is shutting down can no longer note a view, so it sends no file.
            if let refusal = services.usage.isOpen ? refusal() : HTTPResponse(refusal: .busy) { return respond(refusal) }
            if context.head.method == "GET" { sending(selection.first ?? 0) }
            respond(HTTPResponse(selection, of: open, key: document.id, family: document.family))
        }
    }
}

extension ContentSelection {
    /// The first octet of the content that is sent; `nil` if none is sent.
    fileprivate var first: Int? {
        pieces.lazy.compactMap { if case .part(let range) = $0 { range.lowerBound } else { nil } }.min()
    }
}
