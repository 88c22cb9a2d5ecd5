import Terminal
import Views

/// What is on the screen: how things stand, what stands above the buffer, and what can be clicked.
struct Picture {
    var facts = StatusFacts()
    var overlay: Overlay?
    /// What can be clicked on the screen.
    var drawn: Canvas?
    /// What stands below an overlay; drawn again when anything but a key for the overlay has happened.
    var below: Canvas?
}
