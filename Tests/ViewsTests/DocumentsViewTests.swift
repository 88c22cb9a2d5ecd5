import Bytes
@testable import Documents
import Family
import Queries
import Terminal
import Testing
import Uploads
@testable import Views
@testable import Words

@Suite("Documents on a canvas")
struct DocumentsViewTests {
    static let (maya, dana) = (RoomViewTests.maya, RoomViewTests.dana)
    static func id(_ number: UInt64) -> Identifier { Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0300 + number) }

    static func record(_ kind: Kind, _ id: Identifier, _ fields: [String: Value], at: Int64 = 86_400_000) -> Record {
        var all = Fields(kind)
        for (name, value) in fields { all[name] = value }
        return Record(kind: kind, id: id, athlete: kind == .document ? maya : nil, version: 1, createdAt: at, createdBy: dana, updatedAt: at, updatedBy: dana, fields: all)
    }

    static func document(_ number: UInt64, _ title: String, _ type: String, at: Int64, _ more: [String: Value] = [:]) -> Record {
        let fields: [String: Value] = [
            "type": .text(type), "title": .text(title), "is_current": .flag(true), "version": .integer(1), "file_name": .text("\(title).pdf"), "octets": .integer(1_048_576),
            "uploaded_by": .reference(dana),
        ]
        return record(.document, id(number), fields.merging(more) { $1 }, at: at)
    }

    static let school = record(.school, id(90), ["name": .text("Ashgrove College")])
    static let others = [
        school, record(.school, id(91), ["name": .text("Łódź University")]), record(.member, maya, ["name": .text("Maya Rivera"), "role": .text("athlete")]),
        record(.member, dana, ["name": .text("Dana Rivera"), "role": .text("parent")]),
    ]
    static let documents = [
        document(1, "Fall highlights with a title that is far too long for one line of a card, and for two as well, surely", "highlight_video", at: 1_000),
        document(2, "Transcript 2026", "transcript", at: 3_000, [
            "school_id": .reference(id(90)), "school_name": .text("Ashgrove College"), "version": .integer(2), "replaces": .reference(id(3)),
            "shared_with_schools": .set((0..<21).map { SetElement(id: id(100 + $0)) }),
        ]),
        document(3, "Transcript 2025", "transcript", at: 2_000, ["is_current": .flag(false)]),
        document(4, "Stats 日本", "stats_sheet", at: 0, ["shared_with_schools": .set([SetElement(id: id(90))])]),
    ]

    static func view(_ documents: [Record] = documents, columns: Int = 80, rows: Int = 20) -> DocumentsView {
        var view = DocumentsView(size: Size(columns: columns, rows: rows), theme: .dark, keymap: ViewCommands.defaultKeymap())
        view.now = 5_000
        view.day = { "2026-04-\(10 + $0 / 1_000)" }
        view.show(documents, names: RecordNames(documents + others), context: .all)
        return view
    }

    static func drawn(_ view: DocumentsView) -> String {
        var canvas = Canvas(view.size)
        view.draw(RoomViewTests.facts(), &canvas)
        return canvas.text
    }

    @discardableResult
    static func type(_ view: inout DocumentsView, _ words: String...) -> [DocumentsAction] {
        words.flatMap { word -> [DocumentsAction] in
            if let keys = Keymap.keys(word) { return keys.flatMap { view.handle(.key($0)) } }
            return word.flatMap { view.handle(.key(.character($0))) }
        }
    }

    @Test("R122 R123 R129 R130 R131 A grid shows cards, with figures, schools, versions, dates and numbers of schools")
    func grid() {
        let view = Self.view()
        #expect(Self.drawn(view) == """
             The Rivera family  viewing Maya's season                   Dana Rivera is here
             Documents  3 of 3 total                                    n + Upload Document
             3 total  2 shared  Most: Highlight Video  4 MB stored
             Newest
            ┌─ 📄 Transcript ──────────────────────┐┌─ 🎥 Highlight Video ─────────────────┐
            │ Transcript 2026                      ││ Fall highlights with a title that is │
            │                                      ││ far too long for one line of a card… │
            │ Ashgrove College                     ││ General                              │
            │ v2 · Apr 13, 2026        Shared: 20+ ││ v1 · Apr 11, 2026                    │
            └──────────────────────────────────────┘└──────────────────────────────────────┘
            ┌─ 📊 Stats Sheet ─────────────────────┐
            │ Stats 日本                           │
            │                                      │
            │ General                              │
            │ v1 · Unknown               Shared: 1 │
            └──────────────────────────────────────┘


             Enter open  n upload  d download  s share  / search  t types  f school  ? keys
             1 pending · huddle.example
            """)
        for columns in [24, 51, 120] {
            for line in Self.drawn(Self.view(columns: columns)).split(separator: "\n") { #expect(TextWidth.of(line) <= columns) }
        }
    }

    @Test("The head shows the server's figures and the family's quota")
    func figures() {
        var view = Self.view(columns: 120)
        var figures = Statistics.Documents()
        (figures.total, figures.shared, figures.mostCommonType, figures.octets) = (12, 5, "resume", 3 << 20)
        (figures.storageUsed, figures.storageQuota) = (45 << 20, 10 << 30)
        view.figures = figures
        #expect(Self.drawn(view).contains("12 total  5 shared  Most: Resume  3 MB stored (family: 45 MB of 10 GB)"))
        view.size = Size(columns: 60, rows: 20)
        #expect(Self.drawn(view).contains("Most: Resume  3 MB stored\n"), "all four before more of one")
    }

    @Test("R125 R126 R127 Filters combine and have names, the order stays; leaving the page clears the filters", arguments: [
        (["/", "lodz", "enter"], "0 of 3", "Search: lodz"), (["/", "2026", "enter"], "1 of 3", "Search: 2026"), (["t", "1", "6", "enter"], "2 of 3", "Type: Stats Sheet"),
        (["f", "2"], "1 of 3", "School: Ashgrove College"), (["f", "2", "f", "1"], "3 of 3", ""), (["w"], "2 of 3", "Filters: 1"),
        (["w", "t", "2", "enter"], "1 of 3", "Filters: 2"), (["w", "c"], "3 of 3", ""), (["r"], "3 of 3", "Oldest"), (["r", "r", "r", "r"], "3 of 3", "Most Shared"),
        (["w", "r", "q"], "3 of 3", "Oldest"), (["w", "t", "6", "enter"], "1 of 3", "Type: Stats Sheet ✕   Shared ✕"),
        (["w", "t", "6", "enter", "backspace"], "1 of 3", "Filters: 1"), (["w", "t", "6", "enter", "backspace", "backspace"], "3 of 3", ""),
        (["f", "2", "t", "2", "4", "enter", "backspace"], "1 of 3", "Filters: 2"), (["f", "2", "backspace", "backspace"], "3 of 3", ""),
        (["/", "2026", "enter", "w", "backspace"], "2 of 3", "Shared ✕"),
    ] as [([String], String, String)])
    func filters(keys: [String], count: String, words: String) {
        var view = Self.view()
        for key in keys { Self.type(&view, key) }
        let head = Self.drawn(view).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(head[1].contains("\(count) total"), "\(head[1])")
        #expect(head[3].contains(words), "\(head[3])")
    }

    @Test("R124 R145 R147 The view asks to save grid or list; an empty list says what the user can do")
    func states() {
        var view = Self.view()
        #expect(Self.type(&view, "v") == [.remember(isGrid: false, nil)])
        #expect(Self.drawn(view).contains("▸ 📄 Transcript 2026"))
        #expect(Self.type(&view, "r") == [.remember(isGrid: false, .oldest)])
        let none = Self.drawn(Self.view([]))
        for words in ["No documents yet", "Upload videos, transcripts, and other documents to share with coaches", "+ Upload Document"] { #expect(none.contains(words)) }
        Self.type(&view, "/", "zzz", "enter")
        #expect(Self.drawn(view).contains("No documents match your filters"))
    }

    @Test("One document lists all its versions and its links, each to download, end or delete")
    func detail() {
        var view = Self.view(columns: 100, rows: 24)
        #expect(Self.type(&view, "enter") == [.open(Self.id(2))])
        view.showDetail(Self.id(2), ["Transcript 2026", "  Title  Transcript 2026"])
        #expect(Self.drawn(view).contains("Loading …"))
        // After a change of the document, its known links are dropped.
        view.refreshDetail(["Transcript 2026", "  Notes  Official"])
        #expect(Self.drawn(view).contains("Notes  Official"))
        var link = ShareLink()
        (link.id, link.school, link.expiresAt, link.views, link.downloads) = ("abc", Self.id(90), 9_000, 3, 1)
        var ended = link
        (ended.id, ended.endedAt) = ("old", 2_000)
        view.show(links: [link, ended], of: Self.id(2))
        let text = Self.drawn(view)
        for words in [
            "v2  Transcript 2026.pdf · 1 MB · Apr 13, 2026 · Dana Rivera · current", "v1  Transcript 2025.pdf", "Ashgrove College  until Apr 19, 2026 · 3 views, 1 download",
            "Ashgrove College  ended Apr 12, 2026",
        ] { #expect(text.contains(words), "\(words) is not in\n\(text)") }
        #expect(Self.type(&view, "j", "d") == [.askDownload(Self.id(3))])
        view.askForPlace(Self.id(3), "old.pdf")
        #expect(Self.drawn(view).contains("Save as: old.pdf"))
        #expect(Self.type(&view, "ctrl-u", "/tmp/x.pdf", "enter") == [.download(Self.id(3), to: "/tmp/x.pdf")])
        Self.type(&view, "j", "x")
        #expect(Self.drawn(view).contains("Revoke the link of Ashgrove College?"))
        #expect(Self.type(&view, "y") == [.revoke("abc", of: Self.id(2))])
        #expect(Self.type(&view, "j", "x") == [.pane(.shared(.bell))])
        #expect(Self.type(&view, "k", "k", "k", "x", "y") == [.pane(.submit("/rm document \(Self.id(2))"))])
        view.show([], names: RecordNames([]), context: .all)
        #expect(view.opened == nil)
    }

    @Test("R129 R147 An open document has its picture at the right, over blank cells; a dialog, a form, another document and a small screen have none")
    func picture() throws {
        func canvas(_ view: DocumentsView, columns: Int = 100, rows: Int = 24) -> Canvas {
            var view = view
            view.size = Size(columns: columns, rows: rows)
            var canvas = Canvas(view.size)
            view.draw(RoomViewTests.facts(), &canvas)
            return canvas
        }
        var view = Self.view(columns: 100, rows: 24)
        Self.type(&view, "enter")
        view.showDetail(Self.id(2), ["Transcript 2026", "  Notes  " + String(repeating: "word ", count: 60)])
        let before = canvas(view)
        #expect(before.picture == nil)
        view.picture = DocumentsView.Picture(document: Self.id(2), width: 240, height: 320, cell: Size(columns: 10, rows: 20))
        let drawn = canvas(view)
        let place = try #require(drawn.picture)
        #expect(place.rect.columns == 18 && place.rect.rows == 12 && place.rect.endColumn == 98, "\(place)")
        for row in place.rect.row..<place.rect.endRow {
            for column in place.rect.column..<place.rect.endColumn { #expect(drawn[column, row].character == " ", "\(drawn.text)") }
        }
        #expect(drawn.text.contains("v2  Transcript 2026.pdf"))
        Self.type(&view, "x")
        #expect(canvas(view).picture == nil, "a question covers it")
        Self.type(&view, "n", "?")
        #expect(canvas(view).picture == nil, "the keys cover it")
        Self.type(&view, "esc", "N")
        #expect(view.form != nil && canvas(view).picture == nil)
        Self.type(&view, "esc")
        #expect(canvas(view).picture == place && canvas(view, columns: 60).picture == nil && canvas(view, rows: 12).picture == nil)
        view.picture = DocumentsView.Picture(document: Self.id(3), width: 240, height: 320, cell: Size(columns: 10, rows: 20))
        #expect(canvas(view).picture == nil && canvas(view).text == before.text)
    }

    @Test("Esc asks before it drops a typed upload; forms of earlier runs open one after the other")
    func forgetting() throws {
        var view = Self.view()
        _ = Self.type(&view, "n")
        #expect(view.form != nil)
        _ = view.handle(.key(Key(.escape)))
        #expect(view.form == nil, "nothing was typed")
        _ = Self.type(&view, "n", "x")
        _ = view.handle(.key(Key(.escape)))
        #expect(Self.drawn(view).contains("Cancel this upload?"))
        _ = Self.type(&view, "n")
        #expect(view.form?.isAskingToDiscard == false && view.form?.file.text == "x")
        let first = try #require(view.form?.kept)
        _ = view.handle(.key(Key(.escape)))
        _ = Self.type(&view, "y")
        #expect(view.form == nil)

        view.restore(forms: [first, first.replacing("\"file\":\"x\"", with: "\"file\":\"second\"")])
        #expect(view.form?.file.text == "x" && view.typedForms.count == 2)
        view.closeForm()
        #expect(view.form?.file.text == "second" && view.typedForms.count == 1)
        _ = view.handle(.key(Key(.escape)))
        _ = Self.type(&view, "y")
        #expect(view.form == nil && view.typedForms.isEmpty)
        // A member who may not upload gets a message before any question.
        view.mayWrite = false
        #expect(Self.type(&view, "n") == [.shared(.say(PaneParts.guests))] && view.form == nil)
    }

    @Test("A link is made for a school, shown once, and copied")
    func share() {
        var view = Self.view()
        Self.type(&view, "s")
        #expect(Self.drawn(view).contains("A link for which school?"))
        #expect(Self.type(&view, "1") == [.share(Self.id(2), school: Self.id(90))])
        view.show(made: "https://x.example/s/abc", "For Ashgrove College, until Dec 21, 2026.")
        #expect(Self.drawn(view).contains("Copy it now; it won't be shown again."))
        #expect(Self.type(&view, "y") == [.pane(.shared(.copy("https://x.example/s/abc")))])
        #expect(view.madeLink == nil)
        // A key that was meant for something else does not close the link: it is never shown again.
        view.show(made: "https://x.example/s/abc", "For Ashgrove College, until Dec 21, 2026.")
        #expect(Self.type(&view, "j", "x", " ").isEmpty && view.madeLink != nil)
        Self.type(&view, "esc")
        #expect(view.madeLink == nil)
    }

    @Test("R128 A user who returns to the page finds all documents, in their order; an open document stays open")
    func leaving() {
        var view = Self.view()
        Self.type(&view, "r", "w", "/", "2026")
        #expect(Self.drawn(view).contains("1 of 3 total"))
        view.leave()
        #expect(Self.drawn(view).contains("3 of 3 total") && Self.drawn(view).contains("Oldest"))
        view.showDetail(Self.id(2), ["x"])
        view.leave()
        #expect(view.opened == Self.id(2))
    }

    @Test("R129 R131 A document without a file has a placeholder, and is neither opened nor downloaded; its record can be edited")
    func fileless() {
        var view = Self.view([Self.record(.document, Self.id(7), ["type": .text("resume"), "title": .text("Promised"), "is_current": .flag(true)], at: 5_000)])
        #expect(Self.drawn(view).contains("▢ Resume") && Self.drawn(view).contains("No file"))
        for key in ["enter", "d"] {
            #expect(Self.type(&view, key) == [.pane(.shared(.bell))])
            #expect(view.toast == "This document has no file.")
        }
        #expect(Self.type(&view, "e") == [.pane(.edit(Self.id(7)))])
        Self.type(&view, "v")
        #expect(Self.drawn(view).contains("▢ Promised") && Self.drawn(view).contains("No file"))
    }

    @Test("R132 A record with almost no fields draws like any other")
    func bare() {
        for isGrid in [true, false] {
            var view = Self.view([Self.record(.document, Self.id(8), ["is_current": .flag(true), "type": .text("of a newer server")], at: 0)])
            view.restore(isGrid: isGrid, nil)
            #expect(Self.drawn(view).contains("of a newer server") && Self.drawn(view).contains("Unknown"))
        }
    }

    @Test("R144 Of five thousand documents the view draws the visible ones, and keys reach each of them; it says how many are below")
    func many() {
        let count = 5_000
        let documents = (0..<count).map { Self.document(UInt64(1_000 + $0), "Number \($0)", "resume", at: Int64(count - $0)) }
        for isGrid in [true, false] {
            var view = Self.view(documents, columns: 120, rows: 40)
            view.restore(isGrid: isGrid, nil)
            let first = Self.drawn(view)
            #expect(first.contains("5000 of 5000 total") && first.contains("Number 0 ") && first.contains(isGrid ? "↓ 4985 more" : "↓ 4983 more"), "\(first)")
            var seen: Set<String> = []
            for step in 0..<400 {
                if step % 40 == 0 { seen.formUnion(Self.drawn(view).split(separator: "\n").flatMap { $0.split(separator: "Number ").dropFirst().compactMap { $0.split(separator: " ").first.map(String.init) } }) }
                Self.type(&view, "j")
            }
            #expect(view.selected == Self.id(1_000 + 400 * (isGrid ? 3 : 1)) && seen.count > 100)
            Self.type(&view, "G")
            #expect(Self.drawn(view).contains("Number 4999") && !Self.drawn(view).contains("more"))
            Self.type(&view, "g", "g")
            #expect(view.selected == Self.id(1_000))
        }
    }

    @Test("R144 R129 The wheel and pages scroll 130 documents to the last; a click selects, a second one opens; the open document, menus and hints take clicks", arguments: [true, false])
    func scrollsAndClicks(isGrid: Bool) throws {
        let documents = (0..<130).map { Self.document(UInt64(1_000 + $0), "Number \($0)!", "resume", at: Int64(1_000 - $0)) }
        var view = Self.view(documents, columns: 80, rows: 24)
        view.restore(isGrid: isGrid, nil)
        func canvas() -> Canvas {
            var canvas = Canvas(view.size)
            view.draw(RoomViewTests.facts(), &canvas)
            return canvas
        }
        func click(_ text: String) throws -> [DocumentsAction] { view.handle(try OverlayTests.click(text, canvas())) }
        var seen: Set<Int> = []
        func look() { for number in 0..<130 where canvas().text.contains("Number \(number)!") { seen.insert(number) } }
        for _ in 0..<130 {
            look()
            _ = view.handle(.mouse(MouseEvent(.wheelDown, at: Point(9, 9))))
        }
        #expect(seen.count == 130 && view.selected == Self.id(1_129))
        for _ in 0..<130 { _ = view.handle(.mouse(MouseEvent(.wheelUp, at: Point(9, 9)))) }
        // In a grid the user returns in the column of the last document.
        #expect(view.selectedIndex ?? 9 < view.columns)
        for _ in 0..<33 { Self.type(&view, "pagedown") }
        #expect(view.selected == Self.id(1_129) && canvas().text.contains("Number 129!"))
        Self.type(&view, "g g")
        #expect(try click("Number 1!").isEmpty && view.selected == Self.id(1_001))
        #expect(try click("Number 1!") == [.open(Self.id(1_001))])
        #expect(try click("n + Upload Document").isEmpty && view.form != nil)
        #expect(try click("Newest").isEmpty, "nothing behind a form")
        Self.type(&view, "esc")
        Self.type(&view, "f")
        #expect(try click("2 Ashgrove College").isEmpty && view.filterWords == ["School: Ashgrove College"] && view.menu == nil)
        Self.type(&view, "c", "t")
        #expect(try click("[ ] 📊 Stats Sheet").isEmpty && view.filterWords == ["Type: Stats Sheet"] && view.menu != nil, "several may be on")
        // R126: a click on a filter removes it.
        for key in ["enter", "f", "2", "w"] { Self.type(&view, key) }
        #expect(view.filterWords == ["Type: Stats Sheet", "School: Ashgrove College", "Shared"])
        #expect(try click("School: Ashgrove College ✕").isEmpty && view.filterWords == ["Type: Stats Sheet", "Shared"])
        #expect(try click("Shared ✕").isEmpty && view.filterWords == ["Type: Stats Sheet"])
        #expect(try click("Type: Stats Sheet ✕").isEmpty && view.filterWords.isEmpty)
        Self.type(&view, "c")
        var open = Self.view(rows: 24)
        open.showDetail(Self.id(2), ["Title: x"])
        swap(&view, &open)
        #expect(try click("Transcript 2025.pdf").isEmpty && view.places[view.place] == .version(Self.id(3)))
    }

    @Test("R146 Without the server and without documents the view says why and what to do; it shows kept documents; links that cannot be loaded are not an empty list")
    func offline() {
        var facts = RoomViewTests.facts()
        facts.connection = .offline("Connection timed out.")
        func drawn(_ view: DocumentsView) -> String {
            var canvas = Canvas(view.size)
            view.draw(facts, &canvas)
            return canvas.text
        }
        var none = Self.view([])
        for words in ["Unable to load documents. Check your connection.", "Connection timed out.", "R  Try again now", "OFFLINE"] { #expect(drawn(none).contains(words), "\(words)") }
        #expect(Self.type(&none, "R") == [.hurry])
        var view = Self.view(rows: 24)
        #expect(drawn(view).contains("3 of 3 total") && drawn(view).contains("OFFLINE"))
        view.showDetail(Self.id(2), ["x"])
        view.failLinks("Server error. Please try again.")
        #expect(drawn(view).contains("Unable to load the links. Server error. Please try again. R tries again.") && !drawn(view).contains("None. s makes one"))
        #expect(Self.type(&view, "R") == [.open(Self.id(2))])
        view.show(links: [], of: Self.id(2))
        #expect(drawn(view).contains("None. s makes one"))
    }

    @Test("A new link for a school that has one asks first, and says what ends", arguments: [false, true])
    func replacing(isOpen: Bool) {
        var view = Self.view()
        view.now = 86_400_000
        Self.type(&view, "home")
        let id = Self.id(4)
        view.selected = id
        if isOpen {
            var link = ShareLink()
            (link.school, link.views, link.createdAt, link.expiresAt) = (Self.id(90), 2, 0, 100 * 86_400_000)
            view.showDetail(id, ["x"])
            view.show(links: [link], of: id)
        }
        #expect(Self.type(&view, "s", "1").isEmpty)
        let text = Self.drawn(view)
        #expect(text.contains(isOpen ? "(2 views) stops working." : "An earlier link for") && text.contains("y replace   any other key cancels"), "\(text)")
        #expect(Self.type(&view, "n").isEmpty)
        #expect(Self.type(&view, "s", "1", "y") == [.share(id, school: Self.id(90))])
        guard isOpen else { return }
        view.show(links: [], of: id)
        #expect(Self.type(&view, "s", "1") == [.share(id, school: Self.id(90))], "the link has ended")
    }

    @Test("R138 The view selects an uploaded document when it arrives, unless the user is doing something else", arguments: [false, true])
    func uploaded(isBusy: Bool) {
        var view = Self.view()
        view.closeForm()
        if isBusy { Self.type(&view, "home") }
        view.select(Self.id(9))
        #expect(view.selected == Self.id(2))
        let more = Self.documents + [Self.document(9, "New", "resume", at: 500)]
        view.show(more, names: RecordNames(more + Self.others), context: .all)
        #expect(view.selected == Self.id(isBusy ? 2 : 9))
        Self.type(&view, "home")
        #expect(view.selected == Self.id(2))
    }

    @Test("R138 R139 R140 Every transfer has a row: bars, waits, failures with reasons; transfers of others too")
    func transfers() {
        var view = Self.view(rows: 30)
        var running = TransferRow(number: 1, title: "Fall highlights", isUpload: true, state: .running)
        var meter = TransferMeter(total: 1_000, now: 0)
        meter.report(450, now: 1_000)
        running.meter = meter
        view.transfers = [
            running, TransferRow(number: 2, title: "Transcript", isUpload: true), TransferRow(number: 3, title: "x.pdf", isUpload: false, state: .failed("Upload failed: no room.")),
        ]
        view.transfers[2].state = .failed("Upload failed: \(String(repeating: "long words ", count: 12)). R tries again.")
        #expect(Self.drawn(view).split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("R tries again."), "the end of the sentence says what to do")
        view.transfers[2].state = .failed("Upload failed: no room.")
        view.show(uploads: [("Carmen Rivera is uploading Resume, 70%", 70)])
        let text = Self.drawn(view)
        for words in ["↑ Fall highlights  [#####", "45%  450 B/s  0:02 left", "↑ Transcript  waits for its turn", "↓ x.pdf  Upload failed: no room.", "uploading Resume, 70%  [#######---]"] {
            #expect(text.contains(words), "\(words) is not in\n\(text)")
        }
        #expect(text.contains("K stop it  R try again"), "\(text)")
        #expect(Self.type(&view, "R") == [.again(3)])
        Self.type(&view, "K")
        #expect(Self.type(&view, "n").isEmpty)
        #expect(Self.type(&view, "K", "y") == [.stop(1)])
    }

    @Test("R133 R134 R139 The form shows a missing or contradictory value next to its field, before anything is sent")
    func form() throws {
        var view = Self.view(rows: 24)
        Self.type(&view, "n")
        #expect(Self.type(&view, "ctrl-s").isEmpty)
        #expect(Self.drawn(view).contains("File is required"))
        // The text that a terminal pastes for a dropped file.
        _ = view.handle(.paste("'/home/x/Fall_highlights.mp4' "))
        #expect(Self.type(&view, "tab") == [.completePath("/home/x/Fall_highlights.mp4")])
        view.complete("/home/x/Fall_highlights.mp4", ["Fall_highlights.mp4", "Fall_old.mp4"])
        #expect(Self.drawn(view).contains("Fall_old.mp4"))
        Self.type(&view, "down")
        let filled = Self.drawn(view)
        #expect(filled.contains("Fall highlights") && filled.contains("‹ Highlight Video ›"), "\(filled)")
        Self.type(&view, "right", "down", "down", "right", "ctrl-s")
        #expect(Self.drawn(view).contains("Invalid file type. Transcript requires .pdf, .txt."))
        Self.type(&view, "down", "left", "down")
        let done = Self.type(&view, "ctrl-s")
        #expect(done == [
            .upload(UploadDescription(path: "/home/x/Fall_highlights.mp4", type: "highlight_video", title: "Fall highlights", text: nil, school: Self.id(90), athlete: Self.maya, replaces: nil))
        ])
        // R139: errors that only the disk shows appear there too.
        view.complain(.file, "File exceeds 100MB limit. Please compress or choose a smaller file.")
        #expect(Self.drawn(view).contains("File exceeds 100MB limit."))
        Self.type(&view, "esc", "y")
        #expect(view.form == nil)
    }

    @Test("R133 The form shows the version: 1, or one after the newest replaced version, also when another member is faster")
    func versionShown() throws {
        var view = Self.view(rows: 24)
        Self.type(&view, "n")
        #expect(Self.drawn(view).split(separator: "\n").contains { $0.contains("Version         1 ") }, "\(Self.drawn(view))")
        Self.type(&view, "esc")
        func begin(_ number: UInt64) throws {
            let record = try #require(view.records[Self.id(number)])
            _ = view.begin(record)
        }
        try begin(2)
        #expect(Self.drawn(view).contains("3, after version 2, which stays"), "\(Self.drawn(view))")
        // An older version is replaced at the end of its chain (semantics.md, "Documents").
        try begin(3)
        #expect(view.form?.version == 3)
        var more = Self.documents
        more.append(Self.document(9, "Transcript, newest", "transcript", at: 4_000, ["version": .integer(3), "replaces": .reference(Self.id(2))]))
        view.show(more, names: RecordNames(Self.others + more), context: .all)
        #expect(view.form?.version == 4)
        view.show([], names: RecordNames(Self.others), context: .all)
        #expect(Self.drawn(view).contains("the next one"))
    }

    @Test("The form of an upload has the keys of every form: Enter moves on and uploads behind the last field, Ctrl-S uploads, letters choose")
    func keysOfForm() {
        var view = Self.view(rows: 24)
        Self.type(&view, "n")
        _ = view.handle(.paste("/x/Fall_grades.pdf"))
        Self.type(&view, "enter")
        #expect(view.form?.field == .type && view.form?.title.text == "Fall grades")
        Self.type(&view, "t", "enter")
        #expect(view.form?.field == .title && Self.drawn(view).contains("Transcript"))
        Self.type(&view, "enter", "l", "enter")
        #expect(Self.drawn(view).contains("Łódź University") || Self.drawn(view).contains("General"))
        #expect(view.form?.field == .text)
        let done = Self.type(&view, "enter")
        #expect(done.count == 1, "\(done)")
        var other = Self.view(rows: 24)
        Self.type(&other, "n")
        _ = other.handle(.paste("/x/Fall_grades.pdf"))
        #expect(Self.type(&other, "ctrl-s").isEmpty && Self.drawn(other).contains("Document type is required"), "it fits two types")
        Self.type(&other, "r")
        #expect(Self.drawn(other).contains("‹ Resume ›"))
        #expect(Self.type(&other, "ctrl-x", "d").count == 1 && Self.drawn(other).contains("‹ Resume ›"), "a chord is not a letter")
        #expect(Self.type(&other, "ctrl-s").count == 1)
    }

    @Test("A guest is offered no upload and no link, on a full and on an empty page")
    func guests() {
        for documents in [Self.documents, []] {
            var view = Self.view(documents)
            view.mayWrite = false
            #expect(!Self.drawn(view).contains("Upload"), "\(Self.drawn(view))")
            Self.type(&view, "enter")
            view.showDetail(Self.id(2), ["Transcript 2026"])
            view.show(links: [], of: Self.id(2))
            #expect(!Self.drawn(view).contains("s makes one") && !Self.drawn(view).contains("s share"))
        }
    }

    @Test("An upload form outlasts the program as text; the next of several forms opens when one is closed")
    func keptForm() throws {
        var view = Self.view(rows: 24)
        #expect(view.typedForms.isEmpty)
        Self.type(&view, "n")
        #expect(view.typedForms.isEmpty, "nothing was typed")
        _ = view.handle(.paste("/home/x/Fall highlights.mp4"))
        Self.type(&view, "down", "down", "down", "right", "down", "Two lines \"of\" text")
        let texts = view.typedForms
        try #require(texts.count == 1)
        var again = Self.view(rows: 24)
        again.restore(forms: texts + ["{", "{\"file\":\"/b.pdf\",\"school\":\"x\"}", "{\"file\":\"/b.pdf\",\"replaces\":\"\(Self.id(2))\",\"replaces_title\":\"Transcript 2026\"}"])
        #expect(again.typedForms.first == texts.first)
        let upload = Self.type(&again, "ctrl-s")
        #expect(upload == Self.type(&view, "ctrl-s") && upload.count == 1, "\(upload)")
        again.closeForm()
        again.show(Self.documents, names: RecordNames(Self.others + Self.documents), context: .all)
        #expect(again.form?.file.text == "/b.pdf" && again.form?.replaces?.id == Self.id(2) && again.form?.version == 3 && again.typedForms.count == 1)
    }

    @Test("R134 Each type accepts its formats, and lists them in the server's words", arguments: DocumentType.allCases)
    func types(type: DocumentType) throws {
        let place = try #require(DocumentType.allCases.firstIndex(of: type))
        for name in FileExtension.allCases {
            var form = UploadForm(schools: [], athletes: [.init(Self.maya, "Maya")], athlete: nil)
            form.file.set("/x/a.b.\(name.rawValue.uppercased())")
            form.type = place
            #expect((form.problem(.file) == nil) == type.extensions.contains(name))
        }
        var form = UploadForm(schools: [], athletes: [.init(Self.maya, "Maya")], athlete: nil)
        form.file.set("virus.exe")
        form.type = place
        #expect(form.problem(.file) == UploadRefusal.fileType(type).sentence)
    }

    @Test("A form that was opened before the family was known offers its members later; the user's selection stays")
    func late() {
        var view = DocumentsView(size: Size(columns: 80, rows: 24), theme: .dark, keymap: ViewCommands.defaultKeymap())
        Self.type(&view, "n")
        _ = view.handle(.paste("a.pdf"))
        Self.type(&view, "ctrl-s")
        #expect(Self.drawn(view).contains("There is no athlete"), "\(Self.drawn(view))")
        func learn(_ records: [Record]) { view.show([], names: RecordNames(records), context: .all) }
        learn(Self.others)
        #expect(!Self.drawn(view).contains("There is no athlete") && !Self.drawn(view).contains("Athlete *"))
        Self.type(&view, "up", "up", "up", "up", "up", "down", "right", "down", "down", "right", "right")
        #expect(Self.drawn(view).contains("‹ Łódź University ›"), "\(Self.drawn(view))")
        learn(Self.others + [Self.record(.school, Self.id(92), ["name": .text("Aachen")])])
        #expect(Self.drawn(view).contains("‹ Łódź University ›"), "\(Self.drawn(view))")
    }

    @Test("A next version takes over type, title and school")
    func version() {
        var view = Self.view(rows: 24)
        Self.type(&view, "N")
        let text = Self.drawn(view)
        for words in ["Next version of Transcript 2026", "Ashgrove College"] { #expect(text.contains(words)) }
        _ = view.handle(.paste("new.pdf"))
        #expect(Self.type(&view, "ctrl-s") == [
            .upload(UploadDescription(path: "new.pdf", type: "transcript", title: "Transcript 2026", text: nil, school: Self.id(90), athlete: Self.maya, replaces: Self.id(2)))
        ])
    }
}
