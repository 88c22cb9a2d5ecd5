package import Terminal
internal import Words

extension RoomView {
    /// Handles keys, pasted text and clicks.
    package mutating func handle(_ input: InputEvent) -> [RoomAction] {
        switch input {
        case .key(let key): return press(key)
        case .paste(let text):
            guard !isSelecting, !isHelpOpen, asked == nil else { return [] }
            menu = nil
            let text = editor.isEmpty || text.contains { !$0.isNewline } ? String(text.reversed().drop { $0.isNewline }.reversed()) : text
            guard editor.characters.count + text.count <= Terminal.LineEditor.limit, editor.text.utf8.count + text.utf8.count <= Terminal.LineEditor.octetLimit
            else { return [.shared(.say("That is too long to be typed: a message has at most \(Self.messageLimit) characters. N on the page of documents (Alt-4) sends a file."))] }
            _ = editor.insert(text)
            return []
        case .mouse(let mouse): return asked == nil ? click(mouse) : []
        case .focus: return []
        }
    }

    private var modes: [String] {
        if isSelecting { return ["select"] }
        return menu != nil ? ["menu", "input"] : ["input"]
    }

    private mutating func press(_ key: Terminal.Key) -> [RoomAction] {
        if isHelpOpen {
            isHelpOpen = false
            return []
        }
        if let asked {
            self.asked = nil
            return key.typed?.lowercased() == "y" ? [.undo(sequence: asked.sequence)] : []
        }
        switch chord.feed(key, keymap, in: modes) {
        case .waiting, .undefined: return []
        case .unbound(let key):
            guard let character = key.typed, !isSelecting else { return [] }
            if character == "?", editor.isEmpty, question == nil {
                isHelpOpen = true
                return []
            }
            _ = editor.insert(String(character))
            offer()
            return []
        case .action(let name):
            if let command = EditCommand(rawValue: name) { return edit(command) }
            if let shared = SharedAction(named: name) { return [.shared(shared)] }
            return RoomCommand(rawValue: name).map { run($0) } ?? []
        }
    }

    private mutating func edit(_ command: EditCommand) -> [RoomAction] {
        // Ctrl-D on an empty line quits, as in a shell.
        if command == .deleteForward, editor.isEmpty, editor.search == nil { return [.shared(.quit)] }
        // Enter first completes a partial command name, so that /ev is not sent by accident.
        guard case .accepted(let text) = editor.perform(command) else {
            command == .deleteBackward ? offer() : closeMenu()
            return []
        }
        menu = nil
        guard text.contains(where: { !$0.isWhitespace }) || question != nil else { return [] }
        scrollback.toBottom()
        clearMarker()
        defer { target = nil }
        return [.submit(text, about: text.hasPrefix("/") && ActionMessage.of(text) == nil && target?.isRewritten != true ? nil : target)]
    }

    private mutating func closeMenu() { menu = nil }

    /// Opens the menu of completions if the word at the cursor triggers one.
    private mutating func offer() {
        menu = nil
        guard question == nil, editor.search == nil, let word = CompletionWord(editor.characters, cursor: editor.cursor), word.offersItself else { return }
        menu = CompletionMenu(word, &candidates[word.sigil, default: LabelIndex([])])
    }

    private mutating func complete(_ step: Int) {
        if menu == nil {
            if let word = CompletionWord(editor.characters, cursor: editor.cursor) {
                menu = CompletionMenu(word, &candidates[word.sigil, default: LabelIndex([])])
            } else {
                menu = offered ?? people()
            }
        }
        guard var open = menu else { return }
        open.cycle(step, in: &editor)
        // A single candidate leaves nothing to cycle through.
        menu = open.entries.count == 1 ? nil : open
    }

    /// The members whose names begin with the letters at the cursor.
    private func people() -> CompletionMenu? {
        guard let word = CompletionWord.name(editor.characters, cursor: editor.cursor) else { return nil }
        let wanted = word.letters.lowercased()
        let found = candidates[.person]?.candidates.filter { $0.label.lowercased().split(separator: " ").contains { $0.hasPrefix(wanted) } } ?? []
        return CompletionMenu(word, fitting: found)
    }

