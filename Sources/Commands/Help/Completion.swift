internal import Bytes
internal import Family
package import Words

/// What may stand for the last of the words behind `huddle`, by the table of commands and the records that are at hand.
package struct Completion {
    /// One word that fits, whole, and what it is (may be "").
    package struct Candidate: Hashable, Sendable {
        package var text: String
        package var summary: String
    }

    package enum Answer: Hashable, Sendable {
        case candidates([Candidate])
        /// The shell knows files better.
        case files

        /// A candidate a line, what it is behind a tab; a line with a tab alone for files.
        package var lines: String {
            switch self {
            case .candidates(let candidates): candidates.map { $0.summary.isEmpty ? $0.text + "\n" : "\($0.text)\t\($0.summary)\n" }.joined()
            case .files: "\tfiles\n"
            }
        }
    }

    /// Names that are offered at once: more than that nobody reads in a shell.
    static let mostNames = 200

    private let names: () -> RecordNames?
    /// What was deleted, for the command that restores.
    private let deleted: () -> RecordNames?
    private let profiles: () -> [String]
    /// Whether the words stand behind a slash: the conversation has commands of its own, and none of the program's options.
    private let isConversation: Bool
    /// The words before the last that belong to no option.
    private var positional: [String] = []
    private var command: Command?
    /// How many of `positional` are the command's own words.
    private var own = 0
    private var given: Set<String> = []
    /// Behind `--` there are no options.
    private var takesOptions = true

    /// - Parameters:
    ///   - words: behind `huddle`, or behind the slash; the last one unfinished, maybe empty.
    ///   - profiles: the names of the profiles on this machine; asked only when one may be meant.
    ///   - deleted: asked only when a deleted record is meant.
    ///   - names: asked only when a record may be meant; `nil` when none are kept.
    package static func answer(
        _ words: [String], inConversation: Bool = false, profiles: @escaping () -> [String] = { [] }, deleted: @escaping () -> RecordNames? = { nil },
        names: @escaping () -> RecordNames?
    ) -> Answer {
        var completion = Completion(names, deleted, profiles, inConversation)
        let current = words.last ?? ""
        let awaited = completion.read(words.dropLast())
        let answer = completion.answer(current, awaited)
        guard case .candidates(let candidates) = answer else { return answer }
        // Each once, as it stands in the table, names by their order.
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

    /// The options that may be given.
    private var taken: [Command.Option] {
        isConversation ? (command?.options ?? []).filter(\.isInConversation) : (command?.options ?? []) + CommandTable.common
    }

    /// - Returns: the option whose value comes next.
    private mutating func read(_ words: ArraySlice<String>) -> Command.Option? {
        var awaited: Command.Option?
        for word in words {
            if let option = awaited {
                awaited = nil
                // A flag by itself means yes, so that this may be another word already.
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
            // The full name only once it is being typed.
            let name = option.shortest.hasPrefix(current) ? option.shortest : option.names.first { $0.hasPrefix(current) } ?? option.shortest
            return Candidate(text: name, summary: option.summary)
        }
    }

    private func commandWords(_ forms: [([String], Command)], behind words: [String]) -> [Candidate] {
        forms.filter { $0.0.count > words.count && $0.0.starts(with: words) }
            .sorted { $0.0.count < $1.0.count }
            .map { form, command in Candidate(text: form[words.count], summary: form.count == words.count + 1 ? command.summary : "") }
    }

    /// The arguments that the next word may be, by those that stand there.
    private func places(_ command: Command) -> [Command.Argument] {
        let arguments = command.arguments
        /// Places that may be filled next, with the kind that a word before has named.
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

    /// A place, and those behind it that are reached by leaving out what may be left out.
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
            // Columns come with commas between.
            if let comma = current.lastIndex(of: ",") {
                .candidates(words.map { Candidate(text: $0, summary: "") }).prefixed(String(current[...comma]))
            } else {
                .candidates(words.map { Candidate(text: $0, summary: "") })
            }
        case .record(let kinds): .candidates(records(kinds, current))
        case .records(let kind):
            // Those before the last comma stand; a sign before the name stays.
            .candidates(records([kind], Self.lastName(current))).prefixed(String(current.dropLast(Self.lastName(current).count)))
        case .season: .candidates([Candidate(text: "all", summary: "everybody's season")] + athletes(current))
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

    /// Names that fit; the end of the id where several are called so.
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
    /// The same, with the server and the sign-in that are typed already: the names that are offered are those of where the command will go.
    ///
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
    /// `--type` of `--type=camp`; all of it when there is no value.
    fileprivate var beforeEquals: String { firstIndex(of: "=").map { String(self[..<$0]) } ?? self }

    fileprivate func hasFolded(prefix: String) -> Bool { lowercased().hasPrefix(prefix.lowercased()) }
}
