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
        var found: [(due: Int64, record: Record, plan: ReminderPlan)] = []
        var trips: [Identifier: Record] = [:]
        try engine.records.forEach(family: membership.family, of: .trip, after: nil) { if let trip = readable($0) { trips[trip.id] = trip } }
        for kind in [Kind.event, .tripItem] {
            try engine.records.forEach(family: membership.family, of: kind, after: nil) { stored in
                guard let record = readable(stored), let plan = ReminderPlan(record, zone: zone, environment.rules), plan.due >= from, plan.due < to,
                    !ReminderAudience.members(of: record, trip: record.fields.reference("trip_id").flatMap { trips[$0] }, among: [member: state.role]).isEmpty
                else { return }
                found.append((plan.due, record, plan))
            }
        }
        found.sort { ($0.due, $0.record.id) < ($1.due, $1.record.id) }
        let page = found.dropFirst(Int(clamping: max(after, 0))).prefix(HostQuestion.rows)
        answer["reminders"] = .list(page.map { due, record, plan in
            .object(of: [
                "at": .integer(due), "kind": .text(record.kind.name.description), "item": .text(record.id.description), "title": .text(ReminderText.title(record)),
                "body": .text(ReminderText.body(record)), "when": .text(plan.when), "reason": .text(plan.reason),
            ])
        })
        if page.endIndex < found.endIndex { answer["next"] = .integer(Int64(page.endIndex)) }
        return answer
    }

    /// The reason why a member gets no reminders now; `nil` if they get some.
    private func silence(_ state: MemberState, _ membership: MembershipRow, zone: String) throws -> String? {
        if state.role == .guest { return "Guests get no reminders." }
        if let bar = environment.bar(state, zone: zone, at: environment.now()) { return bar.rejection.message }
        return membership.person == nil ? "Nobody has signed in as this member." : nil
    }
}
