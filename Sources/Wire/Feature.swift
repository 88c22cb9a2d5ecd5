package import Family

/// A feature that the protocol gained after server 0.1.0. `welcome.features` lists the features of a server, so that a client never guesses.
///
/// Declare a feature here, once, and name it in `FrameDeclaration` at every frame and key that belongs to it. The schema and the table in
/// `proto/protocol.md` are written from these declarations. The order here is the order on the wire.
package enum Feature: String, CaseIterable, Sendable {
    case kinds
    case quiet
    case lists
    case statistics
    case history
    case digest
    case accessLog = "access_log"
    case undo
    case plans
    case overlaps
    case uploads
    case requests
    case drain
    case checksum
    case invites
    case audit
    case consent
    case sessions
    case families
    case tokens
    case devices
    case passwords
    case mail
    case web
    case ping
    case activity
    case calendars
    case deletion
    case reminders

    /// Words of `op` that belong to it.
    package var operations: [String] { self == .plans ? ["shift", "copy"] : [] }

    /// Kinds of records that belong to it.
    package var kinds: [Kind] {
        switch self {
        case .kinds: [.metric, .interaction, .trip, .tripItem, .document, .readingPosition]
        case .reminders: [.reminderRule]
        default: []
        }
    }

    /// The feature of an operation; `nil` for those of 0.1.0.
    static func of(operation: String) -> Feature? { allCases.first { $0.operations.contains(operation) } }

    /// The note in a schema that something belongs to it.
    var comment: String { "Feature: \(rawValue)." }
}
