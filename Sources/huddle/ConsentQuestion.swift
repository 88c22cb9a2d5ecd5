import Family
import Posix
import Terminal

/// Shows a parent the text of consent and asks for the consent.
enum ConsentQuestion {
    /// The text as a terminal shows it.
    static func shown(_ text: ConsentText) -> String {
        text.text.printableLines.joined(separator: "\n") + "\nVersion: \(text.version.printable), SHA-256 \(text.digest)\n\n"
    }

    /// - Parameters:
    ///   - athlete: as the parent typed the name.
    ///   - accepted: the version that the parent has read before; `nil`: the parent is asked on the terminal.
    /// - Returns: the text to which the parent consents.
    /// - Throws: a sentence if the parent does not consent, or read another version.
    static func ask(_ text: ConsentText, for athlete: String, accepted: String?) throws -> ConsentText {
        if let accepted {
            guard accepted == text.version else {
                throw ProgramFailure(.refused, "The text in force is \(text.version.printable). Read it with: huddle consents --text. Nothing was changed.")
            }
            return text
        }
        Standard.write(output: shown(text))
        guard let answer = TerminalQuestion.ask("Do you consent to a sign-in for \(athlete.printable)? Type yes: ") else {
            throw ProgramFailure(.usage, "Nobody can be asked here. If you have read the text, add: --accept \(text.version.printable)")
        }
        guard answer.lowercased() == "yes" else { throw ProgramFailure(.refused, "You did not consent. Nothing was changed.") }
        return text
    }
}
