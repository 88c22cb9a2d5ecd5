internal import CVTerm
package import PseudoTerminal
internal import Terminal

/// libvterm's terminal, which other people wrote: what `VirtualTerminal` shows is compared with it.
///
/// The comparison leaves out what libvterm 0.1 does differently from xterm or does not know; Tests/TERMINAL.md lists it with reasons.
package final class ReferenceTerminal {
    /// The minor version of the library; the major one is 0.
    package static var minorVersion: Int { Int(cvterm_minor_version) }

    private let terminal: OpaquePointer
    private var columns: Int
    private var rows: Int

    package init?(columns: Int, rows: Int) {
        guard let terminal = cvterm_new(Int32(columns), Int32(rows)) else { return nil }
        (self.terminal, self.columns, self.rows) = (terminal, columns, rows)
    }

    deinit { cvterm_free(terminal) }

    package func feed(_ octets: some Collection<UInt8>) {
        let octets = Array(octets)
        octets.withUnsafeBufferPointer { cvterm_write(terminal, $0.baseAddress, $0.count) }
    }

    package func resize(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        cvterm_resize(terminal, Int32(columns), Int32(rows))
    }

    package var column: Int { Int(cvterm_column(terminal)) }
    package var row: Int { Int(cvterm_row(terminal)) }
    package var isOtherScreen: Bool { cvterm_is_other_screen(terminal) }
    package var title: String { String(cString: cvterm_title(terminal)) }

    package var answers: [UInt8] {
        var count = 0
        let octets = cvterm_answers(terminal, &count)
        return Array(UnsafeBufferPointer(start: octets, count: count))
    }

    /// The text of the screen, without blanks at the ends of lines; halves of wide characters are blanks.
    package var text: String {
        (0..<rows).map { row in
            var line = ""
            for column in 0..<columns {
                let cell = cvterm_cell_at(terminal, Int32(column), Int32(row))
                if cell.first != .max { line += cell.count == 0 ? " " : text(of: cell, column, row) }
            }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    // MARK: Comparing

    /// Where a screen differs from this one: cells, cursor, which of the screens it is, title and bells, in at most ten lines.
    package func differences(from screen: VirtualTerminal) -> [String] {
        guard screen.columns == columns, screen.rows == rows else { return ["\(screen.columns) × \(screen.rows) instead of \(columns) × \(rows)"] }
        var lines: [String] = []
        // Before a wide character in the last columns libvterm leaves the cursor, xterm behind it.
        let isBehindWide = screen.column == columns - 1 && screen.cells[screen.row][screen.column].width == 0 && column == screen.column - 1
        if screen.row != row || screen.column != column && !isBehindWide { lines.append("cursor \(screen.column),\(screen.row), libvterm \(column),\(row)") }
        if screen.modes.contains(25) != cvterm_shows_cursor(terminal) { lines.append("the cursor is \(screen.modes.contains(25) ? "shown" : "hidden"), not so in libvterm") }
        if screen.isOtherScreen != isOtherScreen { lines.append("other screen \(screen.isOtherScreen), libvterm \(isOtherScreen)") }
        if screen.bells != Int(cvterm_bells(terminal)) { lines.append("\(screen.bells) bells, libvterm \(cvterm_bells(terminal))") }
        if let last = screen.titles.last, last.utf8.count < 256, last != title { lines.append("title \(last), libvterm \(title)") }
        for row in 0..<rows {
            guard lines.count < 10 else { break }
            compare(row: row, screen.cells[row], &lines)
        }
        return Array(lines.prefix(10))
    }

    private func compare(row: Int, _ cells: [VirtualTerminal.Cell], _ lines: inout [String]) {
        var isBehindDisputed = false
        for column in 0..<columns {
            let ours = cells[column]
            defer { isBehindDisputed = ours.width == 2 && Self.isDisputed(ours.text) }
            if ours.width == 0, isBehindDisputed { continue }
            let theirs = cvterm_cell_at(terminal, Int32(column), Int32(row))
            if let difference = difference(ours, theirs, column, row) { lines.append("\(column),\(row): \(difference)") }
        }
    }

    private func difference(_ ours: VirtualTerminal.Cell, _ theirs: cvterm_cell, _ column: Int, _ row: Int) -> String? {
        if ours.width == 0 { return theirs.first == .max ? nil : "nothing behind a wide character, libvterm \(text(of: theirs, column, row))" }
        if ours.text == " ", isHalf(theirs, column, row) { return nil }
        if Self.isDisputed(ours.text) {
            // A picture of several wide code points does not end where it should near the margin.
            let isNearMargin = column + 8 > columns
            guard isNearMargin || ours.text.unicodeScalars.first?.value == theirs.first else { return "\(ours.text), libvterm \(text(of: theirs, column, row))" }
            return isNearMargin ? nil : styleDifference(ours, theirs)
        }
        let shown = theirs.count == 0 ? " " : text(of: theirs, column, row)
        // Strings that look alike are equal; here their code points are.
        guard ours.text.unicodeScalars.elementsEqual(shown.unicodeScalars) else { return "\(ours.text), libvterm \(shown)" }
        // To libvterm everything is wide that stands before half of a wide character, also one that was written over; the half is compared by itself.
        guard ours.width == 1 || theirs.width == 2 else { return "\(ours.text) is \(ours.width) wide, libvterm \(theirs.width)" }
        return styleDifference(ours, theirs)
    }

    private func styleDifference(_ ours: VirtualTerminal.Cell, _ theirs: cvterm_cell) -> String? {
        let background = Self.number(ours.style.background)
        guard background == theirs.background else { return "\(ours.text) on \(background), libvterm \(theirs.background)" }
        // An erased cell shows its background only.
        if theirs.count == 0 { return nil }
        let foreground = Self.number(ours.style.foreground)
        guard foreground == theirs.foreground else { return "\(ours.text) in \(foreground), libvterm \(theirs.foreground)" }
        var attributes: Attributes = []
        if theirs.bold { attributes.insert(.bold) }
        if theirs.italic { attributes.insert(.italic) }
        if theirs.underline { attributes.insert(.underline) }
        if theirs.reverse { attributes.insert(.reverse) }
        if theirs.strike { attributes.insert(.strike) }
        // libvterm knows no dim text.
        let wanted = ours.style.attributes.subtracting(.dim)
        return wanted == attributes ? nil : "\(ours.text) with attributes \(wanted.rawValue), libvterm \(attributes.rawValue)"
    }

    /// Whether libvterm left half of a wide character here when the other half was written over: a blank in xterm and in `VirtualTerminal`.
    private func isHalf(_ cell: cvterm_cell, _ column: Int, _ row: Int) -> Bool {
        if cell.first == .max { return true }
        return cell.width == 1 && cell.count > 0 && TextWidth.of(text(of: cell, column, row)) == 2
    }

    private func text(of cell: cvterm_cell, _ column: Int, _ row: Int) -> String {
        guard cell.first != .max else { return "half of a wide character" }
        var text = String.UnicodeScalarView()
        for index in 0..<Int(cell.count) {
            if let scalar = Unicode.Scalar(cvterm_code_point_at(terminal, Int32(column), Int32(row), Int32(index))) { text.append(scalar) }
        }
        return String(text)
    }

    private static func number(_ colour: Colour) -> Int32 {
        switch colour.kind {
        case .standard: -1
        case .indexed(let number): Int32(number)
        case .rgb(let red, let green, let blue): 1 << 24 | Int32(red) << 16 | Int32(green) << 8 | Int32(blue)
        }
    }

    /// Characters of whose width libvterm has another opinion: what is joined of several code points besides letters with accents, and pictures, of
    /// which its table knows those of Unicode 9 at most. `FrameEncoder` places the cursor again behind them.
    package static func isDisputed(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first else { return false }
        return first.value >= 0x1F000 || scalars.dropFirst().contains { !(0x300...0x36F).contains($0.value) }
    }
}

@available(*, unavailable) extension ReferenceTerminal: Sendable {}
