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
    static func all(_ table: UploadTable) -> [Route] {
        let answer = { [unowned table] (request: HTTPRequest) -> HTTPAnswer in
            // The route's path is one of these two.
            let path = UploadPath(request.head.path) ?? .unknown
            guard request.head.method != "OPTIONS" else {
                let answer = UploadDialect(request.head).answer(.options, maxLength: table.limits.documentOctets, now: table.now)
                return .response(HTTPResponse(answer.status, answer.fields))
            }
            return .work(UploadWork(request, path, table: table))
        }
        return [
            Route("/files", ["POST"], answersOptions: true, overridesMethod: true, answersOthers: true, answer: answer),
            Route("/files/", ["POST"], answersOptions: true, overridesMethod: true, answersOthers: true, answer: answer),
            Route("/files/*", ["HEAD", "GET", "PATCH", "DELETE"], answersOptions: true, overridesMethod: true, answersOthers: true, answer: answer),
        ]
    }
}
