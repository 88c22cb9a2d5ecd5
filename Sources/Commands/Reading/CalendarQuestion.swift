internal import Arguments
internal import Bytes
internal import Crypto
package import Family
internal import Posix
internal import Terminal
internal import Wire

/// A request about the member's calendar feeds, in the member's words. A feed is named by its name or the beginning of
/// its id.
package enum CalendarQuestion: Hashable, Sendable {
    case list
    case add(CalendarWords)
    case remove(String)

    /// Letters of the beginning of an id that are enough to name a feed.
    private static let leastLetters = 4

    /// The content of the request's frame.
    ///
    /// - Parameters:
    ///   - calendars: the member's feeds.
    ///   - day: the end of a day in the family's zone, UTC milliseconds.
    /// - Throws: a sentence, if the words fit no feed or record, or several.
    func act(_ calendars: [CalendarFeed], endOf day: (String) -> Int64?, find: (Kind, String) throws(UsageError) -> Record) throws(UsageError) -> CalendarsRequest.Act {
        switch self {
        case .list: return .list
        case .remove(let text): return .remove(try Self.find(text, calendars).id)
        case .add(let words):
            func ids(_ names: [String], _ kind: Kind) throws(UsageError) -> [Identifier] {
                try names.map { text throws(UsageError) in if let id = Identifier(text) { id } else { try find(kind, text).id } }
            }
            let scope: FeedScope
            if let trip = words.trip {
                scope = .trip(try ids([trip], .trip)[0])
            } else if words.isAll {
                scope = .all
            } else if words.athletes.count == 1, words.isOfOneAthlete {
                scope = .athlete(try ids(words.athletes, .member)[0])
            } else {
                scope = .mine(athletes: try ids(words.athletes, .member))
            }
            let settings = FeedSettings(
                name: words.name, scope: scope, kinds: words.kinds, detail: words.isBusy ? .busy : .full, hasAlarms: !words.isSilent,
                expiresAt: words.until.flatMap(day))
            // Both stay the same however often the frame is sent, so that a lost answer does not create a second feed.
            return .add(Random.identifier(milliseconds: Clock.wallMilliseconds()), nonce: Hex.encode(Random.octets(16)), settings)
        }
    }

    private static func find(_ text: String, _ calendars: [CalendarFeed]) throws(UsageError) -> CalendarFeed {
        let typed = text.lowercased()
        let found = calendars.filter {
            $0.settings.name.lowercased() == typed
                || (typed.utf8.count >= leastLetters && ($0.id.description.hasPrefix(typed) || $0.id.description.hasSuffix(typed)))
        }
        guard let first = found.first else { throw UsageError("You have no calendar called '\(text.printable)'. Look at the list: calendar.") }
        guard found.count == 1 else {
            throw UsageError("Several calendars fit '\(text.printable)': take one of the ids \(found.map { "\($0.id)" }.joined(separator: ", ")).")
        }
        return first
    }
}

/// A calendar feed, in the member's words.
package struct CalendarWords: Hashable, Sendable {
    package var name: String
    /// Names or ids of athletes.
    package var athletes: [String] = []
    /// Whether the feed shows the one athlete's season and trips, not the member's own trips.
    package var isOfOneAthlete = false
    package var trip: String?
    package var isAll = false
    package var kinds: [Kind] = FeedSettings.usualKinds
    package var isBusy = false
    package var isSilent = false
    /// The last day of the feed, `YYYY-MM-DD`.
    package var until: String?

    package init(name: String) { self.name = name }
}
