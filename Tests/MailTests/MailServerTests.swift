import Mail
import Testing

@Suite("Addresses of people and of mail servers")
struct MailServerTests {
    @Test("An address of a mail server", arguments: [
        ("smtp://mail.example", "smtp://mail.example:587", false), ("smtp://mail.example:25", "smtp://mail.example:25", false), ("smtps://mail.example", "smtps://mail.example:465", false),
        ("smtp://127.0.0.1:2525", "smtp://127.0.0.1:2525", true), ("smtp://localhost", "smtp://localhost:587", true), ("smtps://[::1]:465", "smtps://[::1]:465", true),
        ("smtp://[2001:db8::1]", "smtp://[2001:db8::1]:587", false), ("smtp://127.example", "smtp://127.example:587", false),
    ])
    func servers(text: String, description: String, isLocal: Bool) throws {
        let server = try #require(MailServer(text, from: "huddle@club.example"))
        #expect(server.description == description)
        #expect(server.isLocal == isLocal)
        #expect(server.security == (text.hasPrefix("smtps") ? .tls : .startTLS))
    }

    @Test("Other texts are none", arguments: [
        "mail.example", "http://mail.example", "smtp://", "smtp://mail.example:0", "smtp://mail.example:65536", "smtp://mail.example:", "smtp://user@mail.example",
        "smtp://mail.example/x", "smtp://mail example", "smtp://[::1", "smtp://a:b:25", "smtp://mail.example?x", "smtp://mail.example:25\r\n", "smtp://[::1]x:25",
    ])
    func noServers(text: String) { #expect(MailServer(text, from: "huddle@club.example") == nil) }

    @Test("Addresses of people", arguments: ["ana@example.org", "ana.maria+club@mail.example.org", "o'neil@example.org", "a@localhost", "{x}@a-b.example"])
    func addresses(text: String) { #expect(MailServer.isAddress(text)) }

    @Test("Texts that are none, whatever a mail server would make of them", arguments: [
        "", "ana", "@example.org", "ana@", "ana@@example.org", "ana@exam ple.org", "ana@example.org\r\nRCPT TO:<x@y.example>", "<ana@example.org>", ".ana@example.org", "ana.@example.org",
        "a..b@example.org", "ana@example..org", "ana@-example.org", "ana@example.org.", "\"a b\"@example.org", "josé@example.org", "ana@exämple.org", "ana@[127.0.0.1]", "ana@example.org,x@y.example",
        String(repeating: "a", count: 65) + "@example.org", "a@" + Array(repeating: String(repeating: "b", count: 60), count: 5).joined(separator: "."),
    ])
    func noAddresses(text: String) { #expect(!MailServer.isAddress(text)) }
}
