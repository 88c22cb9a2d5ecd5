import CLinux

/// Something that a timer can call. Subclass it; rooms and sessions are targets too.
///
/// `open`, as `package` does not allow subclasses in another target; the package has no library product, so nobody else
/// can see it.
open class TimerTarget {
    package init() {}

    /// A timer scheduled for this target is due.
    ///
    /// - Parameter kind: what was given when it was scheduled, to tell several timers of one target apart.
    open func timerFired(kind: Int) {}
}

/// One descriptor's side in a reactor. Subclass it and own the descriptor.
///
/// Order at the end: `Reactor.remove` first, then close the descriptor.
open class Channel: TimerTarget {
    /// The descriptor is ready. Level-triggered: what is not read now is told again in the next tick.
    ///
    /// `.hungUp` and `.failed` come whatever the interest is, tick after tick, so they have to end the channel.
    open func ready(_ events: ReadyEvents) {}
}

@available(*, unavailable) extension TimerTarget: Sendable {}

/// What a descriptor is watched for.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let readable = Interest(rawValue: EPOLLIN.rawValue)
    package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
}

/// What a descriptor is ready for.
public struct ReadyEvents: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let readable = ReadyEvents(rawValue: EPOLLIN.rawValue)
    package static let writable = ReadyEvents(rawValue: EPOLLOUT.rawValue)
    /// Both directions are closed.
    package static let hungUp = ReadyEvents(rawValue: EPOLLHUP.rawValue)
    /// The next call on the descriptor says which error.
    package static let failed = ReadyEvents(rawValue: EPOLLERR.rawValue)
}

/// A channel's place in its reactor: a slot, and which of the slot's successive tenants it is, so that an event for one
/// that has gone never reaches the next.
package struct Registration: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32

    /// The form in which epoll carries it.
    var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    init(token: UInt64) {
        slot = UInt32(truncatingIfNeeded: token)
        generation = UInt32(truncatingIfNeeded: token >> 32)
    }
}
