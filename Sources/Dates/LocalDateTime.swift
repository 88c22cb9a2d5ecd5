/// A time of day to the minute, 00:00...23:59, without a zone; written `HH:MM`.
package struct LocalTime: Hashable, Comparable, Sendable {
    /// Minutes since midnight, 0...1439.
    package let minutes: Int

    package static let midnight = LocalTime(checked: 0)

    private init(checked minutes: Int) {
        self.minutes = minutes
    }

    /// Fails with `nil` outside of 0...1439.
    package init?(minutes: Int) {
        guard (0..<1440).contains(minutes) else { return nil }
        self.init(checked: minutes)
    }

    /// Fails with `nil` if there is no such time.
    package init?(hour: Int, minute: Int) {
        guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
        self.init(checked: hour * 60 + minute)
    }

    /// Reads the only accepted form, `HH:MM`; `nil` for any other text.
    package init?(_ text: Span<UInt8>) {
        guard text.count == 5, text[2] == UInt8(ascii: ":"),
            let hour = digits(text, at: 0, count: 2), let minute = digits(text, at: 3, count: 2)
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    package init?(_ text: String) {
        guard let time = LocalTime(text.utf8Span.span) else { return nil }
        self = time
    }

    package var hour: Int { minutes / 60 }
    package var minute: Int { minutes % 60 }

    /// Appends the 5 octets of the textual form.
    package func append(to octets: inout [UInt8]) {
        appendDigits(hour, count: 2, to: &octets)
        octets.append(UInt8(ascii: ":"))
        appendDigits(minute, count: 2, to: &octets)
    }

    package static func < (left: LocalTime, right: LocalTime) -> Bool {
        left.minutes < right.minutes
    }
}

extension LocalTime: CustomStringConvertible {
    package var description: String {
        var octets: [UInt8] = []
        append(to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }
}

/// A date and a time of day without a zone, as in an invitation; written `YYYY-MM-DDTHH:MM`.
package struct LocalDateTime: Hashable, Comparable, Sendable {
    package var date: CalendarDate
    package var time: LocalTime

    package init(date: CalendarDate, time: LocalTime) {
        self.date = date
        self.time = time
    }

    /// Reads the only accepted form, `YYYY-MM-DDTHH:MM`; `nil` for any other text.
    package init?(_ text: Span<UInt8>) {
        guard text.count == 16, text[10] == UInt8(ascii: "T"),
            let date = CalendarDate(text.extracting(0..<10)), let time = LocalTime(text.extracting(11..<16))
        else { return nil }
        self.init(date: date, time: time)
    }

    package init?(_ text: String) {
        guard let local = LocalDateTime(text.utf8Span.span) else { return nil }
        self = local
    }

    /// The minutes since 1970-01-01T00:00 on the same clock, as if no day had a gap.
    package var minutes: Int {
        date.days * 1440 + time.minutes
    }

    /// - Parameter minutes: minutes since 1970-01-01T00:00. The result is `nil` outside of the range of dates.
    package init?(minutes: Int) {
        guard minutes >= CalendarDate.first.days * 1440, minutes < (CalendarDate.last.days + 1) * 1440 else { return nil }
        let days = floorDivide(minutes, 1440)
        guard let date = CalendarDate(days: days), let time = LocalTime(minutes: minutes - days * 1440) else { return nil }
        self.init(date: date, time: time)
    }

    /// The time that the clock shows `count` minutes later if nothing changes the clock; `nil` outside of the range of
    /// dates.
    package func adding(minutes count: Int) -> LocalDateTime? {
        let (sum, overflow) = minutes.addingReportingOverflow(count)
        return overflow ? nil : LocalDateTime(minutes: sum)
    }

    /// Appends the 16 octets of the textual form.
    package func append(to octets: inout [UInt8]) {
        date.append(to: &octets)
        octets.append(UInt8(ascii: "T"))
        time.append(to: &octets)
    }

    package static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
        left.date == right.date ? left.time < right.time : left.date < right.date
    }
}

extension LocalDateTime: CustomStringConvertible {
    package var description: String {
        var octets: [UInt8] = []
        append(to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }
}
