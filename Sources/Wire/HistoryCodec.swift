import Bytes
import Family
import JSON

/// The entries of `history` and `access_log` answers.
enum HistoryCodec {
    static func encode(_ item: borrowing HistoryItem, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("seq")
        writer.integer(item.sequence)
        writer.key("at")
        writer.integer(item.at)
        writer.key("member")
        writer.identifier(item.member)
        writer.key("undoable")
        writer.boolean(item.isUndoable)
        if let undoes = item.undoes {
            writer.key("undoes")
            writer.integer(undoes)
        }
        writer.key("changes")
        writer.beginArray()
        for change in item.changes { ChangeCodec.encode(change.entry, before: change.before, into: &writer) }
        writer.endArray()
        writer.endObject()
    }

    /// Changes of kinds that a newer server added are left aside.
    static func read(_ reader: inout JSONReader) throws(JSONError) -> HistoryItem {
        let start = reader.offset
        var sequence: Int64?
        var at: Int64?
        var member: Identifier?
        var isUndoable: Bool?
        var undoes: Int64?
        var changes: [HistoryItem.Change]?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "seq": sequence = try reader.readCount(from: 1)
            case "at": at = try reader.readInteger()
            case "member": member = try reader.readIdentifier()
            case "undoable": isUndoable = try reader.readBool()
            case "undoes": undoes = try reader.readCount(from: 1)
            case "changes":
                var found: [HistoryItem.Change] = []
                try reader.readArray { reader throws(JSONError) in
                    var attempt = reader
                    do throws(JSONError) {
                        found.append(try readChange(&attempt))
                        reader = attempt
                    } catch {
                        guard case .unknownKey = error else { throw error }
                        try reader.skipValue()
                    }
                }
                changes = found
            default: try reader.skipValue()
            }
        }
        guard let sequence, let at, let member, let isUndoable, let changes else { throw .unexpected("an entry of history", at: start) }
        return HistoryItem(sequence: sequence, at: at, member: member, isUndoable: isUndoable, undoes: undoes, changes: changes)
    }

    private static func readChange(_ reader: inout JSONReader) throws(JSONError) -> HistoryItem.Change {
        // An entry as in a change frame, whose reader leaves aside what it does not know.
        var again = reader
        let entry = try ChangeCodec.read(&reader)
        var before: [FieldPatch.Assignment] = []
        try again.readObject { reader, key throws(JSONError) in
            if key == "before" { before = try FieldsCodec.readAssignments(entry.kind, &reader) } else { try reader.skipValue() }
        }
        return HistoryItem.Change(entry: entry, before: before)
    }

    // MARK: Access log

    static func encode(_ entry: borrowing AccessPage.Entry, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("at")
        writer.integer(entry.at)
        writer.key("athlete")
        writer.identifier(entry.athlete)
        writer.key("member")
        writer.identifier(entry.member)
        writer.key("what")
        writer.string(entry.what)
        if let record = entry.record {
            writer.key("record")
            writer.identifier(record)
        }
        writer.endObject()
    }

    static func readAccess(_ reader: inout JSONReader) throws(JSONError) -> AccessPage.Entry {
        let start = reader.offset
        var at: Int64?
        var athlete: Identifier?
        var member: Identifier?
        var what: String?
        var record: Identifier?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "at": at = try reader.readInteger()
            case "athlete": athlete = try reader.readIdentifier()
            case "member": member = try reader.readIdentifier()
            case "what": what = try reader.readString()
            case "record": record = try reader.readIdentifier()
            default: try reader.skipValue()
            }
        }
        guard let at, let athlete, let member, let what else { throw .unexpected("an entry of the access log", at: start) }
        return AccessPage.Entry(at: at, athlete: athlete, member: member, what: what, record: record)
    }
}
