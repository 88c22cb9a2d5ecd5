import Folding
import TestSupport
import Testing

@Suite("Folded texts: UAX #15 (NFKD), Unicode Standard §3.13 (case folding), letters with strokes")
struct FoldedTextTests {
    @Test("Case, accents, strokes, ligatures and curly quotes are gone", arguments: [
        ("Łódź Camp", "lodz camp"), ("Straße", "strasse"), ("STRASSE", "strasse"), ("ẞ", "ss"), ("Ångström", "angstrom"),
        ("A\u{30A}ngstro\u{308}m", "angstrom"), ("Søren Ærø", "soren aero"), ("Œuvre", "oeuvre"), ("Đurđevac", "durdevac"),
        ("İstanbul Iğdır", "istanbul igdir"), ("Þórr ðe", "thorr de"), ("ﬁnal ﬂight", "final flight"), ("Ⅷ ①", "viii 1"),
        ("ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ σισυφοσ"), ("ЁЛКА й", "елка и"), ("St. John’s “Prep”", "st. john's \"prep\""),
        ("A–B—C‐D", "a-b-c-d"), ("no\u{A0}break", "no break"), ("soft\u{AD}hyphen zero\u{200B}width", "softhyphen zerowidth"),
        ("ｆｕｌｌ", "full"), ("Việt Nam", "viet nam"), ("ǿ", "o"), ("", ""), ("tab\tline\n", "tab\tline\n"),
        ("漢字 🥎 ok", "漢字 🥎 ok"), ("𝒳𝔜 Ж", "xy ж"), ("\u{7FF}\u{800}\u{FFFD}\u{10000}\u{10FFFD}", "\u{7FF}\u{800}\u{FFFD}\u{10000}\u{10FFFD}"),
    ])
    func folds(_ text: String, _ expected: String) {
        #expect(String(decoding: FoldedText(text).octets, as: UTF8.self) == expected)
    }

    @Test("Every character folds to UTF-8, and folding that again changes nothing")
    func everyScalar() {
        var changed = 0
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let once = FoldedText(String(Character(scalar)))
            guard let text = String(validating: once.octets, as: UTF8.self) else {
                Issue.record("U+\(String(value, radix: 16)) folds to no UTF-8")
                return
            }
            if FoldedText(text) != once {
                Issue.record("U+\(String(value, radix: 16)) folds to \(text), and that to something else")
                return
            }
            if !text.unicodeScalars.elementsEqual([scalar]) { changed += 1 }
        }
        // Unicode has some 1,400 capital letters and thousands of marks and compatibility characters.
        #expect(changed > 10_000)
    }

    @Test("A part of a text is found in its folded form, in any case, with any accents, however composed", arguments: 1...50)
    func substrings(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let head = random.text(), part = random.text(), tail = random.text()
            let all = FoldedText(head + part + tail)
            #expect(all.octets == FoldedText(head).octets + FoldedText(part).octets + FoldedText(tail).octets, "seed \(seed)")
            #expect(all.octets.contains(folded: FoldedText(part)), "seed \(seed)")
            #expect(all.octets.contains(folded: FoldedText(part.uppercased())), "seed \(seed): \(part)")
        }
    }

    @Test("contains agrees with a naive search", arguments: 1...20)
    func search(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let text = (0..<random.below(30)).map { _ in "ab"[random.below(2)] }.joined()
            let needle = (0..<random.below(5)).map { _ in "ab"[random.below(2)] }.joined()
            let octets = Array(text.utf8), wanted = Array(needle.utf8)
            let naive = wanted.isEmpty
                || octets.indices.contains { octets[$0...].starts(with: wanted) }
            #expect(octets.contains(folded: FoldedText(needle)) == naive, "seed \(seed): \(needle) in \(text)")
        }
    }

    @Test("An empty needle is in every text, and nothing is in an empty one")
    func empty() {
        #expect([UInt8]().contains(folded: FoldedText("")))
        #expect(![UInt8]().contains(folded: FoldedText("a")))
        // An accent alone folds to nothing.
        #expect(FoldedText("\u{301}").isEmpty)
    }

    @Test("Names sort as people read them")
    func order() {
        let names = ["zeta", "Łukasz", "ärmel", "Zebra", "lukas", "Émile", "eva", "Armel"]
        let sorted = names.sorted { (FoldedText($0), $0) < (FoldedText($1), $1) }
        #expect(sorted == ["Armel", "ärmel", "Émile", "eva", "lukas", "Łukasz", "Zebra", "zeta"])
    }
}

extension SplitMix64 {
    /// Letters with and without accents, composed and decomposed, whose upper case folds to the same.
    mutating func text() -> String {
        let pieces = ["a", "B", "ó", "o\u{301}", "Ł", "ß", "æ", "ñ", " ", "-", "Ж", "й", "ф", "ö", "é", "x", "Σ", "1", "\u{200B}", "ﬁ"]
        return (0..<below(8)).map { _ in one(of: pieces) }.joined()
    }
}

extension String {
    fileprivate subscript(place: Int) -> String { String(self[index(startIndex, offsetBy: place)]) }
}
