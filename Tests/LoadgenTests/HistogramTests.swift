import TestSupport
import Testing

@testable import loadgen

@Suite("Histogram")
struct HistogramTests {
    @Test("values below 128 are exact")
    func small() {
        var histogram = Histogram()
        for value in 1...100 { histogram.record(Int64(value)) }
        #expect(histogram.count == 100)
        #expect(histogram.percentile(0.5) == 50)
        #expect(histogram.percentile(0.99) == 99)
        #expect(histogram.percentile(1) == 100)
        #expect(histogram.maximum == 100)
        #expect(histogram.mean == 50.5)
    }

    @Test("a percentile is never below the truth and at most 0.8 % above", arguments: [UInt64(1), 2, 3, 4, 5])
    func error(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var values: [Int64] = []
        var histogram = Histogram()
        for _ in 0..<5_000 {
            // Every magnitude from nanoseconds to a minute.
            let value = Int64(random.next() >> (28 + random.next() % 35))
            values.append(value)
            histogram.record(value)
        }
        values.sort()
        for fraction in [0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1] {
            let truth = values[max(1, Int((Double(values.count) * fraction).rounded(.up))) - 1]
            let told = histogram.percentile(fraction)
            #expect(told >= truth, "seed \(seed), \(fraction)")
            #expect(Double(told) <= Double(truth) * (1 + 1.0 / 128), "seed \(seed), \(fraction)")
        }
    }

    @Test("both sides of each power of two land in their own step", arguments: 7...39)
    func edges(power: Int) {
        for value in [Int64(1) << power - 1, Int64(1) << power, Int64(1) << power + 1] {
            var histogram = Histogram()
            histogram.record(value)
            histogram.record(.max)
            #expect(histogram.percentile(0.5) >= value)
            #expect(histogram.percentile(0.5) <= value + value / 128)
        }
    }

    @Test("a value that is too long or negative is still counted")
    func extremes() {
        var histogram = Histogram()
        histogram.record(.max)
        histogram.record(.min)
        #expect(histogram.count == 2)
        #expect(histogram.percentile(0.5) == 0)
        #expect(histogram.maximum == .max)
        #expect(histogram.percentile(1) == (1 << 40) - 1)
    }

    @Test("an empty one says 0")
    func empty() {
        #expect(Histogram().percentile(0.5) == 0)
        #expect(Histogram().mean == 0)
    }

    @Test("adding one to another is the same as recording into one")
    func sum() {
        var random = SplitMix64(seed: 7)
        var (left, right, both) = (Histogram(), Histogram(), Histogram())
        for index in 0..<1_000 {
            let value = Int64(random.next() >> 40)
            if index % 3 == 0 { left.record(value) } else { right.record(value) }
            both.record(value)
        }
        left.add(right)
        #expect(left.count == both.count)
        #expect(left.maximum == both.maximum)
        for fraction in [0.1, 0.5, 0.99] { #expect(left.percentile(fraction) == both.percentile(fraction)) }
    }
}

