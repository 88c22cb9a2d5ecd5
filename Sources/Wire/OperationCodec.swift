import Bytes
package import Family
package import JSON

/// Operations as a client writes them.
package enum OperationCodec {
    /// The one spelling of a batch, for the hash by which a mutation that is sent again is known: members in a fixed order,
    /// sets as ids, nothing that says nothing.
    package static func canonicalOctets(_ operations: [Operation]) -> [UInt8] {
        var writer = JSONWriter()
        writer.reserve(256 * operations.count)
        encode(operations, into: &writer)
        return writer.octets
    }

    /// The one spelling of a whole mutation, for the same hash; that of its operations when it is nothing else.
    package static func canonicalOctets(_ mutation: Mutation) -> [UInt8] {
        var octets: [UInt8]
        switch mutation.body {
        case .operations(let operations): octets = canonicalOctets(operations)
        case .undo(let sequence): octets = Array("{\"undo\":\(sequence)}".utf8)
        }
        if let overlap = mutation.overlap {
            var writer = JSONWriter()
            OverlapCodec.encode(overlap, into: &writer)
            octets += writer.octets
        }
        return octets
    }

    package static func encode(_ operations: [Operation], into writer: inout JSONWriter) {
        writer.beginArray()
        for operation in operations { encode(operation, into: &writer) }
        writer.endArray()
    }

    private static func encode(_ operation: Operation, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("op")
        switch operation.action {
        case .create(let athlete, let patch):
            head("create", operation, into: &writer)
            if let athlete {
                writer.key("athlete")
                writer.identifier(athlete)
            }
            writer.key("fields")
            FieldsCodec.encode(patch.assignments, of: operation.kind, form: .operation, into: &writer)
        case .update(let base, let merge, let patch):
            head("update", operation, into: &writer)
            writer.key("base")
            writer.integer(base)
            if merge != .none {
                writer.key("merge")
                writer.string(merge.rawValue)
            }
            if !patch.assignments.isEmpty {
                writer.key("fields")
                FieldsCodec.encode(patch.assignments, of: operation.kind, form: .operation, into: &writer)
            }
            encode(patch.setEdits, \.add, key: "add", of: operation.kind, into: &writer)
            encode(patch.setEdits, \.remove, key: "remove", of: operation.kind, into: &writer)
        case .delete(let base):
            head("delete", operation, into: &writer)
            writer.key("base")
            writer.integer(base)
        case .restore(let base):
            head("restore", operation, into: &writer)
            writer.key("base")
            writer.integer(base)
        case .shift(let base, let days):
            head("shift", operation, into: &writer)
            writer.key("base")
            writer.integer(base)
            writer.key("days")
            writer.integer(days)
        case .copy(let from, let days):
            head("copy", operation, into: &writer)
            writer.key("from")
            writer.identifier(from)
            writer.key("days")
            writer.integer(days)
        }
        writer.endObject()
    }

    private static func head(_ op: StaticString, _ operation: Operation, into writer: inout JSONWriter) {
        writer.word(op)
        writer.key("kind")
        writer.string(operation.kind)
        writer.key("id")
        writer.identifier(operation.id)
    }

    private static func encode(
        _ edits: [FieldPatch.SetEdit], _ side: KeyPath<FieldPatch.SetEdit, [Identifier]>, key: StaticString, of kind: Kind,
        into writer: inout JSONWriter
    ) {
        guard edits.contains(where: { !$0[keyPath: side].isEmpty }) else { return }
        let declared = WireKind.of(kind).fields
        writer.key(key)
        writer.beginObject()
        for edit in edits where !edit[keyPath: side].isEmpty {
            writer.key(declared[edit.field].key)
            writer.beginArray()
            for id in edit[keyPath: side] { writer.identifier(id) }
            writer.endArray()
        }
        writer.endObject()
    }
}
