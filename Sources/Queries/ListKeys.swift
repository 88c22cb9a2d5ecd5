package import Bytes
package import Dates
package import Family
internal import Folding

/// What queries look at in one record, worked out once: a few words and the folded texts.
package struct ListKeys: Sendable {
    package let id: Identifier
    package let athlete: Identifier?
    package let createdAt: Int64
    package let deletedAt: Int64?
    /// What the record is sorted by: day and time, or the instant where it has a zone; a day without time comes before its times. Minutes.
    package let moment: Int64
    /// Days since 1970 that it covers; `none` without a date.
    package let firstDay: Int32
    package let lastDay: Int32
    /// Position among the types of `QueryDeclaration.types`; 255 for none.
    package let type: UInt8
    package let marks: Marks
    package let sharedCount: UInt16
    /// Of a document's file.
    package let octetsStored: Int64
    /// Of a metric.
    package let measure: Measure?
    package let school: Identifier?
    package let coach: Identifier?
    /// The event or the trip that it belongs to.
    package let parent: Identifier?
    /// The folded name and, each after an octet that is in no text, the other folded texts.
    package let texts: [UInt8]
    /// Octets of the name at the front of `texts`, as far as they count for the order.
    package let nameLength: UInt16
    /// The first eight of them, for comparing.
    let nameLead: UInt64

    /// What was measured; a class, because few records have one.
    package final class Measure: Sendable {
        /// As it was written.
        package let value: String
        package let unit: String
        package let label: String
        /// Ten-thousandths.
        package let number: Int64

        fileprivate init(value: String, unit: String, label: String) {
            self.value = value
            self.unit = unit
            self.label = label
            number = Self.number(value)
        }

        /// Digits after the point that count: as many as a measure has.
        private static let scale = 4

        /// Of a text that was checked to be a decimal; 0 for any other.
        private static func number(_ text: String) -> Int64 {
            let digits = text.drop { $0 == "-" }
            let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
            let fraction = parts.count == 2 ? parts[1].prefix(scale) : ""
            let zeros = String(repeating: "0", count: scale - fraction.count)
            guard (1...2).contains(parts.count), let number = Int64(parts[0] + fraction + zeros) else { return 0 }
            return text.hasPrefix("-") ? -number : number
        }
    }

    package struct Marks: OptionSet, Sendable {
        package let rawValue: UInt8
        package static let registered = Marks(rawValue: 1)
        package static let attended = Marks(rawValue: 2)
        package static let itinerary = Marks(rawValue: 4)
        package static let current = Marks(rawValue: 8)

        package init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    /// Stands for no date.
    package static let none = Int32.min
    /// Octets of a folded name that count for the order, so that a page mark is a short line: names alike beyond that are ordered by date.
    package static let orderedNameOctets = 72
    /// Between texts: no octet of UTF-8, so that no search finds what is in two of them.
    private static let separator: UInt8 = 0xFF

    /// - Parameter instant: when the clocks of a zone show a time (UTC milliseconds); `nil` for a zone that is not known, which is
    ///   read as UTC.
    package init(_ record: Record, instant: (_ zone: String, LocalDateTime) -> Int64?) {
        let places = QueryDeclaration.of(record.kind).places
        let values = record.fields.values
        func value(_ place: Int?) -> Value? { place.flatMap { values[$0] } }
        func text(_ place: Int?) -> String? { if case .text(let text)? = value(place) { text } else { nil } }
        func reference(_ place: Int?) -> Identifier? { if case .reference(let id)? = value(place) { id } else { nil } }
        func isSet(_ place: Int?) -> Bool { value(place) == .flag(true) }

        id = record.id
        athlete = record.athlete
        createdAt = record.createdAt
        deletedAt = record.deletedAt
        school = reference(places.school)
        coach = reference(places.coach)
        parent = reference(places.event) ?? reference(places.trip)
        var marks: Marks = []
        if isSet(places.registered) { marks.insert(.registered) }
        if isSet(places.attended) { marks.insert(.attended) }
        if isSet(places.itinerary) { marks.insert(.itinerary) }
        if isSet(places.current) { marks.insert(.current) }
        self.marks = marks
        if case .set(let schools)? = value(places.shared) { sharedCount = UInt16(clamping: schools.count) } else { sharedCount = 0 }
        if case .integer(let octets)? = value(places.octets) { octetsStored = octets } else { octetsStored = 0 }
        measure = text(places.value).map { Measure(value: $0, unit: text(places.unit) ?? "", label: text(places.label) ?? "") }
        let word = text(places.type)
        type = word.flatMap { QueryDeclaration.of(record.kind).types.firstIndex(of: $0) }.map { UInt8(clamping: $0) } ?? 255

        let span = Span(first: text(places.first), last: text(places.last), time: text(places.time))
        firstDay = span.firstDay
        lastDay = span.lastDay
        if places.startZone != nil, let start = span.start {
            let at = instant(text(places.startZone) ?? "UTC", start) ?? Int64(start.minutes) * 60_000
            moment = at / 60_000
        } else {
            moment = span.moment
        }

        var texts: [UInt8] = []
        for (index, place) in places.name.enumerated() {
            if index > 0, !texts.isEmpty { texts.append(UInt8(ascii: " ")) }
            texts.appendFolded(text(place) ?? "")
        }
        nameLength = UInt16(clamping: Self.cut(texts, to: Self.orderedNameOctets))
        nameLead = Query.Lead.first(texts.prefix(Int(nameLength)))
        for place in places.searched {
            guard let text = text(place), !text.isEmpty else { continue }
            texts.append(Self.separator)
            texts.appendFolded(text)
        }
        self.texts = texts
    }

    /// The folded name, as far as it counts for the order.
    package var name: ArraySlice<UInt8> { texts[..<min(Int(nameLength), texts.count)] }

    /// Octets of memory, about.
    package var octets: Int { MemoryLayout<ListKeys>.stride + texts.capacity + 32 }

    /// The largest length up to `most` that ends with a whole character.
    private static func cut(_ octets: [UInt8], to most: Int) -> Int {
        guard octets.count > most else { return octets.count }
        var length = most
        while length > 0, octets[length] & 0xC0 == 0x80 { length -= 1 }
        return length
    }
}

/// The days of a record, from its texts.
private struct Span {
    var firstDay = ListKeys.none
    var lastDay = ListKeys.none
    var moment: Int64 = .min
    /// With a time of day.
    var start: LocalDateTime?

    /// Minutes of a day, and one for what has no time.
    private static let places: Int64 = 1_441

    init(first: String?, last: String?, time: String?) {
        guard let first, let (date, ownClock) = Self.read(first) else { return }
        firstDay = Int32(truncatingIfNeeded: date.days)
        lastDay = firstDay
        let clock = ownClock ?? time.flatMap { LocalTime($0) }
        moment = Int64(date.days) * Self.places + (clock.map { Int64($0.minutes) + 1 } ?? 0)
        start = clock.map { LocalDateTime(date: date, time: $0) }
        guard let last, let (end, endClock) = Self.read(last) else { return }
        // What ends at midnight is not on the day that begins then.
        let ends = endClock == .midnight && end.days > date.days ? end.days - 1 : end.days
        lastDay = max(firstDay, Int32(truncatingIfNeeded: ends))
    }

    /// A date, or a date with a time.
    private static func read(_ text: String) -> (CalendarDate, LocalTime?)? {
        if let date = CalendarDate(text) { return (date, nil) }
        return LocalDateTime(text).map { ($0.date, $0.time) }
    }
}
