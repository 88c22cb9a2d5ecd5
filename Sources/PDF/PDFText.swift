internal import CPango

/// A text in lines that are drawn from first to last, on one page or on several.
final class PDFText {
    private let layout: OpaquePointer?
    private let lines: OpaquePointer?
    private let cairo: OpaquePointer?
    private(set) var isDrawn: Bool

    /// - Parameters:
    ///   - style: a font.
    ///   - width: the points after which a line is broken, between words, or within a word that is longer; `nil`
    ///     without limit.
    init(_ cairo: OpaquePointer?, _ style: OpaquePointer?, _ text: String, width: Double?) {
        // pango accepts no text with a NUL in it.
        var text = text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
        self.cairo = cairo
        isDrawn = text.isEmpty
        layout = text.withUTF8 { octets in
            octets.withMemoryRebound(to: CChar.self) { octets in
                cpango_layout_create(cairo, style, octets.baseAddress, Int32(clamping: octets.count), width.map { Int32($0 * Self.scale) } ?? -1)
            }
        }
        lines = cpango_lines(layout)
    }

    deinit {
        cpango_lines_free(lines)
        cpango_layout_free(layout)
    }

    private static let scale = Double(CPANGO_SCALE)

    /// The size in points.
    var size: (width: Double, height: Double) {
        guard !isDrawn else { return (0, 0) }
        var (width, height): (Int32, Int32) = (0, 0)
        cpango_layout_size(layout, &width, &height)
        return (Double(width) / Self.scale, Double(height) / Self.scale)
    }

    /// The number of characters that no font has.
    var unknown: Int { Int(cpango_layout_unknown(layout)) }

    /// Draws the next lines that end above `end`.
    ///
    /// - Parameter forced: whether to draw one line in any case.
    /// - Returns: the end of the last line.
    func draw(at x: Double, from start: Double, to end: Double, forced: Bool) -> Double {
        var bottom = start
        var forced = forced
        var shift: Double?
        while !isDrawn {
            var (top, under, base, left): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
            cpango_line_place(lines, &top, &under, &base, &left)
            let up = shift ?? start - Double(top) / Self.scale
            shift = up
            guard up + Double(under) / Self.scale <= end || forced else { break }
            forced = false
            bottom = up + Double(under) / Self.scale
            cpango_move_to(cairo, x + Double(left) / Self.scale, up + Double(base) / Self.scale)
            cpango_line_draw(cairo, lines)
            isDrawn = !cpango_lines_next(lines)
        }
        return bottom
    }
}

@available(*, unavailable)
extension PDFText: Sendable {}

/// The output of cairo.
final class PDFOutput {
    fileprivate(set) var octets: [UInt8] = []
}

@available(*, unavailable)
extension PDFOutput: Sendable {}

let writeOctets: cpango_write = { context, octets, count in
    guard let context, let octets else { return count == 0 ? 0 : 11 }
    Unmanaged<PDFOutput>.fromOpaque(context).takeUnretainedValue().octets.append(contentsOf: UnsafeBufferPointer(start: octets, count: Int(count)))
    return 0
}
