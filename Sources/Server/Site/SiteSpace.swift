/// Leaves out the space between the words and signs of the joined script, and the comments behind code: a tenth of it, and 5 % after compression.
///
/// Texts and regular expressions stay as they are. The rules of `SiteScript` make each line complete in itself: no text and no regular expression goes over several
/// lines. A line feed stays where JavaScript could take the next line for another statement.
enum SiteSpace {
    static func squeezed(_ body: String) -> String {
        var result: [UInt8] = []
        for line in body.utf8.split(separator: UInt8(ascii: "\n")) {
            let code = squeezed(Array(line))
            guard let last = code.last else { continue }
            result += code
            if !open.contains(last) { result.append(UInt8(ascii: "\n")) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Signs behind which a statement continues, or another one begins in any case.
    private static let open = Set(";,{([".utf8)
    /// Words before a regular expression; behind any other word a slash divides.
    private static let operators = Set(["return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "await", "yield"].map { Array($0.utf8) })

    private static func squeezed(_ line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        /// The braces that are open in the code, and around each text in backticks that the code is in.
        var braces = 0
        var outer: [Int] = []
        var isInText = false
        func next(_ distance: Int = 1) -> UInt8? { place + distance < line.count ? line[place + distance] : nil }
        func take(_ count: Int) {
            result += line[place..<min(place + count, line.count)]
            place += count
        }
        /// Takes everything to a closing sign.
        func take(to close: UInt8, hasClasses: Bool = false) {
            var isInClass = false
            take(1)
            while place < line.count {
                let octet = line[place]
                if octet == UInt8(ascii: "\\") {
                    take(2)
                    continue
                }
                if hasClasses, octet == UInt8(ascii: "[") { isInClass = true } else if octet == UInt8(ascii: "]") { isInClass = false }
                take(1)
                if octet == close, !isInClass { return }
            }
        }
        while place < line.count {
            let octet = line[place]
            if isInText {
                switch (octet, next()) {
                case (UInt8(ascii: "\\"), _): take(2)
                case (UInt8(ascii: "$"), UInt8(ascii: "{")):
                    take(2)
                    outer.append(braces)
                    braces = 0
                    isInText = false
                default:
                    isInText = octet != UInt8(ascii: "`")
                    take(1)
                }
                continue
            }
            switch octet {
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                let following = line[place...].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
                if let before = result.last, let following, needsSpace(before, following) { result.append(UInt8(ascii: " ")) }
                while let octet = place < line.count ? line[place] : nil, octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\t") { place += 1 }
            case UInt8(ascii: "\""), UInt8(ascii: "'"): take(to: octet)
            case UInt8(ascii: "`"):
                take(1)
                isInText = true
            case UInt8(ascii: "{"):
                braces += 1
                take(1)
            case UInt8(ascii: "}"):
                if braces == 0, let around = outer.popLast() {
                    braces = around
                    isInText = true
                } else {
                    braces -= 1
                }
                take(1)
            case UInt8(ascii: "/") where next() == UInt8(ascii: "/"): return trimmed(result)
            case UInt8(ascii: "/") where next() == UInt8(ascii: "*"):
                place += 2
                while place < line.count, !(line[place] == UInt8(ascii: "*") && next() == UInt8(ascii: "/")) { place += 1 }
                place += 2
            case UInt8(ascii: "/") where !divides(result): take(to: octet, hasClasses: true)
            default: take(1)
            }
        }
        return trimmed(result)
    }

    private static func trimmed(_ code: [UInt8]) -> [UInt8] { code.last == UInt8(ascii: " ") ? Array(code.dropLast()) : code }

    private static func needsSpace(_ before: UInt8, _ following: UInt8) -> Bool {
        if isOfWord(before), isOfWord(following) { return true }
        // `a + +b` is not `a++b`; the flags of a regular expression end before a word.
        if before == following, before == UInt8(ascii: "+") || before == UInt8(ascii: "-") { return true }
        return before == UInt8(ascii: "/") && (isOfWord(following) || following == UInt8(ascii: "/"))
    }

    /// Whether a slash behind this code divides: behind a word or the end of a value, but not behind an operator in letters.
    private static func divides(_ code: [UInt8]) -> Bool {
        guard let last = code.last(where: { $0 != UInt8(ascii: " ") }) else { return false }
        guard isOfWord(last) else { return [UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "\""), UInt8(ascii: "`")].contains(last) }
        let end = code.last == UInt8(ascii: " ") ? code.dropLast() : code[...]
        return !operators.contains(Array(end[(end.lastIndex { !isOfWord($0) }.map { $0 + 1 } ?? 0)...]))
    }

    private static func isOfWord(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }
}
