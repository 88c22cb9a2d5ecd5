internal import Arguments
internal import Dates
internal import Family
internal import Queries
internal import Terminal
internal import Words

/// The options of lists, derived from the queries of the kind: `--type visit --status attended --date upcoming --sort
/// name`.
enum ListOptions {
    /// The filters that have another spelling, or that a terminal does not ask for.
    private static let left: Set<Query.FilterKey> = [.types, .itinerary, .current, .about]

    static func options(_ kind: Kind) -> Set<String> { Set(declared(kind).filter { $0.value != nil }.flatMap(\.names)) }

    static func switches(_ kind: Kind) -> Set<String> { Set(declared(kind).filter { $0.value == nil }.flatMap(\.names)) }

    /// The options for the table of commands.
    static func declared(_ kind: Kind) -> [Command.Option] {
        let declaration = QueryDeclaration.of(kind)
        var options: [Command.Option] = [.init("--search", hint: "TEXT", value: .text, "anywhere in its texts, in any case")]
        if declaration.filters.contains(.date) {
            options.append(.init("--upcoming", "not over yet, soonest first"))
            options.append(.init("--past", "already over"))
        }
        options += declaration.filters.filter { !left.contains($0) }.map { option($0, declaration, kind) }
        if kind.declaration.scope == .athlete {
            options.append(.init("--athlete", hint: "NAME", value: .record([.member]), "of that athlete"))
        }
        if declaration.sorts.count > 1 {
            options.append(choice("--sort", declaration.sorts.map(\.rawValue), "the order"))
        }
        return options
    }

    /// The options that select the shown rows and fields: for programs and wide terminals.
    static func shown(_ kind: Kind) -> [Command.Option] {
        [
            .init("--columns", hint: "NAME,…", value: .word(RecordColumns.names(kind)), inConversation: false, "these columns: id, athlete, or fields (huddle help edit \(KindWords.singular(kind)[0]))"),
            .init("--limit", hint: "N", value: .number, inConversation: false, "at most N records"),
        ]
    }

    /// The options of several kinds, each once.
    static func declaredOfAll(_ kinds: [Kind]) -> [Command.Option] {
        var options: [Command.Option] = []
        for option in kinds.flatMap(declared) {
            guard let place = options.firstIndex(where: { $0.names == option.names }) else {
                options.append(option)
                continue
            }
            if case .word(let held)? = options[place].value, case .word(let more)? = option.value {
                let words = held + more.filter { !held.contains($0) }
                options[place].value = .word(words)
            }
        }
        return options
    }

    private static func option(_ key: Query.FilterKey, _ declaration: QueryDeclaration, _ kind: Kind) -> Command.Option {
        let name = word(key)
        return switch key {
        case .status: choice(name, Query.Status.allCases.map(\.rawValue), "its status")
        case .date: choice(name, Query.Window.allCases.map(\.rawValue), "when it is")
        case .shared: .init(name, "shared with a school")
        case .type: choice(name, declaration.types + (kind == .event ? ["visit"] : []), "its type")
        case .from: .init(name, hint: "DATE", value: .date, "that day or later")
        case .to: .init(name, hint: "DATE", value: .date, "that day or earlier")
        case .day: .init(name, hint: "DATE", value: .date, "on that day")
        case .school: .init(name, hint: "NAME", value: .record([.school]), "of that school")
        case .coach: .init(name, hint: "NAME", value: .record([.coach]), "of that coach")
        case .event: .init(name, hint: "NAME", value: .record([.event]), "of that event")
        case .trip: .init(name, hint: "NAME", value: .record([.trip]), "of that trip")
        default: .init(name, hint: "TEXT", value: .text, name)
        }
    }

    private static func choice(_ name: String, _ words: [String], _ summary: String) -> Command.Option {
        .init(name, hint: "WORD", value: .word(words), "\(summary): \(words.joined(separator: ", "))")
    }

    /// `school_id` becomes `--school`.
    private static func word(_ key: Query.FilterKey) -> String { "--" + key.rawValue.replacing("_id", with: "") }

    /// - Parameter words: the search text; `nil`: the words that belong to no option.
    static func filter(_ kind: Kind, _ list: ArgumentList, words: [String]? = nil) throws(UsageError) -> ListFilter {
        guard !(list.has("--upcoming") && list.has("--past")) else { throw UsageError("Take --upcoming or --past, not both.") }
        var filter = ListFilter(kind)
        if let window: Query.Window = try choice("--date", list) {
            filter.time =
                switch window {
                case .upcoming: .upcoming
                case .past: .past
                case .thisMonth: .thisMonth
                case .nextMonth: .nextMonth
                }
        }
        if list.has("--upcoming") { filter.time = .upcoming }
        if list.has("--past") { filter.time = .past }
        if let type = list.value("--type") {
            // Several types are separated by commas (R125).
            var types: Set<String> = []
            for word in type.split(separator: ",", omittingEmptySubsequences: false) {
                guard let more = ListFilter.types(String(word), of: kind) else {
                    let words = QueryDeclaration.of(kind).types + (kind == .event ? ["visit"] : [])
                    throw UsageError("--type takes one of \(words.joined(separator: ", ")).")
                }
                types.formUnion(more)
            }
            filter.types = types
        }
        filter.status = try choice("--status", list)
        filter.sort = try choice("--sort", list)
        if let sort = filter.sort, !QueryDeclaration.of(kind).sorts.contains(sort) {
            throw UsageError("--sort takes one of \(QueryDeclaration.of(kind).sorts.map(\.rawValue).joined(separator: ", ")).")
        }
        filter.from = try date("--from", list)
        filter.to = try date("--to", list)
        filter.day = try date("--day", list)
        if list.has("--shared") { filter.shared = true }
        if kind.declaration.scope == .athlete { filter.athlete = list.value("--athlete") }
        for key in [Query.FilterKey.school, .coach, .event, .trip] {
            if let name = list.value(word(key)) { filter.named[key] = name }
        }
        filter.limit = try list.integer("--limit", in: 1...100_000)
        if let columns = list.value("--columns") {
            filter.columns = try columns.split(separator: ",").map { word throws(UsageError) in
                guard let column = RecordColumns.column(String(word).trimmed, of: kind) else {
                    throw UsageError("\(kind.declaration.label) has no column '\(String(word).printable)'. There are: \(RecordColumns.names(kind).joined(separator: ", ")).")
                }
                return column
            }
            guard filter.columns?.isEmpty == false else { throw UsageError("--columns takes names with commas between, like name,start_date.") }
        }
        filter.text = ((list.value("--search").map { [$0] } ?? []) + (words ?? list.positional)).joined(separator: " ")
        return filter
    }

    private static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ option: String, _ list: ArgumentList
    ) throws(UsageError) -> Value? {
        guard let word = list.value(option) else { return nil }
        if let value = Value(rawValue: word) { return value }
        throw UsageError("\(option) takes one of \(Value.allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    static func date(_ option: String, _ list: ArgumentList) throws(UsageError) -> CalendarDate? {
        guard let text = list.value(option) else { return nil }
        if let date = CalendarDate(text) { return date }
        throw UsageError("\(option) takes a date, like 2026-12-01.")
    }
}
