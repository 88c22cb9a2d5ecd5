package import Bytes

/// What a session tells its owner.
package enum SessionEvent: Sendable {
    case notice(SyncNotice)
    /// These records look different now.
    case changed([Identifier])
    /// All records were replaced.
    case replaced
    /// It will not try again by itself.
    case stopped(StopReason)
}
