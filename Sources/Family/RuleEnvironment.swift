package import Bytes
package import Dates

/// The inputs of the rules from outside. Closures, so that the rules themselves read no file.
package struct RuleEnvironment {
    /// Whether the zone data of this machine knows an IANA name ("Europe/Warsaw"). Called only with names that are a `ZoneName`.
    package let zoneExists: (String) -> Bool
    /// The rules of a zone; `nil` for an unknown one, whose local times are then taken as UTC.
    package let zone: (String) -> ZoneRules?

    package init(zone: @escaping (String) -> ZoneRules?) {
        zoneExists = { zone($0) != nil }
        self.zone = zone
    }

    /// For rules that only ask whether a zone exists: all local times are taken for UTC.
    package init(zoneExists: @escaping (String) -> Bool) {
        self.zoneExists = zoneExists
        zone = { _ in nil }
    }

    /// The rules of a zone, UTC when it has no name or is not known.
    package func rules(_ name: String?) -> ZoneRules {
        name.flatMap(zone) ?? .utc
    }
}

/// The facts of the family that the defaults of one new record need.
package struct RuleContext {
    /// The member who creates the record.
    package let member: Identifier
    /// UTC milliseconds.
    package let now: Int64
    /// The family's zone, an IANA name.
    package let zone: String
    /// The living records of the family that the new record refers to, by id.
    package let targets: [Identifier: Record]

    package init(member: Identifier, now: Int64, zone: String, targets: [Identifier: Record]) {
        self.member = member
        self.now = now
        self.zone = zone
        self.targets = targets
    }
}
