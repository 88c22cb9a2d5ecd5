internal import Family
internal import Wire

/// What the family says of itself.
extension SyncEngine {
    /// The family's zone, from its record.
    package var timeZone: String? { familyRecord?.fields.text("time_zone") }

    /// It is called as the family is: asked with every frame, it is not to be searched for.
    private var familyRecord: Record? { family.flatMap { record($0) }.flatMap { $0.kind == .family && !$0.isDeleted ? $0 : nil } }

    /// The family's name.
    package var familyName: String? {
        familyRecord?.fields.text("name") ?? memberships.first { $0.family == family }?.name
    }
}
