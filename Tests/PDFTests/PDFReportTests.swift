import PDF
import Posix
import Testing

/// The text that poppler reads from the pages. It is installed with the tests' set-up (`deploy/lib.sh`).
struct ReadPages {
    /// One text per page, in reading order.
    let pages: [String]
    /// Each word with the page's size, in points.
    let words: [(text: String, left: Double, top: Double, right: Double, bottom: Double, width: Double, height: Double)]

    init(_ octets: [UInt8]) throws {
        let folder = try Files.makeTemporaryFolder()
        defer { try? Files.removeTree(folder) }
        try Files.write(octets, to: folder + "/a.pdf")
        func read(_ options: String...) throws -> String {
            let answer = try ChildProcess.run(["/usr/bin/pdftotext"] + options + [folder + "/a.pdf", "-"], environment: ["LC_ALL=C.UTF-8"])
            try #require(answer.ending == .exited(0), "\(String(decoding: answer.errors, as: UTF8.self))")
            #expect(answer.errors.isEmpty, "\(String(decoding: answer.errors, as: UTF8.self))")
            return String(decoding: answer.output, as: UTF8.self)
        }
        // A form feed ends each page.
        pages = try read("-layout").split(separator: "\u{0C}", omittingEmptySubsequences: false).dropLast().map(String.init)
        var size = (0.0, 0.0)
        words = try read("-bbox").split(separator: "\n").compactMap { line in
            func number(_ name: String) -> Double {
                guard let start = line.firstRange(of: name + "=\"")?.upperBound else { return .nan }
                return Double(line[start...].prefix { $0 != "\"" }) ?? .nan
            }
            if line.contains("<page ") { size = (number("width"), number("height")) }
            guard line.contains("<word "), let start = line.firstIndex(of: ">"), let end = line.lastIndex(of: "<"), start < end else { return nil }
            let text = String(line[line.index(after: start)..<end])
            return (text, number("xMin"), number("yMin"), number("xMax"), number("yMax"), size.0, size.1)
        }
    }

    var text: String { pages.joined(separator: "\n") }

    /// Whether all content is within the paper's margins, except for the ink of a slanted letter.
    func expectInside(_ comment: String = "", location: SourceLocation = #_sourceLocation) {
        for word in words {
            let isInside = word.left > 33 && word.top > 30 && word.right < word.width - 33 && word.bottom < word.height - 18
            #expect(isInside, "\(comment) \(word)", sourceLocation: location)
        }
    }
}

@Suite("Tables on pages") struct PDFReportTests {
    private static func report(_ rows: [[String]], of headings: [String] = ["Name", "Result"], title: String = "Results", notes: [String] = []) -> PDFReport {
        PDFReport(title: title, notes: notes, headings: headings, rows: rows.map { .init($0) }, footer: "Results, The Rivera family")
    }

    private static func made(_ report: PDFReport, on paper: PDFPaper = .a4) throws -> (pages: PDFPages, read: ReadPages) {
        let pages = try report.pages(on: paper)
        let read = try ReadPages(pages.octets)
        #expect(read.pages.count == pages.count)
        read.expectInside("\(report.title)")
        return (pages, read)
    }

    @Test("R112 Title, notes, headings, cells and the page number are searchable text")
    func plain() throws {
        let (pages, read) = try Self.made(Self.report([["Pop Time", "1.87 sec"], ["Exit Velocity", "71 mph"]], title: "Results at Spring Showcase", notes: ["Elena Rivera", "2 lines"]))
        #expect(pages.octets.starts(with: Array("%PDF-".utf8)) && pages.count == 1 && pages.unknown == 0)
        for words in ["Results at Spring Showcase", "Elena Rivera", "2 lines", "Name", "Result", "Pop Time", "1.87 sec", "Exit Velocity", "71 mph", "Results, The Rivera family", "Page 1"] {
            #expect(read.text.contains(words), "\(words) in \(read.text)")
        }
        #expect(read.words.allSatisfy { $0.width == 595 && $0.height == 842 })
        #expect(try Self.made(Self.report([["a", "b"]]), on: .letter).read.words.allSatisfy { $0.width == 612 && $0.height == 792 })
    }

