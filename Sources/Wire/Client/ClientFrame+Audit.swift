import JSON

/// Acts about sign-ins, rights and copies of a family's data.
package struct AuditRequest: Hashable, Sendable {
    package var request: Int64
    package var before: String?
    /// 1...`Limits.pageRecords`.
    package var limit: Int
    /// A parent's own entries instead of all.
    package var isOwn: Bool

    package init(request: Int64, before: String? = nil, limit: Int, isOwn: Bool = false) {
        self.request = request
        self.before = before
        self.limit = limit
        self.isOwn = isOwn
    }
}

extension ClientFrame {
    struct AuditParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "audit", "Asks for the audit log. Parents read all of it, every other member their own entries. Answer: audit.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("before", commonSchema("word"), "The next of an earlier answer; left out: begin at the newest.", required: false),
                .init("limit", ["type": "integer", "minimum": 1], "The largest number of entries, at most page_records."),
                .init("own", ["type": "boolean"], "True: the own entries only; left out: false.", required: false),
            ], feature: .audit, example: #"{"type":"audit","request":9,"limit":50}"#)

        private var before: String?
        private var limit: Int?
        private var isOwn = false

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "before": before = try content.readMark(&reader)
            case "limit": limit = try content.readLimit(&reader)
            case "own": isOwn = try reader.readBool()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .audit(
                AuditRequest(
                    request: try content.need(content.request, "request"), before: before, limit: try content.need(limit, "limit"), isOwn: isOwn))
        }

        static func encode(_ request: AuditRequest, into writer: inout JSONWriter) {
            writer.word("audit")
            writer.key("request")
            writer.integer(request.request)
            if let before = request.before {
                writer.key("before")
                writer.string(before)
            }
            writer.key("limit")
            writer.integer(request.limit)
            if request.isOwn {
                writer.key("own")
                writer.boolean(true)
            }
        }
    }
}
