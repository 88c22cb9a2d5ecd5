import Bytes
import Glibc
import JSON
import TestSupport

/// A whole JSON text as a value, for comparison.
indirect enum Document: Equatable {
    case object([Member])
    case array([Document])
    case string(String)
    case integer(Int64)
    case boolean(Bool)
    case null

    struct Member: Equatable {
        var key: String
        var value: Document
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> Document {
        switch try reader.peekKind() {
        case .object:
            var members: [Member] = []
            try reader.readObject { reader, key throws(JSONError) in
                members.append(Member(key: key.string, value: try read(&reader)))
            }
            return .object(members)
        case .array:
            var elements: [Document] = []
            try reader.readArray { reader throws(JSONError) in elements.append(try read(&reader)) }
            return .array(elements)
        case .string: return .string(try reader.readString())
        case .integer: return .integer(try reader.readInteger())
        case .boolean: return .boolean(try reader.readBool())
        case .null:
            try reader.readNull()
            return .null
        }
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(member.key)
                member.value.write(to: &writer)
            }
            writer.endObject()
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .string(let value): writer.string(value)
        case .integer(let value): writer.integer(value)
        case .boolean(let value): writer.boolean(value)
        case .null: writer.null()
        }
    }

    /// Writes every string with random escapes, and random white space everywhere: another form of the same.
    func spelled(with random: inout SplitMix64) -> String {
        func space() -> String {
            guard random.next() % 4 == 0 else { return "" }
            return String([" ", "\t", "\n", "\r"][Int(random.next() % 4)])
        }
        func quoted(_ text: String) -> String {
            var result = "\""
            for scalar in text.unicodeScalars {
                let short: [UInt32: String] = [8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: "\\\"", 47: "\\/", 92: "\\\\"]
                if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || random.next() % 3 == 0 {
                    if let escape = short[scalar.value], random.next() % 2 == 0 {
                        result += escape
                    } else {
                        for unit in String(scalar).utf16 {
                            let digits = String(unit, radix: 16, uppercase: random.next() % 2 == 0)
                            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                        }
                    }
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
            return result + "\""
        }
        switch self {
        case .object(let members):
            var parts: [String] = []
            for member in members {
                parts.append(space() + quoted(member.key) + space() + ":" + space() + member.value.spelled(with: &random) + space())
            }
            return "{" + space() + parts.joined(separator: ",") + "}"
        case .array(let elements):
            var parts: [String] = []
            for element in elements { parts.append(space() + element.spelled(with: &random) + space()) }
            return "[" + space() + parts.joined(separator: ",") + "]"
        case .string(let value): return quoted(value)
        case .integer(let value): return String(value)
        case .boolean(let value): return value ? "true" : "false"
        case .null: return "null"
        }
    }

    static func random(_ random: inout SplitMix64, depth: Int = 5) -> Document {
        switch random.next() % (depth > 0 ? 8 : 5) {
        case 0: return .null
        case 1: return .boolean(random.next() % 2 == 0)
        case 2: return .integer(Int64(bitPattern: random.next()) >> Int64(random.next() % 64))
        case 3, 4: return .string(randomString(&random))
        case 5: return .array((0..<random.next() % 6).map { _ in .random(&random, depth: depth - 1) })
        default:
            var members: [Member] = []
            for _ in 0..<(random.next() % 8 == 0 ? 40 : random.next() % 6) {
                let key = randomString(&random)
                // By octets, as JSON compares: a Swift String would treat "é" and "e\u{301}" as equal.
                guard !members.contains(where: { Array($0.key.utf8) == Array(key.utf8) }) else { continue }
                members.append(Member(key: key, value: .random(&random, depth: depth - 1)))
            }
            return .object(members)
        }
    }

    static func randomString(_ random: inout SplitMix64) -> String {
        var text = ""
        for _ in 0..<random.next() % (random.next() % 4 == 0 ? 60 : 12) {
            let limit: [UInt32] = [0x20, 0x80, 0x80, 0x80, 0x800, 0x10000, 0x110000]
            let value = UInt32(truncatingIfNeeded: random.next()) % limit[Int(random.next() % 7)]
            text.unicodeScalars.append(Unicode.Scalar(value) ?? "\u{FFFD}")
        }
        return text
    }
}

/// Reads a whole text into a document.
func document(_ octets: [UInt8], maxDepth: Int = 32) throws(JSONError) -> Document {
    try JSONReader.read(octets, maxDepth: maxDepth) { reader throws(JSONError) in try Document.read(&reader) }
}

/// The error with which a whole text is refused if any value is allowed, `nil` if it is accepted.
func refusal(_ octets: [UInt8], maxDepth: Int = 32) -> JSONError? {
    do throws(JSONError) {
        try JSONReader.read(octets, maxDepth: maxDepth) { reader throws(JSONError) in try reader.skipValue() }
        return nil
    } catch {
        return error
    }
}

/// The error that `body` throws.
func errorOf<Value>(_ text: String, _ body: (inout JSONReader) throws(JSONError) -> Value) -> JSONError? {
    do throws(JSONError) {
        _ = try JSONReader.read(Array(text.utf8), body)
        return nil
    } catch {
        return error
    }
}
