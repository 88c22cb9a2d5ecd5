import Bytes
import Commands
import Family
import Posix
import Sessions
import Sync
import Terminal
import Views
import Wire
import Words

/// The family's room: the timeline, and the line for messages and commands.
final class RoomBuffer: Buffer {
    /// Timeline items that are laid out; scrolling loads older ones.
    private static let shownItems = 2_000

    private var timeline: Timeline
    private(set) var view: RoomView
    /// The timeline's requests; only the timeline uses their answers.
    private var requests: Set<Int64> = []
    /// The completions that the view has, by the revision of the records from which they were made. They are made when
    /// the person begins to complete a word, because with many records they take a while.
    private var completed: [Sigil: Int] = [:]
    /// The sequence of the laid-out timeline, and the last sequence that has been on the screen.
    private var laidOut: Int64 = 0
    private var seen: Int64 = 0

    init(_ view: RoomView, _ session: ClientSession) {
        self.view = view
        timeline = Self.timeline(session)
    }

    /// The copy on this machine is shown before the server has answered.
    private static func timeline(_ session: ClientSession) -> Timeline {
        session.engine.cursor == nil ? Timeline() : Timeline(session.engine, changes: session.keptChanges)
    }

    /// The whole copy on this machine has been read; before, only the part that the first screen shows.
    func load(_ session: ClientSession) { timeline = Self.timeline(session) }

    func tell(_ lines: [String]) { view.tell(lines, at: Clock.wallMilliseconds()) }

    func ask(_ question: String?) { view.question = question }

    /// Shows changes and presence, or only messages.
    func show(_ activity: TimelineActivity) { view.activity = activity }

    func write(_ text: String) { view.editor.set(text) }

    // MARK: Input

    /// The line that is not sent yet, and the record that it is about. Answers to questions are not kept, because the
    /// question would be gone.
    var typed: Cache.Place? {
        guard view.question == nil, !view.editor.isEmpty, view.editor.search == nil else { return nil }
        return Cache.Place(text: view.editor.text, place: view.target?.kept ?? "")
    }

    /// - Returns: whether there was a line to restore, and nothing has been typed since.
    func restore(_ place: Cache.Place) -> Bool {
        guard view.editor.isEmpty, !place.text.isEmpty else { return false }
        view.editor.set(place.text)
        if let target = RoomTarget(kept: place.place) { view.comment(on: target) }
        return true
    }

    /// Adds the lines of earlier runs, the oldest first.
    func remember(_ lines: [String]) { view.editor.history = EditHistory(lines + view.editor.history.lines) }

    /// The records are present for the first time.
    func begin(_ session: ClientSession) { timeline.begin(session.engine) }

    /// - Returns: whether the event answered a request of the timeline, so that nothing else needs it.
    func receive(_ event: SessionEvent, _ session: ClientSession) -> Bool {
        timeline.receive(event, session.engine, at: Clock.wallMilliseconds())
        switch event {
        case .notice(.answer(let answer)): return answer.request.map { requests.remove($0) != nil } == true
        case .notice(.failed(_, let request?)): return requests.remove(request) != nil
        case .notice(.offline):
            requests = []
            return false
        default: return false
        }
    }

    /// The change that another change undid or redid, if the timeline has it.
    func undone(by change: Change) -> (change: Change, isUndo: Bool)? { timeline.undone(by: change) }

    func resize(_ size: Size) { view.resize(size) }

    func refresh(_ host: any BufferHost) {
        let engine = host.session.engine
        let clock = host.records.clock
        view.time = { clock.time($0, now: $0) }
        view.viewer = engine.member
        view.name = host.records.memberNames
        view.facts = host.facts
        view.show(timeline.items(engine, host.records.text, clock, activity: view.activity, last: Self.shownItems), unread: timeline.unread(engine))
        laidOut = engine.cursor?.sequence ?? 0
        // A gap on the screen is filled without a request by the person.
        for sequence in view.gapsSeen { fetch(before: sequence, host.session) }
    }

