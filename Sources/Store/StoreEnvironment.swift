import Crypto
package import Dates
package import Family
import Posix

/// What the store takes from outside: clock, randomness, zone data, limits. Closures, so that a simulation decides them.
package struct StoreEnvironment {
    /// UTC milliseconds.
    package let now: () -> Int64
    /// So many random octets that nobody can predict: tokens and ids are made of them.
    package let random: (Int) -> [UInt8]
    /// The rules of an IANA zone; `nil` when it is not known.
    package let zone: (String) -> ZoneRules?
    package let limits: Limits

    package init(
        now: @escaping () -> Int64, random: @escaping (Int) -> [UInt8], zone: @escaping (String) -> ZoneRules?, limits: Limits = Limits()
    ) {
        self.now = now
        self.random = random
        self.zone = zone
        self.limits = limits
    }

    /// This machine's clock, randomness and zone data. One for each thread: zones are kept once they were read.
    package static func system(limits: Limits = Limits()) -> StoreEnvironment {
        let zones = SystemZones()
        return StoreEnvironment(now: Clock.wallMilliseconds, random: Random.octets, zone: zones.rules, limits: limits)
    }

    /// What the rules of `Family` ask.
    var rules: RuleEnvironment { RuleEnvironment { zone($0) != nil } }

    /// Whole years from a birth date to today in a zone; `nil` when the birth date or the zone is not known.
    func age(born: CalendarDate?, zone name: String, at: Instant) -> Int? {
        guard let born, let rules = zone(name) else { return nil }
        return Age.years(from: born, to: rules.localDate(at: at))
    }
}
