package import Bytes
internal import Family
package import Terminal
package import Words

/// The room: the family's timeline and the input line. Pure: events and facts in, actions out, drawn on a canvas.
package struct RoomView {
    /// The number of notices that the room holds.
    static let noticeLimit = 200
    /// The largest number of input rows: a third of the screen, at most this many.
    static let inputRows = 8

    /// The largest number of characters in a message.
    package static let messageLimit: Int = {
        guard let field = Kind.message.declaration.index(of: "text"), case .text(let max) = Kind.message.declaration.fields[field].type else { return .max }
        return max
    }()

    package var facts = StatusFacts()
    package var theme: Theme { didSet { recolour() } }
    package var keymap: Keymap
    package var editor = Terminal.LineEditor()
    /// The completions, by sigil; the caller, which knows the records, sets them.
    package var candidates: [Sigil: LabelIndex<CompletionCandidate>] = [:]
    /// The completions that Tab offers without a sigil: the next words of a command. The caller sets them before it
    /// passes the key.
    package var offered: CompletionMenu?
    /// The prompt that replaces "> " while a question is open.
    package var question: String?
    /// Formats the time of an item on the screen, "09:14".
    package var time: @Sendable (Int64) -> String = { _ in "" } { didSet { laidOut = LaidOut() } }
    /// The names of the members.
    package var name: [Identifier: String] = [:] { didSet { if name != oldValue { recolour() } } }
    /// The colour of each member's name.
    private(set) var colours: [Identifier: Colour] = [:]
    /// The items besides messages that are shown.
    package var activity = TimelineActivity.all
    package var viewer: Identifier? { didSet { if viewer != oldValue { laidOut = LaidOut() } } }

    package private(set) var items: [RoomItem] = []
    package internal(set) var scrollback = Scrollback<RoomItem.ID>()
    package internal(set) var menu: CompletionMenu?
    package internal(set) var isSelecting = false
    package internal(set) var isHelpOpen = false
    /// The record that the next text is about.
    package internal(set) var target: RoomTarget?
    /// An action of another member, while the user is asked whether to undo it.
    var asked: (sequence: Int64, lines: [String])?
    /// The last search.
    var wanted = ""
    var chord = ChordReader()
    private var timeline: [TimelineItem] = []
    private var notices: [RoomItem.Notice] = []
    private var noticeCount = 0
    private var places: [RoomItem.ID: Int] = [:]
    /// The items as rows, for the items that were needed since they changed: a key that only types lays out nothing.
    private var laidOut = LaidOut()
    /// The position where reading stopped when the user last left the room; it stays until the user writes or leaves.
    private var marker: TimelineItem.ID?
    package private(set) var size: Size

    package init(size: Size, theme: Theme, keymap: Keymap = ViewCommands.defaultKeymap()) {
        self.size = size
        self.theme = theme
        self.keymap = keymap
    }

    // MARK: Content

    /// Shows the current timeline.
    ///
    /// - Parameter unread: the unread items; the first of them gets the marker above it, until `clearMarker`.
    package mutating func show(_ timeline: [TimelineItem], unread: UnreadCount) {
        self.timeline = timeline
        facts.unread = unread.messages
        facts.hasActivity = unread.changes > 0
        facts.mentions = unread.mentions
        if let first = activity == .none ? unread.firstMessage : unread.first, marker == nil { marker = first }
        rebuild()
    }

    /// Shows lines of the program, for this user alone.
    package mutating func tell(_ lines: [String], at: Int64) {
        guard !lines.isEmpty else { return }
        noticeCount += 1
        notices.append(.init(number: noticeCount, at: at, lines: lines))
        if notices.count > Self.noticeLimit { notices.removeFirst() }
        rebuild()
        // A notice longer than the screen is shown from its beginning.
        let list = areas.list
        if scrollback.isAtBottom, list.rows > 0, let place = places[.notice(noticeCount)], rows(at: place, columns: list.columns).count > list.rows {
            scrollback.show(.notice(noticeCount), at: 0)
        }
    }

    /// Selects the next item that contains these words, ignoring case, from the selected item, or from the end.
    ///
    /// - Parameter step: -1 for older, 1 for newer.
    /// - Returns: false if there is none in that direction.
    package mutating func find(_ words: String, step: Int = -1) -> Bool {
        wanted = words.lowercased()
        guard !wanted.isEmpty else { return false }
        var place = (scrollback.selected.flatMap { places[$0] } ?? items.count) + step
        while items.indices.contains(place) {
            if case .timeline(let item) = items[place], items[place].isSelectable, item.text.lowercased().contains(wanted) {
                scrollback.select(items[place].id)
                scrollback.show(items[place].id, rows: areas.list.rows)
                isSelecting = true
                return true
            }
            place += step
        }
        return false
    }

    /// Removes the program's own lines; the family's messages and changes stay.
    package mutating func clearNotices() {
        notices = []
        scrollback.toBottom()
        rebuild()
    }

    /// The members who have written messages, the latest first.
    package var speakers: [Identifier] {
        var found: [Identifier] = []
        for item in timeline.reversed() where item.kind == .message {
            if let author = item.author, !found.contains(author) { found.append(author) }
            if found.count == name.count { break }
        }
        return found
    }

    package mutating func clearMarker() {
        guard marker != nil else { return }
        marker = nil
        rebuild()
    }

    /// Makes the next text a comment on a record.
    package mutating func comment(on target: RoomTarget) { self.target = target }

    package mutating func resize(_ size: Size) { self.size = size }

    /// Assigns colours in the order of ids, which grow with time: the first member comes first.
    private mutating func recolour() {
        let members = name.keys.sorted()
        colours = Dictionary(zip(members, theme.colours(of: members.map { $0.description.utf8 })), uniquingKeysWith: { first, _ in first })
        laidOut = LaidOut()
    }

    private mutating func rebuild() {
        items = RoomItem.merge(timeline, notices, firstUnread: marker)
        laidOut = LaidOut()
        places = Dictionary(items.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
        if let selected = scrollback.selected, places[selected] == nil {
            scrollback.select(nil)
            isSelecting = false
        }
    }

    /// The selected item.
    var selectedItem: TimelineItem? {
        guard let id = scrollback.selected, let place = places[id], case .timeline(let item) = items[place] else { return nil }
        return item
    }

    // MARK: Layout

    /// The parts of the screen.
    struct Areas {
        let title: Rect
        let list: Rect
        let menu: Rect
        let status: Rect
        let target: Rect
        let input: Rect
        let view: EditorView
        let prompt: String
    }

    var areas: Areas {
        let all = Rect(size)
        let (title, rest) = all.splitTop(size.rows > 3 ? 1 : 0)
        let prompt = TextWidth.cut(question ?? (editor.search.map { "search \($0.wanted)\($0.hasFailed ? " (no more)" : ""): " } ?? "> "), to: max(size.columns / 2, 2))
        let view = EditorView(editor, columns: size.columns - TextWidth.of(prompt), rows: min(max(size.rows / 3, 1), Self.inputRows))
        let (upper, input) = rest.splitBottom(view.lines.count)
        let (middle, target) = upper.splitBottom(self.target == nil ? 0 : 1)
        let (body, status) = middle.splitBottom(size.rows > 2 ? 1 : 0)
        let menuRows = menu.map { min($0.entries.count, max(body.rows / 2, 1), 8) } ?? 0
        return Areas(
            title: title, list: body, menu: body.splitBottom(menuRows).1, status: status, target: target, input: input, view: view, prompt: prompt)
    }

    /// The items with their heights at this width.
    func scrollItems(columns: Int) -> Scrollback<RoomItem.ID>.Items {
        .init(
            count: items.count, id: { items[$0].id }, height: { rows(at: $0, columns: columns).count }, place: { places[$0] },
            isSelectable: { items[$0].isSelectable })
    }

    private final class LaidOut {
        var columns = 0
        var rows: [Int: [StyledText]] = [:]
    }

    /// An item by its position, as rows of at most `columns`.
    func rows(at place: Int, columns: Int) -> [StyledText] {
        if laidOut.columns != columns {
            laidOut.columns = columns
            laidOut.rows = [:]
        }
        if let known = laidOut.rows[place] { return known }
        let rows = rows(of: items[place], columns: columns)
        laidOut.rows[place] = rows
        return rows
    }
}
