package import Family
package import JSON

/// The fields of a record as a JSON object, in the order of the declaration, empty ones left out.
package enum FieldsCodec {
    package static func encode(_ fields: Fields, into writer: inout JSONWriter) {
        let declared = WireKind.of(fields.kind).fields
        writer.beginObject()
        for index in declared.indices {
            guard let value = fields[index] else { continue }
            writer.key(declared[index].key)
            ValueCodec.write(value, form: .record, to: &writer)
        }
        writer.endObject()
    }

    /// Reads what `encode` wrote, perhaps by a newer program: a field that this one does not know is left out, so that an
    /// older program can open a newer database. The value of a known field must have its shape.
    package static func decode(_ kind: Kind, _ octets: UnsafeRawBufferPointer) throws(JSONError) -> Fields {
        try JSONReader.read(octets, maxDepth: WireBounds.serverDepth) { reader throws(JSONError) in
            try read(kind, &reader)
        }
    }

    package static func decode(_ kind: Kind, _ octets: [UInt8]) throws(JSONError) -> Fields {
        try octets.withUnsafeBufferPointer { buffer throws(JSONError) in try decode(kind, UnsafeRawBufferPointer(buffer)) }
    }

    static func read(_ kind: Kind, _ reader: inout JSONReader) throws(JSONError) -> Fields {
        var fields = Fields(kind)
        let declared = WireKind.of(kind)
        var hint = 0
        try reader.readObject { reader, key throws(JSONError) in
            guard let index = declared.index(of: key, near: hint) else { return try reader.skipValue() }
            fields[index] = try ValueCodec.read(&reader, declared.fields[index].shape, form: .record)
            hint = index + 1
        }
        return fields
    }

    /// Some fields with the values that they had, without those that were empty.
    package static func encode(filled assignments: [FieldPatch.Assignment], of kind: Kind, into writer: inout JSONWriter) {
        let declared = WireKind.of(kind).fields
        writer.beginObject()
        for assignment in assignments {
            guard let value = assignment.value else { continue }
            writer.key(declared[assignment.field].key)
            ValueCodec.write(value, form: .record, to: &writer)
        }
        writer.endObject()
    }

    /// Fields with their new values, `null` for a field that is empty now.
    static func encode(_ assignments: [FieldPatch.Assignment], of kind: Kind, form: ValueForm, into writer: inout JSONWriter) {
        let declared = WireKind.of(kind).fields
        writer.beginObject()
        for assignment in assignments {
            writer.key(declared[assignment.field].key)
            ValueCodec.writeOrNull(assignment.value, form: form, to: &writer)
        }
        writer.endObject()
    }

    /// Reads some fields with their values; one that this program does not know is left out.
    package static func readAssignments(_ kind: Kind, _ reader: inout JSONReader) throws(JSONError) -> [FieldPatch.Assignment] {
        var assignments: [FieldPatch.Assignment] = []
        let declared = WireKind.of(kind)
        var hint = 0
        try reader.readObject { reader, key throws(JSONError) in
            guard let index = declared.index(of: key, near: hint) else { return try reader.skipValue() }
            assignments.append(.init(field: index, value: try ValueCodec.read(&reader, declared.fields[index].shape, form: .record)))
            hint = index + 1
        }
        assignments.sort { $0.field < $1.field }
        return assignments
    }
}
