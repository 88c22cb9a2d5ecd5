import JSON
import TestSupport
import Testing

@Suite("Grammar, RFC 8259 §2 to §7")
struct GrammarTests {
    @Test("Every value of the grammar is accepted", arguments: [
        "null", "true", "false", "0", "-0", "-1", "1.5", "1e2", "1E+2", "1e-2", "-0.0e00", "123456789012345678901234567890",
        "\"\"", "\"a\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\uD83D\\uDE00\"", "\"\u{7f}\"", "\"\u{10FFFF}\"", "\"\u{FFFF}\"",
        "[]", "[ ]", "[1]", "[1,2]", "[[],[[]],{}]", "{}", "{ }", "{\"a\":1}", "{\"\":0}", "{\"a\":{\"a\":{\"a\":[]}}}",
        " \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", "{\t\"a\"\n:\r1 ,\"b\" : 2 }", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "[\"\u{2028}\"]",
    ])
    func accepted(text: String) {
        #expect(refusal(Array(text.utf8)) == nil)
    }

    struct Refused: CustomTestStringConvertible, Sendable {
        var text: String
        var code: String
        var offset: Int
        var testDescription: String { text }
        init(_ text: String, _ offset: Int, _ code: String = "syntax") {
            self.text = text
            self.offset = offset
            self.code = code
        }
    }

    @Test("A text is refused at the position where it stops being JSON", arguments: [
        // Nothing, or not a value.
        Refused("", 0), Refused("   ", 3), Refused("\u{FEFF}{}", 0), Refused("x", 0), Refused(",", 0), Refused("]", 0), Refused(":", 0),
        Refused("'a'", 0), Refused("NaN", 0), Refused("Infinity", 0), Refused("+1", 0), Refused(".5", 0), Refused("//c\n1", 0),
        Refused("\u{0}", 0), Refused("\u{A0}1", 0), Refused("\u{0B}1", 0), Refused("\u{0C}1", 0),
        // Literals.
        Refused("nul", 3), Refused("nulL", 3), Refused("True", 0), Refused("tru", 3), Refused("truth", 3), Refused("falsy", 4),
        Refused("nullx", 4), Refused("true false", 5),
        // Numbers.
        Refused("01", 1), Refused("-01", 2), Refused("00", 1), Refused("-", 1), Refused("--1", 1), Refused("-a", 1), Refused("1.", 2),
        Refused("1.e1", 2), Refused("1e", 2), Refused("1e+", 3), Refused("1ea", 2), Refused("1.5.5", 3), Refused("0x10", 1), Refused("1_0", 1),
        Refused("1 2", 2), Refused("-Infinity", 1), Refused("\u{FF11}", 0),
        // Strings.
        Refused("\"", 1), Refused("\"a", 2), Refused("\"abcdefgh", 9), Refused("\"\\", 2), Refused("\"\\\"", 3), Refused("\"\\x\"", 2),
        Refused("\"\\a\"", 2), Refused("\"\\'\"", 2), Refused("\"\\U0041\"", 2), Refused("\"\\u\"", 1), Refused("\"\\u12\"", 1), Refused("\"\\u12g4\"", 1),
        Refused("\"\\u+123\"", 1), Refused("\"\\ud800\"", 1), Refused("\"\\udc00\"", 1), Refused("\"\\ud800x\"", 1), Refused("\"\\ud800\\n\"", 1),
        Refused("\"\\ud800\\ud800\"", 1), Refused("\"\\ud800\\u0041\"", 1), Refused("\"ab\\ude00\\ud83d\"", 3), Refused("\"\n\"", 1), Refused("\"\t\"", 1),
        Refused("\"\u{0}\"", 1), Refused("\"\u{1F}\"", 1), Refused("\"abcdefghi\u{1}jklmnop\"", 10), Refused("\"a\"b", 3),
        // Arrays.
        Refused("[", 1), Refused("[1", 2), Refused("[1,", 3), Refused("[1,]", 3), Refused("[,1]", 1), Refused("[1,,2]", 3), Refused("[1 2]", 3),
        Refused("[1}", 2), Refused("[1]]", 3), Refused("[1:2]", 2), Refused("[\"a\"", 4), Refused("[*]", 1), Refused("[]]", 2),
        // Objects.
        Refused("{", 1), Refused("{\"a\"", 4), Refused("{\"a\":", 5), Refused("{\"a\":1", 6), Refused("{\"a\":1,", 7), Refused("{\"a\":1,}", 7),
        Refused("{,}", 1), Refused("{a:1}", 1), Refused("{1:1}", 1), Refused("{null:1}", 1), Refused("{\"a\" 1}", 5), Refused("{\"a\",1}", 4),
        Refused("{\"a\":}", 5), Refused("{\"a\":1]", 6), Refused("{\"a\":1 \"b\":2}", 7), Refused("{\"a\":1,,\"b\":2}", 7), Refused("{\"a\"::1}", 5),
        Refused("{'a':1}", 1), Refused("{\"a\":1}}", 7), Refused("{\"a\":1}x", 7), Refused("{\"a\":1}{}", 7), Refused("{\"a\":1}\u{0}", 7),
        Refused("{\"a\":/*c*/1}", 5), Refused("{\"\\ud800\":1}", 2),
        // Duplicate keys, in any spelling.
        Refused("{\"a\":1,\"a\":1}", 7, "duplicate_key"), Refused("{\"a\":1,\"b\":2,\"\\u0061\":3}", 13, "duplicate_key"),
        Refused("{\"\\u0061\":1,\"a\":2}", 12, "duplicate_key"), Refused("{\"\":1,\"\":2}", 6, "duplicate_key"),
        Refused("[{\"x\":{\"b\":1,\"b\":2}}]", 13, "duplicate_key"), Refused("{\"start_date\":1,\"start_date\":2}", 16, "duplicate_key"),
        Refused("{\"abcd\":1,\"abcd\":2}", 10, "duplicate_key"), Refused("{\"a\\/b\":1,\"a/b\":2}", 10, "duplicate_key"),
    ])
    func refused(example: Refused) {
        let error = refusal(Array(example.text.utf8))
        #expect(error?.code == example.code)
        #expect(error?.offset == example.offset)
    }

