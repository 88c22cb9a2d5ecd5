import Posix

/// Ctrl-C, or SIGTERM, while a file is on its way: what was done so far is kept, and it is said how to go on.
final class Interruption {
    private let signals: SignalDescriptor
    private var hasCome = false
    private static let handled = [Signals.interrupt, Signals.terminate]

    init() throws(Errno) {
        Signals.block(Self.handled)
        signals = try SignalDescriptor(Self.handled)
    }

    // Afterwards they end the program as they did before.
    deinit { Signals.unblock(Self.handled) }

    /// Whether it came.
    var isAsked: Bool {
        guard !hasCome else { return true }
        do throws(Errno) { hasCome = try signals.next() != nil } catch { hasCome = true }
        return hasCome
    }

    /// - Returns: false when it came meanwhile.
    func wait(_ milliseconds: Int64) -> Bool {
        var items = [Poll.Item(signals.raw, .readable)]
        _ = try? Poll.wait(&items, timeoutMilliseconds: Int(milliseconds))
        return !isAsked
    }
}

@available(*, unavailable) extension Interruption: Sendable {}
