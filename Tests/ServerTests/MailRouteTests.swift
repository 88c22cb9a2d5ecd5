import Bytes
import Family
import HTTP1
import JSON
import Posix
import EventLoop
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Store

@Suite("E-mail addresses and recovery by mail over HTTP and the socket", .serialized)
struct MailRouteTests {
    private struct Answer: Equatable {
        var status: Int
        var code: String
        var text: String
        var retryAfter: String?
    }

    private let server: TestShard

    init() throws {
        server = try TestShard(mail: MailTerms(publicURL: nil) { $0.hasSuffix("@example.org") })
        server.shard.accounts.sendsMail = true
        server.shard.site.add(SessionRoutes.all(server.shard.services) + AccountRoutes.all(server.shard.services))
    }

    private func ask(_ line: String, _ content: String? = nil, token: String? = nil, from address: String? = nil, more: [String] = []) throws -> Answer {
        let client = try server.connect(from: address)
        var fields = ["Host: localhost:8443", "Origin: http://localhost:8443", "Connection: close"] + more
        if let token { fields.append("Authorization: Bearer \(token)") }
        if let content { fields += ["Content-Type: application/json", "Content-Length: \(content.utf8.count)"] } else { fields.append("Content-Length: 0") }
        client.send(text: "\(line) HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n" + (content ?? ""))
        try server.until("the end of the answer") { try client.receive(); return client.hasEnded }
        let octets = client.octets
        let parsed = try ResponseHead.parse(octets.span)
        let (head, length) = try #require(parsed)
        let text = String(decoding: octets[length...], as: UTF8.self)
        return Answer(
            status: head.status, code: text.firstMatch(of: /"code":"([a-z_]*)"/).map { String($0.1) } ?? "", text: text, retryAfter: head.fields.only("retry-after"))
    }

    private var ana: String { server.parent.token }

    /// Claims the mail that is due first, through the writer, as the thread that sends mail does; `nil` if none is.
    private func take() throws -> OutgoingMail? {
        let answers = BlockingQueue<MailStepAnswer>(limit: 1)
        #expect(server.shard.workers.writer.submit(.mail(.claim(isFirst: false), answer: answers)))
        guard case .claim(let claim)? = answers.take(maximum: 1).first else { throw Unexpected("no claim") }
        return claim.mail
    }

    private func settle(_ mail: OutgoingMail, _ outcome: MailOutcome) throws {
        let answers = BlockingQueue<MailStepAnswer>(limit: 1)
        #expect(server.shard.workers.writer.submit(.mail(.settle(mail.key, outcome), answer: answers)))
        _ = answers.take(maximum: 1)
    }

    private func code(_ mail: OutgoingMail?) throws -> String {
        try #require(mail?.body.firstMatch(of: /[0-9A-Z]{5}(-[0-9A-Z]{5}){3}/).map { String($0.output.0) })
    }

    /// The mail that a request causes after its answer.
    private func awaited() throws -> OutgoingMail {
        var mail: OutgoingMail?
        try server.until("a mail waits") {
            mail = try take()
            return mail != nil
        }
        return try #require(mail)
    }

    private func confirm(_ address: String = "ana@example.org") throws {
        #expect(try ask("PUT /account/mail", "{\"address\":\"\(address)\"}", token: ana).status == 200)
        let mail = try #require(try take())
        try settle(mail, .sent)
        #expect(try ask("POST /account/mail", "{\"code\":\"\(try code(mail))\"}", token: ana).text.contains("\"mail\":\""))
    }

    @Test("Set, confirmed, shown masked, removed; and what each refuses")
    func address() throws {
        let set = try ask("PUT /account/mail", "{\"address\":\"ana@example.org\"}", token: ana)
        #expect(set.status == 200 && set.text.contains("\"mail_pending\":\"a…@example.org\"") && !set.text.contains("ana@"), "\(set.text)")
        let mail = try #require(try take())
        #expect(mail.address == "ana@example.org")
        #expect(try ask("POST /account/mail", "{\"code\":\"00000-00000-00000-00000\"}", token: ana) .code == "code_unknown")
        #expect(try ask("POST /account/mail", "{\"code\":\"\(try code(mail))\"}", token: ana).text.contains("\"mail\":\"a…@example.org\""))
        #expect(try ask("GET /account", token: ana).text.contains("\"mail\":\"a…@example.org\""))
        #expect(try ask("PUT /account/mail", "{\"address\":\"ana@elsewhere.example\"}", token: ana).text.contains("\"field\":\"address\""))
        #expect(try ask("PUT /account/mail", "{}", token: ana).code == "required")
        #expect(try ask("PUT /account/mail", "{\"address\":\"x@example.org\"}").status == 401)
        let removed = try ask("DELETE /account/mail", token: ana)
        #expect(removed.status == 200 && !removed.text.contains("mail"), "\(removed.text)")
    }

