package import Bytes
import Dates
package import Family
import Ledger
import Reminders
import Wire

// Reminders. The transaction that writes an item arms its reminders. When one is due, a transaction notes it as fired
// for each member who gets it, and only then anybody is notified. So it fires once, also if the process is killed in
// between: a member who was not notified gets it at the next join.
extension FamilyStore {
    /// The largest number of reminders that one transaction fires.
    private static let remindersInPortion = 128
    /// Milliseconds by which another zone moves an item at most, so that it may have ended: two days.
    private static let mostZoneShift: Int64 = 2 * 86_400_000

    // MARK: Arming

    /// Arms the reminders of the items that a decision wrote, and of all items to come if it changed a member's lead
    /// times. Runs in the caller's transaction.
    func arm(_ decision: Decision, family: Int64) throws {
        let zone = decision.family.zone
        let now = environment.now()
        // Read once, and only if a reminder has to be armed; the decision's own rules are written already.
        var known: ReminderRules?
        func rules() throws -> ReminderRules {
            if let known { return known }
            let read = try reminderRules(of: family)
            known = read
            return read
        }
        var hasNewLeads = false
        for write in decision.records {
            switch write.record.kind {
            case .event, .tripItem:
                let plan = ReminderPlan(write.record, zone: zone, environment.rules)
                if let former = write.former, ReminderPlan(former, zone: zone, environment.rules) == plan { continue }
                let isNew = write.created != nil
                let held = try isNew ? [] : reminders.armed(family: family, item: write.record.id)
                if !held.isEmpty { _ = try reminders.disarm(family: family, item: write.record.id) }
                if let plan { try arm(plan, of: write.record, family: family, try rules(), insteadOf: held, at: now) }
            case .family:
                guard let former = write.former, former.fields.text("time_zone") != zone else { continue }
                try armAll(family: family, zone: zone, at: now)
            case .reminderRule:
                if ReminderRules.rearms(from: write.former, to: write.record) { hasNewLeads = true }
            default: break
            }
        }
        if hasNewLeads { try armUpcoming(family: family, zone: zone, try rules(), at: now) }
        for membership in decision.memberships where membership.removedAt != nil {
            try reminders.forget(family: family, member: membership.member)
        }
    }

    /// The rules of a family's members.
    private func reminderRules(of family: Int64) throws -> ReminderRules {
        var rules = ReminderRules()
        // A damaged rule counts as none.
        try records.forEach(family: family, of: .reminderRule, after: nil) { if let record = $0.record { rules.add(record) } }
        return rules
    }

    /// Arms an item of which nothing is armed.
    ///
    /// A time that has passed is not caught up: the change itself was shown. Only a reminder that takes the place of one
    /// that had not fired is armed nevertheless, and fires immediately.
    ///
    /// - Parameter held: the reminders of the item that had not fired.
    private func arm(_ plan: ReminderPlan, of record: Record, family: Int64, _ rules: ReminderRules, insteadOf held: [ArmedReminder], at now: Int64) throws {
        guard plan.end > now else { return }
        let leads = rules.leads(of: record, plan)
        let waiting = Set(held.map(\.key.lead))
        // An item that gets or loses its time has other leads than before.
        let isReplaced = !waiting.isEmpty && waiting.isDisjoint(with: leads)
        for lead in leads {
            let due = plan.due(lead: lead, environment.rules)
            guard due > now || isReplaced || waiting.contains(lead) else { continue }
            try reminders.arm(ArmedReminder(family: family, key: Reminder.Key(item: record.id, lead: lead, start: plan.start), due: due))
            reminderAlarm.armed(due)
        }
    }

    /// Arms the reminders of all items of a family again. Runs in the caller's transaction.
    func armAll(family: Int64, zone: String, at now: Int64) throws {
        var items: [(record: Record, plan: ReminderPlan)] = []
        for kind in [Kind.event, .tripItem] {
            try records.forEach(family: family, of: kind, after: nil) { stored in
                // A damaged record has no reminder; nothing else of the family is affected (R132).
                guard let record = stored.record, let plan = ReminderPlan(record, zone: zone, environment.rules), plan.end > now - Self.mostZoneShift
                else { return }
                items.append((record, plan))
            }
        }
        guard !items.isEmpty else { return }
        let rules = try reminderRules(of: family)
        for (record, plan) in items {
            let held = try reminders.armed(family: family, item: record.id)
            if isArmed(held, record, plan, rules) { continue }
            if !held.isEmpty { _ = try reminders.disarm(family: family, item: record.id) }
            try arm(plan, of: record, family: family, rules, insteadOf: held, at: now)
        }
    }

