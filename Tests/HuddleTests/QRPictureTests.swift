import Testing

@testable import huddle

@Suite("Codes as pictures on a terminal")
struct QRPictureTests {
    @Test("Light modules are blocks, two rows per line, with a light margin on every side")
    func lines() {
        let lines = QRPicture.lines([[true, false], [false, true]])
        #expect(lines == ["██████", "██▄▀██", "██████"])
        #expect(QRPicture.lines([[true]]) == ["█████", "██▄██", "▀▀▀▀▀"])
    }

    @Test("The library draws a square with its three finders; the same text is the same picture, another is another")
    func library() throws {
        let modules = try #require(QRPicture.modules("https://huddle.example/#7K3QX-00000-11111-ZZZZZ"), "install libqrencode4 (deploy/lib.sh)")
        #expect(modules.count >= 21 && (modules.count - 17) % 4 == 0 && modules.allSatisfy { $0.count == modules.count })
        let last = modules.count - 1
        for (row, column) in [(0, 0), (0, last - 6), (last - 6, 0)] {
            for step in 0...6 {
                #expect(modules[row][column + step] && modules[row + 6][column + step] && modules[row + step][column] && modules[row + step][column + 6])
            }
            #expect(!modules[row + 1][column + 1] && modules[row + 3][column + 3])
        }
        #expect(QRPicture.modules("https://huddle.example/#7K3QX-00000-11111-ZZZZZ") == modules)
        #expect(QRPicture.modules("https://huddle.example/#7K3QX-00000-11111-ZZZZ0") != modules)
        #expect(QRPicture.modules(String(repeating: "x", count: 4_000)) == nil, "no code is that large")
    }
}
