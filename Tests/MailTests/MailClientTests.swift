import Locks
import Mail
import Posix
import Testing

/// A mail server that follows a script, for one conversation, on a thread of its own.
final class ScriptedMailServer: Sendable {
    /// The lines that the client sent, and the content between `DATA` and the dot.
    struct Heard: Sendable {
        var commands: [String] = []
        var content: [String] = []
    }

    private final class Notes: Sendable {
        let heard = Lock(Heard())
    }

    let port: UInt16
    private let thread: Thread
    private let notes = Notes()

    /// - Parameter answer: to a command, or to the content (`.`); an empty text says nothing, and `nil` cuts the connection.
    init(greeting: String = "220 mail.example", _ answer: @escaping @Sendable (String) -> String?) throws {
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        port = try SocketAddress.local(of: listener.raw).port
        let raw = listener.take()
        let notes = notes
        thread = Thread.start(name: "scripted") {
            let listener = FileDescriptor(owning: raw)
            guard (try? Poll.wait(listener.raw, .readable, timeoutMilliseconds: 10_000)) != nil, let connection = try? Socket.accept(on: listener.raw) else { return }
            if !greeting.isEmpty { try? Socket.sendAll(connection.raw, Array("\(greeting)\r\n".utf8)) }
            var waiting: [UInt8] = []
            var isContent = false
            while true {
                while let end = waiting.firstIndex(of: 0x0A) {
                    let line = String(decoding: waiting[..<end].filter { $0 != 0x0D }, as: UTF8.self)
                    waiting.removeSubrange(...end)
                    if isContent, line != "." {
                        notes.heard.withLock { $0.content.append(line) }
                        continue
                    }
                    notes.heard.withLock { $0.commands.append(line) }
                    isContent = false
                    guard let text = answer(line) else { return }
                    isContent = line == "DATA" && text.hasPrefix("354")
                    if !text.isEmpty { try? Socket.sendAll(connection.raw, Array("\(text)\r\n".utf8)) }
                }
                guard let more = Self.receive(connection.raw) else { return }
                waiting += more
            }
        }
    }

    private static func receive(_ raw: Int32) -> [UInt8]? {
        guard (try? Poll.wait(raw, .readable, timeoutMilliseconds: 10_000)) != nil else { return nil }
        var octets: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
            if case .done(let count)? = try? Socket.receive(raw, into: buffer) { octets = Array(buffer[..<count]) }
        }
        return octets.isEmpty ? nil : octets
    }

    /// The received lines; waits for the end of the conversation.
    var whole: Heard {
        thread.join()
        return notes.heard.withLock { $0 }
    }
}

@Suite("Conversations with a mail server by libcurl")
struct MailClientTests {
    private static let message = MailMessage(
        from: "huddle@club.example", to: "ana@example.org", subject: "A code", body: "one\n.\n..two\n", name: "confirm-1", date: 1_795_691_228_000)

    /// Accepts everything.
    @Sendable private static func accept(_ line: String) -> String? {
        if line.hasPrefix("EHLO") { return "250-mail.example\r\n250 AUTH PLAIN LOGIN" }
        if line == "DATA" { return "354 go on" }
        if line == "QUIT" { return "221 bye" }
        if line == "AUTH PLAIN" { return "334 " }
        // "\0club\0sécret"
        if line == "AGNsdWIAc8OpY3JldA==" { return "235 ok" }
        return "250 ok"
    }

    private func server(_ scripted: ScriptedMailServer) throws -> MailServer {
        var server = try #require(MailServer("smtp://127.0.0.1:\(scripted.port)", from: "huddle@club.example"))
        server.security = .off
        return server
    }

    private func failure(_ scripted: ScriptedMailServer, _ change: (inout MailServer) -> Void = { _ in }) throws -> MailFailure {
        var server = try server(scripted)
        change(&server)
        do throws(MailFailure) { try MailClient().send(Self.message, to: server) } catch { return error }
        throw MailFailure(.unusable, "the message was accepted")
    }

    @Test("A message is accepted: sender, recipient and content arrive, lines of dots too, and the greeting names the sender's domain")
    func accepted() throws {
        let scripted = try ScriptedMailServer(Self.accept)
        try MailClient().send(Self.message, to: try server(scripted))
        let heard = scripted.whole
        #expect(heard.commands.prefix(4) == ["EHLO club.example", "MAIL FROM:<huddle@club.example>", "RCPT TO:<ana@example.org>", "DATA"])
        #expect(heard.content.suffix(4) == ["", "one", "..", "...two"], "\(heard.content)")
        #expect(heard.content.contains("Message-ID: <confirm-1@club.example>"))
    }

