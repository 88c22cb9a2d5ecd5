import Dates
import Family
import Glibc

/// The machine's zone data, each file read once a test.
func machineZones() -> RuleEnvironment {
    final class Zones {
        var catalogue = ZoneCatalogue { name in file("/usr/share/zoneinfo/" + name.text) }
    }
    let zones = Zones()
    return RuleEnvironment(zone: { name in ZoneName(name).flatMap { try? zones.catalogue.rules($0) } })
}

/// A file of the machine, `nil` if it cannot be read.
private func file(_ path: String) -> [UInt8]? {
    guard let stream = fopen(path, "rb") else { return nil }
    defer { fclose(stream) }
    var octets = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&octets, 1, octets.count, stream)
    return Array(octets.prefix(count))
}
