package import Terminal

/// The overlay that lists the keys, made from the current keymap.
package enum KeyHelp {
    package struct Line: Hashable, Sendable {
        /// The shortest key first.
        package let keys: [String]
        package let summary: String
    }

    /// The lines to show: one for each command of the mode that has a key.
    ///
    /// - Parameter commands: the names of the commands with their summaries.
    package static func lines(_ keymap: Keymap, _ mode: String, _ commands: [(String, String)]) -> [Line] {
        commands.compactMap { name, summary in
            let keys = keymap.keys(of: name, in: mode)
            return keys.isEmpty ? nil : Line(keys: keys, summary: summary)
        }
    }

    package static func draw(_ lines: [Line], _ canvas: inout Canvas, _ theme: Theme) {
        let room = Size(columns: max(canvas.size.columns - 4, 1), rows: max(canvas.size.rows - 2, 1))
        let (blocks, isWhole) = layout(lines, room)
        let high = max(blocks.map(\.rows.count).max() ?? 0, 1)
        let wide = blocks.reduce(-gap) { $0 + $1.columns + gap }
        let rect = canvas.bounds.centred(columns: min(max(wide, 24), room.columns) + 4, rows: min(high, room.rows) + 2)
        canvas.dropTargets()
        canvas.target(canvas.bounds, .keys([Key(.escape)]))
        canvas.fill(rect)
        canvas.box(rect, theme[.accent], title: isWhole ? "Keys — any key closes" : "Keys — /help keys lists all", titleStyle: theme[.title])
        canvas.cursor = nil
        canvas.clipped(to: rect.inset(1, 1)) { canvas in
            var start = rect.column + 2
            for block in blocks {
                for (row, line) in block.rows.enumerated() {
                    canvas.draw(line.keys, at: start, rect.row + 1 + row, theme[.accent])
                    canvas.draw(line.summary, at: start + block.keys + 2, rect.row + 1 + row)
                }
                start += block.columns + gap
            }
        }
    }

    // MARK: Layout

    /// Blank columns between blocks.
    private static let gap = 2
    /// The smallest readable width of a summary, in columns.
    private static let narrowest = 14

    /// Lines below each other; a summary that is too long continues in the next row.
    private struct Block {
        var rows: [(keys: String, summary: StyledText)] = []
        var keys: Int { rows.map { TextWidth.of($0.keys) }.max() ?? 0 }
        var columns: Int { keys + 2 + (rows.map(\.summary.width).max() ?? 0) }
    }

    /// Lays out two keys for each command if there is room, otherwise one, in as few blocks side by side as hold all
    /// lines.
    ///
    /// - Returns: the blocks, and whether they hold all lines; on a screen that is too small the last lines are
    ///   missing.
    private static func layout(_ lines: [Line], _ room: Size) -> ([Block], isWhole: Bool) {
        let ways = [2, 1].map { ways in lines.map { ($0.keys.prefix(ways).joined(separator: ", "), $0.summary) } }
        for told in ways {
            for count in 1...4 {
                if let blocks = blocks(told, count, room), blocks.count <= count, blocks.allSatisfy({ $0.rows.count <= room.rows }) { return (blocks, true) }
            }
        }
        for count in [4, 3, 2, 1] {
            if let blocks = blocks(ways[1], count, room) { return (Array(blocks.prefix(count)), false) }
        }
        return ([], false)
    }

    /// - Parameter count: the number of blocks that share the width.
    /// - Returns: as many blocks as all lines need; `nil` if they would be too narrow.
    private static func blocks(_ told: [(String, String)], _ count: Int, _ room: Size) -> [Block]? {
        let wide = (room.columns - gap * (count - 1)) / count
        let summary = wide - 2 - (told.map { TextWidth.of($0.0) }.max() ?? 0)
        guard count == 1 || summary >= narrowest else { return nil }
        var blocks = [Block()]
        for (keys, words) in told {
            let rows = StyledText(words).wrapped(columns: max(summary, 1), indent: 1)
            let last = blocks[blocks.count - 1].rows.count
            if last > 0, last + rows.count > room.rows { blocks.append(Block()) }
            blocks[blocks.count - 1].rows += rows.enumerated().map { ($0.offset == 0 ? keys : "", $0.element) }
        }
        return blocks
    }
}
