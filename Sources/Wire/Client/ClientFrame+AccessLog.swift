import JSON

/// A request for the access log of an athlete's season.
package struct AccessLogRequest: Hashable, Sendable {
    package var request: Int64
    package var before: String?
    /// 1...`Limits.pageRecords`.
    package var limit: Int

    package init(request: Int64, before: String? = nil, limit: Int) {
        self.request = request
        self.before = before
        self.limit = limit
    }
}

extension ClientFrame {
    struct AccessLogParts: ClientFrameParts {
        static let declaration = FrameDeclaration("access_log", "Asks who looked at an athlete's season. Answer: access_log.", [
            .init("request", commonSchema("count"), "Echoed in the answer."),
            .init("before", commonSchema("word"), "The next of an earlier answer; left out: begin at the newest.", required: false),
            .init("limit", ["type": "integer", "minimum": 1], "The largest number of entries, at most page_records."),
        ], feature: .accessLog, example: #"{"type":"access_log","request":5,"limit":50}"#)

        private var before: String?
        private var limit: Int?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "before": before = try content.readMark(&reader)
            case "limit": limit = try content.readLimit(&reader)
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .accessLog(
                AccessLogRequest(request: try content.need(content.request, "request"), before: before, limit: try content.need(limit, "limit")))
        }

        static func encode(_ request: AccessLogRequest, into writer: inout JSONWriter) {
            writer.word("access_log")
            writer.key("request")
            writer.integer(request.request)
            if let before = request.before {
                writer.key("before")
                writer.string(before)
            }
            writer.key("limit")
            writer.integer(request.limit)
        }
    }
}
