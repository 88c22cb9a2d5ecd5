package import Bytes

/// The content of one field in the form that travels. Dates, times, decimals, zones, choices and URLs are text in canonical
/// spelling (`Validation` makes it canonical), so that equal values are equal text.
package enum Value: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case flag(Bool)
    case reference(Identifier)
    case link(Kind, Identifier)
    /// Ordered by id, each id once.
    case set([SetElement])
    /// A validated JSON object, octet for octet.
    case json([UInt8])
}

/// One element of a set-valued field: who, and as what they were known when they were added.
package struct SetElement: Hashable, Sendable {
    package var id: Identifier
    /// Empty when unknown.
    package var name: String
    /// Empty when there is none.
    package var role: String

    package init(id: Identifier, name: String = "", role: String = "") {
        self.id = id
        self.name = name
        self.role = role
    }
}

/// The fields of one record, in the order of the kind's declaration. An empty field is `nil`, on the wire `null` or absent.
package struct Fields: Hashable, Sendable {
    package let kind: Kind
    package private(set) var values: [Value?]

    package init(_ kind: Kind) {
        self.kind = kind
        values = Array(repeating: nil, count: kind.declaration.fields.count)
    }

    /// By position in `kind.declaration.fields`.
    package subscript(index: Int) -> Value? {
        get { values[index] }
        set { values[index] = newValue }
    }

    /// By name; a field that the kind does not declare is empty. To set one is our own mistake and traps.
    package subscript(name: String) -> Value? {
        get { kind.declaration.index(of: name).flatMap { values[$0] } }
        set { values[Self.index(of: name, in: kind)] = newValue }
    }

    package func text(_ name: String) -> String? {
        if case .text(let text)? = self[name] { return text }
        return nil
    }

    package func flag(_ name: String) -> Bool {
        self[name] == .flag(true)
    }

    package func reference(_ name: String) -> Identifier? {
        if case .reference(let id)? = self[name] { return id }
        return nil
    }

    package func set(_ name: String) -> [SetElement] {
        if case .set(let elements)? = self[name] { return elements }
        return []
    }

    /// By position.
    func text(_ index: Int) -> String? {
        if case .text(let text)? = values[index] { return text }
        return nil
    }

    /// The position of a field that the kind declares.
    static func index(of name: String, in kind: Kind) -> Int {
        guard let index = kind.declaration.index(of: name) else { preconditionFailure("\(kind.name) declares no field \(name)") }
        return index
    }
}

/// The assignments of an operation to the fields of one record.
package struct FieldPatch: Hashable, Sendable {
    /// One assignment; `nil` clears.
    package struct Assignment: Hashable, Sendable {
        package var field: Int
        package var value: Value?

        package init(field: Int, value: Value?) {
            self.field = field
            self.value = value
        }
    }

    /// Elements that join and leave one set-valued field; if two people add at the same time, both succeed.
    package struct SetEdit: Hashable, Sendable {
        package var field: Int
        package var add: [Identifier]
        package var remove: [Identifier]

        package init(field: Int, add: [Identifier] = [], remove: [Identifier] = []) {
            self.field = field
            self.add = add
            self.remove = remove
        }
    }

    /// Each field at most once, in the order of the declaration.
    package var assignments: [Assignment] = []
    /// Each field at most once, in the order of the declaration; never one that is assigned as well.
    package var setEdits: [SetEdit] = []

    package init(assignments: [Assignment] = [], setEdits: [SetEdit] = []) {
        self.assignments = assignments
        self.setEdits = setEdits
    }

    package var isEmpty: Bool { assignments.isEmpty && setEdits.isEmpty }
}
