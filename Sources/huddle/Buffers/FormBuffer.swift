import Bytes
import Commands
import Family
import Posix
import Screen
import Sessions
import Sync
import Terminal
import Views
import Wire
import Words

/// An open form. It stays as it is while the person looks at other pages.
final class FormBuffer: Buffer {
    private let key: BufferKey
    private var view: FormView
    /// The mutation that is on its way, and the record that it creates.
    private var saving: (mutation: Int64, made: RecordReference?)?
    /// The refused draft whose fields the form still shows.
    private var refused: Int64?
    /// Receives the new record.
    private let whenMade: ((FormOption) -> Void)?

    init(_ key: BufferKey, _ view: FormView, whenMade: ((FormOption) -> Void)? = nil) {
        self.key = key
        self.view = view
        self.whenMade = whenMade
    }

    /// The typed fields that would be lost if the program ended now.
    var typed: Cache.Place? {
        // A mutation that is on its way waits in the outbox.
        guard saving == nil else { return nil }
        return view.draft?.text.map { Cache.Place(text: $0) }
    }

    func refresh(_ host: any BufferHost) {
        view.athletes = Set(host.records.athletes)
        view.options = host.records.formOptions(view.kindsNamed)
        view.context = Request.context(host.session.engine, host.records.names)
        view.today = host.records.today
        if let base = view.parts.first?.base, let record = host.session.engine.record(base.id) { view.follow(record, by: host.records.names.member(record.updatedBy)) }
    }

    /// The record that the form changes; `nil` for a new one.
    var edited: RecordReference? { view.parts.first?.base.map { RecordReference($0.kind, $0.id) } }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) { view.draw(facts, &canvas) }

    func adopt(_ theme: Theme, _ keymap: Keymap) {
        view.theme = theme
        view.keymap = keymap
    }

    func handle(_ input: InputEvent, _ host: any BufferHost) throws {
        for action in view.handle(input) {
            switch action {
            case .save(let entries, let athlete): save(entries, athlete, host)
            case .addSchool(let name): addSchool(name, host)
            case .editOutside(let text): try host.edit(text) { [weak self] in self?.view.write($0) }
            case .discard:
                if let refused { _ = host.session.drop(draft: refused) }
                host.close(key)
            case .accept(let reason): accept(reason, host)
            case .shared(let action): try host.perform(action)
            }
        }
    }

    /// Handles an event of the session. The form closes only when its change is done (R164). A refusal is shown in the
    /// form, and the typed fields stay.
    ///
    /// - Returns: whether the event was about this form, so that nothing else needs to report it.
    func receive(_ event: SessionEvent, _ host: any BufferHost) -> Bool {
        guard let (mutation, made) = saving, case .notice(let notice) = event else { return false }
        switch notice {
        case .acknowledged(let ack) where ack.mutation == mutation: finish(made, host)
        case .rejected(mutation, let rejection):
            saving = nil
            refused = mutation
            if let item = OutboxBuffer.items(host).first(where: { $0.id == mutation }), item.isOverlap {
                view.ask(about: item)
            } else {
                view.refuse(whenMade == nil ? rejection : Rejection(rejection.code, "Failed to add school. \(rejection.message)", kind: rejection.kind, field: rejection.field))
                // The outbox page compares both sides; the form waits until the person has decided there.
                if rejection.conflict != nil, host.isShown(key) { host.showConflict(mutation) }
            }
            return true
        case .postponed(mutation, let rejection, _): view.say("\(rejection.message) It is kept, and sent again by itself.")
        default: break
        }
        return false
    }

    /// Handles two changes that no event reports: the server may be gone while the form waits for its receipt, and the
    /// refused draft may have been decided on another page.
    func settle(_ host: any BufferHost) {
        if let saving, host.session.engine.phase != .live {
            finish(saving.made, host, isShown: false)
            return host.toast("Kept, and sent when the server is back.")
        }
        guard saving == nil, let refused, !host.session.engine.drafts.contains(where: { $0.id == refused }) else { return }
        host.close(key)
    }

    /// - Parameter isShown: whether the new record may be opened.
    private func finish(_ made: RecordReference?, _ host: any BufferHost, isShown: Bool = true) {
        saving = nil
        let isShown = isShown && host.isShown(key)
        host.close(key)
        if let whenMade, let record = made.flatMap({ host.session.engine.record($0.id) }) { whenMade(FormOption(record.id, RecordNames.name(record))) }
        // The new record is opened (R070).
        if isShown, let made, made.kind == .event || made.kind == .trip { host.show(.record(made.kind, made.id)) }
    }

    /// The form stays until the receipt is there. Without a server the change is kept, and there is nothing else to
    /// wait for.
    private func wait(for mutation: Int64, made: RecordReference?, _ host: any BufferHost) {
        guard host.session.engine.phase == .live else {
            finish(made, host)
            return host.toast("Kept, and sent when the server is back.")
        }
        saving = (mutation, made)
        view.beginSaving()
    }

    private func accept(_ reason: String, _ host: any BufferHost) {
        guard let draft = refused.flatMap({ id in host.session.engine.drafts.first { $0.id == id } }) else { return }
        do throws(Rejection) {
            guard let mutation = try host.session.retry(draft: draft.id, accepting: try Request.acceptance(reason, of: draft.rejection)) else { return }
            refused = nil
            let made = draft.operations.first.flatMap { operation -> RecordReference? in
                if case .create = operation.action { RecordReference(operation.kind, operation.id) } else { nil }
            }
            wait(for: mutation, made: made, host)
        } catch {
            view.refuse(error)
        }
    }

    /// Sends the batch. The form shows every refusal before that, and no typed field is lost.
    private func save(_ entries: [FormEntry], _ athlete: Identifier?, _ host: any BufferHost) {
        do throws(Rejection) {
            let context = Request.context(host.session.engine, host.records.names)
            var operations: [Operation] = []
            for entry in entries {
                if let base = entry.base {
                    if !entry.patch.isEmpty { operations.append(try Request.update(base, entry.patch)) }
                } else {
                    let owner = entry.kind.declaration.scope == .athlete ? athlete : nil
                    operations.append(try Request.create(entry.kind, entry.patch, athlete: owner, id: host.freshIdentifier(), context: context))
                }
            }
            guard !operations.isEmpty else { return host.close(key) }
            let mutation = try host.session.perform(operations)
            // This change replaces the one that was refused.
            if let refused { _ = host.session.drop(draft: refused) }
            refused = nil
            let made = entries.first.flatMap { $0.base == nil ? RecordReference($0.kind, operations[0].id) : nil }
            wait(for: mutation, made: made, host)
        } catch {
            view.refuse(error)
        }
    }

    /// Opens a form for the school; once the school is created, this form has it (R074).
    private func addSchool(_ name: String, _ host: any BufferHost) {
        host.add(.school, preset: name.isEmpty ? [:] : ["name": .text(name)]) { [weak self] in self?.view.choose($0, .school) }
    }
}

@available(*, unavailable) extension FormBuffer: Sendable {}
