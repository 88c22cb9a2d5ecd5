import QRCodes

/// A QR code as lines of half blocks for a terminal. Without libqrencode there is no picture.
enum QRPicture {
    /// Light modules around the code (ISO/IEC 18004 asks for four; phones read it with two, and small terminals have no more room).
    private static let margin = 2

    /// - Returns: `nil` without the library, and for a text that it cannot encode.
    static func lines(_ text: String) -> [String]? { modules(text).map(lines) }

    /// - Parameter dark: the dark modules, row by row, as many rows as columns.
    static func lines(_ dark: [[Bool]]) -> [String] {
        let side = dark.count + 2 * margin
        func isDark(_ row: Int, _ column: Int) -> Bool {
            let (row, column) = (row - margin, column - margin)
            return dark.indices.contains(row) && dark[row].indices.contains(column) && dark[row][column]
        }
        // Most terminals are dark, and phones want dark modules on a light ground: the blocks are the light ones.
        return stride(from: 0, to: side, by: 2).map { row in
            String(
                (0..<side).map { column -> Character in
                    switch (isDark(row, column), row + 1 < side ? isDark(row + 1, column) : true) {
                    case (false, false): "█"
                    case (false, true): "▀"
                    case (true, false): "▄"
                    case (true, true): " "
                    }
                })
        }
    }

    /// The dark modules of the code of a text.
    static func modules(_ text: String) -> [[Bool]]? { QRCode.modules(text) }
}
