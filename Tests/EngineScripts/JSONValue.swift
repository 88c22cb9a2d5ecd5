package import JSON

/// A JSON value whose objects have no order, for scripts and comparisons.
package enum JSONValue: Hashable, Sendable {
    case null
    case flag(Bool)
    case integer(Int64)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// - Throws: for anything but one JSON value whose numbers are integers.
    package init(_ octets: [UInt8]) throws(JSONError) {
        self = try octets.withUnsafeBufferPointer { buffer throws(JSONError) in
            try JSONReader.read(UnsafeRawBufferPointer(buffer), maxDepth: 64) { reader throws(JSONError) in try JSONValue.read(&reader) }
        }
    }

    private static func read(_ reader: inout JSONReader) throws(JSONError) -> JSONValue {
        switch try reader.peekKind() {
        case .null:
            try reader.readNull()
            return .null
        case .boolean: return .flag(try reader.readBool())
        case .integer: return .integer(try reader.readInteger())
        case .string: return .text(try reader.readString())
        case .array:
            var elements: [JSONValue] = []
            try reader.readArray { reader throws(JSONError) in elements.append(try read(&reader)) }
            return .array(elements)
        case .object:
            var members: [String: JSONValue] = [:]
            try reader.readObject { reader, key throws(JSONError) in
                let name = key.string
                members[name] = try read(&reader)
            }
            return .object(members)
        }
    }

    package subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { return members[name] }
        return nil
    }

    package var elements: [JSONValue]? {
        if case .array(let elements) = self { return elements }
        return nil
    }

    package var members: [String: JSONValue]? {
        if case .object(let members) = self { return members }
        return nil
    }

    package var text: String? {
        if case .text(let text) = self { return text }
        return nil
    }

    package var integer: Int64? {
        if case .integer(let number) = self { return number }
        return nil
    }

    package var flag: Bool? {
        if case .flag(let flag) = self { return flag }
        return nil
    }

    /// The value as JSON; `first` is first in the outermost object, and other members in the order of their names,
    /// except that the members which readers of frames need early (`op`, `kind`, `record`, `field`) precede the others.
    package func octets(first: String? = nil) -> [UInt8] {
        var writer = JSONWriter()
        write(to: &writer, first: first)
        return writer.octets
    }

    private static let early = ["op", "kind", "record", "field"]

    private func write(to writer: inout JSONWriter, first: String? = nil) {
        switch self {
        case .null: writer.null()
        case .flag(let flag): writer.boolean(flag)
        case .integer(let number): writer.integer(number)
        case .text(let text): writer.string(text)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            let early = ([first].compactMap(\.self) + Self.early).filter { members[$0] != nil }
            for name in early + members.keys.filter({ !early.contains($0) }).sorted() {
                writer.key(name)
                members[name]?.write(to: &writer)
            }
            writer.endObject()
        }
    }
}

extension JSONValue: CustomStringConvertible {
    package var description: String { String(decoding: octets(), as: UTF8.self) }
}
