import Glibc

/// Waiting for a few descriptors, poll(2). The server waits with epoll (see Reactor); this is for clients and tests.
package enum Poll {
    /// What a descriptor is waited for, and what it turned out to be ready for.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: Int16
        package init(rawValue: Int16) { self.rawValue = rawValue }
        package static let readable = Readiness(rawValue: Int16(POLLIN))
        package static let writable = Readiness(rawValue: Int16(POLLOUT))
        /// Only told, never asked for: the other side has closed.
        package static let hungUp = Readiness(rawValue: Int16(POLLHUP))
        /// Only told, never asked for: the next call says which error.
        package static let failed = Readiness(rawValue: Int16(POLLERR))
    }

    /// One descriptor to wait for.
    package struct Item: Sendable {
        package var raw: Int32
        package var interest: Readiness
        /// Filled by `wait`; empty when nothing happened.
        package var ready: Readiness = []

        package init(_ raw: Int32, _ interest: Readiness) {
            self.raw = raw
            self.interest = interest
        }
    }

    /// Waits until one of `items` is ready.
    ///
    /// - Parameter timeoutMilliseconds: negative waits for ever, 0 only looks.
    /// - Returns: how many are ready; 0 when the time is over.
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

    /// Waits for one descriptor; answers what it is ready for, empty when the time is over.
    package static func wait(_ raw: Int32, _ interest: Readiness, timeoutMilliseconds: Int) throws(Errno) -> Readiness {
        var items = [Item(raw, interest)]
        _ = try wait(&items, timeoutMilliseconds: timeoutMilliseconds)
        return items[0].ready
    }
}
