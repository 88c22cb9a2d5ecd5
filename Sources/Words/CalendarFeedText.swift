internal import Bytes
package import Family
internal import Terminal

/// The calendar feeds of a member in words.
package enum CalendarFeedText {
    /// The feeds, one per line, or a sentence if there is none.
    package static func lines(_ feeds: [CalendarFeed], _ text: ChangeText) -> [String] {
        guard !feeds.isEmpty else { return ["You have no calendars. Make one: huddle calendar add NAME"] }
        return feeds.map { feed in
            var parts = ["\(feed.settings.name.printable) (\(scope(feed.settings.scope, text)))"]
            if feed.settings.kinds != FeedSettings.usualKinds { parts.append(feed.settings.kinds.map { KindWords.plural($0) }.joined(separator: " and ")) }
            if feed.settings.detail == .busy { parts.append("times only") }
            if !feed.settings.hasAlarms { parts.append("without alarms") }
            if let end = feed.settings.expiresAt { parts.append("until \(text.time(end))") }
            parts.append(fetches(feed, text))
            return parts.joined(separator: ", ") + "  \(feed.id.description.suffix(6))"
        }
    }

    /// The address of a feed that was made, and what to do with it.
    ///
    /// - Parameters:
    ///   - origin: `https://HOST`.
    ///   - token: the secret, which is not shown again.
    package static func made(origin: String, token: String) -> [String] {
        [
            "This is the only time that the address is shown, and anybody who has it sees the calendar. For a phone or computer, and for a web service:",
            "  \(subscription(origin: origin, token: token).printable)", "  \(address(origin: origin, token: token).printable)",
        ]
    }

    /// The address at which programs fetch a feed.
    package static func address(origin: String, token: String) -> String { "\(origin)/feeds/\(token).ics" }

    /// The same address as calendar programs take it: opening it subscribes.
    package static func subscription(origin: String, token: String) -> String {
        let address = address(origin: origin, token: token)
        return address.firstIndex(of: ":").map { "webcal" + address[$0...] } ?? address
    }

    private static func scope(_ scope: FeedScope, _ text: ChangeText) -> String {
        switch scope {
        case .mine(let athletes): athletes.isEmpty ? "mine" : "mine: " + athletes.map { text.names.member($0).printable }.joined(separator: ", ")
        case .athlete(let athlete): text.names.member(athlete).printable
        case .trip(let trip): "the trip " + text.names.name(trip).printable
        case .all: "all of the family"
        }
    }

    private static func fetches(_ feed: CalendarFeed, _ text: ChangeText) -> String {
        guard let at = feed.fetchedAt else { return "not read yet" }
        let count = feed.fetches
        let times = count == 1 ? "once" : "\(count) times"
        return "read \(times), last \(text.time(at))" + (feed.program.isEmpty ? "" : " by \(feed.program.printable)")
    }
}
