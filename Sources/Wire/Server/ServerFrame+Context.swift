import Family
import JSON

extension ServerFrame {
    struct ContextParts: ServerFrameParts {
        static let declaration = FrameDeclaration("context", "The context in force from now on.", [
            .init("context", commonSchema("context"), "\"all\" or the id of an athlete."),
            .answered,
        ], example: #"""
            {"type":"context","context":"all"}
            """#)

        private var context: Context?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "context": context = try reader.readContext()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            ServerFrame.context(try need(context, "context")).answering(request)
        }

        static func encode(_ context: Context, into writer: inout JSONWriter) {
            writer.word("context")
            writer.key("context")
            writer.context(context)
        }
    }
}
