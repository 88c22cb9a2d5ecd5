import Bytes
import Family
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

    /// A request that was refused for what it asks; it counts against the rate like any other.
    func refuse(_ session: Session, request: Int64, _ rejection: Rejection) {
        guard admitRequest(session, request) != nil else { return }
        sendError(rejection, to: session, request: request)
    }

    // MARK: Parts

    /// - Returns: the room that is asked about; `nil` when the session was told why not.
    private func admitRequest(_ session: Session, _ request: Int64) -> Room? {
        guard let room = session.room, session.isSeated else {
            sendError(Rejection(.notJoined, "Join a family first.", retryAfter: Hub.joinTime), to: session, request: request)
            return nil
        }
        // Whoever scrolls waits for the answer anyway.
        guard session.pendingPages < Hub.maxPendingPages else {
            sendError(Rejection(.busy, "Too many requests wait for their answers. Try again in a moment.", retryAfter: 100), to: session, request: request)
            return nil
        }
        return admits(session, in: room, request: request) ? room : nil
    }

    /// Whether somebody named is an athlete of the family; who is not, and who does not exist, is told the same.
    private func isKnown(_ athlete: Context?, _ session: Session, _ room: Room, _ request: Int64) -> Bool {
        guard case .athlete(let id) = athlete, !room.athletes.contains(id) else { return true }
        sendError(
            Rejection(.notFound, "There is no such athlete in this family.", field: "athlete"), to: session, request: request)
        return false
    }

    private func ask(_ session: Session, _ request: ReadRequest) {
        session.pendingPages += 1
        emit(.read(session.id, request))
    }
}
