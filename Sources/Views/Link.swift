/// Web addresses in texts.
enum Link {
    /// The last one: what is written behind it, as a full stop or a bracket that was opened before it, is none of it. `nil` when there is none.
    static func last(in text: String) -> String? {
        for word in text.split(whereSeparator: \.isWhitespace).reversed() {
            guard let start = ["https://", "http://"].compactMap({ word.firstRange(of: $0)?.lowerBound }).min() else { continue }
            var link = word[start...]
            while let end = link.last, ".,;:!?'\"”’>]}…".contains(end) || end == ")" && !link.contains("(") { link.removeLast() }
            if link.count > "https://".count { return String(link) }
        }
        return nil
    }
}
