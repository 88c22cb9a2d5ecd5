import Bytes
import Terminal
import Testing

@Suite("Pictures on a terminal, R129, R147")
struct PictureEncoderTests {
    /// Red at the left, blue at the right.
    static func picture(_ width: Int, _ height: Int) throws -> TerminalPicture {
        let row = (0..<width).flatMap { $0 < width / 2 ? [255, 0, 0] : [0, 0, 255] as [UInt8] }
        return try #require(TerminalPicture(width: width, height: height, pixels: (0..<height).flatMap { _ in row }, file: Array("the file".utf8)))
    }

    static func encode(_ picture: TerminalPicture, _ format: PictureProtocol, columns: Int = 4, rows: Int = 2, cell: Size = Size(columns: 3, rows: 6)) -> String {
        String(decoding: PictureEncoder.encode(picture, as: format, columns: columns, rows: rows, cell: cell) { Base64.encode($0) }, as: UTF8.self)
    }

    @Test("A picture keeps its shape in the area that it gets", arguments: [
        (320, 240, 26, 13, 26, 10), (240, 320, 26, 13, 20, 13), (16, 8, 26, 13, 26, 7), (1, 1_000, 26, 13, 1, 13), (1_000, 1, 26, 13, 26, 1), (10, 10, 0, 5, 0, 0), (0, 10, 5, 5, 0, 0),
    ])
    func fit(width: Int, height: Int, columns: Int, rows: Int, across: Int, down: Int) {
        let rect = PictureEncoder.fit(width: width, height: height, into: Rect(3, 4, columns: columns, rows: rows), cell: Size(columns: 10, rows: 20))
        #expect(rect == Rect(3, 4, columns: across, rows: down))
    }

    @Test("kitty gets pixels in portions of 4,096 octets that ask for no answer, and a removal; iTerm2 gets the file")
    func strings() throws {
        let small = Self.encode(try Self.picture(2, 1), .kitty)
        #expect(small == "\u{1B}_Ga=T,f=24,s=2,v=1,c=4,r=2,i=4833,q=2,C=1,m=0;/wAAAAD/\u{1B}\\")
        let large = Self.encode(try Self.picture(64, 64), .kitty)
        let parts = large.split(separator: "\u{1B}\\").map(String.init)
        #expect(parts.count == 4 && parts.dropLast().allSatisfy { $0.contains("m=1") } && parts.last?.contains("m=0") == true && parts.dropFirst().allSatisfy { $0.contains("q=2") })
        #expect(parts.allSatisfy { ($0.split(separator: ";").last?.count ?? 0) <= 4_096 })
        #expect(String(decoding: PictureEncoder.removal(.kitty), as: UTF8.self) == "\u{1B}_Ga=d,d=I,i=4833,q=2\u{1B}\\" && PictureEncoder.removal(.sixel).isEmpty)
        #expect(Self.encode(try Self.picture(2, 1), .iterm2) == "\u{1B}]1337;File=inline=1;size=8;width=4;height=2;preserveAspectRatio=1:dGhlIGZpbGU=\u{07}")
    }

    @Test("Sixels draw each pixel once, in the nearest of 216 colours, and keep the shape", arguments: [(4, 4), (4, 2), (2, 8), (13, 7), (320, 200)])
    func sixels(width: Int, height: Int) throws {
        let text = Self.encode(try Self.picture(width, height), .sixel)
        let head = "\u{1B}P0;1;0q\"1;1;"
        #expect(text.hasPrefix(head) && text.hasSuffix("\u{1B}\\"))
        var rest = text.dropFirst(head.count).dropLast(2)
        let size = rest.prefix { $0 != "#" }
        let sides = size.split(separator: ";").compactMap { Int($0) }
        try #require(sides.count == 2 && sides[0] <= 12 && sides[1] <= 12 && (sides[0] == 12 || sides[1] == 12), "\(sides)")
        rest = rest.dropFirst(size.count)
        // A reader of its own: colours, counts, lines back ($) and bands (-).
        var pixels = [[Int]](repeating: [Int](repeating: -1, count: sides[0]), count: sides[1])
        var (colour, column, band) = (0, 0, 0)
        while let first = rest.first {
            rest = rest.dropFirst()
            func number() -> Int {
                let digits = rest.prefix { $0.isNumber }
                rest = rest.dropFirst(digits.count)
                return Int(digits) ?? -1
            }
            switch first {
            case "#":
                colour = number()
                while rest.first == ";" {
                    rest = rest.dropFirst()
                    _ = number()
                }
            case "$": column = 0
            case "-": (column, band) = (0, band + 6)
            default:
                let count = first == "!" ? number() : 1
                let sixel = first == "!" ? rest.removeFirst() : first
                let bits = Int(try #require(sixel.asciiValue)) - 63
                for _ in 0..<count {
                    for row in 0..<6 where bits & (1 << row) != 0 {
                        try #require(pixels.indices.contains(band + row) && column < sides[0])
                        #expect(pixels[band + row][column] == -1)
                        pixels[band + row][column] = colour
                    }
                    column += 1
                }
            }
        }
        #expect(pixels.allSatisfy { row in row.first == 180 && row.last == 5 && row.allSatisfy { $0 == 180 || $0 == 5 } }, "\(pixels)")
    }

    @Test("Pixels that do not fit the size are not a picture")
    func refused() { #expect(TerminalPicture(width: 2, height: 2, pixels: [0, 0, 0], file: []) == nil && TerminalPicture(width: 0, height: 0, pixels: [], file: []) == nil) }
}
