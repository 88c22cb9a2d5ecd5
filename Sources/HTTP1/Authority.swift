/// A host and a port, as in `Host`, the authority of a target and the origin of a web page (RFC 3986 §3.2, RFC 9110
/// §7.2).
package struct Authority: Hashable, Sendable {
    /// The host in lower case; an IPv6 address with its brackets.
    package let host: String
    /// The port; `nil` if none is written: the scheme's default.
    package let port: UInt16?

    /// Reads `host`, `host:` or `host:port`; `nil` if the host is empty or invalid, or the port is above 65,535.
    ///
    /// Two parts of RFC 3986 are refused: a user name (its only use here is deceit, RFC 9110 §4.2.4), and the comma,
    /// which appears when an intermediary joins two `Host` lines.
    package init?(_ text: String) {
        self.init(text.utf8Span.span)
    }

    init?(_ text: Span<UInt8>) {
        var end = 0
        if text.count > 0, text[0] == UInt8(ascii: "[") {
            while end < text.count, text[end] != UInt8(ascii: "]") { end += 1 }
            guard end < text.count, Self.isLiteral(text.extracting(1..<end)) else { return nil }
            end += 1
        } else {
            while end < text.count, text[end] != UInt8(ascii: ":") { end += 1 }
            guard end > 0, Self.isName(text.extracting(0..<end)) else { return nil }
        }
        var number: UInt16?
        if end < text.count {
            guard text[end] == UInt8(ascii: ":"), text.count - end <= 6 else { return nil }
            var value = 0
            for index in end + 1..<text.count {
                guard let digit = HeadLines.digit(text[index]) else { return nil }
                value = value * 10 + digit
            }
            guard value <= Int(UInt16.max) else { return nil }
            if end + 1 < text.count { number = UInt16(value) }
        }
        host = HeadLines.text(text, 0..<end).lowercased()
        port = number
    }

    /// `IP-literal`: an IPv6 address, or a future form (`v1.x`), in brackets.
    private static func isLiteral(_ text: Span<UInt8>) -> Bool {
        if NetworkAddress(text).map({ !$0.isIPv4 || text[0] == UInt8(ascii: ":") || HeadLines.contains(text, UInt8(ascii: ":")) }) == true {
            return true
        }
        guard text.count >= 4, text[0] | 0x20 == UInt8(ascii: "v") else { return false }
        var index = 1
        while index < text.count, HeadLines.hexDigit(text[index]) != nil { index += 1 }
        guard index > 1, index + 1 < text.count, text[index] == UInt8(ascii: ".") else { return false }
        for index in index + 1..<text.count {
            guard Grammar.isNameOctet(text[index]) || text[index] == UInt8(ascii: ":") else { return false }
        }
        return true
    }

    /// `reg-name`, which also covers IPv4 addresses.
    private static func isName(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%") {
                guard index + 2 < text.count, HeadLines.hexDigit(text[index + 1]) != nil, HeadLines.hexDigit(text[index + 2]) != nil
                else { return false }
                index += 3
            } else {
                guard Grammar.isNameOctet(text[index]) else { return false }
                index += 1
            }
        }
        return true
    }
}
