import Bytes
import Family
import JSON

extension ServerFrame {
    struct MailFailedParts: ServerFrameParts {
        static let declaration = FrameDeclaration(
            "mail_failed", "A mail that the person asked for was abandoned: to all their connections that have joined.", [
                .init("kind", ["enum": .array(MailKind.allCases.map { .string($0.rawValue) })], "confirm: the code for an address; invite: the code of an invite."),
                .init("address", ["type": "string"], "Its address, masked: a…@example.org."),
                .init("problem", ["enum": .array(MailProblem.allCases.map { .string($0.rawValue) })], "refused: the mail server refused it for good; late: it could not be delivered in time."),
                .init("invite", commonSchema("identifier"), "Of the kind invite: the invite.", required: false),
            ], feature: .mail, example: #"""
            {"type":"mail_failed","kind":"invite","address":"r…@example.org","problem":"refused","invite":"01910000-0000-7000-8000-000000000030"}
            """#)

        private var kind: MailKind?
        private var address: String?
        private var problem: MailProblem?
        private var invite: Identifier?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "kind": kind = try reader.readWord(of: MailKind.self)
            case "address": address = try reader.readString()
            case "problem": problem = try reader.readWord(of: MailProblem.self)
            case "invite": invite = try reader.readIdentifier()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .mailFailed(MailNotice(kind: try need(kind, "kind"), address: try need(address, "address"), problem: try need(problem, "problem"), invite: invite))
        }

        static func encode(_ notice: MailNotice, into writer: inout JSONWriter) {
            writer.word("mail_failed")
            writer.key("kind")
            writer.string(notice.kind.rawValue)
            writer.key("address")
            writer.string(notice.address)
            writer.key("problem")
            writer.string(notice.problem.rawValue)
            guard let invite = notice.invite else { return }
            writer.key("invite")
            writer.identifier(invite)
        }
    }
}
