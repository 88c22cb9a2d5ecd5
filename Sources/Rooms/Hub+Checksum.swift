import Family
import Wire

/// How often a room is sent a checksum, if anything changed.
package struct ChecksumPace: Sendable {
    /// Milliseconds from the first change after a `checksum` frame to the next such frame.
    package var interval: Int64
    /// Changes after which the frame comes earlier.
    package var changes: Int

    package init(interval: Int64 = 60_000, changes: Int = 1_000) {
        self.interval = interval
        self.changes = changes
    }
}

/// The checksum that the members of a room compare with their own.
extension Hub {
    /// A change was committed.
    func noteChecksum(_ checksum: StateChecksum, in room: Room) {
        if room.unverified == 0 { room.checksumDueAt = now + checksumPace.interval }
        room.checksum = checksum
        room.unverified += 1
    }

    /// To be called with each `tick`.
    func sendDueChecksums() {
        // While changes are missing, the checksum can be that of an earlier sequence than the last one delivered.
        for room in rooms.values where room.missing == nil && room.unverified > 0 && room.checksumDueAt <= now { sendChecksum(in: room) }
    }

    /// Sends the checksum behind the change it belongs to.
    ///
    /// Only a session that was sent exactly that change gets it. One that catches up gets its own with `live`; one that has read further in the log
    /// than the writer has reported is compared the next time.
    func sendChecksum(in room: Room) {
        guard let delivered = room.delivered else { return }
        room.unverified = 0
        let frame = ServerFrame.checksum(sequence: delivered, room.checksum).encode()
        for session in room.sessions where session.phase == .live && session.cursor == delivered { emit(.send(session.id, frame)) }
    }
}
