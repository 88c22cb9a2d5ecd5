/// A rate with a burst, the same for many.
package struct TokenRate: Sendable {
    /// Permits a second; 0 sets no limit.
    package let perSecond: Int
    /// The number of permits that may be taken together after a pause.
    package let burst: Int

    package init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// Permits of one session, or of one share link, at the `TokenRate` of its owner. Each of thousands of idle ones holds only a level and a time.
/// Time is a parameter, in milliseconds.
package struct TokenBucket: Sendable {
    /// Thousandths of a permit that are missing, so that a millisecond's gain is whole.
    private var missing: Int64 = 0
    private var refilledAt: Int64 = 0

    package init() {}

    /// Takes one permit, or gives the milliseconds until there is one.
    package mutating func take(_ rate: TokenRate, now: Int64) -> Int64? {
        if let wait = wait(rate, now: now) { return wait }
        charge(1, rate, now: now)
        return nil
    }

    /// The milliseconds until there is a permit; `nil` if there is one.
    package mutating func wait(_ rate: TokenRate, now: Int64) -> Int64? {
        guard rate.perSecond > 0 else { return nil }
        refill(rate, now: now)
        let level = Int64(rate.burst) * 1000 - missing
        return level >= 1000 ? nil : (1000 - level + Int64(rate.perSecond) - 1) / Int64(rate.perSecond)
    }

    /// Takes `amount` permits, also those that are not there yet; gives permits back if `amount` is negative.
    package mutating func charge(_ amount: Int64, _ rate: TokenRate, now: Int64) {
        guard rate.perSecond > 0 else { return }
        refill(rate, now: now)
        missing = max(0, missing + amount * 1000)
    }

    /// Whether no permit is missing: the bucket is like a new one.
    package mutating func isFull(_ rate: TokenRate, now: Int64) -> Bool {
        guard rate.perSecond > 0 else { return true }
        refill(rate, now: now)
        return missing == 0
    }

    private mutating func refill(_ rate: TokenRate, now: Int64) {
        let elapsed = min(max(now - refilledAt, 0), 3_600_000)
        missing = max(0, missing - elapsed * Int64(rate.perSecond))
        refilledAt = now
    }
}
