package import Bytes
import Family
import Wire

/// The state of a room while a reader fetches missing changes from the log, or while the room waits for its first join.
final class MissingChanges {
    /// The log is read after this sequence; `nil` while the room does not know yet from where it follows the log.
    let after: Int64?
    /// The changes that committed in the meantime, in order; at most `Hub.portionOctets`.
    private(set) var waiting: [CommittedChange] = []
    private var octets = 0
    /// There was too much to keep: the log is read once more.
    private(set) var hasOverflowed = false

    init(after: Int64?) { self.after = after }

    func keep(_ change: CommittedChange) {
        octets += change.frame.count
        guard !hasOverflowed, octets <= Hub.portionOctets else {
            hasOverflowed = true
            waiting.removeAll()
            return
        }
        waiting.append(change)
    }
}

@available(*, unavailable)
extension MissingChanges: Sendable {}

/// From committed changes to the people in a room, who get each change once and in order.
///
/// The room follows its family's log from the head of its first join. The writer of this process reports
/// its commits in order, which is the fast path. A change that the room knows already is skipped; where changes are
/// missing, the log is read first, and changes that commit in the meantime wait. Changes that commit before the first
/// join wait, too.
extension Hub {
    func receive(_ change: CommittedChange, in room: Room) {
        if room.missing == nil, room.delivered == nil { room.missing = MissingChanges(after: nil) }
        if let missing = room.missing {
            missing.keep(change)
            // A removal does not wait. A member who has come back by a missing change joins again.
            for (member, role) in change.members where role == nil { rightsChanged(of: member, to: nil, in: room) }
            return
        }
        guard let delivered = room.delivered else { return }
        guard change.sequence > delivered else { return }
        guard change.sequence == delivered + 1 else { return readMissing(after: delivered, in: room, keeping: change) }
        if !change.members.isEmpty { room.rightsChangedAt = change.sequence }
        // Rights first: a member that this change removes does not receive it. Unlike a sign-out, a removal cannot take effect before its
        // commit: the ledger decides inside the transaction whether the author may remove a member. So mutations go before everything but
        // revocations.
        for (member, role) in change.members { rightsChanged(of: member, to: role, in: room) }
        noteChecksum(change.checksum, in: room)
        broadcast(change.sequence, change.frame, in: room) { session in
            if session.isReading { session.keepWaiting(change, limit: Hub.portionOctets) }
        }
        if room.unverified >= checksumPace.changes { sendChecksum(in: room) }
    }

    /// A join was read at a sequence. The first one determines from where the room follows the log: it knows the rights of that sequence, and its people
    /// read up to there themselves.
    func follow(from head: Int64, in room: Room) {
        guard room.delivered == nil else { return }
        room.delivered = head
        // A join that was read earlier may have other rights, and the change between is skipped as known: that join is read again.
        room.rightsChangedAt = head
        guard let early = room.missing else { return }
        room.missing = nil
        for change in early.waiting { receive(change, in: room) }
        if room.missing == nil, early.hasOverflowed { readMissing(after: head, in: room) }
    }

    /// - Parameter unread: what to do for a session that is not live.
    private func broadcast(_ sequence: Int64, _ frame: [UInt8], in room: Room, unread: (Session) -> Void = { _ in }) {
        room.delivered = sequence
        for session in room.sessions {
            // A session that read the log up to here has it already.
            guard sequence > session.cursor else { continue }
            guard session.phase == .live else {
                unread(session)
                continue
            }
            guard sequence == session.cursor + 1 else {
                // It comes back with its cursor and reads what it missed.
                end(session, .internalError, "a change is missing")
                continue
            }
            session.cursor = sequence
            emit(.send(session.id, frame))
        }
    }

    // MARK: Missing changes

    private func readMissing(after sequence: Int64, in room: Room, keeping change: CommittedChange? = nil) {
        let missing = MissingChanges(after: sequence)
        if let change { missing.keep(change) }
        room.missing = missing
        emit(.readMissing(family: room.family, after: sequence))
    }

    /// A reader's answer to `Effect.readMissing`.
    package func answeredMissing(_ family: Identifier, after sequence: Int64, _ answer: MissingAnswer) {
        // All sessions may have left in the meantime.
        guard let room = rooms[family], let missing = room.missing, missing.after == sequence else { return }
        room.missing = nil
        switch answer {
        case .changes(let found):
            tell(found, to: room)
            for change in missing.waiting { receive(change, in: room) }
            if room.missing == nil, missing.hasOverflowed || !found.reachedEnd { readMissing(after: max(room.delivered ?? sequence, sequence), in: room) }
            // The log does not hold them: reading it again would not help.
            if room.missing?.after == sequence { endAll(in: room, .internalError, "changes are missing") }
        case .trimmed:
            // They come back with their cursors, and the joins say that everything is sent from the beginning.
            endAll(in: room, .slowReader, "the log was trimmed in the meantime")
        case .failed: endAll(in: room, .internalError, "the database could not be read")
        }
    }

    private func endAll(in room: Room, _ code: CloseCode, _ reason: String) {
        room.missing = nil
        for session in room.sessions { end(session, code, reason) }
    }

    private func tell(_ found: MissedChanges, to room: Room) {
        guard let last = found.changes.last else { return }
        // The rights as they are now: a member that a later change removes receives none of these.
        if !found.rights.isEmpty { room.rightsChangedAt = last.sequence }
        for (member, role) in found.rights { rightsChanged(of: member, to: role, in: room) }
        for change in found.changes where change.sequence > room.delivered ?? 0 { broadcast(change.sequence, change.frame, in: room) }
        if let checksum = found.checksum { noteChecksum(checksum, in: room) }
    }
}
