import Commands
import Family
import Terminal
import Testing
import Words

@Suite("The table of commands")
struct CommandTableTests {
    @Test("No words mean two commands, behind huddle or behind the slash")
    func unambiguous() {
        for forms in [CommandTable.all.flatMap(\.words), CommandTable.all.flatMap(\.slash)] {
            #expect(Set(forms).count == forms.count, "\(Dictionary(grouping: forms) { $0 }.filter { $1.count > 1 }.keys)")
            #expect(forms.allSatisfy { $0.allSatisfy { !$0.hasPrefix("-") && !$0.isEmpty } })
        }
        #expect(CommandTable.all.allSatisfy { !$0.words.isEmpty || !$0.slash.isEmpty })
    }

    @Test("Every verb belongs to a command")
    func verbs() {
        #expect(Set(CommandTable.all.map(\.verb)) == Set(Command.Verb.allCases))
    }

    @Test("No command has an option twice, or an option that every command has; each option has a description", arguments: CommandTable.all)
    func options(command: Command) {
        let names = (command.options + CommandTable.common).flatMap(\.names)
        #expect(Set(names).count == names.count, "\(Dictionary(grouping: names) { $0 }.filter { $1.count > 1 }.keys)")
        for option in command.options {
            #expect(option.names.allSatisfy { $0.hasPrefix("--") } && !option.summary.isEmpty)
            #expect((option.value == nil) == option.hint.isEmpty, "\(option.names)")
            if case .word(let words)? = option.value { #expect(!words.isEmpty) }
        }
        #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."))
    }

    @Test("Commands add, edit, list and remove records of every kind that mutations write, by its fields")
    func kinds() {
        for kind in Kind.allCases where kind.declaration.isCreatedByMutation && ![.message, .readingPosition, .reminderRule].contains(kind) {
            for verb in [Command.Verb.list, .add, .edit, .remove] { #expect(CommandTable.command(verb, kind) != nil, "\(verb) \(kind)") }
            let fields = CommandTable.command(.add, kind)?.fieldOptions.compactMap(\.field)
            #expect(fields == kind.declaration.fields.indices.filter { !kind.declaration.fields[$0].isServerOnly })
            #expect(CommandTable.kind(KindWords.plural(kind)) == kind)
            #expect(CommandTable.kind("\(kind.name)") == kind)
        }
    }

    @Test("The reader finds every command of the program by its words, and help shows its usage and options", arguments: CommandTable.all)
    func help(command: Command) {
        for words in command.words where !words.isEmpty {
            #expect(CommandTable.command(words)?.command == command)
            #expect(CommandTable.command(words + ["x"])?.count == words.count)
            let help = Help.text(words.joined(separator: " "))
            #expect(help.contains("huddle \(words.joined(separator: " ")) \(command.argumentUsage)".trimmed))
            for option in command.plainOptions where CommandTable.command(words)?.count == words.count && words.count > 1 {
                #expect(help.contains(option.usage))
            }
        }
        for words in command.slash {
            #expect(CommandTable.slash(words)?.command == command)
            // Help of the conversation mentions no option that the conversation does not know.
            for option in command.options where !option.isInConversation {
                #expect(!Help.conversation("/" + words.joined(separator: " ")).contains { $0.hasPrefix("  \(option.usage)") })
            }
            #expect(Help.conversation("/" + words.joined(separator: " ")).joined(separator: "\n").contains("/\(words.joined(separator: " ")) \(command.argumentUsage)".trimmed))
        }
    }

    @Test("Help without a topic names every command once, on lines that fit")
    func general() {
        let help = Help.text(nil)
        for words in ["join", "add KIND", "edit KIND", "rm", "restore", "undo", "shift", "copy", "attend", "itinerary", "export", "history", "watch"] {
            #expect(help.contains("huddle \(words)"), "\(words)")
        }
        #expect(Help.text("no such thing") == help)
        let slashes = Help.conversation(nil).joined(separator: "\n")
        for words in ["LIST", "add KIND", "undo", "drafts", "retry", "context", "quit", "itinerary"] { #expect(slashes.contains("/\(words)"), "\(words)") }
        #expect(!slashes.contains("/export"))
    }

    @Test("Topics have a page each, in the program and in the conversation, beside a command of the same name", arguments: HelpTopic.allCases)
    func topics(topic: HelpTopic) {
        let page = topic.lines
        #expect(page.count >= 3 && page.allSatisfy { $0.hasSuffix(".") || $0.hasSuffix("CODE") } && !topic.summary.hasSuffix("."))
        #expect(Help.text(topic.rawValue).hasPrefix(page.joined(separator: "\n")))
        #expect(Array(Help.conversation(topic.rawValue).prefix(page.count)) == page)
        #expect(Help.text(nil).contains(topic.rawValue) && Help.conversation(nil).contains { $0.contains("/help \(topic.rawValue)") })
        // The conversation understands every command that a page shows.
        for command in page.flatMap({ $0.matches(of: #/\/([a-z]+)/#).map { String($0.output.1) } }) where !["config", "huddle", "profile", "local", "state"].contains(command) {
            #expect(CommandTable.slash([command]) != nil, "/\(command)")
        }
        #expect(Help.text("documents").contains("huddle documents [TEXT…]"))
    }

    @Test("Usage shows the required and the optional words")
    func usage() {
        #expect(CommandTable.command(["shift"])?.command.usage == "huddle shift [KIND] ID DAYS")
        #expect(CommandTable.command(["events", "add"])?.command.usage == "huddle events add [FIELD=VALUE…]")
        #expect(CommandTable.slash(["attend"])?.command.slashUsage == "/attend EVENT")
    }
}
