package import Bytes
package import Family
import JSON

/// A member who is online, and the season that they look at; of several connections, the one that sent a frame last counts.
package struct Presence: Hashable, Sendable {
    package var member: Identifier
    package var connections: Int
    package var context: Context

    package init(member: Identifier, connections: Int, context: Context) {
        self.member = member
        self.connections = connections
        self.context = context
    }
}

extension ServerFrame {
    struct PresenceParts: ServerFrameParts {
        static let declaration = FrameDeclaration("presence", "A member came, left, or views another season.", [
            .init("member", commonSchema("identifier"), "The member."),
            .init("connections", commonSchema("count"), "How many there are; 0: gone."),
            .init("context", commonSchema("context"), "The season that the latest connection views."),
        ], example: #"""
            {"type":"presence","member":"01910000-0000-7000-8000-000000000010","connections":2,"context":"all"}
            """#)

        private var member: Identifier?
        private var connections: Int?
        private var context: Context?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "member": member = try reader.readIdentifier()
            case "connections": connections = Int(try reader.readCount())
            case "context": context = try reader.readContext()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .presence(try presence())
        }

        fileprivate func presence() throws(JSONError) -> Presence {
            Presence(
                member: try need(member, "presence.member"), connections: try need(connections, "presence.connections"),
                context: try need(context, "presence.context"))
        }

        static func encode(_ presence: Presence, into writer: inout JSONWriter) {
            writer.word("presence")
            presence.encodeMembers(into: &writer)
        }
    }
}

extension Presence {
    /// Reads one element of `joined`.
    init(_ reader: inout JSONReader) throws(JSONError) {
        var parts = ServerFrame.PresenceParts()
        try reader.readObject { reader, key throws(JSONError) in
            if !(try parts.read(key, &reader)) { try reader.skipValue() }
        }
        self = try parts.presence()
    }

    func encodeMembers(into writer: inout JSONWriter) {
        writer.key("member")
        writer.identifier(member)
        writer.key("connections")
        writer.integer(connections)
        writer.key("context")
        writer.context(context)
    }
}
