package import Bytes
internal import Commands
package import Family
package import Terminal
package import Words

extension Sigil {
    /// The kind of the records that this sigil names.
    package var kind: Kind? {
        switch self {
        case .person: .member
        case .event: .event
        case .trip: .trip
        case .command, .emoji: nil
        }
    }
}

/// The completions in the room, by sigil, from the commands and the records.
package enum Completions {
    package static func all(_ sigil: Sigil, _ names: RecordNames) -> LabelIndex<CompletionCandidate> {
        switch sigil {
        case .command: commands
        case .emoji: emoji
        case .person: people(names, speakers: [], viewer: nil)
        case .event: records(.event, names, "#")
        case .trip: records(.trip, names, "~")
        }
    }

    /// The members whom a message can address: the latest speaker comes first, the viewer comes last.
    ///
    /// - Parameter speakers: the members who spoke, the latest first.
    package static func people(_ names: RecordNames, speakers: [Identifier], viewer: Identifier?) -> LabelIndex<CompletionCandidate> {
        let order = Dictionary(speakers.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: min)
        func place(_ member: Record) -> Int { member.id == viewer ? .max : order[member.id] ?? speakers.count }
        let members = names.records(of: .member).map { ($0, RecordNames.name($0)) }.sorted { (place($0.0), $0.1) < (place($1.0), $1.1) }
        return LabelIndex(members.map { CompletionCandidate($1, insertion: "@" + $1, detail: $0.fields.text("role") ?? "") })
    }

    /// The words that can come next in a command, as Tab offers them; `nil` if there are none, or if the line is not a
    /// command.
    ///
    /// - Parameters:
    ///   - characters: the characters of the line; the word that ends at `cursor` is completed.
    ///   - deleted: the records that can be restored.
    package static func next(_ characters: [Character], cursor: Int, _ names: RecordNames, _ keymap: Keymap = ViewCommands.defaultKeymap(), deleted: @escaping () -> RecordNames? = { nil }) -> CompletionMenu? {
        let line = String(characters.prefix(cursor))
        if let menu = keys(line, cursor, keymap) { return menu }
        guard line.hasPrefix("/"), !line.hasPrefix("//"), line.contains(where: \.isWhitespace), ActionMessage.of(line) == nil else { return nil }
        let (words, start) = SlashCommand.unfinished(String(line.dropFirst()))
        guard case .candidates(let found) = Completion.answer(words, inConversation: true, deleted: deleted, names: { names }) else { return nil }
        return CompletionMenu(
            CompletionWord(.command, words.last ?? "", start + 1..<max(cursor, start + 1)),
            fitting: found.map { CompletionCandidate($0.text, insertion: SlashCommand.quoted($0.text), detail: $0.summary) })
    }

    /// The words that can come next after `/bind` and `/unbind`: modes, bound keys with their actions, and actions.
    private static func keys(_ line: String, _ cursor: Int, _ keymap: Keymap) -> CompletionMenu? {
        var words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let verb = words.first, verb == "/bind" || verb == "/unbind", line.count > verb.count else { return nil }
        let current = line.last?.isWhitespace == true ? "" : words.removeLast()
        let mode = words.dropFirst().first.flatMap { $0.hasPrefix("@") && $0.count > 1 ? String($0.dropFirst()) : nil }
        var found: [(text: String, detail: String)] = []
        if words.count == 1 { found += ViewCommands.modes.sorted().map { ("@" + $0, "there alone") } }
        // An action follows a key.
        if verb == "/bind", words.count > (mode == nil ? 1 : 2) { found += ViewCommands.names.sorted().map { ($0, keymap.keys(of: $0, in: mode ?? Keymap.everywhere).first ?? "") } }
        found += keymap.bound.filter { mode == nil || $0.mode == mode }.map { ($0.keys, $0.action) }
        var seen: Set<String> = []
        let fitting = found.filter { $0.text.lowercased().hasPrefix(current.lowercased()) && seen.insert($0.text).inserted }
        return CompletionMenu(
            CompletionWord(.command, current, cursor - current.count..<cursor),
            fitting: fitting.map { CompletionCandidate($0.text, insertion: $0.text, detail: $0.detail) })
    }

    private static let commands = LabelIndex(
        CommandTable.all.flatMap { command in
            command.slash.prefix(1).map { words in
                let text = "/" + words.joined(separator: " ")
                return CompletionCandidate(text, insertion: text, detail: command.summary)
            }
        })

    private static let emoji = LabelIndex(Emoji.table.map { CompletionCandidate($0.name, insertion: $0.emoji, detail: $0.emoji) })

    /// The records of a kind; records with dates come latest first.
    private static func records(_ kind: Kind, _ names: RecordNames, _ sigil: String) -> LabelIndex<CompletionCandidate> {
        let records = names.records(of: kind)
        let dates = records.map { $0.fields.text("start_date") ?? "" }
        return LabelIndex(
            dates.indices.sorted { dates[$0] > dates[$1] }.map { place in
                let name = RecordNames.name(records[place])
                return CompletionCandidate(name, insertion: sigil + name, detail: dates[place])
            })
    }
}