    @Test("User and password are shown; the password is the first line of its file")
    func signsIn() throws {
        let scripted = try ScriptedMailServer(Self.accept)
        var server = try server(scripted)
        let path = try Files.makeTemporaryFolder() + "/password"
        try Files.writeNew(Array("sécret\r\nmore\n".utf8), to: path)
        server.user = "club"
        server.passwordPath = path
        try MailClient().check(server)
        #expect(scripted.whole.commands.contains("AGNsdWIAc8OpY3JldA=="))
        server.passwordPath = "/nonexistent"
        #expect(throws: MailFailure.self) { try MailClient().check(server) }
    }

    @Test("Refusals: 5xx of sender, recipient and content is final; 4xx, a refused sign-in and a refused greeting are not", arguments: [
        ("MAIL", "550 no", MailFailure.Kind.refused), ("RCPT", "550 5.1.1 no such user", .refused), ("DATA", "554 no", .refused), (".", "552 too large", .refused), ("RCPT", "450 later", .later),
        ("MAIL", "421 closing", .later), (".", "451 later", .later), ("MAIL", "530 sign in first", .signIn),
    ])
    func refused(command: String, reply: String, kind: MailFailure.Kind) throws {
        let scripted = try ScriptedMailServer { line in line == "." ? (command == "." ? reply : "250 ok") : line.hasPrefix(command) ? reply : Self.accept(line) }
        let failure = try failure(scripted)
        #expect(failure.kind == kind, "\(failure)")
        #expect(failure.isFinal == (kind == .refused))
        #expect(failure.code == Int(reply.prefix(3)))
        #expect(!failure.text.contains("ana@"))
    }

    @Test("A greeting of 554 refuses this side and not the message; a wrong password is a sign-in")
    func others() throws {
        #expect(try failure(ScriptedMailServer(greeting: "554 go away", Self.accept)).kind == .later)
        let wrong = try ScriptedMailServer { $0.hasPrefix("AUTH") ? "535 wrong" : Self.accept($0) }
        #expect(try failure(wrong) { $0.user = "club" }.kind == .signIn)
    }

    @Test("A connection that is cut at any command is unreachable or later, never accepted and never final", arguments: ["EHLO", "MAIL", "RCPT", "DATA", "."])
    func cut(command: String) throws {
        let scripted = try ScriptedMailServer { line in (command == "." ? line == "." : line.hasPrefix(command)) ? nil : line == "." ? "250 ok" : Self.accept(line) }
        let failure = try failure(scripted)
        #expect([.unreachable, .later].contains(failure.kind), "\(failure)")
    }

    @Test("A server that says nothing ends by its time, or when the caller stops")
    func silent() throws {
        let scripted = try ScriptedMailServer(greeting: "") { _ in "" }
        #expect(try failure(scripted) { $0.times = .init(connect: 1, answer: 1, whole: 1) }.kind == .timedOut)
        let other = try ScriptedMailServer { $0.hasPrefix("MAIL") ? "" : Self.accept($0) }
        let server = try server(other)
        do throws(MailFailure) {
            try MailClient().send(Self.message, to: server, isStopped: { true })
            Issue.record("the message was accepted")
        } catch { #expect(error.kind == .stopped, "\(error)") }
    }

    @Test("Without STARTTLS nothing is sent, not even the user")
    func noTLS() throws {
        let scripted = try ScriptedMailServer(Self.accept)
        let failure = try failure(scripted) {
            $0.security = .startTLS
            $0.user = "club"
        }
        #expect(failure.kind == .tls)
        #expect(scripted.whole.commands.allSatisfy { !$0.hasPrefix("AUTH") && !$0.hasPrefix("MAIL") })
    }

    @Test("An address that is none is refused before the conversation, and nobody listening is unreachable")
    func nobody() throws {
        var server = try #require(MailServer("smtp://127.0.0.1:1", from: "huddle@club.example"))
        server.security = .off
        do throws(MailFailure) { try MailClient().check(server) } catch { #expect(error.kind == .unreachable) }
        var message = Self.message
        message.to = "ana@example.org>\r\nRCPT TO:<eve@example.org"
        do throws(MailFailure) { try MailClient().send(message, to: server) } catch { #expect(error.kind == .refused) }
    }
}