    @Test("Any text is on the page as it was written", arguments: [
        "Zoë Łukasiewicz-Ångström", "Nguyễn Thị Ánh", "Žofie Dvořáková", "Ελένη Παπαδοπούλου", "Юлия Щербакова", "efficient offline fly", "e\u{301}te\u{301}",
        "(a) \\ 100% <b>&amp;</b> [x] %PDF", "\"quoted\" 'so' `this`", "'=1+1", "½ × ¾ – — …", "$150.00 €20",
    ])
    func scripts(_ text: String) throws {
        let (pages, read) = try Self.made(Self.report([[text, "1"]], title: text, notes: [text]))
        #expect(pages.unknown == 0)
        // Swift treats composed and decomposed forms as equal.
        func letters(_ text: String) -> String { String(text.filter { !$0.isWhitespace }) }
        #expect(letters(read.text).contains(letters(text)), "\(read.text)")
    }

    @Test("Right-to-left text is on the page, aligned to the right", arguments: ["שלום עולם", "مرحبا"])
    func fromTheRight(_ text: String) throws {
        let (pages, read) = try Self.made(Self.report([[text, "1"]]))
        #expect(pages.unknown == 0)
        let letters = read.text.unicodeScalars.filter { $0.properties.isAlphabetic }
        for word in text.split(separator: " ") { #expect(String(String.UnicodeScalarView(letters)).contains(word), "\(read.text)") }
    }

    @Test("Characters with a font on this machine are drawn, and others are counted and drawn as boxes")
    func fonts() throws {
        let fonts = try ChildProcess.run(["/usr/bin/fc-list", ":lang=zh-cn"], environment: ["HOME=/nonexistent"])
        let (pages, read) = try Self.made(Self.report([["陈美玲", "1"]]))
        #expect(read.text.contains("陈美玲") == !fonts.output.isEmpty)
        #expect(pages.unknown == (fonts.output.isEmpty ? 3 : 0))
        // A private use plane, which no font may fill.
        #expect(try Self.made(Self.report([["a\u{10FFF0}\u{10FFF1}", "1"]])).pages.unknown == 2)
    }

    @Test("Every row is on exactly one page, in order, under the headings of each page")
    func manyRows() throws {
        let rows = (0..<400).map { ["Row \($0) begins", "Nº \($0) ends"] }
        let (pages, read) = try Self.made(Self.report(rows))
        #expect(pages.count > 5)
        for (number, page) in read.pages.enumerated() { #expect(page.contains("Name") && page.contains("Result") && page.contains("Page \(number + 1)")) }
        let found = read.text.split(separator: "\n").filter { $0.contains("begins") }
        try #require(found.count == rows.count)
        for (line, row) in zip(found, rows) { #expect(line.contains(row[0]) && line.contains(row[1])) }
    }

    @Test("A text longer than a page continues on the next, and one without a blank breaks at the end of its column")
    func longTexts() throws {
        let words = (0..<3_000).map { "w\($0)" }
        let (pages, read) = try Self.made(Self.report([["before", words.joined(separator: " "), "x"], ["after", "", "y"]], of: ["Name", "Notes", "Other"]))
        #expect(pages.count > 2)
        #expect(read.words.map(\.text).filter { $0.hasPrefix("w") && $0.count > 1 } == words, "in order, none lost")
        #expect(read.pages.last?.contains("after") == true)
        let endless = String(repeating: "abcdefghij", count: 1_000)
        let (_, long) = try Self.made(Self.report([[endless, endless]], title: String(endless.prefix(600)), notes: [String(endless.prefix(600))]))
        let letters = long.text.filter { "abcdefghij".contains($0) }
        #expect(letters.count >= 2 * endless.count + 1_200)
    }

    @Test("Longer texts are under their row, from margin to margin, also over several pages")
    func details() throws {
        let words = (0..<4_000).map { "w\($0)" }
        let report = PDFReport(
            title: "Events", headings: ["Name"], rows: [.init(["Fall Camp"], details: ["Description: " + words.joined(separator: " "), "Notes: second"]), .init(["Spring Camp"])])
        let (pages, read) = try Self.made(report)
        #expect(pages.count > 2)
        #expect(read.words.map(\.text).filter { $0.hasPrefix("w") && $0.count > 1 } == words)
        #expect(read.words.contains { $0.text.hasPrefix("w") && $0.right > 500 })
        let order = ["Fall", "Description:", "w3999", "second", "Spring"].compactMap { word in read.words.firstIndex { $0.text == word } }
        #expect(order.count == 5 && order == order.sorted())
    }

    @Test("Many columns give a landscape page, the widest column shrinks first, and all texts are there")
    func manyColumns() throws {
        let headings = (0..<9).map { "Column \($0)" }
        let row = (0..<9).map { "value \($0) " + String(repeating: "and so on ", count: $0 == 4 ? 60 : 2) }
        let (_, read) = try Self.made(Self.report([row], of: headings))
        #expect(read.words.allSatisfy { $0.width == 842 && $0.height == 595 })
        #expect(read.words.count { $0.text == "and" } == 8 * 2 + 60)
        for number in 0..<9 { #expect(read.words.contains { $0.text == "\(number)" }) }
    }

    @Test("An empty report is one page with its title; columns without content are omitted")
    func empty() throws {
        let (pages, read) = try Self.made(Self.report([], notes: ["No metrics yet."]))
        #expect(pages.count == 1 && read.text.contains("No metrics yet.") && !read.text.contains("Result\n"))
        let (_, some) = try Self.made(Self.report([["a", "", "b"], ["c"]], of: ["Name", "Nothing", "Result"]))
        #expect(!some.text.contains("Nothing") && some.text.contains("Result") && some.text.contains("c"))
        #expect(try Self.made(PDFReport(title: "", headings: [], rows: [])).pages.count == 1)
    }

    @Test("Line feeds end lines, and invalid characters do no harm")
    func oddities() throws {
        let (_, read) = try Self.made(Self.report([["first\nsecond\n\nfourth", "a\0b\u{1}c\u{2028}d\te"]]))
        let tops = ["first", "second", "fourth"].compactMap { word in read.words.first { $0.text == word }?.top }
        #expect(tops.count == 3 && tops == tops.sorted() && Set(tops).count == 3)
        _ = try Self.made(Self.report([[String(repeating: "a\u{300}\u{301}\u{302}", count: 50), String(repeating: "\n", count: 500) + "end"]]))
    }

    @Test("Any table stays within the margins, and each of its words is on a page", arguments: 1...12 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let columns = 1 + next(8)
        var number = 0
        let rows = (0..<next(60)).map { _ in
            (0..<columns).map { _ in
                (0..<next(next(20) == 0 ? 400 : 8)).map { _ in
                    number += 1
                    return "q\(number)z"
                }.joined(separator: next(5) == 0 ? "\n" : " ")
            }
        }
        let (_, read) = try Self.made(Self.report(rows, of: (0..<columns).map { "Heading \($0)" }), on: next(2) == 0 ? .a4 : .letter)
        // Words broken in a narrow column are found among the surrounding letters.
        let letters = read.words.map(\.text).joined()
        let whole = Set(read.words.map(\.text))
        let lost = (0..<number).filter { !whole.contains("q\($0 + 1)z") && !letters.contains("q\($0 + 1)z") }
        #expect(lost.isEmpty, "seed \(seed): \(lost)")
    }
}
