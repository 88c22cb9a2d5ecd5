internal import Family
internal import Wire

/// The family's own properties.
extension SyncEngine {
    /// The family's zone, from its record.
    package var timeZone: String? { familyRecord?.fields.text("time_zone") }

    /// Its id is the family's id: every frame asks for it, so it must not be searched for.
    private var familyRecord: Record? { family.flatMap { record($0) }.flatMap { $0.kind == .family && !$0.isDeleted ? $0 : nil } }

    /// The family's name.
    package var familyName: String? {
        familyRecord?.fields.text("name") ?? memberships.first { $0.family == family }?.name
    }
}
