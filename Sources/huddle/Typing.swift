import Posix
import Sessions

/// Typed text that is not sent: kept on this machine while the person types, so that it is restored however the program
/// ended.
struct Typing {
    /// Milliseconds from a key until the text is kept: no key waits for a disk, and a power failure costs at most a
    /// word.
    static let delay: Int64 = 100
    /// The largest number of open forms that are kept.
    static let mostForms = 8
    /// Milliseconds until the next attempt if the text could not be kept (a full disk).
    static let again: Int64 = 5_000
    /// The largest number of lines that wait to be kept: as many as the history of the next run has.
    static let mostLines = 1_000
    /// The largest number of files with texts that could not be restored.
    static let mostFiles = 999

    /// The monotonic time at which the text is to be kept; `nil` if nothing was typed since.
    var due: Int64?
    /// The kept texts, by the name of the buffer.
    var kept: [String: Cache.Place] = [:]
    var isRestored = false
    /// Texts of an earlier run that this one does not show; they are still kept.
    var unrestored: [Cache.Place] = []
    /// Sent lines that are not in the history of the next run yet.
    var lines: [String] = []

    mutating func note() { if due == nil { due = Clock.monotonicMilliseconds() + Self.delay } }

    /// Keeps the new state as soon as the frame is sent, so that a sent text is not restored.
    mutating func noteSent() { due = 0 }
}
