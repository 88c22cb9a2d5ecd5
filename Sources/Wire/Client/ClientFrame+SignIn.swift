import JSON

extension ClientFrame {
    struct SignInParts: ClientFrameParts {
        static let declaration = FrameDeclaration("sign_in", "Opens a session. Answer: welcome, or error token_unknown.", [
            .init("token", commonSchema("word"), "The session's secret."),
            .request,
        ], example: #"{"type":"sign_in","token":"h1_0123456789abcdefABCDEF_-"}"#)

        private var token: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "token": token = try reader.readWord()
            case "request": content.request = try reader.readCount()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .signIn(token: try content.need(token, "token"))
        }

        static func encode(token: String, into writer: inout JSONWriter) {
            writer.word("sign_in")
            writer.key("token")
            writer.string(token)
        }
    }
}
