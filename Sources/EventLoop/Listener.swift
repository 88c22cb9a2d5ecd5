package import Posix

/// Accepts connections and passes them on; if descriptors run out, it pauses briefly.
///
/// The reactor retains it until `close`.
package final class Listener: Channel {
    /// The number of connections accepted in one tick: a rush of them must not delay open connections.
    package static let defaultBudget = 32
    /// The milliseconds without accepting after descriptors have run out. The kernel's backlog holds new connections
    /// in the meantime; without the pause the loop would spin on a readiness that it cannot use.
    package static let pauseMilliseconds: Int64 = 100

    private let reactor: Reactor
    private let budget: Int
    private let accepted: (consuming FileDescriptor) -> Void
    private let refused: (Errno) -> Void
    private var descriptor: FileDescriptor?
    private var registration: Registration?
    private var timer: TimerID?
    private var isHeld = false

    /// Starts accepting.
    ///
    /// - Parameters:
    ///   - descriptor: a non-blocking listener of `Socket.listenTCP` or `Socket.listenUnix`.
    ///   - budget: the largest number of connections in one tick.
    ///   - refused: receives the reason when accepting pauses, once per pause, for the log.
    ///   - accepted: takes ownership of each connection (non-blocking).
    @discardableResult
    package init(
        reactor: Reactor, descriptor: consuming FileDescriptor, budget: Int = defaultBudget,
        refused: @escaping (Errno) -> Void = { _ in }, accepted: @escaping (consuming FileDescriptor) -> Void
    ) throws(Errno) {
        let raw = descriptor.raw
        self.reactor = reactor
        self.budget = budget
        self.accepted = accepted
        self.refused = refused
        self.descriptor = consume descriptor
        super.init()
        registration = try reactor.add(fd: raw, interest: .readable, channel: self)
    }

    /// Whether it waits until descriptors become free.
    package var isPaused: Bool { timer != nil }

    /// Stops accepting until `resume`, for a server at its connection limit; new connections wait in the kernel's
    /// backlog.
    package func hold() {
        isHeld = true
        watch()
    }

    /// Accepts again after `hold`.
    package func resume() {
        isHeld = false
        watch()
    }

    /// Stops listening; the port is free afterwards.
    package func close() {
        if let timer { reactor.cancel(timer) }
        timer = nil
        if let registration { reactor.remove(registration) }
        registration = nil
        descriptor = nil
    }

    package override func ready(_ events: ReadyEvents) {
        for _ in 0..<budget {
            // The callback for a connection may hold or close the listener.
            guard !isHeld, let raw = number else { return }
            do throws(Errno) {
                guard let connection = try Socket.accept(on: raw) else { return }
                accepted(connection)
            } catch {
                // An immediate retry does not help with any other error of a listener either.
                timer = reactor.schedule(afterMilliseconds: Self.pauseMilliseconds, self, kind: 0)
                watch()
                refused(error)
                return
            }
        }
    }

    package override func timerFired(kind: Int) {
        timer = nil
        watch()
    }

    private func watch() {
        guard let registration else { return }
        do throws(Errno) {
            try reactor.modify(registration, interest: isHeld || timer != nil ? [] : .readable)
        } catch {
            preconditionFailure("what is watched can be watched for less or more: \(error)")
        }
    }

    private var number: Int32? {
        switch descriptor {
        case .some(let open): open.raw
        case .none: nil
        }
    }
}
