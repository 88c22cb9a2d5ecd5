internal import Bytes
internal import Dates

/// One plain-text message (RFC 5322), written as octets.
///
/// Nothing in a value can end its field: control characters of a field become blanks, and an address that is not one is refused by `MailServer.isAddress`
/// before a message is made.
package struct MailMessage: Hashable, Sendable {
    /// `NAME@DOMAIN`.
    package var from: String
    package var to: String
    package var subject: String
    /// Lines end with `\n`.
    package var body: String
    /// Names the message for ever, with the domain of `from`: a mail program that gets it twice shows it once. Letters, digits, `.`, `-` and `_`.
    package var name: String
    /// UTC milliseconds.
    package var date: Int64

    package init(from: String, to: String, subject: String, body: String, name: String, date: Int64) {
        self.from = from
        self.to = to
        self.subject = subject
        self.body = body
        self.name = name
        self.date = date
    }

    /// The name that people see as the sender.
    private static let sender = "Huddle"
    /// Octets of a line of a head without its end, as RFC 5322 §2.1.1 recommends.
    private static let lineLength = 78

    /// The message with lines that end in CRLF. Lines of a single dot are the sender's matter.
    package func octets() -> [UInt8] {
        var lines = [
            "Date: \(Self.date(date))",
            "From: \(Self.sender) <\(from)>",
            "To: <\(to)>",
            "Message-ID: <\(name)@\(Self.domain(of: from))>",
        ]
        lines += Self.field("Subject", subject)
        lines += [
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
        ]
        let text = Self.lines(of: body)
        if text.allSatisfy({ Self.isPlain($0) }) {
            lines.append("Content-Transfer-Encoding: 7bit")
            lines.append("")
            lines += text
        } else {
            lines.append("Content-Transfer-Encoding: quoted-printable")
            lines.append("")
            for line in text { lines += Self.quotedPrintable(line) }
        }
        var octets: [UInt8] = []
        for line in lines {
            octets += line.utf8
            octets += [0x0D, 0x0A]
        }
        return octets
    }

    static func domain(of address: String) -> Substring { address[(address.lastIndex(of: "@").map(address.index(after:)) ?? address.startIndex)...] }

    // MARK: The date

    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `Thu, 26 Nov 2026 11:07:08 +0000`
    static func date(_ instant: Int64) -> String {
        let text = RFC3339.text(instant)
        let date = CalendarDate(String(text.prefix(10))) ?? .first
        // 1970-01-01 was a Thursday.
        let day = days[((date.days % 7) + 10) % 7]
        return "\(day), \(date.day < 10 ? "0" : "")\(date.day) \(months[date.month - 1]) \(date.year) \(text.dropFirst(11).prefix(8)) +0000"
    }

    // MARK: The head

    /// A field as one or more lines: as it is if it is short ASCII words, and in encoded words (RFC 2047) otherwise.
    static func field(_ name: String, _ value: String) -> [String] {
        let value = String(String.UnicodeScalarView(value.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        // A text that looks like an encoded word would be read as one.
        let isASCII = value.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !value.contains("=?")
        guard isASCII, words.allSatisfy({ $0.utf8.count <= 60 }), !words.contains("") else { return encoded(name, value) }
        var lines = ["\(name):"]
        for word in words {
            if lines[lines.count - 1].utf8.count + 1 + word.utf8.count > lineLength { lines.append("") }
            lines[lines.count - 1] += " \(word)"
        }
        return lines
    }

    private static func encoded(_ name: String, _ value: String) -> [String] {
        // An encoded word has at most 75 octets, and holds whole characters.
        let most = (75 - "=?utf-8?B?".utf8.count - "?=".utf8.count) / 4 * 3
        var words: [[UInt8]] = [[]]
        for scalar in value.unicodeScalars {
            let octets = Array(String(scalar).utf8)
            // The first line has the name of the field as well.
            let room = words.count == 1 ? most - name.utf8.count : most
            if words[words.count - 1].count + octets.count > room { words.append([]) }
            words[words.count - 1] += octets
        }
        return words.enumerated().map { index, octets in
            "\(index == 0 ? "\(name):" : "") =?utf-8?B?\(Base64.encode(octets))?="
        }
    }

    // MARK: The content

    /// Without control characters other than tabs.
    private static func lines(of body: String) -> [String] {
        var lines = body.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(String.UnicodeScalarView(line.filter { $0 == "\t" || $0.properties.generalCategory != .control }))
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func isPlain(_ line: String) -> Bool { line.utf8.count <= lineLength && line.utf8.allSatisfy { $0 == 0x09 || (0x20..<0x7F).contains($0) } }

    private static let hex = Array("0123456789ABCDEF")

    /// One line in quoted-printable (RFC 2045 §6.7): each line of the result has at most 76 octets.
    static func quotedPrintable(_ line: String) -> [String] {
        var lines = [""]
        let octets = Array(line.utf8)
        for (index, octet) in octets.enumerated() {
            let isLast = index == octets.count - 1
            let isPlain = (0x21...0x7E).contains(octet) && octet != UInt8(ascii: "=") || (octet == 0x20 || octet == 0x09) && !isLast
            let text = isPlain ? String(UnicodeScalar(octet)) : "=\(hex[Int(octet >> 4)])\(hex[Int(octet & 15)])"
            // The soft end of a line takes one octet more.
            if lines[lines.count - 1].utf8.count + text.utf8.count > 75 {
                lines[lines.count - 1] += "="
                lines.append("")
            }
            lines[lines.count - 1] += text
        }
        return lines
    }
}
