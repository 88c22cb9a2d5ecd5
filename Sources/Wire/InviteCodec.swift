import Bytes
import Family
import JSON

/// An invite within a frame.
enum InviteCodec {
    static func encode(_ invite: Invite, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.identifier(invite.id)
        writer.key("member")
        writer.identifier(invite.member)
        writer.key("role")
        writer.string(invite.role.rawValue)
        writer.key("name")
        writer.string(invite.name)
        if let email = invite.email {
            writer.key("email")
            writer.string(email)
        }
        if let inviter = invite.inviter {
            writer.key("inviter")
            writer.identifier(inviter)
        }
        writer.key("created_at")
        writer.integer(invite.createdAt)
        writer.key("expires_at")
        writer.integer(invite.expiresAt)
        writer.key("state")
        writer.string(invite.state.rawValue)
        if let day = invite.lastDay {
            writer.key("last_day")
            writer.string(day)
        }
        if let mail = invite.mail {
            writer.key("mail")
            writer.string(mail.rawValue)
        }
        writer.endObject()
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> Invite {
        let start = reader.offset
        var id: Identifier?
        var member: Identifier?
        var role: Role?
        var name: String?
        var email: String?
        var inviter: Identifier?
        var createdAt: Int64?
        var expiresAt: Int64?
        var state: Invite.State?
        var lastDay: String?
        var mail: InviteMail?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "id": id = try reader.readIdentifier()
            case "member": member = try reader.readIdentifier()
            case "role": role = try reader.readRole()
            case "name": name = try reader.readString()
            case "email": email = try reader.readString()
            case "inviter": inviter = try reader.readIdentifier()
            case "created_at": createdAt = try reader.readInteger()
            case "expires_at": expiresAt = try reader.readInteger()
            case "state":
                let start = reader.offset
                state = Invite.State(rawValue: try reader.readString())
                if state == nil { throw .unexpected("the state of an invite", at: start) }
            case "last_day": lastDay = try reader.readString()
            // A state that a newer server added says nothing here.
            case "mail": mail = InviteMail(rawValue: try reader.readString())
            default: try reader.skipValue()
            }
        }
        guard let id, let member, let role, let name, let createdAt, let expiresAt, let state else { throw .unexpected("an invite", at: start) }
        return Invite(
            id: id, member: member, role: role, name: name, email: email, inviter: inviter, createdAt: createdAt, expiresAt: expiresAt, state: state,
            lastDay: lastDay, mail: mail)
    }
}
