package import Bytes
internal import Terminal
package import Wire

/// The occupations of the other members at this moment, as this client knows them. Pure: time is a parameter, in milliseconds that only grow.
package struct MemberActivities: Sendable {
    private var all: [Identifier: (activity: Activity, until: Int64)] = [:]

    package init() {}

    /// - Returns: whether something else is to be shown now.
    package mutating func receive(_ one: MemberActivity, now: Int64) -> Bool {
        let before = all[one.member]?.activity
        all[one.member] = one.activity.action == .idle ? nil : (one.activity, now + Activity.life)
        return before != all[one.member]?.activity
    }

    /// A member's message has arrived, or the member has left: they do not type any more.
    ///
    /// - Returns: whether something else is to be shown now.
    package mutating func end(_ member: Identifier) -> Bool { all.removeValue(forKey: member) != nil }

    /// Nothing is known without a connection.
    package mutating func clear() { all = [:] }

    /// Forgets those that were not repeated.
    ///
    /// - Returns: whether something else is to be shown now.
    package mutating func expire(now: Int64) -> Bool {
        let count = all.count
        all = all.filter { $0.value.until > now }
        return all.count != count
    }

    /// When the next one is forgotten; `nil` if there is none.
    package var deadline: Int64? { all.values.map(\.until).min() }

    /// As one line; "" if nobody does anything. Typing comes first.
    package func text(_ names: RecordNames) -> String {
        func people(_ members: [Identifier]) -> String {
            let first = members.sorted().map { names.member($0) }
            return first.count == 1 ? "\(first[0]) is" : "\(first.dropLast().joined(separator: ", ")) and \(first[first.count - 1]) are"
        }
        func of(_ action: Activity.Action) -> [Identifier] { all.filter { $0.value.activity.action == action }.map(\.key) }
        let typing = of(.typing)
        if typing.count > 3 { return "Several people are typing …" }
        if !typing.isEmpty { return people(typing) + " typing …" }
        for (action, word) in [(Activity.Action.editing, "editing"), (.looking, "looking at")] {
            let some = of(action).sorted()
            guard let one = some.first, let record = all[one]?.activity.record else { continue }
            let name = names.name(record.id)
            guard !name.isEmpty else { continue }
            return "\(people(some.filter { all[$0]?.activity.record == record })) \(word) \(name.printable)"
        }
        return ""
    }
}

/// The person's own activity, as the others received it.
package struct OwnActivity: Sendable {
    private var told: (activity: Activity, at: Int64)?

    package init() {}

    /// Decides at an input whether the others are notified.
    ///
    /// - Parameter wanted: what the person does now; `nil`: nothing that the others see.
    /// - Returns: what to send.
    package mutating func next(_ wanted: Activity?, now: Int64) -> Activity? {
        guard let wanted else {
            guard told != nil else { return nil }
            told = nil
            return Activity(.idle)
        }
        if let told {
            let wait = told.activity == wanted ? Activity.repetition : Activity.pace
            guard now - told.at >= wait else { return nil }
        }
        told = (wanted, now)
        return wanted
    }
}
