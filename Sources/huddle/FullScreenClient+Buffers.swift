import Bytes
import Family
import Posix
import Screen
import Sessions
import Sync
import Terminal
import Views
import Wire
import Words

/// The buffer on the screen, and the services for every buffer.
extension FullScreenClient: BufferHost {
    var facts: StatusFacts { picture.facts }
    var keymap: Keymap { appearance.keymap }
    var size: Size { screen.size }
    var pictureCell: Size? { screen.pictures == nil ? nil : screen.cellSize }
    var isAsking: Bool { conversation.isAsking }

    func lines(of record: Record) -> [DetailLine] { records.lines(of: record, appearance.theme) }
    func submit(_ line: String) { conversation.submit(line) }
    func interrupt() { conversation.interrupt() }
    func bell() { screen.bell() }
    func refreshSoon() { refreshes.isStale = true }

    /// Shows a buffer, and opens it if necessary.
    func show(_ key: BufferKey) {
        if open.views[key] == nil { open.views[key] = make(key) }
        guard open.views[key] != nil else { return screen.bell() }
        show(key, title: title(of: key))
    }

    func show(_ key: BufferKey, title: String) {
        if open.list.current != key { open.shown?.leave(self, for: key) }
        if let closed = open.list.show(key, title: title) { open.forget(closed) }
        // The next key may already be waiting.
        layOut()
    }

    func isShown(_ key: BufferKey) -> Bool { open.list.current == key }

    /// Closes a buffer; the previous one is shown again.
    func close(_ key: BufferKey) {
        if isShown(key), let next = open.list.last { open.views[key]?.leave(self, for: next) }
        open.list.close(key)
        if !BufferKey.fixed.contains(key) { open.forget(key) }
    }

    /// - Returns: `nil` for a buffer that is opened with its content, such as a form.
    private func make(_ key: BufferKey) -> (any Buffer)? {
        switch key {
        case .room: open.room
        case .season: open.season
        case .trips: open.trips
        case .documents: open.documents
        case .kept: open.kept
        case .form: nil
        case .record(let kind, let id): RecordBuffer(RecordView(kind, id, theme: appearance.theme, keymap: keymap))
        }
    }

    private func title(of key: BufferKey) -> String {
        switch key {
        case .room, .season, .trips, .documents, .kept: key.title
        case .form: open.list.entries.first { $0.key == key }?.title ?? "Form"
        case .record(let kind, let id):
            records.names.name(id).isEmpty ? kind.declaration.label : records.names.name(id)
        }
    }

    func perform(_ action: SharedAction) throws {
        switch action {
        case .show(let number):
            guard let key = open.list.key(numbered: number) else { return screen.bell() }
            show(key)
        case .showNextActive:
            // The facts count unread items of the room.
            guard let key = open.list.nextActive ?? ((facts.unread > 0 || facts.hasActivity) && open.list.current != .room ? .room : nil) else { return screen.bell() }
            show(key)
        case .showLast:
            guard let key = open.list.last else { return screen.bell() }
            show(key)
        case .showNeighbour(let step):
            if let key = open.list.neighbour(step) { show(key) }
        case .travel(let step):
            guard let key = open.list.travel(step) else { return screen.bell() }
            show(key)
        case .switchBuffer:
            records.prepareSwitcher()
            picture.overlay = .switcher(SwitcherView(open.list, seasons: records.seasons, records: records.places.index, theme: appearance.theme, keymap: keymap))
        case .chooseSeason: offerSeasons()
        case .showDeleted: session.engine.role == .guest ? hint("You are a guest here: you can read everything, but not change it.") : offerDeleted()
        case .close: close(open.list.current)
        case .stepBack:
            let leadsToPage = open.list.last.map { $0 != .room } ?? false
            guard !BufferKey.fixed.contains(open.list.current), leadsToPage else {
                let key = keymap.keys(of: BufferCommand.first.rawValue).first ?? "q"
                return hint("\(key) goes to the room.")
            }
            close(open.list.current)
        case .undoLast: try undoLast()
        case .redoLast: conversation.submit("/redo")
        case .copy(let text): copy(text)
        case .say(let sentence):
            hint(sentence)
        case .bell: screen.bell()
        case .redraw: screen.redraw()
        case .suspend: for event in screen.suspend() { _ = try take(event) }
        case .quit:
            open.shown?.leave(self, for: nil)
            conversation.submit("/quit")
        }
    }

