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

    func refresh(_ client: FullScreenClient) {
        let record = client.session.engine.record(view.id).flatMap { $0.isDeleted ? nil : $0 }
        view.show(record, record.map { client.lines(of: $0) } ?? [])
    }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) { view.draw(facts, &canvas) }

    func adopt(_ theme: Theme, _ keymap: Keymap) {
        view.theme = theme
        view.keymap = keymap
    }

    func handle(_ input: InputEvent, _ client: FullScreenClient) throws {
        for action in view.handle(input) {
            switch action {
            case .edit: client.edit(view.kind, view.id)
            case .attend: client.attend(view.id)
            case .coaches: client.coaches(view.id)
            case .record(let part): client.show(.record(part.kind, part.id))
            case .remove(let part): client.remove(part, from: view.id)
            case .export: client.offerExport([view.id], event: view.id)
            case .log(let kind): client.log(kind, at: view.id)
            case .delete:
                client.conversation.submit("/rm \(view.id)")
                client.close(.record(view.kind, view.id))
            case .directions(let link): client.copy(link)
            case .shared(let action): try client.perform(action)
            }
        }
    }
}

@available(*, unavailable) extension RecordBuffer: Sendable {}
