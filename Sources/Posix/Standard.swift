import CLinux
import Glibc

/// The three descriptors that every program starts with, written without a buffer, so that a crash swallows nothing.
package enum Standard {
    package static let input: Int32 = 0
    package static let output: Int32 = 1
    package static let error: Int32 = 2

    /// Writes `text` to standard output; false when nobody reads it any more.
    @discardableResult
    package static func write(output text: String) -> Bool { write(output, text) }

    /// Writes `text` to standard error; false when nobody reads it any more.
    @discardableResult
    package static func write(error text: String) -> Bool { write(error, text) }

    /// Writes `octets` to standard output; false when nobody reads it any more.
    @discardableResult
    package static func write(output octets: [UInt8]) -> Bool { (try? Octets.writeAll(output, octets)) != nil }

    /// The same, where a disk may be full.
    ///
    /// - Returns: false when nobody reads it any more.
    /// - Throws: why it could not be written otherwise.
    package static func writeAll(output octets: [UInt8]) throws(Errno) -> Bool {
        do throws(Errno) {
            try Octets.writeAll(output, octets)
            return true
        } catch {
            guard error.code == EPIPE else { throw error }
            return false
        }
    }

    /// Puts something under those of the three that were closed when the program began, so that no socket or file gets their number and is
    /// written to or read from in their place. Writing to them fails.
    package static func claim() {
        for raw in [input, output, error] where fcntl(raw, F_GETFD) == -1 { _ = open("/dev/null", raw == input ? O_WRONLY : O_RDONLY) }
    }

    /// Whether `raw` is a terminal, so that a person may be asked or shown colours.
    package static func isTerminal(_ raw: Int32) -> Bool { isatty(raw) == 1 }

    private static func write(_ raw: Int32, _ text: String) -> Bool {
        (try? Octets.writeAll(raw, Array(text.utf8))) != nil
    }
}

/// What the process was given and may use.
package enum Environment {
    /// The value of an environment variable; `nil` when it is not set.
    package static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// All of it, "NAME=value" each, in no order.
    package static var all: [String] {
        var found: [String] = []
        var next = linux_environment()
        while let entry = next?.pointee {
            found.append(String(cString: entry))
            next = next?.successor()
        }
        return found
    }

    /// This process's id.
    package static var processNumber: Int32 { getpid() }

    /// Raises the number of descriptors this process may have open to what the machine allows.
    ///
    /// - Returns: how many that are now.
    @discardableResult
    package static func raiseOpenFiles() throws(Errno) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw Errno.last("getrlimit") }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw Errno.last("setrlimit") }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Sets how many descriptors this process may have open, at most the machine's limit; for tests of running out.
    package static func limitOpenFiles(to count: Int) throws(Errno) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw Errno.last("getrlimit") }
        limit.rlim_cur = min(rlim_t(clamping: count), limit.rlim_max)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw Errno.last("setrlimit") }
    }

    /// The id of this process.
    package static var processID: Int32 { getpid() }
}
