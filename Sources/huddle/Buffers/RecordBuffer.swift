import Bytes
import Family
import Sessions
import Sync
import Terminal
import Views
import Words

/// One record in full.
final class RecordBuffer: Buffer {
    private var view: RecordView

    init(_ view: RecordView) { self.view = view }

    func refresh(_ host: any BufferHost) {
        view.mayWrite = host.session.engine.role != .guest
        let record = host.session.engine.record(view.id).flatMap { $0.isDeleted ? nil : $0 }
        view.show(record, record.map { host.lines(of: $0) } ?? [])
    }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) { view.draw(facts, &canvas) }

    func adopt(_ theme: Theme, _ keymap: Keymap) {
        view.theme = theme
        view.keymap = keymap
    }

    func handle(_ input: InputEvent, _ host: any BufferHost) throws {
        for action in view.handle(input) {
            switch action {
            case .edit: host.edit(view.kind, view.id)
            case .attend: host.attend(view.id)
            case .coaches: host.coaches(view.id)
            case .record(let part): host.show(.record(part.kind, part.id))
            case .remove(let part): host.remove(part, from: view.id)
            case .export: host.offerExport([view.id], event: view.id)
            case .log(let kind): host.log(kind, at: view.id)
            case .delete:
                host.submit("/rm \(view.id)")
                host.close(.record(view.kind, view.id))
            case .directions(let link): host.copy(link)
            case .shared(let action): try host.perform(action)
            }
        }
    }
}

@available(*, unavailable) extension RecordBuffer: Sendable {}
