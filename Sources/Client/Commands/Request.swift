package import Arguments
package import Bytes
internal import Crypto
package import Family
internal import Posix
internal import Wire

/// Turns what a person asked for into an operation on the records as they are now.
package enum Request {
    /// - Throws: `UsageError` when a value or a name makes no sense, `Rejection` when the rules refuse it; both before anything is sent.
    package static func operation(_ command: Invocation.Command, _ engine: borrowing SyncEngine) throws -> Operation {
        let names = RecordNames(engine)
        switch command {
        case .add(let kind, let inputs, let athlete):
            let owner = try owner(of: kind, athlete, engine, names)
            let around = context(engine)
            return try create(kind, try FieldOptions.patch(inputs, kind, names: names), athlete: owner, id: fresh(), context: around)
        case .edit(let kind, let target, let inputs):
            return try update(try find(kind, target, names), try FieldOptions.patch(inputs, kind, names: names))
        case .remove(let kind, let target): return remove(try find(kind, target, names))
        case .attend(let target): return try attend(try find(.event, target, names))
        case .say(let text): return try say(text, id: fresh())
        case .interactive, .help, .version, .join, .list, .watch, .ask: preconditionFailure("this command asks for no change")
        }
    }

    /// Whose a new record is: who was named, else whom the context says.
    package static func owner(
        of kind: Kind, _ athlete: String?, _ engine: borrowing SyncEngine, _ names: RecordNames
    ) throws(UsageError) -> Identifier? {
        guard kind.declaration.scope == .athlete else { return nil }
        if let athlete {
            do { return try names.find(.member, athlete).id } catch { throw UsageError(error.message) }
        }
        if case .athlete(let id)? = engine.context { return id }
        let athletes = names.records(of: .member).filter { $0.fields.text("role") == Role.athlete.rawValue }
        if athletes.count == 1 { return athletes.first?.id }
        throw UsageError("Whose \(kind.name) is it? Name the athlete with --athlete, or look at one season with --context.")
    }

    /// - Parameters:
    ///   - id: a fresh one (`IdentifierSource`).
    ///   - context: what the server will know when it fills in what is left out (`context(_:)`).
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

    /// What the server will know when it fills in what is left out.
    package static func context(_ engine: borrowing SyncEngine) -> RuleContext {
        var targets: [Identifier: Record] = [:]
        for kind in [Kind.event, .trip] {
            for record in engine.records(of: kind) { targets[record.id] = record }
        }
        return RuleContext(
            member: engine.member ?? engine.configuration.client, now: Clock.wallMilliseconds(), zone: engine.timeZone ?? "UTC",
            targets: targets)
    }

    package static func update(_ record: Record, _ patch: FieldPatch) throws(Rejection) -> Operation {
        try canonical(Operation(kind: record.kind, id: record.id, action: .update(base: record.version, merge: .disjoint, patch: patch)))
    }

    package static func remove(_ record: Record) -> Operation {
        Operation(kind: record.kind, id: record.id, action: .delete(base: record.version))
    }

    package static func attend(_ record: Record) throws(Rejection) -> Operation {
        try update(record, patch(.event, "attended", .flag(true)))
    }

    package static func say(_ text: String, id: Identifier) throws(Rejection) -> Operation {
        let operation = try canonical(Operation(kind: .message, id: id, action: .create(athlete: nil, patch: patch(.message, "text", .text(text)))))
        guard case .create(_, let patch) = operation.action, !patch.isEmpty else {
            throw Rejection(.required, "Message is required", operation: 0, kind: .message, id: id, field: "text")
        }
        return operation
    }

    private static func fresh() -> Identifier { Random.identifier(milliseconds: Clock.wallMilliseconds()) }

    private static func patch(_ kind: Kind, _ name: String, _ value: Value) -> FieldPatch {
        FieldPatch(assignments: kind.declaration.index(of: name).map { [.init(field: $0, value: value)] } ?? [])
    }

    private static func find(_ kind: Kind, _ target: String, _ names: RecordNames) throws(UsageError) -> Record {
        do { return try names.find(kind, target) } catch { throw UsageError(error.message) }
    }

    private static var environment: RuleEnvironment { RuleEnvironment(zone: LocalClock.rules) }

    private static func canonical(_ operation: Operation) throws(Rejection) -> Operation {
        var operation = operation
        try Validation.canonicalize(&operation, index: 0, environment: environment)
        return operation
    }
}

extension SyncEngine {
    /// The family's zone, from its record.
    package var timeZone: String? { records(of: .family).first?.fields.text("time_zone") }

    /// The family's name.
    package var familyName: String? {
        records(of: .family).first?.fields.text("name") ?? memberships.first { $0.family == family }?.name
    }
}
