import Dates
import Family
import Posix
import Queries
import Screen
import Sessions
import Sync
import Terminal
import Views
import Words

/// The season: the month, the list of events and what is done with them.
final class SeasonBuffer: Buffer {
    private var view: EventsView

    /// What the list was made of.
    private var shown: (revision: Int, context: Context, today: CalendarDate)?

    init(_ view: EventsView) { self.view = view }

    func refresh(_ client: FullScreenClient) {
        view.names = client.memberNames
        view.restore(client.session.value(of: .eventsSortBy).flatMap { Query.Sort(rawValue: $0) })
        let now = (revision: client.names.revision(of: .event), context: client.session.engine.context ?? .all, today: client.today)
        if shown.map({ $0 != now }) ?? true {
            shown = now
            view.show(client.names.records(of: .event), context: now.context, today: now.today)
        }
        if view.detail != nil, let record = view.selectedRecord { view.refreshDetail(client.lines(of: record)) }
    }

    func leave(_ client: FullScreenClient, for next: BufferKey?) {
        // A form or a record stands before the page that it came from.
        if next.map({ BufferKey.fixed.contains($0) }) ?? false { view.leave() }
    }

    /// - Returns: whether there was something to make ready.
    func prepare() -> Bool { view.prepare() }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) { view.draw(facts, &canvas) }

    func adopt(_ theme: Theme, _ keymap: Keymap) {
        view.theme = theme
        view.keymap = keymap
        shown = nil
    }

    func handle(_ input: InputEvent, _ client: FullScreenClient) throws {
        for action in view.handle(input) {
            switch action {
            case .open(let id):
                guard let record = client.session.engine.record(id) else { return client.screen.bell() }
                view.showDetail(client.lines(of: record))
            case .coaches(let id): client.coaches(id)
            case .record(let part): client.show(.record(part.kind, part.id))
            case .remove(let part, let id): client.remove(part, from: id)
            case .export(let listed, let event): client.offerExport(listed, event: event)
            case .sorted(let sort): client.session.set(.eventsSortBy, to: sort?.rawValue)
            case .attend(let id): client.attend(id)
            case .log(let kind, let id): client.log(kind, at: id)
            case .delete(let id): client.conversation.submit("/rm \(id)")
            case .add(let day): client.add(.event, preset: day.map { ["start_date": .text($0.description)] } ?? [:])
            case .edit(let id): client.edit(.event, id)
            case .directions(let link): client.copy(link)
            case .shared(let action): try client.perform(action)
            }
        }
    }
}

@available(*, unavailable) extension SeasonBuffer: Sendable {}
