import Bytes
import Family
import JSON
import Store
import Testing

@Suite("Admin commands and answers as lines")
struct AdminCodecTests {
    static let one = Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0001)

    static let commands: [AdminCommand] = [
        .createFamily(name: "Rivera \"&\" Söhne\n", zone: "Europe/Warsaw", parent: "Ana"),
        .invite(NewInvite(family: one, name: "Leo", role: .athlete, born: "2012-03-04", by: one)),
        .invite(NewInvite(family: one, name: "Gus", role: .guest)),
        .invite(NewInvite(family: "Rivera", member: one, email: "gus@example.org", by: one)),
        .token(member: one), .redeem(code: "7K3QX-00000-11111-ZZZZZ", nonce: "5f1c9a7e20b4d3865f1c9a7e20b4d386"),
        .redeem(code: "7K3QX-00000-11111-ZZZZZ", nonce: "5f1c9a7e20b4d3865f1c9a7e20b4d386", name: "Zoë"), .signOut(token: "abc"), .purge,
    ]

    static let answers: [Result<AdminAnswer, Rejection>] = [
        .success(.family(FamilyCreated(family: one, member: one, code: "7K3QX", expiresAt: 5))),
        .success(.invited(Invited(family: one, member: one, role: .athlete, name: "Leo", code: nil, expiresAt: nil))),
        .success(.invited(Invited(family: one, member: one, role: .parent, name: "Ben", code: "7K3QX", expiresAt: 7))),
        .success(.token(SessionCreated(token: "t", family: one, member: one, role: .parent, endedSession: 3))),
        .success(.token(SessionCreated(token: "t", family: one, member: one, role: .parent))),
        .success(.signedOut(session: 3)), .success(.signedOut(session: nil)), .success(.purged(Purged(receipts: 1, invites: 2, sessions: 3, records: 4, accesses: 5))),
        .failure(Rejection(.required, "An athlete needs a birth date.", field: "born")),
        .failure(Rejection(.storageFull, "Full.", retryAfter: 5000)),
    ]

    @Test("a command reads as it was written, in one line", arguments: commands)
    func command(_ command: AdminCommand) throws {
        let line = command.encode()
        #expect(!line.contains(UInt8(ascii: "\n")))
        #expect(line.count <= AdminCommand.maxLine)
        #expect(try AdminCommand.decode(line) == command)
        for end in line.indices { #expect(throws: JSONError.self) { try AdminCommand.decode(Array(line[..<end])) } }
    }

    @Test("an answer reads as it was written, in one line", arguments: answers)
    func answer(_ answer: Result<AdminAnswer, Rejection>) throws {
        let line = AdminAnswer.encode(answer)
        #expect(!line.contains(UInt8(ascii: "\n")))
        #expect(try AdminAnswer.decode(line) == answer)
        for end in line.indices { #expect(throws: JSONError.self) { _ = try AdminAnswer.decode(Array(line[..<end])) } }
    }

    @Test("a member that is missing, unknown or of another type is refused", arguments: [
        "{}", "[]", #"{"command":"dance"}"#, #"{"command":"token"}"#, #"{"command":"token","member":"x"}"#,
        #"{"command":"token","member":7}"#,
        #"{"command":"purge","now":1}"#, #"{"command":"purge","extra":"1"}"#, #"{"command":"purge"}{}"#, #"{"command":null}"#,
        #"{"command":"invite","family":"01910000-0000-7000-8000-000000000001","name":"A","role":"boss"}"#,
        #"{"command":{"a":1}}"#,
    ])
    func refuses(line: String) {
        #expect(throws: JSONError.self) { try AdminCommand.decode(Array(line.utf8)) }
        #expect(throws: JSONError.self) { _ = try AdminAnswer.decode(Array(line.utf8)) }
    }
}
