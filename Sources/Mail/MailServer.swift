/// A server that takes mail, and how it is spoken to.
package struct MailServer: Hashable, Sendable {
    /// The protection of the connection.
    package enum Security: Hashable, Sendable {
        /// TLS from the first octet (`smtps`).
        case tls
        /// STARTTLS, or nothing is sent.
        case startTLS
        /// None. Only for a server on this machine.
        case off
    }

    /// The time that parts of a conversation may take, seconds.
    package struct Times: Hashable, Sendable {
        package var connect: Int
        /// An answer of the server.
        package var answer: Int
        /// The whole conversation.
        package var whole: Int

        package init(connect: Int = 15, answer: Int = 60, whole: Int = 120) {
            self.connect = connect
            self.answer = answer
            self.whole = whole
        }
    }

    /// Of its address: a name, or an address in numbers; IPv6 in brackets.
    package var host: String
    package var port: Int
    package var security: Security
    /// With a password; `nil`: no sign-in.
    package var user: String?
    /// The path of a file that holds the password in its first line. It is read for each conversation, so that a new password needs no restart.
    package var passwordPath: String?
    /// The address of the sender.
    package var from: String
    /// A PEM file with the certificates to trust; `nil` for the system's.
    package var authorities: String?
    package var times = Times()

    /// - Parameter text: `smtp://HOST[:PORT]` or `smtps://HOST[:PORT]`, and nothing behind it.
    package init?(_ text: String, from: String) {
        let head: String
        if text.hasPrefix("smtps://") { (head, security, port) = ("smtps://", .tls, 465) } else if text.hasPrefix("smtp://") {
            (head, security, port) = ("smtp://", .startTLS, 587)
        } else { return nil }
        var rest = text.dropFirst(head.count)
        if let colon = rest.lastIndex(of: ":"), rest.last != "]" {
            let digits = rest[rest.index(after: colon)...]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits), (1...65_535).contains(number) else { return nil }
            port = number
            rest = rest[..<colon]
        }
        let isBracketed = rest.hasPrefix("[") && rest.hasSuffix("]")
        let name = isBracketed ? rest.dropFirst().dropLast() : rest
        let isAllowed: (UInt8) -> Bool = { octet in
            switch octet {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."): true
            case UInt8(ascii: "-"): !isBracketed
            case UInt8(ascii: ":"): isBracketed
            default: false
            }
        }
        guard !name.isEmpty, name.utf8.count <= 253, name.utf8.allSatisfy(isAllowed), Self.isAddress(from) else { return nil }
        host = String(rest)
        self.from = from
    }

    /// The server is on this machine.
    package var isLocal: Bool { host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) } }

    /// `smtp://mail.example:587`
    package var description: String { "\(security == .tls ? "smtps" : "smtp")://\(host):\(port)" }

    /// The URL for libcurl: the path is the name by which this side greets. It is the sender's domain, and says nothing of this machine.
    var url: String { "\(description)/\(MailMessage.domain(of: from))" }

    /// Whether a text is an address that a conversation can carry: a dot-atom, `@`, and a name of at least one label, all in ASCII.
    package static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, (1...64).contains(parts[0].utf8.count) else { return false }
        // RFC 5322 §3.2.3, atext.
        let marks = Set("!#$%&'*+-/=?^_`{|}~".utf8)
        let isLetter: (UInt8) -> Bool = { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        guard parts[0].split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ atom in
            !atom.isEmpty && atom.utf8.allSatisfy { isLetter($0) || marks.contains($0) }
        }) else { return false }
        return parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "-") } && !label.hasPrefix("-") && !label.hasSuffix("-")
        }
    }
}
