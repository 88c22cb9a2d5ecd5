import Family
import JSON

extension ServerFrame {
    struct RoleParts: ServerFrameParts {
        static let declaration = FrameDeclaration("role", "The rights of this member have changed.", [
            .init("role", commonSchema("role"), "From now on."),
        ], example: #"""
            {"type":"role","role":"guest"}
            """#)

        private var role: Role?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "role": role = try reader.readRole()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .role(try need(role, "role"))
        }

        static func encode(_ role: Role, into writer: inout JSONWriter) {
            writer.word("role")
            writer.key("role")
            writer.string(role.rawValue)
        }
    }
}
