import Bytes
import Family
import Wire

/// From a signed-in person to a live session of a room: join, snapshot or log, live.
extension Hub {
    /// Octets of missed changes that are sent before the outbox must have been empty once.
    static let portionOctets = 262_144
    /// Requested pages of one session that are not answered yet.
    static let maxPendingPages = 4
    /// Milliseconds after which a client that did not wait for `joined` may try again.
    static let joinTime: Int64 = 100

    func join(_ session: Session, _ join: Join, _ request: Int64?) {
        switch session.phase {
        case .signedIn: break
        case .anonymous, .signingIn, .ending:
            sendError(Rejection(.notSignedIn, "Sign in first."), to: session, request: request)
            return
        default:
            sendError(Rejection(.alreadyJoined, "One connection joins one family. Open another connection for another family."), to: session, request: request)
            return
        }
        // The list is from the sign-in; who joined a family since then signs in again. Nobody else learns that a family exists.
        guard let membership = session.memberships.first(where: { $0.family == join.family }) else {
            sendError(
                Rejection(.notFound, "There is no family with this id, or you are not a member of it. Check the id."), to: session, request: request)
            return
        }
        // A join is charged when it is done, and a snapshot is the largest answer: no family in debt begins one.
        if let wait = accounts.debt(of: WorkOwner(family: membership.family, member: membership.member), now: now) {
            sendError(
                Rejection(.busy, "Your family has used its share of the server's time. Try again in a moment.", retryAfter: wait), to: session,
                request: request)
            return
        }
        session.phase = .joining
        session.member = membership.member
        session.role = membership.role
        session.client = join.client
        session.isQuiet = join.isQuiet
        session.context = join.context ?? .all
        session.cursor = join.cursor?.sequence ?? 0
        session.pendingJoin = PendingJoin(join, request)
        // The session is in the room before the database is asked, so that a removal that commits in between finds it.
        let room = rooms[join.family] ?? Room(family: join.family)
        guard room.connections(of: membership.member) < limits.connectionsPerMember else {
            end(session, .tooManyConnections, "too many connections of one member")
            return
        }
        guard room.sessions.count < quota(.connections, of: join.family) else {
            session.phase = .signedIn
            session.pendingJoin = nil
            sendError(refusal(.connections, of: join.family, wait: Self.connectionWait), to: session, request: request)
            return
        }
        rooms[join.family] = room
        room.add(session)
        session.room = room
        emit(.read(session.id, .join(person: session.person, join)))
    }

    func didJoin(_ session: Session, _ result: Result<JoinResult, Rejection>) {
        guard session.phase == .joining, let room = session.room else { return }
        let request = session.pendingJoin?.request
        let seat: JoinResult
        switch result {
        case .success(let found):
            follow(from: found.head, in: room)
            // A change that waited for this join may have removed its member.
            guard session.phase == .joining else { return }
            // A member's rights changed after this was read, perhaps this member's own, or the list of athletes: it is read again.
            guard found.head >= room.rightsChangedAt else {
                if let pending = session.pendingJoin { emit(.read(session.id, .join(person: session.person, pending.join))) }
                return
            }
            seat = found
        case .failure(let rejection):
            standUp(session)
            sendError(rejection, to: session, request: request)
            return
        }
        if let differed = session.pendingJoin?.join.differed {
            emit(.noteDifference(session.id, family: room.family, member: seat.member, sequence: differed))
        }
        let pending = session.pendingJoin
        session.pendingJoin = nil
        room.athletes = Set(seat.athletes)
        session.member = seat.member
        session.role = seat.role
        guard let context = allowed(session.context, for: session, in: room) else {
            standUp(session)
            sendError(Rejection(.notFound, "There is no such athlete in this family.", field: "context"), to: session, request: request)
            return
        }
        session.context = context
        session.isSeated = true
        noteVisit(session, in: room)
        send(
            .joined(
                Joined(
                    epoch: seat.epoch, sequence: seat.head, family: room.family, member: seat.member, role: seat.role,
                    context: context, resumesByChanges: seat.resume == .changes, presence: room.presence())), to: session, request: request)
        if !session.isQuiet { announce(seat.member, in: room, except: session) }
        if let recovery = session.recovery { send(.recovered(recovery), to: session) }
        session.recovery = nil
        sendReminders(seat, pending, to: session)
        session.phase = .catchingUp
        switch seat.resume {
        case .changes: catchUp(session)
        case .reset(let reason):
            send(.reset(reason), to: session)
            requestSnapshot(session)
        case .snapshot: requestSnapshot(session)
        }
    }

