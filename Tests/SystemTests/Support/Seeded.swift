import Posix

/// A generator with a seed that is printed, so that a run can be had again: HUDDLE_SEED=… (what the processes do in between
/// is theirs).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    /// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// True in so many of 100 cases.
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    static func choose() -> UInt64 {
        Environment.value("HUDDLE_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
    }
}
