import Family
import JSON

/// Answers `sign_in_by_name`.
package struct NameSignedIn: Hashable, Sendable {
    /// The secret of the new session.
    package var token: String
    /// The secret by which the account knows this device.
    package var device: String

    package init(token: String, device: String) {
        self.token = token
        self.device = device
    }
}

extension ServerFrame {
    struct SignedInParts: ServerFrameParts {
        static let declaration = FrameDeclaration("signed_in", "Answers sign_in_by_name. sign_in with the token follows.", [
            .init("token", commonSchema("word"), "The new session's secret."),
            .init("device", commonSchema("word"), "For the next sign_in_by_name on this device; keep it like a password."),
            .answered,
        ], feature: .passwords, example: #"""
            {"type":"signed_in","token":"q0Yk1m6uWm0Z2oQ3cXl9dS8vNf5tRb7hGa4pJe1iUxE","device":"Zr2oQ3cXl9dS8vNf5tRb7hGa4pJe1iUxEq0Yk1m6uWm0"}
            """#)

        private var token: String?
        private var device: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "token": token = try reader.readWord()
            case "device": device = try reader.readWord()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            ServerFrame.signedIn(NameSignedIn(token: try need(token, "token"), device: try need(device, "device"))).answering(request)
        }

        static func encode(_ answer: NameSignedIn, into writer: inout JSONWriter) {
            writer.word("signed_in")
            writer.key("token")
            writer.string(answer.token)
            writer.key("device")
            writer.string(answer.device)
        }
    }

    struct RecoveredParts: ServerFrameParts {
        static let declaration = FrameDeclaration(
            "recovered", "The person's sign-in was recovered on another device: to all their connections that have joined, and for 7 days after each joined of a session that is older.", [
                .init("way", ["enum": .array(RecoveryWay.allCases.map { .string($0.rawValue) })], "code: a recovery code; parent: the code of a parent; mail: a code that was mailed; host: that of the host."),
                .init("at", commonSchema("instant"), "When."),
            ], feature: .passwords, example: #"""
            {"type":"recovered","way":"parent","at":1776251400000}
            """#)

        private var way: RecoveryWay?
        private var at: Int64?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "way": way = try reader.readWord(of: RecoveryWay.self)
            case "at": at = try reader.readInteger()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .recovered(RecoveryNotice(way: try need(way, "way"), at: try need(at, "at")))
        }

        static func encode(_ notice: RecoveryNotice, into writer: inout JSONWriter) {
            writer.word("recovered")
            writer.key("way")
            writer.string(notice.way.rawValue)
            writer.key("at")
            writer.integer(notice.at)
        }
    }
}
