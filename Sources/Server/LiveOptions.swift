package import HTTP1

/// The options that a running server can change.
package struct LiveOptions: Equatable, Sendable {
    package var trust = ProxyTrust()
    package var origins = OriginPolicy()
    package var health = HealthSettings()

    package init() {}
}

/// The result of reading the options again.
package enum OptionsReload: Sendable {
    /// The names of the live options that have changed, and of the other options that differ from the start.
    case read(LiveOptions, changed: [String], needsRestart: [String])
    /// The options are not valid; the former ones stay in force.
    case refused(String)
}
