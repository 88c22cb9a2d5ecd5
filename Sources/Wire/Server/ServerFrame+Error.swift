import Family
import JSON

extension ServerFrame {
    struct ErrorParts: ServerFrameParts {
        static let declaration = FrameDeclaration("error", "A frame other than a mutation was refused.", RejectionCodec.declaration + [
            .init("request", commonSchema("count"), "The number in the frame that it answers.", required: false),
        ], rules: RejectionCodec.retryRules, example: #"""
            {"type":"error","code":"not_joined","message":"Join a family first.","retry":true,"retry_after":100,"request":1}
            """#)

        private var rejection = RejectionCodec.Parts()

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            try rejection.read(name, &reader)
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .error(try rejection.rejection(), request: request)
        }

        static func encode(_ rejection: Rejection, _ request: Int64?, into writer: inout JSONWriter) {
            writer.word("error")
            RejectionCodec.encode(rejection, into: &writer)
            if let request {
                writer.key("request")
                writer.integer(request)
            }
        }
    }
}
