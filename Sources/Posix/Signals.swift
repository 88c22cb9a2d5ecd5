import CLinux
import Glibc

/// Signals as readable descriptors, never as handlers that interrupt.
package enum Signals {
    package static let terminate = SIGTERM
    package static let interrupt = SIGINT
    package static let hangUp = SIGHUP
    package static let kill = SIGKILL
    package static let child = SIGCHLD
    package static let windowChanged = SIGWINCH
    package static let quit = SIGQUIT
    /// Ctrl-Z in a shell, and the signal to continue after it.
    package static let stop = SIGTSTP
    package static let goOn = SIGCONT

    /// Blocks `signals` for this thread and for the threads that it starts from now on. Call it before the first thread
    /// is started; otherwise another thread is killed by them.
    package static func block(_ signals: [Int32]) {
        var set = make(signals)
        let code = pthread_sigmask(SIG_BLOCK, &set, nil)
        precondition(code == 0, "signals can be blocked")
    }

    /// Unblocks `signals` for this thread; a pending one is delivered immediately.
    package static func unblock(_ signals: [Int32]) {
        var set = make(signals)
        let code = pthread_sigmask(SIG_UNBLOCK, &set, nil)
        precondition(code == 0, "signals can be unblocked")
    }

    /// Makes a write to a closed pipe or socket fail with EPIPE instead of killing the process (OpenSSL and standard
    /// output write without MSG_NOSIGNAL).
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    static func make(_ signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }
}

/// A descriptor that becomes readable when one of its blocked signals has arrived.
package struct SignalDescriptor: ~Copyable {
    private let descriptor: FileDescriptor

    /// The `signals` have to be blocked already in every thread (`Signals.block`).
    package init(_ signals: [Int32]) throws(Errno) {
        var set = Signals.make(signals)
        let raw = signalfd(-1, &set, Int32(SFD_NONBLOCK) | Int32(SFD_CLOEXEC))
        guard raw >= 0 else { throw Errno.last("signalfd") }
        descriptor = FileDescriptor(owning: raw)
    }

    /// The descriptor to wait for.
    package var raw: Int32 { descriptor.raw }

    /// The next signal that has arrived, or `nil` if there is none.
    package func next() throws(Errno) -> Int32? {
        var info = signalfd_siginfo()
        let result = try withUnsafeMutableBytes(of: &info) { (octets) throws(Errno) in try Octets.read(raw, into: octets) }
        guard case .done = result else { return nil }
        return Int32(bitPattern: info.ssi_signo)
    }
}
