package import Terminal

/// A terminal of cells only: octets in, visible screen out. It supports as much of ECMA-48 and xterm as our programs,
/// shells and editors use.
///
/// It is written independently of the code that it checks: it shares only the width of characters with `Terminal`.
/// `LibVTermTests` compares it with libvterm.
package struct VirtualTerminal: Sendable {
    package struct Cell: Hashable, Sendable {
        package var text = " "
        package var style = Style.plain
        /// 0 after a wide character.
        package var width = 1
        /// The target of the cell's link; "" for none.
        package var link = ""
    }

    package private(set) var columns: Int
    package private(set) var rows: Int
    package private(set) var cells: [[Cell]]
    package private(set) var column = 0
    package private(set) var row = 0
    /// The modes that are set, by their numbers: 25 cursor, 7 autowrap, 1049 other screen, 2004 pastes …
    package private(set) var modes: Set<Int> = [25, 7]
    package private(set) var isKeypadApplication = false
    package private(set) var style = Style.plain
    package private(set) var bells = 0
    package private(set) var titles: [String] = []
    package private(set) var notifications: [String] = []
    /// The terminal's replies to queries.
    package var answers: [UInt8] = []
    /// The unknown sequences; tests fail on any.
    package private(set) var unknown: [String] = []

    private var link = ""
    /// Whether the next character goes to the next line, because the last column was written.
    package private(set) var isWrapPending = false
    private var saved = (column: 0, row: 0, style: Style.plain, isWrapPending: false)
    /// The cell of the last character, with the cursor after it: a mark that follows belongs to that character.
    private var last: (column: Int, row: Int, next: Int, isWrapPending: Bool)?
    private var otherCells: [[Cell]] = []
    /// The rows that scroll.
    package private(set) var region: ClosedRange<Int>
    private var pending: [UInt8] = []

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
        region = 0...max(rows - 1, 0)
    }

    /// The text on the screen, without blanks at the ends of lines.
    package var text: String { (0..<rows).map(line).joined(separator: "\n") }

    package func line(_ row: Int) -> String {
        let line = cells[row].filter { $0.width > 0 }.map(\.text).joined()
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    package var isOtherScreen: Bool { modes.contains(1049) }

    /// Resizes like a window: the cut part is lost, the new part is blank.
    package mutating func resize(columns: Int, rows: Int) {
        func fit(_ cells: [[Cell]]) -> [[Cell]] {
            (0..<rows).map { row in (0..<columns).map { cells.indices.contains(row) && cells[row].indices.contains($0) ? cells[row][$0] : Cell() } }
        }
        cells = fit(cells)
        if !otherCells.isEmpty { otherCells = fit(otherCells) }
        self.columns = columns
        self.rows = rows
        for row in 0..<rows { blankHalves(row) }
        last = nil
        region = 0...rows - 1
        column = min(column, columns - 1)
        row = min(row, rows - 1)
    }

    package mutating func feed(_ octets: some Sequence<UInt8>) {
        pending += octets
        var index = 0
        while index < pending.count, let length = step(index) { index += length }
        pending.removeFirst(min(index, pending.count))
    }

    /// Processes the sequence that begins at `start`, and returns its length; `nil` if more octets are needed.
    private mutating func step(_ start: Int) -> Int? {
        let octet = pending[start]
        switch octet {
        case 0x07: bells += 1
        case 0x08:
            column = max(column - 1, 0)
            isWrapPending = false
        case 0x09: column = min((column / 8 + 1) * 8, columns - 1)
        case 0x0A, 0x0B, 0x0C: lineFeed()
        case 0x0D:
            column = 0
            isWrapPending = false
        // The default character set.
        case 0x0F, 0x00: break
        case 0x1B: return escape(start)
        case 0..<0x20, 0x7F: unknown.append("octet \(octet)")
        default:
            var end = start
            while end < pending.count, pending[end] >= 0x20, pending[end] != 0x7F { end += 1 }
            // An incomplete character waits.
            let text = pending[start..<end]
            let tail = text.suffix(3)
            if end == pending.count, let lead = tail.lastIndex(where: { $0 >= 0xC0 }), tail.endIndex - lead < (tail[lead] >= 0xF0 ? 4 : tail[lead] >= 0xE0 ? 3 : 2) {
                guard lead > start else { return nil }
                end = lead
            }
            for character in String(decoding: pending[start..<end], as: UTF8.self) { put(character) }
            return end - start
        }
        return 1
    }

    /// The position of the last character if this one, which may have come in another portion, belongs to it.
    private func joined(_ character: Character) -> (column: Int, row: Int, character: Character)? {
        guard !character.isASCII, let last, last.row == row, last.next == column, last.isWrapPending == isWrapPending else { return nil }
        // Another screen may be shown since, with half of a wide character there.
        let before = cells[row][last.column].text
        let text = before + String(character)
        return !before.isEmpty && text.count == 1 ? text.first.map { (last.column, last.row, $0) } : nil
    }

    private mutating func put(_ character: Character) {
        guard let joined = joined(character) else { return putAlone(character) }
        let cell = cells[joined.row][joined.column]
        guard TextWidth.of(joined.character) != cell.width else {
            cells[joined.row][joined.column].text = String(joined.character)
            return
        }
        // With the following mark its width changes: it is written again.
        let now = (style, link)
        cells[joined.row][joined.column] = blank
        blankHalves(joined.row)
        (column, row, isWrapPending, style, link) = (joined.column, joined.row, false, cell.style, cell.link)
        putAlone(joined.character)
        (style, link) = now
    }

    private mutating func putAlone(_ character: Character) {
        let width = TextWidth.of(character)
        guard width > 0 else { return }
        if isWrapPending || column + width > columns {
            if modes.contains(7) {
                column = 0
                lineFeed()
            } else {
                column = columns - width
            }
            isWrapPending = false
        }
        guard column >= 0 else { return }
        guard column + width <= columns else { return }
        if cells[row][column].width == 0, column > 0 { blankHalf(column - 1, in: row) }
        if column + width < columns, cells[row][column + width].width == 0 { blankHalf(column + width, in: row) }
        cells[row][column] = Cell(text: String(character), style: style, width: width, link: link)
        if width == 2 { cells[row][column + 1] = Cell(text: "", style: style, width: 0) }
        let first = column
        column += width
        if column == columns {
            column -= 1
            isWrapPending = modes.contains(7)
        }
        last = (first, row, column, isWrapPending)
    }

    /// The remaining half of a wide character that was overwritten, erased or cut becomes blank.
    private mutating func blankHalves(_ row: Int) {
        for column in 0..<columns {
            let isWhole =
                switch cells[row][column].width {
                case 0: column > 0 && cells[row][column - 1].width == 2
                case 2: column + 1 < columns && cells[row][column + 1].width == 0
                default: true
                }
            if !isWhole { blankHalf(column, in: row) }
        }
    }

    private mutating func blankHalf(_ column: Int, in row: Int) {
        cells[row][column] = Cell(style: Style(.standard, on: cells[row][column].style.background))
    }

    /// The cell after erasing and scrolling: a blank in the background colour (xterm's "bce").
    private var blank: Cell { Cell(style: Style(.standard, on: style.background)) }

    private mutating func lineFeed() {
        isWrapPending = false
        if row == region.upperBound { scroll(1) } else { row = min(row + 1, rows - 1) }
    }

    private mutating func scroll(_ count: Int) {
        for _ in 0..<abs(count) {
            let line = Array(repeating: blank, count: columns)
            if count > 0 {
                cells.remove(at: region.lowerBound)
                cells.insert(line, at: region.upperBound)
            } else {
                cells.remove(at: region.upperBound)
                cells.insert(line, at: region.lowerBound)
            }
        }
    }

    private mutating func escape(_ start: Int) -> Int? {
        guard start + 1 < pending.count else { return nil }
        switch pending[start + 1] {
        case UInt8(ascii: "["):
            let ends = { (octet: UInt8) in (0x40...0x7E).contains(octet) || [0x18, 0x1A, 0x1B].contains(octet) }
            guard let end = pending[(start + 2)...].firstIndex(where: ends) else { return nil }
            // An escape in the middle begins another sequence, CAN and SUB begin none.
            guard pending[end] >= 0x40 else { return end - start + (pending[end] == 0x1B ? 0 : 1) }
            control(String(decoding: pending[(start + 2)..<end], as: UTF8.self), Character(Unicode.Scalar(pending[end])))
            return end - start + 1
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"):
            var end = start + 2
            while end < pending.count {
                if pending[end] == 0x07 || pending[end] == 0x1B { break }
                end += 1
            }
            guard end < pending.count, pending[end] == 0x07 || end + 1 < pending.count else { return nil }
            // Only ESC \ ends it; another escape sequence cancels it.
            guard pending[end] == 0x07 || pending[end + 1] == UInt8(ascii: "\\") else { return end - start }
            if pending[start + 1] == UInt8(ascii: "]") { string(String(decoding: pending[(start + 2)..<end], as: UTF8.self)) }
            return end - start + (pending[end] == 0x07 ? 1 : 2)
        case UInt8(ascii: "("), UInt8(ascii: ")"):
            guard start + 2 < pending.count else { return nil }
            // Character sets: ASCII, and the second one, which no program selects.
            let isKnown = pending[start + 2] == UInt8(ascii: "B") || pending[start + 1] == UInt8(ascii: ")")
            if !isKnown { unknown.append("ESC ( \(Character(Unicode.Scalar(pending[start + 2])))") }
            return 3
        case UInt8(ascii: "7"): saved = (column, row, style, isWrapPending)
        case UInt8(ascii: "8"): (column, row, style, isWrapPending) = saved
        case UInt8(ascii: "="): isKeypadApplication = true
        case UInt8(ascii: ">"): isKeypadApplication = false
        case UInt8(ascii: "M"):
            isWrapPending = false
            if row == region.lowerBound { scroll(-1) } else { row = max(row - 1, 0) }
        case UInt8(ascii: "D"): lineFeed()
        case UInt8(ascii: "c"): reset()
        default: unknown.append("ESC \(Character(Unicode.Scalar(pending[start + 1])))")
        }
        return 2
    }

    /// Resets to the state of a new terminal; its replies and pending octets stay.
    private mutating func reset() {
        let new = VirtualTerminal(columns: columns, rows: rows)
        (cells, otherCells, column, row, region) = (new.cells, new.otherCells, new.column, new.row, new.region)
        (modes, style, isKeypadApplication) = (new.modes, new.style, new.isKeypadApplication)
        (link, isWrapPending, saved, last) = (new.link, new.isWrapPending, new.saved, new.last)
    }

    private mutating func string(_ text: String) {
        let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return }
        if ["0", "1", "2"].contains(parts[0]) { titles.append(parts[1]) }
        if parts[0] == "8" { link = parts[1].split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first.map(String.init) ?? "" }
        if parts[0] == "9" { notifications.append(parts[1]) }
    }

    private mutating func control(_ parameters: String, _ final: Character) {
        let isPrivate = parameters.first == "?"
        let digits = isPrivate ? parameters.dropFirst() : parameters[...]
        let numbers = digits.split(separator: ";", omittingEmptySubsequences: false).map { Int($0.prefix { $0 != ":" }) ?? 0 }
        let first = max(numbers.first ?? 0, 1)
        // A sequence that moves or edits ends the pending wrap; styles, modes and queries do not.
        if "ABCDEFGHJKLMPXadefr`@".contains(final) { isWrapPending = false }
        switch final {
        case "h" where isPrivate, "l" where isPrivate: for number in numbers { set(number, final == "h") }
        case "h", "l", "t", "q": break
        case _ where isPrivate || parameters.first == ">" || parameters.first == "=":
            if final == "c" || final == "u" || final == "n" || final == "m" || final == "p" { break }
            unknown.append("CSI \(parameters)\(final)")
        case "A": row = max(row - first, 0)
        case "B", "e": row = min(row + first, rows - 1)
        case "C", "a": column = min(column + first, columns - 1)
        case "D": column = max(column - first, 0)
        case "E": (column, row) = (0, min(row + first, rows - 1))
        case "F": (column, row) = (0, max(row - first, 0))
        case "G", "`": column = min(first, columns) - 1
        case "d": row = min(first, rows) - 1
        case "H", "f":
            row = min(first, rows) - 1
            column = min(max(numbers.count > 1 ? numbers[1] : 1, 1), columns) - 1
        case "J":
            let mode = numbers.first ?? 0
            if mode == 0 { erase(row, column..<columns) } else if mode == 1 { erase(row, 0..<column + 1) }
            // 3 clears the lines that have scrolled off the screen.
            for other in 0..<rows where mode == 2 || mode == 0 && other > row || mode == 1 && other < row { erase(other, 0..<columns) }
        case "K": erase(row, numbers.first == 1 ? 0..<column + 1 : numbers.first == 2 ? 0..<columns : column..<columns)
        case "X": erase(row, column..<min(column + first, columns))
        case "P":
            cells[row].removeSubrange(column..<min(column + first, columns))
            while cells[row].count < columns { cells[row].append(blank) }
            blankHalves(row)
        case "@":
            cells[row].insert(contentsOf: Array(repeating: blank, count: min(first, columns - column)), at: column)
            cells[row].removeLast(cells[row].count - columns)
            blankHalves(row)
        case "L", "M":
            guard region.contains(row) else { break }
            let whole = region
            region = row...whole.upperBound
            scroll(final == "M" ? min(first, rows) : -min(first, rows))
            region = whole
        case "S": scroll(min(first, rows))
        case "T": scroll(-min(first, rows))
        case "r":
            let top = min(first, rows) - 1
            let bottom = numbers.count > 1 && numbers[1] > 0 ? min(numbers[1], rows) - 1 : rows - 1
            region = top < bottom ? top...bottom : 0...rows - 1
            (column, row) = (0, 0)
        case "m": select(numbers.isEmpty ? [0] : numbers)
        case "n": if numbers.first == 6 { answers += "\u{1B}[\(row + 1);\(column + 1)R".utf8 }
        case "c": answers += "\u{1B}[?62;22c".utf8
        case "s": saved = (column, row, style, isWrapPending)
        case "u": (column, row, style, isWrapPending) = saved
        default: unknown.append("CSI \(parameters)\(final)")
        }
    }

    private mutating func erase(_ row: Int, _ range: Range<Int>) {
        for column in range.clamped(to: 0..<columns) { cells[row][column] = blank }
        blankHalves(row)
    }

    private mutating func set(_ mode: Int, _ isOn: Bool) {
        if mode == 1049, isOn != modes.contains(1049) {
            if isOn {
                saved = (column, row, style, isWrapPending)
                otherCells = cells
                for row in 0..<rows { erase(row, 0..<columns) }
            } else {
                cells = otherCells
                otherCells = []
                (column, row, style, isWrapPending) = saved
                column = min(column, columns - 1)
                row = min(row, rows - 1)
            }
        }
        if isOn { modes.insert(mode) } else { modes.remove(mode) }
    }

    /// Source: ECMA-48 §8.3.117 and xterm's colours.
    private mutating func select(_ numbers: [Int]) {
        var rest = numbers[...]
        while let number = rest.popFirst() {
            switch number {
            case 0: style = .plain
            case 1: style.attributes.insert(.bold)
            case 2: style.attributes.insert(.dim)
            case 3: style.attributes.insert(.italic)
            case 4: style.attributes.insert(.underline)
            case 7: style.attributes.insert(.reverse)
            case 9: style.attributes.insert(.strike)
            case 22: style.attributes.subtract([.bold, .dim])
            case 23: style.attributes.remove(.italic)
            case 24: style.attributes.remove(.underline)
            case 27: style.attributes.remove(.reverse)
            case 29: style.attributes.remove(.strike)
            case 30...37: style.foreground = .indexed(UInt8(number - 30))
            case 40...47: style.background = .indexed(UInt8(number - 40))
            case 90...97: style.foreground = .indexed(UInt8(number - 82))
            case 100...107: style.background = .indexed(UInt8(number - 92))
            case 39: style.foreground = .standard
            case 49: style.background = .standard
            case 38, 48:
                let colour: Colour
                if rest.first == 5, rest.count >= 2 {
                    colour = .indexed(UInt8(clamping: rest[rest.startIndex + 1]))
                    rest = rest.dropFirst(2)
                } else if rest.first == 2, rest.count >= 4 {
                    let parts = rest.dropFirst().prefix(3).map { UInt8(clamping: $0) }
                    colour = .rgb(parts[0], parts[1], parts[2])
                    rest = rest.dropFirst(4)
                } else {
                    return unknown.append("SGR \(numbers)")
                }
                if number == 38 { style.foreground = colour } else { style.background = colour }
            default: unknown.append("SGR \(number)")
            }
        }
    }
}
