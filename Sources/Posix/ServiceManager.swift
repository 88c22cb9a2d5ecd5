import Glibc

/// The communication with systemd: the sockets that it passes to a service, and the state that the service reports. It
/// needs no library, because the protocol is three environment variables and one datagram.
///
/// Source: sd_listen_fds(3), sd_notify(3).
package enum ServiceManager {
    /// One listening socket that was open before this process started.
    package struct ActivatedSocket: Equatable, Sendable {
        /// `FileDescriptorName=` of its socket unit; the unit's own name if none is set, "unknown" from older versions.
        package let name: String
        /// Owned by the caller that takes the list.
        package let raw: Int32

        package init(name: String, raw: Int32) {
            self.name = name
            self.raw = raw
        }
    }

    /// The first passed descriptor (SD_LISTEN_FDS_START).
    private static let firstDescriptor: Int32 = 3
    /// Larger than the number of sockets in any of our units.
    private static let maxSockets = 16

    /// The sockets passed to this process, non-blocking and closed on exec; empty if it was started in another way.
    /// Works once: it removes the variables from the environment, so that no child takes the sockets for its own. Call
    /// it before another thread exists.
    package static func takeSockets() -> [ActivatedSocket] {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
        guard Environment.value("LISTEN_PID").flatMap({ Int32($0) }) == getpid() else { return [] }
        guard let count = Environment.value("LISTEN_FDS").flatMap({ Int($0) }), count > 0 else { return [] }
        let names = (Environment.value("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<min(count, maxSockets)).compactMap { index in
            let raw = firstDescriptor + Int32(index)
            guard fcntl(raw, F_SETFD, FD_CLOEXEC) == 0, (try? Socket.setBlocking(raw, false)) != nil else { return nil }
            return ActivatedSocket(name: index < names.count ? String(names[index]) : "unknown", raw: raw)
        }
    }

    /// Milliseconds within which the manager expects a sign of life from this process again and again; `nil` if it expects
    /// none, or from another process.
    ///
    /// Source: sd_watchdog_enabled(3).
    package static var watchdogMilliseconds: Int64? {
        watchdogMilliseconds(time: Environment.value("WATCHDOG_USEC"), process: Environment.value("WATCHDOG_PID"))
    }

    static func watchdogMilliseconds(time: String?, process: String?) -> Int64? {
        guard let microseconds = time.flatMap({ Int64($0) }), microseconds > 0, process.map({ Int32($0) == getpid() }) ?? true else { return nil }
        return max(microseconds / 1_000, 1)
    }

    /// Whether a descriptor leads to the journal, which reads a priority (`<6>`) at the beginning of each line.
    ///
    /// Source: systemd.exec(5), $JOURNAL_STREAM; sd-daemon(3).
    package static func isJournal(_ raw: Int32) -> Bool { isJournal(raw, Environment.value("JOURNAL_STREAM")) }

    static func isJournal(_ raw: Int32, _ stream: String?) -> Bool {
        var found = stat()
        guard let stream, fstat(raw, &found) == 0 else { return false }
        return stream == "\(found.st_dev):\(found.st_ino)"
    }

    /// Reports the service's state to the manager, "READY=1"; has no effect without a manager.
    package static func notify(_ state: String) {
        guard let path = Environment.value("NOTIFY_SOCKET") else { return }
        notify(state, at: path)
    }

    /// - Parameter path: the path of a datagram socket; a path that begins with "@" is in the abstract namespace
    ///   (unix(7)).
    static func notify(_ state: String, at path: String) {
        let raw = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard raw >= 0 else { return }
        let descriptor = FileDescriptor(owning: raw)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var octets = Array(path.utf8)
        guard octets.first == UInt8(ascii: "/") || octets.first == UInt8(ascii: "@"), octets.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return }
        if octets[0] == UInt8(ascii: "@") { octets[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        // An abstract name ends only by its length.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + octets.count + (octets[0] == 0 ? 0 : 1))
        let text = Array(state.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            sendto(
                descriptor.raw, text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
                UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
        }
    }
}
