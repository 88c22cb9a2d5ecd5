package import Dates
import Family
package import ICalendar

/// One entry of a calendar, as a record says it.
package struct CalendarEntry: Hashable, Sendable {
    package enum Status: String, Sendable {
        case tentative = "TENTATIVE"
        case confirmed = "CONFIRMED"
        case cancelled = "CANCELLED"
    }

    /// The id of the record, for life.
    package var uid: String
    /// How often the record was changed.
    package var revision: Int64
    /// UTC milliseconds.
    package var createdAt: Instant
    package var changedAt: Instant
    package var start: CalendarMoment
    /// The first moment that no longer belongs to it, the day after the last one for days; `nil`: the start is all that is known.
    package var end: CalendarMoment?
    /// The days that it covers, on the clocks of its own zones.
    package var days: ClosedRange<CalendarDate>
    package var title: String
    package var status: Status
    /// Whether its time is taken.
    package var isOpaque: Bool
    package var category: String
    package var url: String?
    package var location: String
    package var description: String
    /// From the start to each alarm, negative before it.
    package var alarms: [CalendarDuration]

    /// Title of an entry that shows its time alone.
    package static let busyTitle = "Busy"

    /// Without everything that reveals more than the time.
    package var withoutDetails: CalendarEntry {
        var entry = self
        entry.title = Self.busyTitle
        entry.category = ""
        entry.url = nil
        entry.location = ""
        entry.description = ""
        return entry
    }

    /// Appends the entry as a VEVENT.
    package func write(into writer: inout CalendarWriter) {
        writer.begin("VEVENT")
        writer.text("UID", uid)
        // The last change and never now: the octets change only with the record.
        writer.instant("DTSTAMP", changedAt)
        writer.instant("CREATED", createdAt)
        writer.instant("LAST-MODIFIED", changedAt)
        writer.value("SEQUENCE", String(revision))
        writer.moment("DTSTART", start)
        if let end { writer.moment("DTEND", end) }
        writer.text("SUMMARY", title)
        writer.value("STATUS", status.rawValue)
        writer.value("TRANSP", isOpaque ? "OPAQUE" : "TRANSPARENT")
        if !category.isEmpty { writer.list("CATEGORIES", [category]) }
        if !location.isEmpty { writer.text("LOCATION", location) }
        if let url { writer.value("URL", url) }
        if !description.isEmpty { writer.text("DESCRIPTION", description) }
        for alarm in alarms {
            writer.begin("VALARM")
            writer.value("ACTION", "DISPLAY")
            writer.text("DESCRIPTION", title)
            writer.value("TRIGGER", alarm.text)
            writer.end("VALARM")
        }
        writer.end("VEVENT")
    }

    /// The zone names of its moments.
    package var zones: [String] {
        [start, end].compactMap { moment in
            if case .zoned(_, let zone)? = moment { return zone }
            return nil
        }
    }
}
