import Bytes
import JSON

extension ServerFrame {
    struct TokenParts: ServerFrameParts {
        static let declaration = FrameDeclaration("token", "Answers redeem.", [
            .init("token", commonSchema("word"), "The new session's secret."),
            .init("family", commonSchema("identifier"), "The family that the invite was for."),
            .init("member", commonSchema("identifier"), "The member that the invite was for."),
            .answered,
        ], example: #"""
            {"type":"token","token":"h1_0123456789abcdefABCDEF_-","family":"01910000-0000-7000-8000-000000000001","member":"01910000-0000-7000-8000-000000000010"}
            """#)

        private var token: String?
        private var family: Identifier?
        private var member: Identifier?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "token": token = try reader.readWord()
            case "family": family = try reader.readIdentifier()
            case "member": member = try reader.readIdentifier()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            let frame = ServerFrame.token(token: try need(token, "token"), family: try need(family, "family"), member: try need(member, "member"))
            return frame.answering(request)
        }

        static func encode(token: String, family: Identifier, member: Identifier, into writer: inout JSONWriter) {
            writer.word("token")
            writer.key("token")
            writer.string(token)
            writer.key("family")
            writer.identifier(family)
            writer.key("member")
            writer.identifier(member)
        }
    }
}
