import Family
import FrameCheck
import Posix
import Testing
import Wire

@Suite("The frames in proto/protocol.md")
struct ProtocolTextTests {
    /// A frame of the text: its sender, its line, and its octets on the wire.
    struct Example: CustomTestStringConvertible {
        let isFromClient: Bool
        let line: Int
        let octets: [UInt8]

        var testDescription: String { "line \(line): \(String(decoding: octets.prefix(60), as: UTF8.self))" }
    }

    /// Frames begin with → or ← in a block, and continue over indented lines.
    static let examples: [Example] = {
        let path = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/proto/protocol.md"
        guard let text = try? Files.read(path) else { return [] }
        var examples: [Example] = []
        var current: (isFromClient: Bool, line: Int, text: String)?
        for (index, line) in String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let begins = line.hasPrefix("→ {") || line.hasPrefix("← {")
            if begins || !line.hasPrefix(" "), let finished = current {
                examples.append(Example(isFromClient: finished.isFromClient, line: finished.line, octets: withoutSpace(finished.text)))
                current = nil
            }
            if begins {
                current = (line.hasPrefix("→"), index + 1, String(line.dropFirst(2)))
            } else if current != nil {
                current?.text += line
            }
        }
        return examples
    }()

    /// Without the white space that only breaks the line for the reader.
    static func withoutSpace(_ text: String) -> [UInt8] {
        var octets: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for octet in text.utf8 {
            if isInString || octet != UInt8(ascii: " ") { octets.append(octet) }
            if octet == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
            isEscaped = isInString && octet == UInt8(ascii: "\\") && !isEscaped
        }
        return octets
    }

    @Test("There are frames of both sides, and every type of the protocol is shown")
    func everyType() {
        #expect(Self.examples.count >= 35)
        let shown = Set(Self.examples.map { example in
            let text = String(decoding: example.octets.dropFirst(9), as: UTF8.self)
            return (example.isFromClient ? "→" : "←") + text.prefix { $0 != "\"" }
        })
        let client = ["sign_in", "redeem", "join", "mutate", "context", "list", "statistics", "history", "digest", "access_log", "invite", "withdraw_invite", "invites", "audit", "standings", "consent", "withdraw_consent", "birth_date", "last_day", "sessions", "rename_session", "end_session",
            "end_other_sessions", "create_token", "add_device", "sign_in_by_name", "account", "confirm", "set_password", "remove_password", "add_factor", "confirm_factor", "remove_factor", "make_recovery_codes", "remove_passkey", "recover_member", "deletion", "delete_family", "keep_family", "set_mail", "confirm_mail", "remove_mail", "calendars", "add_calendar", "change_calendar", "remove_calendar",
            "ping", "activity", "reminder_seen", "sign_out"].map { "→" + $0 }
        let server = ["welcome", "token", "membership", "joined", "reset", "snapshot", "snapshot_end", "change", "live", "ack", "reject", "presence", "upload", "activity", "pong", "calendars",
            "checksum", "context", "role", "page", "statistics", "history", "digest", "access_log", "invite", "invites", "audit", "standing", "standings", "sessions", "program_token", "device_code", "account", "deletion", "signed_in", "recovered", "mail_failed", "reminder", "reminder_seen", "signed_out", "drain", "error"].map { "←" + $0 }
        #expect(shown == Set(client + server))
    }

    @Test(
        "A client's frame is one that the server accepts, and is written as our own client writes it",
        arguments: examples.filter(\.isFromClient))
    func client(example: Example) throws {
        let frame = try example.octets.withUnsafeBytes { octets throws(Rejection) in try ClientFrame.decode(octets, limits: Limits()) }
        if case .refusedMutation(_, let rejection) = frame { Issue.record("refused: \(rejection)") }
        #expect(String(decoding: frame.encode(), as: UTF8.self) == String(decoding: example.octets, as: UTF8.self))
        #expect(FrameCheck.problem(example.octets, from: .client) == nil)
    }

    @Test("A server's frame is written exactly as the server writes it", arguments: examples.filter { !$0.isFromClient })
    func server(example: Example) throws {
        let frame = try example.octets.withUnsafeBytes { octets throws(Rejection) in try ServerFrame.decode(octets) }
        #expect(String(decoding: frame.encode(), as: UTF8.self) == String(decoding: example.octets, as: UTF8.self))
        #expect(FrameCheck.problem(example.octets) == nil)
    }
}
