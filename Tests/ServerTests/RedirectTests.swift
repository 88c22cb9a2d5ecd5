import Glibc
import HTTP1
import Posix
import EventLoop
import TestSupport
import Testing

@testable import Server

@Suite("The port for HTTP without TLS", .serialized)
struct RedirectTests {
    private final class Redirecting {
        let server: TestShard
        let folder: TemporaryFolder
        let pool: FilePool
        let door: ShortHTTPServer

        init(webRoot: Bool = true) throws {
            let server = try TestShard()
            let folder = try TemporaryFolder()
            let pool = FilePool(events: server.events, threads: 1, nice: 0, limit: 4)
            let site = RedirectSite(workers: server.shard.workers, pool: pool, webRoot: webRoot ? folder.path : nil) { ["huddle.example", "www.huddle.example"] }
            (self.server, self.folder, self.pool) = (server, folder, pool)
            door = ShortHTTPServer("redirect_refused", reactor: server.shard.reactor, log: server.lines.log) { site.answer($0, $1) }
            try Files.makeFolders(folder.path + RedirectSite.challenges)
        }

        deinit {
            door.endAll()
            pool.stop()
        }

        func challenge(_ name: String) -> String { folder.path + RedirectSite.challenges + name }

        func ask(_ line: String, host: String? = "huddle.example", version: String = "1.1") throws -> (head: ResponseHead, content: String) {
            var pair = try Socket.Pair()
            let client = TestClient(server, pair.takeFirst())
            door.accept(pair.takeSecond(), from: nil)
            client.send(text: "\(line) HTTP/\(version)\r\n" + (host.map { "Host: \($0)\r\n" } ?? "") + "\r\n")
            try server.until("the end") { try client.receive(); return client.hasEnded }
            guard let (head, length) = try ResponseHead.parse(client.octets.span) else { throw Unexpected("no response to \(line)") }
            return (head, String(decoding: client.octets[length...], as: UTF8.self))
        }
    }

    @Test("It leads to https under the same name, with path and query as they were", arguments: [
        ("GET /", "huddle.example", "https://huddle.example/"), ("GET /a%2Fb?x=%2F&y", "WWW.Huddle.Example:80", "https://www.huddle.example/a%2Fb?x=%2F&y"),
        ("GET //evil.example/x", "huddle.example", "https://huddle.example//evil.example/x"), ("HEAD /h", "huddle.example:8080", "https://huddle.example/h"),
        ("GET http://huddle.example/z?", "huddle.example", "https://huddle.example/z?"),
    ])
    func redirects(line: String, host: String, target: String) throws {
        let answer = try Redirecting().ask(line, host: host)
        #expect(answer.head.status == 308 && answer.head.fields.only("location") == target)
        #expect(answer.content.isEmpty == line.hasPrefix("HEAD"))
    }

    @Test("It leads nowhere under a name that is not the server's, or for a request that changes something")
    func refuses() throws {
        let one = try Redirecting()
        for host in ["evil.example", "huddle.example.evil.example", "127.0.0.1", "[::1]"] {
            let answer = try one.ask("GET /", host: host)
            #expect(answer.head.status == 421 && !answer.head.fields.contains("location") && !answer.content.contains(host), "\(host)")
        }
        #expect(try one.ask("GET http://evil.example/").head.status == 421)
        #expect(try one.ask("GET /", host: nil, version: "1.0").head.status == 421)
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            let answer = try one.ask("\(method) /")
            #expect(answer.head.status == 405 && answer.head.fields.only("allow") == "GET, HEAD" && !answer.head.fields.contains("location"))
        }
        #expect(try one.ask("GET /x\r\nX: y").head.status != 308)
    }

    @Test("It serves a challenge under any name, and nothing that is not an ordinary small file with a token's name")
    func challenges() throws {
        let one = try Redirecting()
        let token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr_oA"
        try Files.write(Array("\(token).abc".utf8), to: one.challenge(token))
        let answer = try one.ask("GET \(RedirectSite.challenges)\(token)", host: "other.example")
        #expect(answer.head.status == 200 && answer.content == "\(token).abc" && answer.head.fields.only("cache-control") == "no-store")
        try Files.write(Array("secret".utf8), to: one.folder.path + "/secret")
        try Files.write(Array("dot".utf8), to: one.challenge("a.txt"))
        try Files.write([UInt8](repeating: 65, count: RedirectSite.maxChallenge), to: one.challenge("large"))
        try Files.write([UInt8](repeating: 65, count: RedirectSite.maxChallenge + 1), to: one.challenge("larger"))
        try Files.makeFolders(one.challenge("folder"))
        #expect(symlink(one.folder.path + "/secret", one.challenge("link")) == 0 && mkfifo(one.challenge("pipe"), 0o644) == 0)
        #expect(try one.ask("GET \(RedirectSite.challenges)large").head.status == 200)
        let names = ["", "missing", "a.txt", "larger", "folder", "link", "pipe", "..%2Fsecret", "../secret", "../../secret", "%65vaGx", token + "/", String(repeating: "a", count: 200)]
        for name in names {
            let answer = try one.ask("GET \(RedirectSite.challenges)\(name)")
            #expect(answer.head.status == 404 && answer.content == "There is no such challenge.\n", "\(name)")
        }
        let none = try Redirecting(webRoot: false)
        try Files.write(Array("x".utf8), to: none.challenge(token))
        #expect(try none.ask("GET \(RedirectSite.challenges)\(token)").head.status == 404)
    }

    @Test("A token is made of the characters of base64url alone", arguments: [("a", true), ("A-z_09", true), ("", false), (".", false), ("a/b", false), ("a%62", false), ("é", false), ("a b", false)])
    func token(text: String, isOne: Bool) { #expect(RedirectSite.isToken(text[...]) == isOne) }
}
