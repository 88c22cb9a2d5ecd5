package import Arguments
package import Bytes
package import Dates
package import Family
internal import Posix
package import Sync
internal import Terminal
package import Wire
package import Words

/// Turns a person's request into operations on the current records.
package enum Request {
    /// The batch of an action; empty for an action that changes no records, and for an undo.
    ///
    /// - Parameters:
    ///   - today: the family's day, for dates such as "tomorrow".
    ///   - fresh: makes the id of a new record (`IdentifierSource`).
    /// - Throws: `UsageError` if a value or a name is not valid, `Rejection` if the rules refuse the batch; both before
    ///   anything is sent.
    package static func operations(
        _ action: CommandAction, _ engine: borrowing SyncEngine, _ lookup: RecordLookup, today: CalendarDate, fresh: () -> Identifier
    ) throws -> [Operation] {
        let names = lookup.names
        switch action {
        case .add(let kind, let inputs, let athlete):
            let owner = try owner(of: kind, athlete, engine, names)
            let around = context(engine, names)
            return [try create(kind, try FieldOptions.patch(inputs, kind, names: names, today: today), athlete: owner, id: fresh(), context: around)]
        // The words determine who is mentioned.
        case .edit(.message, let target, let inputs): return [try rewrite(try lookup.find([.message], target), inputs.first?.text ?? "", names)]
        case .edit(let kind, let target, let inputs):
            let record = try lookup.find([kind], target)
            return [try update(record, try FieldOptions.patch(inputs, kind, names: names, today: today, of: record))]
        case .remove(let target): return [remove(try lookup.find(kinds(target, CommandTable.named), target.text))]
        case .restore(let target):
            let record = try lookup.findDeleted(kinds(target, CommandTable.named), target.text)
            return [Operation(kind: record.kind, id: record.id, action: .restore(base: record.version))]
        case .attend(let attendance): return try attendance.operations(lookup, context(engine, names), today: today, fresh: fresh)
        case .shift(let target, let days):
            let record = try lookup.find(kinds(target, CommandTable.movable), target.text)
            return [Operation(kind: record.kind, id: record.id, action: .shift(base: record.version, days: days))]
        case .copy(let target, let days):
            let record = try lookup.find(kinds(target, CommandTable.copied), target.text)
            return [Operation(kind: record.kind, id: fresh(), action: .copy(from: record.id, days: days))]
        case .say(let text): return [try say(text, id: fresh(), names)]
        case .remind(let change): return try change.operations(engine, names)
        case .leave:
            guard let member = engine.member, let record = names[member] else { throw UsageError("Your own record is not here yet. Try again when the server answers.") }
            return [remove(record)]
        case .interactive, .help, .manual, .completions, .complete, .batch, .version, .join, .signIn, .signInByName, .askForMail, .logout, .outbox, .configure, .list, .watch, .ask, .deleted, .reminders, .reminderRule, .identity, .open, .undo, .redo, .itinerary, .export, .exportCalendar, .document: return []
        }
    }

    private static func kinds(_ target: CommandTarget, _ all: [Kind]) -> [Kind] { target.kind.map { [$0] } ?? all }

    /// The two directions through a member's own changes.
    package enum UndoStep: Hashable, Sendable {
        /// Undo: the last change that was done, or redone.
        case back
        /// Redo: the last one that was undone, unless something else was done after it.
        case forth
    }

    /// The change that "undo" or "redo" without a number means: the member's own last one in that direction.
    ///
    /// A redo is the undo of an undo, so the number of undos of a change determines its direction. The search stops at
    /// a change that was contradicted: undoing an older one in its place would be a surprise. A message is undone only
    /// if it was the last act of all; a person who undoes a plan does not mean to delete a message that they sent
    /// before it.
    ///
    /// - Parameter page: the family's history, newest first.
    /// - Throws: a sentence, if there is none.
    package static func lastUndoable(_ page: HistoryPage, by member: Identifier?, _ step: UndoStep = .back) throws(UsageError) -> Int64 {
        let undoes = Dictionary(page.entries.map { ($0.sequence, $0.undoes) }) { first, _ in first }
        func isUndo(_ item: HistoryItem) -> Bool {
            var (sequence, isUndo) = (item.undoes, false)
            while let undone = sequence {
                isUndo.toggle()
                sequence = undoes[undone] ?? nil
            }
            return isUndo
        }
        var undone: Set<Int64> = []
        var isLast = true
        for item in page.entries {
            // A change counts as undone if another member undid it.
            if undone.contains(item.sequence) { continue }
            if let other = item.undoes { undone.insert(other) }
            // Joining and reading are not steps of a plan.
            let isWalked = item.changes.contains { $0.entry.kind != .member && $0.entry.kind != .readingPosition }
            guard item.member == member, isWalked else { continue }
            let isTalk = item.changes.allSatisfy { $0.entry.kind == .message || $0.entry.kind == .readingPosition }
            defer { isLast = false }
            if isTalk, !isLast { continue }
            if isUndo(item) == (step == .forth) {
                guard item.isUndoable else {
                    throw UsageError("Change #\(item.sequence) cannot be \(step == .back ? "undone" : "done again"): something of it was changed since. See it: history")
                }
                return item.sequence
            }
            if step == .forth, item.undoes == nil { break }
        }
        throw UsageError(
            step == .back
                ? "Nothing that you did lately can be undone. Look at the history, and name the change: undo CHANGE."
                : "Nothing that you undid can be done again: nothing was undone, or something was changed after it.")
    }

    /// The number of changes that are searched for the member's own last one.
    package static let undoReach = 100

    /// The acceptance of an overlap that a refusal reported.
    ///
    /// - Throws: `too_long` and `invalid` for a reason that cannot be kept, `required` for none.
    package static func acceptance(_ reason: String, of rejection: Rejection) throws(Rejection) -> OverlapOverride {
        guard let reason = try OverlapOverride.canonicalReason(reason) else { throw Rejection(.required, "A reason is required.") }
        return OverlapOverride(reason: reason, pairs: rejection.overlaps.map(\.pair))
    }

    /// The athlete of a new record: the named one, otherwise the one of the context.
    package static func owner(
        of kind: Kind, _ athlete: String?, _ engine: borrowing SyncEngine, _ names: RecordNames
    ) throws(UsageError) -> Identifier? {
        guard kind.declaration.scope == .athlete else { return nil }
        if let athlete { return try self.athlete(athlete, names).id }
        if case .athlete(let id)? = engine.context { return id }
        let athletes = names.records(of: .member).filter { $0.fields.text("role") == Role.athlete.rawValue }
        if athletes.count == 1 { return athletes.first?.id }
        throw UsageError("Whose \(kind.name) is it? Name the athlete with --athlete, or look at one season with --context.")
    }

    /// The athlete of that name. Parents and guests have no season.
    package static func athlete(_ name: String, _ names: RecordNames) throws(UsageError) -> Record {
        let athletes = names.records(of: .member).filter { $0.fields.text("role") == Role.athlete.rawValue }.map { RecordNames.name($0) }
        do {
            let member = try names.find(.member, name)
            guard member.fields.text("role") == Role.athlete.rawValue else {
                throw UsageError("\(RecordNames.name(member)) isn't an athlete. Name one of \(athletes.joined(separator: ", ")).")
            }
            return member
        } catch let failure as LookupFailure {
            throw UsageError(athletes.isEmpty ? failure.message : "There is no athlete '\(name.printable)'. Name one of \(athletes.joined(separator: ", ")).")
        } catch {
            throw (error as? UsageError) ?? UsageError("\(error)")
        }
    }

    /// - Parameters:
    ///   - id: a fresh one (`IdentifierSource`).
    ///   - context: the facts from which the server completes missing fields (`context`).
    package static func create(
        _ kind: Kind, _ patch: FieldPatch, athlete: Identifier? = nil, id: Identifier, context: RuleContext
    ) throws(Rejection) -> Operation {
        let operation = try canonical(Operation(kind: kind, id: id, action: .create(athlete: athlete, patch: patch)))
        guard case .create(_, let patch) = operation.action else { return operation }
        var fields = Merge.apply(patch, to: Fields(kind), resolve: { _, _ in nil }).fields
        Validation.applyDefaults(&fields, environment: environment, context: { context })
        try Validation.check(fields, operation: 0, id: id, environment: environment)
        return operation
    }

    /// The facts from which the server completes missing fields.
    ///
    /// - Parameter names: the names of the engine's current records.
    package static func context(_ engine: borrowing SyncEngine, _ names: RecordNames) -> RuleContext {
        RuleContext(
            member: engine.member ?? engine.configuration.client, now: Clock.wallMilliseconds(), zone: engine.timeZone ?? "UTC", targets: names.all)
    }

    /// The members whose name, or first name, follows an @, in the order of their ids.
    private static func spokenTo(in text: String, _ names: RecordNames) -> [Identifier] {
        guard text.contains("@") else { return [] }
        let words = text.split { $0.isWhitespace || $0.isPunctuation && $0 != "@" }
        return names.records(of: .member).filter { member in
            let name = RecordNames.name(member)
            let first = name.split(separator: " ").first.map(String.init) ?? name
            return text.contains("@" + name) || words.contains { $0 == "@" + first }
        }.map(\.id).sorted()
    }

    /// - Parameter version: the version that the author has seen, if it is not the current one.
    package static func update(_ record: Record, _ patch: FieldPatch, of version: Int64? = nil) throws(Rejection) -> Operation {
        let base = min(version ?? record.version, record.version)
        return try canonical(Operation(kind: record.kind, id: record.id, action: .update(base: base, merge: .disjoint, patch: patch)))
    }

    package static func remove(_ record: Record) -> Operation {
        Operation(kind: record.kind, id: record.id, action: .delete(base: record.version))
    }

    /// A message to the family and to the members that it mentions.
    ///
    /// - Parameter about: the record that it is about.
    package static func say(_ text: String, about: RecordReference? = nil, id: Identifier, _ names: RecordNames) throws(Rejection) -> Operation {
        var said = patch(.message, "text", .text(text))
        let declaration = Kind.message.declaration
        if let about, let field = declaration.index(of: "about") { said.assignments.append(.init(field: field, value: .link(about.kind, about.id))) }
        let spokenTo = spokenTo(in: text, names)
        if !spokenTo.isEmpty, let field = declaration.index(of: "mentions") {
            said.assignments.append(.init(field: field, value: .set(spokenTo.map { SetElement(id: $0) })))
        }
        said.assignments.sort { $0.field < $1.field }
        let operation = try canonical(Operation(kind: .message, id: id, action: .create(athlete: nil, patch: said)))
        let place = declaration.index(of: "text")
        guard case .create(_, let patch) = operation.action, patch.assignments.contains(where: { $0.field == place && $0.value != nil }) else {
            throw Rejection(.required, "Message is required", operation: 0, kind: .message, id: id, field: "text")
        }
        return operation
    }

    /// A message with a new text, and with the members that the new text mentions.
    ///
    /// - Parameters:
    ///   - version: the version whose text the author has seen; a newer text is a conflict. `nil`: the current one.
    ///   - original: that text. While the record still has it, later versions do not conflict: usually they are the
    ///     author's own.
    package static func rewrite(
        _ record: Record, _ text: String, _ names: RecordNames, of version: Int64? = nil, _ original: String? = nil
    ) throws(Rejection) -> Operation {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw Rejection(.required, "A message needs a text. To delete it, undo it.", operation: 0, kind: .message, id: record.id, field: "text")
        }
        var changed = patch(.message, "text", .text(text))
        let spokenTo = spokenTo(in: text, names)
        if Set(spokenTo) != Set(record.fields.set("mentions").map(\.id)) {
            changed.assignments += patch(.message, "mentions", .set(spokenTo.map { SetElement(id: $0) })).assignments
        }
        changed.assignments.sort { $0.field < $1.field }
        let isSame = original != nil && record.fields.text("text") == original
        return try update(record, changed, of: isSame ? nil : version)
    }

    private static func patch(_ kind: Kind, _ name: String, _ value: Value) -> FieldPatch {
        FieldPatch(assignments: kind.declaration.index(of: name).map { [.init(field: $0, value: value)] } ?? [])
    }

    private static var environment: RuleEnvironment { RuleEnvironment(zone: LocalClock.rules) }

    private static func canonical(_ operation: Operation) throws(Rejection) -> Operation {
        var operation = operation
        try Validation.canonicalize(&operation, index: 0, environment: environment)
        return operation
    }
}
