package import Bytes
package import Family
import JSON

/// An invite that a parent asks for.
package struct InviteRequest: Hashable, Sendable {
    package var request: Int64
    /// Of the invite, drawn by the client.
    package var id: Identifier
    /// 128 random bits, drawn by the client: the code follows from them.
    package var nonce: String
    /// A member without a sign-in, or an invited person; `nil`: a new person.
    package var member: Identifier?
    package var name: String?
    package var role: Role?
    package var email: String?
    /// `YYYY-MM-DD`.
    package var born: String?
    /// Of a guest, `YYYY-MM-DD`.
    package var lastDay: String?

    package init(
        request: Int64, id: Identifier, nonce: String, member: Identifier? = nil, name: String? = nil, role: Role? = nil, email: String? = nil,
        born: String? = nil, lastDay: String? = nil
    ) {
        self.request = request
        self.id = id
        self.nonce = nonce
        self.member = member
        self.name = name
        self.role = role
        self.email = email
        self.born = born
        self.lastDay = lastDay
    }
}

extension ClientFrame {
    struct InviteParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "invite",
            "Invites a person, or makes a new code in place of one that expired or was lost. Answer: invite. Sent again with the same content it gets the same answer.",
            [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("id", commonSchema("identifier"), "Of the invite: a new UUID (version 7) of the client's."),
                .init("nonce", commonSchema("nonce"), "The code follows from it. Kept until the answer is there."),
                .init("member", commonSchema("identifier"), "A member without a sign-in, or an invited person; left out: a new person.", required: false),
                .init("name", ["type": "string"], "Of somebody new.", required: false),
                .init("role", commonSchema("role"), "Of somebody new.", required: false),
                .init("email", ["type": "string"], "The code is accepted with it as well as with the name.", required: false),
                .init("born", ["type": "string"], "Of a new athlete, YYYY-MM-DD. Below 18 the answer has no code.", required: false),
                .init("last_day", ["type": "string"], "Of a new guest, YYYY-MM-DD in the family's zone; left out: the guest stays.", required: false),
            ], feature: .invites,
            example: #"{"type":"invite","request":6,"id":"01910000-0000-7000-8000-000000000030","nonce":"9d1f6b0c3e7a4852c06e5fb18a2d7394","name":"Ruth","role":"guest","email":"ruth@example.org"}"#)

        private var id: Identifier?
        private var nonce: String?
        private var member: Identifier?
        private var name: String?
        private var role: Role?
        private var email: String?
        private var born: String?
        private var lastDay: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "id": id = try reader.readIdentifier()
            case "nonce": nonce = try reader.readNonce()
            case "member": member = try reader.readIdentifier()
            case "name": self.name = try reader.readString()
            case "role": role = try reader.readRole()
            case "email": email = try reader.readString()
            case "born": born = try reader.readString()
            case "last_day": lastDay = try reader.readString()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .invite(
                InviteRequest(
                    request: try content.need(content.request, "request"), id: try content.need(id, "id"), nonce: try content.need(nonce, "nonce"),
                    member: member, name: name, role: role, email: email, born: born, lastDay: lastDay))
        }

        static func encode(_ request: InviteRequest, into writer: inout JSONWriter) {
            writer.word("invite")
            writer.key("request")
            writer.integer(request.request)
            writer.key("id")
            writer.identifier(request.id)
            writer.key("nonce")
            writer.string(request.nonce)
            if let member = request.member {
                writer.key("member")
                writer.identifier(member)
            }
            if let name = request.name {
                writer.key("name")
                writer.string(name)
            }
            if let role = request.role {
                writer.key("role")
                writer.string(role.rawValue)
            }
            if let email = request.email {
                writer.key("email")
                writer.string(email)
            }
            if let born = request.born {
                writer.key("born")
                writer.string(born)
            }
            if let day = request.lastDay {
                writer.key("last_day")
                writer.string(day)
            }
        }
    }
}
