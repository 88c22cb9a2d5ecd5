package import Bytes
package import Family
import Wire

// Reminders. The writer has noted a reminder as fired before the hub is notified; here it is sent to the devices of its
// member that are in the room. A device that joins later gets it with its seat.
extension Hub {
    /// A reminder has fired for a member.
    package func remind(_ member: Identifier, of family: Identifier, _ reminder: Reminder) {
        guard let room = rooms[family] else { return }
        let frame = ServerFrame.reminder(reminder).encode()
        for session in room.sessions where session.member == member {
            // The seat on its way may have been read before the reminder fired, or after.
            if session.phase == .joining { session.pendingJoin?.reminders.append(reminder) } else if session.isSeated { emit(.send(session.id, frame)) }
        }
    }

    /// A member has seen a reminder on one of their devices.
    package func didSeeReminder(_ member: Identifier, of family: Identifier, _ key: Reminder.Key) {
        guard let room = rooms[family] else { return }
        let frame = ServerFrame.reminderSeen(key).encode()
        for session in room.sessions where session.member == member {
            if session.phase == .joining { session.pendingJoin?.seen.insert(key) } else if session.isSeated { emit(.send(session.id, frame)) }
        }
    }

    /// Sends the reminders that no device has seen to a session that was just seated.
    ///
    /// - Parameter pending: what happened while the seat was read.
    func sendReminders(_ seat: JoinResult, _ pending: PendingJoin?, to session: Session) {
        var sent: Set<Reminder.Key> = pending?.seen ?? []
        for reminder in seat.reminders + (pending?.reminders ?? []) where sent.insert(reminder.key).inserted {
            send(.reminder(reminder), to: session)
        }
    }

    func reminderSeen(_ session: Session, _ key: Reminder.Key) {
        guard let room = session.room, session.isSeated else { return sendError(unjoined(session), to: session) }
        guard admits(session, in: room, request: nil) else { return }
        // A program that reads for somebody has not shown them anything.
        guard session.scope == nil else { return sendError(.beyondScope, to: session) }
        emit(.seeReminder(family: room.family, member: session.member, key))
    }
}
