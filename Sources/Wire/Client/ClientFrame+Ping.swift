import JSON

extension ClientFrame {
    struct PingParts: ClientFrameParts {
        static let declaration = FrameDeclaration("ping", "Asks for a sign of life. Answer: pong.", [
            .init("request", commonSchema("count"), "Echoed in the answer."),
        ], feature: .ping, example: #"{"type":"ping","request":30}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .ping(request: try content.need(content.request, "request"))
        }

        static func encode(_ request: Int64, into writer: inout JSONWriter) {
            writer.word("ping")
            writer.key("request")
            writer.integer(request)
        }
    }
}
