import Arguments
import Bytes
import Dates
import Family
import Testing

@testable import Commands

@Suite("Passkeys as a person names them")
struct PasskeyQuestionTests {
    private static func passkey(_ number: UInt64, _ name: String) -> AccountPasskey {
        AccountPasskey(id: Identifier(high: 0x0191_0000_0000_7000, low: number), name: name, createdOn: .first)
    }

    private static let passkeys = [passkey(0xABCDEF, "Kitchen"), passkey(0xABCD00, "Phone"), passkey(0x123456, "phone")]

    private func act(_ text: String) throws -> AccountAct {
        try AccountQuestion.removePasskey(text).act(ShownSecrets(), Identifier(high: 0, low: 0), Self.passkeys) { name throws(UsageError) in
            throw UsageError("no member \(name)")
        }
    }

    @Test("A passkey is found by its name in any case, and by the beginning or end of its id")
    func finds() throws {
        for text in ["kitchen", "Kitchen", "abcdef", "ABCDEF", "\(Self.passkeys[0].id)"] {
            #expect(try act(text) == .removePasskey(Self.passkeys[0].id), "\(text)")
        }
    }

    @Test("Words that name several or none, or have too few letters, get a sentence before anything is sent", arguments: ["phone", "nobody", "def", "", "0191"])
    func refuses(text: String) {
        #expect(throws: UsageError.self) { try act(text) }
    }

    @Test("The reader reads every passkey command, and refuses half a command")
    func reads() throws {
        func action(_ line: String) throws -> CommandAction { try Invocation(line.split(separator: " ").map(String.init)).action }
        #expect(try action("passkeys") == .ask(.account(.passkeys)))
        #expect(try action("passkeys list") == .ask(.account(.passkeys)))
        #expect(try action("passkeys remove My phone") == .ask(.account(.removePasskey("My phone"))))
        for line in ["passkeys remove", "passkeys drop it", "passkeys list it"] {
            #expect(throws: UsageError.self, "\(line)") { try action(line) }
        }
    }
}
