package import Bytes
import JSON

/// An invite that a parent takes back.
package struct WithdrawInviteRequest: Hashable, Sendable {
    package var request: Int64
    package var id: Identifier

    package init(request: Int64, id: Identifier) {
        self.request = request
        self.id = id
    }
}

extension ClientFrame {
    struct WithdrawInviteParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "withdraw_invite", "Withdraws an invite: its code is no longer valid. Answer: invite.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("id", commonSchema("identifier"), "Of the invite."),
            ], feature: .invites, example: #"{"type":"withdraw_invite","request":7,"id":"01910000-0000-7000-8000-000000000030"}"#)

        private var id: Identifier?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "id": id = try reader.readIdentifier()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .withdrawInvite(WithdrawInviteRequest(request: try content.need(content.request, "request"), id: try content.need(id, "id")))
        }

        static func encode(_ request: WithdrawInviteRequest, into writer: inout JSONWriter) {
            writer.word("withdraw_invite")
            writer.key("request")
            writer.integer(request.request)
            writer.key("id")
            writer.identifier(request.id)
        }
    }
}
