import Bytes
package import Family
package import JSON

/// The entries of a change.
package enum ChangeCodec {
    /// - Parameter before: the values that an update replaced, for history.
    package static func encode(_ entry: borrowing ChangeEntry, before: [FieldPatch.Assignment] = [], into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("op")
        switch entry.effect {
        case .create(let athlete, let fields):
            head("create", entry, athlete, into: &writer)
            writer.key("fields")
            FieldsCodec.encode(fields, into: &writer)
        case .update(let assignments):
            head("update", entry, nil, into: &writer)
            writer.key("fields")
            FieldsCodec.encode(assignments, of: entry.kind, form: .record, into: &writer)
        case .delete:
            head("delete", entry, nil, into: &writer)
        case .restore(let athlete, let fields, let createdAt, let createdBy):
            head("restore", entry, athlete, into: &writer)
            writer.key("created_at")
            writer.integer(createdAt)
            writer.key("created_by")
            writer.identifier(createdBy)
            writer.key("fields")
            FieldsCodec.encode(fields, into: &writer)
        }
        if !before.isEmpty {
            writer.key("before")
            FieldsCodec.encode(before, of: entry.kind, form: .record, into: &writer)
        }
        writer.endObject()
    }

    private static func head(
        _ op: StaticString, _ entry: borrowing ChangeEntry, _ athlete: Identifier?, into writer: inout JSONWriter
    ) {
        writer.word(op)
        writer.key("kind")
        writer.string(entry.kind)
        writer.key("id")
        writer.identifier(entry.id)
        if let athlete {
            writer.key("athlete")
            writer.identifier(athlete)
        }
        writer.key("version")
        writer.integer(entry.version)
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> ChangeEntry {
        let start = reader.offset
        var op: String?
        var kind: Kind?
        var id: Identifier?
        var athlete: Identifier?
        var version: Int64?
        var createdAt: Int64?
        var createdBy: Identifier?
        var fields: Fields?
        var assignments: [FieldPatch.Assignment]?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "op": op = try reader.readString()
            case "kind": kind = try reader.readKind()
            case "id": id = try reader.readIdentifier()
            case "athlete": athlete = try reader.readIdentifier()
            case "version": version = try reader.readCount(from: 1)
            case "created_at": createdAt = try reader.readInteger()
            case "created_by": createdBy = try reader.readIdentifier()
            case "fields":
                let kind = try kind.orThrow("kind before fields", &reader)
                if try op.orThrow("op before fields", &reader) == "update" {
                    assignments = try FieldsCodec.readAssignments(kind, &reader)
                } else {
                    fields = try FieldsCodec.read(kind, &reader)
                }
            default: try reader.skipValue()
            }
        }
        guard let op, let kind, let id, let version else { throw .unexpected("a whole entry of a change", at: start) }
        let effect: ChangeEntry.Effect
        switch (op, fields, assignments, createdAt, createdBy) {
        case ("create", let fields?, nil, nil, nil): effect = .create(athlete: athlete, fields: fields)
        case ("update", nil, let assignments?, nil, nil) where athlete == nil: effect = .update(assignments)
        case ("delete", nil, nil, nil, nil) where athlete == nil: effect = .delete
        case ("restore", let fields?, nil, let createdAt?, let createdBy?):
            effect = .restore(athlete: athlete, fields: fields, createdAt: createdAt, createdBy: createdBy)
        default: throw .unexpected("an entry of a change with what its op needs", at: start)
        }
        return ChangeEntry(kind: kind, id: id, version: version, effect: effect)
    }
}
