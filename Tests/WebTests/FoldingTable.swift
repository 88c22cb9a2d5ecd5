import CUTF8proc
import EngineScripts
import Folding

/// The folded form of each code point above ASCII, as runs: for `proto/views/folding.json` and the table in JavaScript.
struct FoldingTable {
    /// Code points with single targets at a fixed distance.
    var shifted: [(start: Int, count: Int, step: Int, distance: Int)] = []
    /// Consecutive code points with the same target.
    var same: [(start: Int, count: Int, target: String)] = []
    /// Consecutive code points with a target each.
    var listed: [(start: Int, targets: [String])] = []

    /// Syllables that decompose by arithmetic (Unicode Standard §3.12).
    static let hangul = 0xAC00...0xD7A3

    init(_ changed: [Int: String] = Self.changed()) {
        var open = Set(changed.keys)
        func distance(_ point: Int) -> Int? {
            guard open.contains(point), let scalars = changed[point]?.unicodeScalars, scalars.count == 1, let scalar = scalars.first else { return nil }
            return Int(scalar.value) - point
        }
        for point in changed.keys.sorted() where open.contains(point) {
            guard let target = changed[point] else { continue }
            var count = 1
            while open.contains(point + count), changed[point + count] == target { count += 1 }
            if count > 1 || target.isEmpty {
                same.append((point, count, target))
                for index in 0..<count { open.remove(point + index) }
                continue
            }
            if let first = distance(point) {
                let steps = [1, 2].map { step -> (step: Int, count: Int) in
                    var count = 1
                    while distance(point + count * step) == first { count += 1 }
                    return (step, count)
                }
                if let best = steps.max(by: { $0.count < $1.count }), best.count > 2 {
                    shifted.append((point, best.count, best.step, first))
                    for index in 0..<best.count { open.remove(point + index * best.step) }
                    continue
                }
            }
            open.remove(point)
            if let last = listed.last, last.start + last.targets.count == point {
                listed[listed.count - 1].targets.append(target)
            } else {
                listed.append((point, [target]))
            }
        }
    }

    /// The folded form of one code point.
    static func folded(_ scalar: Unicode.Scalar) -> String { String(decoding: FoldedText(String(scalar)).octets, as: UTF8.self) }

