package import Dates

/// A date and a time of day to the second; written `20261121T093000`.
package struct CalendarDateTime: Hashable, Sendable, Comparable {
    package var local: LocalDateTime
    /// 0...59.
    package var second: Int

    package init(_ local: LocalDateTime, second: Int = 0) {
        self.local = local
        self.second = second
    }

    /// The time of UTC at an instant, its milliseconds dropped.
    package init(_ instant: Instant) {
        local = ZoneRules.utc.local(at: instant)
        second = Int(((instant / 1000) % 60 + 60) % 60)
    }

    package static func < (left: CalendarDateTime, right: CalendarDateTime) -> Bool {
        left.local == right.local ? left.second < right.second : left.local < right.local
    }
}

/// A value of the type DATE or DATE-TIME (RFC 5545 §3.3.4, §3.3.5).
package enum CalendarMoment: Hashable, Sendable {
    /// A day without a time.
    case date(CalendarDate)
    /// A time on the clock of the reader, wherever that is.
    case floating(CalendarDateTime)
    case utc(CalendarDateTime)
    /// A time on the clock of a zone, which TZID names.
    case zoned(CalendarDateTime, zone: String)

    /// Reads a property with the parameters VALUE and TZID.
    ///
    /// - Returns: `nil` if the value is neither a date nor a time, or is not of the type that VALUE names.
    package init?(_ property: CalendarProperty) {
        let type = property[parameter: "VALUE"]?.uppercased()
        self.init(property.value, zone: property[parameter: "TZID"])
        switch (self, type) {
        case (_, nil), (.date, "DATE"), (.floating, "DATE-TIME"), (.utc, "DATE-TIME"), (.zoned, "DATE-TIME"): break
        default: return nil
        }
    }

    /// Reads `YYYYMMDD`, `YYYYMMDDTHHMMSS` or the latter with `Z`; a second of 60 counts as 59.
    ///
    /// - Parameter zone: of TZID; without meaning for dates and for times of UTC.
    package init?(_ value: String, zone: String? = nil) {
        let octets = Array(value.utf8)
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= octets.count else { return nil }
            var number = 0
            for octet in octets[range] {
                guard octet >= UInt8(ascii: "0"), octet <= UInt8(ascii: "9") else { return nil }
                number = number * 10 + Int(octet - UInt8(ascii: "0"))
            }
            return number
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8), let date = CalendarDate(year: year, month: month, day: day)
        else { return nil }
        if octets.count == 8 {
            self = .date(date)
            return
        }
        guard octets.count == 15 || (octets.count == 16 && octets[15] == UInt8(ascii: "Z")), octets[8] == UInt8(ascii: "T"),
            let hour = number(9..<11), let minute = number(11..<13), let second = number(13..<15), second <= 60,
            let time = LocalTime(hour: hour, minute: minute)
        else { return nil }
        let moment = CalendarDateTime(LocalDateTime(date: date, time: time), second: min(second, 59))
        if octets.count == 16 {
            self = .utc(moment)
        } else if let zone {
            self = .zoned(moment, zone: zone)
        } else {
            self = .floating(moment)
        }
    }

    /// The value without parameters.
    package var text: String {
        switch self {
        case .date(let date): Self.text(date)
        case .floating(let time), .zoned(let time, _): Self.text(time)
        case .utc(let time): Self.text(time) + "Z"
        }
    }

    private static func text(_ date: CalendarDate) -> String {
        var octets: [UInt8] = []
        octets.reserveCapacity(10)
        date.append(to: &octets)
        return String(decoding: octets.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
    }

    private static func text(_ time: CalendarDateTime) -> String {
        let (local, second) = (time.local.time, time.second)
        func digits(_ number: Int) -> [UInt8] { [UInt8(ascii: "0") + UInt8(number / 10 % 10), UInt8(ascii: "0") + UInt8(number % 10)] }
        return text(time.local.date) + String(decoding: [UInt8(ascii: "T")] + digits(local.hour) + digits(local.minute) + digits(second), as: UTF8.self)
    }
}
