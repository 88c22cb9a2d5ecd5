import Bytes
import Family
import JSON
import Ledger
import Reminders

extension StoreReader {
    /// The reminders of a member that no device has seen, the oldest first.
    ///
    /// A reminder of an item that was deleted, or that begins at another time now, is left out. Runs in the caller's
    /// snapshot.
    ///
    /// - Parameter family: the integer that stands for the family.
    func unseenReminders(family: Int64, member: Identifier, zone: String, at now: Int64) throws -> [Reminder] {
        let fired = try engine.reminders.unseen(family: family, member: member, firedAfter: now - Reminder.retention, limit: Reminder.mostAtJoin)
        return try fired.reversed().compactMap { fired in
            guard let record = try record(family: family, fired.key.item), let plan = ReminderPlan(record, zone: zone, environment.rules),
                plan.start == fired.key.start
            else { return nil }
            return Reminder(record, plan, lead: fired.key.lead, due: fired.due, at: now)
        }
    }
}

// The reminders that are to come, for the person who runs the server.
extension StoreReader {
    /// The reminders of a member that are due from one time on and before another, by the records as they are now.
    /// Nothing fires.
    ///
    /// - Parameter after: the number of reminders in the previous pages.
    func planned(_ member: Identifier, from: Int64, to: Int64, after: Int64) throws -> JSONTree {
        guard let membership = try engine.people.membership(member), !membership.isRemoved,
            let state = try engine.records.members(family: membership.family)[member]
        else { throw Rejection.noSuchMember }
        let zone = try record(family: membership.family, membership.familyID)?.fields.text("time_zone") ?? "UTC"
        var answer = JSONTree.object(of: [
            "member": .text(member.description), "name": .text(state.name), "family": .text(membership.familyID.description),
        ])
        if let reason = try silence(state, membership, zone: zone) {
            answer["none_because"] = .text(reason)
            answer["reminders"] = .list([])
            return answer
        }
        var rules = ReminderRules()
        try engine.records.forEach(family: membership.family, of: .reminderRule, after: nil) { if let rule = readable($0) { rules.add(rule) } }
        if let reason = silence(rules.own(member), state.role) {
            answer["none_because"] = .text(reason)
            answer["reminders"] = .list([])
            return answer
        }
        let askers = rules.askers(among: [member])
        var found: [(due: Int64, lead: Int64, record: Record, plan: ReminderPlan)] = []
        var trips: [Identifier: Record] = [:]
        try engine.records.forEach(family: membership.family, of: .trip, after: nil) { if let trip = readable($0) { trips[trip.id] = trip } }
        for kind in [Kind.event, .tripItem] {
            try engine.records.forEach(family: membership.family, of: kind, after: nil) { stored in
                guard let record = readable(stored), let plan = ReminderPlan(record, zone: zone, environment.rules) else { return }
                let trip = record.fields.reference("trip_id").flatMap { trips[$0] }
                guard !ReminderAudience.members(of: record, trip: trip, among: [member: state.role], askers: askers).isEmpty else { return }
                for lead in rules.leads(of: record, plan, for: member) {
                    let due = plan.due(lead: lead, environment.rules)
                    if due >= from, due < to { found.append((due, lead, record, plan)) }
                }
            }
        }
        found.sort { ($0.due, $0.record.id, $0.lead) < ($1.due, $1.record.id, $1.lead) }
        let page = found.dropFirst(Int(clamping: max(after, 0))).prefix(HostQuestion.rows)
        answer["reminders"] = .list(page.map { due, lead, record, plan in
            .object(of: [
                "at": .integer(due), "kind": .text(record.kind.name.description), "item": .text(record.id.description), "title": .text(ReminderText.title(record)),
                "body": .text(ReminderText.body(record)), "when": .text(plan.when), "reason": .text(plan.reason(lead: lead, isOwn: !askers.isEmpty)),
            ])
        })
        if page.endIndex < found.endIndex { answer["next"] = .integer(Int64(page.endIndex)) }
        return answer
    }

    /// The reason in the member's own rule, or in its absence, why they get no reminders; `nil` if they get some.
    private func silence(_ rule: ReminderRule?, _ role: Role) -> String? {
        guard let rule else { return role == .guest ? "Guests get no reminders unless they ask for them." : nil }
        if rule.isMuted { return "The member has muted reminders." }
        return rule.calendarReminds ? "The member's calendar app reminds them." : nil
    }

    /// The reason why a member gets no reminders now; `nil` if they get some.
    private func silence(_ state: MemberState, _ membership: MembershipRow, zone: String) throws -> String? {
        if let bar = environment.bar(state, zone: zone, at: environment.now()) { return bar.rejection.message }
        return membership.person == nil ? "Nobody has signed in as this member." : nil
    }
}
