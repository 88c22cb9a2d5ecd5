internal import CWebClient
import Bytes
import Crypto
import Deflate
import HTTP1
import Posix

/// The web client in the form that this server sends: one script, one style sheet, the page, and a few small files.
struct WebClientFiles: Sendable {
    /// One file in its content codings.
    struct File: Sendable {
        let type: String
        let plain: [UInt8]
        let gzip: [UInt8]
        /// The tag of the plain content; the tag of the gzip content ends with `-gzip`.
        let tag: String

        init(_ type: String, _ plain: [UInt8]) {
            self.type = type
            self.plain = plain
            let small = Gzip.compress(plain, .most)
            gzip = small.count < plain.count ? small : []
            tag = Hex.encode(Array(Digest.sha256(plain).prefix(16)))
        }
    }

    /// The digest of all files and of how they are joined: 32 hexadecimal digits.
    let build: String
    /// The page that all addresses of the client share.
    let shell: File
    /// The service worker.
    let worker: File
    /// The files under `/app/BUILD/`, by name.
    let files: [String: File]

    /// The build of the files of this program. A server names it from its start on, long before a browser asks for a file.
    static let embeddedBuild = build(of: sources)

    /// The files of this program, joined at the first use, which takes a good part of a second: a server asks
    /// `WebClientMaker` for them. A test of every module finds a fault, so that a server never does.
    static let embedded: WebClientFiles = {
        do { return try WebClientFiles(sources) } catch { preconditionFailure("\(error)") }
    }()

    /// The sources in this program, by path.
    static let sources: [String: [UInt8]] = {
        var all: [String: [UInt8]] = [:]
        var count = 0
        let files = webclient_files(&count)
        for number in 0..<count {
            guard let file = files?[number] else { break }
            all[String(cString: file.path)] = Array(UnsafeBufferPointer(start: file.octets, count: file.count))
        }
        return all
    }()

    /// The digest of sources and of the rules by which they are joined.
    private static func build(of sources: [String: [UInt8]]) -> String {
        var digest = Array("\(SiteScript.form)".utf8)
        for (path, octets) in sources.sorted(by: { $0.key < $1.key }) { digest += Digest.sha256(Array(path.utf8)) + Digest.sha256(octets) }
        return Hex.encode(Array(Digest.sha256(digest).prefix(16)))
    }

    init(_ sources: [String: [UInt8]]) throws(SiteScript.Fault) {
        func text(_ path: String) -> String? { sources[path].map { String(decoding: $0, as: UTF8.self) } }
        let build = Self.build(of: sources)
        self.build = build
        let script = try SiteScript.join("app.js") { text($0) }
        let style = sources.keys.filter { $0.hasPrefix("style/") && $0.hasSuffix(".css") }.sorted().compactMap { text($0) }.joined()
        var files = ["app.js": File("text/javascript; charset=utf-8", Array(script.utf8)), "app.css": File("text/css; charset=utf-8", Array(style.utf8))]
        for (path, octets) in sources where path.hasPrefix("icons/") {
            files[String(path.dropFirst(6))] = File(path.hasSuffix(".svg") ? "image/svg+xml" : "image/png", octets)
        }
        let manifest = (text("manifest.webmanifest") ?? "{}").replacing("icons/", with: "")
        files["manifest.webmanifest"] = File("application/manifest+json", Array(manifest.utf8))
        self.files = files
        let folder = "/app/\(build)/"
        let page = (text("index.html") ?? "").replacing("\"style/app.css\"", with: "\"\(folder)app.css\"").replacing("\"manifest.webmanifest\"", with: "\"\(folder)manifest.webmanifest\"")
            .replacing("\"icons/", with: "\"\(folder)").replacing("<script type=\"module\" src=\"app.js\">", with: "<script defer src=\"\(folder)app.js\">")
        shell = File("text/html; charset=utf-8", Array(page.utf8))
        let names = files.keys.sorted().map { "\"\(folder)\($0)\"" }.joined(separator: ", ")
        let worker = "const BUILD = \"\(build)\";\nconst FILES = [\(names)];\n" + (text("worker.js") ?? "")
        self.worker = File("text/javascript; charset=utf-8", Array(worker.utf8))
    }
}

/// The source of a server's web client.
package enum WebClientSource: Sendable, Equatable {
    /// No client: `/` is the page of a server without one.
    case off
    /// The files in this program.
    case program
    /// The modules of a folder as they are, for authors of the client.
    case folder(String)

    /// The build of the client, for `welcome`; `nil` if clients should not switch to it.
    var build: String? { self == .program ? WebClientFiles.embeddedBuild : nil }
}

/// Answers browsers with the web client.
struct WebClientRoutes {
    /// The pages: each is the same shell, in which the script shows the content of the path.
    static let pages = [
        "/", "/events", "/events/create", "/events/{id}", "/events/{id}/edit", "/trips", "/trips/{id}", "/trips/{id}/board", "/documents", "/documents/{id}/about", "/room", "/kept", "/settings", "/settings/audit", "/settings/access", "/settings/consent",
        "/settings/calendars", "/settings/family",
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
        switch source {
        case .off: return []
        case .program:
            return pages.map { group.resource($0, .get { site.answer($0) { answer($0, $1.shell, "no-cache") } }) } + [
                group.resource("/worker.js", .get { site.answer($0) { answer($0, $1.worker, "no-cache") } }),
                group.resource("/app/{build}/{name}", .get { context in
                    site.answer(context) { head, files in
                        guard context.path["build"] == files.build, let file = files.files[context.path["name"]] else { return nothing }
                        return answer(head, file, "public, max-age=31536000, immutable")
                    }
                }),
            ]
        case .folder(let folder):
            return pages.map { group.resource($0, .get { _ in
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
        let isSmall = !file.gzip.isEmpty && takesGzip(head.fields)
        let content = isSmall ? file.gzip : file.plain
        let coding = isSmall ? [Field("Content-Encoding", "gzip")] : []
        let page = Representation(
            length: content.count, contentType: file.type, validators: Validators(tag: EntityTag(isSmall ? file.tag + "-gzip" : file.tag)),
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

    /// Whether a client takes gzip (RFC 9110 §12.5.3): named, or by `*`, and not with the weight 0.
    static func takesGzip(_ fields: HTTPFields) -> Bool {
        var ofAll: Bool?
        for part in fields.all("accept-encoding").joined(separator: ",").split(separator: ",") {
            let words = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = words.first else { continue }
            let weight = words.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if name == "gzip" || name == "x-gzip" { return weight > 0 }
            if name == "*" { ofAll = weight > 0 }
        }
        return ofAll ?? false
    }
}
