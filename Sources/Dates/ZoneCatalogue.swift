/// The zones that were asked for, read once each.
///
/// The edge gives the closure that reads a file below `/usr/share/zoneinfo`; nothing here touches the disk. Only zones that exist
/// are kept, so names that clients make up do not add to it.
package struct ZoneCatalogue {
    private var zones: [ZoneName: ZoneRules] = [:]
    private let load: (ZoneName) -> [UInt8]?

    /// - Parameter load: the octets of the TZif file of a zone, `nil` if there is none.
    package init(load: @escaping (ZoneName) -> [UInt8]?) {
        self.load = load
    }

    /// - Throws: `.unknownZone` if there is none of that name; what is wrong with the file if it cannot be read.
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
