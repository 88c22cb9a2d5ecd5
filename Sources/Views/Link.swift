internal import Terminal

/// Web addresses in texts.
enum Link {
    /// The last address in a text; `nil` if there is none.
    static func last(in text: String) -> String? {
        for word in text.split(whereSeparator: \.isWhitespace).reversed() { if let link = link(in: word) { return String(link) } }
        return nil
    }

    /// All addresses in a text.
    static func all(in text: String) -> Set<String> { Set(text.split(whereSeparator: \.isWhitespace).compactMap { link(in: $0).map(String.init) }) }

    /// Whether the text may contain an address, that is, contains `://`; copies nothing.
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

    /// The address in a word, without trailing punctuation or a bracket that was opened before the address.
    fileprivate static func link(in word: Substring) -> Substring? {
        guard let start = ["https://", "http://"].compactMap({ word.firstRange(of: $0)?.lowerBound }).min() else { return nil }
        var link = word[start...]
        while let end = link.last, ".,;:!?'\"”’>]}…".contains(end) || end == ")" && !link.contains("(") { link.removeLast() }
        return link.count > "https://".count ? link : nil
    }
}

extension Canvas {
    /// Makes the web addresses in a drawn line clickable.
    ///
    /// - Parameter whole: the text that the line belongs to; an address that is broken over several lines is only
    ///   complete there.
    mutating func linkAddresses(in line: StyledText, at column: Int, _ row: Int, of whole: @autoclosure () -> String) {
        // Most lines have no address, and every key press draws them all.
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
