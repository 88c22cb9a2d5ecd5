/// Waiting times between connection attempts: exponential with full jitter, so that the clients of a restarted server
/// do not arrive together.
package struct Backoff: Sendable {
    /// The longest first wait in milliseconds: a restart of the server takes about as long.
    package static let first: Int64 = 250
    /// The longest wait in milliseconds: a waiting user sees success within a quarter of a minute.
    package static let longest: Int64 = 15_000

    private var random: SplitMix64

    /// - Parameter seed: any number; equal seeds give equal waits.
    package init(seed: UInt64) { random = SplitMix64(state: seed) }

    /// A wait before the attempt after `failures` consecutive failures: uniform in 0...min(15 s, 0.25 s · 2^failures).
    package mutating func wait(failures: Int) -> Int64 {
        let ceiling = min(Self.longest, Self.first << Int64(min(max(failures, 0), 10)))
        return Int64.random(in: 0...ceiling, using: &random)
    }

    /// A number in 0..<bound, for spreading.
    mutating func number(below bound: Int64) -> Int64 { Int64.random(in: 0..<max(bound, 1), using: &random) }
}

/// A small deterministic generator, so that an engine with a seed is reproducible.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix64: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
