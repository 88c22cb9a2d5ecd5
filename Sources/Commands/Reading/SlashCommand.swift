package import Arguments
package import Family
internal import Terminal
internal import Words

/// A line that a person typed in the interactive mode: a message, or a command that begins with a slash.
package enum SlashCommand: Hashable, Sendable {
    case nothing
    /// An action that the program `huddle` has as well.
    case action(CommandAction)
    /// A number in the list that was shown last, or any name of the record.
    case show(Kind, String)
    case context(String)
    case drafts
    /// `acceptance`: the reason why the overlap that the refusal reported is intended.
    case retry(String, acceptance: String?)
    case drop(String)
    case conflicts
    /// A draft's number, and the words of the choice.
    case resolve(String, [String])
    case quit
    /// Clears the program's own lines from the screen.
    case clear
    /// Finds messages and changes with these words.
    case find(String)
    /// The state of connection and outbox, in sentences.
    case status
    /// Connects to the server now.
    case reconnect
    /// Settings and keys.
    case configure(SettingRequest)

    /// - Parameter kind: the kind of the list that was shown last, to which a bare number refers.
    package static func parse(_ line: String, about kind: Kind = .event) throws(UsageError) -> SlashCommand {
        let line = line.trimmed
        guard !line.isEmpty else { return .nothing }
        guard line.hasPrefix("/") else { return .action(.say(line)) }
        // Two slashes begin a message that starts with one.
        if line.hasPrefix("//") { return .action(.say(String(line.dropFirst()))) }
        // An apostrophe in an action message does not open a quotation.
        if ActionMessage.of(line) != nil { return .action(.say(line)) }
        // Keys are not quotation marks, and an action contains none.
        let bare = line.dropFirst().split(whereSeparator: \.isWhitespace).map(String.init)
        if let (found, _) = CommandTable.slash(Array(bare.prefix(1))), found.verb == .bind || found.verb == .unbind { return .configure(.bind(bare)) }
        let words = try split(String(line.dropFirst()))
        guard let first = words.first else { return .action(.help(topic: nil)) }
        guard let (found, count) = CommandTable.slash(words) else {
            if let elsewhere = elsewhere(words) { throw UsageError(elsewhere) }
            throw UsageError("There is no command /\(first.printable)" + (Nearest.slash(first).map { ": did you mean /\($0)?" } ?? ". See /help."))
        }
        let rest = Array(words.dropFirst(count))
        var command = found
        if command.verb == .edit, count == 1, rest.first.flatMap({ Int($0) }) != nil { command = CommandTable.command(.edit, kind) ?? found }
        if command.verb == .list, command.kind == .event, let filter = events(rest) { return .action(.list(filter)) }
        if command.verb == .list, command.kind == .document, let word = rest.first, CommandTable.documents.contains(where: { $0.words.contains { $0.last == word } }) {
            throw UsageError("Files are carried on the page of documents (Alt-4), or in another terminal: huddle docs \(word) …")
        }
        // The words of a notify command may begin with dashes.
        if command.verb == .set { return .configure(try SettingRequest.set(rest)) }
        let reader = try CommandReader(command, rest, isConversation: true)
        switch command.verb {
        case .show: return .show(command.kind ?? .event, try reader.one())
        case .context: return .context(try reader.one())
        case .drafts: return .drafts
        case .retry: return .retry(try reader.one(), acceptance: try reader.acceptance())
        case .drop: return .drop(try reader.one())
        case .conflicts: return .conflicts
        case .resolve:
            guard let number = reader.list.positional.first else { throw reader.usage }
            return .resolve(number, Array(reader.list.positional.dropFirst()))
        case .quit: return .quit
        case .clear: return .clear
        case .find: return .find(try reader.one())
        case .status: return .status
        case .reconnect: return .reconnect
        // `/me` with words was read above.
        case .actionMessage: throw reader.usage
        default: return .action(try reader.action())
        }
    }

    /// The place to do something that has no slash command; `nil` for words that `huddle` does not know either.
    private static func elsewhere(_ words: [String]) -> String? {
        guard let (command, count) = CommandTable.command(words), count > 0 else { return nil }
        let shell = "in another terminal: huddle \(words.prefix(count).joined(separator: " ")) …"
        switch command.verb {
        case .say: return "Leave /say out: text without a slash goes to the family."
        case .export: return "That is done \(shell) On the full screen E among the events (Alt-2) does it, too."
        default: return "That is done \(shell)"
        }
    }

    /// Words with quotes ("…", '…') and backslashes, as a shell splits them.
    package static func split(_ text: String) throws(UsageError) -> [String] {
        let (words, _, quote) = read(text)
        guard quote == nil else { throw UsageError("A quotation mark is missing.") }
        return words
    }

    /// The words of a line that is still being typed, the last one possibly empty, and the position where the last word
    /// begins.
    ///
    /// - Returns: the position in characters of `text`.
    package static func unfinished(_ text: String) -> (words: [String], start: Int) {
        let (words, start, _) = read(text)
        return start.map { (words, $0) } ?? (words + [""], text.count)
    }

    /// - Returns: the words, the position in `text` of the word at its end, and the quote that is open there.
    private static func read(_ text: String) -> (words: [String], start: Int?, quote: Character?) {
        var words: [String] = []
        var word: String?
        var start = 0
        var quote: Character?
        var escaped = false
        for (place, character) in text.enumerated() {
            if word == nil, !character.isWhitespace { start = place }
            if escaped {
                word = (word ?? "") + String(character)
                escaped = false
            } else if character == "\\", quote != "'" {
                escaped = true
                word = word ?? ""
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard let word else { return (words, nil, nil) }
        return (words + [word], start, quote)
    }

    /// A word with the quotes that it needs to be read as one word.
    package static func quoted(_ word: String) -> String {
        guard word.contains(where: { $0.isWhitespace || "\"'\\".contains($0) }) else { return word }
        return "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func events(_ words: [String]) -> ListFilter? {
        // Options are read as in every other command.
        guard !words.contains(where: { $0.hasPrefix("--") }) else { return nil }
        var filter = ListFilter(.event)
        filter.time = .upcoming
        switch words.first {
        case "upcoming": filter.text = words.dropFirst().joined(separator: " ")
        case "past":
            filter.time = .past
            filter.text = words.dropFirst().joined(separator: " ")
        case "all":
            filter.time = .all
            filter.text = words.dropFirst().joined(separator: " ")
        case nil: break
        default:
            // A search covers all times.
            filter.time = .all
            filter.text = words.joined(separator: " ")
        }
        return filter
    }
}
