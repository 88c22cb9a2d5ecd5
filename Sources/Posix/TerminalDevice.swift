import CLinux
import Glibc

/// The process's terminal as a device: taken over for typing key by key, measured, and given back whatever happens.
///
/// Source: POSIX.1-2017 §11 (General Terminal Interface); tty_ioctl(4).
package enum TerminalDevice {
    /// What the terminal was set to, and what is written to give it back. Set while no handler is installed, read by handlers.
    nonisolated(unsafe) private static var original = termios()
    nonisolated(unsafe) private static var farewell: UnsafeMutableBufferPointer<UInt8>?
    nonisolated(unsafe) private static var isTaken = false
    nonisolated(unsafe) private static var isGuarded = false

    /// Takes the terminal over: keys one by one, unechoed, Ctrl-C, Ctrl-Z, Ctrl-S and Ctrl-V as keys, line ends as they are.
    ///
    /// - Parameter farewell: what is written when the program ends in whichever way without having given the terminal back: exit(3), a
    ///   trap, a fatal signal. Written by a handler, so it is kept in memory of its own.
    /// - Returns: false when standard input is no terminal, or has gone.
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

    /// Gives it back as it was; the caller has written its farewell.
    package static func giveBack() {
        guard isTaken else { return }
        isTaken = false
        _ = tcsetattr(Standard.input, TCSADRAIN, &original)
    }

    /// Columns and rows of the terminal, as its window is now; `nil` when it does not say.
    package static func size() -> (columns: Int, rows: Int)? {
        var size = winsize()
        for raw in [Standard.output, Standard.input] where ioctl(raw, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0 {
            return (Int(size.ws_col), Int(size.ws_row))
        }
        return nil
    }

    /// Stops this process and the others of its job, as Ctrl-Z does in a shell, and returns when it goes on. SIGTSTP has to be blocked.
    package static func stopJob() {
        // Whoever started us and waits for us stops too, so that the shell gets its terminal back. Going on discards what is pending.
        Glibc.kill(0, SIGTSTP)
        Glibc.raise(SIGSTOP)
    }

    /// A trap or exit(3) must not leave a person with a terminal that does not echo.
    private static func guardOnce() {
        guard !isGuarded else { return }
        isGuarded = true
        atexit { TerminalDevice.giveBackInHandler() }
        // A stack that overflows leaves no room for the handler on it.
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

    /// write(2) and tcsetattr(3) may be called in a handler of a signal.
    private static func giveBackInHandler() {
        guard isTaken else { return }
        isTaken = false
        if let farewell, let start = farewell.baseAddress { _ = Glibc.write(Standard.output, start, farewell.count) }
        _ = tcsetattr(Standard.input, TCSANOW, &original)
    }
}
