internal import Terminal

extension VirtualTerminal {
    /// The screen as a picture (SVG), for documents: searchable text, in the colours of a dark terminal.
    package func picture() -> String {
        let (wide, high, size) = (8.4, 18.0, 14)
        func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
        let width = number(Double(columns) * wide + 16)
        let height = number(Double(rows) * high + 16)
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"\(size)\">",
            "<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#14161a\"/>",
        ]
        for (row, line) in cells.enumerated() {
            let top = 8 + Double(row) * high
            for run in Self.runs(line) {
                let left = 8 + Double(run.column) * wide
                let isReversed = run.style.attributes.contains(.reverse)
                let text = Self.colour(run.style.foreground, "#d6d9de")
                let behind = Self.colour(run.style.background, "#14161a")
                let (front, back) = isReversed ? (behind, text) : (text, behind)
                if back != "#14161a" {
                    parts.append("<rect x=\"\(number(left))\" y=\"\(number(top))\" width=\"\(number(Double(run.columns) * wide))\" height=\"\(number(high))\" fill=\"\(back)\"/>")
                }
                guard run.text.contains(where: { $0 != " " }) else { continue }
                var look = "fill=\"\(front)\""
                if run.style.attributes.contains(.bold) { look += " font-weight=\"bold\"" }
                if run.style.attributes.contains(.italic) { look += " font-style=\"italic\"" }
                if run.style.attributes.contains(.underline) { look += " text-decoration=\"underline\"" }
                let escaped = run.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
                parts.append("<text x=\"\(number(left))\" y=\"\(number(top + 13))\" xml:space=\"preserve\" textLength=\"\(number(Double(run.columns) * wide))\" \(look)>\(escaped)</text>")
            }
        }
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    private struct Run {
        var column: Int
        var columns: Int
        var text: String
        var style: Style
    }

    /// Runs of equal style; a wide character ends a run, because its width depends on the font.
    private static func runs(_ line: [Cell]) -> [Run] {
        var runs: [Run] = []
        for (column, cell) in line.enumerated() where cell.width > 0 {
            if let last = runs.last, last.style == cell.style, cell.width == 1, last.column + last.columns == column, last.columns > 2 || line[last.column].width == 1 {
                runs[runs.count - 1].text += cell.text
                runs[runs.count - 1].columns += 1
            } else {
                runs.append(Run(column: column, columns: cell.width, text: cell.text, style: cell.style))
            }
        }
        return runs
    }

    private static func colour(_ colour: Colour, _ standard: String) -> String {
        func hex(_ red: Int, _ green: Int, _ blue: Int) -> String {
            "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        switch colour.kind {
        case .standard: return standard
        case .rgb(let red, let green, let blue): return hex(Int(red), Int(green), Int(blue))
        case .indexed(let number):
            let basic = ["#1e2127", "#e06c75", "#98c379", "#d19a66", "#61afef", "#c678dd", "#56b6c2", "#abb2bf", "#5c6370", "#ff7a85", "#b5e890", "#e5c07b", "#7cc4ff", "#de8ff0", "#6fd6e2", "#ffffff"]
            if number < 16 { return basic[Int(number)] }
            if number >= 232 { return hex(8 + 10 * (Int(number) - 232), 8 + 10 * (Int(number) - 232), 8 + 10 * (Int(number) - 232)) }
            let level = { (step: Int) in step == 0 ? 0 : 55 + 40 * step }
            let index = Int(number) - 16
            return hex(level(index / 36), level(index / 6 % 6), level(index % 6))
        }
    }
}
