internal import Dates
package import Family

/// Trip items in words, by the requirements.
package enum TripText {
    /// "Apr 15, 2026 09:30" of `YYYY-MM-DDTHH:MM`; anything else as it is.
    package static func moment(_ text: String) -> String {
        guard let local = LocalDateTime(text) else { return text.printable }
        return EventText.dates(local.date.description, nil) + " " + local.time.description
    }

    /// How long an item lasts: "2h 0m", "45m", "All day" without an end (R152).
    package static func duration(_ fields: Fields) -> String {
        TripItemSpan(fields, RuleEnvironment(zone: LocalClock.rules))?.duration ?? "Unknown"
    }
}
