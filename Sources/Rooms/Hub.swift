package import Bytes
package import Family
package import Wire

/// All rooms and sessions of one shard: what each input means, and nothing about how it is done.
///
/// Inputs are methods; what is to be done about them is appended to `effects`, which the caller takes and does in order.
/// No I/O, no clock (time is a parameter, in milliseconds that only grow), no locks: it belongs to one thread.
package final class Hub {
    package let limits: Limits
    let serverVersion: String
    /// The build of the web client, for browsers whose page is of another one.
    package var webBuild: String?
    let checksumPace: ChecksumPace

    private var effects: [Effect] = []
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    var rooms: [Identifier: Room] = [:]
    /// Sessions in the order in which they were opened, until they signed in or ran out of time.
    private var signInQueue: [SessionID] = []
    private var signInQueueHead = 0

    /// Sessions whose snapshot is being read, with their families, also after they have gone: the read continues.
    var snapshotReads: [SessionID: Identifier] = [:]
    /// Octets of the snapshots that are being sent.
    var snapshotOctets = 0
    var snapshotQueue = TurnQueue<SessionID>()
    /// One of each family, and as many as threads answer questions; another is always free for short jobs: sign-ins, joins.
    static let maxSnapshotReads = 2
    /// Above it no other snapshot is read until part of it was sent, so a few families at their limit of about 64 MiB fit, and thousands of
    /// the usual size.
    static let maxSnapshotOctets = 268_435_456
    /// The least that a reader must take per second, on average after a grace period, while others wait for the memory.
    static let snapshotOctetsPerSecond: Int64 = 65_536
    static let snapshotGrace: Int64 = 10_000

    private var awaitingDrain: [SessionID] = []

    /// Octets of all mutations between reactor and writer.
    var pending: PendingOctets
    var pendingOctets: Int { pending.count }
    /// Those of sessions that have gone before the answer: they hold memory just the same.
    private var orphans: [SessionID: [Int]] = [:]

    /// The hub's clock at the last input that carried it.
    private(set) var now: Int64 = 0

    /// Sessions whose redemption is at the writer, also after they have gone: the job remains.
    var redemptions: Set<SessionID> = []
    /// The largest number of redemptions at the writer at the same time. A client with a valid code can ask for one
    /// without a sign-in, so they get a small share of its queue.
    package static let maxRedemptionsAtWriter = 64

    var connectionsOfPerson: [Int64: Int] = [:]
    /// Sessions of the database that have ended, while a sign-in to them may be on its way.
    var ended = EndedRights<Int64>()

    /// Sessions of the database whose use is to be noted with the next `tick`, together, because each note is a commit.
    var renewals: [Int64] = []
    /// When all open sessions were noted, by the hub's clock.
    var renewedAllAt: Int64 = 0
    /// Milliseconds between two notes of an open session: a day of the 90 after which it would end.
    static let renewalInterval: Int64 = 86_400_000
    /// Milliseconds within which repeated views of the same athlete by the same member on one connection are one visit
    /// (15 minutes).
    static let visitTime: Int64 = 900_000

    /// Refused frames before the sign-in, where anybody may try: a few mistakes, no flood.
    static let refusalsBeforeSignIn = TokenRate(perSecond: 1, burst: 10)
    /// Of a member as many are forgotten in a second as mutations may come.
    private let refusalRate: TokenRate
    /// Of mutations, lists and contexts, and of the time that they take.
    var accounts: WorkAccounts
    /// Of families with values of their own.
    var quotas: [Identifier: FamilyQuotas] = [:]
    /// Refusals because a family has used its quota, by the quota.
    package internal(set) var quotaRefusals: [FamilyQuota: Int] = [:]

    /// Activities of the last seconds, by session.
    var activities: [SessionID: SessionActivity] = [:]

    private(set) package var isDraining = false
    /// All sessions end, so no session needs a report about another one that leaves.
    private var isEndingAll = false
    /// Sessions open now.
    package private(set) var openSessions = 0

    private struct Slot {
        var generation: UInt32 = 0
        var session: Session?
    }

    /// - Parameter checksumPace: another one than the default in tests only.
    package init(limits: Limits, serverVersion: String, checksumPace: ChecksumPace = ChecksumPace()) {
        self.limits = limits
        self.checksumPace = checksumPace
        self.serverVersion = serverVersion
        refusalRate = TokenRate(perSecond: 200, burst: limits.refusals)
        accounts = WorkAccounts(limits)
        pending = PendingOctets(most: limits.pendingOctets)
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

    /// - Parameter request: of the frame that this one answers.
    func send(_ frame: ServerFrame, to session: Session, request: Int64? = nil) {
        emit(.send(session.id, (request.map { .tagged(frame, request: $0) } ?? frame).encode()))
    }

    func sendError(_ rejection: Rejection, to session: Session, request: Int64? = nil) {
        guard tolerates(session) else { return }
        emit(.note(session.id, event: "refused", code: rejection.code.rawValue))
        send(.error(rejection, request: request), to: session)
    }

    /// Whether the session may be refused one more frame; else it is ended.
    func tolerates(_ session: Session) -> Bool {
        guard session.refusals.take(session.number == nil ? Hub.refusalsBeforeSignIn : refusalRate, now: now) != nil else { return true }
        end(session, .policyViolation, "too many refused frames")
        return false
    }

    // MARK: Sessions

    /// A connection finished its upgrade.
    ///
    /// - Parameter cookie: the token by which a `sign_in` without one signs in.
    package func opened(now: Int64, cookie: String? = nil) -> SessionID {
        let index: Int
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = slots.count
            slots.append(Slot())
        }
        self.now = now
        let id = UInt64(slots[index].generation) << 32 | UInt64(index)
        let session = Session(id: id, now: now, limits: limits)
        session.token = cookie
        slots[index].session = session
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
        if session.pendingMutations > 0 { orphans[id] = session.pendingSizes }
        let index = Int(id & 0xFFFF_FFFF)
        slots[index].session = nil
        slots[index].generation &+= 1
        freeSlots.append(index)
        openSessions -= 1
    }

    /// The longest message that may come, octets.
    package func messageLimit(_ id: SessionID) -> Int {
        isSignedIn(id) ? limits.messageOctets : min(limits.signInOctets, limits.messageOctets)
    }

    package func isSignedIn(_ id: SessionID) -> Bool { session(id)?.number != nil }

    /// The newest mutation of a session that has gone was not taken.
    func didRefuseOrphan(_ id: SessionID, of family: Identifier) {
        guard let last = orphans[id]?.popLast() else { return }
        pending.remove(last, of: family)
        if orphans[id]?.isEmpty == true { orphans[id] = nil }
    }

    func didAnswerOrphan(_ id: SessionID, of family: Identifier) {
        guard var sizes = orphans[id], let first = sizes.first else { return }
        pending.remove(first, of: family)
        sizes.removeFirst()
        orphans[id] = sizes.isEmpty ? nil : sizes
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
        leaveRoom(session)
        if session.number != nil, let count = connectionsOfPerson[session.person] {
            connectionsOfPerson[session.person] = count > 1 ? count - 1 : nil
        }
    }

    /// Withdraws all rights of a session that stays open until it can receive the reason. Frames that were sent to it
    /// before are not recalled.
    func suspend(_ session: Session) {
        session.phase = .ending
        leaveRoom(session)
    }

    private func leaveRoom(_ session: Session) {
        activities[session.id] = nil
        session.forgetWaiting()
        dropSnapshot(session)
        guard let room = session.room else { return }
        session.room = nil
        room.remove(session)
        if room.isEmpty {
            rooms[room.family] = nil
        } else if session.isSeated, !session.isQuiet, !isEndingAll {
            announce(session.member, in: room, except: nil)
        }
    }

    /// Notifies all sessions of the room of the presence of `member`.
    func announce(_ member: Identifier, in room: Room, except: Session?) {
        let frame = ServerFrame.presence(room.presence(of: member)).encode()
        for other in room.sessions where other.isSeated && other !== except {
            emit(.send(other.id, frame))
        }
    }

    /// Reports the progress of an upload to every joined session. A session that joins later gets the next report; the caller sends at most
    /// one per second for each upload, besides its end.
    package func uploading(_ progress: UploadProgress, family: Identifier) {
        guard let room = rooms[family] else { return }
        let frame = ServerFrame.upload(progress).encode()
        for session in room.sessions where session.isSeated { emit(.send(session.id, frame)) }
    }

    // MARK: Time

    /// To be called about once a second: ends who did not sign in.
    package func tick(now: Int64) {
        self.now = now
        accounts.forget(now: now)
        endSlowSnapshots()
        renewSessions()
        sendDueChecksums()
        sendDueActivities()
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

    /// Milliseconds of a restart, after which the first client may reconnect, and connections that reconnect in each millisecond after
    /// that: a third of what one core takes through TLS. Nobody is sent away for longer than `longestReturn`.
    static let firstReturn: Int64 = 500
    static let returnsPerMillisecond: Int64 = 1
    static let longestReturn: Int64 = 30_000

    /// Gives each client a different time to stay away, so that they do not overrun the server that comes back, then ends them.
    package func spreadReturns() {
        let everyone = allSessions.filter { $0.phase != .closed }
        let window = min(max(Int64(everyone.count) / Self.returnsPerMillisecond, Self.firstReturn), Self.longestReturn - Self.firstReturn)
        for (index, session) in everyone.enumerated() {
            let wait = Self.firstReturn + window * Int64(index) / Int64(everyone.count)
            send(.drain(retryAfter: wait), to: session)
        }
    }

    /// Ends everyone with `code`, after the answers that were sent before.
    package func endAll(_ code: CloseCode, _ reason: String) {
        isEndingAll = true
        for slot in slots {
            if let session = slot.session { end(session, code, reason) }
        }
        isEndingAll = false
    }

    // MARK: Frames from clients

    /// One text message.
    package func received(_ octets: UnsafeRawBufferPointer, from id: SessionID, now: Int64) {
        guard let session = session(id), session.phase != .closed else { return }
        self.now = now
        let frame: ClientFrame
        let request: Int64?
        do {
            switch try ClientFrame.decode(octets, limits: limits) {
            case .tagged(let tagged, let number): (frame, request) = (tagged, number)
            case let untagged: (frame, request) = (untagged, nil)
            }
        } catch {
            sendError(error, to: session, request: ClientFrame.request(ofRefused: octets, limits: limits))
            end(session, .badFrame, "not a frame of huddle.v1")
            return
        }
        if session.phase == .ending {
            let ended = Rejection(.notSignedIn, "This sign-in has ended.")
            switch frame {
            case .signOut: signOut(session, request)
            case .mutation(let id, _, _), .refusedMutation(let id, _): sendRejection(ended, id, to: session)
            default: sendError(ended, to: session, request: request ?? frame.request)
            }
            return
        }
        switch frame {
        case .tagged: preconditionFailure("a frame has one request")
        case .signIn(let token): signIn(session, token: token, request)
        case .redeem(let code, let nonce, let name): redeem(session, code: code, nonce: nonce, name: name, request)
        case .join(let join): self.join(session, join, request)
        case .mutation(let id, let body, let overlap):
            mutate(session, id, body, overlap, octets: octets.count, now: now)
        case .refusedMutation(let mutation, let rejection): refuse(session, mutation, rejection, octets, now: now)
        case .context(let context): changeContext(session, context, request)
        case .list(let request): list(session, request)
        case .statistics(let request): statistics(session, request)
        case .history(let request): history(session, request)
        case .digest(let request): digest(session, request)
        case .accessLog(let request): accessLog(session, request)
        case .invite(let request): invite(session, request)
        case .withdrawInvite(let request): withdrawInvite(session, request)
        case .invites(let request): invites(session, request)
        case .audit(let request): audit(session, request)
        case .standings(let request): standings(session, request)
        case .consent(let request): consent(session, request)
        case .sessions(let request): sessions(session, request)
        case .createToken(let request): createToken(session, request)
        case .calendars(let request): calendars(session, request)
        case .addDevice(let request): addDevice(session, request)
        case .signInByName(let signIn): signInByName(session, signIn, request)
        case .account(let request): account(session, request)
        case .ping(let request): ping(session, request)
        case .activity(let activity): self.activity(session, activity)
        case .reminderSeen(let key): reminderSeen(session, key)
        case .deletion(let request): deletion(session, request)
        case .refusedRequest(let request, let rejection): refuse(session, request: request, rejection)
        case .signOut: signOut(session, request)
        }
    }

    /// Resumes sessions that sent a full portion and whose outbox is empty again.
    ///
    /// - Parameter isFlushed: whether everything that was sent to a session has left.
    /// - Returns: whether any resumed, so that there are effects to perform.
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

    /// The session has sent a portion and resumes when that has left.
    func awaitDrain(_ session: Session) {
        guard !session.awaitsDrain else { return }
        session.awaitsDrain = true
        awaitingDrain.append(session.id)
    }
}

@available(*, unavailable)
extension Hub: Sendable {}
