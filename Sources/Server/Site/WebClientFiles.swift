internal import CWebClient
import Brotli
import Bytes
import Crypto
import Deflate

/// The web client in the form that this server sends: one script, one style sheet, the page, and a few small files.
struct WebClientFiles: Sendable {
    /// One file in its content codings.
    struct File: Sendable {
        let type: String
        let plain: [UInt8]
        let gzip: [UInt8]
        let brotli: [UInt8]
        /// The tag of the plain content; the tags of the others end with `-gzip` and `-br`.
        let tag: String

        init(_ type: String, _ plain: [UInt8]) {
            self.type = type
            self.plain = plain
            let small = Gzip.compress(plain, .most)
            gzip = small.count < plain.count ? small : []
            let smallest = BrotliCoding.compress(plain)
            brotli = smallest.count < plain.count ? smallest : []
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
