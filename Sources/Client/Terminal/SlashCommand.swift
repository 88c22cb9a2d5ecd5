package import Arguments
package import Family

/// What somebody typed in the interactive mode: a message, or a command that begins with a slash.
package enum SlashCommand: Hashable, Sendable {
    case nothing
    case say(String)
    case help
    case list(ListFilter)
    /// A number of the list shown last, or anything that names the record.
    case show(Kind, String)
    case add(Kind, [FieldInput], athlete: String?)
    case edit(Kind, String, [FieldInput])
    case attend(String)
    case remove(Kind, String)
    case context(String)
    case ask(Question)
    case drafts
    case retry(String)
    case drop(String)
    case quit

    package static func parse(_ line: String) throws(UsageError) -> SlashCommand {
        let line = line.trimmed
        guard !line.isEmpty else { return .nothing }
        guard line.hasPrefix("/") else { return .say(line) }
        // Two slashes say something that begins with one.
        if line.hasPrefix("//") { return .say(String(line.dropFirst())) }
        var words = try split(String(line.dropFirst()))
        guard !words.isEmpty else { return .help }
        let command = words.removeFirst()
        switch command {
        case "help", "h", "?": return .help
        case "events": return .list(events(words))
        case "event": return .show(.event, try one(words, "/event N"))
        case "school": return .show(.school, try one(words, "/school N"))
        case "coach": return .show(.coach, try one(words, "/coach N"))
        case "trip": return .show(.trip, try one(words, "/trip N"))
        case "item": return .show(.tripItem, try one(words, "/item N"))
        case "metric": return .show(.metric, try one(words, "/metric N"))
        case "interaction": return .show(.interaction, try one(words, "/interaction N"))
        case "document": return .show(.document, try one(words, "/document N"))
        case "schools": return try records(.school, words)
        case "coaches": return try records(.coach, words)
        case "members": return try records(.member, words)
        case "trips": return try records(.trip, words)
        case "items": return try records(.tripItem, words)
        case "metrics": return try records(.metric, words)
        case "interactions": return try records(.interaction, words)
        case "documents": return try records(.document, words)
        case "add":
            let kind = kind(words.first)
            if kind != nil { words.removeFirst() }
            return try add(kind ?? .event, words)
        case "edit": return try edit(.event, words, "/edit N --field value")
        case "attend": return .attend(try one(words, "/attend N"))
        case "rm": return .remove(.event, try one(words, "/rm N"))
        case "context": return .context(try one(words, "/context NAME, or /context all"))
        case "history":
            let target = words.isEmpty ? nil : words.joined(separator: " ")
            return .ask(.history(target: target, before: nil, limit: Question.usualLimit))
        case "since": return .ask(.since(nil))
        case "stats": return .ask(.statistics(statistics(words.first)))
        case "access": return .ask(.accesses(before: nil, limit: Question.usualLimit))
        case "older": return .ask(.olderMessages(before: nil))
        case "drafts": return .drafts
        case "retry": return .retry(try one(words, "/retry N"))
        case "drop": return .drop(try one(words, "/drop N"))
        case "quit", "q", "exit": return .quit
        default: throw UsageError("There is no command /\(command.printable). See /help.")
        }
    }

    package static let helpText = """
        Type to say something to the family. Commands:
          /events              what is ahead; also: /events past, all, or words to look for
          /event N             one event in full
          /add                 a new event, field by field; or /add --name "Fall Camp" …
          /edit N --cost 150   change an event: each field is an option
          /attend N            mark it attended            /rm N   delete it
          /schools /coaches    lists; also /school N, /coach N, /schools add|edit|rm …
          /trips /items        the trips and what is planned on them; /trip N, /trips add …
          /metrics /interactions /documents   results, contacts with coaches, files
          /members             who is in the family
          /history, /history N the family's history, or one event's: who changed what
          /since               what happened since you last looked; /stats, /access
          /older               older messages
          /context NAME        whose season you look at; /context all for everybody's
          /drafts              what was refused; /retry N sends it again, /drop N forgets it
          /quit                leave
        N is a number of the last list, an id or a name. huddle events --help has all fields.
        """

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

    private static func statistics(_ word: String?) -> Kind {
        switch word {
        case "events": .event
        case "documents": .document
        case "metrics": .metric
        default: .family
        }
    }

    private static func events(_ words: [String]) -> ListFilter {
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

    private static func records(_ kind: Kind, _ words: [String]) throws(UsageError) -> SlashCommand {
        let command = Invocation.word(kind)
        let rest = Array(words.dropFirst())
        switch words.first {
        case "add" where kind.declaration.isCreatedByMutation: return try add(kind, rest)
        case "edit": return try edit(kind, rest, "/\(command) edit N --field value")
        case "rm" where kind != .member: return .remove(kind, try one(rest, "/\(command) rm N"))
        default:
            var filter = ListFilter(kind)
            filter.text = words.joined(separator: " ")
            return .list(filter)
        }
    }

    private static func add(_ kind: Kind, _ words: [String]) throws(UsageError) -> SlashCommand {
        let options: Set<String> = kind.declaration.scope == .athlete ? ["--athlete"] : []
        let (rest, fields) = try FieldOptions.parse(words, kind, options: options)
        try rest.expectNoPositional()
        return .add(kind, fields, athlete: rest.value("--athlete"))
    }

    private static func edit(_ kind: Kind, _ words: [String], _ usage: String) throws(UsageError) -> SlashCommand {
        let (rest, fields) = try FieldOptions.parse(words, kind)
        guard rest.positional.count == 1, let target = rest.positional.first, !fields.isEmpty else { throw UsageError("Write: \(usage)") }
        return .edit(kind, target, fields)
    }

    private static func one(_ words: [String], _ usage: String) throws(UsageError) -> String {
        guard !words.isEmpty else { throw UsageError("Write: \(usage)") }
        return words.joined(separator: " ")
    }

    private static func kind(_ word: String?) -> Kind? {
        switch word {
        case "event": .event
        case "school": .school
        case "coach": .coach
        case "trip": .trip
        case "item": .tripItem
        case "metric": .metric
        case "interaction": .interaction
        default: nil
        }
    }
}
