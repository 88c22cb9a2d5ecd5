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

/// Which buffer is on the screen, and what every buffer can ask for.
extension FullScreenClient: BufferHost {
    var facts: StatusFacts { picture.facts }
    var keymap: Keymap { appearance.keymap }
    var size: Size { screen.size }
    var isAsking: Bool { conversation.isAsking }

    func lines(of record: Record) -> [DetailLine] { records.lines(of: record, appearance.theme) }
    func submit(_ line: String) { conversation.submit(line) }
    func interrupt() { conversation.interrupt() }
    func bell() { screen.bell() }
    func refreshSoon() { refreshes.isStale = true }

    /// Brings a buffer onto the screen, opening it if need be.
    func show(_ key: BufferKey) {
        if open.views[key] == nil { open.views[key] = make(key) }
        guard open.views[key] != nil else { return screen.bell() }
        show(key, title: title(of: key))
    }

    func show(_ key: BufferKey, title: String) {
        if open.list.current != key { open.shown?.leave(self, for: key) }
        if let closed = open.list.show(key, title: title) { open.forget(closed) }
        // The next key may be there already.
        layOut()
    }

    func isShown(_ key: BufferKey) -> Bool { open.list.current == key }

    /// Closes a buffer; what was on the screen before comes back.
    func close(_ key: BufferKey) {
        if isShown(key), let next = open.list.last { open.views[key]?.leave(self, for: next) }
        open.list.close(key)
        if !BufferKey.fixed.contains(key) { open.forget(key) }
    }

    /// - Returns: `nil` for one that is opened with what it shows, as a form is.
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
            // What is unread in the room counts where it is counted.
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

    /// What the views of trips, documents and what is kept ask for.
    func perform(_ action: PaneAction) throws {
        switch action {
        case .submit(let line): conversation.submit(line)
        case .compose(let line):
            show(.room)
            open.room.write(line)
        // Only where a text is merged, and its view has taken it.
        case .editOutside: screen.bell()
        case .add(let kind, let fields): add(kind, preset: fields)
        case .edit(let id):
            guard let record = session.engine.record(id) else { return screen.bell() }
            edit(record.kind, id)
        case .shared(let action): try perform(action)
        }
    }

    /// Both sides of something that was refused, where it is decided.
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

    /// Looks at another season.
    ///
    /// - Returns: false when the athlete is gone, which is said.
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

    /// Puts a text into the clipboard of the terminal, and says so.
    func copy(_ text: String) {
        screen.copy(text)
        toast("Copied: \(text)")
    }

    // MARK: What was just done

    /// Says why a key does nothing, until the next one.
    func hint(_ sentence: String) {
        screen.bell()
        message.show(sentence, .hint)
    }

    /// Says something for a few seconds, whatever is on the screen.
    func toast(_ text: String) { message.show(text) }

    /// One's own change is done: how to take it back stands beside it.
    func announceOwn(_ change: Change) {
        guard change.entries.contains(where: { $0.kind != .message && $0.kind != .readingPosition }) else { return }
        // After an undo, the next one goes a step further back: the history says which.
        lastOwn = change.undoes == nil ? session.engine.cursor.map { Cursor(epoch: $0.epoch, sequence: change.sequence) } : nil
        records.follow()
        guard change.undoes != nil else {
            return message.show(records.text.done(change) { session.engine.record($0) }, .undoable)
        }
        // An undo is told as the change that it undid: "Undone: marked Café Camp attended".
        guard let (original, isUndo) = open.room.undone(by: change) else {
            return message.show(records.text.done(change) { session.engine.record($0) }, .undone)
        }
        let what = records.text.what(original) { session.engine.record($0) }
        message.show("\(isUndo ? "Undone" : "Redone"): \(what)", isUndo ? .undone : .undoable)
    }

    /// The toast as it stands on this screen: the key that takes back what it tells is another one where one types.
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
        // In another log the number is somebody else's change. While a change is on its way, that one is the last.
        guard session.engine.pending.isEmpty, let own = lastOwn, own.epoch == session.engine.cursor?.epoch else { return conversation.submit("/undo") }
        lastOwn = nil
        _ = try session.undo(own.sequence)
    }
}
