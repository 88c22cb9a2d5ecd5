import JSON

extension ServerFrame {
    struct DrainParts: ServerFrameParts {
        static let declaration = FrameDeclaration("drain", "The server is shutting down; close 4000 follows.", [
            .init("retry_after", commonSchema("wait"), "Milliseconds to wait before the client connects again. Each client has another time."),
        ], feature: .drain, example: #"""
            {"type":"drain","retry_after":1840}
            """#)

        private var retryAfter: Int64?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "retry_after": retryAfter = try reader.readCount()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .drain(retryAfter: try need(retryAfter, "retry_after"))
        }

        static func encode(retryAfter: Int64, into writer: inout JSONWriter) {
            writer.word("drain")
            writer.key("retry_after")
            writer.integer(retryAfter)
        }
    }
}
