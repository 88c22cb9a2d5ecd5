import Bytes
import Family
import HTTP1
import JSON
import Store

extension DocumentHandler {
    fileprivate func respond(_ status: Int, _ members: (inout JSONWriter) -> Void) {
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
final class ShareLinkCreateHandler: DocumentHandler {
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
                services.propose(for: self, .share(share)) { [self] answer in
                    guard case .share(let created) = answer else { return }
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

/// `GET /documents/<id>/shares`.
final class ShareLinkListHandler: DocumentHandler {
    override func begin() {
        find { [self] document, _ in
            let (family, id) = (document.family, document.id)
            services.read(for: self) { reader throws(StoreFailure) in
                try reader.shares(family: family, document: id)
            } then: { [self] links in
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

/// `DELETE /documents/<id>/shares?share=<id>`: the link gives no access once a reader has found that the member may end
/// it. The answer follows when that is durable.
final class ShareLinkRevokeHandler: DocumentHandler {
    override func begin() {
        guard let signIn = context.signIn, let document = Identifier(context.path["id"]) else { return respond(.noDocument) }
        let link = context.query("share").flatMap { Identifier($0) }
        services.read(for: self) { reader throws(StoreFailure) -> Result<ShareEnd, Rejection>? in
            if let link { return try reader.shareEnd(link, of: document, by: signIn) }
            guard try reader.document(document, by: signIn) != nil else { return nil }
            return .failure(Rejection(.required, "Name the link to revoke: ?share=<id>.", field: "share"))
        } then: { [self] found in
            switch found {
            case nil: respond(.noDocument)
            case .failure(let rejection)?: respond(HTTPResponse(rejection))
            case .success(let end)?: services.access.revoke(end) { [self] in respond($0.map { HTTPResponse($0) } ?? HTTPResponse(204)) }
            }
        }
    }
}

/// `POST /documents/<id>/link`.
final class DownloadLinkHandler: DocumentHandler {
    override func begin() {
        find { [self] document, member in
            let (family, id) = (document.family, document.id)
            services.read(for: self) { reader throws(StoreFailure) in
                reader.signedLink(to: id, family: family, member: member)
            } then: { [self] link in
                respond(201) { writer in
                    writer.key("url")
                    writer.string("/documents/\(id)?link=\(link)")
                }
            }
        }
    }
}

extension StoredShareLink {
    /// Writes the link's members into an object that has begun.
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
