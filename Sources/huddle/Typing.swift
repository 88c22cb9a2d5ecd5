import Posix
import Sessions

/// What is typed and not sent: kept on this machine while one types, so that it stands there again however the program ended.
struct Typing {
    /// Milliseconds after a key until it is kept: no key waits for a disk, and whoever pulls the plug loses a word at most.
    static let delay: Int64 = 100
    /// Forms that are open at once: more than anybody is in the middle of.
    static let mostForms = 8
    /// Milliseconds until it is tried again where it could not be kept (a full disk): seldom enough to disturb nobody.
    static let again: Int64 = 5_000
    /// Lines that wait to be kept at most: as many as the history of the next run has.
    static let mostLines = 1_000
    /// Files of what could not be shown again that lie side by side at most: more than anybody reads.
    static let mostFiles = 999

    /// When it is to be kept, by the monotonic clock; `nil` when nothing was typed since.
    var due: Int64?
    /// What is kept, by the name of the buffer.
    var kept: [String: Cache.Place] = [:]
    var isRestored = false
    /// What an earlier run left and is not shown in this one: kept on.
    var unrestored: [Cache.Place] = []
    /// Lines that were sent and are not in the history of the next run yet.
    var lines: [String] = []

    mutating func note() { if due == nil { due = Clock.monotonicMilliseconds() + Self.delay } }

    /// Something was sent, which is not to be found again as typed: kept as soon as the frame is out.
    mutating func noteSent() { due = 0 }
}
