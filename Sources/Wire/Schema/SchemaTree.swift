import JSON

/// A JSON value whose members keep their order, for documents that people read.
package indirect enum SchemaTree: Sendable {
    case object([(String, SchemaTree)])
    case array([SchemaTree])
    case string(String)
    case integer(Int64)
    case flag(Bool)
    case null

    /// The value as text: two spaces a level, short lists and objects on one line, a line feed at the end.
    package var octets: [UInt8] {
        var text = ""
        append(to: &text, indent: 0)
        return Array((text + "\n").utf8)
    }

    /// Widest value that stays on its line.
    private static let width = 100

    private func append(to text: inout String, indent: Int) {
        let line = compact
        if isFlat, line.utf8.count <= SchemaTree.width {
            text += line
            return
        }
        let inner = String(repeating: " ", count: indent + 2)
        let outer = String(repeating: " ", count: indent)
        switch self {
        case .object(let members):
            text += "{\n"
            for (index, member) in members.enumerated() {
                text += inner + SchemaTree.quoted(member.0) + ": "
                member.1.append(to: &text, indent: indent + 2)
                text += index + 1 < members.count ? ",\n" : "\n"
            }
            text += outer + "}"
        case .array(let elements):
            text += "[\n"
            for (index, element) in elements.enumerated() {
                text += inner
                element.append(to: &text, indent: indent + 2)
                text += index + 1 < elements.count ? ",\n" : "\n"
            }
            text += outer + "]"
        default: text += line
        }
    }

    /// Whether it holds no object that holds another one.
    private var isFlat: Bool {
        switch self {
        case .object(let members): members.allSatisfy { $0.1.isLeaf }
        case .array(let elements): elements.allSatisfy { $0.isLeaf || $0.isFlatObject }
        default: true
        }
    }

    private var isLeaf: Bool {
        switch self {
        case .object: false
        case .array(let elements): elements.allSatisfy { if case .object = $0 { false } else { true } }
        default: true
        }
    }

    private var isFlatObject: Bool {
        if case .object(let members) = self { return members.count <= 1 && members.allSatisfy { $0.1.isLeaf } }
        return false
    }

    private var compact: String {
        switch self {
        case .object(let members):
            "{" + members.map { SchemaTree.quoted($0.0) + ": " + $0.1.compact }.joined(separator: ", ") + "}"
        case .array(let elements): "[" + elements.map(\.compact).joined(separator: ", ") + "]"
        case .string(let text): SchemaTree.quoted(text)
        case .integer(let number): String(number)
        case .flag(let flag): flag ? "true" : "false"
        case .null: "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension SchemaTree: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .flag(value) }
    package init(dictionaryLiteral members: (String, SchemaTree)...) { self = .object(members) }
    package init(arrayLiteral elements: SchemaTree...) { self = .array(elements) }
}

extension SchemaTree {
    /// Reads a text of ours, such as the example of a frame; anything else traps.
    static func json(_ text: String) -> SchemaTree {
        do throws(JSONError) {
            return try Array(text.utf8).withUnsafeBufferPointer { buffer throws(JSONError) in
                try JSONReader.read(UnsafeRawBufferPointer(buffer)) { reader throws(JSONError) in try SchemaTree(&reader) }
            }
        } catch {
            preconditionFailure("\(error) in \(text)")
        }
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peekKind() {
        case .object:
            var members: [(String, SchemaTree)] = []
            try reader.readObject { reader, key throws(JSONError) in
                let name = key.string
                members.append((name, try SchemaTree(&reader)))
            }
            self = .object(members)
        case .array:
            var elements: [SchemaTree] = []
            try reader.readArray { reader throws(JSONError) in elements.append(try SchemaTree(&reader)) }
            self = .array(elements)
        case .string: self = .string(try reader.readString())
        case .integer: self = .integer(try reader.readInteger())
        case .boolean: self = .flag(try reader.readBool())
        case .null:
            try reader.readNull()
            self = .null
        }
    }
}
