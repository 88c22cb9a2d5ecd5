/// An instant: milliseconds of UTC since 1970-01-01T00:00:00Z without leap seconds, as on the wire and in the database.
package typealias Instant = Int64

/// Instants as text for people and logs.
package enum RFC3339 {
    /// `2026-11-21T05:17:00.123Z`, always 24 octets (RFC 3339 §5.6).
    ///
    /// - Parameter instant: outside of the years 0001...9999, which have no such form, the nearest instant that has one
    ///   is written.
    package static func text(_ instant: Instant) -> String {
        var octets: [UInt8] = []
        octets.reserveCapacity(24)
        append(instant, to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }

    /// Appends the 24 octets of `text`.
    package static func append(_ instant: Instant, to octets: inout [UInt8]) {
        let first = CalendarDate.first.days * millisecondsPerDay
        let last = (CalendarDate.last.days + 1) * millisecondsPerDay - 1
        let bounded = min(max(Int(instant), first), last)
        let days = floorDivide(bounded, millisecondsPerDay)
        let rest = bounded - days * millisecondsPerDay
        (CalendarDate(days: days) ?? .first).append(to: &octets)
        octets.append(UInt8(ascii: "T"))
        appendDigits(rest / 3_600_000, count: 2, to: &octets)
        octets.append(UInt8(ascii: ":"))
        appendDigits(rest / 60_000 % 60, count: 2, to: &octets)
        octets.append(UInt8(ascii: ":"))
        appendDigits(rest / 1000 % 60, count: 2, to: &octets)
        octets.append(UInt8(ascii: "."))
        appendDigits(rest % 1000, count: 3, to: &octets)
        octets.append(UInt8(ascii: "Z"))
    }

    /// Reads the form that `text` writes; `nil` for any other text.
    package static func instant(_ text: Span<UInt8>) -> Instant? {
        guard text.count == 24, let minute = LocalDateTime(text.extracting(0..<16)), text[16] == UInt8(ascii: ":"),
            text[19] == UInt8(ascii: "."), text[23] == UInt8(ascii: "Z"),
            let second = digits(text, at: 17, count: 2), second < 60, let millisecond = digits(text, at: 20, count: 3)
        else { return nil }
        return Instant(minute.minutes * 60_000 + second * 1000 + millisecond)
    }

    package static func instant(_ text: String) -> Instant? {
        instant(text.utf8Span.span)
    }

    private static let millisecondsPerDay = 86_400_000
}
