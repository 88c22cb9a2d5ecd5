package import Family

/// The names of record kinds in commands and sentences.
package enum KindWords {
    /// The word for several records of a kind: `events`.
    package static func plural(_ kind: Kind) -> String {
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
        case .reminderRule: "rules"
        }
    }

    /// "1 result", "4 items": a number of records in a sentence.
    package static func counted(_ kind: Kind, _ number: Int) -> String {
        let word: String =
            switch kind {
            case .metric: number == 1 ? "result" : "results"
            case .tripItem: number == 1 ? "item" : "items"
            case .readingPosition: number == 1 ? "position" : "positions"
            case .reminderRule: number == 1 ? "reminder rule" : "reminder rules"
            default: number == 1 ? "\(kind.name)" : plural(kind)
            }
        return "\(number) \(word)"
    }

    /// The words for one record of a kind, the short one first: `item`, `trip_item`.
    package static func singular(_ kind: Kind) -> [String] { kind == .tripItem ? ["item", "trip_item"] : ["\(kind.name)"] }
}
