import Bytes
package import Family
package import Wire

/// All rooms and sessions of one shard: what each input means, and nothing about how it is done.
///
/// Inputs are methods; what is to be done about them is appended to `effects`, which the caller takes and does in order.
/// No I/O, no clock (time is a parameter, in milliseconds that only grow), no locks: it belongs to one thread.
package final class Hub {
    package let limits: Limits
    let serverVersion: String

    private var effects: [Effect] = []
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    var rooms: [Identifier: Room] = [:]
    /// Sessions in the order in which they were opened, until they signed in or ran out of time.
    private var signInQueue: [SessionID] = []
    private var signInQueueHead = 0

    /// Snapshots that are being read or sent; each holds its family in memory until it is sent.
    var snapshotsUnderWay = 0
    var snapshotQueue: [SessionID] = []
    /// At most so many at once: with 64 MiB for a family at its limit, half a gigabyte in the worst case.
    static let maxSnapshotsUnderWay = 8

    private var awaitingDrain: [SessionID] = []

    /// Octets of all mutations between reactor and writer.
    var pendingOctets = 0

    private(set) package var isDraining = false
    /// Sessions open now.
    package private(set) var openSessions = 0

    private struct Slot {
        var generation: UInt32 = 0
        var session: Session?
    }

    package init(limits: Limits, serverVersion: String) {
        self.limits = limits
        self.serverVersion = serverVersion
    }

    // MARK: Effects

    /// Hands over what is to be done, in order, and takes the empty array for the next ones: two arrays serve for ever.
    package func exchangeEffects(_ empty: inout [Effect]) {
        precondition(empty.isEmpty, "effects are done before the next are taken")
        swap(&empty, &effects)
    }

    package func takeEffects() -> [Effect] {
        var taken: [Effect] = []
        exchangeEffects(&taken)
        return taken
    }

    func emit(_ effect: Effect) { effects.append(effect) }

    func send(_ frame: ServerFrame, to session: Session) { emit(.send(session.id, frame.encode())) }

    func sendError(_ rejection: Rejection, to session: Session, request: Int64? = nil) {
        emit(.note(session.id, event: "refused", code: rejection.code.rawValue))
        send(.error(rejection, request: request), to: session)
    }

    // MARK: Sessions

    /// A connection finished its upgrade.
    package func opened(now: Int64) -> SessionID {
        let index: Int
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = slots.count
            slots.append(Slot())
        }
        let id = UInt64(slots[index].generation) << 32 | UInt64(index)
        slots[index].session = Session(id: id, now: now, limits: limits)
        openSessions += 1
        signInQueue.append(id)
        return id
    }

    func session(_ id: SessionID) -> Session? {
        let index = Int(id & 0xFFFF_FFFF)
        guard index < slots.count, slots[index].generation == UInt32(id >> 32) else { return nil }
        return slots[index].session
    }

    var allSessions: [Session] { slots.compactMap(\.session) }

    /// The connection is gone, for whatever reason.
    package func closed(_ id: SessionID) {
        guard let session = session(id) else { return }
        leave(session)
        while session.pendingMutations > 0 { pendingOctets -= session.didAnswer() }
        let index = Int(id & 0xFFFF_FFFF)
        slots[index].session = nil
        slots[index].generation &+= 1
        freeSlots.append(index)
        openSessions -= 1
    }

    /// Ends a session from this side; the caller reports `closed` when the connection is gone.
    func end(_ session: Session, _ code: CloseCode, _ reason: String, dropsQueue: Bool = false) {
        guard session.phase != .closed else { return }
        emit(.note(session.id, event: "closing", code: "\(code.rawValue)"))
        leave(session)
        emit(.close(session.id, code, reason: reason, dropsQueue: dropsQueue))
    }

    private func leave(_ session: Session) {
        guard session.phase != .closed else { return }
        session.phase = .closed
        session.snapshotFrames = []
        releaseSnapshotPermit(session)
        guard let room = session.room else { return }
        session.room = nil
        room.remove(session)
        if room.isEmpty {
            rooms[room.family] = nil
        } else if session.isSeated {
            announce(session.member, in: room, except: nil)
        }
    }

    /// Tells everyone who is seated how `member` is present now.
    func announce(_ member: Identifier, in room: Room, except: Session?) {
        let frame = ServerFrame.presence(room.presence(of: member)).encode()
        for other in room.sessions where other.isSeated && other !== except {
            emit(.send(other.id, frame))
        }
    }

    // MARK: Time

    /// To be called about once a second: ends who did not sign in.
    package func tick(now: Int64) {
        while signInQueueHead < signInQueue.count {
            guard let waiting = session(signInQueue[signInQueueHead]) else {
                signInQueueHead += 1
                continue
            }
            guard waiting.phase == .anonymous || waiting.phase == .signingIn else {
                signInQueueHead += 1
                continue
            }
            guard waiting.signInDeadline <= now else { break }
            signInQueueHead += 1
            end(waiting, .signInTimeout, "no sign-in within \(limits.signInTime / 1000) s")
        }
        if signInQueueHead > 1024 || signInQueueHead == signInQueue.count {
            signInQueue.removeFirst(signInQueueHead)
            signInQueueHead = 0
        }
    }

    /// No mutation is taken any more; what was taken will still be answered.
    package func startDraining() { isDraining = true }

    /// Ends everyone with `code`, after the answers that were sent before.
    package func endAll(_ code: CloseCode, _ reason: String) {
        for slot in slots {
            if let session = slot.session { end(session, code, reason) }
        }
    }

    // MARK: Frames from clients

    /// One text message.
    package func received(_ octets: UnsafeRawBufferPointer, from id: SessionID, now: Int64) {
        guard let session = session(id), session.phase != .closed else { return }
        let frame: ClientFrame
        do {
            frame = try ClientFrame.decode(octets, limits: limits)
        } catch {
            sendError(error, to: session)
            end(session, .badFrame, "not a frame of huddle.v1")
            return
        }
        switch frame {
        case .signIn(let token): signIn(session, token: token)
        case .redeem(let code, let client): redeem(session, code: code, client: client)
        case .join(let join): self.join(session, join)
        case .mutate(let mutation, let operations): mutate(session, mutation, operations, octets: octets.count, now: now)
        case .refusedMutation(let mutation, let rejection): refuse(session, mutation, rejection, now: now)
        case .context(let context): changeContext(session, context)
        case .list(let request): list(session, request)
        case .signOut: signOut(session)
        }
    }

    /// Lets sessions go on that sent a full portion and whose outbox is empty again.
    ///
    /// - Parameter isFlushed: whether everything that was sent to a session has left.
    /// - Returns: whether any went on, so that there are effects to do.
    package func reportDrained(_ isFlushed: (SessionID) -> Bool) -> Bool {
        guard !awaitingDrain.isEmpty else { return false }
        let waiting = awaitingDrain
        awaitingDrain.removeAll(keepingCapacity: true)
        var moved = false
        for id in waiting {
            guard let session = session(id), session.awaitsDrain else { continue }
            if isFlushed(id) {
                session.awaitsDrain = false
                moved = true
                catchUp(session)
            } else {
                awaitingDrain.append(id)
            }
        }
        return moved
    }

    /// The session has sent a portion and goes on when that has left.
    func awaitDrain(_ session: Session) {
        guard !session.awaitsDrain else { return }
        session.awaitsDrain = true
        awaitingDrain.append(session.id)
    }
}

@available(*, unavailable)
extension Hub: Sendable {}
