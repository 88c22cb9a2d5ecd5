package import Arguments
internal import Family
internal import Terminal
internal import Words

/// A command line of the program `huddle`.
package struct Invocation: Hashable, Sendable {
    package var server: String?
    /// A file of certificates to trust.
    package var authorities: String?
    package var token: String?
    /// The file with the token; "-" for standard input.
    package var tokenFile: String?
    /// The name of the profile to use.
    package var profile: String?
    package var family: String?
    package var context: String?
    package var isJSON = false
    /// Prints lines on a terminal too, for screen readers.
    package var isPlain = false
    /// Whether only the copy on this machine may be used.
    package var isOffline = false
    /// Milliseconds that a command may take.
    package var timeout: Int64 = 10_000
    /// The reason why items of a trip may be at the same time; `nil` if the person did not accept that.
    package var acceptance: String?
    /// Whether a list is shown again whenever it has changed.
    package var isWatched = false
    package var action = CommandAction.interactive

    /// Reads the words after the program's name.
    ///
    /// - Throws: one sentence; the program ends with status 2.
    package init(_ words: [String]) throws(UsageError) {
        var words = words
        let places = Self.wordPlaces(words)
        // A dash means standard input, as in other programs.
        if let first = places.first, words[first] == "-" { words[first] = "batch" }
        let leading = places.map { words[$0] }
        let found = CommandTable.command(leading)
        if words.prefix(while: { $0 != "--" }).contains("--help") || leading.first == "help" {
            let topic = leading.first == "help" ? Array(leading.dropFirst()) : Array(leading.prefix(found?.count ?? 1))
            let options = words.prefix { $0 != "--" }
            isJSON = options.contains("--json")
            action = leading.first == "help" && options.contains("--man") ? .manual : .help(topic: topic.isEmpty ? nil : topic.joined(separator: " "))
            return
        }
        guard let (command, count) = found else { throw Self.unknown(leading) }
        var rest = words
        for place in places.prefix(count).reversed() { rest.remove(at: place) }
        let reader = try CommandReader(command, rest, common: CommandTable.common)
        take(reader.list)
        if let seconds = try reader.list.integer("--timeout", in: 1...3_600) { timeout = Int64(seconds) * 1_000 }
        if command.verb == .converse, reader.list.has("--version") {
            action = .version
        } else {
            action = try reader.action()
            acceptance = try reader.acceptance()
        }
        isWatched = reader.list.has("--watch")
        if token != nil, tokenFile != nil { throw UsageError("Both --token and --token-file are given. Leave one of them out.") }
        if tokenFile == "-", readsStandardInput {
            throw UsageError("\(action == .interactive ? "The conversation" : "batch") reads standard input itself. Give --token-file a file.")
        }
        if isWatched, isOffline { throw UsageError("--watch needs the server: leave --offline out.") }
        if isJSON, case .list(let filter) = action, filter.columns != nil { throw UsageError("--columns is for the table, and JSON has every field. Leave --json or --columns out.") }
        if isJSON, command.output == nil, action != .version { throw Self.noJSON(command) }
    }

    private static func noJSON(_ command: Command) -> UsageError {
        switch command.verb {
        case .export: UsageError("export writes CSV or PDF. For JSON take the list: huddle events --json")
        case .converse: UsageError("The conversation is for people. For JSON name a command, or take huddle watch --json, huddle batch --json.")
        default: UsageError("\(command.words.first?.joined(separator: " ") ?? "This") has no --json.")
        }
    }

    private var readsStandardInput: Bool {
        switch action {
        case .interactive, .batch: true
        default: false
        }
    }

    private mutating func take(_ list: ArgumentList) {
        server = list.value("--server")
        authorities = list.value("--tls-ca")
        token = list.value("--token")
        tokenFile = list.value("--token-file")
        profile = list.value("--profile")
        family = list.value("--family")
        context = list.value("--context")
        isJSON = list.has("--json")
        isPlain = list.has("--plain")
        isOffline = list.has("--offline")
    }

    /// The first words that are neither an option of every command nor its value. A command's own options follow its
    /// words, so the word after any other option may be that option's value.
    private static func wordPlaces(_ words: [String]) -> [Int] {
        var places: [Int] = []
        var index = 0
        while index < words.count {
            let word = words[index]
            if word == "--" { break }
            if word.hasPrefix("--") {
                let name = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
                guard let option = CommandTable.common.first(where: { $0.names.contains(name) }) else { break }
                index += option.value != nil && name == word ? 2 : 1
            } else {
                places.append(index)
                index += 1
            }
        }
        return places
    }

    private static func unknown(_ words: [String]) -> UsageError {
        let word = words.first ?? ""
        let behind = CommandTable.all.flatMap(\.words).filter { $0.first == word && $0.count == 2 }.map { $0[1] }
        guard !behind.isEmpty else { return UsageError("There is no command '\(word.printable)'" + (Nearest.command(word).map { ": did you mean huddle \($0)?" } ?? ". See huddle --help.")) }
        return UsageError("Write: huddle \(word) KIND …, with KIND one of \(behind.joined(separator: ", ")).")
    }
}
