package import Arguments
package import Family

/// What somebody typed in the interactive mode: a message, or a command that begins with a slash.
package enum SlashCommand: Hashable, Sendable {
    case nothing
    /// What the program `huddle` can do as well.
    case action(Invocation.Action)
    /// A number of the list shown last, or anything that names the record.
    case show(Kind, String)
    case context(String)
    case drafts
    /// `acceptance`: why what the refusal told may be so.
    case retry(String, acceptance: String?)
    case drop(String)
    case conflicts
    /// A draft's number, and words that choose.
    case resolve(String, [String])
    case quit

    /// - Parameter kind: of the list that was shown last, which a bare number is about.
    package static func parse(_ line: String, about kind: Kind = .event) throws(UsageError) -> SlashCommand {
        let line = line.trimmed
        guard !line.isEmpty else { return .nothing }
        guard line.hasPrefix("/") else { return .action(.say(line)) }
        // Two slashes say something that begins with one.
        if line.hasPrefix("//") { return .action(.say(String(line.dropFirst()))) }
        let words = try split(String(line.dropFirst()))
        guard let first = words.first else { return .action(.help(topic: nil)) }
        guard let (found, count) = CommandTable.slash(words) else { throw UsageError("There is no command /\(first.printable). See /help.") }
        let rest = Array(words.dropFirst(count))
        var command = found
        if command.verb == .edit, count == 1, rest.first.flatMap({ Int($0) }) != nil { command = CommandTable.command(.edit, kind) ?? found }
        if command.verb == .list, command.kind == .event, let filter = events(rest) { return .action(.list(filter)) }
        if command.verb == .list, command.kind == .document, let word = rest.first, CommandTable.documents.contains(where: { $0.words.contains { $0.last == word } }) {
            throw UsageError("Files are carried on the page of documents (Alt-4), or in another terminal: huddle docs \(word) …")
        }
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
        default: return .action(try reader.action())
        }
    }

    /// Words with quotes ("…", '…') and backslashes, as a shell splits them.
    package static func split(_ text: String) throws(UsageError) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var escaped = false
        for character in text {
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
        guard quote == nil else { throw UsageError("A quotation mark is missing.") }
        if let word { words.append(word) }
        return words
    }

    private static func events(_ words: [String]) -> ListFilter? {
        // Options are read as everywhere.
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
            // A search looks everywhere.
            filter.time = .all
            filter.text = words.joined(separator: " ")
        }
        return filter
    }
}
