import Bytes
import Commands
import Family
import Posix
import Screen
import Sessions
import Sync
import Terminal
import Views
import Words

/// The forms that buffers open.
extension FullScreenClient {
    /// Opens a form for a new record.
    ///
    /// - Parameters:
    ///   - athlete: the record's athlete; `nil`: the athlete whose season is shown, otherwise the form asks.
    ///   - preset: values by field name.
    ///   - whenMade: receives the new record, for the form that asked for it.
    func add(_ kind: Kind, athlete: Identifier?, preset: [String: Value], whenMade: ((FormOption) -> Void)?) {
        if let refusal = refusal(.create, kind, owner: athlete) { return hint(refusal) }
        var owner = athlete
        var isAsked = false
        if kind.declaration.scope == .athlete, owner == nil {
            owner = try? Request.owner(of: kind, nil, session.engine, records.names)
            isAsked = owner == nil
            // Nobody could save such a form.
            if isAsked, records.athletes.isEmpty { return hint("No athletes yet. Add one in the room (Alt-1): /invite NAME --role athlete --born YYYY-MM-DD") }
        }
        show(
            .add(kind, athlete: owner, asksAthlete: isAsked, preset: preset, context: Request.context(session.engine, records.names), today: records.today, theme: appearance.theme, keymap: keymap),
            "New \(kind.declaration.label.lowercased())", whenMade: whenMade)
    }

    /// Opens a form for a record.
    func edit(_ kind: Kind, _ id: Identifier) {
        guard let record = records.living(id), record.kind == kind else { return screen.bell() }
        if let refusal = refusal(.update, kind, owner: record.athlete, id) { return hint(refusal) }
        show(.edit(record, context: Request.context(session.engine, records.names), today: records.today, theme: appearance.theme, keymap: keymap), "Edit \(records.names.name(id))")
    }

    /// Marks an event as attended, and asks what happened there.
    func attend(_ id: Identifier) {
        guard let record = records.living(id), record.kind == .event, !record.fields.flag("attended") else { return screen.bell() }
        if let refusal = refusal(.update, .event, owner: record.athlete) { return hint(refusal) }
        show(.attend(record, context: Request.context(session.engine, records.names), today: records.today, theme: appearance.theme, keymap: keymap), "At \(records.names.name(id))")
    }

    /// Opens the form with the school's coaches who were at an event.
    func coaches(_ id: Identifier) {
        guard let record = records.living(id), record.kind == .event else { return screen.bell() }
        if let refusal = refusal(.update, .event, owner: record.athlete) { return hint(refusal) }
        guard record.fields.reference("school_id") != nil else { return toast("Event not linked to school. e changes it.") }
        show(.coaches(record, context: Request.context(session.engine, records.names), today: records.today, theme: appearance.theme, keymap: keymap), "At \(records.names.name(id))")
    }

    /// Deletes a result or an interaction, or removes a coach from an event.
    func remove(_ part: RecordReference, from event: Identifier) {
        guard part.kind == .coach else { return conversation.submit("/rm \(KindWords.singular(part.kind)[0]) \(part.id)") }
        guard let record = records.living(event), let field = Kind.event.declaration.index(of: "coaches_present") else { return screen.bell() }
        do throws(Rejection) {
            _ = try session.perform([try Request.update(record, FieldPatch(setEdits: [.init(field: field, remove: [part.id])]))])
        } catch {
            toast(error.message.printable)
        }
    }

    /// Opens a form for a result or an interaction of an event.
    func log(_ kind: Kind, at event: Identifier) {
        guard let record = records.living(event), record.kind == .event else { return screen.bell() }
        add(kind, athlete: record.athlete, preset: ["event_id": .reference(event)], whenMade: nil)
    }

    /// The server's sentence of refusal if this person may not do the action, so that nobody fills in a form in vain.
    /// `nil` if they may, or if the server has not yet said who they are.
    ///
    /// - Parameters:
    ///   - owner: `nil` if the form asks for the athlete, or the record has none.
    ///   - subject: the record.
    func refusal(_ action: AccessAction, _ kind: Kind, owner: Identifier?, _ subject: Identifier? = nil) -> String? {
        let engine = session.engine
        guard let member = engine.member, let role = engine.role else { return nil }
        let allowed = owner.flatMap { engine.record($0)?.fields.text("parent_access") }.flatMap { ParentAccess(rawValue: $0) } ?? .edit
        let access = Access(actor: Actor(member: member, role: role), kind: kind, action: action, owner: owner ?? member, ownerAllowsParents: allowed, subject: subject)
        do throws(Rejection) {
            try Permission.check(access, operation: 0, id: subject ?? member)
            return nil
        } catch {
            return error.message
        }
    }

    private func show(_ form: FormView, _ title: String, whenMade: ((FormOption) -> Void)? = nil) {
        guard let key = place(form, whenMade: whenMade) else {
            return toast("\(Typing.mostForms) forms are open already: save one, or discard one with Esc. \(keymap.keys(of: BufferCommand.switchTo.rawValue).first ?? "Alt-/") goes to them.")
        }
        show(key, title: title)
    }

    /// - Returns: `nil` if too many forms are open.
    private func place(_ form: FormView, whenMade: ((FormOption) -> Void)? = nil) -> BufferKey? {
        open.addForm { FormBuffer($0, form, whenMade: whenMade) }
    }

    /// Restores a form of an earlier run with its typed fields, and leaves the current page on the screen.
    ///
    /// - Returns: `nil` if the form's record no longer exists.
    func restore(_ draft: FormDraft) -> BufferKey? {
        let context = Request.context(session.engine, records.names)
        var form: FormView
        let title: String
        switch draft.recipe {
        case .add(let kind, let athlete, let asksAthlete):
            form = .add(kind, athlete: athlete, asksAthlete: asksAthlete, context: context, today: records.today, theme: appearance.theme, keymap: keymap)
            title = "New \(kind.declaration.label.lowercased())"
        case .edit(let id):
            guard let record = records.living(id) else { return nil }
            form = .edit(record, context: context, today: records.today, theme: appearance.theme, keymap: keymap)
            title = "Edit \(records.names.name(id))"
        case .attend(let id):
            guard let record = records.living(id), record.kind == .event else { return nil }
            form = .attend(record, context: context, today: records.today, theme: appearance.theme, keymap: keymap)
            title = "At \(records.names.name(id))"
        case .coaches(let id):
            guard let record = records.living(id), record.kind == .event else { return nil }
            form = .coaches(record, context: context, today: records.today, theme: appearance.theme, keymap: keymap)
            title = "At \(records.names.name(id))"
        }
        form.restore(draft)
        guard let key = place(form) else { return nil }
        open.list.open(key, title: title)
        return key
    }
}
