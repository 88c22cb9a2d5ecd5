package import Family
import Wire

// Calendar feeds of a member, in the family that is joined. Everybody who may join may have feeds, guests too: a feed shows what its member sees. The
// writer decides; a token for a program makes none.
extension Hub {
    func calendars(_ session: Session, _ request: CalendarsRequest) {
        guard let room = admitRequest(session, request.request), mayManageAccount(session, request.request), let number = session.number else { return }
        if case .list = request.act { return ask(session, .calendars(family: room.family, member: session.member, request: request.request)) }
        guard mayCommand(session, request.request) else { return }
        switch request.act {
        case .list: break
        case .add, .change: emit(.command(session.id, .calendars(family: room.family, member: session.member, request, by: number)))
        case .remove(let feed): emit(.endFeed(session.id, family: room.family, member: session.member, feed: feed))
        }
    }

    /// The end that `Effect.endFeed` asked for is durable, or was refused.
    package func didEndFeed(_ id: SessionID, _ rejection: Rejection?) {
        guard let session = session(id), let request = session.commandRequest else { return }
        session.commandRequest = nil
        guard session.phase != .closed, session.phase != .ending else { return }
        if let rejection { return sendError(rejection, to: session, request: request) }
        guard let room = session.room else { return }
        ask(session, .calendars(family: room.family, member: session.member, request: request))
    }
}
