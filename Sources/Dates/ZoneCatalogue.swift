/// The zones that were requested, each read once.
///
/// The caller supplies the closure that reads a file below `/usr/share/zoneinfo`; no code here accesses the disk. Only
/// existing zones are stored, so invented names from clients use no memory.
package struct ZoneCatalogue {
    private var zones: [ZoneName: ZoneRules] = [:]
    private let load: (ZoneName) -> [UInt8]?

    /// - Parameter load: the octets of the TZif file of a zone, `nil` if there is none.
    package init(load: @escaping (ZoneName) -> [UInt8]?) {
        self.load = load
    }

    /// - Throws: `.unknownZone` if there is no zone with that name; otherwise the error in the file.
    package mutating func rules(_ name: ZoneName) throws(ZoneError) -> ZoneRules {
        if let known = zones[name] { return known }
        guard let octets = load(name) else { throw .unknownZone(name.text) }
        let rules = try ZoneRules(tzif: octets)
        zones[name] = rules
        return rules
    }
}

@available(*, unavailable)
extension ZoneCatalogue: Sendable {}
