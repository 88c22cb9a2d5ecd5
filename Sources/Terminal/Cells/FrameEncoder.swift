/// Encodes the differences between two canvases as terminal output. Pure: canvases in, octets out.
///
/// The encoder sends only cells that differ. After a character whose width differs between terminals it positions the
/// cursor again, and it sends every row that has or had such a character whole, so that a wrong width affects only its
/// row.
///
/// Source: ECMA-48 (CUP, EL, SGR), which every terminal of the last thirty years supports.
package struct FrameEncoder: Sendable {
    package let depth: ColourDepth
    /// Whether the terminal shows italics and crossed-out text; otherwise underline and dim replace them.
    package let hasItalics: Bool
    /// Whether the terminal is the console of Linux, which has few glyphs.
    package let isConsole: Bool
    /// Whether the terminal supports links; call `invalidate` when this changes.
    package var hasLinks = false
    /// The canvas that the terminal shows now; `nil` if unknown.
    private var shown: Canvas?
    private var style: Style?
    private var position: Point?
    /// The open link, as in `Cell`.
    private var link: UInt16 = 0

    package init(depth: ColourDepth, hasItalics: Bool = true, isConsole: Bool = false) {
        self.depth = depth
        self.hasItalics = hasItalics
        self.isConsole = isConsole
    }

    /// Forgets the terminal's content: the next frame is sent whole.
    package mutating func invalidate() {
        shown = nil
    }

    /// Appends the octets that make the terminal show `canvas`.
    package mutating func encode(_ canvas: Canvas, into octets: inout [UInt8]) {
        // Other programs may have changed the style.
        style = nil
        position = nil
        let before = octets.count
        let old = shown?.size == canvas.size ? shown : nil
        // Link numbers can be compared only if both canvases have the same links.
        let areLinksSame = !hasLinks || old?.links == canvas.links
        for row in 0..<canvas.size.rows { encode(row: row, canvas, old, areLinksSame, &octets) }
        set(link: 0, canvas, &octets)
        // The cursor is hidden while cells are drawn, and stays hidden if the canvas has no cursor.
        if octets.count > before { octets.insert(contentsOf: Self.hide, at: before) }
        let hasMoved = old == nil || old?.cursor != canvas.cursor || octets.count > before
        if hasMoved {
            if octets.count > before, style != .plain { octets += Self.reset }
            if let cursor = canvas.cursor {
                move(to: cursor, &octets)
                octets += Self.show
            } else if octets.count == before {
                octets += Self.hide
            }
        }
        shown = canvas
    }

    private static let hide = Array("\u{1B}[?25l".utf8)
    private static let show = Array("\u{1B}[?25h".utf8)
    private static let reset = Array("\u{1B}[0m".utf8)

    private mutating func encode(row: Int, _ canvas: Canvas, _ old: Canvas?, _ areLinksSame: Bool, _ octets: inout [UInt8]) {
        let columns = canvas.size.columns
        let first = row * columns
        let new = canvas.cells[first..<first + columns]
        let before = old.map { $0.cells[first..<first + columns] }
        let isLinked = !areLinksSame && (new.contains { $0.link > 0 } || before?.contains { $0.link > 0 } == true)
        if let before, !isLinked, Self.areSame(before, new) { return }
        let isWhole = before == nil || isLinked || new.contains { TextWidth.isOdd($0.character) } || before?.contains { TextWidth.isOdd($0.character) } == true
        // One erasure covers the trailing blank cells in the terminal's own colours.
        var end = first + columns
        while end > first, canvas.cells[end - 1] == .blank { end -= 1 }
        var place = first
        while place < end {
            let cell = canvas.cells[place]
            defer { place += 1 }
            guard cell.width > 0 else { continue }
            if !isWhole, let before, before[place] == cell, cell.width == 1 || before[place + 1] == canvas.cells[place + 1] { continue }
            let target = Point(place - first, row)
            if position != target { move(to: target, &octets) }
            set(cell.style, &octets)
            set(link: cell.link, canvas, &octets)
            if cell.width == 2, TextWidth.isOdd(cell.character) {
                // On a terminal that treats the character as narrow, no old content may remain after it.
                octets += "  ".utf8
                move(to: target, &octets)
            }
            octets += (isConsole ? ConsoleGlyph.text(cell.character) : String(cell.character)).utf8
            // After the last column the cursor is in a state of its own (pending wrap).
            let next = target.column + Int(cell.width)
            position = TextWidth.isOdd(cell.character) || next >= columns ? nil : Point(next, row)
        }
        let isBlankAlready = !isWhole && before.map { $0[end...].allSatisfy { $0 == .blank } } == true
        if end < first + columns, !isBlankAlready {
            let target = Point(end - first, row)
            if position != target { move(to: target, &octets) }
            set(.plain, &octets)
            set(link: 0, canvas, &octets)
            octets += "\u{1B}[K".utf8
        }
    }

    /// Compares like `==`, element by element in place: most rows of most frames are equal.
    private static func areSame(_ left: ArraySlice<Cell>, _ right: ArraySlice<Cell>) -> Bool {
        left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                for place in left.indices where left[place] != right[place] { return false }
                return left.count == right.count
            }
        }
    }

    private mutating func move(to target: Point, _ octets: inout [UInt8]) {
        octets += "\u{1B}[\(target.row + 1);\(target.column + 1)H".utf8
        position = target
    }

    /// Opens a link, or closes the open one. The link's number joins the lines of one link and separates it from
    /// another link to the same address.
    private mutating func set(link wanted: UInt16, _ canvas: Canvas, _ octets: inout [UInt8]) {
        guard hasLinks, wanted != link else { return }
        link = wanted
        let target = canvas.links.indices.contains(Int(wanted) - 1) ? "id=\(wanted);\(canvas.links[Int(wanted) - 1].address)" : ";"
        octets += "\u{1B}]8;\(target)\u{1B}\\".utf8
    }

    private mutating func set(_ wanted: Style, _ octets: inout [UInt8]) {
        guard wanted != style else { return }
        style = wanted
        // Always start from a reset: terminals differ in which attributes they can turn off.
        var parameters = [0]
        let attributes = wanted.attributes
        if attributes.contains(.bold) { parameters.append(1) }
        if attributes.contains(.dim) || attributes.contains(.strike) && !hasItalics { parameters.append(2) }
        if attributes.contains(.italic), hasItalics { parameters.append(3) }
        if attributes.contains(.underline) || attributes.contains(.italic) && !hasItalics { parameters.append(4) }
        if attributes.contains(.reverse) { parameters.append(7) }
        if attributes.contains(.strike), hasItalics { parameters.append(9) }
        if depth != .none {
            if wanted.foreground != .standard { parameters += depth.parameters(wanted.foreground, isBackground: false) }
            if wanted.background != .standard { parameters += depth.parameters(wanted.background, isBackground: true) }
        }
        octets += "\u{1B}[\(parameters.map(String.init).joined(separator: ";"))m".utf8
    }
}
