import Blobs
import Bytes
import Crypto
import HTTP1
import EventLoop
import Store
import Synchronization

/// Thumbnails of documents' files: `GET /documents/<id>/thumbnail`. A thread makes them at the first request, one at a
/// time, and keeps them beside the blobs.
final class Thumbnails: Sendable {
    /// The largest number of pictures that are being made or wait; clients of further requests must come back later.
    static let maxWaiting = 32

    let folder: ThumbnailFolder
    private let blobs: BlobFolder
    private let maker: ThumbnailMaker
    private let pool: FilePool
    private let isStopping = Atomic<Bool>(false)

    init(folder: ThumbnailFolder, blobs: BlobFolder, maker: ThumbnailMaker, events: Mailbox<ShardEvent>, limit: Int = Thumbnails.maxWaiting) {
        self.folder = folder
        self.blobs = blobs
        self.maker = maker
        pool = FilePool(events: events, threads: 1, limit: limit)
    }

    func resource(_ services: RequestServices) -> RouteGroup.Resource {
        // A client that may see the file for these minutes may see its picture.
        RouteGroup("/documents/{id}/thumbnail", .sessionOrLink(to: "id")).resource("", .get { [self] in .handler(ThumbnailHandler($0, services, self)) })
    }

    /// Ends the current job, and waits for that.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        pool.stop()
    }

    /// The picture if there is one, and whether one could be made.
    fileprivate func find(
        _ document: StoredDocument, for handler: RequestHandler, _ services: RequestServices, then: @escaping (ThumbnailFolder.Entry?) -> Void
    ) {
        guard maker.covers(document.fileType) else { return then(.failed) }
        let (folder, blob) = (folder, document.blob)
        services.work(for: handler, document.id, of: document.family) { folder.entry(of: blob) } then: { then($0) }
    }

    /// - Parameter then: receives `nil` if the picture cannot be made now.
    fileprivate func make(
        _ document: StoredDocument, for handler: RequestHandler, _ services: RequestServices, then: @escaping (ThumbnailFolder.Entry?) -> Void
    ) {
        let (blob, mediaType) = (document.blob, document.fileType)
        services.work(for: handler, document.id, of: document.family, on: pool) { [self] () -> ThumbnailFolder.Entry? in
            guard !isStopping.load(ordering: .relaxed) else { return nil }
            // Another request at the same time may have made it.
            if let entry = folder.entry(of: blob) { return entry }
            switch maker.make(blobs.path(of: blob), mediaType, { self.isStopping.load(ordering: .relaxed) }) {
            case .postponed: return nil
            case .failed:
                folder.keep(.failed, of: blob)
                return .failed
            case .image(let octets):
                folder.keep(.image(octets), of: blob)
                return .image(octets)
            }
        } then: { then($0) }
    }
}

/// One request for a picture.
private final class ThumbnailHandler: DocumentHandler {
    private let thumbnails: Thumbnails

    init(_ context: RequestContext, _ services: RequestServices, _ thumbnails: Thumbnails) {
        self.thumbnails = thumbnails
        super.init(context, services)
    }

    override func begin() {
        find { [self] document, _ in
            thumbnails.find(document, for: self, services) { [self] found in
                if let found { return give(found, document) }
                thumbnails.make(document, for: self, services) { [self] made in
                    if let made { give(made, document) } else { respond(HTTPResponse(refusal: .busy)) }
                }
            }
        }
    }

    private func give(_ entry: ThumbnailFolder.Entry, _ document: StoredDocument) {
        guard case .image(let octets) = entry else {
            return respond(HTTPResponse(404, code: "no_thumbnail", sentence: "This document has no thumbnail. Show an icon of its type."))
        }
        let representation = Representation(
            length: octets.count, contentType: "image/jpeg",
            // The octets may differ if the picture is made again.
            validators: Validators(tag: EntityTag(Hex.encode(Array(Digest.sha256(octets).prefix(16))))),
            fields: [
                Field("Cache-Control", "private, no-cache"), Field("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'"),
                Field("Cross-Origin-Resource-Policy", "same-origin"), Field("X-Robots-Tag", "noindex"),
            ])
        let selection = ContentSelection(context.head, representation, now: HTTPSite.now, boundary: Hex.encode(Random.octets(16)))
        let content = selection.pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .octets(let more): more
            case .part(let range): Array(octets[range])
            }
        }
        respond(HTTPResponse(selection.status, selection.fields, content: content))
    }
}