    /// Returns the session to the state before the join; it may join again, for example without the cursor.
    private func standUp(_ session: Session) {
        session.phase = .signedIn
        session.pendingJoin = nil
        guard let room = session.room else { return }
        session.room = nil
        room.remove(session)
        if room.isEmpty { rooms[room.family] = nil }
    }

    // MARK: Catching up

    private func requestSnapshot(_ session: Session) {
        guard let room = session.room else { return }
        guard hasRoomForSnapshot, !isReadingSnapshot(of: room.family) else {
            snapshotQueue.append(session.id, of: room.family)
            return
        }
        snapshotReads[session.id] = room.family
        session.isReading = true
        emit(.read(session.id, .snapshot(family: room.family)))
    }

    private func requestNextSnapshot() {
        while hasRoomForSnapshot, let next = snapshotQueue.removeFirst(where: { !isReadingSnapshot(of: $0) }) {
            if let waiting = session(next), waiting.phase == .catchingUp { requestSnapshot(waiting) }
        }
    }

    private var hasRoomForSnapshot: Bool { snapshotReads.count < Hub.maxSnapshotReads && snapshotOctets < Hub.maxSnapshotOctets }

    /// One family reads one snapshot at a time, so that another's does not wait behind all of them.
    private func isReadingSnapshot(of family: Identifier) -> Bool { snapshotReads.values.contains(family) }

    /// Drops the unsent portions.
    func dropSnapshot(_ session: Session) {
        guard let snapshot = session.snapshot else { return }
        session.snapshot = nil
        snapshotOctets -= snapshot.octets
        requestNextSnapshot()
    }

    /// A client that reads a snapshot very slowly must not block the snapshots of others.
    func endSlowSnapshots() {
        guard !snapshotQueue.isEmpty, snapshotOctets >= Hub.maxSnapshotOctets else { return }
        for session in allSessions {
            guard let snapshot = session.snapshot, now - snapshot.since > Hub.snapshotGrace else { continue }
            guard Int64(snapshot.sent) < (now - snapshot.since) / 1000 * Hub.snapshotOctetsPerSecond else { continue }
            end(session, .slowReader, "too slow; reconnect in a moment")
        }
    }

    private func didReadSnapshot(_ session: Session, frames: [[UInt8]], sequence: Int64, _ verification: SnapshotVerification) {
        guard session.phase == .catchingUp, session.isReading else { return }
        session.isReading = false
        let octets = frames.reduce(0) { $0 + $1.count }
        session.snapshot = SnapshotUnderWay(
            frames: frames.reversed(), sequence: sequence, verification: verification, octets: octets, since: now)
        snapshotOctets += octets
        catchUp(session)
    }

    /// Sends or asks for the next portion; once nothing is missing the session is live.
    func catchUp(_ session: Session) {
        guard session.phase == .catchingUp, !session.isReading, !session.awaitsDrain, let room = session.room else { return }
        if let (sequence, verification) = session.snapshot.map({ ($0.sequence, $0.verification) }) {
            var portion = 0
            while let frame = session.snapshot?.frames.popLast() {
                emit(.send(session.id, frame))
                portion += frame.count
                session.snapshot?.sent += frame.count
                if portion >= Hub.portionOctets {
                    awaitDrain(session)
                    return
                }
            }
            send(.snapshotEnd(sequence: sequence, verification: verification), to: session)
            session.cursor = sequence
            dropSnapshot(session)
        }
        session.isReading = true
        session.forgetWaiting()
        emit(.read(session.id, .changes(family: room.family, after: session.cursor)))
    }

    /// - Parameter checksum: of the records at the end of the log, if the frames reach it.
    private func didReadChanges(_ session: Session, frames: [[UInt8]], last: Int64, reachedEnd: Bool, checksum: StateChecksum?) {
        guard session.phase == .catchingUp, session.isReading, let room = session.room else { return }
        session.isReading = false
        for frame in frames { emit(.send(session.id, frame)) }
        session.cursor = max(session.cursor, last)
        var checksum = checksum
        if reachedEnd {
            // Without a gap, unless there was too much to keep.
            for change in session.waiting where change.sequence == session.cursor + 1 {
                session.cursor = change.sequence
                checksum = change.checksum
                emit(.send(session.id, change.frame))
            }
        }
        session.forgetWaiting()
        // Changes that committed after the read were reported to the room in the meantime, so `delivered` shows whether
        // one is missing.
        if reachedEnd, session.cursor >= room.delivered ?? 0 {
            session.phase = .live
            send(.live(sequence: session.cursor, checksum: checksum), to: session)
        } else {
            awaitDrain(session)
        }
    }