    /// Whether exactly the reminders of an item are armed, all of them.
    private func isArmed(_ held: [ArmedReminder], _ record: Record, _ plan: ReminderPlan, _ rules: ReminderRules) -> Bool {
        let leads = rules.leads(of: record, plan)
        return held.count == leads.count
            && zip(held, leads).allSatisfy { $0.key.lead == $1 && $0.key.start == plan.start && $0.due == plan.due(lead: $1, environment.rules) }
    }

    /// Arms the items to come by other leads. Runs in the caller's transaction.
    ///
    /// An earlier item cannot get a reminder by that: its start has passed, and with it every lead.
    private func armUpcoming(family: Int64, zone: String, _ rules: ReminderRules, at now: Int64) throws {
        // No clock is more than a day behind UTC.
        let first = CalendarDate(utc: now).adding(days: -1) ?? .first
        var items: [(record: Record, plan: ReminderPlan)] = []
        for kind in [Kind.event, .tripItem] {
            try records.forEachUpcoming(family: family, of: kind, from: first.description) { stored in
                guard let record = stored.record, let plan = ReminderPlan(record, zone: zone, environment.rules), plan.start > now else { return }
                items.append((record, plan))
            }
        }
        for (record, plan) in items {
            let leads = rules.leads(of: record, plan)
            let held = try reminders.armed(family: family, item: record.id)
            for one in held where !leads.contains(one.key.lead) { try reminders.disarm(one) }
            for lead in leads where !held.contains(where: { $0.key.lead == lead }) {
                let due = plan.due(lead: lead, environment.rules)
                // Otherwise it has fired, or its time has passed.
                guard due > now else { continue }
                try reminders.arm(ArmedReminder(family: family, key: Reminder.Key(item: record.id, lead: lead, start: plan.start), due: due))
                reminderAlarm.armed(due)
            }
        }
    }

    // MARK: The start

    /// Reads the time of the next reminder. If the reminders were armed by other zone data, or by a program that had
    /// none, they are armed again, a family at a time (`fireReminders`).
    func setReminderAlarm() throws(StoreFailure) {
        let zoneData = environment.zoneData()
        let outcome = try transaction { _ in (try reminders.nextDue(), try reminders.zoneData()) }
        // With a full disk nothing was read; then the first call of `fireReminders` reads.
        guard case .done((let next, let armedBy)) = outcome else { return reminderAlarm.armed(environment.now()) }
        reminderAlarm = ReminderAlarm(next: next)
        if armedBy != zoneData { armsAfter = 0 }
    }

    /// The time at which `fireReminders` has something to do, UTC milliseconds; `nil` for never. It may be too early,
    /// and is never too late.
    package var nextReminder: Int64? { armsAfter == nil ? reminderAlarm.next : 0 }

    /// Arms the reminders of one more family, or notes that all are armed.
    private func armNext(after key: Int64, at now: Int64) throws(StoreFailure) {
        let zoneData = environment.zoneData()
        let outcome = try transaction { _ -> Int64? in
            guard let row = try families.all(after: key, limit: 1).first else {
                try reminders.setZoneData(zoneData)
                return nil
            }
            if let zone = try readableFamily(row.id)?.state.zone { try armAll(family: row.key, zone: zone, at: now) }
            return row.key
        }
        if case .done(let next) = outcome { armsAfter = next }
    }

    /// The family; `nil` if it is gone, or if its own record is damaged: that must not hold up the reminders of others.
    private func readableFamily(_ id: Identifier) throws -> StoredFamily? {
        do { return try family(id) } catch is Rejection { return nil }
    }

    // MARK: Firing

