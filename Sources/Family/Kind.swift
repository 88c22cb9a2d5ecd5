/// The kind of a record. The raw value is stored in the database and never changes; frames carry the name.
package enum Kind: UInt8, CaseIterable, Sendable {
    case family = 1
    case member = 2
    case school = 3
    case coach = 4
    case event = 5
    case message = 6
    case metric = 7
    case interaction = 8
    case trip = 9
    case tripItem = 10
    case document = 11
    case readingPosition = 12
    case reminderRule = 13

    /// The word on the wire, in schemas and on the command line.
    package var name: StaticString {
        switch self {
        case .family: "family"
        case .member: "member"
        case .school: "school"
        case .coach: "coach"
        case .event: "event"
        case .message: "message"
        case .metric: "metric"
        case .interaction: "interaction"
        case .trip: "trip"
        case .tripItem: "trip_item"
        case .document: "document"
        case .readingPosition: "reading_position"
        case .reminderRule: "reminder_rule"
        }
    }

    package init?(name: String) {
        guard let kind = Kind.byName[name] else { return nil }
        self = kind
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name.description, $0) })

    /// Fields, scope and rules, declared once in `KindDeclaration.all`.
    package var declaration: KindDeclaration { KindDeclaration.of(self) }
}

/// To whom a record of a kind belongs, which decides who may write it (`Permission`).
package enum Scope: String, Sendable, CaseIterable {
    /// One athlete's: the envelope names the owner.
    case athlete
    /// Everybody's in the family.
    case family
    /// One member's own (profile, reading position, reminder rule): only that member writes, and parents where `Permission` says so.
    case member
}
