import CLinux
import Glibc
package import Posix

/// The actions of a composition in each tick besides its channels. Subclass it.
open class ReactorHooks {
    package init() {}

    /// Processes the values that other threads have put into the mailboxes; called in each tick before any new input is
    /// read.
    open func drainMailbox() {}

    /// Called at the end of the tick's work: seal the batch, flush outboxes, then close slow readers.
    open func beforeSleep() {}
}

@available(*, unavailable) extension ReactorHooks: Sendable {}

/// One thread's event loop over epoll(7): it owns its channels and timers, so that none of them needs a lock.
///
/// Everything except `waker` belongs to the thread that calls `run` or `tick`.
package final class Reactor {
    /// The largest number of octets of one receive: a channel may read this much before the others have their turn.
    package static let receiveBufferSize = 65_536
    /// The number of events taken from the kernel per tick; further events wait for the next tick, in order.
    private static let eventsPerTick = 512
    /// The largest number of waiting timers. Connections hold a few each and are limited themselves, so exceeding it is
    /// a leak.
    private static let maxTimers = 1 << 20
    /// The waker's token, which no slot can have.
    private static let wakerToken = UInt64.max

    /// The buffer in which every channel of this reactor receives; its content is not kept from one call of `ready` to
    /// the next.
    package let receiveBuffer: UnsafeMutableRawBufferPointer
    /// Memory for the outboxes of this reactor's connections.
    package let buffers = BufferPool()
    /// Wakes this reactor from other threads; pass it to the mailboxes that `ReactorHooks.drainMailbox` drains.
    package let waker: Waker

    private let epoll: FileDescriptor
    private let events: UnsafeMutablePointer<epoll_event>
    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []
    private var wheel: TimerWheel<Timer>
    private var repeated: [Registration] = []
    private var repeating: [Registration] = []
    private var hooks = ReactorHooks()
    private var time: Int64
    /// The milliseconds by which this reactor's clock is ahead of the machine's.
    private var ahead: Int64 = 0
    private var isStopped = false

    private struct Slot {
        var channel: Channel?
        var raw: Int32
        var interest: Interest
        var generation: UInt32
    }

    private struct Timer {
        let target: TimerTarget
        let kind: Int
    }

    package init() throws(Errno) {
        let raw = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard raw >= 0 else { throw Errno.last("epoll_create1") }
        epoll = FileDescriptor(owning: raw)
        waker = try Waker()
        time = Clock.monotonicMilliseconds()
        wheel = TimerWheel(now: time, limit: Self.maxTimers)
        receiveBuffer = .allocate(byteCount: Self.receiveBufferSize, alignment: 64)
        events = .allocate(capacity: Self.eventsPerTick)
        // Edge-triggered: each ring is one edge, so the counter never has to be read.
        try control(EPOLL_CTL_ADD, waker.raw, EPOLLIN.rawValue | EPOLLET.rawValue, Self.wakerToken)
    }

    deinit {
        receiveBuffer.deallocate()
        events.deallocate()
    }

    // MARK: Channels

    /// The number of registered channels.
    package var channelCount: Int { slots.count - freeSlots.count }

    /// Watches a descriptor for `channel`, which is retained until `remove`.
    package func add(fd raw: Int32, interest: Interest, channel: Channel) throws(Errno) -> Registration {
        let index: UInt32
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = UInt32(slots.count)
            slots.append(Slot(channel: nil, raw: -1, interest: [], generation: 0))
        }
        let registration = Registration(slot: index, generation: slots[Int(index)].generation)
        do throws(Errno) {
            try control(EPOLL_CTL_ADD, raw, interest.rawValue, registration.token)
        } catch {
            freeSlots.append(index)
            throw error
        }
        slots[Int(index)] = Slot(channel: channel, raw: raw, interest: interest, generation: registration.generation)
        return registration
    }

    /// Changes the events that a channel is watched for; has no cost if they are the same, or if the channel was
    /// removed.
    package func modify(_ registration: Registration, interest: Interest) throws(Errno) {
        let index = Int(registration.slot)
        guard holds(registration), slots[index].interest != interest else { return }
        try control(EPOLL_CTL_MOD, slots[index].raw, interest.rawValue, registration.token)
        slots[index].interest = interest
    }

    /// Removes a channel, before its descriptor is closed; its pending events of this tick are dropped. Has no effect
    /// on a removed channel.
    package func remove(_ registration: Registration) {
        guard holds(registration) else { return }
        let index = Int(registration.slot)
        // Fails only if the descriptor was closed first, which is the mistake that generations guard against.
        _ = epoll_ctl(epoll.raw, EPOLL_CTL_DEL, slots[index].raw, nil)
        slots[index] = Slot(channel: nil, raw: -1, interest: [], generation: registration.generation &+ 1)
        freeSlots.append(registration.slot)
    }

    /// Calls the channel with `.readable` in the next tick, which then does not sleep: for a channel whose budget ended
    /// before its input did, or that has decrypted octets, which epoll cannot see.
    package func callAgain(_ registration: Registration) {
        repeated.append(registration)
    }

    // MARK: Timers

    /// Moves this reactor's clock ahead, for tests: due timers are called in the next tick.
    package func moveClock(milliseconds: Int64) {
        ahead += milliseconds
        time += milliseconds
    }

    /// Milliseconds of the monotonic clock when this tick began.
    package var now: Int64 { time }

    /// Calls `target.timerFired(kind:)` once, not before the time is over and at most 10 ms after it (or after the
    /// tick).
    ///
    /// - Parameter milliseconds: counted from `now`; 0 and less mean the next 10 ms.
    package func schedule(afterMilliseconds milliseconds: Int64, _ target: TimerTarget, kind: Int) -> TimerID {
        let deadline = time.addingReportingOverflow(max(0, milliseconds))
        guard let timer = wheel.schedule(at: deadline.overflow ? .max : deadline.partialValue, Timer(target: target, kind: kind)) else {
            preconditionFailure("more timers wait than \(Self.maxTimers): somebody schedules without cancelling")
        }
        return timer
    }

    /// Cancels a timer; false if it has fired or was cancelled already.
    @discardableResult
    package func cancel(_ timer: TimerID) -> Bool { wheel.cancel(timer) }

    // MARK: The loop

    /// Sets the hooks that are called in each tick besides the channels; retained.
    package func setHooks(_ hooks: ReactorHooks) { self.hooks = hooks }

    /// Ticks until `stop`.
    package func run() {
        isStopped = false
        while !isStopped { tick() }
    }

    /// Makes `run` return after the current tick. Only from this thread; other threads request it by mailbox.
    package func stop() { isStopped = true }

    /// One turn of the loop, in this order: wait; mailbox; ready events; timers; before sleep.
    ///
    /// Receipts of earlier changes go out before new input is read; flushing comes last, so that everything that one
    /// tick has for a peer leaves in one send.
    ///
    /// - Parameter limit: longest wait in milliseconds; negative waits until something happens.
    package func tick(waitingAtMost limit: Int = -1) {
        let count = wait(atMost: limit)
        // A channel that asks again in this tick waits for the next one.
        swap(&repeated, &repeating)
        hooks.drainMailbox()
        callReady(count)
        callRepeated()
        callTimers()
        hooks.beforeSleep()
    }

    private func wait(atMost limit: Int) -> Int {
        var timeout = limit
        if !repeated.isEmpty {
            timeout = 0
        } else if let due = wheel.nextDeadline {
            let left = max(0, Int(clamping: due - Clock.monotonicMilliseconds() - ahead))
            timeout = limit < 0 ? left : min(limit, left)
        }
        let count = epoll_wait(epoll.raw, events, Int32(Self.eventsPerTick), Int32(clamping: timeout))
        let code = errno
        time = Clock.monotonicMilliseconds() + ahead
        if count >= 0 { return Int(count) }
        // An unblocked signal interrupted the wait: an empty tick.
        precondition(code == EINTR, "waiting cannot fail otherwise: \(Errno(code, "epoll_wait"))")
        return 0
    }

    private func callReady(_ count: Int) {
        for index in 0..<count {
            let event = events[index]
            guard event.data.u64 != Self.wakerToken else { continue }
            let registration = Registration(token: event.data.u64)
            guard holds(registration), let channel = slots[Int(registration.slot)].channel else { continue }
            // Events outside the interest are dropped, in case it changed earlier in this tick.
            let always = EPOLLERR.rawValue | EPOLLHUP.rawValue
            let wanted = event.events & (slots[Int(registration.slot)].interest.rawValue | always)
            if wanted != 0 { channel.ready(ReadyEvents(rawValue: wanted)) }
        }
    }

    private func callRepeated() {
        guard !repeating.isEmpty else { return }
        for registration in repeating where holds(registration) {
            let channel = slots[Int(registration.slot)].channel
            channel?.ready(.readable)
        }
        repeating.removeAll(keepingCapacity: true)
    }

    private func callTimers() {
        wheel.advance(to: time)
        while let due = wheel.takeDue() { due.target.timerFired(kind: due.kind) }
    }

    private func holds(_ registration: Registration) -> Bool {
        let index = Int(registration.slot)
        return index < slots.count && slots[index].generation == registration.generation && slots[index].channel != nil
    }

    private func control(_ operation: Int32, _ raw: Int32, _ interest: UInt32, _ token: UInt64) throws(Errno) {
        var event = epoll_event(events: interest, data: epoll_data_t(u64: token))
        guard epoll_ctl(epoll.raw, operation, raw, &event) == 0 else { throw Errno.last("epoll_ctl") }
    }
}

@available(*, unavailable) extension Reactor: Sendable {}
