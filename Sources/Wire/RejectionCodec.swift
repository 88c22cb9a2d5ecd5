import Bytes
import Family
import JSON

/// The members by which `reject` and `error` say why.
enum RejectionCodec {
    /// The members that have been read.
    struct Parts {
        private var code: String?
        private var message: String?
        private var operation: Int?
        private var kind: Kind?
        private var id: Identifier?
        private var field: String?
        private var retry: Bool?
        private var retryAfter: Int64?
        private var conflict: Conflict?
        private var overlaps: [Overlap] = []
        private var sequence: Int64?

        /// - Returns: false if none of them is called so.
        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "code": code = try reader.readString()
            case "message": message = try reader.readString()
            case "operation": operation = Int(try reader.readCount())
            case "kind": kind = try reader.readKind()
            case "id": id = try reader.readIdentifier()
            case "field": field = try reader.readString()
            case "retry": retry = try reader.readBool()
            case "retry_after": retryAfter = try reader.readCount()
            case "conflict": conflict = try RejectionCodec.readConflict(&reader)
            case "overlaps": overlaps = try reader.readList { reader throws(JSONError) in try OverlapCodec.read(&reader) }
            case "seq": sequence = try reader.readCount()
            default: return false
            }
            return true
        }

        /// A code that a newer server added is read as the plainest one that means the same to a program; the sentence stays.
        func rejection() throws(JSONError) -> Rejection {
            let retry = try need(retry, "retry")
            let known = ErrorCode(rawValue: try need(code, "code"))
            if let known, known.isRetryable != retry, known != .signInFailed || retry != (retryAfter != nil) { throw .invalid("retry is not what \(known.rawValue) says") }
            let message = try need(message, "message")
            var rejection = Rejection(
                known ?? (retry ? .busy : .invalid), message, operation: operation, kind: kind, id: id, field: field, retryAfter: retryAfter,
                conflict: conflict, overlaps: overlaps, sequence: sequence)
            // As the server wrote it.
            rejection.message = message
            return rejection
        }
    }

    static let declaration: [FrameDeclaration.Member] = [
        .init("code", ["$ref": "../common.json#/$defs/code"], "The problem, for programs; errors.json lists all codes."),
        .init("message", ["type": "string"], "The problem, for people."),
        .init("operation", commonSchema("count"), "Position of the operation in the batch, from 0.", required: false),
        .init("kind", commonSchema("kind"), "Of the record that it is about.", required: false),
        .init("id", commonSchema("identifier"), "The record that it is about.", required: false),
        .init("field", ["type": "string"], "The field, by its name.", required: false),
        .init("retry", ["type": "boolean"], "Whether the same request can succeed later."),
        .init("retry_after", commonSchema("wait"), "With every retry that is true, and with no other: milliseconds to wait first.", required: false),
        .init("conflict", commonSchema("conflict"), "With code conflict: the facts to decide it.", required: false),
        .init("overlaps", listSchema("overlap"), "With code overlap: the items that would be at the same time.", required: false, feature: .overlaps),
        .init("seq", commonSchema("positive"), "With code contradicted: the later change that prevents the undo.", required: false, feature: .undo),
    ]

    /// `retry_after` stands beside every `retry` that is true, and beside no other.
    static let retryRules: [SchemaTree] = [
        ["if": ["properties": ["retry": ["const": true]]], "then": ["required": ["retry_after"]]],
        ["if": ["properties": ["retry": ["const": false]]], "then": ["not": ["required": ["retry_after"]]]],
    ]

    /// Appends them to an object that is open.
    static func encode(_ rejection: borrowing Rejection, into writer: inout JSONWriter) {
        writer.key("code")
        writer.string(rejection.code.rawValue)
        writer.key("message")
        writer.string(rejection.message)
        if let operation = rejection.operation {
            writer.key("operation")
            writer.integer(operation)
        }
        if let kind = rejection.kind {
            writer.key("kind")
            writer.string(kind)
        }
        if let id = rejection.id {
            writer.key("id")
            writer.identifier(id)
        }
        if let field = rejection.field {
            writer.key("field")
            writer.string(field)
        }
        writer.key("retry")
        writer.boolean(rejection.isRetryable)
        if let retryAfter = rejection.retryAfter {
            writer.key("retry_after")
            writer.integer(retryAfter)
        }
        if let conflict = rejection.conflict {
            writer.key("conflict")
            encode(conflict, into: &writer)
        }
        if !rejection.overlaps.isEmpty {
            writer.key("overlaps")
            writer.beginArray()
            for overlap in rejection.overlaps { OverlapCodec.encode(overlap, into: &writer) }
            writer.endArray()
        }
        if let sequence = rejection.sequence {
            writer.key("seq")
            writer.integer(sequence)
        }
    }

    private static func encode(_ conflict: Conflict, into writer: inout JSONWriter) {
        let declared = WireKind.of(conflict.record.kind).fields
        writer.beginObject()
        writer.key("record")
        RecordCodec.encode(conflict.record, into: &writer)
        writer.key("fields")
        writer.beginArray()
        for field in conflict.fields {
            writer.beginObject()
            writer.key("field")
            writer.word(declared[field.field].key)
            writer.key("base")
            ValueCodec.writeOrNull(field.base, form: .record, to: &writer)
            writer.key("yours")
            ValueCodec.writeOrNull(field.yours, form: .record, to: &writer)
            writer.key("theirs")
            ValueCodec.writeOrNull(field.theirs, form: .record, to: &writer)
            writer.key("member")
            writer.identifier(field.member)
            writer.key("at")
            writer.integer(field.at)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Reads `{"record":{…},"fields":[…]}`; the record stands first.
    static func readConflict(_ reader: inout JSONReader) throws(JSONError) -> Conflict {
        let start = reader.offset
        var record: Record?
        var fields: [Conflict.Field]?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "record": record = try RecordCodec.read(&reader)
            case "fields":
                let kind = try record.orThrow("record before fields", &reader).kind
                var list: [Conflict.Field] = []
                try reader.readArray { reader throws(JSONError) in list.append(try readField(kind, &reader)) }
                fields = list
            default: try reader.skipValue()
            }
        }
        guard let record, let fields else { throw .unexpected("a whole conflict", at: start) }
        return Conflict(record: record, fields: fields)
    }

    /// `field` stands before the values, whose shape it decides.
    private static func readField(_ kind: Kind, _ reader: inout JSONReader) throws(JSONError) -> Conflict.Field {
        let start = reader.offset
        var index: Int?
        var base: Value?
        var yours: Value?
        var theirs: Value?
        var member: Identifier?
        var at: Int64?
        func value(_ reader: inout JSONReader) throws(JSONError) -> Value? {
            let index = try index.orThrow("field before its values", &reader)
            return try ValueCodec.read(&reader, WireKind.of(kind).fields[index].shape, form: .record)
        }
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "field":
                let name = try reader.readString()
                guard let known = kind.declaration.index(of: name) else { throw .unknownKey(name) }
                index = known
            case "base": base = try value(&reader)
            case "yours": yours = try value(&reader)
            case "theirs": theirs = try value(&reader)
            case "member": member = try reader.readIdentifier()
            case "at": at = try reader.readInteger()
            default: try reader.skipValue()
            }
        }
        guard let index, let member, let at else { throw .unexpected("a whole field of a conflict", at: start) }
        return Conflict.Field(field: index, base: base, yours: yours, theirs: theirs, member: member, at: at)
    }
}
