package import Bytes
package import Dates
package import Family

/// A made-up family in the middle of a recruiting season, for people who try Huddle for the first time.
///
/// Everything here is a value: the family, and the mutations that its members would have sent until today. The caller
/// creates family and members (like `huddled init` and `huddled invite`) and lets the store commit the mutations like
/// any others, so that the demo is subject to the same permissions, rules and log as real records. All people, schools
/// and addresses are invented; domains end in `.example` (RFC 2606 §2).
package enum DemoSeason {
    /// The family record's name.
    package static let familyName = "The Rivera family"
    /// The family record's zone, an IANA name.
    package static let timeZone = "America/New_York"
    /// The parents; their ids, in this order, are the `parents` of `mutations`.
    package static let parentNames = ["Carmen Rivera", "David Rivera"]
    /// The athletes; their ids, in this order, are the `athletes` of `mutations`: Elena, 17, catches in softball;
    /// Mateo, 16, is a shortstop in baseball.
    package static let athleteNames = ["Elena Rivera", "Mateo Rivera"]

    /// The birth dates of the athletes, with which they are 17 and 16 years old on `today`.
    package static func birthDates(today: CalendarDate) -> [CalendarDate] {
        // A hundred days after the 17th and 150 after the 16th birthday, 365.25 days per year: far from the adjacent
        // birthdays.
        return [today.moved(by: -6_309), today.moved(by: -5_994)]
    }

    /// The season as the family would have entered it, oldest first.
    ///
    /// - Parameters:
    ///   - today: in the family's zone; the dates of the season are around it.
    ///   - parents: the two parents' member ids.
    ///   - athletes: the two athletes' member ids.
    ///   - makeIdentifier: returns a new id at each call, larger than the previous one: records of the same moment are
    ///     shown in the order of their ids.
    /// - Returns: mutations of at most 25 operations (far below `Limits.operationsPerMutation`), each with its author
    ///   and its time, in that order. An operation refers only to records of earlier mutations.
    package static func mutations(
        today: CalendarDate, parents: [Identifier], athletes: [Identifier], makeIdentifier: () -> Identifier
    ) -> [DemoStep] {
        precondition(parents.count == parentNames.count && athletes.count == athleteNames.count, "the demo family has two and two")
        let members = parents + athletes
        var steps: [DemoStep] = []
        /// In one evening, one minute each, after all members have been invited.
        var setUp = DemoMoment(began.day, 18, 10)
        func add(_ author: Identifier, _ operations: [Operation], at moment: DemoMoment? = nil) {
            setUp.minute += 1
            steps.append(DemoStep(author: author, operations: operations, at: max(moment ?? setUp, setUp)))
        }

        let schoolIDs = schools.map { _ in makeIdentifier() }
        add(parents[0], zip(schoolIDs, schools).map { id, school in school.create(id) })

        let coachIDs = coaches.map { _ in makeIdentifier() }
        add(parents[1], zip(coachIDs, coaches).map { id, coach in coach.create(id, schools: schoolIDs) })

        let eventIDs = events.map { _ in makeIdentifier() }
        for athlete in athletes.indices {
            for author in [EventPlan.Author.mother, .father, .athlete] {
                let chosen = events.indices.filter { events[$0].athlete == athlete && events[$0].author == author }
                guard !chosen.isEmpty else { continue }
                let member = author.member(parents: parents, athlete: athletes[athlete])
                add(member, chosen.map { events[$0].create(eventIDs[$0], owner: athletes[athlete], today: today, schools: schoolIDs) })
            }
        }

        func create(_ result: ResultPlan, event: Identifier?) -> Operation {
            result.create(makeIdentifier(), owner: athletes[result.athlete], event: event, today: today)
        }
        func create(_ contact: ContactPlan, event: Identifier?) -> Operation {
            contact.create(
                makeIdentifier(), owner: athletes[contact.athlete], event: event, today: today, coaches: coachIDs, schools: schoolIDs)
        }

        // An attending athlete records the event afterwards, with the coaches they spoke to and the results, in one
        // batch.
        let attended = events.indices.filter { events[$0].attended }.sorted { events[$0].day < events[$1].day }
        for index in attended {
            let (event, id) = (events[index], eventIDs[index])
            var batch = [event.attend(id, coaches: coachIDs)]
            batch += contacts.filter { $0.time == nil && $0.athlete == event.athlete && $0.day == event.day }.map { create($0, event: id) }
            batch += results.filter { $0.event && $0.athlete == event.athlete && $0.day == event.day }.map { create($0, event: id) }
            add(athletes[event.athlete], batch, at: DemoMoment(event.day + event.moreDays, 21, 30))
        }
        for contact in contacts where contact.time != nil { add(athletes[contact.athlete], [create(contact, event: nil)], at: DemoMoment(contact.day, 21, 0)) }
        for result in results where !result.event { add(athletes[result.athlete], [create(result, event: nil)], at: DemoMoment(result.day, 20, 0)) }

        for trip in trips {
            let id = makeIdentifier()
            add(members[trip.author], [trip.create(id, today: today, members: members)])
            add(members[trip.author], trip.items.map { trip.create($0, makeIdentifier(), trip: id, today: today, members: members) })
        }

        for message in messages {
            let operation = message.create(makeIdentifier(), members: members) { key in
                guard let index = events.firstIndex(where: { $0.key == key }) else {
                    preconditionFailure("no demo event has the key \(key)")
                }
                return eventIDs[index]
            }
            steps.append(DemoStep(author: members[message.author], operations: [operation], at: message.at))
        }
        return steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    /// The creation of the family: the season is entered in that evening, before the first message.
    package static let began = DemoMoment(-16, 18, 0)
}

/// A time in the family's zone, relative to the day on which the demo is created.
package struct DemoMoment: Hashable, Comparable, Sendable {
    package var day: Int
    /// The minute of the day.
    package var minute: Int

    package init(_ day: Int, _ hour: Int, _ minute: Int) {
        self.day = day
        self.minute = hour * 60 + minute
    }

    package static func < (left: DemoMoment, right: DemoMoment) -> Bool { (left.day, left.minute) < (right.day, right.minute) }
}

/// A mutation of the demo's season.
package struct DemoStep: Sendable {
    package var author: Identifier
    package var operations: [Operation]
    package var at: DemoMoment
}

extension FieldPatch {
    /// A patch from names and values, in the order of the declaration; empty values are omitted.
    ///
    /// A name that the kind does not declare is a programming error and traps.
    static func demo(_ kind: Kind, _ values: KeyValuePairs<String, Value?>, add: (name: String, ids: [Identifier])? = nil) -> FieldPatch {
        func ordinal(_ name: String) -> Int {
            guard let index = kind.declaration.index(of: name) else { preconditionFailure("\(kind.name) declares no field \(name)") }
            return index
        }
        var patch = FieldPatch()
        for (name, value) in values {
            guard let value else { continue }
            patch.assignments.append(Assignment(field: ordinal(name), value: value))
        }
        patch.assignments.sort { $0.field < $1.field }
        if let add, !add.ids.isEmpty {
            patch.setEdits = [SetEdit(field: ordinal(add.name), add: add.ids.sorted())]
        }
        return patch
    }
}

extension Value {
    /// A text value; `nil` for no text.
    static func demo(_ text: String?) -> Value? { text.map { .text($0) } }
}
