package import Bytes
package import Family
import JSON

/// A request to join one family's room.
package struct Join: Hashable, Sendable {
    package var family: Identifier
    /// The installation; mutation ids count per client.
    package var client: Identifier
    /// `nil`: an athlete's own, `all` for others.
    package var context: Context?
    /// Where the client stopped; `nil` asks for a snapshot.
    package var cursor: Cursor?
    /// A program that reads or writes once and leaves: the others are not notified that it came.
    package var isQuiet: Bool
    /// The sequence at which the client's records had another checksum than the server's, so that it loads them again. A report for the operator.
    package var differed: Int64?

    package init(
        family: Identifier, client: Identifier, context: Context? = nil, cursor: Cursor? = nil, isQuiet: Bool = false, differed: Int64? = nil
    ) {
        self.family = family
        self.client = client
        self.context = context
        self.cursor = cursor
        self.isQuiet = isQuiet
        self.differed = differed
    }
}

extension ClientFrame {
    struct JoinParts: ClientFrameParts {
        static let declaration = FrameDeclaration("join", "Takes a seat in one family's room. Answer: joined, then changes or a snapshot, then live.", [
            .init("family", commonSchema("identifier"), "One of welcome's memberships."),
            .init("client", commonSchema("identifier"), "This installation; mutation numbers count per client."),
            .init("context", commonSchema("context"), "The season to show, an athlete's or all; left out: an athlete's own, all for others.", required: false),
            .init("cursor", commonSchema("cursor"), "The client's last position; left out: the client needs a snapshot.", required: false),
            .init("quiet", ["type": "boolean"], "True: the others are not notified of this connection; left out: false.", required: false, feature: .quiet),
            .init(
                "differed", commonSchema("count"), "The sequence at which the checksum differed, so that everything is loaded again.", required: false,
                feature: .checksum),
            .request,
        ], example: #"{"type":"join","family":"01910000-0000-7000-8000-000000000001","client":"01910000-aaaa-7000-8000-0123456789ab","# + #"""
            "context":"all","cursor":{"epoch":"e_7f3a","seq":120}}
            """#)

        private var family: Identifier?
        private var client: Identifier?
        private var context: Context?
        private var cursor: Cursor?
        private var isQuiet = false
        private var differed: Int64?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "family": family = try reader.readIdentifier()
            case "client": client = try reader.readIdentifier()
            case "context": context = try reader.readContext()
            case "cursor": cursor = try Cursor(&reader)
            case "quiet": isQuiet = try reader.readBool()
            case "differed": differed = try reader.readCount()
            case "request": content.request = try reader.readCount()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .join(
                Join(
                    family: try content.need(family, "family"), client: try content.need(client, "client"), context: context, cursor: cursor,
                    isQuiet: isQuiet, differed: differed))
        }

        static func encode(_ join: Join, into writer: inout JSONWriter) {
            writer.word("join")
            writer.key("family")
            writer.identifier(join.family)
            writer.key("client")
            writer.identifier(join.client)
            if let context = join.context {
                writer.key("context")
                writer.context(context)
            }
            if let cursor = join.cursor {
                writer.key("cursor")
                cursor.encode(into: &writer)
            }
            if join.isQuiet {
                writer.key("quiet")
                writer.boolean(true)
            }
            if let differed = join.differed {
                writer.key("differed")
                writer.integer(differed)
            }
        }
    }
}