    /// Fires the reminders that are due, one portion. `takeNotices` then has what the members' devices receive.
    ///
    /// - Returns: whether there is more to do now. A full disk ends it: call again later.
    package func fireReminders() throws(StoreFailure) -> Bool {
        let now = environment.now()
        var hasMore = false
        if let key = armsAfter {
            try armNext(after: key, at: now)
            hasMore = armsAfter != key && armsAfter != nil
        }
        guard reminderAlarm.isDue(at: now) else { return hasMore }
        let outcome = try transaction(isDone: { (fired: Firing) in try fired.first.map { try self.reminders.hasFired($0) } ?? false }) { _ in
            try fire(at: now)
        }
        guard case .done(let fired) = outcome else { return false }
        reminderAlarm.taken(next: fired.next)
        return hasMore || reminderAlarm.isDue(at: now)
    }

    /// The result of one portion.
    private struct Firing {
        /// One of those that fired.
        var first: FiredReminder?
        /// The time of the earliest reminder that is left.
        var next: Int64?
    }

    private func fire(at now: Int64) throws -> Firing {
        var firing = Firing()
        var known: [Int64: ReminderFamily] = [:]
        for armed in try reminders.due(at: now, limit: Self.remindersInPortion) {
            try reminders.disarm(armed)
            let family: ReminderFamily
            if let found = known[armed.family] {
                family = found
            } else {
                guard let found = try reminderFamily(armed.family, at: now) else { continue }
                family = found
                known[armed.family] = found
            }
            guard let record = try records.find(family: armed.family, armed.key.item)?.record,
                let plan = ReminderPlan(record, zone: family.zone, environment.rules)
            else { continue }
            let due = plan.due(lead: armed.key.lead, environment.rules)
            if due > now {
                // The zone data has changed since it was armed.
                var again = armed
                (again.key.start, again.due) = (plan.start, due)
                try reminders.arm(again)
                reminderAlarm.armed(due)
                continue
            }
            // After a long time without a server nobody wants to be reminded.
            guard plan.end > now - Reminder.retention else { continue }
            let trip = try record.fields.reference("trip_id").flatMap { try records.find(family: armed.family, $0)?.record }
            let reminder = Reminder(record, plan, lead: armed.key.lead, due: due, at: now)
            for member in ReminderAudience.members(of: record, trip: trip, among: family.members, askers: family.askers)
            where family.rules.leads(of: record, plan, for: member).contains(armed.key.lead) {
                let fired = FiredReminder(family: armed.family, member: member, key: reminder.key, due: due, firedAt: now)
                guard try reminders.fire(fired) else { continue }
                if firing.first == nil { firing.first = fired }
                pendingNotices.append(.reminder(reminder, family: family.id, member: member))
            }
        }
        firing.next = try reminders.nextDue()
        return firing
    }

    /// The facts of a family that decide who gets its reminders.
    private struct ReminderFamily {
        var id: Identifier
        var zone: String
        /// The members who may sign in now, and as whom somebody does.
        var members: [Identifier: Role]
        var rules: ReminderRules
        /// Those of `members` who have a rule of their own.
        var askers: Set<Identifier>
    }

    /// - Returns: `nil` if the family is gone.
    private func reminderFamily(_ key: Int64, at now: Int64) throws -> ReminderFamily? {
        guard let id = try families.id(of: key), let family = try readableFamily(id) else { return nil }
        let strangers = try people.membersWithoutLogin(family: key)
        var members: [Identifier: Role] = [:]
        for (member, state) in family.state.members where !state.isRemoved && !strangers.contains(member) {
            if environment.bar(state, zone: family.state.zone, at: now) == nil { members[member] = state.role }
        }
        let rules = try reminderRules(of: key)
        return ReminderFamily(id: id, zone: family.state.zone, members: members, rules: rules, askers: rules.askers(among: members.keys))
    }

    // MARK: Seen

    /// Notes that a member has seen a reminder on one of their devices; `takeNotices` then has it for all of them.
    ///
    /// - Returns: the reason why nothing was noted. A reminder that the member never had is not an error.
    package func see(_ key: Reminder.Key, family: Identifier, member: Identifier) throws(StoreFailure) -> Rejection? {
        let outcome = try transaction { _ in
            let at = environment.now()
            guard let found = try self.family(family), try entered(member, found.state, at: at) != nil else { throw Rejection.noSuchFamily }
            try reminders.see(family: found.key, member: member, key, at: at)
            pendingNotices.append(.reminderSeen(key, family: family, member: member))
        }
        guard case .refused(let rejection) = outcome else { return nil }
        return rejection
    }
}
