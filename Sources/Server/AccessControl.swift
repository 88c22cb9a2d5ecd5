import Calendar
import Family
import EventLoop
import Rooms
import Store

/// The sessions and share links that are valid: those in the database, without those that have just ended.
final class AccessControl {
    private let hub: Hub
    private let reactor: Reactor
    private let writer: WriterThread
    let workers: Workers
    let usage: UsageRecorder
    /// Revocations that are not durable yet.
    private var revocations = PendingRevocations()
    /// Share links that have ended, while a read of the database may still find them.
    private var endedLinks = EndedRights<ShareLinkName>()
    /// Calendar feeds that have ended, likewise.
    private var endedFeeds = EndedRights<FeedEnd>()

    init(hub: Hub, reactor: Reactor, writer: WriterThread, workers: Workers, usage: UsageRecorder) {
        self.hub = hub
        self.reactor = reactor
        self.writer = writer
        self.workers = workers
        self.usage = usage
    }

    /// Whether a session has ended, although a read of the database may still find it: check this after every read that
    /// found a session.
    func hasEnded(_ session: Int64) -> Bool { hub.hasEnded(session) }

    /// Whether a share link has ended, although a read of the database may still find it.
    func hasEnded(_ link: ShareLinkName) -> Bool { endedLinks.contains(link) }

    /// Whether a calendar feed has ended, although a read of the database may still find it.
    func hasEnded(_ feed: OpenFeed) -> Bool { endedFeeds.contains(FeedEnd(family: feed.family, member: feed.owner.member, feed: feed.id)) }

    /// Ends a session that the hub has ended already.
    func endSession(_ number: Int64) { revoke(.session(number)) }

    /// Ends a session: from now on it gives no access.
    ///
    /// - Parameter then: called on this thread when the end is durable, or with the reason why it is not. With
    ///   `storage_full` the session stays ended, as long as this process runs, and the writer tries the end again until
    ///   it is durable.
    func endSession(_ number: Int64, then: @escaping (Rejection?) -> Void) {
        guard hub.beginEnd(of: number) else { return then(.busy) }
        revoke(.session(number), then: then)
    }

    /// Ends sessions that their person names.
    ///
    /// - Parameter then: called on this thread when the end is durable and the connections of these sessions are closed, or with the reason why nothing
    ///   was done.
    func revoke(_ end: SessionsEnd, then: @escaping (Rejection?) -> Void) { revoke(.sessions(end), then: then) }

    /// Ends a share link: from now on it gives no access.
    ///
    /// - Parameters:
    ///   - end: by a member who may end the link, as far as a reader knows.
    ///   - then: called on this thread when the end is durable, or with the reason why it is not. With `storage_full`
    ///     the link stays closed, as long as this process runs, and the writer tries the end again until it is durable;
    ///     with any other reason the link is valid again.
    func revoke(_ end: ShareEnd, then: @escaping (Rejection?) -> Void) {
        guard endedLinks.begin(end.name) else { return then(.busy) }
        revoke(.share(end), then: then)
    }

    /// Ends a calendar feed: from now on its address opens nothing. The name of the feed includes the member, so that
    /// nobody can end another member's feed.
    ///
    /// - Parameter then: as for a share link.
    func revoke(_ end: FeedEnd, then: @escaping (Rejection?) -> Void) {
        guard endedFeeds.begin(end) else { return then(.busy) }
        revoke(.feed(end), then: then)
    }

    private func revoke(_ revocation: Revocation, then: ((Rejection?) -> Void)? = nil) {
        switch revocations.add(revocation, then) {
        case .submit: submit(revocation)
        case .waits: break
        case .full: then?(.busy)
        }
    }

    /// Gives the writer the revocations again that found the disk full, once their time has come.
    func retryRevocations(now: Int64) {
        for revocation in revocations.due(now: now) { submit(revocation) }
    }

    private func submit(_ revocation: Revocation) {
        if !writer.submit(revocation) { didRevoke(revocation, .busy) }
    }

    /// The writer has done a revocation, or refused it.
    func didRevoke(_ revocation: Revocation, _ rejection: Rejection?) {
        // The disk is full: the right stays withdrawn, because the client that asked must be able to rely on that. The
        // writer has not yet found the sessions that a person meant, so nothing was withdrawn from these.
        let isKept = if case .sessions = revocation { false } else { rejection?.code == .storageFull }
        let answers = isKept ? revocations.postpone(revocation, now: reactor.now) : revocations.end(revocation)
        switch (revocation, rejection) {
        case (.session(let number), nil): hub.endSessions(number)
        case (.session(let number), let rejection?): hub.didNotEnd(number, rejection)
        case (.sessions, _): break
        case (.feed(let end), nil): endedFeeds.didCommit(end)
        case (.feed(let end), _?): if !isKept { endedFeeds.lift(end) }
        case (.share(let end), nil): endedLinks.didCommit(end.name)
        case (.share(let end), _?): if !isKept { endedLinks.lift(end.name) }
        }
        for answer in answers { answer(rejection) }
    }
}

@available(*, unavailable) extension AccessControl: Sendable {}
