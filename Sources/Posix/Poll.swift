import Glibc

/// Waits for a few descriptors, with poll(2). The server uses epoll (see Reactor); this is for clients and tests.
package enum Poll {
    /// The requested or detected readiness of a descriptor.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: Int16
        package init(rawValue: Int16) { self.rawValue = rawValue }
        package static let readable = Readiness(rawValue: Int16(POLLIN))
        package static let writable = Readiness(rawValue: Int16(POLLOUT))
        /// Output only: the peer has closed.
        package static let hungUp = Readiness(rawValue: Int16(POLLHUP))
        /// Output only: the next call returns the error.
        package static let failed = Readiness(rawValue: Int16(POLLERR))
    }

    /// One descriptor to wait for.
    package struct Item: Sendable {
        package var raw: Int32
        package var interest: Readiness
        /// Set by `wait`; empty if nothing happened.
        package var ready: Readiness = []

        package init(_ raw: Int32, _ interest: Readiness) {
            self.raw = raw
            self.interest = interest
        }
    }

    /// Waits until one of `items` is ready.
    ///
    /// - Parameter timeoutMilliseconds: a negative value waits without limit, 0 does not wait.
    /// - Returns: the number of ready descriptors; 0 if the time is over.
    package static func wait(_ items: inout [Item], timeoutMilliseconds: Int) throws(Errno) -> Int {
        var polled = items.map { pollfd(fd: $0.raw, events: $0.interest.rawValue, revents: 0) }
        let end = Clock.monotonicMilliseconds() + Int64(clamping: timeoutMilliseconds)
        var left = timeoutMilliseconds
        while true {
            let count = poll(&polled, nfds_t(polled.count), Int32(clamping: left))
            if count >= 0 {
                for index in items.indices { items[index].ready = Readiness(rawValue: polled[index].revents) }
                guard !polled.contains(where: { Int32($0.revents) & POLLNVAL != 0 }) else {
                    preconditionFailure("poll was given a descriptor that is not open")
                }
                return Int(count)
            }
            guard errno == EINTR else { throw Errno.last("poll") }
            if timeoutMilliseconds > 0 { left = max(0, Int(end - Clock.monotonicMilliseconds())) }
        }
    }

    /// Waits for one descriptor; returns its readiness, empty if the time is over.
    package static func wait(_ raw: Int32, _ interest: Readiness, timeoutMilliseconds: Int) throws(Errno) -> Readiness {
        var items = [Item(raw, interest)]
        _ = try wait(&items, timeoutMilliseconds: timeoutMilliseconds)
        return items[0].ready
    }
}
