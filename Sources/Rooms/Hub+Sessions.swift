import Bytes
package import Family
import Wire

// Sessions of an account: a person lists, names and ends them. The writer decides; the rights of a session that ends are taken away in the tick in which
// the commit is known, before anything is sent to the session that asked.
extension Hub {
    func sessions(_ session: Session, _ request: SessionsRequest) {
        guard admitRequest(session, request.request, .other) != nil, mayManageAccount(session, request.request), let number = session.number else { return }
        if case .list = request.act { return ask(session, .sessions(person: session.person, current: number, request: request.request)) }
        guard mayCommand(session, request.request) else { return }
        switch request.act {
        case .list: break
        case .rename(let id, let name): emit(.command(session.id, .renameSession(id, name, by: number)))
        case .end(let id): emit(.endSessions(session.id, by: number, id))
        case .endOthers: emit(.endSessions(session.id, by: number, nil))
        }
    }

    func createToken(_ session: Session, _ request: CreateTokenRequest) {
        guard admitRequest(session, request.request, .other) != nil, mayManageAccount(session, request.request), let number = session.number,
            mayCommand(session, request.request)
        else { return }
        emit(.command(session.id, .createToken(request, by: number)))
    }

    func addDevice(_ session: Session, _ request: AddDeviceRequest) {
        guard admitRequest(session, request.request, .other) != nil, mayManageAccount(session, request.request), let number = session.number,
            mayCommand(session, request.request)
        else { return }
        emit(.command(session.id, .addDevice(by: number)))
    }

    /// Begins a request to the writer, one of a session at a time.
    func mayCommand(_ session: Session, _ request: Int64) -> Bool {
        guard session.commandRequest == nil else {
            sendError(
                Rejection(.tooManyPending, "The last request of this kind has no answer yet. Wait for its answer, then send this again.", retryAfter: 100),
                to: session, request: request)
            return false
        }
        session.commandRequest = request
        return true
    }

    /// The end that `Effect.endSessions` asked for is durable, or was refused.
    package func didEndSessions(_ id: SessionID, _ rejection: Rejection?) {
        guard let session = session(id), let request = session.commandRequest else { return }
        session.commandRequest = nil
        // A session that ended itself already has the answer.
        guard session.phase != .closed, session.phase != .ending, let number = session.number else { return }
        if let rejection { return sendError(rejection, to: session, request: request) }
        ask(session, .sessions(person: session.person, current: number, request: request))
    }

    /// Whether a session may change the account of its person: not a token for a program.
    func mayManageAccount(_ session: Session, _ request: Int64) -> Bool {
        guard session.scope == nil else {
            sendError(.beyondScope, to: session, request: request)
            return false
        }
        return true
    }
}
