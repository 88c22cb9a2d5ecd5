package import Family
import JSON

/// Answers `invites`.
package struct InviteList: Hashable, Sendable {
    package var request: Int64
    /// Pending and expired, the newest first.
    package var invites: [Invite]

    package init(request: Int64, invites: [Invite]) {
        self.request = request
        self.invites = invites
    }
}

extension ServerFrame {
    struct InvitesParts: ServerFrameParts {
        static let declaration = FrameDeclaration("invites", "Answers invites.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("invites", listSchema("invite"), "Pending and expired, the newest first; at most 100."),
        ], feature: .invites, example: #"""
            {"type":"invites","request":8,"invites":[{"id":"01910000-0000-7000-8000-000000000030","member":"01910000-0000-7000-8000-000000000031","role":"guest","name":"Ruth","created_at":1776250800000,"expires_at":1776855600000,"state":"expired"}]}
            """#)

        private var invites: [Invite]?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            guard name == "invites" else { return false }
            invites = try reader.readList { reader throws(JSONError) in try InviteCodec.read(&reader) }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .invites(InviteList(request: try need(request, "request"), invites: try need(invites, "invites")))
        }

        static func encode(_ list: InviteList, into writer: inout JSONWriter) {
            writer.word("invites")
            writer.key("request")
            writer.integer(list.request)
            writer.key("invites")
            writer.beginArray()
            for invite in list.invites { InviteCodec.encode(invite, into: &writer) }
            writer.endArray()
        }
    }
}