    /// The refusal of a frame that only a joined session may send.
    func unjoined(_ session: Session) -> Rejection {
        guard session.number != nil else { return Rejection(.notSignedIn, "Sign in first.") }
        return Rejection(.notJoined, "Join a family first.", retryAfter: Hub.joinTime)
    }

    // MARK: Context

    func changeContext(_ session: Session, _ context: Context, _ request: Int64?) {
        guard let room = session.room, session.isSeated else {
            sendError(unjoined(session), to: session, request: request)
            return
        }
        guard let context = allowed(context, for: session, in: room) else {
            sendError(Rejection(.notFound, "There is no such athlete in this family.", field: "context"), to: session, request: request)
            return
        }
        guard admits(session, in: room, request: request) else { return }
        let before = session.context
        session.context = context
        send(.context(context), to: session, request: request)
        noteVisit(session, in: room)
        // A repeated context is sent to nobody else.
        if context != before, !session.isQuiet { announce(session.member, in: room, except: nil) }
    }

    /// Notes a look at another athlete's season for the access log.
    private func noteVisit(_ session: Session, in room: Room) {
        guard case .athlete(let athlete) = session.context, athlete != session.member else { return }
        if let before = session.visits[athlete], now - before < Hub.visitTime { return }
        // As many as the family has athletes, at most.
        session.visits[athlete] = now
        emit(.noteAccess(AccessNote(family: room.family, athlete: athlete, member: session.member, subject: .context)))
    }

    /// Everything that costs others or the database something counts against one rate.
    ///
    /// - Parameter cost: charged in advance, microseconds.
    func admits(_ session: Session, in room: Room, request: Int64?, _ work: WorkAccounts.Work = .other, cost: Int64 = 0) -> Bool {
        switch accounts.accept(WorkOwner(family: room.family, member: session.member), work, cost: cost, now: now) {
        case nil: return true
        case .requests(let wait):
            sendError(Rejection(.rateLimited, "Too many requests. Try again in a moment.", retryAfter: wait), to: session, request: request)
        case .family(let quota, let wait): sendError(refusal(quota, of: room.family, wait: wait), to: session, request: request)
        case .time(let wait):
            sendError(
                Rejection(.busy, "Your family has used its share of the server's time. Try again in a moment.", retryAfter: wait), to: session,
                request: request)
        }
        return false
    }

    /// For an athlete it is always themself; others choose one of the family's, or all.
    func allowed(_ context: Context, for session: Session, in room: Room) -> Context? {
        if session.role == .athlete { return .athlete(session.member) }
        if case .athlete(let athlete) = context, !room.athletes.contains(athlete) { return nil }
        return context
    }

    // MARK: Answers

    /// A reader's answer to `Effect.read`.
    ///
    /// - Parameter time: UTC milliseconds, for `welcome`.
    package func answered(_ id: SessionID, _ answer: ReadAnswer, time: Int64) {
        didEndSnapshotRead(id, answer)
        defer { requestNextSnapshot() }
        guard let session = session(id), session.phase != .closed else { return }
        switch answer {
        case .signIn(let found): didSignIn(session, found, time: time)
        case .redemption(let code, let nonce, let refusal): didLookUp(session, code: code, nonce: nonce, refusal)
        case .join(let result): didJoin(session, result)
        case .changes(let frames, let last, let reachedEnd, let checksum):
            didReadChanges(session, frames: frames, last: last, reachedEnd: reachedEnd, checksum: checksum)
        case .snapshot(let frames, let sequence, let verification):
            didReadSnapshot(session, frames: frames, sequence: sequence, verification)
        case .trimmed:
            // The client comes back with its cursor, and the join answers that everything is sent again.
            end(session, .slowReader, "the log was trimmed in the meantime")
        case .page(let frame):
            session.pendingPages -= 1
            // A session that was signed out in the meantime receives nothing more of the family.
            if session.phase != .ending { emit(.send(session.id, frame)) }
        case .failed:
            end(session, .internalError, "the database could not be read")
        }
    }

    /// Also for a session that has ended in the meantime.
    private func didEndSnapshotRead(_ id: SessionID, _ answer: ReadAnswer) {
        switch answer {
        case .snapshot, .failed: snapshotReads[id] = nil
        case .signIn, .redemption, .join, .changes, .trimmed, .page: return
        }
    }
}
