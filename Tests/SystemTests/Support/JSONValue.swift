import JSON

/// Any JSON value, for looking at what programs print.
enum JSONValue: Hashable {
    case object([String: JSONValue])
    case array([JSONValue])
    case string(String)
    case integer(Int64)
    case bool(Bool)
    case null

    init(_ text: String) throws {
        self = try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in try JSONValue(&reader) }
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peekKind() {
        case .object:
            var members: [String: JSONValue] = [:]
            try reader.readObject { (reader: inout JSONReader, key) throws(JSONError) in members[key.string] = try JSONValue(&reader) }
            self = .object(members)
        case .array:
            var elements: [JSONValue] = []
            try reader.readArray { (reader: inout JSONReader) throws(JSONError) in elements.append(try JSONValue(&reader)) }
            self = .array(elements)
        case .string: self = .string(try reader.readString())
        case .integer: self = .integer(try reader.readInteger())
        case .boolean: self = .bool(try reader.readBool())
        case .null:
            try reader.readNull()
            self = .null
        }
    }

    subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { return members[key] }
        return nil
    }

    var keys: Set<String> {
        if case .object(let members) = self { return Set(members.keys) }
        return []
    }

    var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    var integer: Int64? {
        if case .integer(let number) = self { return number }
        return nil
    }
}
