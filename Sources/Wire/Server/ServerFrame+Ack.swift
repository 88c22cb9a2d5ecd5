package import Bytes
package import Family
package import JSON

package struct Ack: Hashable, Sendable {
    /// The version of a record after the change.
    package struct Version: Hashable, Sendable {
        package var id: Identifier
        package var version: Int64

        package init(id: Identifier, version: Int64) {
            self.id = id
            self.version = version
        }
    }

    package var mutation: Int64
    /// `nil`: the mutation changed nothing.
    package var sequence: Int64?
    /// One for each record that changed, cascades included.
    package var records: [Version]
    /// Effects that the author may not have meant.
    package var warnings: [MutationWarning]

    package init(mutation: Int64, sequence: Int64?, records: [Version], warnings: [MutationWarning] = []) {
        self.mutation = mutation
        self.sequence = sequence
        self.records = records
        self.warnings = warnings
    }
}

extension ServerFrame {
    struct AckParts: ServerFrameParts {
        static let declaration = FrameDeclaration("ack", "The mutation is on stable storage.", [
            .init("mutation", commonSchema("positive"), "Which."),
            .init("seq", commonSchema("positive"), "The change that it made; left out: it changed nothing.", required: false),
            .init("records", listSchema("version"), "The new version of each record that changed."),
            .init("warnings", listSchema("warning"), "Changes that may not be intended.", required: false, feature: .overlaps),
        ], example: #"""
            {"type":"ack","mutation":7,"seq":121,"records":[{"id":"01910000-0000-7000-8000-000000000100","version":4}]}
            """#)

        private var mutation: Int64?
        private var sequence: Int64?
        private var versions: [Ack.Version]?
        private var warnings: [MutationWarning] = []

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "mutation": mutation = try reader.readCount(from: 1)
            case "seq": sequence = try reader.readCount()
            case "records": versions = try reader.readList { reader throws(JSONError) in try Ack.Version(&reader) }
            case "warnings": warnings = try reader.readList { reader throws(JSONError) in try OverlapCodec.readWarning(&reader) }
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .ack(
                Ack(mutation: try need(mutation, "mutation"), sequence: sequence, records: try need(versions, "records"), warnings: warnings))
        }
    }

    /// `encode` of an `ack`, without making a frame first.
    package static func encode(_ ack: borrowing Ack, into writer: inout JSONWriter) {
        writer.reserve(64 + 64 * ack.records.count)
        writer.beginObject()
        writer.key("type")
        writer.word("ack")
        writer.key("mutation")
        writer.integer(ack.mutation)
        if let sequence = ack.sequence {
            writer.key("seq")
            writer.integer(sequence)
        }
        writer.key("records")
        writer.beginArray()
        for record in ack.records {
            writer.beginObject()
            writer.key("id")
            writer.identifier(record.id)
            writer.key("version")
            writer.integer(record.version)
            writer.endObject()
        }
        writer.endArray()
        if !ack.warnings.isEmpty {
            writer.key("warnings")
            writer.beginArray()
            for warning in ack.warnings { OverlapCodec.encode(warning, into: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }
}

extension Ack.Version {
    init(_ reader: inout JSONReader) throws(JSONError) {
        var id: Identifier?
        var version: Int64?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "id": id = try reader.readIdentifier()
            case "version": version = try reader.readCount(from: 1)
            default: try reader.skipValue()
            }
        }
        self.init(id: try need(id, "records.id"), version: try need(version, "records.version"))
    }
}
