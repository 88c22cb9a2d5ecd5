/// One place of the screen.
package struct Cell: Hashable, Sendable {
    /// What stands there; behind a wide character, the space that it covers.
    package fileprivate(set) var character: Character
    package var style: Style
    /// 1, or 2 for a character that covers the next cell too, or 0 for a cell that is covered.
    package fileprivate(set) var width: UInt8
    /// Its place in the canvas's `links`, from 1; 0 for none.
    package fileprivate(set) var link: UInt16 = 0

    package static let blank = Cell(character: " ", style: .plain, width: 1)

    /// What differs most often is compared first, and without taking hold of characters.
    package static func == (left: Cell, right: Cell) -> Bool {
        left.width == right.width && left.link == right.link && left.style == right.style && left.character == right.character
    }

    fileprivate init(character: Character, style: Style, width: UInt8) {
        self.character = character
        self.style = style
        self.width = width
    }
}

/// What a screen is to look like: a grid of cells that views draw into. Nothing outside of `clip` is touched, nothing that is drawn can
/// steer the terminal, and half of a wide character never stays.
package struct Canvas: Sendable {
    package let size: Size
    /// By rows.
    package private(set) var cells: [Cell]
    /// Where the cursor blinks; `nil` hides it.
    package var cursor: Point?
    /// Where linked cells lead.
    package private(set) var links: [Hyperlink] = []
    /// What drawing is limited to; always within the canvas.
    package private(set) var clip: Rect
    /// What can be clicked; what was drawn later stands above.
    package private(set) var targets: [Target] = []

    package init(_ size: Size, _ style: Style = .plain) {
        let size = size.bounded
        self.size = size
        cells = Array(repeating: Cell(character: " ", style: style, width: 1), count: size.columns * size.rows)
        clip = Rect(size)
    }

    package var bounds: Rect { Rect(size) }

    /// The cell at a place; blank outside.
    package subscript(_ column: Int, _ row: Int) -> Cell {
        bounds.contains(Point(column, row)) ? cells[row * size.columns + column] : .blank
    }

    /// Lets `body` draw into `rect` only.
    package mutating func clipped(to rect: Rect, _ body: (inout Canvas) -> Void) {
        let before = clip
        clip = clip.intersection(rect)
        body(&self)
        clip = before
    }

    /// Draws one line of text from a place to the right; line ends in it are shown as U+FFFD.
    ///
    /// - Returns: the column behind it, as if there were room for all of it.
    @discardableResult
    package mutating func draw(_ text: some StringProtocol, at column: Int, _ row: Int, _ style: Style = .plain) -> Int {
        var column = column
        if let plain = drawPlain(text, at: column, row, style) { return plain }
        for character in text {
            guard let shown = TextWidth.shown(character) else { continue }
            let width = TextWidth.of(shown)
            put(shown, width, column, row, style)
            column += width
        }
        return column
    }

    private static let ascii = (0..<0x80).map { Character(Unicode.Scalar(UInt8($0))) }

    /// The same for a text of ASCII letters, which are most of what is drawn: an octet is a character and takes a column.
    private mutating func drawPlain(_ text: some StringProtocol, at column: Int, _ row: Int, _ style: Style) -> Int? {
        text.utf8.withContiguousStorageIfAvailable { octets -> Int? in
            guard octets.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
            for (place, octet) in octets.enumerated() { put(Self.ascii[Int(octet)], 1, column + place, row, style) }
            return column + octets.count
        } ?? nil
    }

    /// Draws text that is `columns` wide, cut with an ellipsis or followed by blanks in its style.
    package mutating func draw(_ text: String, at column: Int, _ row: Int, columns: Int, _ style: Style = .plain) {
        draw(TextWidth.fit(text, to: columns), at: column, row, style)
    }

    /// Draws a line of several styles.
    @discardableResult
    package mutating func draw(_ line: StyledText, at column: Int, _ row: Int, over below: Style = .plain) -> Int {
        line.runs.reduce(column) { draw($1.text, at: $0, row, $1.style.over(below)) }
    }

    /// Fills a part with one narrow character.
    package mutating func fill(_ rect: Rect, _ character: Character = " ", _ style: Style = .plain) {
        let rect = rect.intersection(clip)
        guard !rect.isEmpty else { return }
        for row in rect.row..<rect.endRow {
            for column in rect.column..<rect.endColumn { put(character, 1, column, row, style) }
        }
    }

    /// Changes how a part looks and leaves what stands there.
    package mutating func restyle(_ rect: Rect, _ change: (Style) -> Style) {
        let rect = rect.intersection(clip)
        guard !rect.isEmpty else { return }
        for row in rect.row..<rect.endRow {
            for column in rect.column..<rect.endColumn {
                let place = row * size.columns + column
                cells[place].style = change(cells[place].style)
            }
        }
    }

    /// Lets a part lead somewhere, as far as it can be seen; what stands there stays, and what is drawn over it leads nowhere.
    package mutating func link(_ rect: Rect, _ link: Hyperlink?) {
        let rect = rect.intersection(clip)
        guard !rect.isEmpty, let link else { return }
        let known = links.firstIndex(of: link)
        guard known != nil || links.count < Int(UInt16.max) else { return }
        let number = UInt16((known ?? links.count) + 1)
        if known == nil { links.append(link) }
        for row in rect.row..<rect.endRow {
            for column in rect.column..<rect.endColumn { cells[row * size.columns + column].link = number }
        }
    }

    /// A frame around a part, with a title in its upper edge. What is inside stays.
    package mutating func box(_ rect: Rect, _ style: Style = .plain, title: String = "", titleStyle: Style? = nil) {
        guard rect.columns >= 2, rect.rows >= 2 else { return }
        let across = String(repeating: "─", count: rect.columns - 2)
        draw("┌\(across)┐", at: rect.column, rect.row, style)
        for row in rect.row + 1..<rect.endRow - 1 {
            draw("│", at: rect.column, row, style)
            draw("│", at: rect.endColumn - 1, row, style)
        }
        draw("└\(across)┘", at: rect.column, rect.endRow - 1, style)
        guard !title.isEmpty, rect.columns > 6 else { return }
        draw(" \(TextWidth.cut(title, to: rect.columns - 6)) ", at: rect.column + 2, rect.row, titleStyle ?? style)
    }

    /// Says what a click on a part means, as far as it can be seen.
    package mutating func target(_ rect: Rect, _ action: ClickTarget) {
        let shown = rect.intersection(clip)
        if !shown.isEmpty { targets.append(Target(rect: shown, action: action)) }
    }

    /// What was drawn so far stands behind a question: clicks on it mean nothing.
    package mutating func dropTargets() { targets = [] }

    /// What a click there means.
    package func target(at point: Point) -> ClickTarget? { targets.last { $0.rect.contains(point) }?.action }

    /// A line from left to right.
    package mutating func rule(_ column: Int, _ row: Int, columns: Int, _ style: Style = .plain, _ character: Character = "─") {
        fill(Rect(column, row, columns: columns, rows: 1), character, style)
    }

    private mutating func put(_ character: Character, _ width: Int, _ column: Int, _ row: Int, _ style: Style) {
        guard row >= clip.row, row < clip.endRow, column >= clip.column, column < clip.endColumn else {
            // The right half of a wide character whose left half is outside.
            if width == 2, column + 1 == clip.column { put(" ", 1, column + 1, row, style) }
            return
        }
        guard width == 1 || column + 1 < clip.endColumn else { return put(" ", 1, column, row, style) }
        let place = row * size.columns + column
        let last = place + width - 1
        // What is left of wide characters that are half drawn over becomes blank.
        if cells[place].width == 0 { blank(place - 1) }
        if cells[last].width == 2 { blank(last + 1) }
        cells[place] = Cell(character: character, style: style, width: UInt8(width))
        if width == 2 { cells[last] = Cell(character: " ", style: style, width: 0) }
    }

    private mutating func blank(_ place: Int) {
        guard cells.indices.contains(place) else { return }
        cells[place] = Cell(character: " ", style: cells[place].style, width: 1)
    }

    /// What a row says, without blanks at its end.
    package func text(row: Int) -> String {
        guard (0..<size.rows).contains(row) else { return "" }
        var text = ""
        var blanks = 0
        for cell in cells[row * size.columns..<(row + 1) * size.columns] where cell.width > 0 {
            if cell.character == " " {
                blanks += 1
            } else {
                text += String(repeating: " ", count: blanks)
                text.append(cell.character)
                blanks = 0
            }
        }
        return text
    }

    /// The whole canvas as text, a line each row; for tests and for transcripts.
    package var text: String { (0..<size.rows).map { text(row: $0) }.joined(separator: "\n") }
}
