import Bytes
import Family
import Posix
import Sessions
import Sync
import Views
import Wire
import Words

extension FullScreenClient {
    /// Sends the person's activity to the others after an input: typing a message, editing or looking at a record.
    /// Without key presses nothing is sent, so an unattended program sends nothing.
    func tellActivity() {
        guard appearance.configuration.showsTyping else { return }
        guard let next = own.next(wanted, now: Clock.monotonicMilliseconds()) else { return }
        session.tell(next)
    }

    private var wanted: Activity? {
        switch open.list.current {
        case .room:
            guard let typed = open.room.typed, !typed.text.hasPrefix("/") else { return nil }
            return Activity(.typing, open.room.view.target.map { .init(kind: $0.kind, id: $0.id) })
        case .record(let kind, let id): return Activity(.looking, .init(kind: kind, id: id))
        case .form: return (open.shown as? FormBuffer)?.edited.map { Activity(.editing, .init(kind: $0.kind, id: $0.id)) }
        case .season, .trips, .documents, .kept: return nil
        }
    }

    /// - Returns: whether the event was only about the others' activities, so that only the status line has to be drawn
    ///   again.
    func takeActivity(_ event: SessionEvent) -> Bool {
        switch event {
        case .notice(.activity(let one)):
            if others.receive(one, now: Clock.monotonicMilliseconds()) { showActivity() }
            return true
        case .notice(.change(let change, _)):
            if change.entries.contains(where: { $0.kind == .message }), others.end(change.member) { showActivity() }
        case .notice(.presence(let presence)):
            if presence.connections == 0, others.end(presence.member) { showActivity() }
        case .notice(.offline), .stopped:
            others.clear()
            showActivity()
        default: break
        }
        return false
    }

    /// Removes activities that were not repeated.
    func expireActivity() {
        if others.expire(now: Clock.monotonicMilliseconds()) { showActivity() }
    }

    private func showActivity() {
        picture.facts.activity = others.text(records.names)
        picture.below = nil
    }
}
