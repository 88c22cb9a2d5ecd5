/// A printable table with a title above it.
package struct PDFReport: Hashable, Sendable {
    package var title: String
    /// The notes under the title, each one line, or several if it is long.
    package var notes: [String]
    package var headings: [String]
    package var rows: [Row]
    /// The text at the foot of every page, next to the page number.
    package var footer: String

    package struct Row: Hashable, Sendable {
        /// A text for each heading; line feeds in it are kept. Missing cells are empty.
        package var cells: [String]
        /// Longer texts, which are under the cells in the full width of the page.
        package var details: [String]

        package init(_ cells: [String], details: [String] = []) {
            self.cells = cells
            self.details = details
        }
    }

    package init(title: String, notes: [String] = [], headings: [String], rows: [Row], footer: String = "") {
        self.title = title
        self.notes = notes
        self.headings = headings
        self.rows = rows
        self.footer = footer
    }
}

/// The pages of a report.
package struct PDFPages: Sendable {
    /// The whole file.
    package var octets: [UInt8]
    /// The number of pages, at least one.
    package var count: Int
    /// The number of characters that no font on this machine has: boxes replace them.
    package var unknown: Int
}

package enum PDFError: Error, Hashable, Sendable {
    /// The library is not on this machine.
    case notInstalled
    /// cairo failed, with this status.
    case failed(Int32)

    /// The sentence for the user.
    package var sentence: String {
        switch self {
        case .notInstalled:
            "A PDF needs the library pango, which is not on this machine: install the package libpangocairo-1.0-0, or take CSV."
        case .failed(let status): "The PDF could not be made (cairo's status \(status)): take CSV."
        }
    }
}

/// A paper size in portrait, in points.
package struct PDFPaper: Hashable, Sendable {
    package var width: Double
    package var height: Double

    package static let a4 = PDFPaper(width: 595, height: 842)
    package static let letter = PDFPaper(width: 612, height: 792)
}
