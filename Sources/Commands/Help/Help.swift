internal import Family
internal import JSON
internal import Terminal
internal import Words

/// The texts of `huddle --help` and `/help`, made from the table of commands.
package enum Help {
    /// - Parameter topic: the words of a command, or the first of them; `nil` for all.
    package static func text(_ topic: String?) -> String {
        let words = (topic ?? "").split(separator: " ").map(String.init)
        let page = page(words)
        let commands = matching(words, \.words)
        guard !words.isEmpty, !commands.isEmpty else { return page.isEmpty ? general + "\n" : page.joined(separator: "\n") + "\n" }
        return (page.isEmpty ? "" : page.joined(separator: "\n") + "\n\n") + joined(commands, as: words, prefix: "huddle ", words: \.words)
    }

    /// The same in the conversation.
    package static func conversation(_ topic: String?) -> [String] {
        let words = (topic ?? "").split(separator: " ").map { $0.hasPrefix("/") ? String($0.dropFirst()) : String($0) }
        let page = page(words)
        let commands = matching(words, \.slash).map(\.asInConversation)
        guard page.isEmpty || !commands.isEmpty else { return page }
        let text = words.isEmpty || commands.isEmpty ? slashes : joined(commands, as: words, prefix: "/", words: \.slash)
        return (page.isEmpty ? [] : page + [""]) + text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether help has a page or a command for these words.
    package static func knows(_ topic: String, inConversation: Bool = false) -> Bool {
        let words = topic.split(separator: " ").map { $0.hasPrefix("/") ? String($0.dropFirst()) : String($0) }
        return words.isEmpty || !page(words).isEmpty || !matching(words, inConversation ? \.slash : \.words).isEmpty
    }

    /// The page of a topic; empty if the words name no topic.
    private static func page(_ words: [String]) -> [String] { words.count == 1 ? HelpTopic(rawValue: words[0])?.lines ?? [] : [] }

    /// The table for programs: one object per line.
    ///
    /// - Parameter topic: as in `text`; a topic that fits nothing selects all commands.
    package static func json(_ topic: String?) -> [UInt8] {
        let words = (topic ?? "").split(separator: " ").map(String.init)
        let found = matching(words, \.words)
        var octets: [UInt8] = []
        for command in (found.isEmpty ? CommandTable.all : found) where !command.words.isEmpty {
            var writer = JSONWriter(appendingTo: octets)
            write(command, &writer)
            octets = writer.octets + [UInt8(ascii: "\n")]
        }
        return octets
    }

    private static func write(_ command: Command, _ writer: inout JSONWriter) {
        func strings(_ key: StaticString, _ values: [String]) {
            writer.key(key)
            writer.beginArray()
            for value in values { writer.string(value) }
            writer.endArray()
        }
        writer.beginObject()
        strings("commands", command.words.map { $0.joined(separator: " ") })
        writer.key("usage")
        writer.string(command.usage)
        writer.key("summary")
        writer.string(command.summary)
        writer.key("json")
        writer.boolean(command.output != nil)
        writer.key("options")
        writer.beginArray()
        for option in command.options {
            writer.beginObject()
            strings("names", option.names)
            if !option.hint.isEmpty {
                writer.key("value")
                writer.string(option.hint)
            }
            if case .word(let words)? = option.value { strings("words", words) }
            writer.key("required")
            writer.boolean(option.isRequired)
            writer.key("summary")
            writer.string(option.summary)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// The command of these words; otherwise the commands that begin with them.
    private static func matching(_ words: [String], _ forms: (Command) -> [[String]]) -> [Command] {
        guard !words.isEmpty else { return [] }
        let exact = CommandTable.all.filter { forms($0).contains(words) }
        let longer = CommandTable.all.filter { command in !exact.contains(command) && forms(command).contains { $0.starts(with: words) } }
        if !exact.isEmpty { return exact + longer }
        if !longer.isEmpty { return longer }
        return words.count > 1 ? matching(Array(words.dropLast()), forms) : []
    }

    /// - Parameter topic: the words that were asked for; the commands that begin with them are shown.
    private static func joined(_ commands: [Command], as topic: [String], prefix: String, words: (Command) -> [[String]]) -> String {
        func usage(_ command: Command) -> String {
            let form = words(command).first { $0 == topic } ?? words(command).first { $0.starts(with: topic) } ?? words(command).first ?? []
            return prefix + (form + [command.argumentUsage]).filter { !$0.isEmpty }.joined(separator: " ")
        }
        guard commands.count > 1 else { return commands.map { details($0, usage: usage($0), words: words) }.joined() }
        // The notes that several commands share are printed once, behind the first of them.
        let heads = rows(commands.map { ["  " + usage($0), $0.summary] })
        let withFields = commands.first { !$0.fieldOptions.isEmpty }
        let others = Set(commands.map(\.kind)).count > 1
        let first = commands[0].plainOptions.isEmpty ? [] : [""] + rows(commands[0].plainOptions.map(row))
        let fields = others ? [] : withFields.map { ["", "Fields:"] + rows($0.fieldOptions.map(row)) } ?? []
        return (heads + first + fields).joined(separator: "\n") + "\n"
    }

    private static func details(_ command: Command, usage: String, words: (Command) -> [[String]]) -> String {
        var lines = [usage]
        let also = words(command).filter { !usage.contains($0.joined(separator: " ")) }.map { $0.joined(separator: " ") }
        if !also.isEmpty { lines.append("  also: " + also.joined(separator: ", ")) }
        lines += ["", sentence(command.summary)]
        if !command.notes.isEmpty { lines.append(command.notes) }
        if !command.plainOptions.isEmpty { lines += [""] + rows(command.plainOptions.map(row)) }
        if !command.fieldOptions.isEmpty { lines += ["", "Fields:"] + rows(command.fieldOptions.map(row)) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let general: String = {
        var lines = ["huddle: a family's recruiting season, together.", ""]
        var table: [[String]] = []
        for section in Command.Section.allCases {
            let commands = CommandTable.all.filter { $0.section == section && !$0.words.isEmpty }
            table += grouped(commands, usage: \.usage, prefix: "huddle ")
        }
        lines += rows(table)
        lines += ["", "KIND and LIST: " + CommandTable.kinds.map { KindWords.singular($0)[0] + ", " + KindWords.plural($0) }.joined(separator: "; ")]
        lines += ["", "Options of every command:"] + rows(CommandTable.common.map(row))
        lines += ["", "Topics (huddle help TOPIC):"] + rows(HelpTopic.allCases.map { ["  " + $0.rawValue, $0.summary] })
        lines += ["", "Ends with 0 done, 1 failed, 2 wrong use, 3 refused, 4 conflict, 5 offline."]
        return lines.joined(separator: "\n")
    }()

    private static let slashes: String = {
        var table: [[String]] = []
        for section in Command.Section.allCases {
            table += grouped(CommandTable.all.filter { $0.section == section && !$0.slash.isEmpty }, usage: \.slashUsage, prefix: "/")
        }
        return (["Type to say something to the family. Commands:"] + rows(table) + [
            "N and ID: a number of the last list, an id or a name. /events has what is ahead; /events past, /events all the rest.",
            "/help add event lists the fields. Topics: " + HelpTopic.allCases.map { "/help \($0.rawValue)" }.joined(separator: ", ") + ".",
        ]).joined(separator: "\n")
    }()

    /// One row for each command; commands that differ only in their kind share one.
    private static func grouped(_ commands: [Command], usage: (Command) -> String, prefix: String) -> [[String]] {
        var seen: Set<Command.Verb> = []
        return commands.compactMap { command in
            guard seen.insert(command.verb).inserted else { return nil }
            switch (command.section, command.verb) {
            case (.records, .list): return ["  \(prefix)LIST [TEXT]", "events, schools, … of the family; TEXT is searched"]
            case (.records, .show): return ["  \(prefix)KIND N", "one record in full: /event 2"]
            case (.records, .add): return ["  \(prefix)add KIND FIELD=VALUE…", "add a record: add event type=camp name=\"Fall Camp\" start=2026-12-01"]
            case (.records, .edit): return ["  \(prefix)edit KIND ID FIELD=VALUE…", "change one: edit event \"Fall Camp\" cost=150"]
            // This command is listed with the other changes, for records of any kind.
            case (.records, .remove), (.records, .restore): return nil
            default: return ["  " + usage(command), command.summary]
            }
        }
    }

    private static func row(_ option: Command.Option) -> [String] {
        ["  " + option.usage, option.summary + (option.isRequired ? " (required)" : "")]
    }

    /// Two columns. A left cell that is too wide gets a line of its own.
    static func rows(_ rows: [[String]]) -> [String] {
        let widest = 34
        let width = rows.map { TextWidth.of($0[0]) }.filter { $0 <= widest }.max() ?? 0
        return rows.flatMap { row -> [String] in
            if TextWidth.of(row[0]) > width { return [row[0], String(repeating: " ", count: width + 2) + row[1]] }
            return [TextWidth.pad(row[0], to: width + 2) + row[1]]
        }
    }

    private static func sentence(_ summary: String) -> String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }
}
