/// A rate with a burst, the same for many.
package struct TokenRate: Sendable {
    /// Permits a second; 0 sets no limit.
    package let perSecond: Int
    /// Permits that may be taken at once after a pause.
    package let burst: Int

    package init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// Permits of one session, or of one share link, at a `TokenRate`, which its owner knows: a full bucket and a time are all that thousands of idle ones hold.
/// Time is a parameter, in milliseconds.
package struct TokenBucket: Sendable {
    /// Thousandths of a permit that are lacking, so that a millisecond's gain is whole.
    private var lacking: Int64 = 0
    private var refilledAt: Int64 = 0

    package init() {}

    /// Takes one permit, or gives the milliseconds until there is one.
    package mutating func take(_ rate: TokenRate, now: Int64) -> Int64? {
        guard rate.perSecond > 0 else { return nil }
        let gain = Int64(rate.perSecond)
        let elapsed = min(max(now - refilledAt, 0), 3_600_000)
        lacking = max(0, lacking - elapsed * gain)
        refilledAt = now
        let level = Int64(rate.burst) * 1000 - lacking
        if level >= 1000 {
            lacking += 1000
            return nil
        }
        return (1000 - level + gain - 1) / gain
    }
}
