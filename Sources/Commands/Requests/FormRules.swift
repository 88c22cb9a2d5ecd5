internal import Bytes
package import Family
internal import Words

/// Applies the rules to a form while a person fills it in. They are the same rules as everywhere.
package enum FormRules {
    /// A value in its canonical spelling.
    ///
    /// - Parameter field: position in the kind's declaration.
    /// - Returns: `nil` if nothing is left of it.
    /// - Throws: the rule's sentence.
    package static func canonical(_ value: Value, _ kind: Kind, field: Int) throws(Rejection) -> Value? {
        var operation = Operation(
            kind: kind, id: nobody, action: .update(base: 1, merge: .none, patch: FieldPatch(assignments: [.init(field: field, value: value)])))
        try Validation.canonicalize(&operation, index: 0, environment: environment)
        guard case .update(_, _, let patch) = operation.action else { return nil }
        return patch.assignments.first?.value
    }

    /// Fields as the server would complete them.
    package static func completed(_ fields: Fields, _ context: RuleContext) -> Fields {
        var fields = fields
        Validation.applyDefaults(&fields, environment: environment) { context }
        return fields
    }

    /// The first mistake in a whole record; `nil` if there is none.
    package static func mistake(_ fields: Fields) -> Rejection? {
        do throws(Rejection) {
            try Validation.check(fields, operation: 0, id: nobody, environment: environment)
            return nil
        } catch {
            return error
        }
    }

    /// The first contradiction among the fields that are present, whichever fields are missing; `nil` if there is none.
    package static func contradiction(_ fields: Fields) -> Rejection? {
        do throws(Rejection) {
            try Validation.checkTogether(fields, operation: 0, id: nobody, environment: environment)
            return nil
        } catch {
            return error
        }
    }

    /// The checks look at the fields, not at the record's athlete.
    private static let nobody = Identifier(high: 0, low: 0)
    private static var environment: RuleEnvironment { RuleEnvironment(zone: LocalClock.rules) }
}
