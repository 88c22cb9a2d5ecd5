import JSON

/// A JSON value as a validator needs it. Numbers that are not integers have no value: no schema of ours allows one.
enum JSONTree: Hashable, Sendable {
    case object([String: JSONTree])
    case array([JSONTree])
    case string(String)
    case integer(Int64)
    case fraction
    case boolean(Bool)
    case null

    init(_ octets: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(octets, maxDepth: 64) { reader throws(JSONError) in try JSONTree(&reader) }
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peekKind() {
        case .object:
            var members: [String: JSONTree] = [:]
            try reader.readObject { reader, key throws(JSONError) in members[key.string] = try JSONTree(&reader) }
            self = .object(members)
        case .array:
            var elements: [JSONTree] = []
            try reader.readArray { reader throws(JSONError) in elements.append(try JSONTree(&reader)) }
            self = .array(elements)
        case .string: self = .string(try reader.readString())
        case .integer:
            var ahead = reader
            if let number = try? ahead.readInteger() {
                self = .integer(number)
                reader = ahead
            } else {
                try reader.skipValue()
                self = .fraction
            }
        case .boolean: self = .boolean(try reader.readBool())
        case .null:
            try reader.readNull()
            self = .null
        }
    }

    var members: [String: JSONTree]? { if case .object(let members) = self { members } else { nil } }
    var elements: [JSONTree]? { if case .array(let elements) = self { elements } else { nil } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var number: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The word that `type` of a schema has for it.
    var type: String {
        switch self {
        case .object: "object"
        case .array: "array"
        case .string: "string"
        case .integer: "integer"
        case .fraction: "number"
        case .boolean: "boolean"
        case .null: "null"
        }
    }
}
