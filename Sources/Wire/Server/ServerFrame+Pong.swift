import JSON

extension ServerFrame {
    struct PongParts: ServerFrameParts {
        static let declaration = FrameDeclaration("pong", "Answers ping: the connection carries frames in both directions.", [
            .init("request", commonSchema("count"), "Of the ping."),
        ], feature: .ping, example: #"{"type":"pong","request":30}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool { false }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .pong(request: try need(request, "request"))
        }

        static func encode(_ request: Int64, into writer: inout JSONWriter) {
            writer.word("pong")
            writer.key("request")
            writer.integer(request)
        }
    }
}
