package import Bytes

/// The part of a family's plans that a calendar feed shows.
package enum FeedScope: Hashable, Sendable {
    /// The member's own: an athlete's season, or the seasons of the athletes that the member chose, all if none is named; and the trips of the member.
    case mine(athletes: [Identifier])
    /// The season and the trips of one athlete.
    case athlete(Identifier)
    /// The items of one trip.
    case trip(Identifier)
    /// All seasons and trips of the family.
    case all

    /// As in frames.
    package var word: String {
        switch self {
        case .mine: "mine"
        case .athlete: "athlete"
        case .trip: "trip"
        case .all: "all"
        }
    }
}

/// How much a calendar feed shows of each entry.
package enum FeedDetail: String, CaseIterable, Sendable {
    /// Title, place, check-in, host, cost, contacts and link.
    case full
    /// The times alone, under the title "Busy".
    case busy
}

/// The content of a calendar feed, as its member chose it.
package struct FeedSettings: Hashable, Sendable {
    /// The member's name for it; programs show it as the name of the calendar.
    package var name: String
    package var scope: FeedScope
    /// The kinds of records that become entries, each once, in the order of `feedKinds`; at least one.
    package var kinds: [Kind]
    package var detail: FeedDetail
    /// Whether the entries carry alarms.
    package var hasAlarms: Bool
    /// The first moment at which the feed is not served any more, UTC milliseconds; `nil`: until it is revoked.
    package var expiresAt: Int64?

    package init(
        name: String, scope: FeedScope = .mine(athletes: []), kinds: [Kind] = FeedSettings.usualKinds, detail: FeedDetail = .full, hasAlarms: Bool = true,
        expiresAt: Int64? = nil
    ) {
        self.name = name
        self.scope = scope
        self.kinds = kinds
        self.detail = detail
        self.hasAlarms = hasAlarms
        self.expiresAt = expiresAt
    }

    /// The kinds that can become entries.
    package static let feedKinds: [Kind] = [.event, .trip, .tripItem]
    /// The kinds of a feed for which the member chose none: a trip has its items.
    package static let usualKinds: [Kind] = [.event, .tripItem]
    /// Characters of a name at most.
    package static let nameLength = 60
    /// Feeds of one member.
    package static let most = 20
    /// Athletes that a feed names.
    package static let mostAthletes = 32
    /// The days for which a feed may be made, if it ends by itself.
    package static let days: ClosedRange<Int64> = 1...3_650

    /// A name for a feed, without the spaces around it.
    ///
    /// - Throws: `required`, `too_long`, `invalid`, each with the field `name`.
    package static func canonicalName(_ text: String) throws(Rejection) -> String {
        guard let name = TextRules.trimmed(text), !name.isEmpty else {
            throw Rejection(.required, "A calendar needs a name by which you recognize it. Nothing was changed", field: "name")
        }
        guard name.unicodeScalars.count <= nameLength else {
            throw Rejection(.tooLong, "The name of a calendar is at most \(nameLength) characters long. Nothing was changed", field: "name")
        }
        guard TextRules.isShown(name, lines: false), TextRules.visible(name) == name else {
            throw Rejection(.invalid, "The name of a calendar contains an invisible character. Type it again without copying it", field: "name")
        }
        return name
    }
}

/// A calendar feed as its member sees it; its secret address is shown once, to the client that made it.
package struct CalendarFeed: Hashable, Sendable {
    package var id: Identifier
    package var settings: FeedSettings
    /// UTC milliseconds.
    package var createdAt: Int64
    /// How often a program fetched it, answers without content included.
    package var fetches: Int64
    /// The last fetch, UTC milliseconds; `nil` before the first.
    package var fetchedAt: Int64?
    /// The name that the program of the last fetch gave; empty before the first.
    package var program: String

    package init(id: Identifier, settings: FeedSettings, createdAt: Int64, fetches: Int64 = 0, fetchedAt: Int64? = nil, program: String = "") {
        self.id = id
        self.settings = settings
        self.createdAt = createdAt
        self.fetches = fetches
        self.fetchedAt = fetchedAt
        self.program = program
    }

    /// Characters of a program's name that are kept.
    package static let programLength = 100
}
