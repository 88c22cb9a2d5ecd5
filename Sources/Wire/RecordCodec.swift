import Bytes
package import Family
package import JSON

/// A whole record as it travels in snapshots, pages and conflicts.
package enum RecordCodec {
    /// Appends the member `records` to an object that is open.
    static func encode(_ records: [Record], into writer: inout JSONWriter) {
        writer.key("records")
        writer.beginArray()
        for record in records { encode(record, into: &writer) }
        writer.endArray()
    }

    package static func encode(_ record: borrowing Record, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("kind")
        writer.string(record.kind)
        writer.key("id")
        writer.identifier(record.id)
        if let athlete = record.athlete {
            writer.key("athlete")
            writer.identifier(athlete)
        }
        writer.key("version")
        writer.integer(record.version)
        writer.key("created_at")
        writer.integer(record.createdAt)
        writer.key("created_by")
        writer.identifier(record.createdBy)
        writer.key("updated_at")
        writer.integer(record.updatedAt)
        writer.key("updated_by")
        writer.identifier(record.updatedBy)
        if let deletedAt = record.deletedAt {
            writer.key("deleted_at")
            writer.integer(deletedAt)
        }
        writer.key("fields")
        FieldsCodec.encode(record.fields, into: &writer)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    package static func read(_ reader: inout JSONReader) throws(JSONError) -> Record {
        let start = reader.offset
        var kind: Kind?
        var id: Identifier?
        var athlete: Identifier?
        var version: Int64?
        var createdAt: Int64?
        var createdBy: Identifier?
        var updatedAt: Int64?
        var updatedBy: Identifier?
        var deletedAt: Int64?
        var fields: Fields?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "kind": kind = try reader.readKind()
            case "id": id = try reader.readIdentifier()
            case "athlete": athlete = try reader.readIdentifier()
            case "version": version = try reader.readCount(from: 1)
            case "created_at": createdAt = try reader.readInteger()
            case "created_by": createdBy = try reader.readIdentifier()
            case "updated_at": updatedAt = try reader.readInteger()
            case "updated_by": updatedBy = try reader.readIdentifier()
            case "deleted_at": deletedAt = try reader.readInteger()
            case "fields": fields = try FieldsCodec.read(try kind.orThrow("kind before fields", &reader), &reader)
            default: try reader.skipValue()
            }
        }
        guard let kind, let id, let version, let createdAt, let createdBy, let updatedAt, let updatedBy, let fields else {
            throw .unexpected("a whole record", at: start)
        }
        return Record(
            kind: kind, id: id, athlete: athlete, version: version, createdAt: createdAt, createdBy: createdBy,
            updatedAt: updatedAt, updatedBy: updatedBy, deletedAt: deletedAt, fields: fields)
    }
}

extension Optional {
    /// The value, or the error of something that has to stand earlier in the text.
    func orThrow(_ wanted: String, _ reader: inout JSONReader) throws(JSONError) -> Wrapped {
        guard let self else { throw .unexpected(wanted, at: reader.offset) }
        return self
    }
}
