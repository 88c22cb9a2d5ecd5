package import Bytes

/// An event of a session, for its owner.
package enum SessionEvent: Sendable {
    case notice(SyncNotice)
    /// These records have changed.
    case changed([Identifier])
    /// All records were replaced.
    case replaced
    /// The session will not try again by itself.
    case stopped(StopReason)
}
