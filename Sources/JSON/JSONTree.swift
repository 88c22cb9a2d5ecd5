/// A JSON value in memory, for answers whose members differ from one kind to the next. Frames have types of their own.
package enum JSONTree: Hashable, Sendable {
    /// One member of an object.
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSONTree

        package init(key: String, value: JSONTree) {
            self.key = key
            self.value = value
        }
    }

    case null
    case flag(Bool)
    case integer(Int64)
    case text(String)
    case list([JSONTree])
    /// In their order; each key once.
    case object([Member])

    /// An object with these members; those without a value are left out.
    package static func object(of members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
        .object(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
    }

    /// The value of a member; `nil` if this is not an object or has no such member.
    ///
    /// Setting a value replaces the member, or adds it behind the others. Anything but an object stays as it is.
    package subscript(key: String) -> JSONTree? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.key == key }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            let place = members.firstIndex { $0.key == key }
            switch (place, newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): return
            }
            self = .object(members)
        }
    }

    /// The text; `nil` for any other value.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The integer; `nil` for any other value.
    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The flag; `nil` for any other value.
    package var flag: Bool? {
        if case .flag(let flag) = self { flag } else { nil }
    }

    /// The elements; none for anything but a list.
    package var elements: [JSONTree] {
        if case .list(let elements) = self { elements } else { [] }
    }

    /// The members; none for anything but an object.
    package var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    // MARK: Octets

    package func encode(into json: inout JSONWriter) {
        switch self {
        case .null: json.null()
        case .flag(let flag): json.boolean(flag)
        case .integer(let number): json.integer(number)
        case .text(let text): json.string(text)
        case .list(let elements):
            json.beginArray()
            for element in elements { element.encode(into: &json) }
            json.endArray()
        case .object(let members):
            json.beginObject()
            for member in members {
                json.key(member.key)
                member.value.encode(into: &json)
            }
            json.endObject()
        }
    }

    /// One line without its line feed.
    package var octets: [UInt8] {
        var json = JSONWriter()
        encode(into: &json)
        return json.octets
    }

    /// Reads the next value. Numbers are integers.
    package init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peekKind() {
        case .null:
            try reader.readNull()
            self = .null
        case .boolean: self = .flag(try reader.readBool())
        case .integer: self = .integer(try reader.readInteger())
        case .string: self = .text(try reader.readString())
        case .array:
            var elements: [JSONTree] = []
            try reader.readArray { (reader: inout JSONReader) throws(JSONError) in elements.append(try JSONTree(&reader)) }
            self = .list(elements)
        case .object:
            var members: [Member] = []
            try reader.readObject { (reader: inout JSONReader, key) throws(JSONError) in
                members.append(Member(key: key.string, value: try JSONTree(&reader)))
            }
            self = .object(members)
        }
    }

    /// Reads a whole text.
    package init(_ octets: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(octets) { (reader: inout JSONReader) throws(JSONError) in try JSONTree(&reader) }
    }
}
