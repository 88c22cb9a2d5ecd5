internal import Family

/// The fields of a record that people read one by one. The others are in its first lines, or are there for programs.
enum DetailFields {
    /// The fields that the first lines of an event contain.
    private static let headOfEvent: Set<String> = ["name", "type", "start_date", "end_date", "start_time", "end_time", "registered", "attended"]

    static func shows(_ field: FieldDeclaration, _ value: Value, of kind: Kind) -> Bool {
        switch (kind, field.name) {
        case (.event, let name): !headOfEvent.contains(name)
        case (.document, "sha256"), (.document, "title"), (.tripItem, "title"), (.trip, "name"), (.school, "name"): false
        // The list of versions says which one is current, and which one it replaced.
        case (.document, "is_current"), (.document, "replaces"): false
        // An item that a person has written needs no word about its source.
        case (.tripItem, "source_type"): value != .text("manual")
        default: true
        }
    }
}
