import Posix

/// The times at which the screen is checked although no key was pressed. All times are monotonic milliseconds.
struct RefreshTimes {
    /// The time of the first load after which the page shows a placeholder: for a faster load it would only flicker
    /// (R009).
    private static let quickLoad: Int64 = 300
    /// The time without keys and news after which the data that the next key may need is prepared, piece by piece: with
    /// thousands of records this takes longer than a key may. It is longer than the time between two keys of a person
    /// who types.
    private static let idleTime: Int64 = 300

    /// Whether records or facts have changed since they were last read.
    var isStale = true
    /// The time at which the first load counts as slow; `nil` once the load has ended or counts as slow.
    private(set) var slowLoad: Int64? = Clock.monotonicMilliseconds() + quickLoad
    /// The time at which the data for the next keys is prepared; `nil` once it is.
    private(set) var preparation: Int64?
    /// The end of the family's day: today and the upcoming records look different then, though nothing has happened.
    private(set) var dayEnd: Int64 = 0

    /// Marks everything as stale if one of the times has come.
    mutating func pass(_ now: Int64) {
        if now >= dayEnd { isStale = true }
        if let due = slowLoad, now >= due { (slowLoad, isStale) = (nil, true) }
    }

    /// Records the time at which everything was read again.
    ///
    /// - Parameter untilMidnight: milliseconds until the family's midnight.
    mutating func refreshed(_ now: Int64, untilMidnight: Int64) {
        isStale = false
        preparation = now + Self.idleTime
        dayEnd = now + untilMidnight
    }

    /// A key was pressed: the preparation waits.
    mutating func keyPressed(_ now: Int64) {
        if preparation != nil { preparation = now + Self.idleTime }
    }

    func isPreparationDue(_ now: Int64) -> Bool { preparation.map { now >= $0 } ?? false }

    /// Everything is prepared.
    mutating func prepared() { preparation = nil }
}
