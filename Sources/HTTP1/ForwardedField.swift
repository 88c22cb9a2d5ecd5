/// A proxy's statement about the connection that it forwarded: one element of `Forwarded` (RFC 7239 §4), or the
/// equivalent in the `X-Forwarded-` fields.
struct ForwardedElement: Equatable {
    /// The address that connected to the proxy; `nil` if the proxy hides it (`unknown`, `_hidden`, §6.2, §6.3).
    var address: NetworkAddress?
    /// `http` or `https`, lower case.
    var scheme: String?
    var host: Authority?
}

/// Reads `Forwarded` from its right end.
///
/// The nearest proxy wrote the right end, and the text left of it may be anything that a client made up, including an
/// open quote. Elements are therefore found from the right, and reading ends at the first malformed one.
enum ForwardedField {
    /// The largest number of elements examined: no chain of proxies is longer.
    static let maxElements = 16

    /// The elements of all lines, the nearest proxy's first, up to the first malformed one.
    static func elements(_ lines: [String]) -> [ForwardedElement] {
        var found: [ForwardedElement] = []
        for line in lines.reversed() {
            let octets = Array(line.utf8)
            var end = octets.count
            while end >= 0 {
                var isQuoted = false
                var start = end
                while start > 0, isQuoted || octets[start - 1] != UInt8(ascii: ",") {
                    if octets[start - 1] == UInt8(ascii: "\"") { isQuoted.toggle() }
                    // An escape could hide a quote from a backward reader. No proxy needs one.
                    guard octets[start - 1] != UInt8(ascii: "\\") else { return found }
                    start -= 1
                }
                guard !isQuoted, found.count < maxElements, let element = element(octets[start..<end]) else { return found }
                found.append(element)
                end = start - 1
            }
        }
        return found
    }

    /// `pair *( ";" pair )`, each parameter at most once (§4).
    private static func element(_ octets: ArraySlice<UInt8>) -> ForwardedElement? {
        var element = ForwardedElement()
        var seen: Set<String> = []
        let isSpace = { (octet: UInt8) in octet == 0x20 || octet == 0x09 }
        var rest = octets.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        while true {
            let nameEnd = rest.firstIndex { !Grammar.isTokenOctet($0) } ?? rest.endIndex
            let name = String(decoding: rest[..<nameEnd], as: UTF8.self).lowercased()
            guard !name.isEmpty, nameEnd < rest.endIndex, rest[nameEnd] == UInt8(ascii: "="), seen.insert(name).inserted else { return nil }
            rest = rest[(nameEnd + 1)...]
            let value: ArraySlice<UInt8>
            if rest.first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                guard let quote = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
                value = rest[..<quote]
                rest = rest[(quote + 1)...]
            } else {
                value = rest.prefix(while: Grammar.isTokenOctet)
                guard !value.isEmpty else { return nil }
                rest = rest[value.endIndex...]
            }
            let text = String(decoding: value, as: UTF8.self)
            switch name {
            case "for":
                guard let node = node(text) else { return nil }
                element.address = node
            case "proto":
                guard let scheme = scheme(text) else { return nil }
                element.scheme = scheme
            case "host":
                guard let host = Authority(text) else { return nil }
                element.host = host
            default: break
            }
            guard let next = rest.first else { return element }
            guard next == UInt8(ascii: ";") else { return nil }
            rest = rest.dropFirst()
        }
    }

    /// `http` or `https` in lower case; browsers use no other scheme.
    static func scheme(_ text: String) -> String? {
        let lower = text.lowercased()
        return lower == "http" || lower == "https" ? lower : nil
    }

    /// `nodename [ ":" node-port ]` (§6): `192.0.2.7`, `192.0.2.7:80`, `[2001:db8::7]:_port`, `unknown`, `_hidden`.
    ///
    /// - Returns: `nil` if the text is none of these; `.some(nil)` if it names no address.
    static func node(_ text: String) -> NetworkAddress?? {
        var name = text[...]
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            name = text[text.index(after: text.startIndex)..<bracket]
            guard name.contains(":"), isPort(text[text.index(after: bracket)...]) else { return nil }
        } else if let colon = text.firstIndex(of: ":") {
            name = text[..<colon]
            guard isPort(text[colon...]) else { return nil }
        }
        if let address = NetworkAddress(String(name)) { return address }
        guard !text.hasPrefix("[") else { return nil }
        return name.lowercased() == "unknown" || isObfuscated(name) ? .some(nil) : nil
    }

    /// Whether the text is empty, or a colon with up to five digits or an obfuscated port.
    private static func isPort(_ text: Substring) -> Bool {
        guard let first = text.first else { return true }
        let port = text.dropFirst()
        guard first == ":" else { return false }
        return (1...5).contains(port.utf8.count) && port.utf8.allSatisfy { HeadLines.digit($0) != nil } || isObfuscated(port)
    }

    /// `"_" 1*( ALPHA / DIGIT / "." / "_" / "-" )` (§6.3).
    private static func isObfuscated(_ text: Substring) -> Bool {
        text.utf8.count > 1 && text.hasPrefix("_")
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