    /// Carries out the actions of the trips, documents and outbox views.
    func perform(_ action: PaneAction) throws {
        switch action {
        case .submit(let line): conversation.submit(line)
        case .compose(let line):
            show(.room)
            open.room.write(line)
        // Only a view that merges a text can handle this, and it has done so already.
        case .editOutside: screen.bell()
        case .add(let kind, let fields): add(kind, preset: fields)
        case .edit(let id):
            guard let record = session.engine.record(id) else { return screen.bell() }
            edit(record.kind, id)
        case .shared(let action): try perform(action)
        }
    }

    /// Shows both sides of a refused change on the page where the person decides.
    func showConflict(_ draft: Int64) {
        open.kept.refresh(self)
        open.kept.open(draft)
        show(.kept)
    }

    func go(to place: SwitchTarget.Place) {
        switch place {
        case .buffer(let key): show(key)
        case .season(let context): if choose(context) { show(.season) }
        }
    }

    /// Shows another season.
    ///
    /// - Returns: false if the athlete no longer exists; the person gets a notice.
    @discardableResult
    func choose(_ season: Context) -> Bool {
        if case .athlete(let id) = season, !records.athletes.contains(id) {
            screen.bell()
            toast("That athlete is not in the family any more. Choose another season.")
            return false
        }
        session.setContext(season)
        return true
    }

    /// Copies a text to the terminal's clipboard, and says so.
    func copy(_ text: String) {
        screen.copy(text)
        toast("Copied: \(text)")
    }

    // MARK: The last change

    /// Explains why a key does nothing, until the next key.
    func hint(_ sentence: String) {
        screen.bell()
        message.show(sentence, .hint)
    }

    /// Shows a message for a few seconds, on any page.
    func toast(_ text: String) { message.show(text) }

    /// Announces the member's own change, with the key that undoes it.
    func announceOwn(_ change: Change) {
        guard change.entries.contains(where: { $0.kind != .message && $0.kind != .readingPosition }) else { return }
        // After an undo, the next undo goes a step further back: the history determines which.
        lastOwn = change.undoes == nil ? session.engine.cursor.map { Cursor(epoch: $0.epoch, sequence: change.sequence) } : nil
        records.follow()
        guard change.undoes != nil else {
            return message.show(records.text.done(change) { session.engine.record($0) }, .undoable)
        }
        // An undo is announced as the change that it undid: "Undone: marked Café Camp attended".
        guard let (original, isUndo) = open.room.undone(by: change) else {
            return message.show(records.text.done(change) { session.engine.record($0) }, .undone)
        }
        let what = records.text.what(original) { session.engine.record($0) }
        message.show("\(isUndo ? "Undone" : "Redone"): \(what)", isUndo ? .undone : .undoable)
    }

    /// The toast as this page shows it: pages on which the person types have another key for undo.
    var toastWords: String {
        guard message.purpose == .undoable || message.purpose == .undone, !message.text.isEmpty else { return message.text }
        let isUndone = message.purpose == .undone
        let command = isUndone ? RoomCommand.redoLast.rawValue : RoomCommand.undoLast.rawValue
        let keys = keymap.keys(of: command)
        let isTyping = if case .form = open.list.current { true } else { open.list.current == .room }
        let key = isTyping ? keys.first : keymap.keys(of: isUndone ? command : EventsCommand.undo.rawValue, in: "events").first ?? keys.first
        return message.text + (key.map { "\(StatusLine.toastMark)\($0) to \(isUndone ? "redo" : "undo")" } ?? "")
    }

    private func undoLast() throws {
        // In another log the number belongs to another member's change. While a change is on its way, that change is
        // the last one.
        guard session.engine.pending.isEmpty, let own = lastOwn, own.epoch == session.engine.cursor?.epoch else { return conversation.submit("/undo") }
        lastOwn = nil
        _ = try session.undo(own.sequence)
    }
}
