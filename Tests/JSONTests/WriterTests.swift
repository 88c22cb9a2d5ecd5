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

    @Test("Commas and colons stand where they belong")
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

    @Test("Only what must be escaped is escaped", arguments: [
        ("", ""), ("plain", "plain"), ("\"", "\\\""), ("\\", "\\\\"), ("/", "/"), ("\u{8}\u{9}\u{A}\u{C}\u{D}", "\\b\\t\\n\\f\\r"),
        ("\u{0}\u{1}\u{B}\u{1F}", "\\u0000\\u0001\\u000b\\u001f"), ("\u{7F}", "\u{7F}"), ("zażółć 😀 \u{2028}", "zażółć 😀 \u{2028}"),
        ("a text of more than one word with \"quotes\" in it", "a text of more than one word with \\\"quotes\\\" in it"),
    ])
    func escapes(value: String, expected: String) {
        #expect(written { $0.string(value) } == "\"\(expected)\"")
        #expect(written { $0.string(Array(value.utf8)) } == "\"\(expected)\"")
    }

    @Test("Each ASCII octet at each place of a word comes back")
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

    @Test("A writer goes on behind what stands there")
    func appending() {
        var writer = JSONWriter(appendingTo: [1, 2])
        writer.reserve(10)
        writer.integer(5)
        #expect(writer.octets == [1, 2, UInt8(ascii: "5")])
    }
}
