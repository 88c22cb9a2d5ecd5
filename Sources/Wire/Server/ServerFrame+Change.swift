import Bytes
package import Family
package import JSON

extension ServerFrame {
    struct ChangeParts: ServerFrameParts {
        static let declaration = FrameDeclaration("change", "The change of one mutation. It is on stable storage. Sequences have no gaps.", [
            .init("seq", commonSchema("positive"), "Its place in the family's history."),
            .init("at", commonSchema("instant"), "When it was committed."),
            .init("member", commonSchema("identifier"), "The author."),
            .init("client", commonSchema("identifier"), "The author's client; left out: the server itself.", required: false),
            .init("mutation", commonSchema("positive"), "The author's number for it.", required: false),
            .init("overlap", commonSchema("overlap_override"), "Overlaps that the author accepted.", required: false, feature: .overlaps),
            .init("undoes", commonSchema("positive"), "The change that this one undoes.", required: false, feature: .undo),
            .init("changes", listSchema("change"), "In the order in which they were applied."),
        ], example: #"""
            {"type":"change","seq":121,"at":1776250800000,"member":"01910000-0000-7000-8000-000000000010","client":"01910000-aaaa-7000-8000-0123456789ab","mutation":7,"changes":[{"op":"update","kind":"event","id":"01910000-0000-7000-8000-000000000100","version":4,"fields":{"registered":true}}]}
            """#)

        private var sequence: Int64?
        private var at: Int64?
        private var member: Identifier?
        private var client: Identifier?
        private var mutation: Int64?
        private var overlap: OverlapOverride?
        private var undoes: Int64?
        private var entries: [ChangeEntry]?
        private var unknown = StateChecksum()

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "seq": sequence = try reader.readCount()
            case "at": at = try reader.readInteger()
            case "member": member = try reader.readIdentifier()
            case "client": client = try reader.readIdentifier()
            case "mutation": mutation = try reader.readCount(from: 1)
            case "overlap": overlap = try OverlapCodec.readOverride(&reader, isStrict: false)
            case "undoes": undoes = try reader.readCount(from: 1)
            case "changes": entries = try reader.readList(unknown: &unknown) { reader throws(JSONError) in try ChangeCodec.read(&reader) }
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            var change = Change(
                sequence: try need(sequence, "seq"), at: try need(at, "at"), member: try need(member, "member"), client: client,
                mutation: mutation, overlap: overlap, undoes: undoes, entries: try need(entries, "changes"))
            change.unknown = unknown
            return .change(change)
        }
    }

    /// `encode` of a `change`, without making a frame first.
    package static func encode(_ change: borrowing Change, into writer: inout JSONWriter) {
        writer.reserve(160 + 640 * change.entries.count)
        writer.beginObject()
        writer.key("type")
        writer.word("change")
        writer.key("seq")
        writer.integer(change.sequence)
        writer.key("at")
        writer.integer(change.at)
        writer.key("member")
        writer.identifier(change.member)
        if let client = change.client {
            writer.key("client")
            writer.identifier(client)
        }
        if let mutation = change.mutation {
            writer.key("mutation")
            writer.integer(mutation)
        }
        if let overlap = change.overlap {
            writer.key("overlap")
            OverlapCodec.encode(overlap, into: &writer)
        }
        if let undoes = change.undoes {
            writer.key("undoes")
            writer.integer(undoes)
        }
        writer.key("changes")
        writer.beginArray()
        for entry in change.entries { ChangeCodec.encode(entry, into: &writer) }
        writer.endArray()
        writer.endObject()
    }
}
