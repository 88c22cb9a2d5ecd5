import Crypto
import Dates
import Family
import Posix
import Store

/// The machine's clock, randomness and zone data, for the store. Each user of it makes its own, with its own copy of
/// the zones it has read.
enum MachineEnvironment {
    /// The folder in which Debian's package `tzdata` installs the zones.
    static let zoneFolder = "/usr/share/zoneinfo"

    /// The version of the machine's zone data, the first line of the file in which Debian keeps its source; empty without that file.
    private static func zoneData() -> String {
        guard let octets = try? Files.read("\(zoneFolder)/tzdata.zi", limit: 4 << 20) else { return "" }
        return String(decoding: octets.prefix { $0 != UInt8(ascii: "\n") }.prefix(64), as: UTF8.self)
    }

    /// - Parameter now: UTC milliseconds.
    static func make(
        _ limits: Limits, consent: ConsentText = .standard, mail: MailTerms? = nil, now: @escaping () -> Int64 = { Clock.wallMilliseconds() }
    ) -> StoreEnvironment {
        let zones = Zones()
        return StoreEnvironment(
            now: now, random: { Random.octets($0) },
            localDate: { zone, at in zones.rules(zone)?.localDate(at: at).description },
            rules: RuleEnvironment(zone: zones.rules), limits: limits, consent: consent, mail: mail, zoneData: zoneData)
    }
}

/// Zones by name, each read once.
private final class Zones {
    private var catalogue = ZoneCatalogue { name in
        try? Files.read("\(MachineEnvironment.zoneFolder)/\(name.text)", limit: ZoneRules.maxOctets)
    }

    /// `nil` if there is no such zone on this machine.
    func rules(_ name: String) -> ZoneRules? {
        guard let name = ZoneName(name) else { return nil }
        return try? catalogue.rules(name)
    }
}
