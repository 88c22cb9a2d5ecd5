package import Family

/// A field of one kind that refers to records of another kind and has something to do when they go.
package struct ReferringField: Hashable, Sendable {
    package var kind: Kind
    /// Position in the kind's declaration.
    package var field: Int
    package var name: String
}

/// The references in the declarations, the other way round: for each kind, the fields that refer to it.
package enum Referrers {
    /// Fields with a policy other than `stay`, by name and then by kind, for each kind that they refer to.
    package static let of: [Kind: [String: [ReferringField]]] = {
        var found: [Kind: [String: [ReferringField]]] = [:]
        for kind in Kind.allCases {
            for (index, field) in kind.declaration.fields.enumerated() {
                guard case .reference(let target) = field.type, field.whenGone != .stay else { continue }
                found[target, default: [:]][field.name, default: []].append(ReferringField(kind: kind, field: index, name: field.name))
            }
        }
        return found
    }()

    /// The positions of the fields of each kind that refer to a kind: `positions[target]?[kind]`.
    static let positions: [Kind: [Kind: [Int]]] = of.mapValues { names in
        names.values.joined().reduce(into: [:]) { $0[$1.kind, default: []].append($1.field) }
    }
}
