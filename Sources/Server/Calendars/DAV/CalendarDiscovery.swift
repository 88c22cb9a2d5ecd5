import HTTP1

/// The addresses at which programs begin to look for calendars (RFC 6764): they lead to `/dav/`.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/.well-known/caldav` | GET HEAD PROPFIND OPTIONS | leads to `/dav/` |
/// | `/dav` | the same | leads to `/dav/` |
/// | `/` | PROPFIND | leads to `/dav/` |
enum CalendarDiscovery {
    static let root = "/dav/"

    static var resources: [RouteGroup.Resource] {
        let group = RouteGroup()
        return ["/.well-known/caldav", "/.well-known/caldav/", "/dav"].map { group.resource($0, .get { _ in .response(redirect) }, propfind) }
    }

    /// Apple's programs ask `/` as well.
    static var propfind: RouteMethod { RouteMethod("PROPFIND") { _ in .response(redirect) } }

    private static var redirect: HTTPResponse {
        HTTPResponse(301, "Calendars are at \(root).", [Field("Location", root)])
    }
}
