import Blobs
import Bytes
import Family
import HTTP1
import Store

/// Documents over HTTP: for members by a session or a signed link, for schools and coaches by a share link.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/documents/<id>` | GET HEAD OPTIONS | the file, to a member |
/// | `/documents/<id>/shares` | GET HEAD POST OPTIONS | the links of a document; a new one for a school |
/// | `/documents/<id>/shares?share=<id>` | DELETE | ends a link |
/// | `/documents/<id>/link` | POST OPTIONS | an address that opens the document for minutes |
/// | `/s/<token>` | GET HEAD OPTIONS | a page about a shared document |
/// | `/s/<token>/file` | GET HEAD OPTIONS | its file |
enum DocumentRoutes {
    static func all(_ services: RequestServices, _ blobs: BlobFolder) -> [RouteGroup.Resource] {
        let documents = RouteGroup("/documents/{id}", .session)
        let limiter = ShareLinkGuessLimiter()
        let shared = RouteGroup("/s/{token}") { refusal, _ in
            if case .tooMany(let rejection) = refusal { SharePage.tooOften(seconds: rejection.retryAfterSeconds ?? 0) } else { SharePage.busy }
        }
        return [
            documents.resource("", .get { .handler(DocumentDownloadHandler($0, services, blobs)) }, credential: .sessionOrLink(to: "id")),
            documents.resource(
                "/shares", .get { .handler(ShareLinkListHandler($0, services)) }, .post { .handler(ShareLinkCreateHandler($0, services)) },
                .delete { .handler(ShareLinkRevokeHandler($0, services)) }),
            documents.resource("/link", .post { .handler(DownloadLinkHandler($0, services)) }),
            shared.resource("", .get { .handler(ShareVisitHandler($0, services, blobs, limiter, what: .page)) }),
            shared.resource("/file", .get { .handler(ShareVisitHandler($0, services, blobs, limiter, what: .download)) }),
        ]
    }
}

/// `/documents/<id>`: with `Authorization: Bearer …`, or with `?link=…`, which is signed for one document and member
/// and is valid for minutes.
final class DocumentDownloadHandler: DocumentFileHandler {
    override func begin() {
        find { [self] document, member in
            // A client that shows its right each time may revalidate the file instead of downloading it again.
            let file = DocumentFile(document: document, caching: "private, no-cache")
            give(file, refusal: { [self] in services.refusal(of: context.identity) }) { [services] _ in
                // A view of the member's own document is not noted.
                guard member != document.athlete else { return }
                services.usage.note(
                    AccessNote(family: document.family, athlete: document.athlete, member: member, subject: .document, record: document.id))
            }
        }
    }
}
