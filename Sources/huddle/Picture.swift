import Terminal
import Views

/// The content of the screen: the status, the lines above the buffer, and the places that can be clicked.
struct Picture {
    var facts = StatusFacts()
    var overlay: ScreenOverlay?
    /// The places on the screen that can be clicked.
    var drawn: Canvas?
    /// The canvas below an overlay; drawn again when anything but a key for the overlay has happened.
    var below: Canvas?
}
