import Family
import FrameCheck
import HTTP1
import Store
import Testing

@testable import Server

@Suite("One budget for frames and requests over HTTP, guarantees bounded and fair", .serialized)
struct RequestBudgetTests {
    private final class Here: RequestHandler {
        override func begin() { respond(HTTPResponse(200, "here")) }
    }

    /// A shard with `/here` for sessions.
    private func shard(_ limits: Limits = Limits()) throws -> TestShard {
        let server = try TestShard(limits)
        server.shard.site.add([RouteGroup("/here", .session).resource("", .get { .handler(Here($0)) })])
        return server
    }

    private func ask(_ server: TestShard, _ line: String, as token: String? = nil, from address: String? = nil) throws -> HTTPAnswers.One {
        let field = token.map { "Authorization: Bearer \($0)" } ?? "X-Nothing: 1"
        return try HTTPTests.ask(server, try server.connect(from: address), HTTPTests.request(line, field)).list[0]
    }

    @Test("A member's frames and requests count together; past the limit 429 with Retry-After, and later both are done again")
    func member() throws {
        var limits = Limits()
        (limits.mutationsPerSecond, limits.mutationBurst) = (1, 6)
        let server = try shard(limits)
        let token = server.parent.token
        let live = try server.live(server.parent)
        var done = 0
        var refused: HTTPAnswers.One?
        while refused == nil, done < 60 {
            let answer = try ask(server, "GET /here", as: token)
            if answer.head.status == 200 { done += 1 } else { refused = answer }
        }
        let answer = try #require(refused)
        #expect(answer.head.status == 429 && done >= 1)
        #expect(answer.head.fields.only("retry-after").flatMap { Int($0) } ?? 0 >= 1)
        #expect(FrameCheck.httpProblem(429, Array(answer.content.utf8)) == nil)
        // A permit comes back each second, so that one of five may still be taken.
        for _ in 0..<5 { live.say("{\"type\":\"context\",\"context\":\"all\"}") }
        #expect(try (0..<5).map { _ in try live.next() }.contains("error rate_limited"))
        // Others are not concerned.
        #expect(try ask(server, "GET /here", as: server.stranger.token).head.status == 200)
        #expect(try ask(server, "GET /health").head.status == 200)
        server.pass(milliseconds: 10_000)
        #expect(try ask(server, "GET /here", as: token).head.status == 200)
        live.say("{\"type\":\"context\",\"context\":\"all\"}")
        try live.skip(to: "context")
    }

    @Test("A page with fifty pictures and an upload in a hundred parts meet no limit")
    func usual() throws {
        let server = try shard()
        let client = try server.connect(from: "192.0.2.1")
        client.send(text: (0..<150).map { _ in HTTPTests.request("GET /here", "Authorization: Bearer \(server.parent.token)") }.joined())
        // To read the answers costs more than to send them: they are read when they can all be there.
        try server.until("all answers") {
            try client.receive()
            return try client.octets.count > 150 * 200 && HTTPAnswers(client.octets).list.count == 150
        }
        #expect(Set(try HTTPAnswers(client.octets).statuses) == [200])
    }

    @Test("Requests that no credential covers count against their address, whatever they ask for; those of sessions do not")
    func address() throws {
        let server = try shard()
        let most = AddressRate.strangers.most
        for number in 0..<20 {
            #expect(try ask(server, "GET /here", as: server.parent.token, from: "192.0.2.1").head.status == 200, "\(number)")
        }
        let lines = ["GET /health", "GET /nothing", "GET /here", "GET /"]
        var sent = 0
        var statuses: [Int] = []
        while sent < most {
            let client = try server.connect(from: "192.0.2.1")
            let batch = min(64, most - sent)
            client.send(text: (0..<batch).map { HTTPTests.request(lines[(sent + $0) % lines.count]) }.joined())
            sent += batch
            try server.until("the answers") { try client.receive(); return try HTTPAnswers(client.octets).list.count == batch }
            statuses += try HTTPAnswers(client.octets).statuses
        }
        #expect(!statuses.contains(429))
        for line in lines { #expect(try ask(server, line, from: "192.0.2.1").head.status == 429, "\(line)") }
        // The limit is the address's: its members wait, too, and another address does not.
        #expect(try ask(server, "GET /here", as: server.parent.token, from: "192.0.2.1").head.status == 429)
        #expect(try ask(server, "GET /here", as: server.parent.token, from: "192.0.2.2").head.status == 200)
        #expect(try ask(server, "GET /here", as: server.parent.token).head.status == 200)
        server.pass(milliseconds: AddressRate.window)
        #expect(try ask(server, "GET /here", as: server.parent.token, from: "192.0.2.1").head.status == 200)
    }
}
