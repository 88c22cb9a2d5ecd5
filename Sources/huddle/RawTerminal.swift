import Glibc
import Posix

/// The terminal, taken over for typing key by key; given back whatever happens.
///
/// Source: POSIX.1-2017 §11 (General Terminal Interface); bracketed paste: xterm's mode 2004.
enum RawTerminal {
    /// What the terminal was set to before. Written by the main thread only, before the handlers that read it are installed.
    nonisolated(unsafe) private static var original: termios?
    private static let pasteOn = "\u{1B}[?2004h"
    private static let pasteOff = "\u{1B}[?2004l"

    /// Takes the terminal over; false when it is none.
    static func take() -> Bool {
        var current = termios()
        guard tcgetattr(Standard.input, &current) == 0 else { return false }
        if original == nil {
            original = current
            giveBackOnTraps()
        }
        var raw = current
        // Keys one by one, unechoed, Ctrl-C and Ctrl-Z as keys; what is written still has its line ends translated.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | ISTRIP)
        guard tcsetattr(Standard.input, TCSADRAIN, &raw) == 0 else { return false }
        Standard.write(output: pasteOn)
        return true
    }

    /// Gives it back as it was.
    static func giveBack() {
        guard var before = original else { return }
        Standard.write(output: pasteOff)
        _ = tcsetattr(Standard.input, TCSADRAIN, &before)
    }

    static var columns: Int {
        var size = winsize()
        guard ioctl(Standard.output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Stops the process as Ctrl-Z does in a shell, and returns when it goes on.
    static func stopProcess() {
        kill(getpid(), SIGSTOP)
    }

    /// A trap must not leave a person with a terminal that does not echo. tcsetattr(3) may be called in a handler.
    private static func giveBackOnTraps() {
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in RawTerminal.afterTrap(number) }
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | Int32(SA_NODEFER)
            sigaction(number, &action, nil)
        }
    }

    private static func afterTrap(_ number: Int32) {
        if var before = original { _ = tcsetattr(Standard.input, TCSANOW, &before) }
        raise(number)
    }
}
