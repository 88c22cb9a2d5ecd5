internal import Bytes
internal import Family
package import Words

/// The completions of the last word behind `huddle`, from the table of commands and the records on this machine.
package struct Completion {
    /// One candidate: the whole word, and a description (may be "").
    package struct Candidate: Hashable, Sendable {
        package var text: String
        package var summary: String
    }

    package enum Answer: Hashable, Sendable {
        case candidates([Candidate])
        /// The shell completes file names better.
        case files

        /// One candidate per line, its description behind a tab. A line with only a tab asks the shell for file names.
        package var lines: String {
            switch self {
            case .candidates(let candidates): candidates.map { $0.summary.isEmpty ? $0.text + "\n" : "\($0.text)\t\($0.summary)\n" }.joined()
            case .files: "\tfiles\n"
            }
        }
    }

    /// The largest number of names that are offered. Nobody reads more in a shell.
    static let mostNames = 200

    private let names: () -> RecordNames?
    /// The deleted records, for the command that restores.
    private let deleted: () -> RecordNames?
    private let profiles: () -> [String]
    /// Whether the words follow a slash. The conversation has commands of its own, and none of the program's options.
    private let isConversation: Bool
    /// The words before the last one that belong to no option.
    private var positional: [String] = []
    private var command: Command?
    /// How many of `positional` are the command's own words.
    private var own = 0
    private var given: Set<String> = []
    /// Behind `--` there are no options.
    private var takesOptions = true

    /// - Parameters:
    ///   - words: behind `huddle`, or behind the slash; the last one unfinished, maybe empty.
    ///   - profiles: the names of the profiles on this machine; called only when a word may name a profile.
    ///   - deleted: called only when a word may name a deleted record.
    ///   - names: called only when a word may name a record; returns `nil` when none are kept.
    package static func answer(
        _ words: [String], inConversation: Bool = false, profiles: @escaping () -> [String] = { [] }, deleted: @escaping () -> RecordNames? = { nil },
        names: @escaping () -> RecordNames?
    ) -> Answer {
        var completion = Completion(names, deleted, profiles, inConversation)
        let current = words.last ?? ""
        let awaited = completion.read(words.dropLast())
        let answer = completion.answer(current, awaited)
        guard case .candidates(let candidates) = answer else { return answer }
        // Each candidate once: commands in the order of the table, names in their own order.
        var seen: Set<String> = []
        return .candidates(candidates.filter { $0.text.hasFolded(prefix: current) && seen.insert($0.text).inserted })
    }

    private init(_ names: @escaping () -> RecordNames?, _ deleted: @escaping () -> RecordNames?, _ profiles: @escaping () -> [String], _ isConversation: Bool) {
        self.names = names
        self.deleted = deleted
        self.profiles = profiles
        self.isConversation = isConversation
    }

    private func forms(_ command: Command) -> [[String]] { isConversation ? command.slash : command.words }

    /// The options that the command takes.
    private var taken: [Command.Option] {
        isConversation ? (command?.options ?? []).filter(\.isInConversation) : (command?.options ?? []) + CommandTable.common
    }

    /// - Returns: the option whose value comes next.
    private mutating func read(_ words: ArraySlice<String>) -> Command.Option? {
        var awaited: Command.Option?
        for word in words {
            if let option = awaited {
                awaited = nil
                // A flag by itself means yes, so this word may be a new one.
                guard option.isFlag, !Self.flagWords.contains(word) else { continue }
            }
            if takesOptions, word == "--" {
                takesOptions = false
            } else if takesOptions, word.hasPrefix("--") {
                let name = word.beforeEquals
                guard let option = option(name) else { continue }
                given.formUnion(option.names)
                if option.value != nil, name == word { awaited = option }
            } else {
                positional.append(word)
                if let found = isConversation ? CommandTable.slash(positional) : CommandTable.command(positional) { (command, own) = (found.command, found.count) }
            }
        }
        return awaited
    }

    private func answer(_ current: String, _ awaited: Command.Option?) -> Answer {
        var found: [Candidate] = []
        if let awaited, let value = awaited.value {
            let answer = values(value, current)
            guard awaited.isFlag, case .candidates(let flags) = answer else { return answer }
            found = flags
        }
        if takesOptions, current.hasPrefix("-") {
            let name = current.beforeEquals
            if name != current, let option = option(name), let value = option.value {
                return values(value, String(current.dropFirst(name.count + 1))).prefixed(name + "=")
            }
            return .candidates(found + options(current))
        }
        let field = current.beforeEquals
        if field != current, let option = command?.fieldOptions.first(where: { $0.names.contains("--" + field.replacing("_", with: "-")) }),
            let value = option.value
        {
            return values(value, String(current.dropFirst(field.count + 1))).prefixed(field + "=")
        }
        found += commandWords(CommandTable.all.flatMap { command in forms(command).map { ($0, command) } }, behind: positional)
        guard let command else { return .candidates(found) }
        for place in places(command) {
            switch values(place.value, current) {
            case .files: return .files
            case .candidates(let more): found += more
            }
        }
        return .candidates(found)
    }

    private func option(_ name: String) -> Command.Option? {
        taken.first { $0.names.contains(name) }
    }

    private func options(_ current: String) -> [Candidate] {
        let left = taken.filter { $0.repeats || given.isDisjoint(with: $0.names) }
        return left.map { option in
            // The full name is offered only once the user types it.
            let name = option.shortest.hasPrefix(current) ? option.shortest : option.names.first { $0.hasPrefix(current) } ?? option.shortest
            return Candidate(text: name, summary: option.summary)
        }
    }

    private func commandWords(_ forms: [([String], Command)], behind words: [String]) -> [Candidate] {
        forms.filter { $0.0.count > words.count && $0.0.starts(with: words) }
            .sorted { $0.0.count < $1.0.count }
            .map { form, command in Candidate(text: form[words.count], summary: form.count == words.count + 1 ? command.summary : "") }
    }

    /// The arguments that the next word may fill, given the words before it.
    private func places(_ command: Command) -> [Command.Argument] {
        let arguments = command.arguments
        /// The arguments that may be filled next, each with the kind that an earlier word has named.
        var open = reach(0, nil, arguments)
        for word in positional.dropFirst(own) {
            var next: [(Int, Kind?)] = []
            for (index, kind) in open where index < arguments.count {
                var named = kind
                if case .word(let words) = arguments[index].value {
                    guard words.contains(word) else { continue }
                    named = CommandTable.kind(word) ?? kind
                }
                next += reach(arguments[index].repeats ? index : index + 1, named, arguments)
            }
            open = next
        }
        return open.compactMap { index, kind in
            guard index < arguments.count else { return nil }
            var argument = arguments[index]
            if let kind, case .record(let kinds) = argument.value, kinds.contains(kind) { argument.value = .record([kind]) }
            return argument
        }
    }

    /// An argument, and the later ones that the word reaches if optional arguments are left out.
    private func reach(_ index: Int, _ kind: Kind?, _ arguments: [Command.Argument]) -> [(Int, Kind?)] {
        var found = [(index, kind)]
        var index = index
        while index < arguments.count, !arguments[index].isRequired {
            index += 1
            found.append((index, kind))
        }
        return found
    }

    // MARK: Values

    private static let flagWords = ["yes", "no"]

    private func values(_ value: Command.Value, _ current: String) -> Answer {
        switch value {
        case .word(let words):
            // Several columns are separated by commas.
            if let comma = current.lastIndex(of: ",") {
                .candidates(words.map { Candidate(text: $0, summary: "") }).prefixed(String(current[...comma]))
            } else {
                .candidates(words.map { Candidate(text: $0, summary: "") })
            }
        case .record(let kinds): .candidates(records(kinds, current))
        case .records(let kind):
            // The names before the last comma are kept, and so is a sign before the name.
            .candidates(records([kind], Self.lastName(current))).prefixed(String(current.dropLast(Self.lastName(current).count)))
        case .season: .candidates([Candidate(text: "all", summary: "everyone's season")] + athletes(current))
        case .file: .files
        case .profile: .candidates(profiles().map { Candidate(text: $0, summary: "") })
        case .field: .candidates((command?.fieldOptions ?? []).map { Candidate(text: $0.shortest.dropFirst(2) + "=", summary: $0.summary) })
        case .command:
            .candidates(
                commandWords(CommandTable.all.flatMap { command in forms(command).map { ($0, command) } }, behind: Array(positional.dropFirst(own)))
                    + (positional.count == own ? HelpTopic.allCases.map { Candidate(text: $0.rawValue, summary: $0.summary) } : []))
        case .setting: .candidates(ScreenSetting.allCases.map { Candidate(text: $0.rawValue, summary: $0.summary) })
        case .settingValue:
            .candidates(
                positional.dropFirst(own).first.flatMap { ScreenSetting(rawValue: $0.lowercased()) }.map { setting in
                    (setting.words + [ScreenSetting.byDefault]).map { Candidate(text: $0, summary: "") }
                } ?? [])
        case .text, .date, .time, .moment, .zone, .url, .number, .amount, .json, .code, .sequence, .pageMark: .candidates([])
        }
    }

    private static func lastName(_ current: String) -> String {
        let name = current.lastIndex(of: ",").map { current[current.index(after: $0)...] } ?? current[...]
        return String(name.drop { $0 == "+" || $0 == "-" })
    }

    private func athletes(_ current: String) -> [Candidate] {
        guard let names = names() else { return [] }
        return candidates(names.records(of: .member).filter { $0.fields.text("role") == Role.athlete.rawValue }, current)
    }

    private func records(_ kinds: [Kind], _ current: String) -> [Candidate] {
        guard let names = command?.verb == .restore ? deleted() : names() else { return [] }
        return Array(kinds.flatMap { candidates(names.records(of: $0), current) }.prefix(Self.mostNames))
    }

    /// The names that fit. If several records have the same name, the end of the id is offered as well.
    private func candidates(_ records: [Record], _ current: String) -> [Candidate] {
        let named = records.map { ($0, RecordNames.name($0)) }
        let count = Dictionary(named.map { ($0.1.lowercased(), 1) }, uniquingKeysWith: +)
        return named.sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }.compactMap { record, name in
            let label = record.kind.declaration.label.lowercased()
            let day = record.kind.declaration.index(of: "start_date").flatMap { _ in record.fields.text("start_date") }.map { " " + $0 } ?? ""
            let isClear = !name.isEmpty && count[name.lowercased()] == 1
            let text = isClear ? name : String(record.id.description.suffix(12))
            guard text.hasFolded(prefix: current) else { return nil }
            return Candidate(text: text, summary: isClear ? label + day : "\(label)\(day) \(name)")
        }
    }
}

