/// What the rules ask of the world around them. A closure, so that the rules themselves read no file.
package struct RuleEnvironment {
    /// Whether the zone data of this machine knows an IANA name ("Europe/Warsaw"). Called only with names that are a `ZoneName`.
    package let zoneExists: (String) -> Bool

    package init(zoneExists: @escaping (String) -> Bool) {
        self.zoneExists = zoneExists
    }
}
