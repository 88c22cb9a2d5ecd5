import JSON

extension ServerFrame {
    struct SignedOutParts: ServerFrameParts {
        static let declaration = FrameDeclaration("signed_out", "Answers sign_out; close 4501 follows.", [
            .init("request", commonSchema("count"), "The number in the frame that it answers; only on the connection that asked.", required: false, feature: .requests),
        ], example: #"""
            {"type":"signed_out"}
            """#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            false
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            ServerFrame.signedOut.answering(request)
        }

        static func encode(into writer: inout JSONWriter) {
            writer.word("signed_out")
        }
    }
}
