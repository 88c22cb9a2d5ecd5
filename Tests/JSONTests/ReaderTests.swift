import Bytes
import JSON
import Testing

@Suite("Reader of values")
struct ReaderTests {
    @Test("Integers of the whole range are read", arguments: [
        ("0", 0), ("-0", 0), ("7", 7), ("-1", -1), ("42", 42), ("999999999999999999", 999_999_999_999_999_999),
        ("-999999999999999999", -999_999_999_999_999_999), ("1000000000000000000", 1_000_000_000_000_000_000),
        ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9007199254740993", 9_007_199_254_740_993),
    ] as [(String, Int64)])
    func integers(text: String, value: Int64) throws {
        let read = try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in try reader.readInteger() }
        #expect(read == value)
        let padded = try JSONReader.read(Array(" [ \(text) ]".utf8)) { reader throws(JSONError) in
            var values: [Int64] = []
            try reader.readArray { reader throws(JSONError) in values.append(try reader.readInteger()) }
            return values
        }
        #expect(padded == [value])
    }

    @Test("Numbers that are not 64-bit integers have their own errors", arguments: [
        ("1.0", JSONError.notInteger(at: 0)), ("1e2", .notInteger(at: 0)), ("-1.5E-3", .notInteger(at: 0)), ("0.1", .notInteger(at: 0)),
        ("1234567890123456789012.5", .notInteger(at: 0)), ("9223372036854775808", .outOfRange(at: 0)),
        ("-9223372036854775809", .outOfRange(at: 0)), ("99999999999999999999999", .outOfRange(at: 0)),
        ("01", .syntax("a leading zero", at: 1)), ("-00", .syntax("a leading zero", at: 2)), ("-", .syntax("the text ends too early", at: 1)),
        ("1.", .syntax("the text ends too early", at: 2)), ("1e", .syntax("the text ends too early", at: 2)),
        ("-x", .syntax("expected a digit", at: 1)), ("12a", .syntax("something follows the value", at: 2)),
        ("\"1\"", .unexpected("an integer", at: 0)), ("null", .unexpected("an integer", at: 0)), ("", .syntax("the text ends too early", at: 0)),
    ])
    func noIntegers(text: String, error: JSONError) {
        #expect(errorOf(text) { reader throws(JSONError) in try reader.readInteger() } == error)
    }

    @Test("Strings are read with their escapes resolved", arguments: [
        ("\"\"", ""), ("\"abc\"", "abc"), ("\"\\u0041\\u00e9\\u20AC\"", "Aé€"), ("\"\\ud83d\\ude00!\"", "😀!"), ("\"zażółć gęślą jaźń\"", "zażółć gęślą jaźń"),
        ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{c}\n\r\t"), ("\"a longer text without any escape in it\"", "a longer text without any escape in it"),
        ("\"a longer text with\\none escape in it\"", "a longer text with\none escape in it"), ("\"\\u0000\"", "\0"), ("\"\\uFFFF\"", "\u{FFFF}"),
        ("\"\\udbff\\udfff\"", "\u{10FFFF}"), ("\"\\u007f\\u0080\\u07ff\\u0800\"", "\u{7f}\u{80}\u{7ff}\u{800}"),
    ])
    func strings(text: String, value: String) throws {
        let octets = Array(text.utf8)
        let read = try JSONReader.read(octets) { reader throws(JSONError) in try reader.readString() }
        #expect(Array(read.utf8) == Array(value.utf8))
        #expect(try JSONReader.read(octets) { reader throws(JSONError) in try reader.readOctets() } == Array(value.utf8))
        let lent = try JSONReader.read(octets) { reader throws(JSONError) in
            try reader.readStringOctets { octets throws(JSONError) in Array(octets) }
        }
        #expect(lent == Array(value.utf8))
    }

    @Test("The error names the unexpected type and its position", arguments: ["{}", "[]", "\"x\"", "1", "true", "null"])
    func wrongTypes(text: String) {
        func check(_ wanted: String, unless own: [String], _ read: (inout JSONReader) throws(JSONError) -> Void) {
            guard !own.contains(text) else { return }
            #expect(errorOf("  " + text, read) == .unexpected(wanted, at: 2))
        }
        check("an object", unless: ["{}"]) { reader throws(JSONError) in try reader.readObject { _, _ throws(JSONError) in } }
        check("an array", unless: ["[]"]) { reader throws(JSONError) in try reader.readArray { _ throws(JSONError) in } }
        check("a string", unless: ["\"x\""]) { reader throws(JSONError) in _ = try reader.readString() }
        check("an integer", unless: ["1"]) { reader throws(JSONError) in _ = try reader.readInteger() }
        check("a boolean", unless: ["true"]) { reader throws(JSONError) in _ = try reader.readBool() }
        check("null", unless: ["null"]) { reader throws(JSONError) in try reader.readNull() }
        #expect(errorOf("  ]") { reader throws(JSONError) in try reader.readNull() } == .syntax("expected a value", at: 2))
    }

    @Test("The kind of the next value is reported without consuming it", arguments: [
        ("{}", JSONKind.object), ("[]", .array), ("\"\"", .string), ("0", .integer), ("-1", .integer), ("true", .boolean), ("false", .boolean), ("null", .null),
    ])
    func kinds(text: String, kind: JSONKind) throws {
        try JSONReader.read(Array((" " + text).utf8)) { reader throws(JSONError) in
            #expect(try reader.peekKind() == kind)
            #expect(try reader.peekKind() == kind)
            try reader.skipValue()
        }
    }

    @Test("An object is read by its keys, in order, with null distinct from a value")
    func object() throws {
        var keys: [String] = []
        var name = ""
        var cost: Int64? = 5
        var flags: [Bool] = []
        let text = #"{"name":"Camp","cost":null,"flags":[true, false],"\u0069d":"x"}"#
        try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in
            try reader.readObject { reader, key throws(JSONError) in
                keys.append(key.string)
                switch key {
                case "name": name = try reader.readString()
                case "cost": cost = try reader.skipNull() ? nil : try reader.readInteger()
                case "flags": try reader.readArray { reader throws(JSONError) in flags.append(try reader.readBool()) }
                case "id": try reader.skipValue()
                default: throw .unknownKey(key.string)
                }
            }
        }
        #expect(keys == ["name", "cost", "flags", "id"])
        #expect(name == "Camp")
        #expect(cost == nil)
        #expect(flags == [true, false])
    }

    @Test("A key equals its name and no similar one", arguments: ["n", "name", "start_date", "a_key_of_thirty_octets_in_length"])
    func keys(name: String) throws {
        func compare(_ spelled: String, with other: String) throws -> Bool {
            var isEqual = false
            try JSONReader.read(Array("{\"\(spelled)\":1}".utf8)) { reader throws(JSONError) in
                try reader.readObject { reader, key throws(JSONError) in
                    isEqual = key == other
                    #expect((key == "start_date") == (key.string == "start_date"))
                    try reader.skipValue()
                }
            }
            return isEqual
        }
        #expect(try compare(name, with: name))
        #expect(try compare("\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst(), with: name))
        #expect(try !compare(name, with: ""))
        #expect(try !compare("", with: name))
        #expect(try !compare(name, with: name + "x"))
        for index in name.indices {
            var other = name
            other.replaceSubrange(index...index, with: "#")
            #expect(try !compare(name, with: other))
        }
    }

    @Test("An error thrown by a decoder is passed on unchanged")
    func decoderErrors() {
        let error = errorOf(#"{"a":[1,{"b":2}]}"#) { reader throws(JSONError) in
            try reader.readObject { reader, _ throws(JSONError) in
                try reader.readArray { reader throws(JSONError) in
                    if try reader.peekKind() == .object { throw .invalid("no objects here") }
                    try reader.skipValue()
                }
            }
        }
        #expect(error == .invalid("no objects here"))
    }

    @Test("An identifier is read only in its one form")
    func identifiers() throws {
        let text = "0190d4a2-6d5c-7abc-8def-0123456789ab"
        let read = try JSONReader.read(Array("\"\(text)\"".utf8)) { reader throws(JSONError) in try reader.readIdentifier() }
        #expect(read.description == text)
        for other in ["\"\"", "\"\(text)0\"", "\"\(text.uppercased())\"", "\"{\(text)}\"", "17", "null"] {
            let error = errorOf(" " + other) { reader throws(JSONError) in try reader.readIdentifier() }
            #expect(error?.code == "unexpected_type")
            #expect(error?.offset == 1)
        }
    }

    @Test("A raw value has exactly the octets of the text", arguments: [
        "1.50", "-0.0e+7", "{ \"a\" : [ 1 , 2.5 ] }", "[]", "\"\\u0041\"", "null", "123456789012345678901234567890",
    ])
    func raw(text: String) throws {
        let read = try JSONReader.read(Array("{\"a\": \(text) ,\"b\":1}".utf8)) { reader throws(JSONError) in
            var raw: [UInt8] = []
            var other: Int64 = 0
            try reader.readObject { reader, key throws(JSONError) in
                if key == "a" { raw = Array(try reader.readRaw(maxOctets: text.utf8.count, maxDepth: 2)) } else { other = try reader.readInteger() }
            }
            #expect(other == 1)
            return raw
        }
        #expect(String(decoding: read, as: UTF8.self) == text)
        #expect(errorOf(text) { reader throws(JSONError) in _ = try reader.readRaw(maxOctets: text.utf8.count - 1, maxDepth: 2) } == .tooLong(at: 0))
    }

    @Test("A raw value has its own depth, and the reader's applies again after it")
    func rawDepth() {
        func read(_ text: String, depth: Int) -> JSONError? {
            do throws(JSONError) {
                try JSONReader.read(Array(text.utf8), maxDepth: 2) { reader throws(JSONError) in
                    var count = 0
                    try reader.readArray { reader throws(JSONError) in
                        count += 1
                        if count == 1 { _ = try reader.readRaw(maxOctets: 100, maxDepth: depth) } else { try reader.skipValue() }
                    }
                }
                return nil
            } catch {
                return error
            }
        }
        #expect(read("[[[[1]]],[1]]", depth: 3) == nil)
        #expect(read("[[[[1]]],[1]]", depth: 2) == .tooDeep(at: 3))
        #expect(read("[[[1]],[[1]]]", depth: 3) == .tooDeep(at: 8))
        #expect(read("[1,1]", depth: 0) == nil)
        #expect(read("[[],1]", depth: 0) == .tooDeep(at: 1))
        #expect(read(#"[{"a":{"b":1,"b":2}}]"#, depth: 9) == .duplicateKey("b", at: 13))
    }

    @Test("A limit outside of 0...512 is a programming error")
    func impossibleDepth() async {
        await #expect(processExitsWith: .failure) {
            _ = JSONReader(UnsafeRawBufferPointer(start: nil, count: 0), maxDepth: 513)
        }
    }
}

