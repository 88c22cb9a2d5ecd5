import Posix

/// A message on top of the screen for a few seconds.
struct ToastMessage {
    /// The duration of a message in milliseconds: long enough to read two lines and reach the key.
    static let time: Int64 = 6_000

    enum Purpose {
        case news
        /// The reason why a key does nothing; the next key removes it.
        case hint
        /// The member's own change, with the key that undoes it.
        case undoable
        /// An undo, with the key that redoes the change.
        case undone
    }

    private(set) var text = ""
    private(set) var purpose = Purpose.news
    /// Monotonic milliseconds; `nil` if there is no message.
    var end: Int64? { text.isEmpty ? nil : until }
    private var until: Int64 = 0

    /// - Parameter time: the duration in milliseconds.
    mutating func show(_ text: String, _ purpose: Purpose = .news, for time: Int64 = time) {
        (self.text, self.purpose) = (text, purpose)
        until = Clock.monotonicMilliseconds() + time
    }

    mutating func clear() { text = "" }
}
