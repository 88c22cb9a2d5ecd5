/// A position on the screen; 0, 0 is the upper left.
package struct Point: Hashable, Sendable {
    package var column: Int
    package var row: Int

    package init(_ column: Int, _ row: Int) {
        self.column = column
        self.row = row
    }
}

/// Columns and rows of a screen.
package struct Size: Hashable, Sendable {
    /// Larger than any screen; a larger size from a terminal is reduced to this one, so that no size exhausts memory.
    package static let largest = Size(columns: 1_000, rows: 500)

    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The size limited to 1 × 1 and `largest`.
    package var bounded: Size {
        Size(columns: min(max(columns, 1), Self.largest.columns), rows: min(max(rows, 1), Self.largest.rows))
    }
}

/// A part of the screen.
package struct Rect: Hashable, Sendable {
    package var column: Int
    package var row: Int
    package var columns: Int
    package var rows: Int

    package init(_ column: Int, _ row: Int, columns: Int, rows: Int) {
        self.column = column
        self.row = row
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
    }

    package init(_ size: Size) { self.init(0, 0, columns: size.columns, rows: size.rows) }

    /// The column after the last column, and the row after the last row.
    package var endColumn: Int { column + columns }
    package var endRow: Int { row + rows }
    package var isEmpty: Bool { columns == 0 || rows == 0 }

    package func contains(_ point: Point) -> Bool {
        point.column >= column && point.column < endColumn && point.row >= row && point.row < endRow
    }

    package func intersection(_ other: Rect) -> Rect {
        let left = max(column, other.column)
        let top = max(row, other.row)
        return Rect(left, top, columns: min(endColumn, other.endColumn) - left, rows: min(endRow, other.endRow) - top)
    }

    /// The rectangle without `horizontal` columns and `vertical` rows at each side.
    package func inset(_ horizontal: Int, _ vertical: Int) -> Rect {
        Rect(column + horizontal, row + vertical, columns: columns - 2 * horizontal, rows: rows - 2 * vertical)
    }

    /// The first `count` rows, and the rest.
    package func splitTop(_ count: Int) -> (Rect, Rect) {
        let count = min(max(count, 0), rows)
        return (Rect(column, row, columns: columns, rows: count), Rect(column, row + count, columns: columns, rows: rows - count))
    }

    /// All but the last `count` rows, and these.
    package func splitBottom(_ count: Int) -> (Rect, Rect) { splitTop(rows - min(max(count, 0), rows)) }

    /// The first `count` columns, and the rest.
    package func splitLeft(_ count: Int) -> (Rect, Rect) {
        let count = min(max(count, 0), columns)
        return (Rect(column, row, columns: count, rows: rows), Rect(column + count, row, columns: columns - count, rows: rows))
    }

    /// A rectangle of this size (or as much of it as there is room for) in the middle.
    package func centred(columns wide: Int, rows high: Int) -> Rect {
        let wide = min(wide, columns)
        let high = min(high, rows)
        return Rect(column + (columns - wide) / 2, row + (rows - high) / 2, columns: wide, rows: high)
    }
}
