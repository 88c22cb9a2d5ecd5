/// The actions that the room requests from the holder of the session.
package enum RoomAction: Hashable, Sendable {
    /// Submit a typed line: a command or a message. `about`: the record that it comments on.
    case submit(String, about: RoomTarget?)
    /// Fetch the timeline before this sequence.
    case fetch(before: Int64)
    case undo(sequence: Int64)
    /// Put a message of the user into the input line, to be rewritten.
    case rewrite(RoomTarget)
    case open(RoomTarget)
    case editOutside(String)
    /// Mark the items that were on the screen as read.
    case read
    case interrupt
    case shared(SharedAction)
}
