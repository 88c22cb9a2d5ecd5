import Bytes
import Dates
import Family
import Posix
import Screen
import Sessions
import Sync
import Terminal
import Views
import Words

/// The trips page: the list, and one trip by day.
final class TripsBuffer: Buffer {
    private var view: ItineraryView
    /// The state from which the list was made.
    private var shown: (revisions: [Int], today: CalendarDate)?

    init(_ view: ItineraryView) { self.view = view }

    func refresh(_ host: any BufferHost) {
        view.mayWrite = host.session.engine.role != .guest
        let names = host.records.names
        let wall = host.records.clock.now(Clock.wallMilliseconds())
        let now = (revisions: [Kind.trip, .tripItem, .member].map { names.revision(of: $0) }, today: wall.date)
        view.time = wall.time
        if shown.map({ $0 != now }) ?? true {
            shown = now
            view.show(trips: names.records(of: .trip), items: names.records(of: .tripItem), names: names, now: wall)
        }
        if view.detail != nil, let record = view.selectedItem.flatMap({ host.session.engine.record($0) }) {
            view.refreshDetail(RecordTables.details(record, host.records.text))
        }
    }

    /// A change was refused because of an overlap; this page asks the person about it.
    func refused(_ mutation: Int64, _ host: any BufferHost) {
        if let item = OutboxBuffer.items(host).first(where: { $0.id == mutation }) { view.show(item) }
    }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) { view.draw(facts, &canvas) }

    func adopt(_ theme: Theme, _ keymap: Keymap) {
        view.theme = theme
        view.keymap = keymap
        shown = nil
    }

    func handle(_ input: InputEvent, _ host: any BufferHost) throws {
        for action in view.handle(input) {
            switch action {
            case .pane(let action): try host.perform(action)
            case .open(let id):
                guard let record = host.session.engine.record(id) else { return host.bell() }
                view.showDetail(RecordTables.details(record, host.records.text))
            case .override(let draft, let reason):
                try OutboxBuffer.override(draft, reason, host)
                host.refreshSoon()
            case .drop(let draft):
                _ = host.session.drop(draft: draft)
                host.toast("Discarded.")
                host.refreshSoon()
            }
        }
        host.say(&view.toast)
    }
}

@available(*, unavailable) extension TripsBuffer: Sendable {}
