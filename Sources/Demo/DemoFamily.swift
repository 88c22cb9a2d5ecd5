package import Bytes
internal import Dates
package import Family
package import Store
package import Wire

/// The demo family after its creation, with the sign-ins of its members.
package struct DemoFamily: Sendable {
    package struct Member: Sendable {
        package var id: Identifier
        package var name: String
        package var role: Role
        package var token: String

        package init(id: Identifier, name: String, role: Role, token: String) {
            self.id = id
            self.name = name
            self.role = role
            self.token = token
        }
    }

    package var family: Identifier
    package var name: String
    package var members: [Member]

    package init(family: Identifier, name: String, members: [Member]) {
        self.family = family
        self.name = name
        self.members = members
    }

    /// Creates family, members and season through the store's own commands and commits, so that the demo is subject to
    /// the same rules as all other data.
    ///
    /// - Returns: the family or the rejection, and the commits, for live rooms.
    package static func make(
        in store: FamilyStore, environment: StoreEnvironment
    ) throws(StoreFailure) -> (Result<DemoFamily, Rejection>, [CommitResult]) {
        var maker = DemoBuilder(store, environment)
        let made: Result<DemoFamily, Rejection>
        do throws(DemoStop) {
            made = .success(try maker.make())
        } catch {
            switch error {
            case .rejected(let rejection): made = .failure(rejection)
            case .failed(let failure): throw failure
            }
        }
        return (made, maker.results)
    }
}

private enum DemoStop: Error {
    case rejected(Rejection)
    case failed(StoreFailure)
}

private struct DemoBuilder {
    let store: FamilyStore
    let environment: StoreEnvironment
    /// The least number of milliseconds between two actions.
    private static let pause: Int64 = 30_000
    /// The time of all ids, in UTC milliseconds.
    private(set) var began: Int64
    private(set) var results: [CommitResult] = []
    /// The number of ids created.
    private var identifiers: UInt64 = 0

    init(_ store: FamilyStore, _ environment: StoreEnvironment) {
        self.store = store
        self.environment = environment
        began = environment.now()
    }

    mutating func make() throws(DemoStop) -> DemoFamily {
        guard let today = environment.localDate(DemoSeason.timeZone, environment.now()).flatMap({ CalendarDate($0) }) else {
            throw .rejected(Rejection(.invalid, "This machine has no zone data. Install the package tzdata."))
        }
        let rules = environment.rules.rules(DemoSeason.timeZone)
        func instant(_ moment: DemoMoment) -> Int64 {
            let midnight = LocalDateTime(date: today.moved(by: moment.day), time: .midnight)
            return rules.instant(of: midnight.adding(minutes: moment.minute) ?? midnight)
        }
        began = instant(DemoSeason.began)
        let first = DemoSeason.parentNames[0]
        guard case .family(let family) = try perform(.createFamily(name: DemoSeason.familyName, zone: DemoSeason.timeZone, parent: first), at: began)
        else { preconditionFailure("createFamily answers with a family") }
        var parents = [family.member]
        for name in DemoSeason.parentNames.dropFirst() {
            parents.append(try enroll(name, in: family, at: began + 60_000))
        }
        var athletes: [Identifier] = []
        for (name, born) in zip(DemoSeason.athleteNames, DemoSeason.birthDates(today: today)) {
            let athlete = NewInvite(family: family.family, name: name, role: .athlete, born: born.description, by: family.member)
            // Each later than the previous one: people are listed in the order in which they joined.
            athletes.append(try invite(athlete, at: began + Int64(2 + athletes.count) * 60_000))
        }
        for athlete in athletes { try approve(athlete, in: family) }
        let season = DemoSeason.mutations(today: today, parents: parents, athletes: athletes) { identifier() }
        let client = identifier()
        // Early in the morning, today's messages would be in the future: then they were sent a moment ago.
        var times = season.map { instant($0.at) }
        var latest = environment.now()
        for place in times.indices.reversed() {
            latest -= Self.pause
            times[place] = min(times[place], latest)
            latest = times[place]
        }
        for (index, step) in season.enumerated() {
            try commit(step.operations, by: step.author, in: family.family, client: client, number: Int64(index + 1), at: times[index])
        }
        var members: [DemoFamily.Member] = []
        for (id, name) in zip(parents + athletes, DemoSeason.parentNames + DemoSeason.athleteNames) {
            guard case .token(let session) = try perform(.token(member: id)) else { preconditionFailure("token answers with a token") }
            members.append(DemoFamily.Member(id: id, name: name, role: session.role, token: session.token))
        }
        return DemoFamily(family: family.family, name: DemoSeason.familyName, members: members)
    }

