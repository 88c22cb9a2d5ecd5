import CLinux
import Glibc

/// Another program, started by this one with pipes to its standard streams. If nothing has waited for it, it is killed
/// when the last reference goes, so that a failing test leaves nothing behind.
package final class ChildProcess {
    /// The end of a program.
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// The target of a standard stream of the child.
    package enum Stream: Sendable {
        /// /dev/null.
        case nothing
        /// The same target as in this process.
        case inherited
        /// A pipe to this process.
        case piped
    }

    /// The child's process id; valid until `wait` has returned its end.
    package let pid: Int32
    private let ended: FileDescriptor
    /// The descriptor to wait for: readable when the child has ended.
    package var endedRaw: Int32 { ended.raw }
    private var ending: Ending?
    private var input: FileDescriptor?
    private var output: LineReader?
    private var errors: LineReader?

    private init(pid: Int32, ended: consuming FileDescriptor, input: consuming FileDescriptor?, output: LineReader?, errors: LineReader?) {
        self.pid = pid
        self.ended = ended
        self.input = input
        self.output = output
        self.errors = errors
    }

    deinit {
        if ending == nil {
            Glibc.kill(pid, SIGKILL)
            _ = try? reap()
        }
    }

    /// Starts a program with no signal blocked and SIGPIPE as usual, whatever this process has done to its own.
    ///
    /// - Parameters:
    ///   - arguments: the program's path (or a name to look up in PATH) and its arguments.
    ///   - environment: `nil` passes on this process's environment; otherwise strings "NAME=value".
    /// - Throws: `.noEntry` if there is no such program.
    package static func start(
        _ arguments: [String], environment: [String]? = nil, input: Stream = .nothing, output: Stream = .piped, errors: Stream = .inherited
    ) throws(Errno) -> ChildProcess {
        precondition(!arguments.isEmpty, "a program has a name")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = Signals.make([])
        var usual = Signals.make([SIGPIPE])
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

        var inputPipe = try connect(input, Standard.input, O_RDONLY, &actions)
        var outputPipe = try connect(output, Standard.output, O_WRONLY, &actions)
        var errorPipe = try connect(errors, Standard.error, O_WRONLY, &actions)

        var pid: pid_t = 0
        let code = withStrings(arguments) { argv in
            guard let environment else { return posix_spawnp(&pid, arguments[0], &actions, &attributes, argv, linux_environment()) }
            return withStrings(environment) { posix_spawnp(&pid, arguments[0], &actions, &attributes, argv, $0) }
        }
        guard code == 0 else { throw Errno(code, "posix_spawn") }
        let ended = linux_pidfd(pid)
        guard ended >= 0 else { throw Errno.last("pidfd_open") }
        return ChildProcess(
            pid: pid, ended: FileDescriptor(owning: ended), input: inputPipe?.writing.take(),
            output: LineReader(outputPipe?.reading.take()), errors: LineReader(errorPipe?.reading.take()))
    }

    /// Runs a program to its end and returns all of its output (at most 64 MiB of each stream).
    ///
    /// - Throws: `.timedOut` if it has not ended in time; it is then killed.
    package static func run(
        _ arguments: [String], environment: [String]? = nil, input: [UInt8] = [], timeoutMilliseconds: Int = 30_000
    ) throws(Errno) -> (ending: Ending, output: [UInt8], errors: [UInt8]) {
        let child = try start(arguments, environment: environment, input: .piped, output: .piped, errors: .piped)
        let end = Clock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
        try child.exchange(input, until: end)
        guard let ending = try child.wait(timeoutMilliseconds: max(0, Int(end - Clock.monotonicMilliseconds()))) else {
            throw Errno(ETIMEDOUT, "waitpid")
        }
        return (ending, child.output?.rest() ?? [], child.errors?.rest() ?? [])
    }

    /// The next line of its standard output, without the newline; `nil` at the end of it.
    ///
    /// - Throws: `.timedOut` if no whole line came in time (a partial line is kept for the next call).
    package func readLine(timeoutMilliseconds: Int = 10_000) throws(Errno) -> String? {
        try output?.line(timeoutMilliseconds)
    }

    /// The next line of its standard error; see `readLine`.
    package func readErrorLine(timeoutMilliseconds: Int = 10_000) throws(Errno) -> String? {
        try errors?.line(timeoutMilliseconds)
    }

    /// The descriptor to wait for; `nil` if the output has ended or is not a pipe.
    var outputRaw: Int32? { output.flatMap { $0.isAtEnd ? nil : $0.raw } }

    /// The output since the last call; waits if there is none.
    func takeOutput() throws(Errno) -> [UInt8] {
        try output?.fill()
        return output?.rest() ?? []
    }

    /// Writes to its standard input.
    package func write(_ text: String) throws(Errno) {
        guard let raw = inputNumber else { throw Errno(EPIPE, "write") }
        try Octets.writeAll(raw, Array(text.utf8))
    }

    /// Closes its standard input.
    package func closeInput() { input = nil }

    /// Sends it a signal; has no effect once it has been waited for.
    package func kill(_ signal: Int32 = Signals.kill) {
        if ending == nil { Glibc.kill(pid, signal) }
    }

    /// Waits for its end.
    ///
    /// - Parameter timeoutMilliseconds: a negative value waits without limit.
    /// - Returns: `nil` if it still runs after that time.
    package func wait(timeoutMilliseconds: Int = -1) throws(Errno) -> Ending? {
        if let ending { return ending }
        guard try Poll.wait(ended.raw, .readable, timeoutMilliseconds: timeoutMilliseconds) != [] else { return nil }
        return try reap()
    }

    private func reap() throws(Errno) -> Ending {
        var status: Int32 = 0
        guard retrying({ waitpid(pid, &status, 0) }) == pid else { throw Errno.last("waitpid") }
        // wait(2): the low seven bits are the signal, the next octet is the exit code.
        let signal = status & 0x7F
        let found: Ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
        ending = found
        return found
    }

    private var inputNumber: Int32? {
        switch input {
        case .some(let open): open.raw
        case .none: nil
        }
    }

    /// Feeds the input while it reads both outputs, so that no full pipe can block either side.
    private func exchange(_ octets: [UInt8], until end: Int64) throws(Errno) {
        Signals.ignoreBrokenPipes()
        if let raw = inputNumber { try Socket.setBlocking(raw, false) }
        var written = 0
        while true {
            if written == octets.count { closeInput() }
            var items: [Poll.Item] = []
            if let raw = inputNumber { items.append(Poll.Item(raw, .writable)) }
            if let output, !output.isAtEnd { items.append(Poll.Item(output.raw, .readable)) }
            if let errors, !errors.isAtEnd { items.append(Poll.Item(errors.raw, .readable)) }
            if items.isEmpty { return }
            let left = Int(end - Clock.monotonicMilliseconds())
            guard left > 0, try Poll.wait(&items, timeoutMilliseconds: left) > 0 else { throw Errno(ETIMEDOUT, "poll") }
            for item in items where item.ready != [] {
                if item.raw == output?.raw { try output?.fill() } else if item.raw == errors?.raw { try errors?.fill() } else {
                    do throws(Errno) {
                        let result = try octets.span.bytes.withUnsafeBytes { (all) throws(Errno) in
                            try Octets.write(item.raw, UnsafeRawBufferPointer(rebasing: all[written...]))
                        }
                        if case .done(let count) = result { written += count }
                    } catch {
                        // The program has closed its input, which it may: its output still counts.
                        guard error.isPeerGone else { throw error }
                        closeInput()
                        written = octets.count
                    }
                }
            }
        }
    }

    private static func connect(
        _ stream: Stream, _ number: Int32, _ flags: Int32, _ actions: inout posix_spawn_file_actions_t
    ) throws(Errno) -> Pipe? {
        switch stream {
        case .inherited: return nil
        case .nothing:
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", flags, 0)
            return nil
        case .piped:
            let pipe = try Pipe()
            posix_spawn_file_actions_adddup2(&actions, number == Standard.input ? pipe.readingNumber : pipe.writingNumber, number)
            return pipe
        }
    }

    static func withStrings<R>(_ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R) -> R {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
    }
}

@available(*, unavailable) extension ChildProcess: Sendable {}
