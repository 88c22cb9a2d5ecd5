internal import CPango

/// Pages that are filled from the top, one after the other.
///
/// The surface exists from the beginning, because a text is measured for the surface on which it is drawn; its pages
/// get their size in `begin`.
final class PDFSheet {
    enum Style: Int, CaseIterable {
        case title, note, heading, text
    }

    typealias Cell = (text: String, style: Style, place: (x: Double, width: Double))

    /// The margin in points: half an inch, which every printer can reach.
    static let margin = 36.0
    /// The points between two columns.
    static let gap = 10.0
    /// The points below the last row for the foot of the page.
    private static let foot = 18.0
    /// A name in fontconfig, and points. fontconfig selects a font on this machine and takes missing characters from
    /// other fonts.
    private static let fonts: [(name: String, points: Double)] = [("Sans Bold", 16), ("Sans", 9), ("Sans Bold", 8), ("Sans", 9)]

    /// Loads the library once per process.
    static let isReady = cpango_load()

    private let output = PDFOutput()
    private let surface: OpaquePointer?
    private let cairo: OpaquePointer?
    private let styles: [OpaquePointer?]
    private let footer: String
    private var paper = PDFPaper.a4
    /// The points from the upper end of the page to the next row.
    private var row = 0.0
    /// The start of the rows on this page: a text there has to be drawn, regardless of its height.
    private var top = 0.0
    private var count = 1
    private var unknown = 0
    /// The headings that are repeated at the top of each page.
    private var headings: [Cell] = []

    init(title: String, footer: String) {
        self.footer = footer
        surface = cpango_surface_create(writeOctets, Unmanaged.passUnretained(output).toOpaque(), paper.width, paper.height)
        cpango_surface_set_metadata(surface, Int32(CPANGO_TITLE), title)
        cpango_surface_set_metadata(surface, Int32(CPANGO_CREATOR), "huddle")
        cairo = cpango_create(surface)
        styles = Self.fonts.map { cpango_font_create($0.name, $0.points) }
    }

    deinit {
        for style in styles { cpango_font_free(style) }
        cpango_destroy(cairo)
        // Unfinished content is written now, so the output outlives the surface.
        cpango_surface_destroy(surface)
    }

    /// The width between the margins in points.
    var columns: Double { paper.width - 2 * Self.margin }
    private var end: Double { paper.height - Self.margin - Self.foot }

    func begin(_ paper: PDFPaper) {
        self.paper = paper
        cpango_surface_set_size(surface, paper.width, paper.height)
        (row, top) = (Self.margin, Self.margin)
    }

    /// The width of a text in points, with one line per paragraph.
    func width(_ text: String, _ style: Style) -> Double {
        guard !text.isEmpty else { return 0 }
        return PDFText(cairo, styles[style.rawValue], text, width: nil).size.width.rounded(.up) + 1
    }

    func skip(_ points: Double) { row += points }

    /// Draws the headings here, and on every page from now on.
    func head(_ cells: [Cell]) {
        guard !cells.isEmpty else { return }
        headings = cells
        flow(cells, space: 2)
        rule(0.8, grey: 0)
    }

    /// Draws texts side by side: on the next page if this one has no room for them, and on several pages if they do not
    /// fit a whole one.
    ///
    /// - Parameter space: the points below them.
    func flow(_ cells: [Cell], space: Double) {
        let texts = cells.map { PDFText(cairo, styles[$0.style.rawValue], $0.text, width: $0.place.width) }
        let height = texts.reduce(0) { max($0, $1.size.height) }
        // A text higher than a page begins at the current position.
        if row + height > end, height <= end - top { breakPage() }
        while true {
            var bottom = row
            for (cell, text) in zip(cells, texts) { bottom = max(bottom, text.draw(at: cell.place.x, from: row, to: end, forced: row <= top)) }
            row = bottom
            guard texts.contains(where: { !$0.isDrawn }) else { break }
            breakPage()
        }
        unknown += texts.reduce(0) { $0 + $1.unknown }
        row += space
    }

    private func breakPage() {
        endPage()
        count += 1
        row = Self.margin
        let again = headings
        // The headings are not repeated above themselves.
        headings = []
        head(again)
        top = row
    }

    /// Draws the foot of the page and completes the page.
    private func endPage() {
        let style = styles[Style.note.rawValue]
        let number = "Page \(count)"
        let wide = width(number, .note)
        let room = columns - wide - Self.gap
        // At most one line of the footer, as much as fits.
        let text = PDFText(cairo, style, footer, width: room)
        let foot = paper.height - Self.margin - Self.foot + 6
        if !text.isDrawn { _ = text.draw(at: Self.margin, from: foot, to: foot, forced: true) }
        _ = PDFText(cairo, style, number, width: nil).draw(at: paper.width - Self.margin - wide, from: foot, to: foot, forced: true)
        cpango_show_page(cairo)
    }

    /// Draws a line from margin to margin.
    func rule(_ thickness: Double, grey: Double) {
        cpango_set_grey(cairo, grey)
        cpango_draw_line(cairo, Self.margin, row, paper.width - Self.margin, thickness)
        cpango_set_grey(cairo, 0)
        row += 3
    }

    func finish() throws(PDFError) -> PDFPages {
        endPage()
        cpango_surface_finish(surface)
        let status = cpango_surface_status(surface)
        guard status == 0 else { throw .failed(status) }
        return PDFPages(octets: output.octets, count: count, unknown: unknown)
    }
}

@available(*, unavailable)
extension PDFSheet: Sendable {}
