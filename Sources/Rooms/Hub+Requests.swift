import Bytes
package import Family
import Queries
import Wire

/// Questions of a joined session, which a reader answers: lists, figures, history, digest, access log.
extension Hub {
    func list(_ session: Session, _ request: ListRequest) {
        guard let room = admitRequest(session, request.request) else { return }
        guard isKnown(request.athlete, session, room, request.request) else { return }
        do {
            let query = try request.query(context: session.context)
            ask(session, .page(family: room.family, query, request))
        } catch {
            sendError(error, to: session, request: request.request)
        }
    }

    func statistics(_ session: Session, _ request: StatisticsRequest) {
        guard let room = admitRequest(session, request.request) else { return }
        guard isKnown(request.athlete, session, room, request.request) else { return }
        var owner: Identifier?
        if case .athlete(let athlete) = request.athlete ?? session.context { owner = athlete }
        ask(session, .statistics(family: room.family, request, athlete: owner))
    }

    func history(_ session: Session, _ request: HistoryRequest) {
        guard let room = admitRequest(session, request.request) else { return }
        ask(session, .history(family: room.family, member: session.member, request))
    }

    func digest(_ session: Session, _ request: DigestRequest) {
        guard let room = admitRequest(session, request.request) else { return }
        ask(session, .digest(family: room.family, member: session.member, request))
    }

    func accessLog(_ session: Session, _ request: AccessLogRequest) {
        guard let room = admitRequest(session, request.request) else { return }
        ask(session, .accessLog(family: room.family, member: session.member, request))
    }

    func audit(_ session: Session, _ request: AuditRequest) {
        guard let room = admitRequest(session, request.request) else { return }
        ask(session, .audit(family: room.family, member: session.member, request))
    }

    /// A request that was refused for what it asks; it counts against the rate like any other.
    func refuse(_ session: Session, request: Int64, _ rejection: Rejection) {
        guard admitRequest(session, request, .other) != nil else { return }
        sendError(rejection, to: session, request: request)
    }

    // MARK: Parts

    /// - Parameter work: `other` for acts, so that lists of other members never delay the withdrawal of rights.
    /// - Returns: the room of the request; `nil` if the request was refused.
    func admitRequest(_ session: Session, _ request: Int64, _ work: WorkAccounts.Work = .list) -> Room? {
        guard let room = session.room, session.isSeated else {
            sendError(unjoined(session), to: session, request: request)
            return nil
        }
        // A person who scrolls waits for the answer anyway.
        guard session.pendingPages < Hub.maxPendingPages else {
            sendError(Rejection(.busy, "Too many requests wait for their answers. Try again in a moment.", retryAfter: 100), to: session, request: request)
            return nil
        }
        return admits(session, in: room, request: request, work, cost: WorkEstimate.question) ? room : nil
    }

    /// Whether the named member is an athlete of the family; the answer is the same for a member who is not and for one
    /// who does not exist.
    private func isKnown(_ athlete: Context?, _ session: Session, _ room: Room, _ request: Int64) -> Bool {
        guard case .athlete(let id) = athlete, !room.athletes.contains(id) else { return true }
        sendError(
            Rejection(.notFound, "There is no such athlete in this family.", field: "athlete"), to: session, request: request)
        return false
    }

    func ask(_ session: Session, _ request: ReadRequest) {
        session.pendingPages += 1
        emit(.read(session.id, request))
    }

    // MARK: Payment

    /// The payer of a session's reads; `nil` before it joins.
    package func payer(of id: SessionID) -> WorkOwner? {
        guard let session = session(id), let room = session.room else { return nil }
        return WorkOwner(family: room.family, member: session.member)
    }

    /// Accepts a request over HTTP of a member: it counts with the frames of their sessions.
    ///
    /// - Parameter now: milliseconds.
    /// - Returns: why not, with the time until it may come again.
    package func admit(_ payer: WorkOwner, now: Int64) -> Rejection? {
        switch accounts.accept(payer, cost: WorkEstimate.httpRequest, now: now) {
        case nil: nil
        case .requests(let wait)?, .time(let wait)?, .family(_, let wait)?: Rejection(.rateLimited, "Too many requests. Try again in a moment.", retryAfter: wait)
        }
    }

    /// A read is done.
    ///
    /// - Parameter owed: microseconds that it took beyond `ReadRequest.reserved`; negative if it took less.
    package func charge(_ payer: WorkOwner, owed: Int64) { accounts.charge(family: payer.family, member: payer.member, owed, now: now) }

    /// The readers had no room for what a session asked.
    ///
    /// - Returns: false if the session cannot continue without it.
    package func refusedRead(_ id: SessionID, _ request: ReadRequest) -> Bool {
        let busy = Rejection(.busy, "The server is busy. Try again in a moment.", retryAfter: 1_000)
        if let payer = payer(of: id) { charge(payer, owed: -request.reserved) }
        if let question = request.question {
            answered(id, .page(ServerFrame.error(busy, request: question).encode()), time: 0)
            return true
        }
        switch request {
        case .signIn:
            guard let session = session(id), session.phase == .signingIn else { return true }
            session.phase = .anonymous
            sendError(busy, to: session)
        case .redemption(let code, let nonce): answered(id, .redemption(code: code, nonce: nonce, refusal: busy), time: 0)
        case .join: answered(id, .join(.failure(busy)), time: 0)
        default: return false
        }
        return true
    }
}
