internal import Posix

/// A random number generator with a seed: equal seeds give equal numbers on every machine, so that a failing run can be repeated.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
package struct SplitMix64: RandomNumberGenerator {
    /// The seed, for the message of a failure.
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// A generator whose seed is new in each run, or the one in `HUDDLE_SEED`. Failures have to print `seed`.
    package static func fresh() -> SplitMix64 { SplitMix64(seed: freshSeed()) }

    /// A seed that is new in each run, or the one in `HUDDLE_SEED`, to repeat a failure.
    package static func freshSeed() -> UInt64 {
        Environment.value("HUDDLE_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number from 0 to `bound` - 1.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True in `percent` of 100 cases.
    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    /// `count` octets, each of a number of its own.
    package mutating func octets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    /// One of `elements`, which are not empty.
    package mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}
