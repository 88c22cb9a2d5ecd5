import Bytes
import Family
import HTTP1
import JSON
import Store

extension DocumentRoutes {
    /// What members do about share links and signed links (`proto/documents.md`).
    ///
    /// | path | methods | what |
    /// | --- | --- | --- |
    /// | `/documents/<id>/shares` | GET HEAD POST OPTIONS | the links of a document; a new one for a school |
    /// | `/documents/<id>/shares?share=<id>` | DELETE | ends a link |
    /// | `/documents/<id>/link` | POST OPTIONS | an address that opens the document for minutes |
    static func sharing(_ services: RequestServices) -> [Route] {
        [
            Route("/documents/*/shares", ["GET", "HEAD", "POST", "DELETE"]) { request in
                switch request.head.method {
                case "POST": .work(ShareMaking(request, services))
                case "DELETE": .work(ShareEnding(request, services))
                default: .work(ShareListing(request, services))
                }
            },
            Route("/documents/*/link", ["POST"]) { .work(LinkMaking($0, services)) },
        ]
    }
}

/// A request about one document, of a member who may see it.
class DocumentWork: HTTPWork {
    let services: RequestServices

    init(_ request: HTTPRequest, _ services: RequestServices) {
        self.services = services
        super.init(request)
    }

    /// Finds the document and as whom it is seen; answers itself to who may not.
    ///
    /// - Parameter takesLink: who shows no token may show a signed link instead.
    final func find(takesLink: Bool = false, _ then: @escaping (StoredDocument, _ member: Identifier) -> Void) {
        if takesLink, let link = request.parameter("link"), Bearer.token(request.head.fields) == nil { return find(by: link, then) }
        services.access.authenticate(self) { [self] signIn in
            guard let id = Identifier(request.name) else { return respond(DocumentDownload.missing) }
            services.workers.read { reader throws(StoreFailure) in
                try reader.document(id, by: signIn)
            } then: { [self] found in
                guard isOpen else { return }
                guard let found else { return respond(Bearer.busy) }
                guard let found else { return respond(DocumentDownload.missing) }
                then(found.document, found.member)
            }
        }
    }

    private func find(by link: String, _ then: @escaping (StoredDocument, _ member: Identifier) -> Void) {
        guard let id = Identifier(request.name) else { return respond(DocumentDownload.missing) }
        services.workers.read { reader throws(StoreFailure) in
            try reader.document(id, link: link)
        } then: { [self] found in
            guard isOpen else { return }
            guard let found else { return respond(Bearer.busy) }
            guard let found else { return respond(DocumentDownload.missing) }
            then(found.document, found.member)
        }
    }

    final func respond(_ status: Int, _ members: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        members(&writer)
        writer.endObject()
        respond(
            HTTPResponse(
                status, [Field("Content-Type", "application/json"), Field("Cache-Control", "no-store")], content: writer.octets + [0x0A]))
    }
}

/// `POST /documents/<id>/shares` with `{"school":"<id>","days":30}`.
private final class ShareMaking: DocumentWork {
    private struct Content: JSONContent {
        static let maxOctets = 4_096
        static let members = "school and, if you like, days"

        var school: String?
        var days: Int64?

        mutating func read(_ name: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "school": school = try reader.readString()
            case "days": days = try reader.readInteger()
            default: return false
            }
            return true
        }

        func check() throws(Rejection) {
            guard let school else { throw Rejection(.required, "A share link needs a school: send its id", field: "school") }
            guard Identifier(school) != nil else { throw Rejection(.invalid, "school must be the id of a school", field: "school") }
            guard days.map({ (1...365).contains($0) }) ?? true else { throw Rejection(.outOfRange, "days must be from 1 to 365", field: "days") }
        }
    }

    override func begin() {
        acceptJSON(Content.self) { [self] content in
            guard let school = content.school.flatMap({ Identifier($0) }) else { return }
            find { [self] document, member in
                let share = NewShare(
                    family: document.family, member: member, document: document.id, school: school, life: content.days.map { $0 * 86_400_000 })
                services.workers.write({ store throws(StoreFailure) in try store.share(share) }) { [self] answer in
                    guard isOpen else { return }
                    switch answer {
                    case nil: respond(Bearer.busy)
                    case .failure(let rejection)?: respond(HTTPResponse(rejection))
                    case .success(let created)?:
                        respond(201) { writer in
                            created.link.write(into: &writer)
                            writer.key("url")
                            writer.string("/s/\(created.token)")
                        }
                    }
                }
            }
        }
    }
}

