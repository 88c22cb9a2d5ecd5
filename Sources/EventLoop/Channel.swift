import CLinux

/// An object that a timer can call. Subclass it; rooms and sessions are targets too.
///
/// It is `open` because `package` does not allow subclasses in another target; the package has no library product, so
/// no other code can see it.
open class TimerTarget {
    package init() {}

    /// A timer scheduled for this target is due.
    ///
    /// - Parameter kind: the value passed when the timer was scheduled, to distinguish several timers of one target.
    open func timerFired(kind: Int) {}
}

/// The handler of one descriptor in a reactor. Subclass it and own the descriptor.
///
/// Order at the end: `Reactor.remove` first, then close the descriptor.
open class Channel: TimerTarget {
    /// Called when the descriptor is ready. Level-triggered: unread input is reported again in the next tick.
    ///
    /// `.hungUp` and `.failed` are reported regardless of the interest, in every tick, so they have to end the channel.
    open func ready(_ events: ReadyEvents) {}
}

@available(*, unavailable) extension TimerTarget: Sendable {}

/// The events that a descriptor is watched for.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let readable = Interest(rawValue: EPOLLIN.rawValue)
    package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
}

/// The events that a descriptor is ready for.
public struct ReadyEvents: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let readable = ReadyEvents(rawValue: EPOLLIN.rawValue)
    package static let writable = ReadyEvents(rawValue: EPOLLOUT.rawValue)
    /// Both directions are closed.
    package static let hungUp = ReadyEvents(rawValue: EPOLLHUP.rawValue)
    /// The next call on the descriptor returns the error.
    package static let failed = ReadyEvents(rawValue: EPOLLERR.rawValue)
}

/// A channel's registration in its reactor: a slot, and a generation that distinguishes its successive users, so that
/// an event for a removed channel never reaches the next one.
package struct Registration: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32

    /// The form in which epoll stores it.
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
