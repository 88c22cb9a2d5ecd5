internal import Terminal

/// Web addresses in texts.
enum Link {
    /// The last one; `nil` when there is none.
    static func last(in text: String) -> String? {
        for word in text.split(whereSeparator: \.isWhitespace).reversed() { if let link = link(in: word) { return String(link) } }
        return nil
    }

    /// All of them.
    static func all(in text: String) -> Set<String> { Set(text.split(whereSeparator: \.isWhitespace).compactMap { link(in: $0).map(String.init) }) }

    /// Whether there may be one, without a copy of anything: `://` is in it.
    fileprivate static func mayBe(in text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { octets in
            var place = 0
            while place + 2 < octets.count {
                if octets[place] == UInt8(ascii: ":"), octets[place + 1] == UInt8(ascii: "/"), octets[place + 2] == UInt8(ascii: "/") { return true }
                place += 1
            }
            return false
        } ?? true
    }

    /// What is written behind it, as a full stop or a bracket that was opened before it, is none of it.
    fileprivate static func link(in word: Substring) -> Substring? {
        guard let start = ["https://", "http://"].compactMap({ word.firstRange(of: $0)?.lowerBound }).min() else { return nil }
        var link = word[start...]
        while let end = link.last, ".,;:!?'\"”’>]}…".contains(end) || end == ")" && !link.contains("(") { link.removeLast() }
        return link.count > "https://".count ? link : nil
    }
}

extension Canvas {
    /// Lets the web addresses in a line that was drawn lead where they say.
    ///
    /// - Parameter whole: the text that the line is of: what is broken over lines does not say where it leads.
    mutating func linkAddresses(in line: StyledText, at column: Int, _ row: Int, of whole: @autoclosure () -> String) {
        // Most lines have none, and every key draws them all.
        guard line.runs.contains(where: { Link.mayBe(in: $0.text) }) else { return }
        let text = line.text
        let links = Link.all(in: whole())
        for word in text.split(whereSeparator: \.isWhitespace) {
            guard let found = Link.link(in: word), links.contains(String(found)) else { continue }
            let start = column + TextWidth.of(String(text[..<found.startIndex]))
            link(Rect(start, row, columns: TextWidth.of(String(found)), rows: 1), Hyperlink(String(found)))
        }
    }
}
