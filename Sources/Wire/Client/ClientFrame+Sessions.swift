package import Bytes
import JSON

/// A request about the sessions of the person who is signed in.
package struct SessionsRequest: Hashable, Sendable {
    /// The content of the request.
    package enum Act: Hashable, Sendable {
        case list
        /// Names a session, by its id.
        case rename(Identifier, String)
        /// Ends a session, by its id.
        case end(Identifier)
        /// Ends all sessions and tokens but the one that asks.
        case endOthers
    }

    package var request: Int64
    package var act: Act

    package init(request: Int64, _ act: Act) {
        self.request = request
        self.act = act
    }
}

extension ClientFrame {
    struct SessionsParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "sessions", "Asks for the sessions and tokens of the person who is signed in. Answer: sessions.", [
                .init("request", commonSchema("count"), "Echoed in the answer.")
            ], feature: .sessions, example: #"{"type":"sessions","request":9}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .sessions(SessionsRequest(request: try content.need(content.request, "request"), .list))
        }
    }

    struct RenameSessionParts: ClientFrameParts {
        static let declaration = FrameDeclaration("rename_session", "Names a session or token. Answer: sessions, as they are then.", [
            .init("request", commonSchema("count"), "Echoed in the answer."),
            .init("id", commonSchema("identifier"), "Of the session."),
            .init("name", ["type": "string"], "Its name to the person, at most 60 characters."),
        ], feature: .sessions, example: #"{"type":"rename_session","request":10,"id":"01910000-0000-7000-8000-000000000040","name":"Kitchen laptop"}"#)

        private var id: Identifier?
        private var name: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "id": id = try reader.readIdentifier()
            case "name": self.name = try reader.readString()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            let request = try content.need(content.request, "request")
            return .sessions(SessionsRequest(request: request, .rename(try content.need(id, "id"), try content.need(name, "name"))))
        }
    }

    struct EndSessionParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "end_session", "Ends a session or token; its connections are closed with 4501. Answer: sessions, as they are then; for the session that asks: signed_out.",
            [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("id", commonSchema("identifier"), "Of the session."),
            ], feature: .sessions, example: #"{"type":"end_session","request":11,"id":"01910000-0000-7000-8000-000000000040"}"#)

        private var id: Identifier?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "id": id = try reader.readIdentifier()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .sessions(SessionsRequest(request: try content.need(content.request, "request"), .end(try content.need(id, "id"))))
        }
    }

    struct EndOtherSessionsParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "end_other_sessions", "Ends all sessions and tokens of the person but the one that asks. Answer: sessions, as they are then.", [
                .init("request", commonSchema("count"), "Echoed in the answer.")
            ], feature: .sessions, example: #"{"type":"end_other_sessions","request":12}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .sessions(SessionsRequest(request: try content.need(content.request, "request"), .endOthers))
        }
    }
}

extension SessionsRequest {
    /// Appends the frame after `"type":`.
    func encode(into writer: inout JSONWriter) {
        writer.word(word)
        writer.key("request")
        writer.integer(request)
        switch act {
        case .list, .endOthers: break
        case .rename(let id, let name):
            writer.key("id")
            writer.identifier(id)
            writer.key("name")
            writer.string(name)
        case .end(let id):
            writer.key("id")
            writer.identifier(id)
        }
    }

    private var word: StaticString {
        switch act {
        case .list: "sessions"
        case .rename: "rename_session"
        case .end: "end_session"
        case .endOthers: "end_other_sessions"
        }
    }
}
