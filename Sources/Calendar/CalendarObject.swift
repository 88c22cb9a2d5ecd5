package import Bytes
internal import Crypto
package import Dates
package import Family
internal import ICalendar

/// A record as one object of a calendar that programs read and write (RFC 4791 §4.1): a calendar with one VEVENT.
///
/// Unlike an entry of a feed it has only what people wrote: no text that is made of other fields, and no alarm, so that
/// a program can send it back as it is.
package struct CalendarObject: Sendable {
    package var id: Identifier
    package var entry: CalendarEntry
    package var octets: [UInt8]
    /// The version of the record, and a digest of the octets: they change with the family's zone, too.
    package var tag: String
    /// The first moment, and the first one that no longer belongs to it.
    package var start: Instant
    package var end: Instant

    /// The version that a tag names; `nil` for a tag of another form.
    package static func version(of tag: String) -> Int64? {
        guard let dash = tag.utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        return Int64(tag[..<dash])
    }

    /// The unescaped text of a property that a filter can name; `nil` if the object does not have it.
    package func text(_ property: String) -> String? {
        func some(_ text: String) -> String? { text.isEmpty ? nil : text }
        return switch property {
        case "UID": entry.uid
        case "SUMMARY": entry.title
        case "STATUS": entry.status.rawValue
        case "TRANSP": entry.isOpaque ? "OPAQUE" : "TRANSPARENT"
        case "CATEGORIES": some(entry.category)
        case "LOCATION": some(entry.location)
        case "DESCRIPTION": some(entry.description)
        case "URL": entry.url
        case "SEQUENCE": String(entry.revision)
        case "DTSTART": entry.start.text
        case "DTEND": entry.end?.text
        case "DTSTAMP", "LAST-MODIFIED": CalendarMoment.utc(CalendarDateTime(entry.changedAt)).text
        case "CREATED": CalendarMoment.utc(CalendarDateTime(entry.createdAt)).text
        default: nil
        }
    }
}

/// Makes the objects of one calendar; it writes each zone once.
package struct CalendarObjectBuilder {
    private struct ZoneYears: Hashable {
        var zone: String
        var first: Int
        var last: Int
    }

    private let builder: EntryBuilder
    private let zone: String
    private let rules: (String) -> ZoneRules?
    private var zones: [ZoneYears: [UInt8]] = [:]

    /// - Parameters:
    ///   - zone: of the family.
    ///   - rules: as `EntryBuilder` takes them.
    package init(zone: String, rules: @escaping (String) -> ZoneRules?) {
        self.zone = zone
        self.rules = rules
        builder = EntryBuilder(FeedRecords(zone: zone), rules: rules)
    }

    /// - Returns: `nil` for a record that is deleted, that is of another kind, or that has no date.
    package mutating func object(_ record: Record) -> CalendarObject? {
        guard !record.isDeleted, let entry = entry(record) else { return nil }
        var writer = CalendarWriter(capacity: 2_048)
        writer.begin("VCALENDAR")
        writer.value("VERSION", "2.0")
        writer.value("PRODID", FeedFile.program)
        writer.value("CALSCALE", "GREGORIAN")
        var written: Set<String> = []
        for zone in entry.zones where written.insert(zone).inserted { writer.append(octets(of: zone, entry.days)) }
        entry.write(into: &writer)
        writer.end("VCALENDAR")
        let start = instant(entry.start)
        let digest = Hex.encode(Array(Digest.sha256(writer.octets).prefix(4)))
        return CalendarObject(
            id: record.id, entry: entry, octets: writer.octets, tag: "\(record.version)-\(digest)", start: start,
            end: entry.end.map { max(instant($0), start) } ?? start)
    }

    /// The entry of a record, without texts that are made of other fields.
    private func entry(_ record: Record) -> CalendarEntry? {
        let made: CalendarEntry? =
            switch record.kind {
            case .event: builder.event(record)
            case .tripItem: builder.item(record, of: nil)
            default: nil
            }
        guard var entry = made else { return nil }
        entry.description = record.fields.text("description") ?? ""
        entry.alarms = []
        return entry
    }

    private mutating func octets(of zone: String, _ days: ClosedRange<CalendarDate>) -> [UInt8] {
        let name = ZoneYears(zone: zone, first: days.lowerBound.year, last: days.upperBound.year)
        if let known = zones[name] { return known }
        var writer = CalendarWriter(capacity: 1_024)
        if let rules = rules(zone) { CalendarZone.write(zone, rules, years: name.first...name.last, into: &writer) }
        zones[name] = writer.octets
        return writer.octets
    }

    /// Days and floating times are those of the family's zone.
    private func instant(_ moment: CalendarMoment) -> Instant {
        let (time, zone): (CalendarDateTime, String?) =
            switch moment {
            case .date(let date): (CalendarDateTime(LocalDateTime(date: date, time: .midnight)), self.zone)
            case .floating(let time): (time, self.zone)
            case .utc(let time): (time, nil)
            case .zoned(let time, let zone): (time, zone)
            }
        let clocks = zone.flatMap { rules($0) } ?? ZoneRules.utc
        return clocks.instant(of: time.local) + Int64(time.second) * 1_000
    }
}
