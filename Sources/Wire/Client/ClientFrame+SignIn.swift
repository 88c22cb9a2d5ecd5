import JSON

extension ClientFrame {
    struct SignInParts: ClientFrameParts {
        static let declaration = FrameDeclaration("sign_in", "Opens a session. Answer: welcome, or error token_unknown.", [
            .init("token", commonSchema("word"), "The session's secret; left out: that of the cookie in the upgrade request (feature sessions).", required: false),
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

        func frame(_ content: inout FrameContent) -> ClientFrame {
            .signIn(token: token)
        }

        static func encode(token: String?, into writer: inout JSONWriter) {
            writer.word("sign_in")
            if let token {
                writer.key("token")
                writer.string(token)
            }
        }
    }
}
