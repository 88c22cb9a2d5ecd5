import Arguments
import Bytes
import Dates
import Family
import Testing
import Wire

@testable import Commands

@Suite("Sessions as a person names them")
struct SessionQuestionTests {
    private static func session(_ number: UInt64, _ name: String, current: Bool = false) -> AccountSession {
        AccountSession(
            id: Identifier(high: 0x0191_0000_0000_7000, low: number), name: name, kind: .terminal, createdOn: .first, usedOn: .first, endsOn: .last,
            isCurrent: current)
    }

    private static let sessions = [session(0xABCDEF, "Kitchen", current: true), session(0xABCD00, "Phone"), session(0x123456, "phone")]

    @Test("The reader finds a session by \"this\", by name in any case, by the letters of the list, and by id")
    func finds() throws {
        for text in ["this", "kitchen", "abcdef", "ABCDEF", "\(Self.sessions[0].id)"] {
            #expect(try SessionQuestion.end(text).act(Self.sessions) == .end(Self.sessions[0].id), "\(text)")
        }
        #expect(try SessionQuestion.rename("123456", "Old phone").act(Self.sessions) == .rename(Self.sessions[2].id, "Old phone"))
        #expect(try SessionQuestion.list.act([]) == .list && SessionQuestion.endOthers.act([]) == .endOthers)
    }

    @Test("Words that name several or none, or have too few letters, get a sentence before anything is sent", arguments: ["phone", "nobody", "abc", "", "0191"])
    func refuses(text: String) {
        #expect(throws: UsageError.self) { try SessionQuestion.end(text).act(Self.sessions) }
    }

    @Test("The reader reads every session command", arguments: [
        ("sessions", SessionQuestion.list), ("sessions list", .list), ("sessions end this", .end("this")), ("sessions end --others", .endOthers),
        ("sessions rename this Kitchen", .rename("this", "Kitchen")),
    ])
    func reads(line: String, expected: SessionQuestion) throws {
        let invocation = try Invocation(line.split(separator: " ").map(String.init))
        #expect(invocation.action == .ask(.sessions(expected)))
    }

    @Test("Half a command ends nothing", arguments: [
        "sessions end", "sessions --others", "sessions list --others", "sessions end this --others", "sessions rename this", "sessions rename this a b",
        "sessions end this that", "sessions drop this", "logout now",
    ])
    func halves(line: String) {
        #expect(throws: UsageError.self) { try Invocation(line.split(separator: " ").map(String.init)) }
    }
}
