package import Bytes
package import Family

/// The decisions for the author of a refused change: for each of its fields, the value that they saw, the value that
/// they want, and the current value.
package struct ConflictSides: Hashable, Sendable {
    /// One field that the refused change writes.
    package struct Field: Hashable, Sendable {
        /// Position in the kind's declaration.
        package var field: Int
        /// The value that the author saw; `nil` if it was empty, or is unknown by now.
        package var base: Value?
        package var yours: Value?
        package var theirs: Value?
        /// Whether another member changed it too, so that a choice is needed; the other fields are written as
        /// requested.
        package var isContested: Bool
        /// The last author and the time of that change (UTC milliseconds); `nil` if the field is not contested.
        package var member: Identifier?
        package var at: Int64?
    }

    /// The scope of a conflict.
    package enum Scope: Hashable, Sendable {
        /// Some fields.
        case fields
        /// The record was deleted in the meantime: `yours` restores it with the change.
        case deleted
        /// The change deletes, restores or moves the whole record, which another member changed in the meantime.
        case whole
    }

    /// The draft's number.
    package let draft: Int64
    /// Position of the operation in its batch.
    package let operation: Int
    package let matter: Scope
    /// The current record; a decision is based on this version.
    package let record: Record
    /// In the order of the declaration; empty if the whole record is in conflict.
    package let fields: [Field]

    package var contested: [Field] { fields.filter(\.isContested) }
}

/// The decision about one contested field.
package enum ConflictChoice: Hashable, Sendable {
    case yours
    case theirs
    /// Texts: theirs, then yours below it (after it, for texts of one line). Sets: the union.
    case both
    /// Another value.
    case value(Value?)
}

extension SyncEngine {
    /// The two sides of a draft that was refused with `conflict`; `nil` for every other draft.
    ///
    /// Computed on each call: another member may have changed the record again since the refusal.
    package func conflict(of draft: Int64) -> ConflictSides? {
        guard let draft = drafts.first(where: { $0.id == draft }), let told = draft.rejection.conflict else { return nil }
        let place = draft.rejection.operation ?? draft.operations.firstIndex { $0.id == told.record.id } ?? 0
        guard draft.operations.indices.contains(place), draft.operations[place].id == told.record.id else { return nil }
        var now = told.record
        if let held = confirmedRecord(now.id), held.version > now.version { now = held }
        guard case .update(_, _, let patch) = draft.operations[place].action else {
            return ConflictSides(draft: draft.id, operation: place, matter: .whole, record: now, fields: [])
        }
        let mine = Merge.apply(patch, to: now.fields, resolve: { _, _ in nil }).fields
        let fields = patch.assignments.map { assignment -> ConflictSides.Field in
            let index = assignment.field
            let theirs = now.fields.values.indices.contains(index) ? now.fields[index] : nil
            let field = told.fields.first { $0.field == index }
            // The record changed again since the refusal, and the author has not seen that.
            let isNew = now.version > told.record.version && theirs != told.record.fields[index]
            let isContested = !now.isDeleted && (field != nil || isNew) && theirs != mine[index]
            return ConflictSides.Field(
                field: index, base: field?.base, yours: assignment.value, theirs: theirs, isContested: isContested,
                member: isContested ? (isNew ? now.updatedBy : field?.member) : nil, at: isContested ? (isNew ? now.updatedAt : field?.at) : nil)
        }
        return ConflictSides(
            draft: draft.id, operation: place, matter: now.isDeleted ? .deleted : .fields, record: now, fields: fields)
    }

