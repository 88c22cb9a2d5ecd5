extension KindDeclaration {
    static let family = KindDeclaration(
        .family, label: "Family", scope: .family, createdByMutation: false, deletedByMutation: false,
        fields: [
            .init("name", .line(max: 100), label: "Family name", required: true),
            .init("time_zone", .zone, label: "Time zone", required: true),
            // While a parent's request to delete the family stands (`FamilyDeletion`).
            .init("deletion_date", .date, label: "Will be deleted on", serverOnly: true),
        ])

    static let member = KindDeclaration(
        .member, label: "Member", scope: .member, createdByMutation: false,
        fields: [
            .init("name", .line(max: 100), label: "Name", required: true),
            .init("role", .choice(Role.allCases.map(\.rawValue), labels: ["Athlete", "Parent", "Guest"]), label: "Role", required: true),
            .init("parent_access", .choice(ParentAccess.allCases.map(\.rawValue), labels: ["Parents edit", "Parents view"]),
                label: "What parents may do"),
        ])

    static let message = KindDeclaration(
        .message, label: "Message", scope: .family,
        fields: [
            .init("text", .text(max: 4_000), label: "Message", required: true),
            .init("about", .link, label: "About"),
            .init("mentions", .set(of: .member, max: 50), label: "Mentions"),
        ])

    /// Its id is `ReadingPosition.id(of:)` of the member, so that every client of theirs moves the same one.
    static let readingPosition = KindDeclaration(
        .readingPosition, label: "Reading position", scope: .member, deletedByMutation: false,
        fields: [
            .init("sequence", .integer(0...9_007_199_254_740_991), label: "Read up to", required: true, onlyGrows: true),
        ])

    /// Its id is `ReminderRule.id(of:)` of the member, so that each member has one.
    static let reminderRule = KindDeclaration(
        .reminderRule, label: "Reminder rule", scope: .member,
        fields: [
            .init("muted", .flag, label: "No reminders"),
            .init("calendar_reminds", .flag, label: "My calendar app reminds me"),
            .init("leads", .json(maxOctets: 8_192, maxDepth: 4), label: "Lead times"),
            .init("quiet_from", .time, label: "Quiet from"),
            .init("quiet_until", .time, label: "Quiet until"),
            .init("time_zone", .zone, label: "Time zone of the quiet hours"),
        ])
}

extension FieldType {
    static func choice(_ words: [String], labels: [String]) -> FieldType { .choice(words: words, labels: labels) }
}
