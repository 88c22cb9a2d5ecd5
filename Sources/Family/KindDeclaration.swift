/// All that is true of one kind. A new field is one line here.
///
/// A class, so that passing a declaration along is one pointer; each kind has one, made at first use and never changed.
package final class KindDeclaration: Sendable {
    package let kind: Kind
    /// For people: "Event".
    package let label: String
    package let scope: Scope
    package let fields: [FieldDeclaration]
    /// Whether mutations may create and delete records of the kind; families and members come and go by invitations.
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
        }
    }

    private static let family = KindDeclaration(
        .family, label: "Family", scope: .family, createdByMutation: false, deletedByMutation: false,
        fields: [
            .init("name", .line(max: 100), label: "Family name", required: true),
            .init("time_zone", .zone, label: "Time zone", required: true),
        ])

    private static let member = KindDeclaration(
        .member, label: "Member", scope: .member, createdByMutation: false,
        fields: [
            .init("name", .line(max: 100), label: "Name", required: true),
            .init("role", .choice(Role.allCases.map(\.rawValue), labels: ["Athlete", "Parent", "Guest"]), label: "Role", required: true),
            .init("parent_access", .choice(ParentAccess.allCases.map(\.rawValue), labels: ["Parents edit", "Parents view"]),
                label: "What parents may do"),
        ])

    private static let school = KindDeclaration(
        .school, label: "School", scope: .family,
        fields: [
            .init("name", .line(max: 255), label: "School name", required: true),
            .init("location", .line(max: 255), label: "Location"),
            .init("url", .url, label: "Website"),
            .init("notes", .text(max: 10_000), label: "Notes"),
        ])

    private static let coach = KindDeclaration(
        .coach, label: "Coach", scope: .family,
        fields: [
            .init("first_name", .line(max: 100), label: "First name", required: true),
            .init("last_name", .line(max: 100), label: "Last name", required: true),
            .init("school_id", .reference(.school), label: "School"),
            .init("role", .line(max: 100), label: "Role"),
            .init("email", .line(max: 254), label: "E-mail"),
            .init("phone", .line(max: 50), label: "Phone"),
            .init("notes", .text(max: 10_000), label: "Notes"),
        ])

    private static let event = KindDeclaration(
        .event, label: "Event", scope: .athlete,
        fields: [
            .init("type", .choice(
                ["camp", "showcase", "official_visit", "unofficial_visit", "game"],
                labels: ["Camp", "Showcase", "Official Visit", "Unofficial Visit", "Game"]), label: "Event type", required: true),
            .init("name", .line(max: 255), label: "Event name", required: true),
            .init("school_id", .reference(.school), label: "School"),
            .init("host", .line(max: 255), label: "Host (school not listed)"),
            .init("event_source", .choice(
                ["email", "flyer", "web_search", "recommendation", "friend", "other"],
                labels: ["Email", "Flyer", "Web Search", "Recommendation", "Friend", "Other"]), label: "Source"),
            .init("cost", .decimal(digits: 9, scale: 2, min: 0), label: "Cost"),
            .init("url", .url, label: "Event link"),
            .init("start_date", .date, label: "Start date", required: true),
            .init("end_date", .date, label: "End date"),
            .init("start_time", .time, label: "Start time"),
            .init("end_time", .time, label: "End time"),
            .init("checkin_time", .time, label: "Check-in time"),
            .init("time_zone", .zone, label: "Time zone"),
            .init("location", .line(max: 255), label: "Location"),
            .init("address", .line(max: 255), label: "Street address"),
            .init("city", .line(max: 100), label: "City"),
            .init("state", .state, label: "State"),
            .init("description", .text(max: 10_000), label: "Description"),
            .init("registered", .flag, label: "Registered", default: .flag(false)),
            .init("attended", .flag, label: "Attended", default: .flag(false)),
            .init("coaches_present", .set(of: .coach, max: 100), label: "Coaches present"),
            .init("performance_notes", .text(max: 10_000), label: "Performance notes"),
            .init("stats_recorded", .json(maxOctets: 16_384, maxDepth: 8), label: "Statistics"),
        ])

    private static let message = KindDeclaration(
        .message, label: "Message", scope: .family,
        fields: [
            .init("text", .text(max: 4_000), label: "Message", required: true),
            .init("about", .link, label: "About"),
            .init("mentions", .set(of: .member, max: 50), label: "Mentions"),
        ])
}

extension FieldType {
    fileprivate static func choice(_ words: [String], labels: [String]) -> FieldType { .choice(words: words, labels: labels) }
}
