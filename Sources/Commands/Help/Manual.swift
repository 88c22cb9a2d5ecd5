internal import Family
internal import Words

/// The manual page huddle(1) in roff, from the table of commands.
///
/// Source: man(7), man-pages(7).
package enum Manual {
    /// - Parameter version: the version of the program.
    package static func roff(version: String) -> String {
        var page = Page()
        page.lines = [".\\\" Written by: huddle help --man", ".TH HUDDLE 1 \"\" \"Huddle \(version)\" \"User Commands\""]
        page.section("NAME")
        page.text("huddle \\- a family's recruiting season, together", isEscaped: true)
        page.section("SYNOPSIS")
        for usage in ["huddle [OPTION…]", "huddle COMMAND [WORD…] [OPTION…]"] {
            page.lines.append(".B " + escaped(usage))
            page.lines.append(".br")
        }
        page.section("DESCRIPTION")
        page.text("Huddle keeps what a family knows of its athletes' recruiting: events, schools, coaches, trips, results, contacts, documents, and what the family says to each other. "
            + "Without a command, huddle is the conversation: on a terminal a full screen, else, and with --plain, lines in and out. With one it does that and ends.")
        commands(&page)
        page.section("OPTIONS")
        page.text("Every command takes these, before or behind its name.")
        options(CommandTable.common, &page)
        filtersAndFields(&page)
        page.section("IN THE CONVERSATION")
        page.text("Text without a slash goes to the family; two slashes send text that begins with one. Other commands:")
        var seen: Set<Command.Verb> = []
        for command in CommandTable.all where command.words.isEmpty && !command.slash.isEmpty && seen.insert(command.verb).inserted {
            page.entry(command.verb == .show ? "/KIND N" : command.slashUsage, command.verb == .show ? "one record in full" : command.summary, command.notes)
        }
        page.section("TOPICS")
        for topic in HelpTopic.allCases {
            page.lines.append(".SS " + topic.rawValue)
            for line in topic.lines { page.paragraph(line) }
        }
        rest(&page)
        return page.lines.joined(separator: "\n") + "\n"
    }

    private static func commands(_ page: inout Page) {
        page.section("COMMANDS")
        page.text("KIND and LIST are: " + CommandTable.kinds.map { KindWords.singular($0)[0] + ", " + KindWords.plural($0) }.joined(separator: "; ") + ".")
        for section in Command.Section.allCases where section != .screen {
            page.lines.append(".SS " + escaped(section.rawValue))
            var seen: Set<Command.Verb> = []
            for command in CommandTable.all where command.section == section && !command.words.isEmpty {
                entry(command, isFirst: seen.insert(command.verb).inserted, &page)
            }
        }
        for command in CommandTable.all where command.section == .screen && !command.words.isEmpty { entry(command, isFirst: true, &page) }
    }

    /// Commands that differ only in their kind share one entry.
    private static func entry(_ command: Command, isFirst: Bool, _ page: inout Page) {
        let isGeneral = command.section == .records && command.verb != .attend
        guard isFirst || !isGeneral else { return }
        switch (isGeneral, command.verb) {
        case (true, .list):
            page.entry("huddle LIST [TEXT…] [FILTER…]", "list events, schools and so on; TEXT is searched", "See FILTERS.")
            options([CommandTable.watch], &page, isNested: true)
        case (true, .add): page.entry("huddle add KIND FIELD=VALUE…", "add a record", command.notes + " See FIELDS.")
        case (true, .edit): page.entry("huddle edit KIND ID FIELD=VALUE…", "change a record", command.notes + " See FIELDS.")
        // This command is listed with the other changes, for records of any kind.
        case (true, .remove), (true, .restore): break
        default:
            page.entry(command.usage, command.summary, command.notes)
            guard command.verb != .export else { return }
            options(command.options, &page, isNested: true)
        }
    }

    private static func options(_ options: [Command.Option], _ page: inout Page, isNested: Bool = false) {
        guard !options.isEmpty else { return }
        if isNested { page.lines.append(".RS") }
        for option in options { page.entry(option.usage, option.summary + (option.isRequired ? " (required)" : ""), "", isSentence: false) }
        if isNested { page.lines.append(".RE") }
    }

    private static func filtersAndFields(_ page: inout Page) {
        page.section("FILTERS")
        page.text("Of lists and exports, as far as the kind has them.")
        options(ListOptions.declaredOfAll(CommandTable.kinds), &page)
        page.section("FIELDS")
        page.text("A field is written --field VALUE or field=VALUE; an empty value clears it.")
        for kind in CommandTable.kinds {
            guard let command = CommandTable.command(.add, kind) ?? CommandTable.command(.edit, kind), !command.fieldOptions.isEmpty else { continue }
            page.lines.append(".SS " + escaped("Of " + KindWords.plural(kind)))
            options(command.fieldOptions, &page)
        }
    }

    private static func rest(_ page: inout Page) {
        page.section("EXIT STATUS")
        for (status, meaning) in [
            ("0", "done"), ("1", "failed: the server ended the connection for good, or a file cannot be read or written"),
            ("2", "wrong use; nothing was sent"), ("3", "refused by the rules, or the sign-in is not known"),
            ("4", "conflict: somebody changed the same in the meantime, nothing was overwritten"), ("5", "offline: no server, or no answer in time"),
        ] { page.entry(status, meaning, "", isSentence: false) }
        page.section("ENVIRONMENT")
        for (name, meaning) in [
            ("HUDDLE_SERVER", "the server, if neither --server nor --profile names one"),
            ("HUDDLE_TOKEN", "the sign-in token, if no --token-file, --token or --profile is given"),
            ("HUDDLE_PROFILE", "the profile, if --profile names none"),
            ("HUDDLE_CA", "certificates to trust, where --tls-ca names none"), ("VISUAL, EDITOR", "the editor for long texts"),
            ("NO_COLOR", "no colours"), ("XDG_CONFIG_HOME, XDG_STATE_HOME", "where the files are, else ~/.config and ~/.local/state"),
        ] { page.entry(name, meaning, "", isSentence: false) }
        page.section("FILES")
        for (name, meaning) in [
            ("~/.config/huddle/profile.json", "the server, the sign-in and the family"),
            ("~/.config/huddle/profiles/NAME.json", "the same, of --profile NAME"),
            ("~/.config/huddle/config", "settings of the full screen, one per line: bind, unbind, and set " + ScreenSetting.allCases.map(\.rawValue).joined(separator: ", set ")),
            ("~/.local/state/huddle", "the copy of the family's records, waiting changes, and uploads under way"),
        ] { page.entry(name, meaning, "", isSentence: false) }
        page.section("SEE ALSO")
        page.text("proto/cli.md of the sources has what scripts may rely on.")
    }

    /// Plain text as roff reads it: no escapes, no requests, dashes that can be copied.
    static func escaped(_ text: String) -> String {
        let safe = text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "~": "\\(ti"
            case "^": "\\(ha"
            case "…": "..."
            case "\"": "\\(dq"
            default: String(character)
            }
        }.joined()
        return safe.hasPrefix(".") || safe.hasPrefix("'") ? "\\&" + safe : safe
    }

    /// The lines of the page as it grows.
    private struct Page {
        var lines: [String] = []

        mutating func section(_ name: String) { lines.append(".SH " + (name.contains(" ") ? "\"\(name)\"" : name)) }

        mutating func text(_ text: String, isEscaped: Bool = false) { lines.append(isEscaped ? text : escaped(text)) }

        mutating func paragraph(_ text: String) {
            lines.append(".PP")
            self.text(text)
        }

        /// Adds a heading and its explanation, indented.
        mutating func entry(_ head: String, _ summary: String, _ notes: String, isSentence: Bool = true) {
            lines.append(".TP")
            lines.append(".B " + escaped(head))
            let first = isSentence ? summary.prefix(1).uppercased() + summary.dropFirst() + "." : summary
            lines.append(escaped(first))
            if !notes.isEmpty { lines.append(escaped(notes)) }
        }
    }
}
