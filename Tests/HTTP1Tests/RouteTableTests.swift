import Testing

@testable import HTTP1

@Suite("Paths of requests, RFC 3986 §2.2, §3.3, §5.2.4")
struct RequestPathTests {
    @Test("A path is split first and decoded afterwards", arguments: [
        ("/", [""]), ("/a", ["a"]), ("/a/", ["a", ""]), ("/a/b%20c", ["a", "b c"]), ("/%61", ["a"]), ("/%C3%A9", ["é"]), ("/...", ["..."]), ("/.a", [".a"]),
        ("/a+b", ["a+b"]), ("/%25", ["%"]), ("/%252F", ["%2F"]),
    ] as [(String, [String])])
    func segments(path: String, segments: [String]) {
        #expect(RequestPath(path)?.segments == segments)
    }

    @Test("A path that no resource can have is refused", arguments: [
        "", "*", "a", "//", "//a", "/a//b", "/a//", "/.", "/..", "/a/../b", "/%2e%2e/a", "/a/.%2E", "/a%2Fb", "/a%2fb", "/a%5Cb", "/a%00", "/%00", "/a%0Ab",
        "/%7F", "/%C2%85", "/%FF", "/%C3", "/%ED%A0%80", "/%C0%AF", "/a%", "/a%4", "/a%zz",
    ])
    func refused(path: String) {
        #expect(RequestPath(path) == nil)
    }

    @Test("The deepest path has 32 segments, and a long one costs no more than its length")
    func depth() {
        #expect(RequestPath(String(repeating: "/a", count: 32)) != nil)
        #expect(RequestPath(String(repeating: "/a", count: 33)) == nil)
        #expect(RequestPath(String(repeating: "/a", count: 100_000)) == nil)
        #expect(RequestPath("/" + String(repeating: "%41", count: 2_000))?.segments == [String(repeating: "A", count: 2_000)])
    }
}

@Suite("The table of routes, RFC 9110 §9.1, §9.3.7, §15.5.5, §15.5.6, §15.6.2")
struct RouteTableTests {
    private static func table(_ resources: [RouteTable<String>.Resource]) -> RouteTable<String> {
        var table = RouteTable<String>()
        for resource in resources { table.add(resource) }
        return table
    }

    private static func resource(_ pattern: String, _ methods: String..., other: String? = nil, overrides: Bool = false) -> RouteTable<String>.Resource {
        .init(PathPattern(pattern), methods.map { ($0, "\($0) \(pattern)") }, other: other, overridesMethod: overrides)
    }

    private static func head(_ line: String, _ fields: [Field] = []) -> RequestHead {
        let parts = line.split(separator: " ").map(String.init)
        var head = RequestHead(method: parts[0], target: parts[1])
        head.fields.list = fields
        return head
    }

    /// A resolution as text, with the values of `names`.
    private static func text(_ resolution: RouteTable<String>.Resolution, _ names: [String] = []) -> String {
        switch resolution {
        case .handler(let handler, let path, let method, _):
            ([method, handler] + names.map { path[tail: $0].joined(separator: "|") }).joined(separator: " > ")
        case .options(let allow): "204 \(allow)"
        case .notAllowed(let allow, let isReadOnly): "405 \(allow)\(isReadOnly ? " read-only" : "")"
        case .nothing: "404"
        case .unknownMethod: "501"
        }
    }

    private static var site: RouteTable<String> {
        table([
            resource("/dav/{path...}", "PROPFIND"), resource("/", "GET"), resource("/files", "POST"), resource("/files/", "POST"),
            resource("/files/{id}", "PATCH", other: "other", overrides: true), resource("/{kind}/new", "GET"), resource("/files/{id}/parts/{part}", "GET"),
            resource("/web/{path...}", "GET"), resource("/web/index", "GET", "HEAD", "OPTIONS"), resource("/files/{name}/x", "DELETE"),
        ])
    }

