import Bytes
import JSON
import Testing

@Suite("Writer, RFC 8259 §7")
struct WriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.octets, as: UTF8.self)
    }

    @Test("The writer puts commas and colons in the right places")
    func structure() {
        let text = written { writer in
            writer.beginObject()
            writer.key("a")
            writer.integer(1)
            writer.key("b")
            writer.beginArray()
            writer.beginArray()
            writer.endArray()
            writer.null()
            writer.boolean(true)
            writer.beginObject()
            writer.endObject()
            writer.string("x")
            writer.endArray()
            writer.key(String("c\"d"))
            writer.raw(Array("{\"e\": 1.5}".utf8))
            writer.key("f")
            writer.boolean(false)
            writer.endObject()
        }
        #expect(text == #"{"a":1,"b":[[],null,true,{},"x"],"c\"d":{"e": 1.5},"f":false}"#)
    }

    @Test("The writer escapes only required characters", arguments: [
        ("", ""), ("plain", "plain"), ("\"", "\\\""), ("\\", "\\\\"), ("/", "/"), ("\u{8}\u{9}\u{A}\u{C}\u{D}", "\\b\\t\\n\\f\\r"),
        ("\u{0}\u{1}\u{B}\u{1F}", "\\u0000\\u0001\\u000b\\u001f"), ("\u{7F}", "\u{7F}"), ("zażółć 😀 \u{2028}", "zażółć 😀 \u{2028}"),
        ("a text of more than one word with \"quotes\" in it", "a text of more than one word with \\\"quotes\\\" in it"),
    ])
    func escapes(value: String, expected: String) {
        #expect(written { $0.string(value) } == "\"\(expected)\"")
        #expect(written { $0.string(Array(value.utf8)) } == "\"\(expected)\"")
    }

    @Test("Each ASCII octet at each position of a word round-trips")
    func places() throws {
        for octet in UInt8(0)..<128 {
            for before in 0..<17 {
                let value = Array(repeating: UInt8(ascii: "a"), count: before) + [octet] + Array("bcdefghij".utf8)
                var writer = JSONWriter()
                writer.string(value)
                let read = try JSONReader.read(writer.octets) { reader throws(JSONError) in try reader.readOctets() }
                #expect(read == value)
            }
        }
    }

    @Test("Integers are written as people write them", arguments: [0, 1, 9, 10, -1, -9, -10, 99, 100, 1_234_567, .max, .min] as [Int64])
    func integers(value: Int64) {
        #expect(written { $0.integer(value) } == String(value))
    }

    @Test("An identifier is written as a string")
    func identifiers() {
        let identifier = Identifier(high: 0x0190_d4a2_6d5c_7abc, low: 0x8def_0123_4567_89ab)
        #expect(written { $0.identifier(identifier) } == "\"0190d4a2-6d5c-7abc-8def-0123456789ab\"")
    }

    @Test("A writer appends to existing content")
    func appending() {
        var writer = JSONWriter(appendingTo: [1, 2])
        writer.reserve(10)
        writer.integer(5)
        #expect(writer.octets == [1, 2, UInt8(ascii: "5")])
    }

    @Test("A quote, an escape or a letter beyond ASCII at each position of a long text round-trips, from text and from escapes")
    func longTexts() throws {
        let plain = String(repeating: "abcdefgh", count: 26)
        for letter in ["\"", "\\", "\n", "\u{1F}", "\u{7F}", "é", "😀"] {
            for place in [0, 1, 8] + Array(28...45) + Array(90...102) + Array(157...175) {
                for width in [place, 97, 160, 161, 175, 208] where place <= width {
                    let text = plain.prefix(place) + letter + plain.dropFirst(place).prefix(width - place)
                    var writer = JSONWriter()
                    writer.string(String(text))
                    #expect(writer.octets == Self.escaped(text), "\(letter) at \(place) of \(width)")
                    // A second one: the escape of the first is before it.
                    var twice = writer.octets.dropLast()
                    twice += writer.octets.dropFirst()
                    let read = try JSONReader.read(Array(twice)) { reader throws(JSONError) in try reader.readString() }
                    #expect(Array(read.utf8) == Array((text + text).utf8), "\(letter) at \(place) of \(width)")
                }
            }
        }
    }

    @Test("An octet that is not UTF-8, or a control character, at each position of a long text is refused")
    func longDamage() {
        let plain = [UInt8](repeating: UInt8(ascii: "a"), count: 180)
        for octet in [0x00, 0x1F, 0x80, 0xC3, 0xFF] as [UInt8] {
            for place in plain.indices {
                var text = plain
                text[place] = octet
                let quote = [UInt8(ascii: "\"")]
                #expect(throws: JSONError.self, "\(octet) at \(place)") {
                    try JSONReader.read(quote + text + quote) { reader throws(JSONError) in try reader.readString() }
                }
            }
        }
    }

    /// RFC 8259 §7, octet by octet.
    private static func escaped(_ text: some StringProtocol) -> [UInt8] {
        var octets = [UInt8(ascii: "\"")]
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): octets += [UInt8(ascii: "\\"), octet]
            case 0x0A: octets += Array("\\n".utf8)
            case 0x1F: octets += Array("\\u001f".utf8)
            default: octets.append(octet)
            }
        }
        return octets + [UInt8(ascii: "\"")]
    }
}
