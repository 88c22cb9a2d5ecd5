import Dates
import Posix

/// The zones of this machine (Debian's `tzdata`), each read once.
///
/// Confined to one thread; the writer and the reader have one each.
final class SystemZones {
    private static let folder = "/usr/share/zoneinfo/"

    private var zones = ZoneCatalogue { name in
        try? Files.read(SystemZones.folder + name.text, limit: ZoneRules.maxOctets)
    }

    /// `nil` for a zone that this machine does not have.
    func rules(_ name: String) -> ZoneRules? {
        guard let name = ZoneName(name) else { return nil }
        return try? zones.rules(name)
    }
}

@available(*, unavailable)
extension SystemZones: Sendable {}
