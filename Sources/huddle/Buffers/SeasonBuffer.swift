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

/// The season page: the month, the list of events, and the acts on events.
final class SeasonBuffer: Buffer {
    private var view: EventsView

    /// The state from which the list was made.
    private var shown: (revision: Int, context: Context, today: CalendarDate)?

    init(_ view: EventsView) { self.view = view }

    func refresh(_ host: any BufferHost) {
        view.mayWrite = host.session.engine.role != .guest
        view.hasAthletes = !host.records.athletes.isEmpty
        view.names = host.records.memberNames
        view.restore(host.session.value(of: .eventsSortBy).flatMap { Query.Sort(rawValue: $0) })
        let now = (revision: host.records.names.revision(of: .event), context: host.session.engine.context ?? .all, today: host.records.today)
        if shown.map({ $0 != now }) ?? true {
            shown = now
            view.show(host.records.names.records(of: .event), context: now.context, today: now.today)
        }
        if view.detail != nil, let record = view.selectedRecord { view.refreshDetail(host.lines(of: record)) }
        preview(host)
    }

    /// Shows the selected event beside the list, where there is room.
    private func preview(_ host: any BufferHost) {
        if view.hasPreview(host.size), let record = view.selectedRecord { view.showPreview(record.id, host.lines(of: record)) }
    }

    func leave(_ host: any BufferHost, for next: BufferKey?) {
        // A form or a record comes on top of the page that opened it.
        if next.map({ BufferKey.fixed.contains($0) }) ?? false { view.leave() }
    }

    /// - Returns: whether there was something to prepare.
    func prepare() -> Bool { view.prepare() }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) { view.draw(facts, &canvas) }

    func adopt(_ theme: Theme, _ keymap: Keymap) {
        view.theme = theme
        view.keymap = keymap
        shown = nil
    }

    func handle(_ input: InputEvent, _ host: any BufferHost) throws {
        let before = view.selected
        defer { if view.selected != before || view.detail == nil { preview(host) } }
        for action in view.handle(input) {
            switch action {
            case .open(let id):
                guard let record = host.session.engine.record(id) else { return host.bell() }
                view.showDetail(host.lines(of: record))
            case .coaches(let id): host.coaches(id)
            case .record(let part): host.show(.record(part.kind, part.id))
            case .remove(let part, let id): host.remove(part, from: id)
            case .export(let listed, let event): host.offerExport(listed, event: event)
            case .sorted(let sort): host.session.set(.eventsSortBy, to: sort?.rawValue)
            case .attend(let id): host.attend(id)
            case .log(let kind, let id): host.log(kind, at: id)
            case .delete(let id): host.submit("/rm \(id)")
            case .add(let day): host.add(.event, preset: day.map { ["start_date": .text($0.description)] } ?? [:])
            case .edit(let id): host.edit(.event, id)
            case .directions(let link): host.copy(link)
            case .shared(let action): try host.perform(action)
            }
        }
    }
}

@available(*, unavailable) extension SeasonBuffer: Sendable {}
