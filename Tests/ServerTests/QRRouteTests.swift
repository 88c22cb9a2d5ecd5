import HTTP1
import Store
import TestSupport
import Testing

@testable import Server

@Suite("QR codes of addresses, over HTTP", .serialized)
struct QRRouteTests {
    private let server: TestShard

    init() throws {
        server = try TestShard()
        server.shard.site.add(QRRoutes.all(server.shard.services))
    }

    private func ask(_ content: String, _ fields: String...) throws -> (status: Int, text: String) {
        let client = try server.connect()
        let all = fields + ["Content-Type: application/json", "Content-Length: \(content.utf8.count)", "Connection: close"]
        client.send(text: "POST /qr HTTP/1.1\r\nHost: huddle.example\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n" + content)
        try server.until("the end of the answer") { try client.receive(); return client.hasEnded }
        let (head, length) = try #require(try ResponseHead.parse(client.octets.span))
        return (head.status, String(decoding: client.octets[length...], as: UTF8.self))
    }

    @Test("A member gets the dark modules of an address, another address has others, and nobody else gets any")
    func drawn() throws {
        let session = "Authorization: Bearer \(server.parent.token)"
        let answer = try ask("{\"text\":\"webcal://huddle.example/feeds/q0Yk1m6uWm0Z2oQ3cXl9dS8vNf5tRb7h.ics\"}", session)
        #expect(answer.status == 200, "\(answer.text)")
        let rows = answer.text.matches(of: /"([01]+)"/).map { String($0.1) }
        // A square with a finder in three of its corners.
        #expect(rows.count >= 29 && rows.allSatisfy { $0.count == rows.count }, "\(rows.count)")
        let finder = "1111111"
        #expect(rows.first?.hasPrefix(finder) == true && rows.first?.hasSuffix(finder) == true && rows.last?.hasPrefix(finder) == true && rows.last?.hasSuffix(finder) == false)
        #expect(try ask("{\"text\":\"webcal://huddle.example/feeds/q0Yk1m6uWm0Z2oQ3cXl9dS8vNf5tRb7i.ics\"}", session).text != answer.text)
        #expect(try ask("{\"text\":\"x\"}").status == 401)
    }

    @Test("A text that is empty, too long or has an octet 0 is refused, and so is anything else", arguments: [
        "{\"text\":\"\"}", "{}", "{\"text\":\"\(String(repeating: "x", count: 513))\"}", "{\"text\":\"a\\u0000b\"}", "{\"text\":1}", "{\"text\":\"x\",\"size\":9}", "nothing",
    ])
    func refused(content: String) throws {
        let answer = try ask(content, "Authorization: Bearer \(server.parent.token)")
        #expect(answer.status == 400, "\(answer.status) \(answer.text)")
    }
}
