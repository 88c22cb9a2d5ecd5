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
extension FullScreenClient {
    /// Brings a buffer onto the screen, opening it if need be.
    func show(_ key: BufferKey) {
        if views[key] == nil { views[key] = make(key) }
        guard views[key] != nil else { return screen.bell() }
        show(key, title: title(of: key))
    }

    func show(_ key: BufferKey, title: String) {
        if buffers.current != key { views[buffers.current]?.leave(self, for: key) }
        if let closed = buffers.show(key, title: title) { forget(closed) }
        // The next key may be there already.
        layOut()
    }

    private func forget(_ key: BufferKey) {
        views[key] = nil
        forgetLayout(key)
    }

    /// Closes a buffer; what was on the screen before comes back.
    func close(_ key: BufferKey) {
        if buffers.current == key, let next = buffers.last { views[key]?.leave(self, for: next) }
        buffers.close(key)
        if !BufferKey.fixed.contains(key) { forget(key) }
    }

    /// - Returns: `nil` for one that is opened with what it shows, as a form is.
    private func make(_ key: BufferKey) -> (any Buffer)? {
        switch key {
        case .room: room
        case .season: season
        case .trips: trips
        case .documents: documents
        case .kept: kept
        case .form: nil
        case .record(let kind, let id): RecordBuffer(RecordView(kind, id, theme: theme, keymap: keymap))
        }
    }

    private func title(of key: BufferKey) -> String {
        switch key {
        case .room, .season, .trips, .documents, .kept: key.title
        case .form: buffers.entries.first { $0.key == key }?.title ?? "Form"
        case .record(let kind, let id):
            names.name(id).isEmpty ? kind.declaration.label : names.name(id)
        }
    }

    func perform(_ action: SharedAction) throws {
        switch action {
        case .show(let number):
            guard let key = buffers.key(numbered: number) else { return screen.bell() }
            show(key)
        case .showNextActive:
            // What is unread in the room counts where it is counted.
            guard let key = buffers.nextActive ?? (facts.unread > 0 && buffers.current != .room ? .room : nil) else { return screen.bell() }
            show(key)
        case .showLast:
            guard let key = buffers.last else { return screen.bell() }
            show(key)
        case .showNeighbour(let step):
            if let key = buffers.neighbour(step) { show(key) }
        case .travel(let step):
            guard let key = buffers.travel(step) else { return screen.bell() }
            show(key)
        case .switchBuffer:
            prepareSwitcher()
            overlay = .switcher(SwitcherView(buffers, seasons: seasons, records: places.index, theme: theme, keymap: keymap))
        case .chooseSeason: offerSeasons()
        case .close: close(buffers.current)
        case .undoLast: try undoLast()
        case .copy(let text): copy(text)
        case .say(let sentence):
            hint(sentence)
        case .bell: screen.bell()
        case .redraw: screen.redraw()
        case .suspend: for event in screen.suspend() { _ = try take(event) }
        case .quit:
            views[buffers.current]?.leave(self, for: nil)
            conversation.submit("/quit")
        }
    }

    /// What the views of trips, documents and what is kept ask for.
    func perform(_ action: PaneAction) throws {
        switch action {
        case .submit(let line): conversation.submit(line)
        case .compose(let line):
            show(.room)
            room.write(line)
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
        kept.refresh(self)
        kept.open(draft)
        show(.kept)
    }

    /// Words that a view has for the person.
    func say(_ words: inout String?) {
        if let words { toast(words) }
        words = nil
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
        if case .athlete(let id) = season, !athletes.contains(id) {
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
        toast(sentence)
        toastKind = .hint
    }

    /// Says something for a few seconds, whatever is on the screen.
    func toast(_ text: String) {
        toast = text
        toastKind = .news
        toastEnds = Clock.monotonicMilliseconds() + Self.toastTime
    }

    /// One's own change is done: how to take it back stands beside it.
    func announceOwn(_ change: Change) {
        guard change.entries.contains(where: { $0.kind != .message && $0.kind != .readingPosition }) else { return }
        lastOwn = session.engine.cursor.map { Cursor(epoch: $0.epoch, sequence: change.sequence) }
        followRecords()
        toast(text.done(change) { session.engine.record($0) })
        toastKind = .undoable
    }

    /// The toast as it stands on this screen: the key that takes back what it tells is another one where one types.
    var toastWords: String {
        guard toastKind == .undoable, !toast.isEmpty else { return toast }
        let keys = keymap.keys(of: RoomCommand.undoLast.rawValue)
        let isTyping = if case .form = buffers.current { true } else { buffers.current == .room }
        let key = isTyping ? keys.first : keymap.keys(of: EventsCommand.undo.rawValue, in: "events").first ?? keys.first
        return toast + (key.map { "  ·  \($0) takes it back" } ?? "")
    }

    private func undoLast() throws {
        // In another log the number is somebody else's change.
        guard let own = lastOwn, own.epoch == session.engine.cursor?.epoch else { return conversation.submit("/undo") }
        lastOwn = nil
        _ = try session.undo(own.sequence)
    }
}
