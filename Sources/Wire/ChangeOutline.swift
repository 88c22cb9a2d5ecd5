package import Bytes
package import Family
package import JSON

/// The parts of a stored change that counting needs: its author and its records. Of values it has only the mentions of new
/// messages; reading it takes half of what reading the change takes.
package struct ChangeOutline: Hashable, Sendable {
    package enum Operation: String, Sendable {
        case create, update, delete, restore
    }

    package struct Entry: Hashable, Sendable {
        package var operation: Operation
        package var kind: Kind
        package var id: Identifier
        /// The members whom a new message mentions.
        package var mentions: [Identifier]

        package init(operation: Operation, kind: Kind, id: Identifier, mentions: [Identifier] = []) {
            self.operation = operation
            self.kind = kind
            self.id = id
            self.mentions = mentions
        }
    }

    package var sequence: Int64
    package var at: Int64
    package var member: Identifier
    package var entries: [Entry]

    package init(sequence: Int64, at: Int64, member: Identifier, entries: [Entry]) {
        self.sequence = sequence
        self.at = at
        self.member = member
        self.entries = entries
    }

    package init(_ change: Change) {
        let entries = change.entries.map { entry in
            var mentions: [Identifier] = []
            let operation: Operation
            switch entry.effect {
            case .create(_, let fields):
                operation = .create
                if entry.kind == .message, case .set(let elements)? = fields["mentions"] { mentions = elements.map(\.id) }
            case .update: operation = .update
            case .delete: operation = .delete
            case .restore: operation = .restore
            }
            return Entry(operation: operation, kind: entry.kind, id: entry.id, mentions: mentions)
        }
        self.init(sequence: change.sequence, at: change.at, member: change.member, entries: entries)
    }

    /// A `change` frame that holds what `decode` reads and nothing else: some hundred octets for each entry.
    package func encode() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("type")
        writer.word("change")
        writer.key("seq")
        writer.integer(sequence)
        writer.key("at")
        writer.integer(at)
        writer.key("member")
        writer.identifier(member)
        writer.key("changes")
        writer.beginArray()
        for entry in entries {
            writer.beginObject()
            writer.key("op")
            writer.string(entry.operation.rawValue)
            writer.key("kind")
            writer.string(entry.kind)
            writer.key("id")
            writer.identifier(entry.id)
            if !entry.mentions.isEmpty {
                writer.key("fields")
                writer.beginObject()
                writer.key("mentions")
                writer.beginArray()
                for id in entry.mentions {
                    writer.beginObject()
                    writer.key("id")
                    writer.identifier(id)
                    writer.endObject()
                }
                writer.endArray()
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.octets
    }

    /// - Parameter octets: a `change` frame as the log has it, or an outline.
    /// - Throws: when that is not what it is.
    package static func decode(_ octets: UnsafeRawBufferPointer) throws(JSONError) -> ChangeOutline {
        try JSONReader.read(octets, maxDepth: WireBounds.serverDepth) { reader throws(JSONError) in
            var sequence: Int64?
            var at: Int64?
            var member: Identifier?
            var entries: [Entry]?
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "type":
                    let start = reader.offset
                    guard try reader.readString() == "change" else { throw .unexpected("a change", at: start) }
                case "seq": sequence = try reader.readCount()
                case "at": at = try reader.readInteger()
                case "member": member = try reader.readIdentifier()
                case "changes":
                    var found: [Entry] = []
                    try reader.readArray { reader throws(JSONError) in found.append(try entry(&reader)) }
                    entries = found
                default: try reader.skipValue()
                }
            }
            guard let sequence, let at, let member, let entries else { throw .unexpected("a whole change", at: reader.offset) }
            return ChangeOutline(sequence: sequence, at: at, member: member, entries: entries)
        }
    }

    private static func entry(_ reader: inout JSONReader) throws(JSONError) -> Entry {
        var operation: Operation?
        var kind: Kind?
        var id: Identifier?
        var mentions: [Identifier] = []
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "op": operation = Operation(rawValue: try reader.readString())
            case "kind": kind = try reader.readKind()
            case "id": id = try reader.readIdentifier()
            case "fields" where kind == .message && operation == .create: mentions = try readMentions(&reader)
            default: try reader.skipValue()
            }
        }
        guard let operation, let kind, let id else { throw .unexpected("a whole entry of a change", at: reader.offset) }
        return Entry(operation: operation, kind: kind, id: id, mentions: mentions)
    }

    private static func readMentions(_ reader: inout JSONReader) throws(JSONError) -> [Identifier] {
        var mentions: [Identifier] = []
        try reader.readObject { reader, key throws(JSONError) in
            guard key == "mentions" else { return try reader.skipValue() }
            try reader.readArray { reader throws(JSONError) in
                try reader.readObject { reader, key throws(JSONError) in
                    if key == "id" { mentions.append(try reader.readIdentifier()) } else { try reader.skipValue() }
                }
            }
        }
        return mentions
    }
}
