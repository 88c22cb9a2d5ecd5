import CLinux
import Glibc
package import Posix

/// A built program on a pseudo-terminal: keys in, visible screen out. It is killed when the last reference goes.
///
/// Source: pty(7), ioctl_tty(2).
package final class PseudoTerminal {
    /// The screen that the test examines.
    package private(set) var screen: VirtualTerminal
    /// All output of the program, unchanged; for failures and for pictures.
    package private(set) var written: [UInt8] = []
    /// The sizes of the window, each with the amount of output before it.
    package private(set) var sizes: [(offset: Int, columns: Int, rows: Int)]
    /// Output that is read, and not on `screen` yet: frames that the test has not examined.
    private var ahead: ArraySlice<UInt8> = []
    package let pid: Int32
    private let master: FileDescriptor
    /// The other end is also kept open here, so that its settings can be read when the program has ended.
    private let device: FileDescriptor
    private let ended: FileDescriptor
    private var ending: ChildProcess.Ending?

    /// How long a test waits for a condition, in milliseconds. It does not measure the program's speed, only when the
    /// test gives up: a machine during a build has paused for ten seconds.
    package static let patience = 30_000

    // Constants that Swift cannot import from <sys/ioctl.h> and <spawn.h>: TIOCSPTLCK, TIOCGPTN, POSIX_SPAWN_SETSID.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430
    private static let newSession: Int16 = 0x80

    /// A program of this package: products are next to the test bundle, which is this process.
    package static func product(_ name: String) -> String {
        let own = CommandLine.arguments.first { $0.hasSuffix(".xctest") || $0.contains(".xctest/") } ?? ""
        let folder = own.split(separator: "/").prefix { !$0.hasSuffix(".xctest") }.joined(separator: "/")
        return (own.hasPrefix("/") ? "/" : "") + folder + "/" + name
    }

    /// Starts a program as the leader of a session of its own, with the pseudo-terminal as its terminal.
    ///
    /// - Parameter environment: its variables besides HOME, PATH and TERM.
    package init(
        _ arguments: [String], columns: Int = 80, rows: Int = 24, term: String = "xterm-256color", environment: [String: String] = [:]
    ) throws(Errno) {
        let raw = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard raw >= 0 else { throw Errno.last("open") }
        master = FileDescriptor(owning: raw)
        var lock: Int32 = 0
        var number: UInt32 = 0
        guard ioctl(raw, Self.setLock, &lock) == 0, ioctl(raw, Self.getNumber, &number) == 0 else { throw Errno.last("ioctl") }
        let name = "/dev/pts/\(number)"
        let deviceRaw = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard deviceRaw >= 0 else { throw Errno.last("open") }
        device = FileDescriptor(owning: deviceRaw)
        screen = VirtualTerminal(columns: columns, rows: rows)
        sizes = [(0, columns, rows)]
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(raw, UInt(TIOCSWINSZ), &size) == 0 else { throw Errno.last("ioctl") }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens becomes its terminal.
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | Self.newSession)
        var variables = ["HOME": Environment.value("HOME") ?? "/", "PATH": Environment.value("PATH") ?? "/usr/bin:/bin", "TERM": term]
        variables.merge(environment) { _, new in new }
        var child: pid_t = 0
        let code = Self.withStrings(arguments) { argv in
            Self.withStrings(variables.map { "\($0.key)=\($0.value)" }) { posix_spawnp(&child, arguments[0], &actions, &attributes, argv, $0) }
        }
        guard code == 0 else { throw Errno(code, "posix_spawn") }
        pid = child
        let pidfd = linux_pidfd(child)
        guard pidfd >= 0 else { throw Errno.last("pidfd_open") }
        ended = FileDescriptor(owning: pidfd)
    }

    deinit {
        guard ending == nil else { return }
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    private static func withStrings<Result>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }

    /// Types octets as a keyboard sends them. Later checks examine only frames from then on.
    package func type(_ text: String) throws(Errno) { try type(octets: Array(text.utf8)) }

    /// Types octets that are not text.
    package func type(octets: [UInt8]) throws(Errno) {
        try catchUp()
        try Octets.writeAll(master.raw, octets)
    }

    /// Sends a signal to the program.
    package func signal(_ number: Int32) { if ending == nil { kill(pid, number) } }

    /// Takes the terminal away, as closing its window does: the program gets SIGHUP, and EIO from every call on it.
    /// Nothing is read or typed afterwards.
    package func vanish() throws(Errno) {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { throw Errno.last("open") }
        defer { close(nothing) }
        guard dup2(nothing, master.raw) >= 0 else { throw Errno.last("dup2") }
    }

    /// Changes the size of the window, as dragging its corner does.
    package func resize(columns: Int, rows: Int) throws(Errno) {
        try catchUp()
        screen.resize(columns: columns, rows: rows)
        sizes.append((written.count, columns, rows))
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(master.raw, UInt(TIOCSWINSZ), &size) == 0 else { throw Errno.last("ioctl") }
    }

    /// Examines one frame after the other until the screen meets the test's condition. It skips no frame, however long
    /// the test was delayed: it sees a line that is shown for six seconds even if the machine paused for ten.
    ///
    /// - Returns: false if the condition was not met in time; the test then shows `screen.text`.
    package func wait(milliseconds: Int = PseudoTerminal.patience, until isThere: (VirtualTerminal) -> Bool) throws(Errno) -> Bool {
        let end = Clock.monotonicMilliseconds() + Int64(milliseconds)
        var isLate = false
        while !isThere(screen) {
            if try showFrame() { continue }
            guard !isLate else { return false }
            // Output that came while the test was delayed counts as in time.
            let left = end - Clock.monotonicMilliseconds()
            isLate = left <= 0
            try read(waiting: Int(max(left, 0)))
        }
        return true
    }

    /// Reads until the screen contains this text.
    package func wait(for text: String, milliseconds: Int = PseudoTerminal.patience) throws(Errno) -> Bool {
        try wait(milliseconds: milliseconds) { $0.text.contains(text) }
    }

    /// Waits for the program's end and reads all of its output.
    package func waitForEnd(milliseconds: Int = PseudoTerminal.patience) throws(Errno) -> ChildProcess.Ending? {
        if let ending { return ending }
        let end = Clock.monotonicMilliseconds() + Int64(milliseconds)
        while true {
            var items = [Poll.Item(ended.raw, .readable), Poll.Item(master.raw, .readable)]
            let left = end - Clock.monotonicMilliseconds()
            guard left > 0 else { return nil }
            _ = try Poll.wait(&items, timeoutMilliseconds: Int(left))
            try catchUp()
            guard items[0].ready != [] else { continue }
            var status: Int32 = 0
            guard waitpid(pid, &status, 0) == pid else { throw Errno.last("waitpid") }
            try catchUp()
            let found: ChildProcess.Ending = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
            ending = found
            return found
        }
    }

    /// Waits until a signal stops the program; false if that is not in time.
    package func waitForStop(milliseconds: Int = PseudoTerminal.patience) throws(Errno) -> Bool {
        let end = Clock.monotonicMilliseconds() + Int64(milliseconds)
        while Clock.monotonicMilliseconds() < end {
            var status: Int32 = 0
            let answer = waitpid(pid, &status, WUNTRACED | WNOHANG)
            if answer == pid {
                // Its last output may still be on its way.
                try catchUp(waiting: 50)
                return status & 0xFF == 0x7F
            }
            try catchUp(waiting: 10)
        }
        return false
    }

    /// Whether the terminal has a shell's settings: echo, and lines instead of keys.
    package var isCooked: Bool {
        var settings = termios()
        guard tcgetattr(device.raw, &settings) == 0 else { return false }
        let wanted = tcflag_t(ECHO | ICANON | ISIG)
        return settings.c_lflag & wanted == wanted && settings.c_oflag & tcflag_t(OPOST) != 0 && settings.c_iflag & tcflag_t(ICRNL) != 0
    }

    /// The number of times that the program was woken, and its processor time in ticks; to verify that it is idle.
    package func activity() throws(Errno) -> (wakeUps: Int, ticks: Int) {
        let status = String(decoding: try Files.read("/proc/\(pid)/status"), as: UTF8.self)
        let wakeUps = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }?.split(separator: "\t").last.flatMap { Int($0) } ?? -1
        let stat = String(decoding: try Files.read("/proc/\(pid)/stat"), as: UTF8.self)
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        return (wakeUps, fields.count > 13 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : -1)
    }

    /// The beginning of a frame: the cursor is hidden while it is drawn (`FrameEncoder`).
    package static let frameStart = Array("\u{1B}[?25l".utf8)

    /// Puts the next read frame onto the screen.
    ///
    /// - Returns: false if there is none.
    private func showFrame() throws(Errno) -> Bool {
        guard !ahead.isEmpty else { return false }
        let next = ahead.dropFirst().firstRange(of: Self.frameStart)?.lowerBound ?? ahead.endIndex
        screen.feed(Array(ahead[..<next]))
        ahead = ahead[next...]
        if !screen.answers.isEmpty {
            let answers = screen.answers
            screen.answers = []
            try Octets.writeAll(master.raw, answers)
        }
        return true
    }

    /// Puts all output so far onto the screen.
    private func catchUp(waiting milliseconds: Int = 0) throws(Errno) {
        try read(waiting: milliseconds)
        while try showFrame() {}
    }

    private func read(waiting milliseconds: Int) throws(Errno) {
        var left = milliseconds
        while try Poll.wait(master.raw, .readable, timeoutMilliseconds: left).contains(.readable) {
            left = 0
            var got: [UInt8] = []
            // EIO: the program has closed its end.
            try? withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer throws(Errno) in
                if case .done(let count) = try Octets.read(master.raw, into: buffer) { got = Array(buffer[..<count]) }
            }
            guard !got.isEmpty else { return }
            written += got
            ahead += got
        }
    }
}

@available(*, unavailable) extension PseudoTerminal: Sendable {}
