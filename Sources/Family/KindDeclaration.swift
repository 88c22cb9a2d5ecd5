/// The declaration of one kind. The kinds are in `KindDeclaration+People`, `+Season` and `+Trips`; a new field is one line there.
///
/// A class, so that passing a declaration along is one pointer; each kind has one, made at first use and never changed.
package final class KindDeclaration: Sendable {
    package let kind: Kind
    /// For people: "Event".
    package let label: String
    package let scope: Scope
    package let fields: [FieldDeclaration]
    /// Whether mutations may create and delete records of the kind; families and members come and go by invitations, documents come by
    /// uploads.
    package let isCreatedByMutation: Bool
    package let isDeletedByMutation: Bool

    private let indices: [String: Int]

    init(
        _ kind: Kind, label: String, scope: Scope, createdByMutation: Bool = true, deletedByMutation: Bool = true,
        fields: [FieldDeclaration]
    ) {
        self.kind = kind
        self.label = label
        self.scope = scope
        self.fields = fields
        isCreatedByMutation = createdByMutation
        isDeletedByMutation = deletedByMutation
        indices = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
    }

    /// Whether `shift` moves records of the kind.
    package var shiftsWithDays: Bool { kind == .trip || kind == .tripItem || kind == .event }

    /// Whether `copy` makes another record of the kind.
    package var isCopied: Bool { kind == .trip || kind == .event }

    /// Position of a field by its name on the wire.
    package func index(of name: String) -> Int? { indices[name] }

    package static func of(_ kind: Kind) -> KindDeclaration {
        switch kind {
        case .family: family
        case .member: member
        case .school: school
        case .coach: coach
        case .event: event
        case .message: message
        case .metric: metric
        case .interaction: interaction
        case .trip: trip
        case .tripItem: tripItem
        case .document: document
        case .readingPosition: readingPosition
        case .reminderRule: reminderRule
        }
    }
}
