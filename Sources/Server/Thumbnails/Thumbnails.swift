import Blobs
import Bytes
import Crypto
import HTTP1
import Reactor
import Store
import Synchronization

/// Small pictures of documents' files: `GET /documents/<id>/thumbnail`. Made when they are first asked for, on a thread of their own, one at a
/// time; kept with the blobs.
final class Thumbnails: Sendable {
    /// Pictures that are made or wait for it: what more are asked for is told to come back.
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

    func route(_ services: RequestServices) -> Route {
        Route("/documents/*/thumbnail", ["GET", "HEAD"]) { [self] in .work(ThumbnailWork($0, services, self)) }
    }

    /// Ends what is being made, and waits for that.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        pool.stop()
    }

    /// What is there already, or could be made.
    fileprivate func find(_ document: StoredDocument, _ workers: Workers, then: @escaping (ThumbnailFolder.Entry??) -> Void) {
        guard maker.covers(document.fileType) else { return then(.some(.failed)) }
        let (folder, blob) = (folder, document.blob)
        workers.work(document.id) { folder.entry(of: blob) } then: { then($0) }
    }

    /// - Parameter then: `nil` when it cannot be made now.
    fileprivate func make(_ document: StoredDocument, _ workers: Workers, then: @escaping (ThumbnailFolder.Entry?) -> Void) {
        let (blob, mediaType) = (document.blob, document.fileType)
        workers.work(document.id, on: pool) { [self] () -> ThumbnailFolder.Entry? in
            guard !isStopping.load(ordering: .relaxed) else { return nil }
            // Somebody who asked at the same time has it made.
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
        } then: { then($0 ?? nil) }
    }
}

/// One request for a picture.
private final class ThumbnailWork: DocumentWork {
    private let thumbnails: Thumbnails

    init(_ request: HTTPRequest, _ services: RequestServices, _ thumbnails: Thumbnails) {
        self.thumbnails = thumbnails
        super.init(request, services)
    }

    override func begin() {
        // Whoever may have the file for these minutes may see its picture.
        find(takesLink: true) { [self] document, _ in
            thumbnails.find(document, services.workers) { [self] found in
                guard isOpen else { return }
                switch found {
                case nil: respond(Bearer.busy)
                case .some(.some(let entry)): give(entry, document)
                case .some(nil):
                    thumbnails.make(document, services.workers) { [self] made in
                        guard isOpen else { return }
                        if let made { give(made, document) } else { respond(Bearer.busy) }
                    }
                }
            }
        }
    }

    private func give(_ entry: ThumbnailFolder.Entry, _ document: StoredDocument) {
        guard case .image(let octets) = entry else {
            return respond(HTTPResponse(404, code: "no_thumbnail", sentence: "There is no small picture of this document. Show an icon of its type."))
        }
        let representation = Representation(
            length: octets.count, contentType: "image/jpeg",
            // The octets may be others when it is made anew.
            validators: Validators(tag: EntityTag(Hex.encode(Array(Digest.sha256(octets).prefix(16))))),
            fields: [
                Field("Cache-Control", "private, no-cache"), Field("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'"),
                Field("Cross-Origin-Resource-Policy", "same-origin"), Field("X-Robots-Tag", "noindex"),
            ])
        let selection = Selection(request.head, representation, now: HTTPSite.now, boundary: Hex.encode(Random.octets(16)))
        let content = selection.pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .octets(let more): more
            case .part(let range): Array(octets[range])
            }
        }
        respond(HTTPResponse(selection.status, selection.fields, content: content))
    }
}
