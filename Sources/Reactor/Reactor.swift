import CLinux
import Glibc
package import Posix

/// What a composition does in each tick besides its channels. Subclass it.
open class ReactorHooks {
    package init() {}

    /// Take what other threads have put into the mailboxes; called in each tick before any new input is read.
    open func drainMailbox() {}

    /// The tick's work is done: seal the batch, flush outboxes, then close who is too slow.
    open func beforeSleep() {}
}

@available(*, unavailable) extension ReactorHooks: Sendable {}

/// One thread's event loop over epoll(7): owns its channels and timers outright, so that none of them needs a lock.
///
/// Everything but `waker` belongs to the thread that calls `run` or `tick`.
package final class Reactor {
    /// Octets that one receive may bring: what a connection is let read before the others have their turn.
    package static let receiveBufferSize = 65_536
    /// Events taken from the kernel at once; more wait for the next tick, first come first served.
    private static let eventsPerTick = 512
    /// Timers that may wait at once. Connections hold a few each and are bounded themselves, so passing it is a leak.
    private static let maxTimers = 1 << 20
    /// The waker's token, which no slot can have.
    private static let wakerToken = UInt64.max

    /// Where every channel of this reactor receives; holds nothing from one call of `ready` to the next.
    package let receiveBuffer: UnsafeMutableRawBufferPointer
    /// Memory for the outboxes of this reactor's connections.
    package let buffers = BufferPool()
    /// Wakes this reactor from other threads; give it to the mailboxes that `ReactorHooks.drainMailbox` drains.
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
    /// How far this reactor's clock is ahead of the machine's.
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
        // Edge-triggered: each ring is one edge, so the counter never has to be read back.
        try control(EPOLL_CTL_ADD, waker.raw, EPOLLIN.rawValue | EPOLLET.rawValue, Self.wakerToken)
    }

    deinit {
        receiveBuffer.deallocate()
        events.deallocate()
    }

    // MARK: Channels

    /// How many channels are registered.
    package var channelCount: Int { slots.count - freeSlots.count }

    /// Watches a descriptor for `channel`, which is kept until `remove`.
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

    /// Changes what a channel is watched for; costs nothing when it is that already, or when it has gone.
    package func modify(_ registration: Registration, interest: Interest) throws(Errno) {
        let index = Int(registration.slot)
        guard holds(registration), slots[index].interest != interest else { return }
        try control(EPOLL_CTL_MOD, slots[index].raw, interest.rawValue, registration.token)
        slots[index].interest = interest
    }

    /// Forgets a channel, before its descriptor is closed; events that wait for it in this tick are dropped. Once it
    /// has gone, nothing happens.
    package func remove(_ registration: Registration) {
        guard holds(registration) else { return }
        let index = Int(registration.slot)
        // Fails only if the descriptor was closed first, which is the mistake that generations are there to survive.
        _ = epoll_ctl(epoll.raw, EPOLL_CTL_DEL, slots[index].raw, nil)
        slots[index] = Slot(channel: nil, raw: -1, interest: [], generation: registration.generation &+ 1)
        freeSlots.append(registration.slot)
    }

    /// Calls the channel with `.readable` in the next tick, which then does not sleep: for one whose budget ended
    /// before its input did, or that holds decrypted octets which epoll cannot see.
    package func callAgain(_ registration: Registration) {
        repeated.append(registration)
    }

    // MARK: Timers

    /// Moves this reactor's clock ahead, for tests: what becomes due is called in the next tick.
    package func moveClock(milliseconds: Int64) {
        ahead += milliseconds
        time += milliseconds
    }

    /// Milliseconds of the monotonic clock when this tick began.
    package var now: Int64 { time }

    /// Calls `target.timerFired(kind:)` once, not before the time is over and up to 10 ms after it (or the tick) is.
    ///
    /// - Parameter milliseconds: counted from `now`; 0 and less mean the next 10 ms.
    package func schedule(afterMilliseconds milliseconds: Int64, _ target: TimerTarget, kind: Int) -> TimerID {
        let deadline = time.addingReportingOverflow(max(0, milliseconds))
        guard let timer = wheel.schedule(at: deadline.overflow ? .max : deadline.partialValue, Timer(target: target, kind: kind)) else {
            preconditionFailure("more timers wait than \(Self.maxTimers): somebody schedules without cancelling")
        }
        return timer
    }

    /// Forgets a timer; false when it has fired or was cancelled already.
    @discardableResult
    package func cancel(_ timer: TimerID) -> Bool { wheel.cancel(timer) }

    // MARK: The loop

    /// Who is called in each tick besides the channels; kept.
    package func setHooks(_ hooks: ReactorHooks) { self.hooks = hooks }

    /// Ticks until `stop`.
    package func run() {
        isStopped = false
        while !isStopped { tick() }
    }

    /// Makes `run` return when the current tick is over. From this thread only; others ask by mailbox.
    package func stop() { isStopped = true }

    /// One turn of the loop, in this order: wait; mailbox; ready events; timers; before sleep.
    ///
    /// Receipts of earlier changes go out before new input is read; flushing comes last, so that all that one tick has
    /// for a peer leaves in one send.
    ///
    /// - Parameter limit: longest wait in milliseconds; negative waits until something happens.
    package func tick(waitingAtMost limit: Int = -1) {
        let count = wait(atMost: limit)
        // What asks again in this tick waits for the next one.
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
        // A signal that was not blocked: an empty tick.
        precondition(code == EINTR, "waiting cannot fail otherwise: \(Errno(code, "epoll_wait"))")
        return 0
    }

    private func callReady(_ count: Int) {
        for index in 0..<count {
            let event = events[index]
            guard event.data.u64 != Self.wakerToken else { continue }
            let registration = Registration(token: event.data.u64)
            guard holds(registration), let channel = slots[Int(registration.slot)].channel else { continue }
            // Interest given up earlier in this tick is not called for.
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
