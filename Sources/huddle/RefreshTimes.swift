import Posix

/// When the screen has to be looked at again though no key was pressed. All times are of the monotonic clock, milliseconds.
struct RefreshTimes {
    /// Of the first load before what will come is hinted at: what is quicker would only flicker (R009).
    private static let quickLoad: Int64 = 300
    /// Without a key and without news until what the first key for it would wait for is made ready, piece by piece: with thousands of
    /// records it takes longer than a key may. Longer than between two keys of a person who types.
    private static let idleTime: Int64 = 300

    /// Records or facts have changed since they were looked at.
    var isStale = true
    /// When the first load is a slow one; `nil` once that is known.
    private(set) var slowLoad: Int64? = Clock.monotonicMilliseconds() + quickLoad
    /// When what keys may need next is made ready; `nil` once it is.
    private(set) var preparation: Int64?
    /// When the family's day ends: today and what is upcoming look different then, though nothing has happened.
    private(set) var dayEnd: Int64 = 0

    /// What has come by now makes everything stale.
    mutating func pass(_ now: Int64) {
        if now >= dayEnd { isStale = true }
        if let due = slowLoad, now >= due { (slowLoad, isStale) = (nil, true) }
    }

    /// Everything is looked at again now.
    ///
    /// - Parameter untilMidnight: of the family, milliseconds.
    mutating func refreshed(_ now: Int64, untilMidnight: Int64) {
        isStale = false
        preparation = now + Self.idleTime
        dayEnd = now + untilMidnight
    }

    /// A key was pressed: what could be made ready waits.
    mutating func keyPressed(_ now: Int64) {
        if preparation != nil { preparation = now + Self.idleTime }
    }

    func isPreparationDue(_ now: Int64) -> Bool { preparation.map { now >= $0 } ?? false }

    /// All is ready.
    mutating func prepared() { preparation = nil }
}
