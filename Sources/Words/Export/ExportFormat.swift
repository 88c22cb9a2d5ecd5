/// The two formats of an exported table.
package enum ExportFormat: String, CaseIterable, Hashable, Sendable {
    /// For programs: all fields.
    case csv
    /// For people: pages with the columns of a list and all texts.
    case pdf

    /// The format for the extension of a file name; `nil` for other extensions.
    package init?(path: String) {
        guard let format = Self.allCases.first(where: { path.lowercased().hasSuffix("." + $0.rawValue) }) else { return nil }
        self = format
    }
}
