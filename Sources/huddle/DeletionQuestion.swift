import Arguments
import Posix
import Terminal

/// Explains the deletion of the family to a parent, and asks for the family's name.
enum DeletionQuestion {
    private static let text = """
        The family and everything in it will be erased 14 days from now: records, messages, documents, sign-ins of people who are in no other family,
        tokens and share links. All members see your request, and until then any parent can withdraw it: huddle family keep
        Backups that were made earlier keep the family until they are removed.
        Take a copy first, if you want one: huddle export family FILE

        """

    /// - Returns: the typed name.
    /// - Throws: a sentence, if nobody can be asked or the person types nothing.
    static func ask() throws -> String {
        guard Standard.isTerminal(Standard.input), Standard.isTerminal(Standard.output) else {
            throw UsageError("Nobody can be asked here. Write: huddle family delete --name \"NAME\", with the family's name.")
        }
        Standard.write(output: text + "\nType the family's name to ask for its deletion: ")
        guard let name = readLine(), !name.allSatisfy(\.isWhitespace) else { throw ProgramFailure(.usage, "Nothing was done.") }
        return name
    }
}
