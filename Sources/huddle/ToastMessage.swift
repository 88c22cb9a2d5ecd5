import Posix

/// What is said on top of the screen for a few seconds.
struct ToastMessage {
    /// How long it stays, milliseconds: long enough to read two lines and reach the key.
    static let time: Int64 = 6_000

    enum Purpose {
        case news
        /// Why a key does nothing: gone with the next key.
        case hint
        /// What one did oneself, with the key that takes it back.
        case undoable
        /// An undo, with the key that does the change again.
        case undone
    }

    private(set) var text = ""
    private(set) var purpose = Purpose.news
    /// Monotonic milliseconds; `nil` while there is none.
    var end: Int64? { text.isEmpty ? nil : until }
    private var until: Int64 = 0

    /// - Parameter time: milliseconds that it stays.
    mutating func show(_ text: String, _ purpose: Purpose = .news, for time: Int64 = time) {
        (self.text, self.purpose) = (text, purpose)
        until = Clock.monotonicMilliseconds() + time
    }

    mutating func clear() { text = "" }
}
