package import Family
import JSON
import Wire

/// Fields in the form of the database: the JSON object of a frame, so that people and other programs see one form.
package enum StoredFields {
    /// The JSON object.
    ///
    /// - Parameter octets: storage for reuse.
    package static func encode(_ fields: Fields, into octets: consuming [UInt8] = []) -> [UInt8] {
        octets.removeAll(keepingCapacity: true)
        var writer = JSONWriter(appendingTo: octets)
        writer.reserve(256)
        FieldsCodec.encode(fields, into: &writer)
        return writer.octets
    }
}

/// Values that an update replaced: `{"was":{"name":"Camp"},"empty":["url"]}`, the second list for fields that were
/// empty.
package enum FormerValues {
    /// The JSON object.
    package static func encode(_ kind: Kind, _ before: [FieldPatch.Assignment]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("was")
        FieldsCodec.encode(filled: before, of: kind, into: &writer)
        writer.key("empty")
        writer.beginArray()
        for assignment in before where assignment.value == nil {
            writer.string(kind.declaration.fields[assignment.field].name)
        }
        writer.endArray()
        writer.endObject()
        return writer.octets
    }

    /// The mark of values that are no longer kept. It is JSON, because archives contain it; `encode` never writes it.
    package static let forgotten = Array("{}".utf8)

    /// Fields that this program does not know are dropped.
    package static func decode(_ kind: Kind, _ octets: [UInt8]) throws(StoreFailure) -> [FieldPatch.Assignment] {
        do throws(JSONError) {
            return try JSONReader.read(octets) { reader throws(JSONError) in
                var before: [FieldPatch.Assignment] = []
                try reader.readObject { reader, key throws(JSONError) in
                    switch key {
                    case "was":
                        before += try FieldsCodec.readAssignments(kind, &reader).filter { $0.value != nil }
                    case "empty":
                        try reader.readArray { reader throws(JSONError) in
                            guard let field = kind.declaration.index(of: try reader.readString()) else { return }
                            before.append(.init(field: field, value: nil))
                        }
                    default: try reader.skipValue()
                    }
                }
                return before
            }
        } catch {
            throw StoreFailure("a stored history row is damaged: \(error.code)")
        }
    }
}
