import Bytes
import Family
import JSON

/// The `digest` of an answer.
enum DigestCodec {
    /// Without the number of the request, which is in the frame.
    static func encode(_ digest: borrowing DigestAnswer, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("after")
        writer.integer(digest.after)
        writer.key("seq")
        writer.integer(digest.sequence)
        writer.key("complete")
        writer.boolean(digest.isComplete)
        writer.key("changes")
        writer.integer(digest.changes)
        writer.key("kinds")
        writer.beginArray()
        for count in digest.kinds {
            writer.beginObject()
            writer.key("kind")
            writer.string(count.kind)
            writer.key("created")
            writer.integer(count.created)
            writer.key("updated")
            writer.integer(count.updated)
            writer.key("deleted")
            writer.integer(count.deleted)
            writer.key("restored")
            writer.integer(count.restored)
            writer.endObject()
        }
        writer.endArray()
        writer.key("members")
        writer.beginArray()
        for author in digest.authors {
            writer.beginObject()
            writer.key("member")
            writer.identifier(author.member)
            writer.key("changes")
            writer.integer(author.changes)
            writer.endObject()
        }
        writer.endArray()
        writer.key("messages")
        writer.integer(digest.messages)
        writer.key("mentions")
        writer.beginArray()
        for id in digest.mentions { writer.identifier(id) }
        writer.endArray()
        writer.key("records")
        writer.beginArray()
        for record in digest.records {
            writer.beginObject()
            writer.key("kind")
            writer.string(record.kind)
            writer.key("id")
            writer.identifier(record.id)
            writer.key("seq")
            writer.integer(record.sequence)
            writer.key("at")
            writer.integer(record.at)
            writer.key("member")
            writer.identifier(record.member)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Kinds that a newer server added are left aside.
    static func read(_ reader: inout JSONReader) throws(JSONError) -> DigestAnswer {
        let start = reader.offset
        var after: Int64?
        var sequence: Int64?
        var isComplete: Bool?
        var changes: Int?
        var messages: Int?
        var kinds: [DigestAnswer.KindCount] = []
        var authors: [DigestAnswer.Author] = []
        var mentions: [Identifier] = []
        var records: [DigestAnswer.Latest] = []
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "after": after = try reader.readCount()
            case "seq": sequence = try reader.readCount()
            case "complete": isComplete = try reader.readBool()
            case "changes": changes = Int(try reader.readCount())
            case "messages": messages = Int(try reader.readCount())
            case "kinds":
                try reader.readArray { reader throws(JSONError) in
                    let item = try Item(&reader)
                    guard let kind = item.kind else { return }
                    kinds.append(
                        .init(
                            kind: kind, created: item.count("created"), updated: item.count("updated"), deleted: item.count("deleted"),
                            restored: item.count("restored")))
                }
            case "members":
                try reader.readArray { reader throws(JSONError) in
                    let item = try Item(&reader)
                    authors.append(.init(member: try item.member.orThrow("a member", &reader), changes: item.count("changes")))
                }
            case "mentions": try reader.readArray { reader throws(JSONError) in mentions.append(try reader.readIdentifier()) }
            case "records":
                try reader.readArray { reader throws(JSONError) in
                    let item = try Item(&reader)
                    guard let kind = item.kind else { return }
                    records.append(
                        .init(
                            kind: kind, id: try item.id.orThrow("an id", &reader), sequence: item.numbers["seq"] ?? 0,
                            at: item.numbers["at"] ?? 0, member: try item.member.orThrow("a member", &reader)))
                }
            default: try reader.skipValue()
            }
        }
        guard let after, let sequence, let isComplete, let changes, let messages else { throw .unexpected("a whole digest", at: start) }
        return DigestAnswer(
            request: 0, sequence: sequence, after: after, isComplete: isComplete, changes: changes, kinds: kinds, authors: authors,
            messages: messages, mentions: mentions, records: records)
    }

    /// An object of ids, a kind and numbers.
    private struct Item {
        var kind: Kind?
        var id: Identifier?
        var member: Identifier?
        var numbers: [String: Int64] = [:]

        init(_ reader: inout JSONReader) throws(JSONError) {
            var item = (kind: Kind?.none, id: Identifier?.none, member: Identifier?.none, numbers: [String: Int64]())
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "kind": item.kind = Kind(name: try reader.readString())
                case "id": item.id = try reader.readIdentifier()
                case "member": item.member = try reader.readIdentifier()
                default:
                    if try reader.peekKind() == .integer { item.numbers[key.string] = try reader.readCount() } else { try reader.skipValue() }
                }
            }
            (kind, id, member, numbers) = item
        }

        func count(_ name: String) -> Int { Int(clamping: numbers[name] ?? 0) }
    }
}
