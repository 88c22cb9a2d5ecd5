import Mail
import Testing

/// Messages as octets (RFC 5322, RFC 2047, RFC 2045).
@Suite("Messages as octets")
struct MailMessageTests {
    private func message(subject: String = "A code", body: String = "Hello\n") -> MailMessage {
        MailMessage(from: "huddle@club.example", to: "ana@example.org", subject: subject, body: body, name: "confirm-1", date: 1_795_691_228_000)
    }

    private func lines(_ message: MailMessage) -> [String] {
        String(decoding: message.octets(), as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("A plain message: every field once, CRLF, and the same octets each time")
    func plain() {
        #expect(
            lines(message()) == [
                "Date: Thu, 26 Nov 2026 11:07:08 +0000", "From: Huddle <huddle@club.example>", "To: <ana@example.org>", "Message-ID: <confirm-1@club.example>",
                "Subject: A code", "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: 7bit", "", "Hello", "",
            ])
        #expect(message().octets() == message().octets())
    }

    @Test("A subject cannot end its field", arguments: ["a\r\nBcc: x@y.example", "a\nBcc: x@y.example", "a\u{0}b", "a\u{85}Bcc: x"])
    func injection(subject: String) {
        let head = lines(message(subject: subject)).prefix { !$0.isEmpty }
        #expect(head.count { $0.hasPrefix("Subject:") } == 1)
        #expect(!head.contains { $0.hasPrefix("Bcc") })
        #expect(head.allSatisfy { $0.utf8.allSatisfy { (0x20..<0x7F).contains($0) } })
    }

    @Test("Long subjects are folded between words; others become encoded words that hold whole characters, and read back")
    func folding() throws {
        let long = Array(repeating: "itinerary", count: 20).joined(separator: " ")
        let folded = lines(message(subject: long)).drop { !$0.hasPrefix("Subject:") }.prefix { $0.hasPrefix("Subject:") || $0.hasPrefix(" ") }
        #expect(folded.count > 1 && folded.allSatisfy { $0.utf8.count <= 78 })
        #expect(folded.joined().dropFirst("Subject: ".count) == long)
        for subject in ["Überraschung für José ⚾️ " + long, "=?utf-8?q?x?=", String(repeating: "x", count: 300), "a  b", "👨‍👩‍👧‍👦 familie"] {
            let encoded = lines(message(subject: subject)).drop { !$0.hasPrefix("Subject:") }.prefix { $0.hasPrefix("Subject:") || $0.hasPrefix(" ") }
            var octets: [UInt8] = []
            for word in encoded.joined().dropFirst("Subject:".count).split(separator: " ") {
                #expect(word.hasPrefix("=?utf-8?B?") && word.hasSuffix("?=") && word.utf8.count <= 75)
                let part = try #require(decode(String(word.dropFirst(10).dropLast(2))))
                #expect(String(validating: part, as: UTF8.self) != nil, "a word ends within a character")
                octets += part
            }
            #expect(encoded.allSatisfy { $0.utf8.count <= 78 })
            #expect(String(decoding: octets, as: UTF8.self) == subject)
        }
    }

    @Test("A body of other letters or long lines is quoted-printable with lines of at most 76 octets, and reads back")
    func body() {
        for body in ["Grüße aus Zürich = schön \nzweite Zeile\t", String(repeating: "long ", count: 60) + "\nshort", "trailing ü "] {
            let all = lines(message(body: body))
            #expect(all.contains("Content-Transfer-Encoding: quoted-printable"))
            let text = all.drop { !$0.isEmpty }.dropFirst().dropLast()
            #expect(text.allSatisfy { $0.utf8.count <= 76 && $0.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !$0.hasSuffix(" ") })
            #expect(unquote(Array(text)) == body)
        }
    }

    @Test("Control characters of a body are dropped, and lines end in CRLF alone")
    func controls() {
        #expect(lines(message(body: "a\u{0}b\u{1B}[31m\r\nc\n.\n\n")).suffix(4) == ["ab[31m", "c", ".", ""])
    }

    private func decode(_ text: String) -> [UInt8]? {
        var octets: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for octet in text.utf8 where octet != UInt8(ascii: "=") {
            guard let value = letters.firstIndex(of: octet) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return octets
    }

    private func unquote(_ lines: [String]) -> String {
        var octets: [UInt8] = []
        for (index, line) in lines.enumerated() {
            var rest = Array(line.utf8)[...]
            var isSoft = false
            while let octet = rest.popFirst() {
                guard octet == UInt8(ascii: "=") else {
                    octets.append(octet)
                    continue
                }
                guard rest.count >= 2 else {
                    isSoft = true
                    break
                }
                octets.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            }
            if !isSoft, index < lines.count - 1 { octets.append(0x0A) }
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
