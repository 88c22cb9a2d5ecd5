import Arguments
import Bytes
import Commands
import Dates
import Family
import Sessions
import Sync
import Terminal
import Views
import Words

/// The outbox page: changes that were refused, and changes that wait.
final class OutboxBuffer: Buffer {
    private var view: ConflictView

    init(_ view: ConflictView) { self.view = view }

    func refresh(_ host: any BufferHost) {
        let text = host.records.text
        view.show(Self.items(host), waiting: host.session.engine.pending.map(text.waiting))
    }

    /// The typed choices that are not decided yet; `nil` for none.
    var typed: Cache.Place? { view.kept.map { Cache.Place(text: $0) } }

    /// Restores the choices that an earlier run kept.
    ///
    /// - Returns: false if their draft no longer exists.
    func restore(_ place: Cache.Place, _ host: any BufferHost) -> Bool {
        refresh(host)
        return view.restore(place.text)
    }

    /// Opens a draft.
    func open(_ draft: Int64) { view.open(draft) }

    static func items(_ host: any BufferHost) -> [DraftItem] {
        let text = host.records.text
        return host.session.engine.drafts.map { DraftItem($0, host.session.engine.conflict(of: $0.id), text) }
    }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) { view.draw(facts, &canvas) }

    func adopt(_ theme: Theme, _ keymap: Keymap) {
        view.theme = theme
        view.keymap = keymap
    }

    func handle(_ input: InputEvent, _ host: any BufferHost) throws {
        for action in view.handle(input) {
            do {
                try perform(action, host)
            } catch let mistake as UsageError {
                host.toast(mistake.message.printable)
            } catch let rejection as Rejection {
                host.toast(rejection.message.printable)
            }
        }
        host.say(&view.toast)
    }

    private func perform(_ action: ConflictAction, _ host: any BufferHost) throws {
        switch action {
        case .pane(.editOutside(let text)): return try host.edit(text) { [weak self] in self?.view.take($0) }
        case .pane(let action): return try host.perform(action)
        case .retry(let draft):
            _ = try host.session.retry(draft: draft)
            host.toast("Sent again.")
        case .split(let draft):
            let parts = try host.session.split(draft: draft) ?? 0
            host.toast("Sent one by one: \(parts).")
        case .drop(let draft):
            _ = host.session.drop(draft: draft)
            host.toast("Discarded.")
        case .override(let draft, let reason): try Self.override(draft, reason, host)
        case .resolve(let sides, let choices, let whole):
            var chosen: [Int: ConflictChoice] = [:]
            for (field, choice) in choices { chosen[field] = try self.choice(choice, field, sides.record.kind, host.records.names, host.records.today) }
            let whole = try whole.map { try choice($0, 0, sides.record.kind, host.records.names, host.records.today) }
            let isAsked = try host.session.resolve(sides, chosen, whole: whole) != nil
            host.toast(isAsked ? "Decided, and sent." : "Theirs stays; yours is let go.")
        }
        // The drafts have changed.
        host.refreshSoon()
    }

    /// Sends an overlapping change again, with the reason why both may be at the same time.
    static func override(_ draft: Int64, _ reason: String, _ host: any BufferHost) throws {
        guard let kept = host.session.engine.drafts.first(where: { $0.id == draft }) else { return }
        _ = try host.session.retry(draft: draft, accepting: try Request.acceptance(reason, of: kept.rejection))
        host.toast("Sent again, with the reason.")
    }

    private func choice(_ choice: ConflictView.Choice, _ field: Int, _ kind: Kind, _ names: RecordNames, _ today: CalendarDate) throws -> ConflictChoice {
        switch choice {
        case .yours: return .yours
        case .theirs: return .theirs
        case .both: return .both
        case .text(let text):
            let patch = try FieldOptions.patch([FieldInput(field: field, text: text)], kind, names: names, today: today)
            guard let assignment = patch.assignments.first else { throw UsageError("Write all names that are to be there, with commas between.") }
            return .value(assignment.value)
        }
    }
}

@available(*, unavailable) extension OutboxBuffer: Sendable {}
