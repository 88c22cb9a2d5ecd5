extension Fields {
    /// The name of the record for people, as it is kept where other records refer to it; empty when it has no name.
    package var shownName: String {
        switch kind {
        case .family, .member, .school, .event, .trip: text("name") ?? ""
        case .coach: [text("first_name"), text("last_name")].compactMap { $0 }.joined(separator: " ")
        case .tripItem, .document: text("title") ?? ""
        case .interaction: text("subject") ?? ""
        case .metric: text("label") ?? choiceLabel("metric_type") ?? ""
        case .message, .readingPosition, .reminderRule: ""
        }
    }

    /// The label of a choice; the word itself when it is one of a newer program.
    package func choiceLabel(_ name: String) -> String? {
        guard let word = text(name), let index = kind.declaration.index(of: name) else { return nil }
        guard case .choice(let words, let labels) = kind.declaration.fields[index].type, let place = words.firstIndex(of: word),
            labels.indices.contains(place)
        else { return word }
        return labels[place]
    }
}

extension Record {
    /// The record as an element of a set.
    package var asSetElement: SetElement {
        SetElement(id: id, name: fields.shownName, role: kind == .coach || kind == .member ? fields.text("role") ?? "" : "")
    }
}
