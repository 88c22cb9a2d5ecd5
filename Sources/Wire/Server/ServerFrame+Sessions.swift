package import Family
import JSON

/// Answers the requests about sessions.
package struct SessionList: Hashable, Sendable {
    package var request: Int64
    /// The last used first.
    package var sessions: [AccountSession]

    package init(request: Int64, sessions: [AccountSession]) {
        self.request = request
        self.sessions = sessions
    }
}

extension ServerFrame {
    struct SessionsParts: ServerFrameParts {
        static let declaration = FrameDeclaration(
            "sessions", "Answers sessions, rename_session, end_session and end_other_sessions: the sessions and tokens of the person as they are now.", [
                .init("request", commonSchema("count"), "The number in the request."),
                .init("sessions", listSchema("session"), "The last used first; at most 120."),
            ], feature: .sessions, example: #"""
                {"type":"sessions","request":9,"sessions":[{"id":"01910000-0000-7000-8000-000000000040","kind":"terminal","name":"Kitchen laptop","created":"2026-04-15","used":"2026-04-20","ends":"2027-05-20","current":true}]}
                """#)

        private var sessions: [AccountSession]?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            guard name == "sessions" else { return false }
            sessions = try reader.readList { reader throws(JSONError) in try AccountSessionCodec.read(&reader) }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .sessions(SessionList(request: try need(request, "request"), sessions: try need(sessions, "sessions")))
        }

        static func encode(_ list: SessionList, into writer: inout JSONWriter) {
            writer.word("sessions")
            writer.key("request")
            writer.integer(list.request)
            writer.key("sessions")
            writer.beginArray()
            for session in list.sessions { AccountSessionCodec.encode(session, into: &writer) }
            writer.endArray()
        }
    }
}
