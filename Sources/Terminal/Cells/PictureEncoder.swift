/// A protocol by which a terminal shows pictures.
package enum PictureProtocol: String, CaseIterable, Hashable, Sendable {
    /// Source: kitty's "Terminal graphics protocol".
    case kitty
    /// Source: DEC's VT330/VT340 Programmer Reference Manual, chapter 14.
    case sixel
    /// Source: iTerm2's "Inline Images Protocol".
    case iterm2
}

/// A small picture: its pixels, and the file from which they were decoded.
package struct TerminalPicture: Hashable, Sendable {
    package let width: Int
    package let height: Int
    /// Row by row, three octets each: red, green, blue.
    package let pixels: [UInt8]
    package let file: [UInt8]

    /// - Returns: `nil` if the pixels do not fit the size.
    package init?(width: Int, height: Int, pixels: [UInt8], file: [UInt8]) {
        guard width > 0, height > 0, pixels.count == width * height * 3 else { return nil }
        (self.width, self.height, self.pixels, self.file) = (width, height, pixels, file)
    }
}

/// A picture on a canvas: its area, and a number that stands for the picture.
package struct PlacedPicture: Hashable, Sendable {
    package let rect: Rect
    package let number: Int

    package init(_ rect: Rect, number: Int) { (self.rect, self.number) = (rect, number) }
}

/// Encodes pictures as terminal output. Pure: pixels in, octets out. The cursor is in the upper left cell of the area.
package enum PictureEncoder {
    /// The largest part of an area that has the shape of the picture, in whole cells, from the upper left.
    ///
    /// - Parameter cell: the size of a cell in pixels.
    package static func fit(width: Int, height: Int, into rect: Rect, cell: Size) -> Rect {
        guard width > 0, height > 0, rect.columns > 0, rect.rows > 0, cell.columns > 0, cell.rows > 0 else { return Rect(rect.column, rect.row, columns: 0, rows: 0) }
        let (across, down) = (rect.columns * cell.columns, rect.rows * cell.rows)
        // The side that meets its limit first decides.
        let isWide = width * down >= height * across
        let (shownWidth, shownHeight) = isWide ? (across, height * across / width) : (width * down / height, down)
        return Rect(
            rect.column, rect.row, columns: min(max((shownWidth + cell.columns - 1) / cell.columns, 1), rect.columns),
            rows: min(max((shownHeight + cell.rows - 1) / cell.rows, 1), rect.rows))
    }

    /// The octets that show a picture.
    ///
    /// - Parameters:
    ///   - base64: encodes in base64 (RFC 4648) with padding.
    package static func encode(
        _ picture: TerminalPicture, as format: PictureProtocol, columns: Int, rows: Int, cell: Size, base64: ([UInt8]) -> String
    ) -> [UInt8] {
        switch format {
        case .kitty: kitty(picture, columns, rows, base64)
        case .iterm2:
            Array("\u{1B}]1337;File=inline=1;size=\(picture.file.count);width=\(columns);height=\(rows);preserveAspectRatio=1:\(base64(picture.file))\u{07}".utf8)
        case .sixel: sixel(picture, width: columns * cell.columns, height: rows * cell.rows)
        }
    }

    /// The octets that remove the picture from a terminal that keeps pictures beside its cells; the others lose it with
    /// the cells.
    package static func removal(_ format: PictureProtocol) -> [UInt8] { format == .kitty ? Array("\u{1B}_Ga=d,d=I,i=\(number),q=2\u{1B}\\".utf8) : [] }

    /// The number of our picture in kitty.
    private static let number = 4_833
    /// The largest part of a picture in one sequence of kitty, in octets of base64.
    private static let portion = 4_096

    private static func kitty(_ picture: TerminalPicture, _ columns: Int, _ rows: Int, _ base64: ([UInt8]) -> String) -> [UInt8] {
        let content = Array(base64(picture.pixels).utf8)
        var octets: [UInt8] = []
        for start in stride(from: 0, to: content.count, by: portion) {
            let end = min(start + portion, content.count)
            let more = end < content.count ? 1 : 0
            // No answers (q=2), and the cursor stays (C=1).
            let keys = start == 0 ? "a=T,f=24,s=\(picture.width),v=\(picture.height),c=\(columns),r=\(rows),i=\(number),q=2,C=1,m=\(more)" : "m=\(more),q=2"
            octets += "\u{1B}_G\(keys);".utf8
            octets += content[start..<end]
            octets += "\u{1B}\\".utf8
        }
        return octets
    }

    /// Six levels of each colour, as xterm's cube has: 216 colours, which every terminal with sixels has room for.
    private static let levels = 6

    private static func sixel(_ picture: TerminalPicture, width: Int, height: Int) -> [UInt8] {
        // The shape of the picture stays.
        let isWide = picture.width * height >= picture.height * width
        let (across, down) = isWide ? (width, max(picture.height * width / picture.width, 1)) : (max(picture.width * height / picture.height, 1), height)
        var colours = [UInt8](repeating: 0, count: across * down)
        for row in 0..<down {
            let from = row * picture.height / down * picture.width
            for column in 0..<across {
                let place = (from + column * picture.width / across) * 3
                colours[row * across + column] = colour(picture.pixels[place], picture.pixels[place + 1], picture.pixels[place + 2])
            }
        }
        // Cells that the picture does not cover stay (1), and pixels are square (1;1).
        var octets = Array("\u{1B}P0;1;0q\"1;1;\(across);\(down)".utf8)
        for colour in Set(colours).sorted() {
            let (red, green, blue) = (Int(colour) / 36, Int(colour) / 6 % 6, Int(colour) % 6)
            octets += "#\(colour);2;\(red * 20);\(green * 20);\(blue * 20)".utf8
        }
        for band in stride(from: 0, to: down, by: 6) {
            // The bits of each colour in this band of six rows.
            var bits: [UInt8: [UInt8]] = [:]
            for row in band..<min(band + 6, down) {
                for column in 0..<across { bits[colours[row * across + column], default: [UInt8](repeating: 0, count: across)][column] |= 1 << UInt8(row - band) }
            }
            for (place, colour) in bits.keys.sorted().enumerated() {
                if place > 0 { octets.append(UInt8(ascii: "$")) }
                octets += "#\(colour)".utf8
                append(bits[colour] ?? [], to: &octets)
            }
            octets.append(UInt8(ascii: "-"))
        }
        return octets + "\u{1B}\\".utf8
    }

    private static func colour(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
        func level(_ value: UInt8) -> UInt8 { UInt8((Int(value) * (levels - 1) + 127) / 255) }
        return level(red) * 36 + level(green) * 6 + level(blue)
    }

    /// Appends a row of sixels, with repetitions as counts and without blank ones at its end.
    private static func append(_ bits: [UInt8], to octets: inout [UInt8]) {
        var end = bits.count
        while end > 0, bits[end - 1] == 0 { end -= 1 }
        var place = 0
        while place < end {
            var next = place
            while next < end, bits[next] == bits[place] { next += 1 }
            let sixel = bits[place] + 63
            if next - place > 3 { octets += "!\(next - place)".utf8 } else { octets += [UInt8](repeating: sixel, count: next - place - 1) }
            octets.append(sixel)
            place = next
        }
    }
}
