/// The rule after the table of a TZif file: a POSIX TZ string (POSIX.1-2024 §8.3, with the longer times of RFC 9636
/// §3.3.2).
///
/// `EST5EDT,M3.2.0,M11.1.0` · `<+0330>-3:30` · `IST-1GMT0,M10.5.0,M3.5.0/1` · `EET-2EEST,M3.4.4/50,M10.4.4/50`
struct ZoneFooter: Sendable, Equatable {
    var standard: ZoneType
    var daylight: Daylight?

    struct Daylight: Sendable, Equatable {
        var type: ZoneType
        /// The start of `type` in each year, on the clock of standard time.
        var start: YearlyMoment
        /// Its end in each year, on the clock of `type`.
        var end: YearlyMoment
    }

    /// The segment that contains the second `time` of UTC.
    func segment(at time: Int) -> ZoneRules.Segment {
        guard let daylight else { return ZoneRules.Segment(type: standard, end: nil) }
        let year = Gregorian.civil(days: floorDivide(time + standard.offset, 86_400)).year
        var type = standard
        var latest = Int.min
        var end: Int?
        func pass(_ moment: Int, _ begins: ZoneType) {
            if moment > time {
                end = min(end ?? moment, moment)
            } else if moment >= latest {
                // Of two changes at the same moment the later in the year's order counts: daylight time all year is
                // written as ending where it begins again.
                latest = moment
                type = begins
            }
        }
        // Times of up to a week may move a change into an adjacent year, so the neighbours of both adjacent years
        // count.
        for year in year - 2...year + 2 {
            let starts = daylight.start.seconds(in: year) - standard.offset
            let ends = daylight.end.seconds(in: year) - daylight.type.offset
            if ends < starts {
                pass(ends, standard)
                pass(starts, daylight.type)
            } else {
                pass(starts, daylight.type)
                pass(ends, standard)
            }
        }
        return ZoneRules.Segment(type: type, end: end)
    }
}

/// A day of each year and a time on it.
struct YearlyMoment: Sendable, Equatable {
    enum Day: Sendable, Equatable {
        /// `Jn`, 1...365: 29 February is never counted.
        case withoutLeapDay(Int)
        /// `n`, 0...365.
        case withLeapDay(Int)
        /// `Mm.w.d`: month 1...12, week 1...5 (5 is the last), day 0 (Sunday)...6.
        case weekday(month: Int, week: Int, day: Int)
    }

    var day: Day
    /// Seconds from midnight, -167...167 hours; 02:00 if absent.
    var time: Int

    /// Local seconds since 1970-01-01T00:00 on the clock that is valid until then.
    func seconds(in year: Int) -> Int {
        let days: Int
        switch day {
        case .withoutLeapDay(let number):
            let leap = Gregorian.isLeap(year) && number >= 60 ? 1 : 0
            days = Gregorian.days(year: year, month: 1, day: 1) + number - 1 + leap
        case .withLeapDay(let number):
            days = Gregorian.days(year: year, month: 1, day: 1) + number
        case .weekday(let month, let week, let weekday):
            let first = Gregorian.days(year: year, month: month, day: 1)
            let ahead = (weekday - Gregorian.weekday(days: first) + 7) % 7
            let wanted = ahead + (week - 1) * 7
            days = first + (wanted < Gregorian.days(inMonth: month, of: year) ? wanted : wanted - 7)
        }
        return days * 86_400 + time
    }
}

extension ZoneFooter {
    /// Reads a TZ string; `nil` for an unsupported one (implementation-defined forms, which begin with a colon, and
    /// daylight time without dates are among them).
    init?(_ text: [UInt8]) {
        var scanner = FooterScanner(text: text)
        guard let name = scanner.name(), let west = scanner.time(maxHours: 24) else { return nil }
        standard = ZoneType(offset: -west, designation: name)
        daylight = nil
        if scanner.isAtEnd { return }
        guard let daylightName = scanner.name() else { return nil }
        var ahead = standard.offset + 3600
        if scanner.next != UInt8(ascii: ",") {
            guard let west = scanner.time(maxHours: 24) else { return nil }
            ahead = -west
        }
        guard scanner.skip(UInt8(ascii: ",")), let start = scanner.moment(), scanner.skip(UInt8(ascii: ",")), let end = scanner.moment(),
            scanner.isAtEnd
        else { return nil }
        daylight = Daylight(type: ZoneType(offset: ahead, designation: daylightName), start: start, end: end)
    }
}

private struct FooterScanner {
    let text: [UInt8]
    var position = 0

    init(text: [UInt8]) {
        self.text = text
    }

    var isAtEnd: Bool { position == text.count }

    var next: UInt8? { position < text.count ? text[position] : nil }

    mutating func skip(_ octet: UInt8) -> Bool {
        guard next == octet else { return false }
        position += 1
        return true
    }

    /// A name of three or more letters; between `<` and `>` also digits and signs.
    mutating func name() -> String? {
        let isQuoted = skip(UInt8(ascii: "<"))
        let start = position
        scan: while let octet = next {
            switch octet {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): position += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                guard isQuoted else { break scan }
                position += 1
            default: break scan
            }
        }
        guard position - start >= 3 else { return nil }
        let name = String(decoding: text[start..<position], as: UTF8.self)
        if isQuoted { guard skip(UInt8(ascii: ">")) else { return nil } }
        return name
    }

    /// A number of 1...`maxDigits` digits.
    mutating func number(maxDigits: Int = 3) -> Int? {
        let start = position
        var value = 0
        while let octet = next, octet >= UInt8(ascii: "0"), octet <= UInt8(ascii: "9") {
            guard position - start < maxDigits else { return nil }
            value = value * 10 + Int(octet - UInt8(ascii: "0"))
            position += 1
        }
        return position > start ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    mutating func time(maxHours: Int) -> Int? {
        let isNegative = next == UInt8(ascii: "-")
        if isNegative || next == UInt8(ascii: "+") { position += 1 }
        guard let hours = number(), hours <= maxHours else { return nil }
        var seconds = hours * 3600
        if skip(UInt8(ascii: ":")) {
            guard let minutes = number(maxDigits: 2), minutes < 60 else { return nil }
            seconds += minutes * 60
            if skip(UInt8(ascii: ":")) {
                guard let rest = number(maxDigits: 2), rest < 60 else { return nil }
                seconds += rest
            }
        }
        return isNegative ? -seconds : seconds
    }

    /// A date and, after a slash, a time of up to a week.
    mutating func moment() -> YearlyMoment? {
        let day: YearlyMoment.Day
        if skip(UInt8(ascii: "M")) {
            guard let month = number(), (1...12).contains(month), skip(UInt8(ascii: ".")),
                let week = number(), (1...5).contains(week), skip(UInt8(ascii: ".")),
                let weekday = number(), weekday <= 6
            else { return nil }
            day = .weekday(month: month, week: week, day: weekday)
        } else if skip(UInt8(ascii: "J")) {
            guard let number = number(), (1...365).contains(number) else { return nil }
            day = .withoutLeapDay(number)
        } else {
            guard let number = number(), number <= 365 else { return nil }
            day = .withLeapDay(number)
        }
        guard skip(UInt8(ascii: "/")) else { return YearlyMoment(day: day, time: 7200) }
        guard let time = time(maxHours: 167) else { return nil }
        return YearlyMoment(day: day, time: time)
    }
}
