import Terminal
import Views

/// A view on the screen and what its actions mean to the session. A further view is one class like this, a case of `BufferKey` and a line in
/// `FullScreenClient.make`.
protocol Buffer: AnyObject {
    /// Lays out anew what records and facts have become; only for the buffer on the screen.
    func refresh(_ host: any BufferHost)
    func draw(_ facts: StatusFacts, _ canvas: inout Canvas)
    func handle(_ input: InputEvent, _ host: any BufferHost) throws
    /// The person has chosen other colours or keys.
    func adopt(_ theme: Theme, _ keymap: Keymap)
    /// Something else comes onto the screen; `nil`: the program ends.
    func leave(_ host: any BufferHost, for next: BufferKey?)
}

extension Buffer {
    func leave(_ host: any BufferHost, for next: BufferKey?) {}
}
