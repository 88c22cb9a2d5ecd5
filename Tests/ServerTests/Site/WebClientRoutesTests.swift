import Brotli
import Deflate
import HTTP1
import Posix
import TestSupport
import Testing

@testable import Server

@Suite("The web client over HTTP", .serialized)
struct WebClientRoutesTests {
    private let files = WebClientFiles.embedded

    private func server(_ source: WebClientSource = .program) throws -> TestShard { try TestShard(site: HTTPSite(web: source)) }

    /// One request on a connection of its own.
    private func ask(_ server: TestShard, _ line: String, _ fields: String...) throws -> HTTPAnswers.One {
        let text = "\(line) HTTP/1.1\r\nHost: huddle.example\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
        let client = try server.connect()
        defer { client.leave() }
        return try #require(try HTTPTests.ask(server, client, text, methods: [line.hasPrefix("HEAD") ? "HEAD" : "GET"]).list.first)
    }

    private func tag(_ answer: HTTPAnswers.One) throws -> String { try #require(answer.head.fields.only("etag")) }

    @Test("Every page is the shell, never kept without asking, and lets nothing in but the server's own files")
    func pages() throws {
        let server = try server()
        for path in ["/", "/events", "/events/create", "/events/0199", "/events/0199/edit", "/trips", "/trips/0199", "/trips/0199/board", "/documents", "/documents/0199/about", "/room", "/kept", "/settings", "/settings/audit", "/settings/access", "/settings/consent", "/settings/calendars", "/settings/family", "/events?x=1"] {
            let answer = try ask(server, "GET \(path)")
            #expect(answer.head.status == 200 && answer.content.contains("/app/\(files.build)/app.js") && !answer.content.contains("src=\"app.js\""), "\(path)")
            #expect(answer.head.fields.only("cache-control") == "no-cache" && answer.head.fields.only("content-type") == "text/html; charset=utf-8", "\(path)")
            let policy = try #require(answer.head.fields.only("content-security-policy"), "\(path)")
            for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "connect-src 'self'"] { #expect(policy.contains(part)) }
            #expect(!policy.contains("unsafe"))
            #expect(answer.head.fields.only("cross-origin-opener-policy") == "same-origin" && answer.head.fields.only("x-content-type-options") == "nosniff")
        }
        #expect(try ask(server, "HEAD /events").head.status == 200)
        #expect(try ask(server, "POST /events").head.status == 405)
        #expect(try ask(server, "GET /events/a/b/c").head.status == 404)
    }

    @Test("Each coding has its own tag; what is held is not sent again; a range is a range of the coding")
    func codings() throws {
        let server = try server()
        let script = "/app/\(files.build)/app.js"
        let plain = try ask(server, "GET \(script)"), file = try #require(files.files["app.js"])
        #expect(plain.content == String(decoding: file.plain, as: UTF8.self))
        #expect(plain.head.fields.only("content-encoding") == nil && plain.head.fields.only("vary") == "Accept-Encoding")
        #expect(plain.head.fields.only("cache-control") == "public, max-age=31536000, immutable")
        let smallest = try ask(server, "HEAD \(script)", "Accept-Encoding: gzip, deflate, br")
        #expect(smallest.head.fields.only("content-encoding") == "br" && smallest.head.fields.only("content-length") == "\(file.brotli.count)")
        let small = try ask(server, "HEAD \(script)", "Accept-Encoding: br;q=0, gzip;q=0.5")
        #expect(small.head.fields.only("content-encoding") == "gzip" && small.head.fields.only("content-length") == "\(file.gzip.count)")
        #expect(try Set([tag(plain), tag(small), tag(smallest)]).count == 3)
        for (held, coding, status) in [(try tag(smallest), "br", 304), (try tag(small), "br, gzip", 200), (try tag(small), "gzip", 304), (try tag(plain), "gzip", 200), (try tag(plain), "identity", 304), (try tag(small), "gzip;q=0", 200), ("*", "*", 304)] {
            #expect(try ask(server, "GET \(script)", "If-None-Match: \(held)", "Accept-Encoding: \(coding)").head.status == status, "\(coding)")
        }
        let part = try ask(server, "GET \(script)", "Range: bytes=0-9")
        #expect(part.head.status == 206 && part.content == String(decoding: file.plain.prefix(10), as: UTF8.self))
        #expect(try ask(server, "GET \(script)", "Range: bytes=99999999-").head.status == 416)
    }

    @Test("Which clients take gzip, RFC 9110 §12.5.3", arguments: [
        ("gzip", true), ("GZIP", true), ("x-gzip", true), ("*", true), ("deflate, gzip;q=1.0, *;q=0.5", true), ("gzip;q=0", false), ("*;q=0", false), ("gzip; q=0.001", true), ("identity", false), ("", false),
        ("gzip;q=0, *", false), (",,gzip", true), ("gzipped", false),
    ])
    func negotiation(text: String, takes: Bool) {
        #expect(WebClientRoutes.takes("gzip", HTTPFields([Field("accept-encoding", text)])) == takes)
    }

    @Test("gzip contains exactly the content", arguments: [Gzip.Effort.little, .most])
    func gzip(effort: Gzip.Effort) throws {
        for content in [[], Array("a".utf8), Array(repeating: 7, count: 100_000), (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }] as [[UInt8]] {
            let small = Gzip.compress(content, effort)
            #expect(small.starts(with: [0x1f, 0x8b, 8]))
            let answer = try ChildProcess.run(["gzip", "-dc"], input: small)
            #expect(answer.ending == .exited(0) && answer.output == content)
        }
    }

    @Test("Brotli contains exactly the content, and the first visit keeps to its budget")
    func brotli() throws {
        for content in [[], Array("a".utf8), Array(repeating: 7, count: 100_000), (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }] as [[UInt8]] {
            let answer = try ChildProcess.run(["brotli", "-dc"], input: BrotliCoding.compress(content))
            #expect(answer.ending == .exited(0) && answer.output == content)
        }
        let parts = [files.shell] + files.files.values.map { $0 }
        #expect(parts.allSatisfy { $0.brotli.count <= ($0.gzip.isEmpty ? $0.plain.count : $0.gzip.count) })
        #expect(parts.reduce(0) { $0 + ($1.brotli.isEmpty ? $1.plain.count : $1.brotli.count) } < 120_000, "the first visit has a budget of 120 KB")
    }

    @Test("A file of another build, or one that never was, is a 404 that is not HTML", arguments: ["app.js", "app.css", "worker.js", "x", "..%2f..%2fetc%2fpasswd"])
    func unknown(name: String) throws {
        let server = try server()
        for path in ["/app/00000000000000000000000000000000/\(name)", "/app/\(files.build)/none-\(name)", "/app/\(files.build)/\(name)/x", "/app/dev/\(name)"] {
            let answer = try ask(server, "GET \(path)")
            #expect(answer.head.status == 404 && answer.head.fields.only("content-type") == "application/json", "\(path)")
        }
    }

    @Test("The worker knows its build and its files, and asks for each again")
    func worker() throws {
        let answer = try ask(try server(), "GET /worker.js")
        #expect(answer.content.hasPrefix("const BUILD = \"\(files.build)\";\nconst FILES = [") && answer.content.contains("\"/app/\(files.build)/app.css\""))
        #expect(answer.head.fields.only("cache-control") == "no-cache")
    }

    @Test("--web off: the page of a server without a client, and no build in welcome")
    func off() throws {
        let server = try server(.off)
        #expect(try ask(server, "GET /").content.contains("huddle --server"))
        for path in ["/events", "/worker.js", "/app/\(files.build)/app.js"] { #expect(try ask(server, "GET \(path)").head.status == 404) }
        #expect(WebClientSource.off.build == nil && WebClientSource.program.build == files.build && files.build.count == 32)
    }

    @Test("--web FOLDER: modules as they are, never kept, and nothing outside of the folder")
    func folder() throws {
        let folder = try TemporaryFolder()
        try Files.write(Array("secret".utf8), to: folder.path + "/secret.js")
        try Files.makeFolders(folder.path + "/site/views")
        try Files.write(Array("<link href=\"style/app.css\"><script type=\"module\" src=\"app.js\"></script>".utf8), to: folder.path + "/site/index.html")
        try Files.write(Array("export const x = 1;".utf8), to: folder.path + "/site/views/x.js")
        let server = try server(.folder(folder.path + "/site"))
        #expect(try ask(server, "GET /events").content == "<link href=\"/app/dev/style/app.css\"><script type=\"module\" src=\"/app/dev/app.js\"></script>")
        let module = try ask(server, "GET /app/dev/views/x.js")
        #expect(module.content == "export const x = 1;" && module.head.fields.only("cache-control") == "no-store" && module.head.fields.only("content-type") == "text/javascript; charset=utf-8")
        for path in ["../secret.js", "views/../../secret.js", "%2e%2e/secret.js", "..%2fsecret.js", "views/%2e%2e/%2e%2e/secret.js", "views", "", ".hidden", "views//x.js"] {
            #expect(try ask(server, "GET /app/dev/\(path)").head.status == 404, "\(path)")
        }
    }

    @Test("The build follows from the files alone")
    func build() throws {
        var other = WebClientFiles.sources
        #expect(try WebClientFiles(other).build == files.build)
        other["style/app.css", default: []].append(0x0A)
        #expect(try WebClientFiles(other).build != files.build)
    }
}