    @Test("Invalid UTF-8 is refused, short of a word and in the middle of words", arguments: [
        [0x80], [0xBF], [0xFF], [0xFE], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0xAF], [0xE2, 0x82],
        [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0xAF], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
    ] as [[UInt8]])
    func invalidUTF8(octets: [UInt8]) {
        for before in [0, 1, 7, 8, 20] {
            for after in [0, 1, 7, 8, 20] {
                let inside = Array(repeating: UInt8(ascii: "a"), count: before) + octets + Array(repeating: UInt8(ascii: "b"), count: after)
                let string = Array("\"".utf8) + inside + Array("\"".utf8)
                #expect(refusal(string) == .syntax("invalid UTF-8 in a string", at: 0))
                #expect(refusal(Array("{".utf8) + string + Array(":1}".utf8)) == .syntax("invalid UTF-8 in a string", at: 1))
            }
        }
        #expect(refusal(octets)?.code == "syntax")
        #expect(refusal(Array("[1,".utf8) + octets + Array("]".utf8))?.offset == 3)
    }

    @Test("Depth at the limit is accepted, above it refused", arguments: [0, 1, 2, 32, 512])
    func depth(bound: Int) {
        func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        #expect(refusal(nested(bound, "[", "]"), maxDepth: bound) == nil)
        #expect(refusal(nested(bound + 1, "[", "]"), maxDepth: bound) == .tooDeep(at: bound))
        #expect(refusal(nested(bound, "{\"a\":", "}"), maxDepth: bound) == nil)
        #expect(refusal(nested(bound + 1, "{\"a\":", "}"), maxDepth: bound) == .tooDeep(at: 5 * bound))
        #expect(refusal(Array(repeating: UInt8(ascii: "["), count: 100_000), maxDepth: bound) == .tooDeep(at: bound))
        // Siblings do not count as nested.
        if bound > 1 { #expect(refusal(Array("[[],[],[],{},{},[1]]".utf8), maxDepth: bound) == nil) }
    }

    @Test("A duplicate key is found among many", arguments: [2, 16, 31, 32, 33, 34, 40, 1000])
    func manyKeys(count: Int) {
        for keys in [(0..<count).map { "k\($0)" }, (0..<count).map { "a_long_common_front_\($0)_and_end" }] {
            let distinct = "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",")
            #expect(refusal(Array((distinct + "}").utf8)) == nil)
            for again in [0, count / 2, count - 1] {
                let error = refusal(Array((distinct + ",\"\(keys[again])\":1}").utf8))
                #expect(error == .duplicateKey(keys[again], at: distinct.utf8.count + 1))
            }
        }
    }

    @Test("Among many keys in several spellings the first duplicate is found", arguments: 1...30 as ClosedRange<UInt64>)
    func spelledKeys(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        // Half of them have the same ends and length, so that only their middle distinguishes them.
        let pool = (0..<Int(seed) * 500).map { $0 % 2 == 0 ? "k\($0)" : "a_common_front_\(10_000 + $0)_a_common_end" }
        var seen: Set<String> = []
        var text = "{"
        var expected: JSONError?
        while seen.count < 400 {
            let key = pool[Int.random(in: 0..<pool.count, using: &random)]
            let offset = text.utf8.count
            text += Bool.random(using: &random) ? "\"\(key)\":1" : "\"\\u00\(key.hasPrefix("k") ? "6b" : "61")\(key.dropFirst())\":1"
            if !seen.insert(key).inserted {
                expected = .duplicateKey(key, at: offset)
                break
            }
            text += ","
        }
        text += expected == nil ? "\"z\":1}" : "}"
        #expect(refusal(Array(text.utf8)) == expected)
    }

    @Test("Keys that differ only in the middle are different", arguments: ["", "x", "xy", "xyz", "xyzxyzxyzxyz"])
    func similarKeys(end: String) {
        let text = "{\"\(end)a\(end)\":1,\"\(end)b\(end)\":2,\"\(end)aa\(end)\":3,\"\(end)ab\(end)\":4}"
        #expect(refusal(Array(text.utf8)) == nil)
    }
}
