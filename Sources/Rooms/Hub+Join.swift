import Bytes
import Family
import Wire

/// From a person to a seat in a room that is up to date: seat, snapshot or log, live.
extension Hub {
    /// Octets of catching up that are sent before the outbox must have been empty once.
    static let portionOctets = 262_144

    func join(_ session: Session, _ join: Join) {
        switch session.phase {
        case .signedIn: break
        case .anonymous, .signingIn:
            sendError(Rejection(.notSignedIn, "Sign in first."), to: session)
            return
        default:
            sendError(Rejection(.alreadyJoined, "One connection joins one family; open another one."), to: session)
            return
        }
        // The list is from the sign-in; who joined a family since then signs in again. Nobody else learns that a family exists.
        guard let membership = session.memberships.first(where: { $0.family == join.family }) else {
            sendError(Rejection(.notFound, "There is no such family for you."), to: session)
            return
        }
        session.phase = .joining
        session.member = membership.member
        session.role = membership.role
        session.client = join.client
        session.context = join.context ?? .all
        session.cursor = join.cursor?.sequence ?? 0
        // The seat is taken before the database is asked, so that a removal which commits in between finds this session.
        let room = rooms[join.family] ?? Room(family: join.family)
        guard room.connections(of: membership.member) < limits.connectionsPerMember else {
            end(session, .tooManyConnections, "too many connections of one member")
            return
        }
        rooms[join.family] = room
        room.add(session)
        session.room = room
        emit(.read(session.id, .join(person: session.person, join)))
    }

    func didJoin(_ session: Session, _ result: Result<Seat, Rejection>) {
        guard session.phase == .joining, let room = session.room else { return }
        let seat: Seat
        switch result {
        case .success(let found): seat = found
        case .failure(let rejection):
            standUp(session)
            sendError(rejection, to: session)
            return
        }
        room.athletes = Set(seat.athletes)
        session.member = seat.member
        session.role = seat.role
        guard let context = allowed(session.context, for: session, in: room) else {
            standUp(session)
            sendError(Rejection(.notFound, "There is no such athlete in this family.", field: "context"), to: session)
            return
        }
        session.context = context
        session.isSeated = true
        send(
            .joined(
                Joined(
                    epoch: seat.epoch, sequence: seat.head, family: room.family, member: seat.member, role: seat.role,
                    context: context, resumesByChanges: seat.resume == .changes, presence: room.presence())), to: session)
        announce(seat.member, in: room, except: session)
        session.phase = .catchingUp
        switch seat.resume {
        case .changes: catchUp(session)
        case .reset(let reason):
            send(.reset(reason), to: session)
            requestSnapshot(session)
        case .snapshot: requestSnapshot(session)
        }
    }

    /// Back to a person without a seat, who may join again (without the cursor, say).
    private func standUp(_ session: Session) {
        session.phase = .signedIn
        guard let room = session.room else { return }
        session.room = nil
        room.remove(session)
        if room.isEmpty { rooms[room.family] = nil }
    }

    // MARK: Catching up

    private func requestSnapshot(_ session: Session) {
        guard snapshotsUnderWay < Hub.maxSnapshotsUnderWay else {
            snapshotQueue.append(session.id)
            return
        }
        guard let room = session.room else { return }
        snapshotsUnderWay += 1
        session.holdsSnapshotPermit = true
        session.isReading = true
        emit(.read(session.id, .snapshot(family: room.family)))
    }

    func releaseSnapshotPermit(_ session: Session) {
        guard session.holdsSnapshotPermit else { return }
        session.holdsSnapshotPermit = false
        snapshotsUnderWay -= 1
        while !snapshotQueue.isEmpty {
            let next = snapshotQueue.removeFirst()
            if let waiting = self.session(next), waiting.phase == .catchingUp {
                requestSnapshot(waiting)
                return
            }
        }
    }

