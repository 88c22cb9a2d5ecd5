import JSON

extension ServerFrame {
    struct MembershipParts: ServerFrameParts {
        static let declaration = FrameDeclaration("membership", "Answers redeem of a person who is signed in: the family is added to that person.", [
            .init("membership", commonSchema("membership"), "The new one; welcome lists it from now on."),
            .answered,
        ], feature: .families, example: #"""
            {"type":"membership","membership":{"family":"01910000-0000-7000-8000-000000000001","name":"Rivera","member":"01910000-0000-7000-8000-000000000010","role":"guest"},"request":3}
            """#)

        private var membership: Membership?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            guard name == "membership" else { return false }
            membership = try Membership(&reader)
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            ServerFrame.membership(try need(membership, "membership")).answering(request)
        }

        static func encode(_ membership: Membership, into writer: inout JSONWriter) {
            writer.word("membership")
            writer.key("membership")
            membership.encode(into: &writer)
        }
    }
}
