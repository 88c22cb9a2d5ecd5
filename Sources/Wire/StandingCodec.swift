import Bytes
import Family
import JSON

/// A standing within a frame.
enum StandingCodec {
    static func encode(_ standing: Standing, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("member")
        writer.identifier(standing.member)
        writer.key("role")
        writer.string(standing.role.rawValue)
        writer.key("state")
        writer.string(standing.state.rawValue)
        writer.key("signed_in")
        writer.boolean(standing.hasSignIn)
        writer.key("invited")
        writer.boolean(standing.isInvited)
        if let consent = standing.consent {
            writer.key("consent")
            writer.beginObject()
            writer.key("by")
            writer.identifier(consent.by)
            writer.key("at")
            writer.integer(consent.at)
            writer.key("version")
            writer.string(consent.version)
            writer.endObject()
        }
        if let day = standing.lastDay {
            writer.key("last_day")
            writer.string(day)
        }
        writer.endObject()
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> Standing {
        let start = reader.offset
        var member: Identifier?
        var role: Role?
        var state: Standing.State?
        var hasSignIn = false
        var isInvited = false
        var consent: Standing.Consented?
        var lastDay: String?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "member": member = try reader.readIdentifier()
            case "role": role = try reader.readRole()
            case "state":
                let start = reader.offset
                state = Standing.State(rawValue: try reader.readString())
                if state == nil { throw .unexpected("the state of a member", at: start) }
            case "signed_in": hasSignIn = try reader.readBool()
            case "invited": isInvited = try reader.readBool()
            case "consent": consent = try readConsent(&reader)
            case "last_day": lastDay = try reader.readString()
            default: try reader.skipValue()
            }
        }
        guard let member, let role, let state else { throw .unexpected("a standing", at: start) }
        return Standing(member: member, role: role, state: state, hasSignIn: hasSignIn, isInvited: isInvited, consent: consent, lastDay: lastDay)
    }

    private static func readConsent(_ reader: inout JSONReader) throws(JSONError) -> Standing.Consented {
        let start = reader.offset
        var by: Identifier?
        var at: Int64?
        var version: String?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "by": by = try reader.readIdentifier()
            case "at": at = try reader.readInteger()
            case "version": version = try reader.readString()
            default: try reader.skipValue()
            }
        }
        guard let by, let at, let version else { throw .unexpected("a consent", at: start) }
        return Standing.Consented(by: by, at: at, version: version)
    }
}