    @Test("A name takes precedence over a parameter, a parameter over a tail, in any order of declaration", arguments: [
        ("GET /", [], "GET > GET /"), ("HEAD /", [], "HEAD > GET /"), ("POST /files", [], "POST > POST /files"), ("POST /files/", [], "POST > POST /files/"),
        ("PATCH /files/a%20b", ["id"], "PATCH > PATCH /files/{id} > a b"), ("GET /files/a/parts/7", ["id", "part"], "GET > GET /files/{id}/parts/{part} > a > 7"),
        ("DELETE /files/a/x", ["name"], "DELETE > DELETE /files/{name}/x > a"), ("GET /trips/new", ["kind"], "GET > GET /{kind}/new > trips"),
        ("PATCH /files/new", ["id"], "PATCH > PATCH /files/{id} > new"), ("GET /web/index", [], "GET > GET /web/index"),
        ("HEAD /web/index", [], "HEAD > HEAD /web/index"), ("GET /web/a/b.js", ["path"], "GET > GET /web/{path...} > a|b.js"),
        ("GET /web/index/more", ["path"], "GET > GET /web/{path...} > index|more"), ("GET /web/a/", ["path"], "GET > GET /web/{path...} > a|"),
        ("PROPFIND /dav/x/", ["path"], "PROPFIND > PROPFIND /dav/{path...} > x|"), ("GET /web/new", ["path"], "GET > GET /web/{path...} > new"),
        ("OPTIONS /web/index", [], "OPTIONS > OPTIONS /web/index"),
    ] as [(String, [String], String)])
    func found(line: String, names: [String], expected: String) {
        #expect(Self.text(Self.site.resolve(Self.head(line)), names) == expected)
    }

    @Test("Other paths are 404, other methods 405 or the resource's own, unknown methods 501, OPTIONS 204", arguments: [
        ("GET /a", "404"), ("GET /files/a/", "404"), ("GET /files/a/b", "404"), ("GET /web", "404"), ("GET /web/", "404"), ("GET /web/%2e%2e/index", "404"),
        ("GET /web/a//b", "404"), ("GET /web/a%2Fb", "404"), ("GET /web/a%00", "404"), ("GET /new", "404"), ("GET //new", "404"),
        ("POST /", "405 GET, HEAD, OPTIONS read-only"), ("GET /files", "405 POST, OPTIONS"), ("REPORT /", "501"), ("get /", "501"), ("PROPFIND /", "405 GET, HEAD, OPTIONS read-only"),
        ("OPTIONS /files/a", "204 PATCH, OPTIONS"), ("GET /files/a", "GET > other"), ("OPTIONS /nothing", "404"),
        ("OPTIONS *", "204 PROPFIND, GET, HEAD, POST, PATCH, DELETE, OPTIONS"),
    ])
    func others(line: String, expected: String) {
        #expect(Self.text(Self.site.resolve(Self.head(line))) == expected)
    }

    @Test("The override counts for a POST of a resource that accepts it, once")
    func overrides() {
        let patch = Field("x-http-method-override", "PATCH")
        #expect(Self.text(Self.site.resolve(Self.head("POST /files/a", [patch]))) == "PATCH > PATCH /files/{id}")
        #expect(Self.text(Self.site.resolve(Self.head("GET /files/a", [patch]))) == "GET > other")
        #expect(Self.text(Self.site.resolve(Self.head("POST /files", [patch]))) == "POST > POST /files")
        #expect(Self.text(Self.site.resolve(Self.head("POST /files/a", [patch, patch]))) == "POST > other")
    }

    @Test("Random paths of a few segments find the same as a search of all patterns", arguments: 0..<40)
    func naive(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let words = ["a", "b", "c"]
        func pattern() -> String {
            var text = ""
            let depth = 1 + random(4)
            for index in 0..<depth {
                switch random(4) {
                case 0: text += "/{p\(index)}"
                case 1 where index == depth - 1: text += "/{t...}"
                default: text += "/" + words[random(3)]
                }
            }
            return text
        }
        // Only one of several patterns that differ only in parameter names can exist.
        var shapes: Set<[PathPattern.Segment]> = []
        var patterns: [PathPattern] = []
        for _ in 0..<12 {
            let one = PathPattern(pattern())
            if shapes.insert(one.segments).inserted { patterns.append(one) }
        }
        let table = Self.table(patterns.map { .init($0, [("GET", $0.description)]) })
        func fits(_ pattern: PathPattern, _ path: [String]) -> Bool {
            for (index, segment) in pattern.segments.enumerated() {
                guard index < path.count else { return false }
                switch segment {
                case .tail: return true
                case .parameter: continue
                case .literal(let name): if name != path[index] { return false }
                }
            }
            return pattern.segments.count == path.count
        }
        func rank(_ pattern: PathPattern) -> [Int] {
            pattern.segments.map { segment in
                switch segment {
                case .literal: 0
                case .parameter: 1
                case .tail: 2
                }
            }
        }
        for _ in 0..<200 {
            let path = (0...random(4)).map { _ in words[random(3)] }
            let best = patterns.filter { fits($0, path) }.min { rank($0).lexicographicallyPrecedes(rank($1)) }
            let found = table.resolve(Self.head("GET /" + path.joined(separator: "/")))
            #expect(Self.text(found) == (best.map { "GET > \($0)" } ?? "404"), "\(path)")
        }
    }
}
