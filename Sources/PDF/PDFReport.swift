/// A table with a title above it, as it is to be printed.
package struct PDFReport: Hashable, Sendable {
    package var title: String
    /// Under the title, each a line or, where it is long, several.
    package var notes: [String]
    package var headings: [String]
    package var rows: [Row]
    /// At the foot of every page, beside its number.
    package var footer: String

    package struct Row: Hashable, Sendable {
        /// A text for each heading, line feeds in it kept. What is missing is empty.
        package var cells: [String]
        /// Longer texts, which stand under the cells as wide as the page is.
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
    /// One at least.
    package var count: Int
    /// Signs that no font on this machine has: boxes stand in their places.
    package var unknown: Int
}

package enum PDFError: Error, Hashable, Sendable {
    /// The library is not on this machine.
    case notInstalled
    /// cairo gave up: its status.
    case failed(Int32)

    /// What to do about it.
    package var sentence: String {
        switch self {
        case .notInstalled:
            "A PDF needs the library pango, which is not on this machine: install the package libpangocairo-1.0-0, or take CSV."
        case .failed(let status): "The PDF could not be made (cairo's status \(status)): take CSV."
        }
    }
}

/// A sheet, upright, in points.
package struct PDFPaper: Hashable, Sendable {
    package var width: Double
    package var height: Double

    package static let a4 = PDFPaper(width: 595, height: 842)
    package static let letter = PDFPaper(width: 612, height: 792)
}
