import Bytes
import Family
import HTTP1
import Uploads

/// The routes to uploads.
///
/// | path | methods |
/// | --- | --- |
/// | `/files` | POST OPTIONS |
/// | `/files/ID` | HEAD GET PATCH DELETE OPTIONS |
enum UploadRoutes {
    /// - Parameter table: called for each request.
    static func all(_ table: @escaping () -> UploadTable) -> [RouteGroup.Resource] {
        let uploads = RouteGroup("/files", .session) { refusal, context in
            let known: UploadRefusal? =
                switch refusal {
                case .signedOut: .notSignedIn
                case .deadLink: .notFound
                case .busy: .busy
                case .tooMany(let rejection): UploadRefusal(rejection)
                case .twoCredentials, .foreignPage, .beyondScope, .noCalendar: nil
                }
            // Clients of an upload protocol never cause these refusals; they have the server's general sentences.
            guard let known else { return HTTPResponse(refusal: refusal) }
            return response(.refused(known, nil), UploadDialect(context.head), table())
        }
        let options = RouteMethod("OPTIONS", .anyone) { .response(response(.options, UploadDialect($0.head), table())) }
        let collection: (RequestContext) -> HTTPAnswer = { .handler(UploadRequestHandler($0, .collection, table: table())) }
        let upload: (RequestContext) -> HTTPAnswer = { context in
            .handler(UploadRequestHandler(context, Identifier(context.path["id"]).map { .upload($0) } ?? .unknown, table: table()))
        }
        return ["", "/"].map { uploads.resource($0, .post(collection), options, other: collection, overridesMethod: true) } + [
            uploads.resource("/{id}", .get(upload), .patch(upload), .delete(upload), options, other: upload, overridesMethod: true)
        ]
    }

    private static func response(_ outcome: UploadOutcome, _ dialect: UploadDialect, _ table: UploadTable) -> HTTPResponse {
        let answer = dialect.answer(outcome, maxLength: table.limits.documentOctets, now: table.now)
        return HTTPResponse(answer.status, answer.fields, content: answer.content)
    }
}
