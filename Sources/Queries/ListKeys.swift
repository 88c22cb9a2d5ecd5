package import Bytes
package import Dates
package import Family
internal import Folding

/// The keys that queries need from one record, computed once: a few words and the folded texts.
package struct ListKeys: Sendable {
    package let id: Identifier
    package let athlete: Identifier?
    package let createdAt: Int64
    package let deletedAt: Int64?
    /// The sort key of the record: day and time, or the instant if it has a zone; a day without a time comes before its
    /// times. In minutes.
    package let moment: Int64
    /// The range of days that the record covers, in days since 1970; `none` without a date.
    package let firstDay: Int32
    package let lastDay: Int32
    /// Position among the types of `QueryDeclaration.types`; 255 for no type.
    package let type: UInt8
    package let marks: Marks
    package let sharedCount: UInt16
    /// The octets of a document's file.
    package let octetsStored: Int64
    /// The measure of a metric.
    package let measure: Measure?
    package let school: Identifier?
    package let coach: Identifier?
    /// The event or the trip to which the record belongs.
    package let parent: Identifier?
    /// The folded name and the other folded texts, separated by an octet that occurs in no text.
    package let texts: [UInt8]
    /// The octets of the name at the front of `texts` that count for the order.
    package let nameLength: UInt16
    /// The first eight octets of the name, for comparing.
    let nameLead: UInt64

    /// A measured value; a class, because few records have one.
    package final class Measure: Sendable {
        /// The value as it was written.
        package let value: String
        package let unit: String
        package let label: String
        /// The value in ten-thousandths.
        package let number: Int64

        fileprivate init(value: String, unit: String, label: String) {
            self.value = value
            self.unit = unit
            self.label = label
            number = Self.number(value)
        }

        /// The number of digits after the point that count: as many as a measure has.
        private static let scale = 4

        /// The number of a text that was checked to be a decimal; 0 for any other text.
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

    /// The value for "no date".
    package static let none = Int32.min
    /// The octets of a folded name that count for the order, so that a page mark is a short line: names that are equal
    /// up to there are ordered by date.
    package static let orderedNameOctets = 72
    /// The separator between texts: not an octet of UTF-8, so that no search matches across two texts.
    private static let separator: UInt8 = 0xFF

    /// - Parameter instant: converts a local time in a zone to UTC milliseconds; `nil` for an unknown zone, which is
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

    /// The part of the folded name that counts for the order.
    package var name: ArraySlice<UInt8> { texts[..<min(Int(nameLength), texts.count)] }

    /// The approximate memory in octets.
    package var octets: Int { MemoryLayout<ListKeys>.stride + texts.capacity + 32 }

    /// The largest length up to `most` that ends with a whole character.
    private static func cut(_ octets: [UInt8], to most: Int) -> Int {
        guard octets.count > most else { return octets.count }
        var length = most
        while length > 0, octets[length] & 0xC0 == 0x80 { length -= 1 }
        return length
    }
}

/// The days of a record, parsed from its texts.
private struct Span {
    var firstDay = ListKeys.none
    var lastDay = ListKeys.none
    var moment: Int64 = .min
    /// The start, if it has a time of day.
    var start: LocalDateTime?

    /// The minutes of a day, and one more for a day without a time.
    private static let places: Int64 = 1_441

    init(first: String?, last: String?, time: String?) {
        guard let first, let (date, ownClock) = Self.read(first) else { return }
        firstDay = Int32(truncatingIfNeeded: date.days)
        lastDay = firstDay
        let clock = ownClock ?? time.flatMap { LocalTime($0) }
        moment = Int64(date.days) * Self.places + (clock.map { Int64($0.minutes) + 1 } ?? 0)
        start = clock.map { LocalDateTime(date: date, time: $0) }
        guard let last, let (end, endClock) = Self.read(last) else { return }
        // A record that ends at midnight does not cover the day that begins then.
        let ends = endClock == .midnight && end.days > date.days ? end.days - 1 : end.days
        lastDay = max(firstDay, Int32(truncatingIfNeeded: ends))
    }

    /// Parses a date, or a date with a time.
    private static func read(_ text: String) -> (CalendarDate, LocalTime?)? {
        if let date = CalendarDate(text) { return (date, nil) }
        return LocalDateTime(text).map { ($0.date, $0.time) }
    }
}
