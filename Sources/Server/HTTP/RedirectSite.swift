import Bytes
import HTTP1
import Posix
import EventLoop

/// Answers on the port for HTTP without TLS: with the files of challenges for certificates (RFC 8555 §8.3), and
/// otherwise with a redirect to `https`.
///
/// It redirects only to names of the server, so that nobody can use it for links to other sites, and it serves only the
/// challenges.
final class RedirectSite {
    /// The path before the token of a challenge.
    static let challenges = "/.well-known/acme-challenge/"
    /// A key authorization is a token, a dot and 43 characters; both are bounded generously.
    static let maxToken = 128
    static let maxChallenge = 1_024

    private let workers: Workers
    private let pool: FilePool
    private let webRoot: String?
    /// The names of the server, which may change while it runs.
    private let hosts: () -> Set<String>

    /// - Parameters:
    ///   - pool: reads the files of challenges.
    ///   - webRoot: the folder that a certificate client uses as its web root; `nil` serves no challenges.
    ///   - hosts: the names of the server, as `Authority.host`.
    init(workers: Workers, pool: FilePool, webRoot: String?, hosts: @escaping () -> Set<String>) {
        self.workers = workers
        self.pool = pool
        self.webRoot = webRoot
        self.hosts = hosts
    }

    /// The handler of the listener.
    func answer(_ head: RequestHead, _ reply: @escaping (HTTPResponse) -> Void) {
        guard head.method == "GET" || head.method == "HEAD" else {
            return reply(HTTPResponse(405, "This port only redirects to the encrypted one. Use https.", [Field("Allow", "GET, HEAD")]))
        }
        let path = head.path
        if path.hasPrefix(Self.challenges) { return challenge(path.dropFirst(Self.challenges.count), reply) }
        guard let host = head.authority?.host, hosts().contains(host) else {
            return reply(HTTPResponse(421, "This server has another name. Check the address."))
        }
        // The parser accepts no octet in a target that could end a field.
        let target = "https://" + host + path + (head.query.map { "?" + $0 } ?? "")
        reply(HTTPResponse(308, "This server is at \(target)", [Field("Location", target)]))
    }

    private func challenge(_ token: Substring, _ reply: @escaping (HTTPResponse) -> Void) {
        guard let webRoot, Self.isToken(token) else { return reply(Self.nothing) }
        let file = webRoot + Self.challenges + token
        workers.work(Self.key, on: pool) { try? Files.readOrdinary(file, limit: Self.maxChallenge) } then: { (content: [UInt8]??) in
            guard let content else { return reply(HTTPResponse(503, "Too many requests for challenges. Try again in a moment.", [Field("Retry-After", "1")])) }
            guard let content else { return reply(Self.nothing) }
            reply(HTTPResponse(200, [Field("Content-Type", "application/octet-stream"), Field("Cache-Control", "no-store")], content: content))
        }
    }

    /// Whether the text consists of characters of base64url, so that it cannot be a path (RFC 8555 §8.1).
    static func isToken(_ text: Substring) -> Bool {
        (1...maxToken).contains(text.utf8.count)
            && text.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: octet == UInt8(ascii: "-") || octet == UInt8(ascii: "_")
                }
            }
    }

    private static let key = FilePool.Key(high: 0, low: 1)
    private static var nothing: HTTPResponse { HTTPResponse(404, "There is no such challenge.") }
}

@available(*, unavailable) extension RedirectSite: Sendable {}
