import Blobs
import Bytes
import Family
import HTTP1
import Store

/// Documents given out over HTTP: to members by a session or a signed link, to schools and coaches by a share link.
///
/// | path | methods | what |
/// | --- | --- | --- |
/// | `/documents/<id>` | GET HEAD OPTIONS | the file, to a member |
/// | `/s/<token>` | GET HEAD OPTIONS | a page about a shared document |
/// | `/s/<token>/file` | GET HEAD OPTIONS | its file |
enum DocumentRoutes {
    static func all(_ services: RequestServices, _ blobs: BlobFolder) -> [Route] {
        let limiter = ShareLinkGuessLimiter()
        return [
            Route("/documents/*", ["GET", "HEAD"]) { .work(DocumentDownload($0, services, blobs)) },
            Route("/s/*", ["GET", "HEAD"]) { .work(ShareVisitWork($0, services, blobs, limiter, what: .page)) },
            Route("/s/*/file", ["GET", "HEAD"]) { .work(ShareVisitWork($0, services, blobs, limiter, what: .download)) },
        ]
    }
}

/// `/documents/<id>`: with `Authorization: Bearer …`, or with `?link=…`, which is signed for one document and member and good for minutes.
final class DocumentDownload: DocumentFileWork {
    /// What the database says.
    private enum Finding: Sendable {
        case unknownToken
        /// No such document, or not for this person: nobody can tell which.
        case none(SignIn?)
        case found(StoredDocument, member: Identifier, SignIn?)

        /// Of the token that was shown; `nil` without one.
        var signIn: SignIn? {
            switch self {
            case .unknownToken: nil
            case .none(let signIn), .found(_, _, let signIn): signIn
            }
        }
    }

    override func begin() {
        let id = Identifier(request.name)
        let link = request.parameter("link")
        let token = Bearer.token(request.head.fields)
        guard link != nil || token != nil else { return respond(Bearer.refusal(hasToken: false)) }
        services.workers.read { reader throws(StoreFailure) -> Finding in
            guard let token else {
                guard let id, let found = try reader.document(id, link: link ?? "") else { return .none(nil) }
                return .found(found.document, member: found.member, nil)
            }
            guard let signIn = try reader.signIn(token: token) else { return .unknownToken }
            guard let id, let found = try reader.document(id, by: signIn) else { return .none(signIn) }
            return .found(found.document, member: found.member, signIn)
        } then: { [self] finding in
            guard isOpen else { return }
            guard let signIn = finding?.signIn else { return answer(finding) }
            services.access.noteUse(of: signIn) { [self] isNoted in
                if isOpen { answer(isNoted ? finding : nil) }
            }
        }
    }

    private func answer(_ finding: Finding?) {
        switch finding {
        case nil: respond(Bearer.busy)
        case .unknownToken?: respond(Bearer.refusal(hasToken: true))
        case .none(let signIn)?: respond(refusal(signIn) ?? DocumentDownload.missing)
        case .found(let document, let member, let signIn)?:
            if let refused = refusal(signIn) { return respond(refused) }
            // It may be looked at again without being sent again, by who shows their right to it each time.
            give(DocumentFile(document: document, caching: "private, no-cache"), refusal: { [self] in refusal(signIn) }) { [services] _ in
                // One's own is not noted.
                guard member != document.athlete else { return }
                services.usage.note(
                    AccessNote(family: document.family, athlete: document.athlete, member: member, subject: .document, record: document.id))
            }
        }
    }

    /// To who has signed out since the token was looked up.
    private func refusal(_ signIn: SignIn?) -> HTTPResponse? {
        guard let signIn, services.access.hasEnded(signIn.session) else { return nil }
        return Bearer.refusal(hasToken: true)
    }

    /// In the same words whether it is deleted, of others, or was never there; and for a link that has ended.
    static var missing: HTTPResponse {
        HTTPResponse(
            404, code: "not_found", sentence: "This document is not there any more, or this link has ended. Look for it in your list of documents.")
    }
}
