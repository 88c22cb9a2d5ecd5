import Bytes
package import Family

/// Finds families in the words of the person who runs the server: an id, or a name.
enum FamilyNames {
    /// - Parameters:
    ///   - text: an id, or a name in full.
    ///   - record: the family's own record, by its key and id.
    /// - Returns: all that fit, oldest first.
    /// - Complexity: reads every family's record for a name; for admin commands only.
    static func find(_ text: String, in reads: any FamilyReads, record: (Int64, Identifier) throws -> Record?) throws -> [Identifier] {
        if let id = Identifier(text) { return try reads.find(id).map { [$0.id] } ?? [] }
        return try reads.all().filter { try record($0.key, $0.id)?.fields.text("name") == text }.map(\.id)
    }
}

extension Rejection {
    /// The refusal if no family has the name or id that the person who runs the server gave.
    package static func noFamily(_ text: String) -> Rejection { Rejection(.notFound, "There is no family called \(text).") }

    /// The refusal if several families have the name.
    package static func severalFamilies(_ text: String, _ count: Int) -> Rejection {
        Rejection(.invalid, "\(count) families are called \(text): give the id of the one you mean.")
    }
}
