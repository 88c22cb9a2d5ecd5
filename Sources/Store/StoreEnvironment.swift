import Dates
package import Family
import Ledger
import Wire

/// The store's sources from outside: clock, randomness, zone data, limits. Closures, so that a simulation decides them.
package struct StoreEnvironment {
    /// UTC milliseconds.
    package let now: () -> Int64
    /// This many unpredictable random octets: tokens and ids are made of them.
    package let random: (Int) -> [UInt8]
    /// The date, `YYYY-MM-DD`, in an IANA zone at an instant (UTC milliseconds); `nil` if the zone is not known.
    package let localDate: (_ zone: String, _ at: Int64) -> String?
    /// The environment of the rules of `Family`.
    package let rules: RuleEnvironment
    package let limits: Limits
    /// The text of consent in force.
    package let consent: ConsentText
    /// `nil`: the server sends no mail.
    package let mail: MailTerms?
    /// The version of the zone data, asked once at the start. Another one than before arms all reminders again.
    package let zoneData: () -> String

    package init(
        now: @escaping () -> Int64, random: @escaping (Int) -> [UInt8],
        localDate: @escaping (_ zone: String, _ at: Int64) -> String?, rules: RuleEnvironment, limits: Limits = Limits(),
        consent: ConsentText = .standard, mail: MailTerms? = nil, zoneData: @escaping () -> String = { "" }
    ) {
        self.now = now
        self.random = random
        self.localDate = localDate
        self.rules = rules
        self.limits = limits
        self.consent = consent
        self.mail = mail
        self.zoneData = zoneData
    }

    /// The part that the ledger uses.
    var ledger: LedgerEnvironment {
        LedgerEnvironment(
            rules: rules, limits: limits, localDate: localDate, encode: { LogCodec.encode($0) },
            octets: { StoredFields.encode($0).count })
    }

    /// Whole years from a birth date to today in a zone; `nil` if the birth date or the zone is not known.
    func age(born: CalendarDate?, zone: String, at: Int64) -> Int? { ledger.age(born: born, zone: zone, at: at) }

    /// The reason why a member may not enter the family now; `nil` if they may.
    func bar(_ member: MemberState, zone: String, at: Int64) -> EntryBar? {
        // Most members are parents, for whom nothing has to be computed; athletes without a computation are rare.
        member.role == .parent ? nil : ledger.bar(member, zone: zone, at: at)
    }
}
