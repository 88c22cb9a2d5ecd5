import JSON

/// Whether each member may sign in, or needs a parent's act first.
package struct StandingsRequest: Hashable, Sendable {
    package var request: Int64

    package init(request: Int64) { self.request = request }
}

extension ClientFrame {
    struct StandingsParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "standings", "Asks which members may sign in, and for the text of consent in force. Parents see all members, others themselves. Answer: standings.", [
                .init("request", commonSchema("count"), "Echoed in the answer.")
            ], feature: .consent, example: #"{"type":"standings","request":10}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .standings(StandingsRequest(request: try content.need(content.request, "request")))
        }

        static func encode(_ request: StandingsRequest, into writer: inout JSONWriter) {
            writer.word("standings")
            writer.key("request")
            writer.integer(request.request)
        }
    }
}
