import Bytes
import Family
import Locks
@testable import Sync
import Terminal
import TestSupport
import Testing
@testable import Views
@testable import Words

@Suite("The room on a canvas")
struct RoomViewTests {
    static let maya = Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0001)
    static let dana = Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0002)
    static let event = Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0003)

    static func message(_ number: UInt64, _ text: String, by author: Identifier, at: Int64, _ change: (inout TimelineItem) -> Void = { _ in }) -> TimelineItem {
        let id = Identifier(high: 0x0193_0000_0000_7000, low: 0x9000_0000_0000_0000 + number)
        var item = TimelineItem(.message(id), .message, at: at, author: author, runs: [TextRun(text)])
        item.record = RecordReference(.message, id)
        change(&item)
        return item
    }

    static func change(_ sequence: Int64, at: Int64) -> TimelineItem {
        var item = TimelineItem(
            .change(sequence: sequence, entry: 0), .change, at: at, author: dana,
            runs: [TextRun("Dana Rivera", .author), TextRun(" marked "), TextRun("Spring Showcase", .record), TextRun(" attended")])
        item.record = RecordReference(.event, event)
        item.undoable = sequence
        return item
    }

    static let items: [TimelineItem] = [
        TimelineItem(.gap(before: 7), .gap, at: 500, runs: [TextRun("More happened here that is not loaded yet.", .quiet)]),
        TimelineItem(.day(.change(sequence: 7, entry: 0)), .day, at: 600, runs: [TextRun("Saturday, Nov 21, 2026", .quiet)]),
        change(7, at: 600),
        message(1, "Where do we park? The last time it was full before nine and we walked from the other side of the river.", by: maya, at: 660),
        TimelineItem(.presence(1), .presence, at: 700, author: dana, runs: [TextRun("Dana Rivera is here, viewing Maya's season", .quiet)]),
        message(2, "At the gate, @Maya 👍🏽 日本", by: dana, at: 720) { $0.isMention = true; $0.isUnread = true },
        message(3, "ok", by: maya, at: 780) { $0.isPending = true },
    ]

    static func facts() -> StatusFacts {
        var facts = StatusFacts()
        facts.server = "huddle.example"
        facts.family = "The Rivera family"
        facts.connection = .live
        facts.season = "Maya"
        facts.here = ["Dana Rivera"]
        facts.pending = 1
        return facts
    }

    static func room(columns: Int = 80, rows: Int = 16, items: [TimelineItem] = items) -> RoomView {
        var room = RoomView(size: Size(columns: columns, rows: rows), theme: .dark)
        room.facts = facts()
        room.name = [maya: "Maya Rivera", dana: "Dana Rivera"]
        room.viewer = maya
        room.time = { at in (at / 60 % 24 < 10 ? "0" : "") + "\(at / 60 % 24):" + (at % 60 < 10 ? "0" : "") + "\(at % 60)" }
        room.candidates = [
            .command: LabelIndex([CompletionCandidate("/events", insertion: "/events", detail: "events"), CompletionCandidate("/help", insertion: "/help", detail: "help")]),
            .person: LabelIndex([CompletionCandidate("Dana Rivera", insertion: "@Dana Rivera", detail: "parent")]),
        ]
        var unread = UnreadCount()
        unread.messages = 1
        unread.mentions = 1
        unread.first = items.first { $0.isUnread }?.id
        room.show(items, unread: unread)
        return room
    }

    static func drawn(_ room: RoomView) -> Canvas {
        var canvas = Canvas(room.size)
        room.draw(&canvas)
        return canvas
    }

    /// Presses keys by name; all other text is typed.
    static func type(_ room: inout RoomView, _ words: String...) -> [RoomAction] {
        words.flatMap { word -> [RoomAction] in
            if let keys = Keymap.keys(word) { return keys.flatMap { room.handle(.key($0)) } }
            return word.flatMap { room.handle(.key(.character($0))) }
        }
    }

    @Test("The room shows days, changes in words, messages, presence, unread items, pending items, notices, status")
    func golden() {
        var room = Self.room(rows: 14)
        room.tell(["2 results", "1  Dec 11, 2026  Official visit"], at: 730)
        #expect(Self.drawn(room).text == """
             The Rivera family  viewing Maya's season                   Dana Rivera is here
            ··· More happened here that is not loaded yet. ·································
            ─── Saturday, Nov 21, 2026 ─────────────────────────────────────────────────────
            10:00            * │ Dana Rivera marked Spring Showcase attended
            11:00         Maya │ Where do we park? The last time it was full before nine and
                               │ we walked from the other side of the river.
            11:40            – │ Dana Rivera is here, viewing Maya's season
            ─── new ────────────────────────────────────────────────────────────────────────
            12:00         Dana ┃ At the gate, @Maya 👍🏽 日本
            2 results
            1  Dec 11, 2026  Official visit
            13:00         Maya │ ok …
             1 unread · 1 mention · 1 pending · huddle.example
            >
            """)
    }

    /// The number of computations.
    private final class Count: Sendable {
        private let count = Lock(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    @Test("The members who have read a message are named behind it, at most three", arguments: [
        ([dana], "ok  read by Dana"), ([dana, maya], "ok  read by Dana and Maya"), ([dana, dana, dana, maya], "ok  read by Dana, Dana and 2 more"), ([], "ok"),
    ] as [([Identifier], String)])
    func readers(members: [Identifier], line: String) {
        let room = Self.room(items: [Self.message(1, "ok", by: Self.maya, at: 660) { $0.readers = members }])
        var canvas = Canvas(Size(columns: 80, rows: 16))
        room.draw(&canvas)
        let rows = canvas.text.split(separator: "\n").map(String.init)
        #expect(rows.contains { $0.hasSuffix(line) }, "\(canvas.text)")
    }

    @Test("A typed letter lays out no old items; a new item, another width and another name do")
    func laidOutOnce() {
        let count = Count()
        var room = Self.room()
        room.time = { _ in
            count.add()
            return "10:00"
        }
        _ = Self.drawn(room)
        let once = count.value
        #expect(once > 0)
        for letter in "hello @Da /he" {
            _ = Self.type(&room, String(letter))
            _ = Self.drawn(room)
        }
        _ = Self.type(&room, "ctrl-u", "ctrl-up")
        _ = Self.drawn(room)
        #expect(count.value == once)
        let same = room.name
        room.name = same
        _ = Self.drawn(room)
        #expect(count.value == once)
        room.name[Self.dana] = "Dana R."
        #expect(Self.drawn(room).text.contains("Dana"))
        #expect(count.value == 2 * once)
        room.resize(Size(columns: 100, rows: 16))
        _ = Self.drawn(room)
        #expect(count.value == 3 * once)
        room.show(Self.items, unread: UnreadCount())
        _ = Self.drawn(room)
        #expect(count.value == 4 * once)
    }

    @Test("An item longer than the screen is shown from its beginning, and Enter returns to the newest")
    func longNotice() {
        var room = Self.room()
        room.tell(["short"], at: 800)
        #expect(room.scrollback.isAtBottom)
        room.tell((1...40).map { "line \($0) of the help" }, at: 801)
        let text = Self.drawn(room).text
        #expect(text.contains("line 1 of the help") && !text.contains("line 40 of the help"))
        _ = Self.type(&room, "ok", "enter")
        #expect(Self.drawn(room).text.contains("line 40 of the help"))
        // A user who has scrolled up stays there.
        _ = Self.type(&room, "ctrl-home")
        room.tell((1...40).map { "row \($0)" }, at: 802)
        #expect(!Self.drawn(room).text.contains("row 1"))
    }

    @Test("On a narrow screen names precede the text, and everything reflows")
    func narrow() {
        var room = Self.room()
        room.resize(Size(columns: 34, rows: 12))
        let text = Self.drawn(room).text
        #expect(text.contains("12:00 Dana: At the gate, @Maya 👍🏽"))
        for line in text.split(separator: "\n") { #expect(TextWidth.of(line) <= 34) }
        room.resize(Size(columns: 80, rows: 16))
        #expect(Self.drawn(room).text == Self.drawn(Self.room()).text)
    }

    @Test("Another person's season is highlighted")
    func season() {
        var room = Self.room()
        room.facts.isSeasonOfAnother = true
        let canvas = Self.drawn(room)
        let cells = (0..<80).filter { canvas[$0, 0].style == Theme.dark[.context] }
        #expect(cells.count == " viewing Maya's season ".count)
        room.resize(Size(columns: 26, rows: 8))
        #expect(Self.drawn(room).text(row: 0).contains("viewing Maya's season"))
    }

    @Test("The status line always shows pending changes, refused changes, and being offline", arguments: [40, 80, 200])
    func status(columns: Int) {
        var room = Self.room(columns: columns)
        room.facts.pending = 3
        room.facts.refused = 2
        room.facts.conflicts = 1
        room.facts.connection = .offline("huddle.example does not answer.")
        let row = Self.drawn(room).text(row: 14)
        #expect(row.contains("3 pending · 1 refused · 1 conflict") || columns == 40 && row.contains("3 pending"), "\(row)")
        #expect(row.contains("OFFLINE"), "\(row)")
        #expect(columns < 200 || row.hasPrefix(" OFFLINE · 3 pending · 1 refused · 1 conflict · 1 unread") && row.contains("huddle.example does not answer."), "\(row)")
        #expect(!Self.drawn(room).text(row: 0).contains("is here"))
    }

    @Test("Enter sends a line, but not blanks", arguments: [
        (["hello", "enter"], [.submit("hello", about: nil)]), (["  ", "enter"], []), (["/events", "esc", "enter"], [.submit("/events", about: nil)]),
        (["a", "alt-enter", "b", "enter"], [.submit("a\nb", about: nil)]), (["ctrl-d"], [.shared(.quit)]), (["x", "ctrl-a", "ctrl-d", "ctrl-d"], [.shared(.quit)]),
        (["x", "ctrl-c"], []), (["ctrl-c"], [.interrupt]), (["ctrl-x u"], [.shared(.undoLast)]), (["text", "ctrl-x ctrl-e"], [.editOutside("text")]),
        (["ctrl-z"], [.shared(.suspend)]), (["ctrl-l"], [.shared(.redraw)]), (["ctrl-x ctrl-c"], [.shared(.quit)]), (["ctrl-x x"], []), (["ctrl-o"], [.shared(.chooseSeason)]),
        (["esc"], [.read]),
    ] as [([String], [RoomAction])])
    func lines(words: [String], actions: [RoomAction]) {
        var room = Self.room()
        #expect(words.flatMap { Self.type(&room, $0) } == actions)
    }

    @Test("A sigil opens a menu, typing narrows it, Tab completes, Enter sends")
    func completes() {
        var room = Self.room()
        _ = Self.type(&room, "hi @d")
        #expect(room.menu?.entries.map(\.candidate.label) == ["Dana Rivera"])
        #expect(Self.drawn(room).text.contains("  Dana Rivera   parent"))
        _ = Self.type(&room, "tab")
        #expect(room.editor.text == "hi @Dana Rivera ")
        #expect(room.menu == nil)
        _ = Self.type(&room, "ctrl-c", "/")
        #expect(room.menu?.entries.count == 2)
        _ = Self.type(&room, "tab", "tab")
        #expect(room.editor.text == "/help ")
        let sent = Self.type(&room, "enter")
        #expect(sent == [.submit("/help ", about: nil)])
        #expect(room.menu == nil)
    }

    @Test("Tab completes names without a sigil, the latest speaker first, in a circle", arguments: [
        ("d", ["@Dana Rivera "]), ("hi DA", ["hi @Dana Rivera "]), ("r", ["@Dana Rivera ", "@Maya Rivera ", "@Dana Rivera "]), ("", [""]), ("x", ["x"]),
        ("we-d", ["we-d"]), ("/say d", ["/say d"]),
    ])
    func completesNames(typed: String, texts: [String]) {
        var room = Self.room()
        let names = RecordNames(ConversationNames.members([(Self.maya, "Maya", "Rivera"), (Self.dana, "Dana", "Rivera")]))
        #expect(room.speakers == [Self.maya, Self.dana])
        // Maya is the viewer: she comes last although she has spoken last.
        room.candidates[.person] = Completions.people(names, speakers: room.speakers, viewer: room.viewer)
        _ = Self.type(&room, typed)
        if typed.hasPrefix("/") { room.candidates[.person] = nil }
        for text in texts {
            _ = Self.type(&room, "tab")
            #expect(room.editor.text == text)
        }
    }

    @Test("An action message has a star; other clients still show its text")
    func deeds() {
        let item = Self.message(9, "packs the car", by: Self.dana, at: 800) { $0.isAction = true }
        #expect(Self.drawn(Self.room(items: [item])).text.contains("           * │ Dana packs the car"))
        #expect(Self.drawn(Self.room(columns: 40, items: [item])).text.contains("13:20 * Dana packs the car"))
        #expect(ActionMessage.of("/me  packs ") == "packs" && ActionMessage.of("/me ") == nil && ActionMessage.of("/meet me") == nil && ActionMessage.of("me too") == nil)
        var room = Self.room()
        #expect(Self.type(&room, "ctrl-up", "k", "k", "k", "r").isEmpty)
        let sent = Self.type(&room, "/me doesn't", "enter")
        guard case .submit("/me doesn't", .some)? = sent.first else { Issue.record("\(sent)"); return }
    }

    @Test("The user rewrites an own message in the line; Esc leaves it unchanged; messages of others cannot be rewritten")
    func rewrites() {
        var room = Self.room()
        let others = Self.type(&room, "ctrl-up", "k", "e")
        #expect(others == [.shared(.say("You can change only messages that you wrote."))] && room.isSelecting)
        let actions = Self.type(&room, "esc", "ctrl-up", "e")
        guard case .rewrite(let target)? = actions.first else { Issue.record("\(actions)"); return }
        #expect(target.isRewritten && target.label == "ok" && !room.isSelecting)
        room.editor.set("ok")
        room.comment(on: target)
        #expect(Self.drawn(room).text.contains("  instead of: ok (Esc leaves it as it is)"))
        let sent = Self.type(&room, "!", "enter")
        #expect(sent == [.submit("ok!", about: target)])
        room.editor.set("ok")
        room.comment(on: target)
        _ = Self.type(&room, "esc")
        #expect(room.editor.isEmpty && room.target == nil)
        let busy = Self.type(&room, "half a line", "ctrl-up", "e")
        #expect(busy.count == 1 && room.editor.text == "half a line")
    }

    @Test("The subject of a text, and the version of the message that it replaces, outlast the program", arguments: [
        RoomTarget(kind: .event, id: event, label: "Spring Showcase, 3 days"), RoomTarget(kind: .message, id: event, label: "ok", isRewritten: true, version: 12),
        RoomTarget(kind: .message, id: event, label: "12 ok", isRewritten: true), RoomTarget(kind: .message, id: event, label: "12 ok", isRewritten: true, version: 1),
    ])
    func kept(target: RoomTarget) {
        #expect(RoomTarget(kept: target.kept) == target)
        #expect(["", "instead of ", "instead of 12", "instead of 12 ", "instead of 12 message", "event", "event x y", "99999999999999999999 event"].allSatisfy { RoomTarget(kept: $0) == nil })
        // As earlier programs wrote it.
        #expect(RoomTarget(kept: "instead of message \(Self.event) ok")?.version == nil && RoomTarget(kept: "instead of message \(Self.event) ok")?.isRewritten == true)
    }

    @Test("A search finds words from the newest item backward, and forward again; it reports no match")
    func finds() {
        var room = Self.room(rows: 6)
        let isFound = room.find("MAYA")
        #expect(isFound && room.isSelecting && room.selectedItem?.text == "At the gate, @Maya 👍🏽 日本")
        #expect(Self.drawn(room).text.contains("At the gate"))
        #expect(Self.type(&room, "n") == [.shared(.say("Nothing older that is loaded has “maya” in it."))])
        let isOther = room.find("the")
        #expect(isOther && room.selectedItem?.text.hasPrefix("Where do we park?") == true)
        #expect(Self.type(&room, "N").isEmpty && room.selectedItem?.text.hasPrefix("At the gate") == true)
        #expect(Self.type(&room, "n").isEmpty && room.selectedItem?.text.hasPrefix("Where do we park?") == true)
        #expect(Self.type(&room, "/").isEmpty && room.editor.text == "/find " && !room.isSelecting)
        let none = room.find("xyzzy")
        #expect(!none && !room.isSelecting)
    }

    @Test("The user copies the link in a message without the surrounding text", arguments: [
        ("see https://a.example/b?c=d, and (http://x.example/y).", "http://x.example/y"), ("<https://a.example/q_(r)>", "https://a.example/q_(r)"),
        ("no link: ftp://x http:// a.example", nil), ("tickets:https://a.example/x!", "https://a.example/x"), ("żhttps://ż.example/ż…", "https://ż.example/ż"),
    ] as [(String, String?)])
    func links(text: String, link: String?) {
        var room = Self.room(items: [Self.message(1, text, by: Self.dana, at: 600)])
        let actions = Self.type(&room, "ctrl-up", "l")
        #expect(actions == [link.map { .shared(.copy($0)) } ?? .shared(.say("There is no link in it."))])
        #expect(room.isSelecting == (link == nil))
    }

    @Test("The room announces several lines, and a text too long for a message, before Enter; a text too long for the line is not typed")
    func lengths() {
        var room = Self.room()
        _ = room.handle(.paste("one\ntwo\nthree\n"))
        #expect(Self.drawn(room).text.contains("3 lines, Enter sends them together"))
        _ = Self.type(&room, "ctrl-c")
        _ = room.handle(.paste(String(repeating: "x", count: RoomView.messageLimit - 7)))
        #expect(Self.drawn(room).text.contains("7 characters left"))
        _ = room.handle(.paste("12345678"))
        #expect(Self.drawn(room).text.contains("4001 characters, a message has at most 4000"))
        let text = room.editor.text
        // Also a text that is too long for a paste, with characters of any number of octets: none of it is taken
        // silently.
        var parser = KeyParser()
        let flood = parser.feed(Array(("\u{1B}[200~" + String(repeating: "👍", count: 260_000) + "\u{1B}[201~").utf8))
        var empty = Self.room()
        guard let paste = flood.first, case .shared(.say)? = empty.handle(paste).first, empty.editor.isEmpty else { Issue.record("\(flood.count)"); return }
        let said = room.handle(.paste(String(repeating: "x", count: 70_000)))
        guard case .shared(.say(let sentence))? = said.first else { Issue.record("\(said)"); return }
        #expect(sentence.hasPrefix("That is too long to be typed") && room.editor.text == text)
    }

    @Test("The user can clear the program's own lines; text in two columns wraps in its column")
    func notices() {
        var room = Self.room()
        room.tell(["  /older      messages that were written before those that are shown here, and so on and on", "plain"], at: 900)
        #expect(Self.drawn(room).text.contains("\n              so on and on\n"))
        room.clearNotices()
        #expect(!Self.drawn(room).text.contains("/older") && Self.drawn(room).text.contains("ok …"))
    }

    @Test("Keys act on the selected item: undo, comment, open, copy; selection skips lines between days")
    func selects() {
        var room = Self.room()
        _ = Self.type(&room, "ctrl-up")
        #expect(room.isSelecting)
        #expect(room.selectedItem?.text == "ok")
        _ = Self.type(&room, "k", "k")
        #expect(room.selectedItem?.text.hasPrefix("Where do we park?") == true)
        let bell = Self.type(&room, "u")
        #expect(bell == [.shared(.bell)])
        #expect(Self.type(&room, "k", "u").isEmpty && !room.isSelecting)
        let undo = Self.type(&room, "y")
        #expect(undo == [.undo(sequence: 7)])
        let open = Self.type(&room, "ctrl-up", "k", "k", "k", "o")
        #expect(open == [.open(RoomTarget(kind: .event, id: Self.event, label: "Dana Rivera marked Spring Showcase attended"))])
        let copy = Self.type(&room, "ctrl-up", "y")
        #expect(copy == [.shared(.copy("ok"))])
        _ = Self.type(&room, "ctrl-up", "k", "k", "k", "r")
        #expect(room.target?.id == Self.event)
        #expect(Self.drawn(room).text.contains("about Dana Rivera marked Spring Showcase attended"))
        let said = Self.type(&room, "great", "enter")
        guard case .submit("great", let about)? = said.first else { Issue.record("\(said)"); return }
        #expect(about?.id == Self.event)
        #expect(room.target == nil)
    }

    @Test("Undo of an own change is immediate; undo of another member's takes one more key", arguments: [
        ("y", [RoomAction.undo(sequence: 9)]), ("Y", [.undo(sequence: 9)]), ("n", []), ("esc", []), ("u", []), ("x", []),
    ])
    func asksBeforeUndoing(key: String, wanted: [RoomAction]) throws {
        func room(by author: Identifier) -> RoomView {
            Self.room(items: [Self.message(1, "See you there.\nBring water.", by: author, at: 660) { $0.undoable = 9 }])
        }
        var own = room(by: Self.maya)
        #expect(Self.type(&own, "ctrl-up", "u") == [.undo(sequence: 9)])
        var room = room(by: Self.dana)
        #expect(Self.type(&room, "ctrl-up", "u").isEmpty)
        let canvas = Self.drawn(room)
        for words in ["Delete what Dana Rivera wrote?", "See you there. Bring water.", "y undo   any other key cancels"] { #expect(canvas.text.contains(words), "\(canvas.text)") }
        #expect(room.handle(.paste("y")).isEmpty && room.editor.isEmpty)
        #expect(room.handle(.mouse(MouseEvent(.press(1), at: Point(30, 11)))).isEmpty && !room.isSelecting)
        #expect(Self.type(&room, key) == wanted)
        #expect(!Self.drawn(room).text.contains("Delete what") && room.editor.isEmpty)
        guard case .key(let clicked) = try OverlayTests.click("y undo", canvas) else { throw Unexpected() }
        #expect(clicked == .character("y"))
    }

    struct Unexpected: Error {}

    @Test("A typed letter marks nothing as read, nor does scrolling; Esc and Ctrl-End do")
    func reads() {
        var room = Self.room(rows: 8)
        for key in ["a", "backspace", "pageup", "pagedown", "pagedown", "shift-up", "shift-down", "alt-n", "ctrl-up", "esc"] { #expect(!Self.type(&room, key).contains(.read), "\(key)") }
        #expect(Self.type(&room, "ctrl-end") == [.read])
        #expect(Self.type(&room, "esc") == [.read] && !Self.drawn(room).text.contains("─── new ───"))
    }

    @Test("Scrolling to the top requests older items, and leaving the bottom shows how many are below")
    func scrolls() {
        var room = Self.room(rows: 8)
        #expect(!Self.drawn(room).text.contains("More happened"))
        let actions = Self.type(&room, "pageup", "pageup", "pageup")
        #expect(actions.contains(.fetch(before: 7)))
        #expect(Self.drawn(room).text.contains("More happened"))
        #expect(Self.drawn(room).text.contains(" more"))
        let back = Self.type(&room, "ctrl-end")
        #expect(back == [.read])
        #expect(Self.drawn(room).text.contains("ok …"))
        let wheel = room.handle(.mouse(MouseEvent(.wheelUp, at: Point(3, 3))))
        #expect(!wheel.contains(.read))
    }

    @Test("An address in a message is a link if it is whole on a line, without the text after it; a broken one is not")
    func links() {
        var room = Self.room(columns: 80, items: [
            Self.message(1, "Register at (https://camp.example/a?b=1), not https://old.example.", by: Self.dana, at: 60),
            Self.message(2, "https://long.example/" + String(repeating: "x", count: 90), by: Self.dana, at: 120),
        ])
        room.tell(["Copied: http://x.example/1"], at: 180)
        var canvas = Canvas(Size(columns: 80, rows: 16))
        room.draw(&canvas)
        var shown: [String: String] = [:]
        for row in 0..<16 {
            for column in 0..<80 where canvas[column, row].link > 0 { shown[canvas.links[Int(canvas[column, row].link) - 1].address, default: ""].append(canvas[column, row].character) }
        }
        #expect(shown == ["https://camp.example/a?b=1": "https://camp.example/a?b=1", "https://old.example": "https://old.example", "http://x.example/1": "http://x.example/1"])
    }

    @Test("The status line shows a slow server next to its name", arguments: [(0, false), (1, true), (12, true)])
    func lag(seconds: Int, isTold: Bool) {
        var facts = Self.facts()
        facts.lag = seconds
        var canvas = Canvas(Size(columns: 60, rows: 1))
        StatusLine.draw(facts, below: 0, chord: "", &canvas, canvas.bounds, .dark)
        #expect(canvas.text == (isTold ? " 1 pending · lag \(seconds) s · huddle.example" : " 1 pending · huddle.example"))
    }

    @Test("A toast takes the place of the status line and keeps the key at its end; OFFLINE stays", arguments: [
        (60, false, "  Deleted Calder Ridge Winter Prospect Camp  ·  u to undo"), (40, false, "  Deleted Calder Ridge …  ·  u to undo"),
        (60, true, " OFFLINE  Deleted Calder Ridge Winter Prosp…  ·  u to undo"), (12, false, "  Deleted…"),
    ])
    func toast(columns: Int, isOffline: Bool, row: String) {
        var facts = Self.facts()
        facts.pending = 0
        if isOffline { facts.connection = .offline("The server does not answer.") }
        facts.toast = "Deleted Calder Ridge Winter Prospect Camp\(StatusLine.toastMark)u to undo"
        var canvas = Canvas(Size(columns: columns, rows: 1))
        StatusLine.draw(facts, below: 7, chord: "", &canvas, canvas.bounds, .dark)
        #expect(canvas.text == row)
        facts.pending = 1
        StatusLine.draw(facts, below: 7, chord: "", &canvas, canvas.bounds, .dark)
        #expect(canvas.text.contains("1 pending · ") == (columns > 20), "\(canvas.text)")
    }

    @Test("A toast that is too long keeps a last sentence that begins with a command", arguments: [
        (50, "a is on its way … /quit again leaves all the same."), (60, "a is on its way (45%). It … /quit again leaves all the same."), (30, "a is on its way (45%). It con…"),
        (200, "a is on its way (45%). It continues when huddle runs next. /quit again leaves all the same."),
    ])
    func longToast(columns: Int, shown: String) {
        #expect(StatusLine.shortened("a is on its way (45%). It continues when huddle runs next. /quit again leaves all the same.", to: columns) == shown)
        #expect(TextWidth.of(shown) <= columns)
        #expect(StatusLine.shortened("It has changed since then. Upload it again.", to: 30) == "It has changed since then. Up…")
    }

    @Test("Changes that nobody has looked at are a dot, and no number")
    func activity() {
        var facts = Self.facts()
        facts.hasActivity = true
        var canvas = Canvas(Size(columns: 60, rows: 1))
        StatusLine.draw(facts, below: 0, chord: "", &canvas, canvas.bounds, .dark)
        #expect(canvas.text == " • · 1 pending · huddle.example")
    }

    @Test("Alt-N jumps to the first unread item; writing removes the marker")
    func unread() {
        var room = Self.room(rows: 6)
        _ = Self.type(&room, "ctrl-home", "alt-n")
        #expect(Self.drawn(room).text.contains("─── new ───"))
        _ = Self.type(&room, "x", "enter")
        #expect(!Self.drawn(room).text.contains("─── new ───"))
    }

    @Test("? and F1 show the current key bindings", arguments: ["?", "f1"])
    func help(key: String) {
        var room = Self.room(rows: 40)
        room.keymap.bind([.alt("q")], to: BufferCommand.season.rawValue, in: "input")
        room.keymap.bind([.control("o")], to: nil, in: "input")
        _ = Self.type(&room, key)
        let text = Self.drawn(room).text
        #expect(text.contains("Alt-q"))
        #expect(!text.contains("Ctrl-O"))
        let closing = Self.type(&room, "x")
        #expect(closing.isEmpty && room.editor.isEmpty)
        #expect(!Self.drawn(room).text.contains("Keys —"))
    }

    @Test("Every command of the room has a key and a summary; all keys are commands")
    func keys() {
        let keymap = ViewCommands.defaultKeymap()
        // Its key is that of `season`; only configurations name it.
        for command in RoomCommand.allCases where command != .events {
            #expect(ViewCommands.modes.contains { !keymap.keys(of: command.rawValue, in: $0).isEmpty }, "\(command.rawValue)")
            #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."))
        }
        for mode in ViewCommands.modes.union([Keymap.everywhere]) {
            for binding in keymap.bindings(in: mode) { #expect(ViewCommands.names.contains(binding.action), "\(binding.action)") }
        }
    }

    @Test("A paste is one insertion; clicks move the cursor and select")
    func mouse() {
        var room = Self.room()
        _ = room.handle(.paste("two\nlines"))
        #expect(room.editor.text == "two\nlines")
        _ = room.handle(.mouse(MouseEvent(.press(1), at: Point(3, 14))))
        #expect(room.editor.cursor == 1)
        _ = room.handle(.mouse(MouseEvent(.press(1), at: Point(30, 11))))
        #expect(room.isSelecting)
        let fetch = Self.type(&room, "esc", "ctrl-home") + room.handle(.mouse(MouseEvent(.press(1), at: Point(30, 1))))
        #expect(fetch.contains(.fetch(before: 7)))
    }

    @Test("The room draws at every size, in every state, and never wider than the screen; seeded")
    func sizes() {
        var generator = SplitMix64(seed: 31)
        let events: [InputEvent] = [
            .key(.character("@")), .key(.character("/")), .key(Key(.tab)), .key(Key(.up, .control)), .key(.character("k")), .key(Key(.escape)), .key(Key(.pageUp)),
            .key(Key(.pageDown)), .key(Key(.function(1))), .key(.control("o")), .paste("日本 👨‍👩‍👧‍👦\nmore"), .key(.control("r")), .key(Key(.enter)), .key(Key(.enter, .alt)),
            .mouse(MouseEvent(.press(1), at: Point(5, 2))), .mouse(MouseEvent(.wheelUp, at: Point(0, 0))), .key(.control("w")), .key(.character("r")),
        ]
        for _ in 0..<150 {
            var room = Self.room(columns: .random(in: 1...120, using: &generator), rows: .random(in: 1...30, using: &generator))
            for _ in 0..<12 {
                if let event = events.randomElement(using: &generator) { _ = room.handle(event) }
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    room.resize(Size(columns: .random(in: 1...90, using: &generator), rows: .random(in: 1...30, using: &generator)))
                }
                let canvas = Self.drawn(room)
                for row in 0..<canvas.size.rows { #expect(TextWidth.of(canvas.text(row: row)) <= canvas.size.columns, "seed 31") }
                if let cursor = canvas.cursor { #expect(canvas.bounds.contains(cursor) || room.size.columns < 4 || room.size.rows < 3, "seed 31: \(cursor) in \(room.size)") }
            }
        }
    }
}

/// Members in the form that a client has them.
enum ConversationNames {
    static func members(_ names: [(Identifier, String, String)]) -> [Record] {
        names.map { id, first, last in
            var fields = Fields(.member)
            fields["name"] = .text("\(first) \(last)")
            fields["role"] = .text("parent")
            return Record(
                kind: .member, id: id, athlete: nil, version: 1, createdAt: 0, createdBy: id, updatedAt: 0, updatedBy: id, fields: fields)
        }
    }
}