    func didReadSnapshot(_ session: Session, frames: [[UInt8]], sequence: Int64) {
        guard session.phase == .catchingUp, session.isReading else { return }
        session.isReading = false
        session.snapshotFrames = frames.reversed()
        session.snapshotSequence = sequence
        catchUp(session)
    }

    /// Sends or asks for the next portion; once nothing is missing the session is live.
    func catchUp(_ session: Session) {
        guard session.phase == .catchingUp, !session.isReading, !session.awaitsDrain, let room = session.room else { return }
        if session.holdsSnapshotPermit {
            var sent = 0
            while let frame = session.snapshotFrames.popLast() {
                emit(.send(session.id, frame))
                sent += frame.count
                if sent >= Hub.portionOctets {
                    awaitDrain(session)
                    return
                }
            }
            send(.snapshotEnd(sequence: session.snapshotSequence), to: session)
            session.cursor = session.snapshotSequence
            releaseSnapshotPermit(session)
        }
        session.isReading = true
        emit(.read(session.id, .changes(family: room.family, after: session.cursor)))
    }

    func didReadChanges(_ session: Session, frames: [[UInt8]], last: Int64, reachedEnd: Bool) {
        guard session.phase == .catchingUp, session.isReading, let room = session.room else { return }
        session.isReading = false
        for frame in frames { emit(.send(session.id, frame)) }
        session.cursor = max(session.cursor, last)
        // What committed after the read was reported to the room meanwhile, so `delivered` tells whether something is missing.
        if reachedEnd, session.cursor >= room.delivered {
            session.phase = .live
            send(.live(sequence: session.cursor), to: session)
        } else {
            awaitDrain(session)
        }
    }

    // MARK: Context

    func changeContext(_ session: Session, _ context: Context) {
        guard let room = session.room, session.isSeated else {
            sendError(Rejection(.notJoined, "Join a family first."), to: session)
            return
        }
        guard let context = allowed(context, for: session, in: room) else {
            sendError(Rejection(.notFound, "There is no such athlete in this family.", field: "context"), to: session)
            return
        }
        session.context = context
        send(.context(context), to: session)
        announce(session.member, in: room, except: nil)
    }

    /// For an athlete it is always themself; others choose one of the family's, or all.
    func allowed(_ context: Context, for session: Session, in room: Room) -> Context? {
        if session.role == .athlete { return .athlete(session.member) }
        if case .athlete(let athlete) = context, !room.athletes.contains(athlete) { return nil }
        return context
    }

    // MARK: Pages

    func list(_ session: Session, _ request: ListRequest) {
        guard let room = session.room, session.isSeated else {
            sendError(Rejection(.notJoined, "Join a family first."), to: session, request: request.request)
            return
        }
        // One page at a time: whoever scrolls waits for the answer anyway.
        guard session.pendingPages < 4 else {
            sendError(
                Rejection(.busy, "Too many pages were asked for at once.", retryAfter: 100), to: session, request: request.request)
            return
        }
        session.pendingPages += 1
        emit(.read(session.id, .page(family: room.family, request)))
    }

    // MARK: Answers

    /// A reader's answer to `Effect.read`.
    ///
    /// - Parameter time: UTC milliseconds, for `welcome`.
    package func answered(_ id: SessionID, _ answer: ReadAnswer, time: Int64) {
        guard let session = session(id), session.phase != .closed else { return }
        switch answer {
        case .signIn(let found): didSignIn(session, found, time: time)
        case .join(let result): didJoin(session, result)
        case .changes(let frames, let last, let reachedEnd): didReadChanges(session, frames: frames, last: last, reachedEnd: reachedEnd)
        case .snapshot(let frames, let sequence): didReadSnapshot(session, frames: frames, sequence: sequence)
        case .page(let frame):
            session.pendingPages -= 1
            emit(.send(session.id, frame))
        case .failed:
            end(session, .internalError, "the database could not be read")
        }
    }
}
