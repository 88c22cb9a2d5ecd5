package import Family
import JSON

/// Answers `create_token`.
package struct ProgramTokenAnswer: Hashable, Sendable {
    package var request: Int64
    /// The only time that it is seen.
    package var token: String
    package var session: AccountSession

    package init(request: Int64, token: String, session: AccountSession) {
        self.request = request
        self.token = token
        self.session = session
    }
}

extension ServerFrame {
    struct ProgramTokenParts: ServerFrameParts {
        static let declaration = FrameDeclaration("program_token", "Answers create_token.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("token", commonSchema("word"), "The secret, for the program. The server keeps a hash of it."),
            .init("session", commonSchema("session"), "As sessions lists it."),
        ], feature: .tokens, example: #"""
            {"type":"program_token","request":19,"token":"q0Yk1m6uWm0Z2oQ3cXl9dS8vNf5tRb7hGa4pJe1iUxE","session":{"id":"01910000-0000-7000-8000-000000000042","kind":"token","name":"Export","created":"2026-04-15","used":"2026-04-15","ends":"2026-07-13","current":false,"scope":"read"}}
            """#)

        private var token: String?
        private var session: AccountSession?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "token": token = try reader.readWord()
            case "session": session = try AccountSessionCodec.read(&reader)
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .programToken(ProgramTokenAnswer(request: try need(request, "request"), token: try need(token, "token"), session: try need(session, "session")))
        }

        static func encode(_ answer: ProgramTokenAnswer, into writer: inout JSONWriter) {
            writer.word("program_token")
            writer.key("request")
            writer.integer(answer.request)
            writer.key("token")
            writer.string(answer.token)
            writer.key("session")
            AccountSessionCodec.encode(answer.session, into: &writer)
        }
    }
}
