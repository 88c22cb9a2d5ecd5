import Bytes
import Client
import Family
import Posix
import Screen
import Terminal
import Views

/// A form under way: it stays as it is while one looks elsewhere.
final class FormBuffer: Buffer {
    private let key: BufferKey
    private var view: FormView

    init(_ key: BufferKey, _ view: FormView) {
        self.key = key
        self.view = view
    }

    func refresh(_ client: FullScreenClient) {
        view.options = client.formOptions
        view.context = Request.context(client.session.engine)
        view.today = client.today
        if let base = view.parts.first?.base, let record = client.session.engine.record(base.id) { view.follow(record) }
    }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) { view.draw(facts, &canvas) }

    func handle(_ input: InputEvent, _ client: FullScreenClient) throws {
        for action in view.handle(input) {
            switch action {
            case .save(let entries, let athlete): save(entries, athlete, client)
            case .addSchool(let name): addSchool(name, client)
            case .editOutside(let text): try client.edit(text) { [weak self] in self?.view.write($0) }
            case .discard: client.close(key)
            case .shared(let action): try client.perform(action)
            }
        }
    }

    /// Sends the batch and closes the form; whatever is refused before that is said in it, and nothing that was typed is lost.
    private func save(_ entries: [FormEntry], _ athlete: Identifier?, _ client: FullScreenClient) {
        do throws(Rejection) {
            let context = Request.context(client.session.engine)
            var operations: [Operation] = []
            for entry in entries {
                if let base = entry.base {
                    if !entry.patch.isEmpty { operations.append(try Request.update(base, entry.patch)) }
                } else {
                    let owner = entry.kind.declaration.scope == .athlete ? athlete : nil
                    operations.append(try Request.create(entry.kind, entry.patch, athlete: owner, id: client.freshIdentifier(), context: context))
                }
            }
            guard !operations.isEmpty else { return client.close(key) }
            _ = try client.session.perform(operations)
            client.close(key)
            if client.session.engine.phase != .live { client.toast("Kept, and sent when the server is back.") }
            // What is new is looked at (R070).
            if let first = entries.first, first.base == nil, first.kind == .event || first.kind == .trip { client.show(.record(first.kind, operations[0].id)) }
        } catch {
            view.refuse(error)
        }
    }

    private func addSchool(_ name: String, _ client: FullScreenClient) {
        guard let field = Kind.school.declaration.index(of: "name") else { return }
        let patch = FieldPatch(assignments: [.init(field: field, value: .text(name))])
        do throws(Rejection) {
            let operation = try Request.create(.school, patch, id: client.freshIdentifier(), context: Request.context(client.session.engine))
            _ = try client.session.perform([operation])
            view.choose(FormOption(operation.id, name), .school)
        } catch {
            view.refuse(Rejection(error.code, "Failed to add school. \(error.message)"))
        }
    }
}

@available(*, unavailable) extension FormBuffer: Sendable {}
