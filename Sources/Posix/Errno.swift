import CLinux
import Glibc

/// An error of the operating system: the C code, and the call that failed. Never a path or an address.
///
/// Two errors are equal if their codes are equal. Negative codes are those of getaddrinfo(3), which has its own list.
package struct Errno: Error, Hashable, Sendable {
    package let code: Int32
    /// The function that failed, for the log.
    package let call: StaticString

    package init(_ code: Int32, _ call: StaticString = "") {
        self.code = code
        self.call = call
    }

    package static func == (left: Errno, right: Errno) -> Bool { left.code == right.code }
    package func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The symbol of the code, as in "ENOENT".
    package var name: String {
        if code < 0 { return "EAI \(code)" }
        return linux_error_name(code).map { String(cString: $0) } ?? "E\(code)"
    }

    /// The C library's text for the code, in English.
    package var text: String {
        if code < 0 { return gai_strerror(code).map { String(cString: $0) } ?? "the name cannot be resolved" }
        return linux_error_text(code).map { String(cString: $0) } ?? "unknown error"
    }

    /// The peer has gone, which ends a connection but is not a fault.
    package var isPeerGone: Bool {
        code == ECONNRESET || code == EPIPE || code == ETIMEDOUT || code == ENOTCONN || code == ECONNABORTED
            || code == EHOSTUNREACH || code == ENETUNREACH
    }

    /// There are no descriptors or no memory left to accept with; this passes when others close.
    package var isExhausted: Bool { code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM }

    package static var noEntry: Errno { Errno(ENOENT) }
    package static var exists: Errno { Errno(EEXIST) }
    package static var notPermitted: Errno { Errno(EACCES) }
    package static var addressInUse: Errno { Errno(EADDRINUSE) }
    package static var connectionRefused: Errno { Errno(ECONNREFUSED) }
    package static var timedOut: Errno { Errno(ETIMEDOUT) }
    package static var noSpace: Errno { Errno(ENOSPC) }
    package static var tooBig: Errno { Errno(EFBIG) }
    package static var invalid: Errno { Errno(EINVAL) }
    package static var nameTooLong: Errno { Errno(ENAMETOOLONG) }
    /// Another process holds the requested lock.
    package static var locked: Errno { Errno(EWOULDBLOCK) }
}

extension Errno: CustomStringConvertible {
    /// "open: ENOENT (No such file or directory)".
    package var description: String { "\(call): \(name) (\(text))" }
}

extension Errno {
    /// The error of the call that has just failed. Call it before anything that may allocate, because an allocation may
    /// overwrite the code.
    ///
    /// A bad descriptor or pointer is a bug of ours that may already have damaged another file: it ends the process.
    @inline(__always)
    package static func last(_ call: StaticString) -> Errno {
        let code = errno
        if code == EBADF || code == EFAULT { trap(code, call) }
        return Errno(code, call)
    }

    @inline(never)
    private static func trap(_ code: Int32, _ call: StaticString) -> Never {
        preconditionFailure("\(call) was given a descriptor that is not open or memory that is not ours (\(code))")
    }
}

/// Repeats `body` for as long as a signal interrupts it.
@inline(__always)
func retrying<Count: SignedInteger>(_ body: () -> Count) -> Count {
    while true {
        let result = body()
        if result != -1 || errno != EINTR { return result }
    }
}
