package import Bytes
package import Dates
package import Family
internal import ICalendar

/// The octets of a feed at one moment, and how much of the family's plans they hold.
package struct FeedFile: Sendable {
    package var octets: [UInt8]
    /// Entries in it.
    package var entries: Int
    /// Entries that found no room, the furthest from today.
    package var leftOut: Int

    /// Entries at most.
    package static let maxEntries = 3_000
    /// Octets at most.
    package static let maxOctets = 2_097_152
    /// Days that a feed goes back.
    package static let daysBack = 400
    /// Days for which a deleted record is shown as cancelled.
    package static let cancelledDays = 7
    /// The program that wrote a calendar, as RFC 5545 §3.7.3 wants it; without a version, so that an upgrade changes no octet.
    package static let program = "-//Huddle//Huddle//EN"

    /// The limits of a feed; tests make them small.
    package struct Bounds: Sendable {
        package var entries: Int
        package var octets: Int

        package init(entries: Int = FeedFile.maxEntries, octets: Int = FeedFile.maxOctets) {
            self.entries = entries
            self.octets = octets
        }
    }

    /// Makes the feed of a member.
    ///
    /// The octets follow from the arguments: for the same records, settings, address and day they are the same.
    ///
    /// - Parameters:
    ///   - id: of the feed; `nil` for a calendar that is written once and never fetched again.
    ///   - address: where the feed is fetched.
    ///   - today: in UTC.
    package init(
        _ records: FeedRecords, _ settings: FeedSettings, of owner: FeedOwner, id: Identifier?, address: String?, today: CalendarDate, bounds: Bounds = Bounds(),
        rules: @escaping (String) -> ZoneRules?
    ) {
        let selection = FeedSelection(settings.scope, owner, trips: records.trips)
        let builder = EntryBuilder(records, rules: rules)
        let firstDay = today.adding(days: -Self.daysBack) ?? .first
        let firstDeletion = Int64((today.adding(days: -Self.cancelledDays) ?? .first).days) * 86_400_000
        func isShown(_ record: Record) -> Bool { record.deletedAt.map { $0 >= firstDeletion } ?? true }
        var entries: [CalendarEntry] = []
        if settings.kinds.contains(.event) {
            for event in records.events where isShown(event) && selection.has(event: event) {
                if let entry = builder.event(event, namesAthlete: selection.isOfSeveralAthletes) { entries.append(entry) }
            }
        }
        if settings.kinds.contains(.trip) {
            for trip in records.trips where isShown(trip) && selection.has(trip: trip) { if let entry = builder.trip(trip) { entries.append(entry) } }
        }
        if settings.kinds.contains(.tripItem) {
            for item in records.items where isShown(item) && selection.has(item: item) {
                if let entry = builder.item(item, of: selection.trip(of: item)) { entries.append(entry) }
            }
        }
        entries.removeAll { $0.days.upperBound < firstDay }
        if settings.detail == .busy { for index in entries.indices { entries[index] = entries[index].withoutDetails } }
        if !settings.hasAlarms { for index in entries.indices { entries[index].alarms = [] } }
        var zones = FeedZones(rules: rules)
        // A calendar without entries is not allowed to be empty.
        zones.use(records.zone, years: today.year...today.year)
        self.init(entries, zones: &zones, today: today, bounds: bounds) { writer, left in
            Self.head(settings, id: id, address: address, zone: records.zone, left: left, into: &writer)
        }
    }

    /// Makes a calendar of all given records, without a window: an export.
    package init(exporting shown: [Record], _ records: FeedRecords, name: String, today: CalendarDate, rules: @escaping (String) -> ZoneRules?) {
        let builder = EntryBuilder(records, rules: rules)
        let trips = Dictionary(records.trips.map { ($0.id, $0) }) { first, _ in first }
        let entries = shown.compactMap { record -> CalendarEntry? in
            switch record.kind {
            case .event: return builder.event(record, namesAthlete: true)
            case .trip: return builder.trip(record)
            case .tripItem: return builder.item(record, of: record.fields.reference("trip_id").flatMap { trips[$0] })
            default: return nil
            }
        }
        var zones = FeedZones(rules: rules)
        zones.use(records.zone, years: today.year...today.year)
        self.init(entries, zones: &zones, today: today, bounds: Bounds(entries: .max, octets: .max)) { writer, _ in
            Self.begin(name, into: &writer)
        }
    }

    /// Writes the entries that fit, the nearest to a day first; in the file they are in the order of their days.
    private init(
        _ candidates: [CalendarEntry], zones: inout FeedZones, today: CalendarDate, bounds: Bounds, head: (inout CalendarWriter, Int) -> Void
    ) {
        func distance(_ entry: CalendarEntry) -> Int {
            if entry.days.upperBound < today { return entry.days.upperBound.days(until: today) }
            return max(0, today.days(until: entry.days.lowerBound))
        }
        let near = candidates.map { (entry: $0, distance: distance($0)) }.sorted { ($0.distance, $0.entry.uid) < ($1.distance, $1.entry.uid) }
        // The longest head is that which says that entries are missing.
        var frame = CalendarWriter()
        head(&frame, candidates.count)
        frame.end("VCALENDAR")
        let room = bounds.octets - frame.octets.count
        var kept: [(entry: CalendarEntry, octets: [UInt8])] = []
        var octets = zones.octets
        for (entry, _) in near {
            guard kept.count < bounds.entries else { break }
            var writer = CalendarWriter(capacity: 1_024)
            entry.write(into: &writer)
            // A zone that is used first, or in other years, takes room as well.
            var grown = zones
            for zone in entry.zones { grown.use(zone, years: entry.days.lowerBound.year...entry.days.upperBound.year) }
            let size = writer.octets.count + (grown.octets - zones.octets)
            guard octets + size <= room else { break }
            octets += size
            zones = grown
            kept.append((entry, writer.octets))
        }
        let left = candidates.count - kept.count
        var writer = CalendarWriter(capacity: octets + frame.octets.count)
        head(&writer, left)
        zones.write(into: &writer)
        kept.sort { ($0.entry.days.lowerBound, $0.entry.uid) < ($1.entry.days.lowerBound, $1.entry.uid) }
        for entry in kept { writer.append(entry.octets) }
        writer.end("VCALENDAR")
        self.octets = writer.octets
        entries = kept.count
        leftOut = left
    }

    private static func begin(_ name: String, into writer: inout CalendarWriter) {
        writer.begin("VCALENDAR")
        writer.value("VERSION", "2.0")
        writer.value("PRODID", program)
        writer.value("CALSCALE", "GREGORIAN")
        // RFC 7986 §5.1, and the name that older programs use.
        writer.text("NAME", name)
        writer.text("X-WR-CALNAME", name)
    }

    private static func head(
        _ settings: FeedSettings, id: Identifier?, address: String?, zone: String, left: Int, into writer: inout CalendarWriter
    ) {
        begin(settings.name, into: &writer)
        if let id { writer.text("UID", id.description) }
        let colour = Self.colour(settings.scope)
        writer.value("COLOR", colour.name)
        writer.value("X-APPLE-CALENDAR-COLOR", colour.hex)
        writer.value("REFRESH-INTERVAL", "PT1H", [CalendarParameter("VALUE", "DURATION")])
        writer.value("X-PUBLISHED-TTL", "PT1H")
        writer.text("X-WR-TIMEZONE", zone)
        if let address { writer.value("SOURCE", address, [CalendarParameter("VALUE", "URI")]) }
        guard left > 0 else { return }
        let sentence = "This calendar is too long for one feed. It shows the entries nearest to today; \(left) more are in Huddle."
        writer.text("DESCRIPTION", sentence)
        writer.text("X-WR-CALDESC", sentence)
    }

    /// A colour for each scope, as a CSS name and as octets.
    private static func colour(_ scope: FeedScope) -> (name: String, hex: String) {
        switch scope {
        case .mine: ("royalblue", "#4169E1")
        case .athlete: ("darkorange", "#FF8C00")
        case .trip: ("seagreen", "#2E8B57")
        case .all: ("slateblue", "#6A5ACD")
        }
    }
}

