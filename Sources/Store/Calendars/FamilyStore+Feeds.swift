import Bytes
import Crypto
package import Family
import Ledger
package import Wire

// Calendar feeds. A feed belongs to its member: nobody else sees it, and it ends with its member.
extension FamilyStore {
    /// Makes a feed or changes its settings, in one transaction.
    ///
    /// - Returns: the member's feeds, and the secret of a new one; or the reason why nothing was done.
    package func perform(_ command: FeedCommand) throws(StoreFailure) -> Result<(feeds: [CalendarFeed], made: CalendarMade?), Rejection> {
        let outcome = try transaction { _ -> (feeds: [CalendarFeed], made: CalendarMade?) in
            let at = environment.now()
            guard let family = try family(command.family), let member = try entered(command.member, family.state, at: at) else { throw Rejection.noSuchFamily }
            var made: CalendarMade?
            switch command.act {
            case .add(let id, let nonce, let settings): made = try add(id, nonce: nonce, settings, member, family, command, at: at)
            case .change(let id, let settings): try change(id, settings, member, family, command, at: at)
            }
            return (try feeds.feeds(family: family.key, member: command.member), made)
        }
        switch outcome {
        case .done(let answer): return .success(answer)
        case .refused(let rejection): return .failure(rejection)
        }
    }

    private func add(
        _ id: Identifier, nonce: String, _ settings: FeedSettings, _ member: MemberState, _ family: StoredFamily, _ command: FeedCommand, at: Int64
    ) throws -> CalendarMade {
        let settings = try canonical(settings, family, at: at)
        let token = FeedToken.make(key: engine.linkKey, family: command.family, member: command.member, id: id, nonce: nonce)
        let hash = FeedToken.hash(token)
        if let known = try feeds.feed(family: family.key, id: id) {
            guard known.member == command.member, known.feed.settings == settings, try feeds.feed(hash: hash)?.feed.id == id else {
                throw Rejection(.alreadyExists, "A calendar with this id already exists. Nothing was changed; use another id", id: id)
            }
            return CalendarMade(id: id, token: token)
        }
        try requireCheck(session: command.session, at: at)
        var count = 0
        for feed in try feeds.feeds(family: family.key, member: command.member) {
            // A feed that has expired makes room.
            if let end = feed.settings.expiresAt, end <= at { try feeds.removeFeed(family: family.key, id: feed.id) } else { count += 1 }
        }
        guard count < FeedSettings.most else {
            throw Rejection(.tooMany, "You have \(count) calendars, and \(FeedSettings.most) is the limit. Remove one first")
        }
        let feed = CalendarFeed(id: id, settings: settings, createdAt: at)
        try feeds.addFeed(FeedRow(family: family.key, familyID: command.family, member: command.member, feed: feed), hash: hash)
        try audit(.calendarAdded, family: family.key, by: .member(command.member), about: command.member, detail: settings.name, at: at)
        try noteAthletes(of: settings.scope, member, family, command, at: at)
        return CalendarMade(id: id, token: token)
    }

    private func change(
        _ id: Identifier, _ settings: FeedSettings, _ member: MemberState, _ family: StoredFamily, _ command: FeedCommand, at: Int64
    ) throws {
        guard let known = try feeds.feed(family: family.key, id: id), known.member == command.member else { throw Rejection.noSuchCalendar(id) }
        let settings = try canonical(settings, family, at: at)
        guard settings != known.feed.settings else { return }
        try requireCheck(session: command.session, at: at)
        try feeds.setFeed(family: family.key, id: id, settings)
        try audit(.calendarChanged, family: family.key, by: .member(command.member), about: command.member, detail: settings.name, at: at)
        if settings.scope != known.feed.settings.scope { try noteAthletes(of: settings.scope, member, family, command, at: at) }
    }

    /// Ends a feed of the member who asks. It is not an error if the feed has already ended or never existed: it gives
    /// no access.
    func endFeed(_ end: FeedEnd, at: Int64) throws {
        guard let family = try family(end.family), try entered(end.member, family.state, at: at) != nil else { throw Rejection.noSuchFamily }
        guard let known = try feeds.feed(family: family.key, id: end.feed), known.member == end.member else { return }
        try feeds.removeFeed(family: family.key, id: end.feed)
        try audit(.calendarRemoved, family: family.key, by: .member(end.member), about: end.member, detail: known.feed.settings.name, at: at)
    }

    /// Settings in the form that is stored.
    private func canonical(_ settings: FeedSettings, _ family: StoredFamily, at: Int64) throws -> FeedSettings {
        var settings = settings
        settings.name = try FeedSettings.canonicalName(settings.name)
        settings.kinds = FeedSettings.feedKinds.filter(settings.kinds.contains)
        guard !settings.kinds.isEmpty else { throw Rejection(.required, "A calendar needs at least one kind of record. Nothing was changed", field: "kinds") }
        if let end = settings.expiresAt {
            let days = FeedSettings.days
            guard end > at, end <= at + days.upperBound * 86_400_000 else {
                throw Rejection(.outOfRange, "expires_at must be in the future, at most \(days.upperBound) days from now. Nothing was changed", field: "expires_at")
            }
        }
        switch settings.scope {
        case .mine(let athletes):
            guard athletes.count <= FeedSettings.mostAthletes else { throw Rejection(.tooMany, "athletes: at most \(FeedSettings.mostAthletes) entries", field: "athletes") }
            let sorted = Set(athletes).sorted()
            for athlete in sorted { try checkAthlete(athlete, family) }
            settings.scope = .mine(athletes: sorted)
        case .athlete(let athlete): try checkAthlete(athlete, family)
        case .trip(let trip):
            guard let record = try record(family: family.key, trip), record.kind == .trip, !record.isDeleted else {
                throw Rejection(.notFound, "There is no such trip in this family. Nothing was changed", field: "trip")
            }
        case .all: break
        }
        return settings
    }

    private func checkAthlete(_ athlete: Identifier, _ family: StoredFamily) throws {
        guard family.state.member(athlete)?.role == .athlete else { throw Rejection(.notFound, "There is no such athlete in this family.", field: "athletes") }
    }

    /// Notes in the access log of each athlete whose season a feed shows that another member has made it.
    private func noteAthletes(of scope: FeedScope, _ member: MemberState, _ family: StoredFamily, _ command: FeedCommand, at: Int64) throws {
        let all = family.state.members.filter { !$0.value.isRemoved && $0.value.role == .athlete }.keys.sorted()
        let shown: [Identifier] =
            switch scope {
            case .mine(let athletes): member.role == .athlete ? [] : athletes.isEmpty ? all : athletes
            case .athlete(let athlete): [athlete]
            case .trip: []
            case .all: all
            }
        for athlete in shown where athlete != command.member {
            try add(AccessNote(family: command.family, athlete: athlete, member: command.member, subject: .calendar), family: family.key, at: at)
        }
    }
}

extension Rejection {
    /// The same answer for every feed that the member does not have, whether another member has it or not.
    static func noSuchCalendar(_ id: Identifier) -> Rejection { Rejection(.notFound, "There is no such calendar. Nothing was changed", id: id) }
}
