package import Arguments
package import Family
internal import Terminal

/// Asks for the fields of a new record, one after the other: first the required fields, then those that people usually
/// know.
package struct Questions: Sendable {
    package let kind: Kind
    package private(set) var answers: [FieldInput] = []
    /// The athlete of the record, once the person has answered that question.
    package private(set) var athlete: String?
    private var asksAthlete: Bool
    /// The athletes to choose from, by name.
    private let athletes: [String]
    private var left: [Int]

    /// - Parameters:
    ///   - asksAthlete: whether neither the context nor the family determines the athlete of the record.
    ///   - athletes: the athletes to choose from, by name.
    package init(_ kind: Kind, asksAthlete: Bool = false, athletes: [String] = []) {
        self.kind = kind
        self.asksAthlete = asksAthlete
        self.athletes = athletes
        let fields = kind.declaration.fields
        let common: [String] =
            switch kind {
            case .event: ["end_date", "start_time", "end_time", "city", "state", "cost"]
            case .trip: ["end_date", "location"]
            case .tripItem: ["end_time", "location", "category"]
            case .metric: ["label", "unit", "event_id", "notes"]
            case .interaction: ["event_id", "coach_id", "sentiment"]
            default: ["school_id", "location", "role", "email", "phone"]
            }
        left = fields.indices.filter { !fields[$0].mayBeLeftOut }
        left += common.compactMap { kind.declaration.index(of: $0) }
    }

    package var isDone: Bool { left.isEmpty && !asksAthlete }

    /// The words to choose from, for the current question.
    package var choices: String? {
        if asksAthlete { return athletes.isEmpty ? nil : "  one of: " + athletes.joined(separator: ", ") }
        guard let field = left.first, case .choice(_, let labels) = kind.declaration.fields[field].type else { return nil }
        return "  one of: " + labels.joined(separator: ", ")
    }

    /// "Start date (YYYY-MM-DD): "
    package var prompt: String {
        if asksAthlete { return "Athlete (name): " }
        guard let field = left.first else { return "" }
        let declaration = kind.declaration.fields[field]
        let hint = FieldOptions.hint(declaration.type)
        return declaration.label + (hint == "TEXT" || choices != nil ? "" : " (\(hint))") + ": "
    }

    /// The value that a line answers; `nil` for an empty line.
    package func input(_ line: String) -> FieldInput? {
        guard !asksAthlete, let field = left.first, !line.trimmed.isEmpty else { return nil }
        return FieldInput(field: field, text: line.trimmed)
    }

    /// The label of the field that is asked for now.
    package var label: String { asksAthlete ? "Name" : left.first.map { kind.declaration.fields[$0].label } ?? "" }

    /// Asks for one field again, because its answer contradicts the others. The other answers are kept.
    ///
    /// - Returns: whether the field was one of the answers.
    package mutating func again(_ field: Int) -> Bool {
        guard answers.contains(where: { $0.field == field }) else { return false }
        answers.removeAll { $0.field == field }
        left = [field]
        return true
    }

    package mutating func answer(_ line: String) throws(UsageError) {
        if asksAthlete {
            guard !line.trimmed.isEmpty else { throw UsageError("The record needs an athlete. Type the athlete's name.") }
            athlete = line.trimmed
            asksAthlete = false
            return
        }
        guard let field = left.first else { return }
        if let input = input(line) {
            answers.append(input)
        } else if !kind.declaration.fields[field].mayBeLeftOut {
            throw UsageError("\(kind.declaration.fields[field].label) is needed.")
        }
        left.removeFirst()
    }
}
