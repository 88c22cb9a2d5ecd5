import Bytes
import Family
package import JSON

/// The writer of a value: sets are ids in requests of authors, and have names and roles in frames of the server.
enum ValueForm {
    case operation
    case record
}

/// The value of one field in a frame.
enum ValueCodec {
    /// Reads a value of the declared shape; `null` is `nil`.
    ///
    /// - Throws: errors of the grammar; `.unexpected` and its like for another shape; `.unknownKey` for a link to a kind unknown here.
    static func read(_ reader: inout JSONReader, _ shape: WireField.Shape, form: ValueForm) throws(JSONError) -> Value? {
        if try reader.skipNull() { return nil }
        switch shape {
        case .text: return .text(try reader.readString())
        case .integer: return .integer(try reader.readInteger())
        case .flag: return .flag(try reader.readBool())
        case .reference: return .reference(try reader.readIdentifier())
        case .link: return try readLink(&reader)
        case .set: return .set(try readElements(&reader, form: form))
        case .json(let maxOctets, let maxDepth):
            guard try reader.peekKind() == .object else { throw .unexpected("an object", at: reader.offset) }
            return .json(Array(try reader.readRaw(maxOctets: maxOctets, maxDepth: maxDepth)))
        }
    }

    static func write(_ value: Value, form: ValueForm, to writer: inout JSONWriter) {
        switch value {
        case .text(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        case .flag(let flag): writer.boolean(flag)
        case .reference(let id): writer.identifier(id)
        case .link(let kind, let id):
            writer.beginObject()
            writer.key("kind")
            writer.string(kind)
            writer.key("id")
            writer.identifier(id)
            writer.endObject()
        case .set(let elements):
            writer.beginArray()
            for element in elements { write(element, form: form, to: &writer) }
            writer.endArray()
        case .json(let octets): writer.raw(octets)
        }
    }

    static func writeOrNull(_ value: Value?, form: ValueForm, to writer: inout JSONWriter) {
        if let value { write(value, form: form, to: &writer) } else { writer.null() }
    }

    /// The elements of a set. Authors may write an id or an object with one, so that they can send back what they were shown;
    /// names and roles in it are the server's and are not taken over.
    static func readElements(_ reader: inout JSONReader, form: ValueForm) throws(JSONError) -> [SetElement] {
        var elements: [SetElement] = []
        try reader.readArray { reader throws(JSONError) in
            if form == .operation, try reader.peekKind() == .string {
                elements.append(SetElement(id: try reader.readIdentifier()))
                return
            }
            var id: Identifier?
            var name = ""
            var role = ""
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "id": id = try reader.readIdentifier()
                case "name": name = try reader.readString()
                case "role": role = try reader.readString()
                default: throw .unexpected("an element of a set: id, name, role", at: reader.offset)
                }
            }
            guard let id else { throw .unexpected("an element with an id", at: reader.offset) }
            elements.append(form == .operation ? SetElement(id: id) : SetElement(id: id, name: name, role: role))
        }
        return elements
    }

    private static func write(_ element: SetElement, form: ValueForm, to writer: inout JSONWriter) {
        guard form == .record else { return writer.identifier(element.id) }
        writer.beginObject()
        writer.key("id")
        writer.identifier(element.id)
        if !element.name.isEmpty {
            writer.key("name")
            writer.string(element.name)
        }
        if !element.role.isEmpty {
            writer.key("role")
            writer.string(element.role)
        }
        writer.endObject()
    }

    static func readLink(_ reader: inout JSONReader) throws(JSONError) -> Value {
        var kind: Kind?
        var id: Identifier?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "kind": kind = try reader.readKind()
            case "id": id = try reader.readIdentifier()
            default: throw .unexpected("a link: kind, id", at: reader.offset)
            }
        }
        guard let kind, let id else { throw .unexpected("a link with kind and id", at: reader.offset) }
        return .link(kind, id)
    }
}

extension JSONReader {
    /// - Throws: `.unknownKey` with the word for a kind that this program does not know.
    mutating func readKind() throws(JSONError) -> Kind {
        let name = try readString()
        guard let kind = Kind(name: name) else { throw .unknownKey(name) }
        return kind
    }

    /// An integer of 0 (or `least`) to 2^53−1.
    mutating func readCount(from least: Int64 = 0) throws(JSONError) -> Int64 {
        let start = offset
        let number = try readInteger()
        guard number >= least, number <= WireBounds.integer else { throw .outOfRange(at: start) }
        return number
    }

    /// A word of ours: token, code, epoch, mark.
    mutating func readWord() throws(JSONError) -> String {
        let start = offset
        let word = try readString()
        guard !word.isEmpty else { throw .unexpected("a word", at: start) }
        guard word.utf8.count <= WireBounds.wordOctets else { throw .tooLong(at: start) }
        return word
    }

    /// A client's secret: 128 random bits as 32 hexadecimal digits in lower case.
    mutating func readNonce() throws(JSONError) -> String {
        let start = offset
        let nonce = try readString()
        guard nonce.utf8.count == WireBounds.nonceDigits, Hex.decode(nonce) != nil else {
            throw .unexpected("32 hexadecimal digits in lower case", at: start)
        }
        return nonce
    }

    /// `"all"` or the id of an athlete.
    mutating func readContext() throws(JSONError) -> Context {
        let start = offset
        let text = try readString()
        if text == "all" { return .all }
        guard let id = Identifier(text) else { throw .unexpected("\"all\" or the id of an athlete", at: start) }
        return .athlete(id)
    }

    mutating func readRole() throws(JSONError) -> Role {
        let start = offset
        guard let role = Role(rawValue: try readString()) else { throw .unexpected("athlete, parent or guest", at: start) }
        return role
    }
}

extension JSONWriter {
    mutating func string(_ kind: Kind) { word(kind.name) }

    /// A word of ours that needs no escapes.
    package mutating func word(_ word: StaticString) {
        string(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    mutating func context(_ context: Context) {
        switch context {
        case .all: word("all")
        case .athlete(let id): identifier(id)
        }
    }
}
