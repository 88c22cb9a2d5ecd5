package import Bytes
package import Family
import JSON

package struct Joined: Hashable, Sendable {
    package var epoch: String
    package var sequence: Int64
    package var family: Identifier
    package var member: Identifier
    package var role: Role
    package var context: Context
    /// `true`: the changes after the cursor follow; `false`: a snapshot follows, then the changes after it.
    package var resumesByChanges: Bool
    package var presence: [Presence]

    package init(
        epoch: String, sequence: Int64, family: Identifier, member: Identifier, role: Role, context: Context,
        resumesByChanges: Bool, presence: [Presence]
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.family = family
        self.member = member
        self.role = role
        self.context = context
        self.resumesByChanges = resumesByChanges
        self.presence = presence
    }
}

extension ServerFrame {
    struct JoinedParts: ServerFrameParts {
        static let declaration = FrameDeclaration("joined", "Answers join, before any record.", [
            .init("epoch", commonSchema("word"), "Names the family's log. Other families and restored backups have other epochs."),
            .init("seq", commonSchema("count"), "The family's last sequence at this moment."),
            .init("family", commonSchema("identifier"), "The family."),
            .init("member", commonSchema("identifier"), "The person's member in it."),
            .init("role", commonSchema("role"), "The member's role in it."),
            .init("context", commonSchema("context"), "The context in force."),
            .init("resume", ["enum": ["changes", "snapshot"]],
                "The next frames: the changes after the cursor, or a snapshot and the changes after it."),
            .init("presence", listSchema("presence"), "The members who are connected."),
            .answered,
        ], example: #"""
            {"type":"joined","epoch":"e_7f3a","seq":120,"family":"01910000-0000-7000-8000-000000000001","member":"01910000-0000-7000-8000-000000000010","role":"parent","context":"all","resume":"changes","presence":[{"member":"01910000-0000-7000-8000-000000000010","connections":2,"context":"all"}]}
            """#)

        private var epoch: String?
        private var sequence: Int64?
        private var family: Identifier?
        private var member: Identifier?
        private var role: Role?
        private var context: Context?
        private var resume: String?
        private var presence: [Presence]?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "epoch": epoch = try reader.readWord()
            case "seq": sequence = try reader.readCount()
            case "family": family = try reader.readIdentifier()
            case "member": member = try reader.readIdentifier()
            case "role": role = try reader.readRole()
            case "context": context = try reader.readContext()
            case "resume": resume = try reader.readString()
            case "presence": presence = try reader.readList { reader throws(JSONError) in try Presence(&reader) }
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            let resume = try need(resume, "resume")
            guard resume == "changes" || resume == "snapshot" else { throw .invalid("resume is neither changes nor snapshot") }
            let joined = Joined(
                epoch: try need(epoch, "epoch"), sequence: try need(sequence, "seq"), family: try need(family, "family"),
                member: try need(member, "member"), role: try need(role, "role"), context: try need(context, "context"),
                resumesByChanges: resume == "changes", presence: try need(presence, "presence"))
            return ServerFrame.joined(joined).answering(request)
        }

        static func encode(_ joined: Joined, into writer: inout JSONWriter) {
            writer.word("joined")
            writer.key("epoch")
            writer.string(joined.epoch)
            writer.key("seq")
            writer.integer(joined.sequence)
            writer.key("family")
            writer.identifier(joined.family)
            writer.key("member")
            writer.identifier(joined.member)
            writer.key("role")
            writer.string(joined.role.rawValue)
            writer.key("context")
            writer.context(joined.context)
            writer.key("resume")
            writer.word(joined.resumesByChanges ? "changes" : "snapshot")
            writer.key("presence")
            writer.beginArray()
            for presence in joined.presence {
                writer.beginObject()
                presence.encodeMembers(into: &writer)
                writer.endObject()
            }
            writer.endArray()
        }
    }
}
