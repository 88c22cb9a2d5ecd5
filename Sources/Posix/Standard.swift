import CLinux
import Glibc

/// The three standard descriptors, written without a buffer, so that a crash loses no output.
package enum Standard {
    package static let input: Int32 = 0
    package static let output: Int32 = 1
    package static let error: Int32 = 2

    /// Writes `text` to standard output; false if its reader has gone.
    @discardableResult
    package static func write(output text: String) -> Bool { write(output, text) }

    /// Writes `text` to standard error; false if its reader has gone.
    @discardableResult
    package static func write(error text: String) -> Bool { write(error, text) }

    /// Writes `octets` to standard output; false if its reader has gone.
    @discardableResult
    package static func write(output octets: [UInt8]) -> Bool { (try? Octets.writeAll(output, octets)) != nil }

    /// Writes `octets` to standard output, and reports other errors such as a full disk.
    ///
    /// - Returns: false if its reader has gone.
    /// - Throws: any other reason why the octets could not be written.
    package static func writeAll(output octets: [UInt8]) throws(Errno) -> Bool {
        do throws(Errno) {
            try Octets.writeAll(output, octets)
            return true
        } catch {
            guard error.code == EPIPE else { throw error }
            return false
        }
    }

    /// Opens /dev/null in place of those of the three that were closed when the program began, so that no socket or
    /// file gets their number and is written or read by mistake. Writing to them fails.
    package static func claim() {
        for raw in [input, output, error] where fcntl(raw, F_GETFD) == -1 { _ = open("/dev/null", raw == input ? O_WRONLY : O_RDONLY) }
    }

    /// Whether `raw` is a terminal, so that the program may prompt and show colours.
    package static func isTerminal(_ raw: Int32) -> Bool { isatty(raw) == 1 }

    private static func write(_ raw: Int32, _ text: String) -> Bool {
        (try? Octets.writeAll(raw, Array(text.utf8))) != nil
    }
}

/// The environment and the limits of this process.
package enum Environment {
    /// The value of an environment variable; `nil` if it is not set.
    package static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// All variables as "NAME=value", in no order.
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

    /// Raises the number of descriptors that this process may open to the machine's limit.
    ///
    /// - Returns: the new limit.
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

    /// Sets the number of descriptors that this process may open, at most the machine's limit; for tests of exhaustion.
    package static func limitOpenFiles(to count: Int) throws(Errno) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw Errno.last("getrlimit") }
        limit.rlim_cur = min(rlim_t(clamping: count), limit.rlim_max)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw Errno.last("setrlimit") }
    }

    /// The id of this process.
    package static var processID: Int32 { getpid() }
}
