package import Family
package import JSON

extension ServerFrame {
    struct RejectParts: ServerFrameParts {
        static let declaration = FrameDeclaration("reject", "The mutation was not done, no part of it.", [.init("mutation", commonSchema("positive"), "Which.")] + RejectionCodec.declaration, rules: RejectionCodec.retryRules, example: #"""
            {"type":"reject","mutation":7,"code":"required","message":"Event name is required","operation":0,"kind":"event","id":"01910000-0000-7000-8000-000000000100","field":"name","retry":false}
            """#)

        private var mutation: Int64?
        private var rejection = RejectionCodec.Parts()

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "mutation": mutation = try reader.readCount(from: 1)
            default: return try rejection.read(name, &reader)
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .reject(mutation: try need(mutation, "mutation"), try rejection.rejection())
        }
    }

    /// `encode` of a `reject`, without making a frame first.
    package static func encode(_ rejection: borrowing Rejection, of mutation: Int64, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("type")
        writer.word("reject")
        writer.key("mutation")
        writer.integer(mutation)
        RejectionCodec.encode(rejection, into: &writer)
        writer.endObject()
    }
}
