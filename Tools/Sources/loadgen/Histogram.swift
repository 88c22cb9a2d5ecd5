/// Latencies in nanoseconds, kept with two and a half digits: each power of two is cut into 128 steps, so a percentile is never off by
/// more than 0.8 %. Fixed memory, whatever is recorded.
struct Histogram {
    private static let stepBits = 7
    /// 2^40 ns is 18 minutes; what is longer counts as that.
    private static let maxBits = 40
    private var counts = [UInt64](repeating: 0, count: (maxBits - stepBits + 1) << stepBits)
    private(set) var count: UInt64 = 0
    private(set) var maximum: Int64 = 0
    private var sum: Double = 0

    mutating func record(_ nanoseconds: Int64) {
        let value = max(0, nanoseconds)
        counts[Histogram.slot(value)] += 1
        count += 1
        sum += Double(value)
        maximum = max(maximum, value)
    }

    mutating func add(_ other: Histogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
        sum += other.sum
        maximum = max(maximum, other.maximum)
    }

    var mean: Double { count == 0 ? 0 : sum / Double(count) }

    /// The smallest recorded value that at least `fraction` of all values do not exceed, rounded up to its step; 0 when there is none.
    func percentile(_ fraction: Double) -> Int64 {
        guard count > 0 else { return 0 }
        let rank = max(1, UInt64((Double(count) * fraction).rounded(.up)))
        var seen: UInt64 = 0
        for (index, number) in counts.enumerated() {
            seen += number
            if seen >= rank { return min(Histogram.upperBound(index), maximum) }
        }
        return maximum
    }

    private static func slot(_ value: Int64) -> Int {
        let value = UInt64(min(value, 1 << maxBits - 1))
        let bits = UInt64.bitWidth - value.leadingZeroBitCount
        // The first 128 values have a slot each; above, the highest bits choose the power, the next seven the step.
        guard bits > stepBits else { return Int(value) }
        let shift = bits - stepBits - 1
        let step = Int(value >> UInt64(shift)) & (1 << stepBits - 1)
        return (shift + 1) << stepBits + step
    }

    private static func upperBound(_ slot: Int) -> Int64 {
        let power = slot >> stepBits
        let step = Int64(slot & (1 << stepBits - 1))
        guard power > 0 else { return step }
        return (Int64(1) << Int64(stepBits) + step + 1) << Int64(power - 1) - 1
    }
}
