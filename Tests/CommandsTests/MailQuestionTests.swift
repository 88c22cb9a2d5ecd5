import Arguments
import Family
import Testing

@testable import Commands

@Suite("The e-mail address on the command line")
struct MailQuestionTests {
    private func action(_ line: String) throws -> CommandAction { try Invocation(line.split(separator: " ").map(String.init)).action }

    @Test("The reader sets, confirms and removes the address, and mails a code to a person who cannot sign in")
    func reads() throws {
        #expect(try action("mail") == .ask(.account(.show)))
        #expect(try action("mail show") == .ask(.account(.show)))
        #expect(try action("mail set ana@example.org") == .ask(.account(.setMail("ana@example.org"))))
        #expect(try action("mail confirm 7K3QX-00000-11111-ZZZZZ") == .ask(.account(.confirmMail("7K3QX-00000-11111-ZZZZZ"))))
        #expect(try action("mail remove") == .ask(.account(.removeMail)))
        #expect(try action("sign-in --name ana --mail") == .askForMail("ana"))
    }

    @Test("Half a command does nothing", arguments: [
        "mail set", "mail confirm", "mail remove ana@example.org", "mail ana@example.org", "mail set a b", "sign-in --mail", "sign-in --name ana --mail --recovery",
    ])
    func refuses(line: String) {
        #expect(throws: UsageError.self) { try action(line) }
    }
}