    /// The unread items, whichever page is on the screen.
    func unread(_ session: ClientSession) -> UnreadCount { timeline.unread(session.engine) }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        view.facts = facts
        view.draw(&canvas)
    }

    func adopt(_ theme: Theme, _ keymap: Keymap) {
        view.theme = theme
        view.keymap = keymap
    }

    func handle(_ input: InputEvent, _ host: any BufferHost) throws {
        if case .key(let key) = input {
            if let sigil = key.typed.flatMap(Sigil.init) { complete(sigil, host.records.names) }
            if key.code == .tab {
                complete(CompletionWord(view.editor.characters, cursor: view.editor.cursor)?.sigil ?? .person, host.records.names)
                view.offered = Completions.next(view.editor.characters, cursor: view.editor.cursor, host.records.names, host.keymap) { RecordLookup.deleted(host.session.engine) }
            }
        }
        for action in view.handle(input) { try perform(action, host) }
    }

    /// Prepares the completions that a sigil offers.
    ///
    /// - Returns: false if all are ready.
    func prepare(_ names: RecordNames) -> Bool {
        guard let sigil = [Sigil.event, .trip].first(where: { completed[$0] != $0.kind.map { names.revision(of: $0) } }) else { return false }
        complete(sigil, names)
        return true
    }

    private func complete(_ sigil: Sigil, _ names: RecordNames) {
        // The people who spoke last are offered first.
        if sigil == .person {
            view.candidates[.person] = Completions.people(names, speakers: view.speakers, viewer: view.viewer)
            return
        }
        let revision = sigil.kind.map { names.revision(of: $0) } ?? 0
        guard completed[sigil] != revision else { return }
        view.candidates[sigil] = Completions.all(sigil, names)
        completed[sigil] = revision
    }

    private func perform(_ action: RoomAction, _ host: any BufferHost) throws {
        switch action {
        case .submit(let line, let about):
            markRead(host.session)
            // An answer to a question does not belong in the history of lines.
            if !host.isAsking { host.remember(line) }
            do { try submit(line, about, host) } catch {
                // A line that cannot be sent returns to the editor, so that the person can change it.
                if view.editor.isEmpty {
                    view.editor.set(line)
                    if let about { view.comment(on: about) }
                }
                throw error
            }
        case .fetch(let sequence): fetch(before: sequence, host.session)
        case .undo(let sequence): _ = try host.session.undo(sequence)
        case .rewrite(let target):
            guard let record = host.session.engine.record(target.id), let text = record.fields.text("text") else {
                return try host.perform(.say("This message is too old to change. Write a new one."))
            }
            view.editor.set(text)
            view.comment(on: target.rewriting(text, version: record.version))
        case .open(let target): host.show(.record(target.kind, target.id))
        case .editOutside(let text): try host.edit(text) { [weak self] in self?.write($0) }
        case .read: markRead(host.session)
        case .interrupt: host.interrupt()
        case .shared(let action): try host.perform(action)
        }
    }

    /// Takes a command, an answer to a question, or a message, with the members it mentions and the record it is about.
    private func submit(_ line: String, _ about: RoomTarget?, _ host: any BufferHost) throws {
        if !host.isAsking, let about, about.isRewritten {
            guard let record = host.session.engine.record(about.id), !record.isDeleted else {
                view.editor.set(line)
                return try host.perform(.say("The message was deleted. Enter sends the text as a new one."))
            }
            _ = try host.session.perform([try Request.rewrite(record, Emoji.replacingNames(in: line), host.records.names, of: about.version, about.original)])
            return
        }
        if host.isAsking || line.hasPrefix("/") && !line.hasPrefix("//") && ActionMessage.of(line) == nil { return command(line, host) }
        guard host.session.engine.role != .guest else {
            view.editor.set(line)
            return try host.perform(.say("You are a guest here: you can read everything, but not write."))
        }
        let text = Emoji.replacingNames(in: line.hasPrefix("//") ? String(line.dropFirst()) : line)
        let reference = about.map { RecordReference($0.kind, $0.id) }
        let operation = try Request.say(text, about: reference, id: host.freshIdentifier(), host.records.names)
        _ = try host.session.perform([operation])
    }

    /// Runs a command; commands that need several values open a form.
    private func command(_ line: String, _ host: any BufferHost) {
        if !host.isAsking, case .action(.add(let kind, let fields, nil))? = try? SlashCommand.parse(line), fields.isEmpty {
            return host.add(kind)
        }
        if !host.isAsking {
            switch try? SlashCommand.parse(line) {
            case .clear?: return view.clearNotices()
            case .find(let words)?:
                if !view.find(words) { view.tell(["Nothing that is loaded has “\(words.printable)” in it. Ctrl-Home loads what is older; /messages \(words.printable) lists messages."], at: Clock.wallMilliseconds()) }
                return
            default: break
            }
        }
        host.submit(line)
    }

    private func fetch(before sequence: Int64, _ session: ClientSession) {
        guard !timeline.isAsked(sequence) else { return }
        if let request = session.ask({ self.timeline.ask(sequence, request: $0) }) { requests.insert(request) }
    }

    // MARK: Reading position

    /// The person sees the newest items on the screen, unless they have scrolled up.
    func see() {
        if view.scrollback.isAtBottom { seen = laidOut }
    }

    /// Marks the items on the screen as read, for the person's other screens too: after leaving the room, after
    /// writing, or by command. Other keys do not mark anything, because the line above new items would disappear from
    /// all screens before the person has looked up.
    func markRead(_ session: ClientSession) {
        guard session.engine.phase == .live, view.facts.unread > 0 || view.facts.hasActivity else { return }
        try? session.markRead(upTo: seen)
    }

    func leave(_ host: any BufferHost, for next: BufferKey?) {
        markRead(host.session)
        if view.scrollback.isAtBottom { view.clearMarker() }
    }
}

@available(*, unavailable) extension RoomBuffer: Sendable {}