/// The zones of a feed, each with the years in which its entries are.
private struct FeedZones {
    private struct Zone {
        var rules: ZoneRules
        var years: ClosedRange<Int>
        /// Of the VTIMEZONE.
        var octets: [UInt8]
    }

    private let rules: (String) -> ZoneRules?
    private var zones: [String: Zone] = [:]
    /// Of all VTIMEZONEs together.
    private(set) var octets = 0

    init(rules: @escaping (String) -> ZoneRules?) { self.rules = rules }

    mutating func use(_ name: String, years: ClosedRange<Int>) {
        guard !EntryBuilder.isUTC(name) else { return }
        let known = zones[name]
        if let known, known.years.contains(years.lowerBound), known.years.contains(years.upperBound) { return }
        guard let rules = known?.rules ?? self.rules(name) else { return }
        let all = known.map { min($0.years.lowerBound, years.lowerBound)...max($0.years.upperBound, years.upperBound) } ?? years
        var writer = CalendarWriter(capacity: 1_024)
        CalendarZone.write(name, rules, years: all, into: &writer)
        octets += writer.octets.count - (known?.octets.count ?? 0)
        zones[name] = Zone(rules: rules, years: all, octets: writer.octets)
    }

    func write(into writer: inout CalendarWriter) {
        for (_, zone) in zones.sorted(by: { $0.key < $1.key }) { writer.append(zone.octets) }
    }
}
