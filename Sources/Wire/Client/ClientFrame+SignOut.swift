import JSON

extension ClientFrame {
    struct SignOutParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "sign_out", "Ends this session everywhere. Answer: signed_out, then close 4501.", [.request], example: #"{"type":"sign_out"}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) -> ClientFrame { .signOut }

        static func encode(into writer: inout JSONWriter) {
            writer.word("sign_out")
        }
    }
}