    /// The code points that folding changes, without ASCII and Hangul.
    private static func changed() -> [Int: String] {
        var changed: [Int: String] = [:]
        for value in UInt32(0x80)...0x10FFFF where !hangul.contains(Int(value)) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let octets = FoldedText(String(scalar)).octets
            if octets != Array(String(scalar).utf8) { changed[Int(value)] = String(decoding: octets, as: UTF8.self) }
        }
        return changed
    }

    /// The form that every browser computes by itself: compatibility decomposition, lower case, marks left out.
    ///
    /// Unicode keeps all three for the characters that it has (its stability policy), so that the version of a browser counts only for characters that are newer
    /// than the baseline's.
    static func plain(_ scalar: Unicode.Scalar) -> String {
        var points = [Int32](repeating: 0, count: 32)
        var boundary: Int32 = 0
        let options = UTF8PROC_DECOMPOSE.rawValue | UTF8PROC_COMPAT.rawValue
        let count = utf8proc_decompose_char(Int32(bitPattern: scalar.value), &points, points.count, utf8proc_option_t(options), &boundary)
        var result = String.UnicodeScalarView()
        for point in points.prefix(max(count, 0)) {
            guard let one = Unicode.Scalar(UInt32(bitPattern: point)) else { continue }
            result.append(contentsOf: one.properties.lowercaseMapping.unicodeScalars.filter { ![.nonspacingMark, .spacingMark, .enclosingMark].contains($0.properties.generalCategory) })
        }
        return String(result)
    }

    /// Unicode of the oldest browsers of the baseline.
    private static let baseline = (major: 15, minor: 0)
    /// Characters between two runs that make one run of both, at most.
    private static let longestGap = 64

    /// Runs of code points whose folded form is `plain`; characters in them that folding leaves alone are the same in every browser, too.
    private static func computed(_ changed: [Int: String]) -> [(start: Int, count: Int)] {
        func isPlain(_ point: Int) -> Bool {
            guard let scalar = Unicode.Scalar(UInt32(point)), let age = scalar.properties.age, (age.major, age.minor) <= baseline else { return false }
            return Array(plain(scalar).utf8) == Array((changed[point] ?? String(scalar)).utf8)
        }
        var runs: [(start: Int, count: Int)] = []
        for point in changed.keys.sorted() where isPlain(point) {
            if let last = runs.last, point - last.start - last.count <= longestGap, (last.start + last.count..<point).allSatisfy({ !hangul.contains($0) && isPlain($0) }) {
                runs[runs.count - 1].count = point - last.start + 1
            } else {
                runs.append((point, 1))
            }
        }
        return runs
    }

    /// The member of a page of vectors.
    var value: JSONValue {
        func number(_ number: Int) -> JSONValue { .integer(Int64(number)) }
        return .object([
            "shifted": .array(shifted.map { .array([number($0.start), number($0.count), number($0.step), number($0.distance)]) }),
            "same": .array(same.map { .array([number($0.start), number($0.count), .text($0.target)]) }),
            "listed": .array(listed.map { .array([number($0.start), .array($0.targets.map { .text($0) })]) }),
        ])
    }

    /// The module `folding/table.js`. Targets are in lower case, so a capital letter separates them.
    static var module: String {
        let changed = changed()
        let runs = computed(changed)
        let points = Set(runs.flatMap { $0.start..<$0.start + $0.count })
        return FoldingTable(changed.filter { !points.contains($0.key) }).module(besides: runs)
    }

    private func module(besides runs: [(start: Int, count: Int)]) -> String {
        // A backtick alone would look like a text over several lines (`SiteScript`).
        func text(_ text: String) -> String { JSONValue.text(text).description.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "\\u0060") }
        let same = self.same.map { "\($0.start),\($0.count),\(text($0.target))" }.joined(separator: ",")
        let listed = self.listed.map { "\($0.start),\(text($0.targets.joined(separator: "Z")))" }.joined(separator: ",")
        let shifted = self.shifted.map { "\($0.start),\($0.count),\($0.step),\($0.distance)" }.joined(separator: ",")
        precondition(!self.listed.contains { $0.targets.contains { $0.contains("Z") } }, "a folded text has a capital letter")
        return """
            // Written from the folding in Swift (HUDDLE_WRITE_PROTO=1); not edited by hand.

            /**
             * Code points that every browser folds by itself in the same way: first, number.
             * @type {number[]}
             */
            export const COMPUTED = [\(runs.map { "\($0.start),\($0.count)" }.joined(separator: ","))];
            /**
             * Code points with targets at a fixed distance: first, number, step, distance.
             * @type {number[]}
             */
            export const SHIFTED = [\(shifted)];
            /**
             * Consecutive code points with one target: first, number, target.
             * @type {(number | string)[]}
             */
            export const SAME = [\(same)];
            /**
             * Consecutive code points with a target each: first, targets separated by Z.
             * @type {(number | string)[]}
             */
            export const LISTED = [\(listed)];

            """
    }

    /// Texts of families, with signs that folding treats in a special way.
    static let texts = [
        "", "Łódź", "Straße", "STRASSE", "ŒUVRE æon", "Þór Ðagur", "ÅNGSTRÖM", "İstanbul ısı I", "“Camp” ‘Ohio’ „Łódź‟", "ﬁne ½ ㎏ Ⅳ", "한글 서울", "각",
        "ΑΣ ας ΆΣ", "ᏣᎳᎩ ꮳꮃꭹ", "a\u{300}\u{323}e\u{327}", "a\u{AD}b\u{200D}c\u{FE0F}", "x\u{2013}y\u{2014}z\u{2212}w", "a\u{A0}b\u{3000}c\u{2003}d",
        "\u{FDFA}", "👩‍👩‍👧 🇵🇱 ❤️", "𝔘𝕟𝖎𝗰𝘰𝚍𝙚", "\u{10FFFF}\u{FFFF}", "\u{85}\u{2028}\u{9}\n", "ĳ Ĳ ŋ Ŋ ĸ ħ Ħ ŧ Ŧ đ Đ ø Ø",
    ]
}
