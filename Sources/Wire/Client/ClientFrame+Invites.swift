import JSON

/// The invites of the family that nobody has accepted.
package struct InvitesRequest: Hashable, Sendable {
    package var request: Int64

    package init(request: Int64) { self.request = request }
}

extension ClientFrame {
    struct InvitesParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "invites", "Asks which invites nobody has accepted. Answer: invites.", [
                .init("request", commonSchema("count"), "Echoed in the answer.")
            ], feature: .invites, example: #"{"type":"invites","request":8}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .invites(InvitesRequest(request: try content.need(content.request, "request")))
        }

        static func encode(_ request: InvitesRequest, into writer: inout JSONWriter) {
            writer.word("invites")
            writer.key("request")
            writer.integer(request.request)
        }
    }
}
