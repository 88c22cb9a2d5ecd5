import Family
import Wire

// Invites, which parents make, take back and list. The writer decides; the reactor only refuses early.
extension Hub {
    func invite(_ session: Session, _ request: InviteRequest) {
        guard isUnseated(session) || isInviter(session, request.request) else { return }
        command(session, request.request) { .invite(family: $0.family, member: session.member, request) }
    }

    func withdrawInvite(_ session: Session, _ request: WithdrawInviteRequest) {
        guard isUnseated(session) || isInviter(session, request.request) else { return }
        command(session, request.request) { .withdrawInvite(family: $0.family, member: session.member, request) }
    }

    func invites(_ session: Session, _ request: InvitesRequest) {
        guard let room = admitRequest(session, request.request), isInviter(session, request.request) else { return }
        ask(session, .invites(family: room.family, member: session.member, request))
    }

    /// Asks the writer. One such command of a session is under way at a time.
    func command(_ session: Session, _ request: Int64, _ command: (Room) -> SessionCommand) {
        guard let room = admitRequest(session, request, .other) else { return }
        guard session.commandRequest == nil, !session.isAddingFamily else {
            sendError(
                Rejection(.tooManyPending, "The last change of members has no answer yet. Wait for its answer, then send this again.", retryAfter: 100),
                to: session, request: request)
            return
        }
        session.commandRequest = request
        emit(.command(session.id, command(room)))
    }

    /// A session that has not joined is refused for that first.
    private func isUnseated(_ session: Session) -> Bool { session.room == nil || !session.isSeated }

    private func isInviter(_ session: Session, _ request: Int64) -> Bool {
        guard session.scope != .read else {
            sendError(.beyondScope, to: session, request: request)
            return false
        }
        let access = Access(actor: Actor(member: session.member, role: session.role), kind: .member, action: .create)
        guard Permission.allows(access) else {
            sendError(.notAnInviter, to: session, request: request)
            return false
        }
        return true
    }

    /// The writer has answered a command of a session that has joined.
    func didCommand(_ session: Session, _ answer: SessionCommandAnswer, request: Int64) {
        session.commandRequest = nil
        // A session that signed out in the meantime receives nothing more of the family.
        guard session.phase != .closed, session.phase != .ending else { return }
        switch answer {
        case .invite(let invite, let code): send(.invite(InviteAnswer(request: request, invite: invite, code: code)), to: session)
        case .standing(let standing): send(.standing(StandingAnswer(request: request, standing: standing)), to: session)
        case .sessions(let sessions): send(.sessions(SessionList(request: request, sessions: sessions)), to: session)
        case .programToken(let token, let made): send(.programToken(ProgramTokenAnswer(request: request, token: token, session: made)), to: session)
        case .calendars(let feeds, let made): send(.calendars(CalendarList(request: request, calendars: feeds, made: made)), to: session)
        case .deviceCode(let code, let expiresAt):
            send(.deviceCode(DeviceCodeAnswer(request: request, code: code, expiresAt: expiresAt)), to: session)
        case .deletion(let deletion): send(.deletion(DeletionAnswer(request: request, deletion: deletion)), to: session)
        case .rejected(let rejection): sendError(rejection, to: session, request: request)
        case .token, .redemptionClosed, .membership: break
        }
    }
}
