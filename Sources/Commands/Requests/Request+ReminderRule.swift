internal import Arguments
internal import Bytes
internal import Family
internal import Sync
internal import Words

extension ReminderRuleChange {
    /// The batch that writes the rule of the engine's member.
    ///
    /// - Throws: `UsageError` if there is nothing to change or the athlete is not known, `Rejection` if a rule refuses it;
    ///   both before anything is sent.
    func operations(_ engine: borrowing SyncEngine, _ names: RecordNames) throws -> [Operation] {
        guard let member = engine.member else { throw UsageError("Your own record is not here yet. Try again when the server answers.") }
        let id = ReminderRule.id(of: member)
        return try operations(id, held: engine.record(id), names)
    }

    /// - Parameter held: the rule's record, deleted or not; `nil` if there is none.
    func operations(_ id: Identifier, held: Record?, _ names: RecordNames) throws -> [Operation] {
        if isReset {
            guard let held, !held.isDeleted else { throw UsageError("You have no reminder rule of your own: you are reminded as usual.") }
            return [Request.remove(held)]
        }
        var rule = ReminderRule(held)
        let owner = try athlete.map { name throws(UsageError) in try Request.athlete(name, names).id }
        for (item, leads) in leads {
            let list: [Int64]? = if case .own(let list) = leads { list } else { nil }
            if let owner { rule.athletes[owner, default: [:]][item] = list } else { rule.leads[item] = list }
        }
        if let owner, rule.athletes[owner]?.isEmpty ?? false { rule.athletes[owner] = nil }
        if let isMuted { rule.isMuted = isMuted }
        if let calendarReminds { rule.calendarReminds = calendarReminds }
        switch quiet {
        case nil: break
        case Quiet.none?: rule.quiet = nil
        case .hours(let from, let until)?: rule.quiet = ReminderRule.Quiet(from: from, until: until, zone: rule.quiet?.zone)
        }
        let former = held?.fields ?? Fields(.reminderRule)
        let fields = rule.fields
        let patch = FieldPatch(assignments: fields.values.indices.filter { fields[$0] != former[$0] }.map { .init(field: $0, value: fields[$0]) })
        guard let held else { return [Operation(kind: .reminderRule, id: id, action: .create(athlete: nil, patch: patch))] }
        let update = patch.isEmpty ? [] : [try Request.update(held, patch)]
        return held.isDeleted ? [Operation(kind: .reminderRule, id: id, action: .restore(base: held.version))] + update : update
    }
}