    /// A new id, larger than the previous one although all have the same millisecond: a whole season is written at the
    /// same moment, and records of one moment are shown in the order of their ids.
    ///
    /// Source: RFC 9562 §6.2, method 1: a counter in the 12 bits behind the time.
    private mutating func identifier() -> Identifier {
        identifiers += 1
        precondition(identifiers < 1 << 12, "a demo has few enough records to be counted in 12 bits")
        let random = environment.random(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return .version7(milliseconds: began, random: (identifiers, random))
    }

    private mutating func enroll(_ parent: String, in family: FamilyCreated, at: Int64) throws(DemoStop) -> Identifier {
        let answer: Result<Identifier, Rejection>
        do throws(StoreFailure) {
            let done = try store.enroll(parent, .parent, in: family.family, by: family.member, at: at)
            answer = done.0
            results += done.1
        } catch { throw .failed(error) }
        switch answer {
        case .success(let member): return member
        case .failure(let rejection): throw .rejected(rejection)
        }
    }

    private mutating func invite(_ invite: NewInvite, at: Int64) throws(DemoStop) -> Identifier {
        guard case .invited(let invited) = try perform(.invite(invite), at: at) else { preconditionFailure("invite answers with a member") }
        return invited.member
    }

    /// Consents to an athlete's sign-in as the first parent.
    private func approve(_ athlete: Identifier, in family: FamilyCreated) throws(DemoStop) {
        let rejection: Rejection?
        do throws(StoreFailure) {
            rejection = try store.approve(athlete, in: family.family, by: family.member)
        } catch { throw .failed(error) }
        // From 18 on there is nothing to consent to.
        if let rejection, rejection.code != .contradicted { throw .rejected(rejection) }
    }

    private mutating func perform(_ command: AdminCommand, at: Int64? = nil) throws(DemoStop) -> AdminAnswer {
        let answer: Result<AdminAnswer, Rejection>
        do throws(StoreFailure) {
            let done = try store.perform(command, at: at)
            answer = done.0
            results += done.1
        } catch { throw .failed(error) }
        switch answer {
        case .success(let answer): return answer
        case .failure(let rejection): throw .rejected(rejection)
        }
    }

    private mutating func commit(
        _ operations: [Operation], by author: Identifier, in family: Identifier, client: Identifier, number: Int64, at: Int64
    ) throws(DemoStop) {
        let proposal = Proposal(
            family: family, member: author, context: .all, mutation: Mutation(client: client, id: number, operations: operations),
            session: .max)
        let done: [CommitResult]
        do throws(StoreFailure) { done = try store.commit([proposal], at: at) } catch { throw .failed(error) }
        guard case .change? = done.last else {
            throw .rejected(DemoFailure.rejection(in: done))
        }
        results += done
    }
}

/// The demo's own records follow every rule, so this happens if the disk is full.
private enum DemoFailure {
    static func rejection(in results: [CommitResult]) -> Rejection {
        for case .receipt(let receipt) in results {
            if let frame = try? receipt.frame.withUnsafeBytes({ raw throws(Rejection) in try ServerFrame.decode(raw) }),
                case .reject(_, let rejection) = frame
            {
                return rejection
            }
        }
        return Rejection(.busy, "The demo season could not be written.")
    }
}
