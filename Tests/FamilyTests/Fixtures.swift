import Bytes
import Family

/// A short way to say ids, fields and operations.
func id(_ number: UInt64) -> Identifier { Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0000 | number) }

var earth: RuleEnvironment { RuleEnvironment { ["Europe/Warsaw", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "UTC"].contains($0) } }

extension Kind {
    func field(_ name: String) -> Int {
        guard let index = declaration.index(of: name) else { preconditionFailure("no field \(name)") }
        return index
    }
}

func patch(_ kind: Kind, _ values: KeyValuePairs<String, Value?>) -> FieldPatch {
    FieldPatch(assignments: values.map { .init(field: kind.field($0.key), value: $0.value) }.sorted { $0.field < $1.field })
}

func fields(_ kind: Kind, _ values: KeyValuePairs<String, Value?>) -> Fields {
    var fields = Fields(kind)
    for (name, value) in values { fields[name] = value }
    return fields
}

/// The value that a create of `kind` keeps of one field.
func canonical(_ kind: Kind, _ field: String, _ value: Value?) throws(Rejection) -> Value? {
    var operation = Operation(kind: kind, id: id(1), action: .create(athlete: nil, patch: patch(kind, [field: value])))
    try Validation.canonicalize(&operation, index: 3, environment: earth)
    guard case .create(_, let patch) = operation.action else { return nil }
    return patch.assignments.first?.value
}

/// The rejection of one field of a create, `nil` when it is accepted.
func refusal(_ kind: Kind, _ field: String, _ value: Value?) -> Rejection? {
    do {
        _ = try canonical(kind, field, value)
        return nil
    } catch {
        return error
    }
}

extension RuleContext {
    /// Somebody in Warsaw, at 2026-03-28T23:30 UTC (half past midnight there, a day later), who refers to nothing.
    static var nobody: RuleContext { around([]) }

    static func around(_ targets: [Record]) -> RuleContext {
        RuleContext(
            member: id(99), now: 1_774_740_600_000, zone: "Europe/Warsaw",
            targets: Dictionary(targets.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }))
    }
}
