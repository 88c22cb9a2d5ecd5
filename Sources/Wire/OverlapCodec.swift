import Bytes
package import Family
package import JSON

/// Overlaps: those that an author accepts, those in a rejection, and the warnings of an answer.
package enum OverlapCodec {
    package static func encode(_ overlap: OverlapOverride, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("reason")
        writer.string(overlap.reason)
        writer.key("pairs")
        writer.beginArray()
        for pair in overlap.pairs {
            writer.beginArray()
            writer.identifier(pair.first)
            writer.identifier(pair.second)
            writer.endArray()
        }
        writer.endArray()
        writer.endObject()
    }

    /// - Parameter isStrict: of a client: members that are not known here are refused.
    static func readOverride(_ reader: inout JSONReader, isStrict: Bool) throws(JSONError) -> OverlapOverride {
        let start = reader.offset
        var reason: String?
        var pairs: [OverlapPair]?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "reason": reason = try reader.readString()
            case "pairs":
                var list: [OverlapPair] = []
                try reader.readArray { reader throws(JSONError) in list.append(try readPair(&reader)) }
                pairs = list
            default:
                guard !isStrict else { throw .unexpected("accepted overlaps: reason, pairs", at: reader.offset) }
                try reader.skipValue()
            }
        }
        guard let reason, let pairs else { throw .unexpected("accepted overlaps with reason and pairs", at: start) }
        return OverlapOverride(reason: reason, pairs: pairs)
    }

    private static func readPair(_ reader: inout JSONReader) throws(JSONError) -> OverlapPair {
        let start = reader.offset
        var ids: [Identifier] = []
        try reader.readArray { reader throws(JSONError) in
            guard ids.count < 2 else { throw .unexpected("two ids", at: start) }
            ids.append(try reader.readIdentifier())
        }
        guard let first = ids.first, let second = ids.last, first != second else { throw .unexpected("two ids", at: start) }
        return OverlapPair(first, second)
    }

    // MARK: Rejections

    static func encode(_ overlap: Overlap, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("item")
        encode(overlap.item, into: &writer)
        writer.key("with")
        encode(overlap.with, into: &writer)
        writer.key("members")
        writer.beginArray()
        for member in overlap.members { writer.identifier(member) }
        writer.endArray()
        writer.endObject()
    }

    private static func encode(_ item: Overlap.Item, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.identifier(item.id)
        writer.key("title")
        writer.string(item.title)
        writer.key("start_time")
        writer.string(item.start)
        writer.key("start_zone")
        writer.string(item.startZone)
        writer.key("end_time")
        writer.string(item.end)
        writer.key("end_zone")
        writer.string(item.endZone)
        writer.endObject()
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> Overlap {
        let start = reader.offset
        var item: Overlap.Item?
        var with: Overlap.Item?
        var members: [Identifier]?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "item": item = try readItem(&reader)
            case "with": with = try readItem(&reader)
            case "members":
                var list: [Identifier] = []
                try reader.readArray { reader throws(JSONError) in list.append(try reader.readIdentifier()) }
                members = list
            default: try reader.skipValue()
            }
        }
        guard let item, let with, let members else { throw .unexpected("a whole overlap", at: start) }
        return Overlap(item: item, with: with, members: members)
    }

    private static func readItem(_ reader: inout JSONReader) throws(JSONError) -> Overlap.Item {
        let begin = reader.offset
        var id: Identifier?
        var title: String?
        var start: String?
        var startZone: String?
        var end: String?
        var endZone: String?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "id": id = try reader.readIdentifier()
            case "title": title = try reader.readString()
            case "start_time": start = try reader.readString()
            case "start_zone": startZone = try reader.readString()
            case "end_time": end = try reader.readString()
            case "end_zone": endZone = try reader.readString()
            default: try reader.skipValue()
            }
        }
        guard let id, let title, let start, let startZone, let end, let endZone else {
            throw .unexpected("a whole item of an overlap", at: begin)
        }
        return Overlap.Item(id: id, title: title, start: start, startZone: startZone, end: end, endZone: endZone)
    }

    // MARK: Warnings

    static func encode(_ warning: MutationWarning, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("code")
        writer.string(warning.code.rawValue)
        writer.key("kind")
        writer.string(warning.kind)
        writer.key("id")
        writer.identifier(warning.id)
        writer.key("with")
        writer.beginObject()
        writer.key("kind")
        writer.string(warning.withKind)
        writer.key("id")
        writer.identifier(warning.withID)
        writer.endObject()
        writer.key("member")
        writer.identifier(warning.member)
        writer.key("message")
        writer.string(warning.message)
        writer.endObject()
    }

    /// - Throws: `.unknownKey` for a warning of a newer server, which a list leaves aside.
    static func readWarning(_ reader: inout JSONReader) throws(JSONError) -> MutationWarning {
        let start = reader.offset
        var code: MutationWarning.Code?
        var kind: Kind?
        var id: Identifier?
        var with: (kind: Kind, id: Identifier)?
        var member: Identifier?
        var message: String?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "code":
                let word = try reader.readString()
                guard let known = MutationWarning.Code(rawValue: word) else { throw .unknownKey(word) }
                code = known
            case "kind": kind = try reader.readKind()
            case "id": id = try reader.readIdentifier()
            case "with":
                guard case .link(let kind, let id) = try ValueCodec.readLink(&reader) else { return }
                with = (kind, id)
            case "member": member = try reader.readIdentifier()
            case "message": message = try reader.readString()
            default: try reader.skipValue()
            }
        }
        guard let code, let kind, let id, let with, let member, let message else { throw .unexpected("a whole warning", at: start) }
        return MutationWarning(
            code: code, kind: kind, id: id, withKind: with.kind, withID: with.id, member: member, message: message)
    }
}