/// `GET /documents/<id>/shares`.
private final class ShareListing: DocumentWork {
    override func begin() {
        find { [self] document, _ in
            let (family, id) = (document.family, document.id)
            services.workers.read { reader throws(StoreFailure) in
                try reader.shares(family: family, document: id)
            } then: { [self] links in
                guard isOpen else { return }
                guard let links else { return respond(Bearer.busy) }
                respond(200) { writer in
                    writer.key("shares")
                    writer.beginArray()
                    for link in links {
                        writer.beginObject()
                        link.write(into: &writer)
                        writer.endObject()
                    }
                    writer.endArray()
                }
            }
        }
    }
}

/// `DELETE /documents/<id>/shares?share=<id>`: the link opens nothing from the moment in which a reader has found that the member may end it. The
/// answer follows when that is durable.
private final class ShareEnding: HTTPWork {
    private let services: RequestServices

    init(_ request: HTTPRequest, _ services: RequestServices) {
        self.services = services
        super.init(request)
    }

    override func begin() {
        services.access.authenticate(self) { [self] signIn in
            guard let document = Identifier(request.name) else { return respond(DocumentDownload.missing) }
            let link = request.parameter("share").flatMap { Identifier($0) }
            services.workers.read { reader throws(StoreFailure) -> Result<ShareEnd, Rejection>? in
                if let link { return try reader.shareEnd(link, of: document, by: signIn) }
                guard try reader.document(document, by: signIn) != nil else { return nil }
                return .failure(Rejection(.required, "Name the link to end: ?share=<id>.", field: "share"))
            } then: { [self] found in
                guard isOpen else { return }
                guard let found else { return respond(Bearer.busy) }
                guard let found else { return respond(DocumentDownload.missing) }
                guard !services.access.hasEnded(signIn.session) else { return respond(Bearer.refusal(hasToken: true)) }
                switch found {
                case .failure(let rejection): respond(HTTPResponse(rejection))
                case .success(let end): services.access.revoke(end) { [self] in respond($0.map { HTTPResponse($0) } ?? HTTPResponse(204)) }
                }
            }
        }
    }
}

/// `POST /documents/<id>/link`.
private final class LinkMaking: DocumentWork {
    override func begin() {
        find { [self] document, member in
            let (family, id) = (document.family, document.id)
            services.workers.read { reader throws(StoreFailure) in
                reader.signedLink(to: id, family: family, member: member)
            } then: { [self] link in
                guard isOpen else { return }
                guard let link else { return respond(Bearer.busy) }
                respond(201) { writer in
                    writer.key("url")
                    writer.string("/documents/\(id)?link=\(link)")
                }
            }
        }
    }
}

extension ShareLink {
    /// Its members, into an object that is begun.
    fileprivate func write(into writer: inout JSONWriter) {
        writer.key("id")
        writer.identifier(id)
        writer.key("school")
        writer.identifier(school)
        writer.key("created_by")
        writer.identifier(createdBy)
        writer.key("created_at")
        writer.integer(createdAt)
        writer.key("expires_at")
        writer.integer(expiresAt)
        if let endedAt {
            writer.key("ended_at")
            writer.integer(endedAt)
        }
        writer.key("views")
        writer.integer(views)
        writer.key("downloads")
        writer.integer(downloads)
        if let lastOpenedAt {
            writer.key("last_opened_at")
            writer.integer(lastOpenedAt)
        }
    }
}