extension Completion.Answer {
    fileprivate func prefixed(_ prefix: String) -> Completion.Answer {
        guard case .candidates(let candidates) = self else { return self }
        return .candidates(candidates.map { Completion.Candidate(text: prefix + $0.text, summary: $0.summary) })
    }
}

extension Invocation {
    /// The same invocation with the server and the sign-in that the user has typed: the names come from the server to
    /// which the command will connect.
    /// - Parameter words: behind `huddle`, the last one unfinished.
    package func connecting(as words: [String]) -> Invocation {
        var invocation = self
        var awaited: String?
        for word in words.dropLast().prefix(while: { $0 != "--" }) {
            if let name = awaited {
                invocation.connect(name, word)
                awaited = nil
            } else if let option = CommandTable.common.first(where: { $0.names.contains(word.beforeEquals) }), option.value != nil {
                let name = word.beforeEquals
                if name == word { awaited = name } else { invocation.connect(name, String(word.dropFirst(name.count + 1))) }
            }
        }
        return invocation
    }

    private mutating func connect(_ option: String, _ value: String) {
        switch option {
        case "--server": server = value
        case "--tls-ca": authorities = value
        case "--token": token = value
        case "--token-file": tokenFile = value
        case "--profile": profile = value
        case "--family": family = value
        default: break
        }
    }
}

extension Command.Option {
    fileprivate var isFlag: Bool { field != nil && value == .word(["yes", "no"]) }
}

extension String {
    /// `--type` of `--type=camp`; the whole text if there is no value.
    fileprivate var beforeEquals: String { firstIndex(of: "=").map { String(self[..<$0]) } ?? self }

    fileprivate func hasFolded(prefix: String) -> Bool { lowercased().hasPrefix(prefix.lowercased()) }
}