    private mutating func run(_ command: RoomCommand) -> [RoomAction] {
        let list = areas.list
        let found = scrollItems(columns: list.columns)
        switch command {
        case .pageUp: return scroll(-max(list.rows - 2, 1))
        case .pageDown: return scroll(max(list.rows - 2, 1))
        case .scrollUp: return scroll(-3)
        case .scrollDown: return scroll(3)
        case .top:
            scrollback.toTop(found)
            return fetchAtTop()
        case .bottom:
            scrollback.toBottom()
            return [.read]
        case .unread:
            if items.contains(.marker) { scrollback.show(.marker, rows: list.rows) }
            return []
        case .complete: complete(1)
        case .completeBackward: complete(-1)
        case .select:
            menu = nil
            isSelecting = scrollback.select(-1, found, rows: list.rows)
        case .selectOlder:
            if !scrollback.select(-1, found, rows: list.rows) { return fetchAtTop() }
        case .selectNewer:
            if !scrollback.select(1, found, rows: list.rows) { leaveSelecting() }
        case .leaveSelect: leaveSelecting()
        case .comment:
            guard let item = selectedItem, let record = item.record ?? item.about else { return [] }
            target = RoomTarget(kind: record.kind, id: record.id, label: TextWidth.cut(item.text, to: 50))
            leaveSelecting()
        case .rewrite:
            guard let item = selectedItem, let record = item.record, item.kind == .message, item.author == viewer else {
                return [.shared(.say("You can change only messages that you wrote."))]
            }
            guard editor.isEmpty else { return [.shared(.say("Send what you are writing first, or drop it with Esc and Ctrl-C."))] }
            leaveSelecting()
            return [.rewrite(RoomTarget(kind: record.kind, id: record.id, label: TextWidth.cut(item.text, to: 50), isRewritten: true))]
        case .undoSelected:
            guard let item = selectedItem, let sequence = item.undoable else { return [.shared(.bell)] }
            leaveSelecting()
            guard item.author != viewer else { return [.undo(sequence: sequence)] }
            let who = item.author.flatMap { name[$0] } ?? "somebody"
            let what = item.kind == .message ? "Delete what \(who) wrote?" : "Undo what \(who) did?"
            asked = (sequence, [what, TextWidth.cut(item.text.split(whereSeparator: \.isNewline).joined(separator: " "), to: 60), "That can be undone, too.", "y undo   any other key cancels"])
        case .open:
            guard let item = selectedItem else { return [] }
            if case .gap(let sequence) = item.id { return [.fetch(before: sequence)] }
            guard let record = item.about ?? item.record else { return [.shared(.bell)] }
            leaveSelecting()
            return [.open(RoomTarget(kind: record.kind, id: record.id, label: item.text))]
        case .copy:
            guard let item = selectedItem else { return [] }
            leaveSelecting()
            return [.shared(.copy(item.text))]
        case .find:
            leaveSelecting()
            guard editor.isEmpty else { return [.shared(.say("Send what you are writing first, or drop it with Esc and Ctrl-C."))] }
            editor.set("/find ")
        case .findOlder, .findNewer:
            guard !wanted.isEmpty else { return [.shared(.say("/ looks for words."))] }
            if !find(wanted, step: command == .findOlder ? -1 : 1) { return [.shared(.say("Nothing \(command == .findOlder ? "older" : "newer") that is loaded has “\(wanted)” in it."))] }
        case .copyLink:
            guard let item = selectedItem else { return [] }
            guard let link = Link.last(in: item.text) else { return [.shared(.say("There is no link in it."))] }
            leaveSelecting()
            return [.shared(.copy(link))]
        case .editOutside: return [.editOutside(editor.text)]
        case .help: isHelpOpen = true
        case .interrupt:
            menu = nil
            if target != nil || !editor.isEmpty || editor.search != nil {
                target = nil
                _ = editor.perform(.abort)
                editor.set("")
                return question == nil ? [] : [.interrupt]
            }
            return [.interrupt]
        // The code above has already handled the commands that all buffers share.
        case .season, .events, .drafts, .undoLast, .redoLast, .redraw, .suspend, .quit: break
        case .cancel:
            if menu != nil {
                menu = nil
            } else if editor.search != nil {
                _ = editor.perform(.abort)
            } else if let target {
                if target.isRewritten { editor.set("") }
                self.target = nil
            } else {
                scrollback.toBottom()
                clearMarker()
                return [.read]
            }
        }
        return []
    }

    private mutating func leaveSelecting() {
        isSelecting = false
        scrollback.select(nil)
    }

    private mutating func scroll(_ count: Int) -> [RoomAction] {
        let list = areas.list
        let isTop = scrollback.scroll(by: count, scrollItems(columns: list.columns), rows: list.rows)
        if isTop, count < 0 { return fetchAtTop() }
        return fetchSeen()
    }

    /// Requests the items before the oldest one, if there are any.
    private func fetchAtTop() -> [RoomAction] {
        for item in items {
            guard case .timeline(let item) = item else { continue }
            if case .gap(let sequence) = item.id { return [.fetch(before: sequence)] }
            if item.kind != .day { break }
        }
        return fetchSeen()
    }

    /// Requests the missing items of a visible gap.
    private func fetchSeen() -> [RoomAction] { gapsSeen.prefix(1).map { .fetch(before: $0) } }

    /// The gaps on the screen, by the sequence before which items are missing.
    package var gapsSeen: [Int64] {
        let list = areas.list
        return scrollback.layout(scrollItems(columns: list.columns), rows: list.rows).compactMap { placed in
            guard case .timeline(let item) = items[placed.index], case .gap(let sequence) = item.id else { return nil }
            return sequence
        }
    }

    private mutating func click(_ mouse: MouseEvent) -> [RoomAction] {
        let areas = areas
        switch mouse.action {
        case .wheelUp: return scroll(-3)
        case .wheelDown: return scroll(3)
        case .press(1):
            if isHelpOpen {
                isHelpOpen = false
            } else if var open = menu, areas.menu.contains(mouse.point) {
                let first = min(max((open.selected ?? 0) - areas.menu.rows + 1, 0), max(open.entries.count - areas.menu.rows, 0))
                open.select(first + mouse.point.row - areas.menu.row, in: &editor)
                menu = nil
            } else if areas.input.contains(mouse.point), !isSelecting {
                let start = TextWidth.of(areas.prompt)
                editor.moveCursor(to: areas.view.character(at: Point(max(mouse.point.column - start, 0), mouse.point.row - areas.input.row)))
            } else if areas.list.contains(mouse.point) {
                let found = scrollItems(columns: areas.list.columns)
                let row = mouse.point.row - areas.list.row
                guard let placed = scrollback.layout(found, rows: areas.list.rows).first(where: { $0.row <= row && row < $0.row + $0.height }),
                    items[placed.index].isSelectable
                else { return [] }
                if case .timeline(let item) = items[placed.index], case .gap(let sequence) = item.id { return [.fetch(before: sequence)] }
                scrollback.select(items[placed.index].id)
                isSelecting = true
            }
        case .press, .release, .drag: break
        }
        return []
    }
}
