/// A rate with a burst: holds up to `burst` permits and gains `rate` a second. Time is a parameter.
struct TokenBucket {
    private let rate: Int64
    private let burst: Int64
    /// Thousandths of a permit, so that a millisecond's gain is whole.
    private var level: Int64
    private var refilledAt: Int64

    /// - Parameter rate: permits a second; 0 sets no limit.
    init(rate: Int, burst: Int, now: Int64) {
        self.rate = Int64(rate)
        self.burst = Int64(burst) * 1000
        level = self.burst
        refilledAt = now
    }

    /// Takes one permit, or gives the milliseconds until there is one.
    mutating func take(now: Int64) -> Int64? {
        guard rate > 0 else { return nil }
        let elapsed = min(max(now - refilledAt, 0), 3_600_000)
        level = min(burst, level + elapsed * rate)
        refilledAt = now
        if level >= 1000 {
            level -= 1000
            return nil
        }
        return (1000 - level + rate - 1) / rate
    }
}
