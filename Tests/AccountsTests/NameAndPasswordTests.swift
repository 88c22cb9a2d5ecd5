import Folding
import TestSupport
import Testing

@testable import Accounts

@Suite("Sign-in names")
struct SignInNameTests {
    @Test("A name has 3 to 64 characters when it is folded")
    func lengths() throws {
        #expect(throws: SignInName.Refusal.tooShort) { try SignInName("") }
        #expect(throws: SignInName.Refusal.tooShort) { try SignInName("ab") }
        #expect(try SignInName("abc").text == "abc")
        #expect(try SignInName(String(repeating: "x", count: 64)).text.count == 64)
        #expect(throws: SignInName.Refusal.tooLong) { try SignInName(String(repeating: "x", count: 65)) }
        #expect(try SignInName("日本語").text == "日本語")
        // Marks are not characters of their own, and one sign can fold to 18.
        #expect(throws: SignInName.Refusal.tooShort) { try SignInName("e\u{301}\u{302}\u{303}a\u{301}") }
        #expect(throws: SignInName.Refusal.tooLong) { try SignInName(String(repeating: "\u{FDFA}", count: 4)) }
        #expect(throws: SignInName.Refusal.tooLong) { try SignInName("abc" + String(repeating: "\u{301}", count: 200)) }
    }

    @Test("Names that differ in case, accents or invisible characters only are one name", arguments: [
        ("Mira", "mIRA"), ("José Ñandú", "jose nandu"), ("Straße", "STRASSE"), ("Łódź", "lodz"), ("mira", "mi\u{200B}ra"), ("ﬁona", "fiona"), ("ＭＩＲＡ", "mira"),
    ])
    func folded(left: String, right: String) throws {
        let (left, right) = (try SignInName(left), try SignInName(right))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(SignInThrottle.Account(left) == SignInThrottle.Account(right))
    }

    @Test("Blanks at the ends and control characters are refused")
    func characters() {
        for text in [" mira", "mira ", "\u{A0}mira", "mira\u{3000}"] { #expect(throws: SignInName.Refusal.blankAtEnd) { try SignInName(text) } }
        for text in ["mi\nra", "mi\u{0}ra", "mira\u{7F}", "\tmira", "mi\u{2028}ra", "mi\u{E000}ra"] {
            #expect(throws: SignInName.Refusal.invisible) { try SignInName(text) }
        }
        #expect(throws: Never.self) { try SignInName("mira o'neill+1@example.org") }
    }
}

@Suite("Rules for passwords")
struct PasswordRulesTests {
    private let name = try! SignInName("Mira Ö")

    private func refusal(_ password: [UInt8], isKnown: ([UInt8]) -> Bool = { _ in false }) -> PasswordRules.Refusal? {
        do {
            try PasswordRules.check(password, name: name, isKnown: isKnown)
            return nil
        } catch { return error }
    }

    @Test("A password must have 10 to 256 octets of any values")
    func lengths() {
        for count in [0, 1, 9] { #expect(refusal([UInt8](repeating: 0, count: count)) == .tooShort) }
        for count in [10, 11, 256] { #expect(refusal([UInt8](repeating: 0, count: count)) == nil) }
        for count in [257, 100_000] { #expect(refusal([UInt8](repeating: 0, count: count)) == .tooLong) }
        #expect(refusal(Array(0x80...0xFF)) == nil)
        #expect(refusal(Array("ßßßßß".utf8)) == nil)
    }

    @Test("A password that contains the name in any spelling is refused")
    func containsName() {
        for text in ["mira ö and more", "xxxxMIRA Oxxxx", "12345678mira o\u{308}"] { #expect(refusal(Array(text.utf8)) == .containsName) }
        #expect(refusal(Array("mir ao mir ao".utf8)) == nil)
    }

    @Test("A known password is refused; the list is asked for no password that breaks another rule")
    func known() {
        var asked: [[UInt8]] = []
        let password = Array("correct horse".utf8)
        #expect(refusal(password) { asked.append($0); return true } == .known)
        #expect(asked == [password])
        #expect(refusal(Array("short".utf8)) { asked.append($0); return true } == .tooShort)
        #expect(refusal(Array("mira o mira o".utf8)) { asked.append($0); return true } == .containsName)
        #expect(asked.count == 1)
    }
}
