package import Bytes
package import Family
import JSON

/// A request for the changes with their authors, newest first.
package struct HistoryRequest: Hashable, Sendable {
    package struct Target: Hashable, Sendable {
        package var kind: Kind
        package var id: Identifier

        package init(kind: Kind, id: Identifier) {
            self.kind = kind
            self.id = id
        }
    }

    package var request: Int64
    /// `nil`: of the whole family.
    package var record: Target?
    /// Older than this sequence; `nil` begins at the newest.
    package var before: Int64?
    /// 1...`Limits.pageRecords`.
    package var limit: Int

    package init(request: Int64, record: Target? = nil, before: Int64? = nil, limit: Int) {
        self.request = request
        self.record = record
        self.before = before
        self.limit = limit
    }
}

extension ClientFrame {
    struct HistoryParts: ClientFrameParts {
        static let declaration = FrameDeclaration("history", "Asks who changed what, newest first. Answer: history.", [
            .init("request", commonSchema("count"), "Echoed in the answer."),
            .init("record", commonSchema("link"), "Of one record; left out: of the whole family.", required: false),
            .init("before", commonSchema("positive"), "Older than this sequence; left out: begin at the newest.", required: false),
            .init("limit", ["type": "integer", "minimum": 1], "The largest number of entries, at most page_records."),
        ], feature: .history, example: #"""
            {"type":"history","request":3,"record":{"kind":"event","id":"01910000-0000-7000-8000-000000000100"},"before":120,"limit":50}
            """#)

        private var record: HistoryRequest.Target?
        private var before: Int64?
        private var limit: Int?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "record": record = try Self.readTarget(&reader, &content)
            case "before":
                guard try reader.peekKind() != .string else { throw content.refuse(.invalid, "before must be a sequence", field: "before") }
                before = try reader.readCount(from: 1)
            case "limit": limit = try content.readLimit(&reader)
            default: return false
            }
            return true
        }

        private static func readTarget(_ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> HistoryRequest.Target {
            var kind: Kind?
            var id: Identifier?
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "kind": kind = try content.readKind(&reader)
                case "id": id = try reader.readIdentifier()
                default: throw .unexpected("a record: kind, id", at: reader.offset)
                }
            }
            guard let kind, let id else { throw .unexpected("a record with kind and id", at: reader.offset) }
            return HistoryRequest.Target(kind: kind, id: id)
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .history(
                HistoryRequest(
                    request: try content.need(content.request, "request"), record: record, before: before,
                    limit: try content.need(limit, "limit")))
        }

        static func encode(_ request: HistoryRequest, into writer: inout JSONWriter) {
            writer.word("history")
            writer.key("request")
            writer.integer(request.request)
            if let record = request.record {
                writer.key("record")
                writer.beginObject()
                writer.key("kind")
                writer.string(record.kind)
                writer.key("id")
                writer.identifier(record.id)
                writer.endObject()
            }
            if let before = request.before {
                writer.key("before")
                writer.integer(before)
            }
            writer.key("limit")
            writer.integer(request.limit)
        }
    }
}
