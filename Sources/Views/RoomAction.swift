/// What the room asks of whoever has the session.
package enum RoomAction: Hashable, Sendable {
    /// A line that was typed: a command or something to say. `about`: what it comments on.
    case submit(String, about: RoomTarget?)
    /// Fetch what happened before this sequence.
    case fetch(before: Int64)
    case undo(sequence: Int64)
    /// Put this message of one's own into the line, to be written anew.
    case rewrite(RoomTarget)
    case open(RoomTarget)
    case editOutside(String)
    /// What has been on the screen is read.
    case read
    case interrupt
    case shared(SharedAction)
}
