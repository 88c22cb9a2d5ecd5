package import Family
import JSON

/// Answers `invite` and `withdraw_invite`.
package struct InviteAnswer: Hashable, Sendable {
    package var request: Int64
    package var invite: Invite
    /// To be handed to the person; `nil` where nothing can be redeemed.
    package var code: String?

    package init(request: Int64, invite: Invite, code: String? = nil) {
        self.request = request
        self.invite = invite
        self.code = code
    }
}

extension ServerFrame {
    struct InviteParts: ServerFrameParts {
        static let declaration = FrameDeclaration("invite", "Answers invite and withdraw_invite: the invite as it is now.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("invite", commonSchema("invite"), "As it is now."),
            .init("code", commonSchema("word"), "For the person, to be handed over; left out: nothing can be redeemed.", required: false),
        ], feature: .invites, example: #"""
            {"type":"invite","request":6,"invite":{"id":"01910000-0000-7000-8000-000000000030","member":"01910000-0000-7000-8000-000000000031","role":"guest","name":"Ruth","email":"ruth@example.org","inviter":"01910000-0000-7000-8000-000000000010","created_at":1776250800000,"expires_at":1776855600000,"state":"pending"},"code":"7K3QX-00000-11111-ZZZZZ"}
            """#)

        private var invite: Invite?
        private var code: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "invite": invite = try InviteCodec.read(&reader)
            case "code": code = try reader.readWord()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .invite(InviteAnswer(request: try need(request, "request"), invite: try need(invite, "invite"), code: code))
        }

        static func encode(_ answer: InviteAnswer, into writer: inout JSONWriter) {
            writer.word("invite")
            writer.key("request")
            writer.integer(answer.request)
            writer.key("invite")
            InviteCodec.encode(answer.invite, into: &writer)
            if let code = answer.code {
                writer.key("code")
                writer.string(code)
            }
        }
    }
}
