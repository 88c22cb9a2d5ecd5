/// One cell of the screen.
package struct Cell: Hashable, Sendable {
    /// The character in the cell; after a wide character, the space that it covers.
    package fileprivate(set) var character: Character
    package var style: Style
    /// 1, or 2 for a character that also covers the next cell, or 0 for a covered cell.
    package fileprivate(set) var width: UInt8
    /// The position in the canvas's `links`, from 1; 0 for none.
    package fileprivate(set) var link: UInt16 = 0

    package static let blank = Cell(character: " ", style: .plain, width: 1)

    /// Compares the parts that differ most often first, without retaining characters.
    package static func == (left: Cell, right: Cell) -> Bool {
        left.width == right.width && left.link == right.link && left.style == right.style && left.character == right.character
    }

    fileprivate init(character: Character, style: Style, width: UInt8) {
        self.character = character
        self.style = style
        self.width = width
    }
}

/// The wanted content of a screen: a grid of cells that views draw into. Drawing changes nothing outside `clip`, drawn
/// text cannot steer the terminal, and half of a wide character never remains.
package struct Canvas: Sendable {
    package let size: Size
    /// The cells, row by row.
    package private(set) var cells: [Cell]
    /// The position of the cursor; `nil` hides it.
    package var cursor: Point?
    /// The targets of linked cells.
    package private(set) var links: [Hyperlink] = []
    /// The area that drawing is limited to; always within the canvas.
    package private(set) var clip: Rect
    /// The clickable parts; later ones are on top.
    package private(set) var targets: [Target] = []
    /// The picture over a part of the cells, for terminals that show pictures; its cells are blank.
    package var picture: PlacedPicture?

    package init(_ size: Size, _ style: Style = .plain) {
        let size = size.bounded
        self.size = size
        cells = Array(repeating: Cell(character: " ", style: style, width: 1), count: size.columns * size.rows)
        clip = Rect(size)
    }

    package var bounds: Rect { Rect(size) }

    /// The cell at a position; blank outside the canvas.
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

    /// Draws one line of text from a position to the right; line ends in it are shown as U+FFFD.
    ///
    /// - Returns: the column after the text, as if all of it had fitted.
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

    /// Draws a text of printable ASCII, which is most of the drawn text: each octet is one character and takes one
    /// column.
    private mutating func drawPlain(_ text: some StringProtocol, at column: Int, _ row: Int, _ style: Style) -> Int? {
        text.utf8.withContiguousStorageIfAvailable { octets -> Int? in
            guard octets.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
            for (place, octet) in octets.enumerated() { put(Self.ascii[Int(octet)], 1, column + place, row, style) }
            return column + octets.count
        } ?? nil
    }

    /// Draws text in exactly `columns` columns, cut with an ellipsis or padded with blanks in its style.
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

    /// Changes the style of a part; its characters stay.
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

    /// Links the visible part of an area; its characters stay. Text that is drawn over it later has no link.
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

    /// Draws a frame around a part, with a title in its upper edge. The content inside stays.
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

    /// Sets the action of a click on the visible part of an area.
    package mutating func target(_ rect: Rect, _ action: ClickTarget) {
        let shown = rect.intersection(clip)
        if !shown.isEmpty { targets.append(Target(rect: shown, action: action)) }
    }

    /// Removes all click targets and the picture; called before a question is drawn over them.
    package mutating func dropTargets() { (targets, picture) = ([], nil) }

    /// The action of a click at a position.
    package func target(at point: Point) -> ClickTarget? { targets.last { $0.rect.contains(point) }?.action }

    /// Draws a line from left to right.
    package mutating func rule(_ column: Int, _ row: Int, columns: Int, _ style: Style = .plain, _ character: Character = "─") {
        fill(Rect(column, row, columns: columns, rows: 1), character, style)
    }

    private mutating func put(_ character: Character, _ width: Int, _ column: Int, _ row: Int, _ style: Style) {
        guard row >= clip.row, row < clip.endRow, column >= clip.column, column < clip.endColumn else {
            // The left half of a wide character is outside the clip; its right half becomes blank.
            if width == 2, column + 1 == clip.column { put(" ", 1, column + 1, row, style) }
            return
        }
        guard width == 1 || column + 1 < clip.endColumn else { return put(" ", 1, column, row, style) }
        let place = row * size.columns + column
        let last = place + width - 1
        // The rest of a wide character that is half overwritten becomes blank.
        if cells[place].width == 0 { blank(place - 1) }
        if cells[last].width == 2 { blank(last + 1) }
        cells[place] = Cell(character: character, style: style, width: UInt8(width))
        if width == 2 { cells[last] = Cell(character: " ", style: style, width: 0) }
    }

    private mutating func blank(_ place: Int) {
        guard cells.indices.contains(place) else { return }
        cells[place] = Cell(character: " ", style: cells[place].style, width: 1)
    }

    /// The text of a row, without blanks at its end.
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

    /// The whole canvas as text, one line per row; for tests and transcripts.
    package var text: String { (0..<size.rows).map { text(row: $0) }.joined(separator: "\n") }
}
