package import Arguments
package import Family

/// What somebody asked the program `huddle` to do.
package struct Invocation: Hashable, Sendable {
    package enum Command: Hashable, Sendable {
        case interactive
        case help(topic: String?)
        case version
        case join(code: String)
        case list(ListFilter)
        case add(Kind, [FieldInput], athlete: String?)
        case edit(Kind, String, [FieldInput])
        case remove(Kind, String)
        case attend(String)
        case say(String)
        case watch(since: Since?)
        case ask(Question)
    }

    /// Where `watch` begins.
    package enum Since: Hashable, Sendable {
        /// After this sequence of the database that the server has now.
        case sequence(Int64)
        case cursor(epoch: String, sequence: Int64)
    }

    package var server: String?
    /// A file of certificates to trust.
    package var authorities: String?
    package var token: String?
    package var family: String?
    package var context: String?
    package var isJSON = false
    /// Milliseconds that a command may take.
    package var timeout: Int64 = 10_000
    package var command = Command.interactive

    private static let options: Set<String> = ["--server", "--tls-ca", "--token", "--family", "--context", "--timeout"]
    private static let switches: Set<String> = ["--json", "--help", "--version"]

    /// Reads the words after the program's name.
    ///
    /// - Throws: one sentence; the program ends with status 2.
    package init(_ words: [String]) throws(UsageError) {
        let place = Self.commandPlace(words)
        var rest = words
        let command = place.map { rest.remove(at: $0) }
        if words.contains("--help") || command == "help" {
            self.command = .help(topic: command == "help" ? rest.first { !$0.hasPrefix("--") } : command)
            return
        }
        switch command {
        case nil:
            let list = try arguments(rest)
            try list.expectNoPositional()
            if list.has("--version") { self.command = .version }
        case "join":
            let list = try arguments(rest)
            guard list.positional.count == 1, let code = list.positional.first else { throw UsageError("Write: huddle join CODE") }
            self.command = .join(code: code)
        case "say":
            let text = try arguments(rest).positional.joined(separator: " ").trimmed
            guard !text.isEmpty else { throw UsageError("Write: huddle say TEXT") }
            self.command = .say(text)
        case "watch":
            let list = try arguments(rest, options: ["--since"])
            try list.expectNoPositional()
            self.command = .watch(since: try list.value("--since").map(Self.since))
        case "events": self.command = try records(.event, rest)
        case "schools": self.command = try records(.school, rest)
        case "coaches": self.command = try records(.coach, rest)
        case "trips": self.command = try records(.trip, rest)
        case "items": self.command = try records(.tripItem, rest)
        case "metrics": self.command = try records(.metric, rest)
        case "interactions": self.command = try records(.interaction, rest)
        case "documents": self.command = try records(.document, rest)
        case "members": self.command = try list(.member, rest)
        case "messages": self.command = try list(.message, rest)
        case "history":
            let list = try arguments(rest, options: ["--before", "--limit"])
            let target = list.positional.isEmpty ? nil : list.positional.joined(separator: " ")
            self.command = .ask(.history(target: target, before: try list.sequence("--before"), limit: try list.limit()))
        case "since":
            let list = try arguments(rest)
            guard list.positional.count <= 1 else { throw UsageError("Write: huddle since, or huddle since SEQ") }
            self.command = .ask(.since(try list.positional.first.map(ArgumentList.sequence)))
        case "stats":
            let list = try arguments(rest)
            let kinds: [String: Kind] = ["events": .event, "documents": .document, "metrics": .metric]
            guard list.positional.count <= 1, let kind = list.positional.first.map({ kinds[$0] }) ?? .family else {
                throw UsageError("Write: huddle stats, or huddle stats events, documents or metrics")
            }
            self.command = .ask(.statistics(kind))
        case "access":
            let list = try arguments(rest, options: ["--before", "--limit"])
            try list.expectNoPositional()
            self.command = .ask(.accesses(before: list.value("--before"), limit: try list.limit()))
        case let other?: throw UsageError("There is no command '\(other.printable)'. See huddle --help.")
        }
    }

    private mutating func records(_ kind: Kind, _ words: [String]) throws(UsageError) -> Command {
        let place = Self.commandPlace(words)
        var rest = words
        switch place.map({ words[$0] }) {
        case "add" where kind.declaration.isCreatedByMutation:
            rest.remove(at: place ?? 0)
            let athlete: Set<String> = kind.declaration.scope == .athlete ? ["--athlete"] : []
            let (list, fields) = try self.fields(rest, kind, options: athlete)
            try list.expectNoPositional()
            return .add(kind, fields, athlete: list.value("--athlete"))
        case "edit":
            rest.remove(at: place ?? 0)
            let (list, fields) = try self.fields(rest, kind)
            guard list.positional.count == 1, let target = list.positional.first else {
                throw UsageError("Write: huddle \(Self.word(kind)) edit ID --field value")
            }
            guard !fields.isEmpty else { throw UsageError("Nothing to change: name a field, like --name \"…\".") }
            return .edit(kind, target, fields)
        case "rm":
            rest.remove(at: place ?? 0)
            return .remove(kind, try target(rest, "huddle \(Self.word(kind)) rm ID"))
        case "attend" where kind == .event:
            rest.remove(at: place ?? 0)
            return .attend(try target(rest, "huddle events attend ID"))
        default:
            return try list(kind, rest)
        }
    }

    private mutating func list(_ kind: Kind, _ words: [String]) throws(UsageError) -> Command {
        let list = try arguments(words, options: ListOptions.options(kind), switches: ListOptions.switches(kind))
        return .list(try ListOptions.filter(kind, list))
    }

    private mutating func target(_ words: [String], _ usage: String) throws(UsageError) -> String {
        let list = try arguments(words)
        guard list.positional.count == 1, let target = list.positional.first else { throw UsageError("Write: \(usage)") }
        return target
    }

    private mutating func arguments(
        _ words: [String], options: Set<String> = [], switches: Set<String> = []
    ) throws(UsageError) -> ArgumentList {
        let list = try ArgumentList(words, options: Self.options.union(options), switches: Self.switches.union(switches))
        try take(list)
        return list
    }

    private mutating func fields(
        _ words: [String], _ kind: Kind, options: Set<String> = []
    ) throws(UsageError) -> (rest: ArgumentList, fields: [FieldInput]) {
        let (list, fields) = try FieldOptions.parse(words, kind, options: Self.options.union(options), switches: Self.switches)
        try take(list)
        return (list, fields)
    }

    private mutating func take(_ list: ArgumentList) throws(UsageError) {
        server = list.value("--server")
        authorities = list.value("--tls-ca")
        token = list.value("--token")
        family = list.value("--family")
        context = list.value("--context")
        isJSON = list.has("--json")
        if let seconds = try list.integer("--timeout", in: 1...3_600) { timeout = Int64(seconds) * 1_000 }
    }

    /// The first word that is neither an option of every command nor its value.
    private static func commandPlace(_ words: [String]) -> Int? {
        var index = 0
        while index < words.count {
            let word = words[index]
            if word == "--" { return nil }
            if !word.hasPrefix("--") { return index }
            // Options of one command stand behind it, so that only these can be met here.
            index += options.contains(word) ? 2 : 1
        }
        return nil
    }

    private static func since(_ text: String) throws(UsageError) -> Since {
        let wrong = UsageError("--since takes SEQ or EPOCH:SEQ, as watch printed them.")
        if let colon = text.lastIndex(of: ":") {
            guard let sequence = Int64(text[text.index(after: colon)...]), sequence >= 0, sequence < 1 << 53, colon > text.startIndex else {
                throw wrong
            }
            return .cursor(epoch: String(text[..<colon]), sequence: sequence)
        }
        guard let sequence = Int64(text), sequence >= 0, sequence < 1 << 53 else { throw wrong }
        return .sequence(sequence)
    }

    /// The word of a kind's commands.
    package static func word(_ kind: Kind) -> String {
        switch kind {
        case .event: "events"
        case .school: "schools"
        case .coach: "coaches"
        case .member: "members"
        case .message: "messages"
        case .family: "families"
        case .trip: "trips"
        case .tripItem: "items"
        case .metric: "metrics"
        case .interaction: "interactions"
        case .document: "documents"
        case .readingPosition: "positions"
        }
    }
}

extension ArgumentList {
    /// A sequence of the family's history.
    fileprivate static func sequence(_ text: String) throws(UsageError) -> Int64 {
        guard let sequence = Int64(text), sequence >= 0, sequence < 1 << 53 else {
            throw UsageError("'\(text.printable)' is no sequence: huddle history prints them.")
        }
        return sequence
    }

    fileprivate func sequence(_ option: String) throws(UsageError) -> Int64? {
        guard let text = value(option) else { return nil }
        return max(1, try Self.sequence(text))
    }

    fileprivate func limit() throws(UsageError) -> Int {
        try integer("--limit", in: 1...200) ?? Question.usualLimit
    }
}
