import CLinux
import Glibc

/// The process's terminal as a device: it is switched to key-by-key input, measured, and restored in every case.
///
/// Source: POSIX.1-2017 §11 (General Terminal Interface); tty_ioctl(4).
package enum TerminalDevice {
    /// The original settings of the terminal, and the octets that restore it. Written while no handler is installed,
    /// read by handlers.
    nonisolated(unsafe) private static var original = termios()
    nonisolated(unsafe) private static var farewell: UnsafeMutableBufferPointer<UInt8>?
    nonisolated(unsafe) private static var isTaken = false
    nonisolated(unsafe) private static var isGuarded = false

    /// Takes over the terminal: single keys without echo, Ctrl-C, Ctrl-Z, Ctrl-S and Ctrl-V as keys, line ends
    /// unchanged.
    ///
    /// - Parameter farewell: the octets to write if the program ends in any way without having restored the terminal:
    ///   exit(3), a trap, a fatal signal. A handler writes them, so they are kept in memory of their own.
    /// - Returns: false if standard input is not a terminal, or has gone.
    package static func take(farewell octets: [UInt8]) -> Bool {
        if !isTaken {
            guard tcgetattr(Standard.input, &original) == 0 else { return false }
        }
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: octets.count)
        _ = copy.initialize(from: octets)
        let before = farewell
        farewell = copy
        before?.deallocate()
        guardOnce()
        var raw = original
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP | BRKINT)
        raw.c_oflag &= ~tcflag_t(OPOST)
        isTaken = tcsetattr(Standard.input, TCSADRAIN, &raw) == 0
        return isTaken
    }

    /// Restores the terminal; the caller has written its farewell.
    package static func giveBack() {
        guard isTaken else { return }
        isTaken = false
        _ = tcsetattr(Standard.input, TCSADRAIN, &original)
    }

    /// Reads one line without showing it; Ctrl-C and Ctrl-D give up.
    ///
    /// - Parameter limit: octets; a longer line is cut.
    /// - Returns: the line without its end; `nil` if the person gives up, or standard input is not a terminal.
    package static func readHidden(limit: Int) -> [UInt8]? {
        guard take(farewell: Array("\n".utf8)) else { return nil }
        defer { giveBack() }
        var line: [UInt8] = []
        while true {
            var octet: UInt8 = 0
            let count = Glibc.read(Standard.input, &octet, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            switch octet {
            case 0x0A, 0x0D: return line
            case 0x03, 0x04: return nil
            // One character back: its last octet and those before it that continue it.
            case 0x08, 0x7F:
                while let last = line.popLast(), last & 0xC0 == 0x80 {}
            case 0x15: line = []
            default: if line.count < limit { line.append(octet) }
            }
        }
    }

    /// The size of one cell in pixels; `nil` if the terminal does not report it.
    package static func cellSize() -> (width: Int, height: Int)? {
        var size = winsize()
        for raw in [Standard.output, Standard.input] where ioctl(raw, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0 {
            let cell = (width: Int(size.ws_xpixel / size.ws_col), height: Int(size.ws_ypixel / size.ws_row))
            return cell.width > 0 && cell.height > 0 ? cell : nil
        }
        return nil
    }

    /// The current columns and rows of the terminal's window; `nil` if it does not report them.
    package static func size() -> (columns: Int, rows: Int)? {
        var size = winsize()
        for raw in [Standard.output, Standard.input] where ioctl(raw, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0 {
            return (Int(size.ws_col), Int(size.ws_row))
        }
        return nil
    }

    /// Stops this process and the others of its job, as Ctrl-Z does in a shell, and returns when it continues. SIGTSTP
    /// has to be blocked.
    package static func stopJob() {
        // A parent that waits for this process stops too, so that the shell gets its terminal back. Continuing discards
        // pending stop signals.
        Glibc.kill(0, SIGTSTP)
        Glibc.raise(SIGSTOP)
    }

    /// Ensures that a trap or exit(3) does not leave the user with a terminal that does not echo.
    private static func guardOnce() {
        guard !isGuarded else { return }
        isGuarded = true
        atexit { TerminalDevice.giveBackInHandler() }
        // An overflowing stack has no room for the handler.
        var stack = stack_t()
        let size = 65_536
        stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        stack.ss_size = size
        sigaltstack(&stack, nil)
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGSYS, SIGXCPU, SIGXFSZ] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in TerminalDevice.afterTrap(number) }
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | Int32(SA_NODEFER) | Int32(SA_ONSTACK)
            sigaction(number, &action, nil)
        }
    }

    private static func afterTrap(_ number: Int32) {
        giveBackInHandler()
        raise(number)
    }

    /// A signal handler may call write(2) and tcsetattr(3).
    private static func giveBackInHandler() {
        guard isTaken else { return }
        isTaken = false
        if let farewell, let start = farewell.baseAddress { _ = Glibc.write(Standard.output, start, farewell.count) }
        _ = tcsetattr(Standard.input, TCSANOW, &original)
    }
}
