package import Bytes

/// The rules of what a record may hold. Pure; every answer is the same at the client, the reactor and the writer.
///
/// Three steps, in this order: `canonicalize` looks at what an operation says, `applyDefaults` fills a new record, and
/// `check` looks at the whole record that would come out.
package enum Validation {
    /// Longest URL: what browsers and mail programs carry without cutting.
    package static let urlOctets = 2_048
    /// Days that a shift or a copy moves at most: ten years.
    package static let shiftDays = 3_660

    /// Brings every value of an operation into its canonical spelling, or says what is wrong with it.
    ///
    /// - Texts lose white space at both ends; an empty text or set becomes absent. Decimals get their full scale, states upper case.
    /// - Set elements keep their ids only, each once and ordered; names and roles are the writer's to fill in.
    /// - Kinds that come or go by invitations only, and fields that only the server writes, are `not_allowed`; an update
    ///   that clears a required field is `required`. A create without a required field is left to `check`.
    /// - Parameter index: position of the operation in its batch, for the rejection.
    package static func canonicalize(
        _ operation: inout Operation, index: Int, environment: RuleEnvironment
    ) throws(Rejection) {
        let place = RuleSite(operation: index, kind: operation.kind, id: operation.id)
        let declaration = operation.kind.declaration
        switch operation.action {
        case .create(let athlete, var patch):
            guard declaration.isCreatedByMutation else {
                throw place.rejection(.notAllowed, "\(declaration.label): can only be created by the server, not by a mutation")
            }
            guard athlete == nil || declaration.scope == .athlete else {
                throw place.rejection(.invalid, "\(declaration.label): belongs to the whole family, not to one athlete", field: "athlete")
            }
            try canonicalize(&patch, place: place, environment: environment)
            patch.assignments.removeAll { $0.value == nil }
            operation.action = .create(athlete: athlete, patch: patch)
        case .update(let base, let merge, var patch):
            try canonicalize(&patch, place: place, environment: environment)
            for assignment in patch.assignments where assignment.value == nil {
                let field = declaration.fields[assignment.field]
                if field.isRequired { throw place.missing(field) }
            }
            operation.action = .update(base: base, merge: merge, patch: patch)
        case .shift(_, let days):
            guard declaration.shiftsWithDays else {
                throw place.rejection(.invalid, "\(declaration.label): only trips, their items and events can be moved by days", field: "op")
            }
            guard days != 0, days.magnitude <= shiftDays else {
                throw place.rejection(.outOfRange, "Days to move by must be from 1 to \(shiftDays), or below zero to move earlier", field: "days")
            }
        case .copy(_, let days):
            guard declaration.isCopied else {
                throw place.rejection(.invalid, "\(declaration.label): only trips and events can be copied", field: "op")
            }
            guard days.magnitude <= shiftDays else {
                throw place.rejection(.outOfRange, "Days to move a copy by must be at most \(shiftDays)", field: "days")
            }
        case .delete, .restore:
            guard declaration.isDeletedByMutation else {
                throw place.rejection(.notAllowed, "\(declaration.label): cannot be deleted by a mutation")
            }
        }
    }

    /// A text from elsewhere as a name may hold it: without the characters that show nothing.
    package static func visibleName(_ text: String) -> String { TextRules.visible(text) }

    /// Gives a new record what its author left out.
    ///
    /// Every kind: the declared defaults. Events also: `end_date` is `start_date`, `end_time` is one hour after `start_time`; an
    /// hour that passes midnight moves `end_date` to the next day, unless the author named a later day already. Metrics: the unit of their
    /// type; the date of their event, or else today. Interactions: school, local start and zone of their event, "Interaction at …", or
    /// else now in the family's zone; who logged them. Trips: the family's zone. Trip items: the zone of their trip.
    ///
    /// - Parameter context: asked only for kinds whose rules look around.
    package static func applyDefaults(_ fields: inout Fields, environment: RuleEnvironment, context: () -> RuleContext) {
        for (index, field) in fields.kind.declaration.fields.enumerated() where fields[index] == nil {
            if let value = field.defaultValue { fields[index] = value }
        }
        switch fields.kind {
        case .event: EventRules.applyDefaults(&fields)
        case .metric: MetricRules.applyDefaults(&fields, environment, context())
        case .interaction: InteractionRules.applyDefaults(&fields, environment, context())
        case .trip: TripRules.applyDefaults(&fields, context())
        case .tripItem: TripItemRules.applyDefaults(&fields, context())
        case .family, .member, .school, .coach, .message, .document, .readingPosition, .reminderRule: break
        }
    }

    /// Checks the rules that look at a whole record, after an operation was applied to it.
    ///
    /// - Throws: `required` for the first required field that is empty, `too_many` for a set that edits made too large, and what
    ///   the kind's own rules say (`end_before_start`).
    package static func check(
        _ fields: Fields, operation: Int, id: Identifier, environment: RuleEnvironment
    ) throws(Rejection) {
        let place = RuleSite(operation: operation, kind: fields.kind, id: id)
        for (index, field) in fields.kind.declaration.fields.enumerated() {
            switch fields[index] {
            case nil:
                if field.isRequired { throw place.missing(field) }
            case .set(let elements)?:
                if case .set(_, let max) = field.type, elements.count > max { throw place.tooMany(field, max: max) }
            default: break
            }
        }
        try checkTogether(fields, operation: operation, id: id, environment: environment)
    }

    /// Checks the kind's own rules about several fields together; empty fields are skipped.
    package static func checkTogether(
        _ fields: Fields, operation: Int, id: Identifier, environment: RuleEnvironment
    ) throws(Rejection) {
        let place = RuleSite(operation: operation, kind: fields.kind, id: id)
        switch fields.kind {
        case .event: try EventRules.check(fields, place: place)
        case .metric: try MetricRules.check(fields, place: place)
        case .trip: try TripRules.check(fields, place: place)
        case .tripItem: try TripItemRules.check(fields, environment: environment, place: place)
        case .reminderRule: try ReminderRule.check(fields, place: place)
        case .family, .member, .school, .coach, .message, .interaction, .document, .readingPosition: break
        }
    }

    private static func canonicalize(_ patch: inout FieldPatch, place: RuleSite, environment: RuleEnvironment) throws(Rejection) {
        let fields = place.kind.declaration.fields
        for position in patch.assignments.indices {
            let assignment = patch.assignments[position]
            guard fields.indices.contains(assignment.field) else { throw place.unknownField }
            let field = fields[assignment.field]
            guard !field.isServerOnly else { throw place.serverOnly(field) }
            guard let value = assignment.value else { continue }
            do {
                patch.assignments[position].value = try ValueRules.canonical(value, field, environment: environment)
            } catch {
                throw place.rejection(error.code, error.message, field: field.name)
            }
        }
        for position in patch.setEdits.indices {
            let edit = patch.setEdits[position]
            guard fields.indices.contains(edit.field) else { throw place.unknownField }
            let field = fields[edit.field]
            guard !field.isServerOnly else { throw place.serverOnly(field) }
            guard case .set(_, let max) = field.type else {
                throw place.rejection(.invalid, "\(field.label): add and remove are for sets only", field: field.name)
            }
            guard edit.add.count <= max, edit.remove.count <= max else { throw place.tooMany(field, max: max) }
            let add = Set(edit.add)
            let remove = Set(edit.remove)
            guard add.isDisjoint(with: remove) else {
                throw place.rejection(.invalid, "\(field.label): the same entry is both added and removed", field: field.name)
            }
            guard !patch.assignments.contains(where: { $0.field == edit.field }) else {
                throw place.rejection(.invalid, "\(field.label): set it as a whole, or use add and remove, not both", field: field.name)
            }
            patch.setEdits[position].add = add.sorted()
            patch.setEdits[position].remove = remove.sorted()
        }
        patch.setEdits.removeAll { $0.add.isEmpty && $0.remove.isEmpty }
    }
}

/// Where in a mutation a rule was broken; makes rejections that name it.
struct RuleSite {
    let operation: Int
    let kind: Kind
    let id: Identifier

    func rejection(_ code: ErrorCode, _ message: String, field: String? = nil) -> Rejection {
        Rejection(code, message, operation: operation, kind: kind, id: id, field: field)
    }

    func missing(_ field: FieldDeclaration) -> Rejection {
        rejection(.required, "\(field.label) is required", field: field.name)
    }

    func tooMany(_ field: FieldDeclaration, max: Int) -> Rejection {
        rejection(.tooMany, "\(field.label): at most \(max) entries", field: field.name)
    }

    func serverOnly(_ field: FieldDeclaration) -> Rejection {
        rejection(.notAllowed, "\(field.label) can only be written by the server", field: field.name)
    }

    var unknownField: Rejection {
        rejection(.unknownField, "\(kind.declaration.label) has no such field")
    }
}