    @Test("A recovery is answered alike for a known name, a known address, unknown ones and too many requests, and only the known get a mail")
    func recovery() throws {
        try confirm()
        #expect(try ask("PUT /account/password", "{\"name\":\"Ana\",\"password\":\"correct horse\"}", token: ana).status == 200)
        var answers: Set<String> = []
        for name in ["Nobody", "nobody@example.org", "ab", "", "Ana"] {
            let answer = try ask("POST /account/recovery", "{\"name\":\"\(name)\"}", from: "203.0.113.1")
            if name.isEmpty { #expect(answer.code == "required") } else { #expect(answer.status == 202); answers.insert(answer.text) }
        }
        #expect(answers.count == 1)
        let mail = try awaited()
        #expect(mail.kind == .recovery && mail.address == "ana@example.org")
        try settle(mail, .sent)
        #expect(try take() == nil, "the others caused none")

        let device = try server.live(server.parent, client: 7)
        let signIn = try ask("POST /session", "{\"name\":\"ana\",\"recovery_code\":\"\(try code(mail))\"}", from: "203.0.113.2")
        #expect(signIn.status == 201, "\(signIn.text)")
        #expect(try device.skip(to: "recovered mail") == "recovered mail")
        #expect(try ask("POST /session", "{\"name\":\"ana\",\"recovery_code\":\"\(try code(mail))\"}", from: "203.0.113.2").code == "sign_in_failed", "once")
        // By the address as well.
        server.passDay(milliseconds: 61_000)
        #expect(try ask("POST /account/recovery", "{\"name\":\"ANA@example.org\"}", from: "203.0.113.3").status == 202)
        let second = try awaited()
        #expect(try ask("POST /session", "{\"name\":\"ana@example.org\",\"recovery_code\":\"\(try code(second))\"}", from: "203.0.113.3").status == 201)
    }

    @Test("A network gets ten answers in ten minutes, a name five mails per hour, a person five codes and twenty tries; all told when to come back")
    func bounded() throws {
        for number in 0..<10 { #expect(try ask("POST /account/recovery", "{\"name\":\"nobody \(number)\"}", from: "203.0.113.7").status == 202) }
        let refused = try ask("POST /account/recovery", "{\"name\":\"nobody\"}", from: "203.0.113.7")
        #expect(refused.status == 429 && refused.code == "rate_limited" && refused.retryAfter != nil)
        #expect(try ask("POST /account/recovery", "{\"name\":\"nobody\"}", from: "203.0.113.8").status == 202, "another network")
        for _ in 0..<5 { #expect(try ask("PUT /account/mail", "{\"address\":\"ana@example.org\"}", token: ana).status == 200) }
        let sixth = try ask("PUT /account/mail", "{\"address\":\"other@example.org\"}", token: ana)
        #expect(sixth.status == 429 && sixth.retryAfter != nil)
        for _ in 0..<20 { #expect(try ask("POST /account/mail", "{\"code\":\"00000-00000-00000-00000\"}", token: ana).code == "code_unknown") }
        #expect(try ask("POST /account/mail", "{\"code\":\"00000-00000-00000-00000\"}", token: ana).status == 429)
        let name = "{\"name\":\"ana@example.org\"}"
        for number in 0..<6 { #expect(try ask("POST /account/recovery", name, from: "203.0.113.\(20 + number)").status == 202, "the sixth is answered as well") }
    }

    @Test("Another page's request and content without a type are refused; a server without mail says so")
    func refused() throws {
        let other = try server.connect()
        let content = "{\"name\":\"ana\"}"
        other.send(
            text: "POST /account/recovery HTTP/1.1\r\nHost: localhost:8443\r\nOrigin: https://elsewhere.example\r\nConnection: close\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)")
        try server.until("the end of the answer") { try other.receive(); return other.hasEnded }
        #expect(String(decoding: other.octets, as: UTF8.self).contains("foreign_page"))
        #expect(try ask("POST /account/recovery").status == 415)
        server.shard.accounts.sendsMail = false
        #expect(try ask("POST /account/recovery", content).code == "contradicted")
    }

    @Test("Frames: an address is set and confirmed, and a refused mail is reported to all devices of the person and to nobody else")
    func frames() throws {
        let (first, second, other) = (try server.live(server.parent), try server.live(server.parent, client: 2), try server.live(server.stranger, client: 3))
        first.say(String(decoding: ClientFrame.account(AccountRequest(request: 5, .setMail("ana@example.org"))).encode(), as: UTF8.self))
        #expect(try first.skip(to: "account") == "account")
        #expect(first.account?.state.mail == AccountMail(pending: "a…@example.org"))
        try settle(try #require(try take()), .refused)
        let notice = MailNotice(kind: .confirm, address: "a…@example.org", problem: .refused)
        for device in [first, second] {
            #expect(try device.skip(to: "mail_failed confirm refused") == "mail_failed confirm refused")
            #expect(device.mailFailure == notice)
        }
        try other.receive()
        #expect(other.mailFailure == nil)
        first.say(#"{"type":"account","request":6}"#)
        #expect(try first.skip(to: "account") == "account")
        #expect(first.account?.state.mail?.problem == .refused)
    }
}