    /// Decides a conflict. The decision is requested under a new mutation id, based on the version that was shown, so
    /// that a simultaneous change by another member is not overwritten either: then it is a conflict again.
    ///
    /// - Parameters:
    ///   - sides: the sides as they were shown.
    ///   - choices: for each contested field; if the whole record is in conflict, or was deleted, `whole` decides.
    ///   - whole: `.yours` or `.theirs` for everything that `choices` does not name.
    /// - Returns: the new mutation's id; `nil` if nothing was left to request, and the draft is gone.
    /// - Throws: `required` if a contested field is not decided, `invalid` for values that cannot both be kept, and the
    ///   errors of `perform`; the draft is unchanged.
    package mutating func resolve(
        _ sides: ConflictSides, _ choices: [Int: ConflictChoice], whole: ConflictChoice? = nil, at: Int64, now: Int64
    ) throws(Rejection) -> (mutation: Int64?, actions: [SyncAction]) {
        guard let index = drafts.firstIndex(where: { $0.id == sides.draft }), drafts[index].operations.indices.contains(sides.operation) else {
            throw Rejection(.notFound, "This draft no longer exists.")
        }
        guard sides.matter == .fields, case .update(_, _, var patch) = drafts[index].operations[sides.operation].action else {
            guard whole != .theirs else {
                _ = drop(draft: sides.draft)
                return (nil, flush(now))
            }
            guard whole == .yours else { throw Rejection(.required, "Choose yours or theirs.", kind: sides.record.kind, id: sides.record.id) }
            guard let again = try retry(draft: sides.draft, at: at, now: now) else { return (nil, flush(now)) }
            return (again.mutation, again.actions)
        }
        for field in sides.contested {
            let declaration = sides.record.kind.declaration.fields[field.field]
            guard let choice = choices[field.field] ?? whole else {
                throw Rejection(
                    .required, "Choose yours, theirs or both for \(declaration.label).", kind: sides.record.kind, id: sides.record.id,
                    field: declaration.name)
            }
            patch.assignments.removeAll { $0.field == field.field }
            switch choice {
            case .theirs: break
            case .yours: patch.assignments.append(.init(field: field.field, value: field.yours))
            case .both: patch.assignments.append(.init(field: field.field, value: try Self.both(field, declaration, sides.record)))
            case .value(let value): patch.assignments.append(.init(field: field.field, value: value))
            }
        }
        patch.assignments.sort { $0.field < $1.field }
        let draft = drafts.remove(at: index)
        var operations = draft.operations
        if patch.isEmpty {
            operations.remove(at: sides.operation)
        } else {
            operations[sides.operation].action = .update(base: sides.record.version, merge: .disjoint, patch: patch)
        }
        // The server found no conflict in the draft's earlier operations on the record, up to the version that it
        // returned.
        if let shown = draft.rejection.conflict?.record.version {
            for place in 0..<min(sides.operation, operations.count) where operations[place].id == sides.record.id {
                operations[place].base = shown
            }
        }
        guard !operations.isEmpty else { return (nil, flush(now)) }
        do {
            let (mutation, actions) = try perform(operations, accepting: draft.overlap, at: at, now: now)
            return (mutation, actions)
        } catch {
            drafts.insert(draft, at: index)
            throw error
        }
    }

    private static func both(_ field: ConflictSides.Field, _ declaration: FieldDeclaration, _ record: Record) throws(Rejection) -> Value? {
        switch (declaration.type, field.theirs, field.yours) {
        case (_, let only, nil), (_, nil, let only): return only
        case (.text(let max), .text(let theirs)?, .text(let yours)?): return try joined(theirs, "\n", yours, max, declaration, record)
        case (.line(let max), .text(let theirs)?, .text(let yours)?): return try joined(theirs, " / ", yours, max, declaration, record)
        case (.set, .set(let theirs)?, .set(let yours)?):
            let more = yours.filter { element in !theirs.contains { $0.id == element.id } }
            return .set((theirs + more).sorted { $0.id < $1.id })
        default:
            throw Rejection(
                .invalid, "\(declaration.label) cannot be both: choose yours or theirs.", kind: record.kind, id: record.id, field: declaration.name)
        }
    }

    private static func joined(
        _ first: String, _ between: String, _ second: String, _ max: Int, _ declaration: FieldDeclaration, _ record: Record
    ) throws(Rejection) -> Value {
        let text = first + between + second
        guard text.unicodeScalars.count <= max else {
            throw Rejection(
                .tooLong, "Both together are longer than \(max) characters: shorten one of them, or choose.", kind: record.kind, id: record.id,
                field: declaration.name)
        }
        return .text(text)
    }
}
