package import Bytes
import Family
import JSON

/// The occupation of another member at this moment.
package struct MemberActivity: Hashable, Sendable {
    package var member: Identifier
    package var activity: Activity

    package init(member: Identifier, _ activity: Activity) {
        self.member = member
        self.activity = activity
    }
}

extension ServerFrame {
    struct ActivityParts: ServerFrameParts {
        static let declaration = FrameDeclaration("activity", "Another member's occupation at this moment; forget it after 6 s, or with the member's next one.", [
            .init("member", commonSchema("identifier"), "The member."),
            .init("action", ["enum": .array(Activity.Action.allCases.map { .string($0.rawValue) })],
                "typing: a message, or a comment about record; editing, looking: at record; idle: none of these any more."),
            .init("record", commonSchema("link"), "A record, which need not be one that you hold.", required: false),
        ], feature: .activity, example: #"""
            {"type":"activity","member":"01910000-0000-7000-8000-000000000011","action":"typing"}
            """#)

        private var member: Identifier?
        private var action: Activity.Action?
        private var record: HistoryRequest.Target?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "member": member = try reader.readIdentifier()
            // One that a newer server added is none that this program can show.
            case "action": action = Activity.Action(rawValue: try reader.readString()) ?? .idle
            case "record": record = try Activity.readRecord(&reader)
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            var activity = Activity(try need(action, "action"), record)
            // About a record of a kind that this program does not know.
            if record == nil, activity.action != .typing { activity.action = .idle }
            if activity.action == .idle { activity.record = nil }
            return .activity(MemberActivity(member: try need(member, "member"), activity))
        }

        static func encode(_ activity: MemberActivity, into writer: inout JSONWriter) {
            writer.word("activity")
            writer.key("member")
            writer.identifier(activity.member)
            activity.activity.encodeMembers(into: &writer)
        }
    }
}
