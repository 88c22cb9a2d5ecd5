package import Bytes
package import Family

/// The rules by which the members of one family are reminded.
package struct ReminderRules: Hashable, Sendable {
    /// By the id of the rule's record. Deleted ones are not in it.
    private var rules: [Identifier: ReminderRule] = [:]

    /// The rules of a family in which nobody has one.
    package init() {}

    /// - Parameter records: of the kind `reminder_rule`, deleted or not.
    package init(_ records: some Sequence<Record>) { for record in records { add(record) } }

    package mutating func add(_ record: Record) { rules[record.id] = record.isDeleted ? nil : ReminderRule(record.fields) }

    /// The rule of a member; `nil` if they have none.
    package func own(_ member: Identifier) -> ReminderRule? { rules[ReminderRule.id(of: member)] }

    /// The members out of some who have a rule of their own.
    package func askers(among members: some Sequence<Identifier>) -> Set<Identifier> { rules.isEmpty ? [] : Set(members.filter { own($0) != nil }) }

    /// The leads at which an item has to be armed, minutes, ascending: the usual ones and those of all rules.
    ///
    /// They may be more than anybody needs: the members who get a reminder are found when it fires.
    package func leads(of record: Record, _ plan: ReminderPlan) -> [Int64] {
        let item = Self.item(record, plan)
        guard !rules.isEmpty else { return item.usual }
        var leads = Set(item.usual)
        for rule in rules.values where rule.reminds { leads.formUnion(rule.leads(item, athlete: record.athlete)) }
        return leads.sorted()
    }

    /// The leads at which an item reminds a member, minutes, ascending.
    package func leads(of record: Record, _ plan: ReminderPlan, for member: Identifier) -> [Int64] {
        guard let rule = own(member) else { return Self.item(record, plan).usual }
        return rule.reminds ? rule.leads(Self.item(record, plan), athlete: record.athlete) : []
    }

    private static func item(_ record: Record, _ plan: ReminderPlan) -> ReminderRule.Item {
        plan.isWholeDay ? .allDay : record.kind == .event ? .event : .tripItem
    }

    /// Whether a change of a rule changes the leads at which items are armed.
    package static func rearms(from former: Record?, to record: Record) -> Bool {
        func armed(_ rule: ReminderRule?) -> ReminderRule {
            guard let rule, rule.reminds else { return .standard }
            var leads = ReminderRule.standard
            (leads.leads, leads.athletes) = (rule.leads, rule.athletes)
            return leads
        }
        return armed(former.map { ReminderRule($0) }) != armed(ReminderRule(record))
    }
}
