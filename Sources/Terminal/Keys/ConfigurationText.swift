/// The text of a configuration in which one line changes: comments, order and all other content stay as they are, octet
/// for octet.
package struct ConfigurationText: Hashable, Sendable {
    /// The lines without the line feeds between them; the last one is empty if the text ends with a line feed.
    private var lines: [[UInt8]]

    package init(_ octets: [UInt8]) {
        lines = octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    }

    package init(_ text: String) { self.init(Array(text.utf8)) }

    package var octets: [UInt8] { Array(lines.joined(separator: [UInt8(ascii: "\n")])) }

    /// The text for readers, with line feeds as line ends, even if the octets have CR LF.
    package var text: String { lines.map { String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self) }.joined(separator: "\n") }

    /// Writes `set NAME …` over its last occurrence, because the last one counts, or otherwise at the end.
    ///
    /// - Parameter line: the new line; `nil` removes all occurrences.
    package mutating func set(_ name: String, _ line: String?) { replace(with: line) { $0.starts(with: ["set", name]) } }

    /// Writes the binding of keys in the same way, whether they were bound or unbound before.
    ///
    /// - Parameter line: the new line; `nil` removes all lines about these keys.
    package mutating func bind(_ keys: [Key], in mode: String, _ line: String?) {
        replace(with: line) { words in
            guard let verb = words.first, verb == "bind" || verb == "unbind", let found = try? KeyBinding(words) else { return false }
            return found.keys == keys && found.mode == mode
        }
    }

    private mutating func replace(with line: String?, _ isMeant: ([String]) -> Bool) {
        let places = lines.indices.filter { isMeant(Self.words(lines[$0])) }
        guard let line else {
            for place in places.reversed() { lines.remove(at: place) }
            return
        }
        if let last = places.last {
            lines[last] = Array(line.utf8) + (lines[last].last == UInt8(ascii: "\r") ? [UInt8(ascii: "\r")] : [])
        } else {
            if lines.last?.isEmpty == true { lines.removeLast() }
            lines += [Array(line.utf8), []]
        }
    }

    private static func words(_ line: [UInt8]) -> [String] {
        String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
