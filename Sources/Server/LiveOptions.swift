package import HTTP1

/// The options that a running server takes.
package struct LiveOptions: Equatable, Sendable {
    package var trust = ProxyTrust()
    package var origins = OriginPolicy()
    package var health = HealthSettings()

    package init() {}
}

/// The result of reading the options again.
package enum OptionsReload: Sendable {
    /// The names of live options that have another value now, and of others that have another value than at the start.
    case read(LiveOptions, changed: [String], needsRestart: [String])
    /// They cannot be used; those that are there stay in force.
    case refused(String)
}
