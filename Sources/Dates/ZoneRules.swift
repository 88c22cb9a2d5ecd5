/// The local time of one zone at each instant: past changes from a table, later ones from a rule that repeats each
/// year.
///
/// Immutable; a copy costs a few reference counts. Lookups are O(log changes) and allocate nothing.
package struct ZoneRules: Sendable {
    /// The instants of change in seconds of UTC, strictly ascending.
    let transitions: [Int]
    /// For each transition, the index in `types` that begins there.
    let typeIndices: [UInt8]
    /// At least one; the first also holds before all transitions (RFC 9636 §3.2).
    let types: [ZoneType]
    /// The rule that is valid from the last transition on.
    let footer: ZoneFooter?

    /// UTC itself.
    package static let utc = ZoneRules(
        transitions: [], typeIndices: [], types: [ZoneType(offset: 0, designation: "UTC")], footer: nil)

    // MARK: From an instant

    /// The difference of local time from UTC in seconds (negative west of Greenwich).
    package func offset(at instant: Instant) -> Int {
        type(at: instant).offset
    }

    /// The local abbreviation of the time: `EDT`, `CET`, `+05`.
    package func designation(at instant: Instant) -> String {
        type(at: instant).designation
    }

    /// The local time, without seconds. Instants outside of the years 0001...9999 give the nearest local time inside.
    package func local(at instant: Instant) -> LocalDateTime {
        let seconds = floorDivide(Int(instant), 1000)
        let minutes = floorDivide(seconds + offset(at: instant), 60)
        if let local = LocalDateTime(minutes: minutes) { return local }
        return minutes < 0 ? Self.firstLocal : Self.lastLocal
    }

    /// The local date.
    package func localDate(at instant: Instant) -> CalendarDate {
        local(at: instant).date
    }

    /// The local date now.
    package func today(at now: Instant) -> CalendarDate {
        localDate(at: now)
    }

    // MARK: To an instant

    /// The instant at which the clocks show `local`.
    ///
    /// A time that does not exist there (clocks go forward) moves forward by the gap; for a time that exists twice
    /// (clocks go back) the result is the first. Every local time therefore has exactly one instant, regardless of
    /// later changes to the law. (The rule of RFC 5545 §3.3.5.)
    package func instant(of local: LocalDateTime) -> Instant {
        let seconds = local.minutes * 60
        // No offset reaches 26 hours, so the result is in this segment or in one of the next.
        var segment = segment(at: seconds - 26 * 3600)
        while true {
            let candidate = seconds - segment.type.offset
            guard let end = segment.end, candidate >= end else { return Instant(candidate * 1000) }
            let next = self.segment(at: end)
            // The time is after this segment and before the next: in the gap. The offset before the gap moves it
            // forward by exactly the gap.
            if seconds - next.type.offset < end { return Instant(candidate * 1000) }
            segment = next
        }
    }

    // MARK: Segments

    /// A period in which the offset does not change.
    struct Segment {
        var type: ZoneType
        /// The first second after the segment; `nil` if nothing changes any more.
        var end: Int?
    }

    /// The segment that contains the second `time` of UTC.
    func segment(at time: Int) -> Segment {
        // The number of transitions at or before `time`.
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = low + (high - low) / 2
            if transitions[middle] <= time { low = middle + 1 } else { high = middle }
        }
        guard low < transitions.count else {
            if let footer { return footer.segment(at: time) }
            return Segment(type: low == 0 ? types[0] : types[Int(typeIndices[low - 1])], end: nil)
        }
        return Segment(type: low == 0 ? types[0] : types[Int(typeIndices[low - 1])], end: transitions[low])
    }

    private func type(at instant: Instant) -> ZoneType {
        segment(at: floorDivide(Int(instant), 1000)).type
    }

    private static let firstLocal = LocalDateTime(date: .first, time: .midnight)
    private static let lastLocal = LocalDateTime(date: .last, time: LocalTime(minutes: 1439) ?? .midnight)
}

/// One local time type (RFC 9636 §3.2).
struct ZoneType: Sendable, Equatable {
    /// Seconds ahead of UTC; -25 hours < offset < 26 hours.
    var offset: Int
    var designation: String
}
