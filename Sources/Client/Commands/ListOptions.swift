internal import Arguments
internal import Dates
internal import Family
internal import Queries

/// The options of lists, read off what queries of the kind know: `--type visit --status attended --date upcoming --sort name`.
enum ListOptions {
    /// Those that are spelled otherwise, or are no question of a terminal.
    private static let left: Set<Query.FilterKey> = [.types, .itinerary, .current, .about]

    static func options(_ kind: Kind) -> Set<String> {
        let declaration = QueryDeclaration.of(kind)
        var options = Set(declaration.filters.filter { !left.contains($0) && $0 != .shared }.map(word))
        options.insert("--search")
        if declaration.sorts.count > 1 { options.insert("--sort") }
        return options
    }

    static func switches(_ kind: Kind) -> Set<String> {
        let filters = QueryDeclaration.of(kind).filters
        var switches: Set<String> = []
        if filters.contains(.date) { switches.formUnion(["--upcoming", "--past"]) }
        if filters.contains(.shared) { switches.insert("--shared") }
        return switches
    }

    /// `school_id` is `--school`.
    private static func word(_ key: Query.FilterKey) -> String { "--" + key.rawValue.replacing("_id", with: "") }

    static func filter(_ kind: Kind, _ list: ArgumentList) throws(UsageError) -> ListFilter {
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
            guard let types = ListFilter.types(type, of: kind) else {
                let words = QueryDeclaration.of(kind).types + (kind == .event ? ["visit"] : [])
                throw UsageError("--type takes one of \(words.joined(separator: ", ")).")
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
        for key in [Query.FilterKey.school, .coach, .event, .trip] {
            if let name = list.value(word(key)) { filter.named[key] = name }
        }
        filter.text = ((list.value("--search").map { [$0] } ?? []) + list.positional).joined(separator: " ")
        return filter
    }

    private static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ option: String, _ list: ArgumentList
    ) throws(UsageError) -> Value? {
        guard let word = list.value(option) else { return nil }
        if let value = Value(rawValue: word) { return value }
        throw UsageError("\(option) takes one of \(Value.allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    private static func date(_ option: String, _ list: ArgumentList) throws(UsageError) -> CalendarDate? {
        guard let text = list.value(option) else { return nil }
        if let date = CalendarDate(text) { return date }
        throw UsageError("\(option) takes a date, like 2026-12-01.")
    }

    /// One line of help; "" for a kind without filters.
    static func help(_ kind: Kind) -> String {
        let declaration = QueryDeclaration.of(kind)
        var parts = declaration.filters.filter { !left.contains($0) }.map { key -> String in
            switch key {
            case .status: "--status \(Query.Status.allCases.map(\.rawValue).joined(separator: "|"))"
            case .date: "--date \(Query.Window.allCases.map(\.rawValue).joined(separator: "|"))"
            case .shared: "--shared"
            case .type: "--type TYPE"
            case .from, .to, .day: "\(word(key)) DATE"
            default: "\(word(key)) NAME"
            }
        }
        if declaration.sorts.count > 1 { parts.append("--sort \(declaration.sorts.map(\.rawValue).joined(separator: "|"))") }
        return parts.map { "  [\($0)]\n" }.joined()
    }
}
