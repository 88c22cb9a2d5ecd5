// Calendar dates, local times and time zones (RFC 9636) as values; no clock, no files.

/// The proleptic Gregorian calendar as arithmetic on days since 1970-01-01, for any year within the range of a 64-bit
/// count.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil and civil_from_days: years begin in
/// March, so that the leap day is the last of its year; 400 years are 146,097 days; 719,468 days lie between 0000-03-01 and 1970.
enum Gregorian {
    static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day of the week, where 0 is Sunday, as in POSIX; 1970-01-01 was a Thursday.
    static func weekday(days: Int) -> Int {
        days + 4 - floorDivide(days + 4, 7) * 7
    }
}

/// The quotient rounded down, also for negative `value`; `divisor` is positive.
func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
}

/// The value of exactly `count` (at most 9) decimal digits at `start`; `nil` if they are not all digits.
func digits(_ text: Span<UInt8>, at start: Int, count: Int) -> Int? {
    guard start >= 0, start + count <= text.count else { return nil }
    var value = 0
    for index in start..<start + count {
        let octet = text[index]
        guard octet >= UInt8(ascii: "0"), octet <= UInt8(ascii: "9") else { return nil }
        value = value * 10 + Int(octet - UInt8(ascii: "0"))
    }
    return value
}

/// Appends `value` (not negative) with leading zeros up to `count` digits.
func appendDigits(_ value: Int, count: Int, to octets: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<count { divisor *= 10 }
    while divisor > 0 {
        octets.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
        divisor /= 10
    }
}
