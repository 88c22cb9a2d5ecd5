/// A moment at which the clocks of a zone change, or get another name.
package struct ZoneChange: Hashable, Sendable {
    /// The first second of the new time, in seconds of UTC since 1970-01-01.
    package var second: Int
    /// Seconds ahead of UTC until then.
    package var offsetBefore: Int
    /// Seconds ahead of UTC from then on.
    package var offsetAfter: Int
    /// The abbreviation from then on: `EDT`, `+05`.
    package var designation: String

    /// The time that the clocks showed at that moment before they were changed, in seconds since 1970-01-01T00:00 of the same clock.
    package var localSecond: Int { second + offsetBefore }
}

/// A change that happens each year by one rule.
package struct YearlyZoneChange: Hashable, Sendable {
    /// The days of its month on which it can be.
    package enum Day: Hashable, Sendable {
        /// The weekday with this number in the month, 1...4.
        case weekday(Int, number: Int)
        /// The last such weekday of the month.
        case lastWeekday(Int)
        /// The one such weekday among seven days of the month, from this one on.
        case weekdayFrom(Int, day: Int)
    }

    /// 1...12.
    package var month: Int
    /// With 0 for Sunday, as in POSIX.
    package var day: Day
    /// Seconds since midnight on the clock that is valid until then, 0..<86,400.
    package var time: Int
    package var offsetBefore: Int
    package var offsetAfter: Int
    package var designation: String
}

extension ZoneRules {
    /// The changes from one second of UTC on and before another, ascending; at most `limit`.
    package func changes(from first: Int, before last: Int, limit: Int) -> [ZoneChange] {
        var changes: [ZoneChange] = []
        var current = segment(at: first - 1)
        while let end = current.end, end < last, changes.count < limit {
            let next = segment(at: end)
            if next.type != current.type {
                changes.append(
                    ZoneChange(
                        second: end, offsetBefore: current.type.offset, offsetAfter: next.type.offset, designation: next.type.designation))
            }
            current = next
        }
        return changes
    }

    /// The offset and the abbreviation at a second of UTC.
    package func time(at second: Int) -> (offset: Int, designation: String) {
        let type = segment(at: second).type
        return (type.offset, type.designation)
    }

    /// The year from which the changes of each year follow the rule after the table, not before `year`, and the two changes of that rule.
    ///
    /// - Returns: `nil` if nothing changes after the table, or if the rule is not one that a `YearlyZoneChange` can hold.
    package func yearlyChanges(from year: Int) -> (year: Int, changes: [YearlyZoneChange])? {
        guard let footer, let daylight = footer.daylight,
            let start = YearlyZoneChange(daylight.start, from: footer.standard, to: daylight.type),
            let end = YearlyZoneChange(daylight.end, from: daylight.type, to: footer.standard)
        else { return nil }
        let table = transitions.last.map { Gregorian.civil(days: floorDivide($0, 86_400)).year } ?? year
        var begin = max(year, table + 1)
        // Many files list the changes of years for which the rule is valid already.
        while begin > year, follows(footer, daylight, in: begin - 1) { begin -= 1 }
        return (begin, [start, end])
    }

    /// Whether the changes of a year are those of the rule.
    private func follows(_ footer: ZoneFooter, _ daylight: ZoneFooter.Daylight, in year: Int) -> Bool {
        let changes = changes(
            from: Gregorian.days(year: year, month: 1, day: 1) * 86_400 - footer.standard.offset,
            before: Gregorian.days(year: year + 1, month: 1, day: 1) * 86_400 - footer.standard.offset, limit: 3)
        let begin = ZoneChange(
            second: daylight.start.seconds(in: year) - footer.standard.offset, offsetBefore: footer.standard.offset,
            offsetAfter: daylight.type.offset, designation: daylight.type.designation)
        let end = ZoneChange(
            second: daylight.end.seconds(in: year) - daylight.type.offset, offsetBefore: daylight.type.offset,
            offsetAfter: footer.standard.offset, designation: footer.standard.designation)
        return changes == [begin, end].sorted { $0.second < $1.second }
    }
}

extension YearlyZoneChange {
    /// Fails with `nil` for days that are counted through the year, and for a time that can move the day out of its month.
    fileprivate init?(_ moment: YearlyMoment, from before: ZoneType, to after: ZoneType) {
        guard case .weekday(let month, let week, let weekday) = moment.day else { return nil }
        // A time before midnight or of more than a day is one of another day.
        let shift = floorDivide(moment.time, 86_400)
        let shifted = (weekday + shift % 7 + 7) % 7
        switch (week, shift) {
        case (5, 0): day = .lastWeekday(weekday)
        case (5, _):
            guard month != 2 else { return nil }
            let first = Gregorian.days(inMonth: month, of: 2001) - 6 + shift
            guard first >= 1, shift < 0 else { return nil }
            day = .weekdayFrom(shifted, day: first)
        case (_, 0): day = .weekday(weekday, number: week)
        default:
            let first = week * 7 - 6 + shift
            guard first >= 1, first + 6 <= Gregorian.days(inMonth: month, of: 2001) else { return nil }
            day = .weekdayFrom(shifted, day: first)
        }
        self.month = month
        time = moment.time - shift * 86_400
        offsetBefore = before.offset
        offsetAfter = after.offset
        designation = after.designation
    }
}
