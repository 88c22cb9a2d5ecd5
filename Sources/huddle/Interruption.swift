import Posix

/// Ctrl-C, or SIGTERM, during a transfer: the transferred part is kept, and the program says how to resume.
final class Interruption {
    private let signals: SignalDescriptor
    private var hasCome = false
    private static let handled = [Signals.interrupt, Signals.terminate]

    init() throws(Errno) {
        Signals.block(Self.handled)
        signals = try SignalDescriptor(Self.handled)
    }

    // From now on the signals end the program as they did before.
    deinit { Signals.unblock(Self.handled) }

    /// Whether the signal has come.
    var isAsked: Bool {
        guard !hasCome else { return true }
        do throws(Errno) { hasCome = try signals.next() != nil } catch { hasCome = true }
        return hasCome
    }

    /// - Returns: false if the signal came in the meantime.
    func wait(_ milliseconds: Int64) -> Bool {
        var items = [Poll.Item(signals.raw, .readable)]
        _ = try? Poll.wait(&items, timeoutMilliseconds: Int(milliseconds))
        return !isAsked
    }
}

@available(*, unavailable) extension Interruption: Sendable {}
