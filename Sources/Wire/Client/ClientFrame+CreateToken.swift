package import Bytes
package import Family
import JSON

/// A token for a program that a person asks for.
package struct CreateTokenRequest: Hashable, Sendable {
    package var request: Int64
    package var id: Identifier
    package var nonce: String
    package var name: String
    package var scope: TokenScope
    package var days: Int64
    /// Of the scope `calendar`.
    package var athletes: [Identifier]

    package init(request: Int64, id: Identifier, nonce: String, name: String, scope: TokenScope, days: Int64, athletes: [Identifier] = []) {
        self.request = request
        self.id = id
        self.nonce = nonce
        self.name = name
        self.scope = scope
        self.days = days
        self.athletes = athletes
    }
}

extension ClientFrame {
    struct CreateTokenParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "create_token", "Makes a token for a program. Answer: program_token, or error confirm_first.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("id", commonSchema("identifier"), "The id of the token, which the client makes. With the nonce, a repetition gets the first answer."),
                .init("nonce", commonSchema("nonce"), "Kept until the answer is there, like a password."),
                .init("name", ["type": "string"], "At most 60 characters."),
                .init("scope", ["enum": .array(TokenScope.allCases.map { .string($0.rawValue) })], "read, write, or calendar."),
                .init("days", commonSchema("count"), "How long it is valid, 1 to 365."),
                .init("athletes", listSchema("identifier"), "The athletes whose calendars it opens, at most 32; only with calendar.", required: false),
            ], feature: .tokens,
            example:
                #"{"type":"create_token","request":19,"id":"01910000-0000-7000-8000-000000000042","nonce":"9d1f6b0c3e7a4852c06e5fb18a2d7394","name":"Export","scope":"read","days":90}"#
        )

        private var id: Identifier?
        private var nonce: String?
        private var name: String?
        private var scope: TokenScope?
        private var days: Int64?
        private var athletes: [Identifier] = []

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "id": id = try reader.readIdentifier()
            case "nonce": nonce = try reader.readNonce()
            case "name": self.name = try reader.readString()
            case "scope": scope = try reader.readWord(of: TokenScope.self)
            case "days": days = try reader.readCount()
            case "athletes": athletes = try reader.readList { reader throws(JSONError) in try reader.readIdentifier() }
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .createToken(
                CreateTokenRequest(
                    request: try content.need(content.request, "request"), id: try content.need(id, "id"), nonce: try content.need(nonce, "nonce"),
                    name: try content.need(name, "name"), scope: try content.need(scope, "scope"), days: try content.need(days, "days"), athletes: athletes))
        }

        static func encode(_ request: CreateTokenRequest, into writer: inout JSONWriter) {
            writer.word("create_token")
            writer.key("request")
            writer.integer(request.request)
            writer.key("id")
            writer.identifier(request.id)
            writer.key("nonce")
            writer.string(request.nonce)
            writer.key("name")
            writer.string(request.name)
            writer.key("scope")
            writer.string(request.scope.rawValue)
            writer.key("days")
            writer.integer(request.days)
            guard !request.athletes.isEmpty else { return }
            writer.key("athletes")
            writer.beginArray()
            for athlete in request.athletes { writer.identifier(athlete) }
            writer.endArray()
        }
    }
}
