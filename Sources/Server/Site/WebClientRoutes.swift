import Bytes
import Crypto
import HTTP1
import Posix

/// Answers browsers with the web client.
struct WebClientRoutes {
    /// The pages: each is the same shell, in which the script shows the content of the path.
    static let pages = [
        "/", "/events", "/events/create", "/events/{id}", "/events/{id}/edit", "/trips", "/trips/{id}", "/trips/{id}/board", "/documents", "/documents/{id}/about", "/room", "/kept", "/settings", "/settings/audit", "/settings/access", "/settings/consent",
        "/settings/calendars", "/settings/reminders", "/settings/family",
    ]

    /// Only content of this server, no script or style in the page, and texts never become HTML.
    static let policy = [
        Field(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types huddle-worker"),
        Field("Cross-Origin-Opener-Policy", "same-origin"), Field("Cross-Origin-Resource-Policy", "same-origin"), Field("X-Content-Type-Options", "nosniff"),
        Field("Referrer-Policy", "no-referrer"),
    ]

    static func all(_ source: WebClientSource, _ site: WebClientSite) -> [RouteGroup.Resource] {
        let group = RouteGroup()
        func page(_ path: String, _ get: RouteMethod) -> RouteGroup.Resource {
            path == "/" ? group.resource(path, get, CalendarDiscovery.propfind) : group.resource(path, get)
        }
        switch source {
        case .off: return []
        case .program:
            return pages.map { page($0, .get { site.answer($0) { answer($0, $1.shell, "no-cache") } }) } + [
                group.resource("/worker.js", .get { site.answer($0) { answer($0, $1.worker, "no-cache") } }),
                group.resource("/app/{build}/{name}", .get { context in
                    site.answer(context) { head, files in
                        guard context.path["build"] == files.build, let file = files.files[context.path["name"]] else { return nothing }
                        return answer(head, file, "public, max-age=31536000, immutable")
                    }
                }),
            ]
        case .folder(let folder):
            return pages.map { page($0, .get { _ in
                let page = (try? Files.read(folder + "/index.html", limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? "There is no index.html in the folder of --web.\n"
                return .response(fresh("text/html; charset=utf-8", Array(page.replacing("=\"style/", with: "=\"/app/dev/style/").replacing("=\"manifest", with: "=\"/app/dev/manifest")
                    .replacing("=\"icons/", with: "=\"/app/dev/icons/").replacing("=\"app.js", with: "=\"/app/dev/app.js").utf8)))
            }) } + [
                group.resource("/app/dev/{path...}", .get { context in
                    let path = context.path["path"]
                    guard !path.split(separator: "/", omittingEmptySubsequences: false).contains(where: { $0.hasPrefix(".") || $0.isEmpty }),
                        let octets = try? Files.read(folder + "/" + path, limit: 16 << 20)
                    else { return .response(nothing) }
                    return .response(fresh(type(of: path), octets))
                })
            ]
        }
    }

    private static func type(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "webmanifest": "application/manifest+json"
        default: "application/octet-stream"
        }
    }

    private static var nothing: HTTPResponse {
        HTTPResponse(404, code: "not_found", sentence: "This file belongs to another version of the web client. Load the page again.")
    }

    private static func fresh(_ type: String, _ octets: [UInt8]) -> HTTPResponse {
        HTTPResponse(200, [Field("Content-Type", type), Field("Cache-Control", "no-store")] + policy, content: octets)
    }

    /// A file in the best coding that the client accepts, or a part of it, or 304.
    static func answer(_ head: RequestHead, _ file: WebClientFiles.File, _ cache: String) -> HTTPResponse {
        // Browsers take Brotli only over TLS and from loopback, where no old proxy is between.
        let codings = [("br", file.brotli), ("gzip", file.gzip)].filter { !$0.1.isEmpty && takes($0.0, head.fields) }
        let (name, content) = codings.first ?? ("", file.plain)
        let coding = name.isEmpty ? [] : [Field("Content-Encoding", name)]
        let page = Representation(
            length: content.count, contentType: file.type, validators: Validators(tag: EntityTag(name.isEmpty ? file.tag : "\(file.tag)-\(name)")),
            fields: [Field("Cache-Control", cache), Field("Vary", "Accept-Encoding")])
        let selection = ContentSelection(head, page, now: Clock.wallMilliseconds() / 1_000, boundary: Hex.encode(Random.octets(16)))
        var octets: [UInt8] = []
        for piece in selection.pieces {
            switch piece {
            case .octets(let more): octets += more
            case .part(let range): octets += content[range]
            }
        }
        return HTTPResponse(selection.status, selection.fields + coding + policy, content: octets)
    }

    /// Whether a client takes a content coding (RFC 9110 §12.5.3): named, or by `*`, and not with the weight 0.
    static func takes(_ coding: String, _ fields: HTTPFields) -> Bool {
        var ofAll: Bool?
        for part in fields.all("accept-encoding").joined(separator: ",").split(separator: ",") {
            let words = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = words.first else { continue }
            let weight = words.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if name == coding || coding == "gzip" && name == "x-gzip" { return weight > 0 }
            if name == "*" { ofAll = weight > 0 }
        }
        return ofAll ?? false
    }
}
