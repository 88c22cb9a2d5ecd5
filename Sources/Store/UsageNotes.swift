import Bytes
package import Family

/// Views and uses that are counted in memory and written together: entries of the access log, openings of share links,
/// sessions in use.
///
/// A value without a clock: times are milliseconds of any monotonic clock, the same for all notes and for
/// `FamilyStore.write`. Each of the three parts has its bound. A note above it is dropped and counted in `takeDropped`; a
/// dropped session is noted at its next sign-in.
package struct UsageNotes: Sendable {
    /// The largest number of different entries of the access log. A repetition is the same entry.
    package static let maxAccesses = 16_384
    /// The largest number of opened links, pages and downloads separately.
    package static let maxLinks = 4_096
    /// The largest number of rows for the logs of all links together. Above it, the counts of a link still rise.
    package static let maxRows = 16_384
    /// The largest number of fetched calendar feeds.
    package static let maxFeeds = 16_384
    /// The largest number of sessions in use.
    package static let maxSessions = 65_536

    /// The openings of one link.
    struct Openings: Sendable {
        var count: Int64
        /// The number of openings that get a row in the log of the link.
        var rows: Int64
        var first: Int64
        var last: Int64
    }

    /// The entries, with the time of the first view of each.
    private(set) var accesses: [AccessNote: Int64] = [:]
    private(set) var visits: [ShareVisit: Openings] = [:]
    private(set) var sessions: Set<Int64> = []
    /// `last` is a time of the notes' clock.
    private(set) var fetches: [FeedName: FeedFetches] = [:]
    private var rows = 0
    private var dropped = 0

    package init() {}

    package var isEmpty: Bool { accesses.isEmpty && visits.isEmpty && sessions.isEmpty && fetches.isEmpty }

    /// The number of notes that were dropped since the last call.
    package mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }

    /// Notes that a person viewed data of an athlete.
    package mutating func add(_ access: AccessNote, at time: Int64) {
        guard accesses[access] == nil else { return }
        guard accesses.count < Self.maxAccesses else {
            dropped += 1
            return
        }
        accesses[access] = time
    }

    /// Notes that a visitor opened a share link.
    package mutating func add(_ visit: ShareVisit, at time: Int64) {
        guard visits[visit] != nil || visits.count < Self.maxLinks else {
            dropped += 1
            return
        }
        var openings = visits[visit] ?? Openings(count: 0, rows: 0, first: time, last: time)
        openings.count += 1
        openings.last = time
        if rows < Self.maxRows {
            rows += 1
            openings.rows += 1
        }
        visits[visit] = openings
    }

    /// Notes that a program fetched a calendar feed.
    package mutating func add(_ feed: FeedName, program: String, at time: Int64) {
        guard fetches[feed] != nil || fetches.count < Self.maxFeeds else {
            dropped += 1
            return
        }
        fetches[feed] = FeedFetches(count: (fetches[feed]?.count ?? 0) + 1, last: time, program: program)
    }

    /// Notes that a session is in use.
    package mutating func add(session: Int64) {
        guard sessions.count < Self.maxSessions || sessions.contains(session) else {
            dropped += 1
            return
        }
        sessions.insert(session)
    }
}

extension FamilyStore {
    /// Writes the notes, in one transaction. Notes about a family or link that no longer exists are dropped. If the
    /// disk is full the notes are lost, because refusing a view would be worse than an incomplete log.
    ///
    /// - Parameter now: the time by the clock of the notes.
    package func write(_ notes: UsageNotes, now: Int64) throws(StoreFailure) {
        guard !notes.isEmpty else { return }
        /// The link that was counted last, and its openings afterwards. All other notes may be written twice.
        typealias Counted = (family: Int64, link: Identifier, openings: Int64)
        _ = try transaction(isDone: { (counted: Counted?) in
            guard let counted else { return false }
            // Only the writer counts, so the link has that many openings only if the run happened.
            return try self.shares.openings(family: counted.family, of: counted.link) == counted.openings
        }) { _ in
            var counted: Counted?
            let at = environment.now()
            func time(_ noted: Int64) -> Int64 { at - max(0, now - noted) }
            for (access, noted) in notes.accesses.sorted(by: { $0.value < $1.value }) {
                guard let family = try family(access.family) else { continue }
                try add(access, family: family.key, at: time(noted))
            }
            // In the order of time, because the openings of a link are numbered.
            func order(_ note: (key: ShareVisit, value: UsageNotes.Openings)) -> (Int64, String) { (note.value.last, note.key.what.rawValue) }
            for (visit, openings) in notes.visits.sorted(by: { order($0) < order($1) }) {
                guard let family = try family(visit.family) else { continue }
                let noted = ShareOpenings(
                    what: visit.what, count: openings.count, rows: openings.rows, first: time(openings.first), last: time(openings.last))
                let total = try shares.note(family: family.key, link: visit.link, noted, limit: StoredShareLink.maxViews)
                if let total { counted = (family.key, visit.link, total) }
            }
            for (feed, fetches) in notes.fetches {
                guard let family = try family(feed.family) else { continue }
                try feeds.note(family: family.key, id: feed.feed, FeedFetches(count: fetches.count, last: time(fetches.last), program: fetches.program))
            }
            for session in notes.sessions { try people.renewSession(key: session, at: at) }
            return counted
        }
    }
}