@Suite("Limits during the walk of a text")
struct WalkTests {
    private func object(keys: Int) -> [UInt8] { Array(("{" + (0..<keys).map { "\"k\($0)\":1" }.joined(separator: ",") + "}").utf8) }

    private func refusal(_ text: [UInt8], maxKeys: Int) -> JSONError? {
        text.withUnsafeBytes { octets in
            do throws(JSONError) {
                try JSONReader.read(octets, maxKeys: maxKeys) { reader throws(JSONError) in try reader.skipValue() }
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("An object has as many keys as allowed and not one more; each object counts separately")
    func keys() {
        #expect(refusal(object(keys: 256), maxKeys: 256) == nil)
        #expect(refusal(object(keys: 257), maxKeys: 256)?.code == "too_many_keys")
        let several = Array("[".utf8) + object(keys: 200) + Array(",".utf8) + object(keys: 200) + Array("]".utf8)
        #expect(refusal(several, maxKeys: 256) == nil)
    }

    @Test("The walk of a value ends at its limit")
    func long() throws {
        // The octets after the limit are not read: they are not JSON.
        for (head, element) in [("[", "1,"), ("{", "")] {
            var text = head
            for number in 0..<100 { text += head == "{" ? "\"k\(number)\":1," : element }
            text += " not JSON"
            let error = #expect(throws: JSONError.self) {
                try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in _ = try reader.readRaw(maxOctets: 50, maxDepth: 4) }
            }
            #expect(error?.code == "too_long", "\(head)")
        }
        // At the limit it is read.
        let length = try JSONReader.read(Array("[[1,2],3]".utf8)) { reader throws(JSONError) in try reader.readRaw(maxOctets: 9, maxDepth: 4).count }
        #expect(length == 9)
    }
}
