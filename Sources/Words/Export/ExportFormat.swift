/// The two ways in which a table leaves.
package enum ExportFormat: String, CaseIterable, Hashable, Sendable {
    /// For programs: every field.
    case csv
    /// For people: pages, with what a list shows and all texts.
    case pdf

    /// What the end of a file's name asks for; `nil` for other ends.
    package init?(path: String) {
        guard let format = Self.allCases.first(where: { path.lowercased().hasSuffix("." + $0.rawValue) }) else { return nil }
        self = format
    }
}
