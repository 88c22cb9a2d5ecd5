import Bytes
import Family
import Ledger
import Posix
import EventLoop
import Rooms
import Store
import Wire

/// Passes the events of connections to the hub, and carries out the hub's requests.
final class HubDriver {
    let hub: Hub
    private let reactor: Reactor
    private let limits: Limits
    private let log: Log
    private let writer: WriterThread
    private let readers: ReaderPool
    private let access: AccessControl
    private let usage: UsageRecorder
    /// Indexed by the slot number in a session id.
    private var sessions: [OpenConnection?] = []
    /// Mutations of this tick, for one submission.
    private var proposals: [Proposal] = []
    private var scratch: [Effect] = []
    private var isPerforming = false
    private var redemptionRate = AddressRate.redemptions
    private let budget: RequestBudget
    private let accounts: AccountService
    let counts = SessionCounts()

    init(
        hub: Hub, reactor: Reactor, limits: Limits, log: Log, writer: WriterThread, readers: ReaderPool, access: AccessControl, usage: UsageRecorder,
        budget: RequestBudget, accounts: AccountService
    ) {
        self.hub = hub
        self.reactor = reactor
        self.limits = limits
        self.log = log
        self.writer = writer
        self.readers = readers
        self.access = access
        self.usage = usage
        self.budget = budget
        self.accounts = accounts
    }

    // MARK: What connections report

    /// The largest number of octets of a message in a session; `nil` before there is one.
    func messageLimit(_ session: SessionID?) -> Int {
        session.map { hub.messageLimit($0) } ?? min(limits.signInOctets, limits.messageOctets)
    }

    /// A connection was upgraded.
    ///
    /// - Parameter cookie: the token of the upgrade request's cookie.
    func didOpen(_ connection: OpenConnection, cookie: String? = nil) -> SessionID {
        let id = hub.opened(now: reactor.now, cookie: cookie)
        let index = Int(id & 0xFFFF_FFFF)
        while sessions.count <= index { sessions.append(nil) }
        sessions[index] = connection
        return id
    }

    func received(_ payload: UnsafeRawBufferPointer, from connection: OpenConnection) {
        guard let session = connection.session else { return }
        // Any client may send these, on as many connections as it likes.
        if !hub.isSignedIn(session), budget.take(from: connection.group) != nil {
            return connection.fail(.tryAgainLater, "too many frames come from your network before a sign-in")
        }
        counts.framesReceived.add()
        counts.octetsReceived.add(payload.count)
        hub.received(payload, from: session, now: reactor.now)
        perform()
    }

    func didEnd(_ session: SessionID) {
        sessions[Int(session & 0xFFFF_FFFF)] = nil
        hub.closed(session)
        perform()
    }

    /// Whether a session has nothing queued; true if it has ended.
    func isFlushed(_ id: SessionID) -> Bool { connection(id)?.isFlushed ?? true }

    private func connection(_ id: SessionID) -> OpenConnection? {
        let index = Int(id & 0xFFFF_FFFF)
        guard index < sessions.count, let connection = sessions[index], connection.session == id else { return nil }
        return connection
    }

    /// Counts a wrong code from a session.
    func didMissCode(_ id: SessionID) { accounts.missedCode(connection(id)?.group) }

    // MARK: Requests of the hub

    /// Reports the progress of a member's upload to the family.
    func report(_ progress: UploadProgress, family: Identifier) {
        hub.uploading(progress, family: family)
        perform()
    }

    /// Gives the mutations of this tick to the writer, together with the proposals of requests.
    ///
    /// - Returns: the proposals that find no room.
    func submitProposals(with requests: [RequestProposal]) -> ArraySlice<RequestProposal> {
        guard !proposals.isEmpty || !requests.isEmpty else { return [] }
        // Read once for all, because a turn takes a millisecond or two.
        let now = Clock.monotonicNanoseconds()
        for index in proposals.indices { proposals[index].acceptedAt = now }
        let refused = writer.submit(proposals, requests)
        proposals = []
        if !refused.proposals.isEmpty {
            hub.refused(Array(refused.proposals))
            perform()
        }
        return refused.requests
    }

    /// Carries out the hub's requests. That can lead to more (a close ends a session), which are carried out in the
    /// same call.
    func perform() {
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while true {
            hub.exchangeEffects(&scratch)
            if scratch.isEmpty { return }
            for effect in scratch { perform(effect) }
            scratch.removeAll(keepingCapacity: true)
        }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .send(let id, let octets):
            counts.framesSent.add()
            counts.octetsSent.add(octets.count)
            connection(id)?.send(octets)
        case .close(let id, let code, let reason, let dropsQueue):
            connection(id)?.close(code, reason, dropsQueue: dropsQueue)
        case .propose(let proposal): proposals.append(proposal)
        case .read(let id, let request):
            if case .redemption(let code, let nonce) = request, let wait = accounts.codeWait(connection(id)?.group) ?? redemptionRate.take(connection(id)?.group, now: reactor.now) {
                let refusal = Rejection(.rateLimited, "Too many codes come from your network. Try again in a moment.", retryAfter: wait)
                hub.answered(id, .redemption(code: code, nonce: nonce, refusal: refusal), time: 0)
            } else if !readers.submit(id, request, hub.payer(of: id)), !hub.refusedRead(id, request) {
                connection(id)?.fail(.tryAgainLater, "too busy")
                hub.answered(id, .failed, time: 0)
            }
        case .readMissing(let family, let sequence):
            log(.warning, "changes_missing", [.init("family", "\(family)"), .init("after", sequence)])
            if !readers.submitMissing(family, after: sequence) { hub.answeredMissing(family, after: sequence, .failed) }
        case .command(let id, let command):
            if !writer.submit(.command(id, command)) { hub.commanded(id, .rejected(.busy)) }
        case .signInByName(let id, let signIn):
            accounts.signIn(signIn, NewSession(person: 0, kind: .terminal), from: connection(id)?.group) { [self] answer in
                hub.answered(id, answer.map { NameSignedIn(token: $0.session.token, device: $0.device) })
                perform()
            }
        case .account(let id, let act, let number, let person):
            accounts.perform(act, session: number, person: person) { [self] answer in
                hub.answered(id, answer)
                perform()
            }
        case .endSession(let number): access.endSession(number)
        case .endSessions(let id, let session, let one):
            access.revoke(SessionsEnd(session: session, one.map { .one($0) } ?? .others)) { [hub] in hub.didEndSessions(id, $0) }
        case .endFeed(let id, let family, let member, let feed):
            access.revoke(FeedEnd(family: family, member: member, feed: feed)) { [self] in
                hub.didEndFeed(id, $0)
                perform()
            }
        case .seeReminder(let family, let member, let key): _ = writer.submit(.seen(key, family: family, member: member))
        case .noteAccess(let access): usage.note(access)
        case .renew(let sessions): for session in sessions { usage.renew(session) }
        case .noteDifference(let id, let family, let member, let sequence):
            log(
                .warning, "client_differs",
                [.init("session", id), .init("family", "\(family)"), .init("member", "\(member)"), .init("seq", sequence)])
        case .note(let id, let event, let code):
            counts.note(event, code)
            log(.info, event, [.init("session", id), .init("code", code)])
        }
    }
}

@available(*, unavailable) extension HubDriver: Sendable {}
