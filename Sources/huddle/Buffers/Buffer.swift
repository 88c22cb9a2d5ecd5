import Terminal
import Views

/// A view on the screen, and the meaning of its actions for the session. To add a view, add a class like this, a case
/// of `BufferKey` and a line in `FullScreenClient.make`.
protocol Buffer: AnyObject {
    /// Lays out the current records and facts again; called only for the buffer on the screen.
    func refresh(_ host: any BufferHost)
    func draw(_ facts: StatusFacts, _ canvas: inout Canvas)
    func handle(_ input: InputEvent, _ host: any BufferHost) throws
    /// The person has chosen other colours or keys.
    func adopt(_ theme: Theme, _ keymap: Keymap)
    /// Another buffer replaces this one on the screen; `nil`: the program ends.
    func leave(_ host: any BufferHost, for next: BufferKey?)
}

extension Buffer {
    func leave(_ host: any BufferHost, for next: BufferKey?) {}
}
