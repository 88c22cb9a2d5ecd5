import JSON

/// A request for a summary of the changes since a member last looked.
package struct DigestRequest: Hashable, Sendable {
    package var request: Int64
    /// `nil`: since the member's own reading position.
    package var after: Int64?

    package init(request: Int64, after: Int64? = nil) {
        self.request = request
        self.after = after
    }
}

extension ClientFrame {
    struct DigestParts: ClientFrameParts {
        static let declaration = FrameDeclaration("digest", "Asks what happened since. Answer: digest.", [
            .init("request", commonSchema("count"), "Echoed in the answer."),
            .init("after", commonSchema("count"), "After this sequence; left out: after one's own reading position.", required: false),
        ], feature: .digest, example: #"{"type":"digest","request":4,"after":120}"#)

        private var after: Int64?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "after": after = try reader.readCount()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .digest(DigestRequest(request: try content.need(content.request, "request"), after: after))
        }

        static func encode(_ request: DigestRequest, into writer: inout JSONWriter) {
            writer.word("digest")
            writer.key("request")
            writer.integer(request.request)
            if let after = request.after {
                writer.key("after")
                writer.integer(after)
            }
        }
    }
}
