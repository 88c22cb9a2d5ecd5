package import Dates
package import Family

/// The inputs of decisions from outside: rules, zone data, limits, and the form in which the log keeps a change. Closures, so that a simulation
/// decides them. A class, because every decider holds it.
package final class LedgerEnvironment {
    /// The rules of `Family`.
    package let rules: RuleEnvironment
    package let limits: Limits
    /// The date, `YYYY-MM-DD`, in an IANA zone at an instant (UTC milliseconds); `nil` if the zone is not known.
    package let localDate: (_ zone: String, _ at: Int64) -> String?
    /// The octets by which the log keeps a change. Their count is compared with `Limits.changeOctets`.
    package let encode: (Change) -> [UInt8]
    /// The octets that fields take within such a change.
    package let octets: (Fields) -> Int

    package init(
        rules: RuleEnvironment, limits: Limits, localDate: @escaping (_ zone: String, _ at: Int64) -> String?,
        encode: @escaping (Change) -> [UInt8], octets: @escaping (Fields) -> Int
    ) {
        self.rules = rules
        self.limits = limits
        self.localDate = localDate
        self.encode = encode
        self.octets = octets
    }

    /// How long tombstones and receipts are kept, milliseconds: 30 days.
    package static let retention: Int64 = 30 * 86_400_000

    /// Whole years from a birth date to today in a zone; `nil` if the birth date or the zone is not known.
    package func age(born: CalendarDate?, zone: String, at: Int64) -> Int? {
        guard let born, let today = localDate(zone, at).flatMap({ CalendarDate($0) }) else { return nil }
        return Age.years(from: born, to: today)
    }
}

@available(*, unavailable)
extension LedgerEnvironment: Sendable {}
