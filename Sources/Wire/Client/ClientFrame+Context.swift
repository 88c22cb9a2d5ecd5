import Family
import JSON

extension ClientFrame {
    struct ContextParts: ClientFrameParts {
        static let declaration = FrameDeclaration("context", "Chooses the season to show. Answer: context.", [
            .init("context", commonSchema("context"), "\"all\" or the id of an athlete of the family."),
            .request,
        ], example: #"{"type":"context","context":"01910000-0000-7000-8000-000000000011"}"#)

        private var context: Context?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "context": context = try reader.readContext()
            case "request": content.request = try reader.readCount()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .context(try content.need(context, "context"))
        }

        static func encode(_ context: Context, into writer: inout JSONWriter) {
            writer.word("context")
            writer.key("context")
            writer.context(context)
        }
    }
}
