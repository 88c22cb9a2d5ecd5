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

/// The family's room: the timeline, and what is said and commanded.
final class RoomBuffer: Buffer {
    /// Timeline items that are laid out; older ones are fetched by scrolling.
    private static let shownItems = 2_000

    private var timeline: Timeline
    private(set) var view: RoomView
    /// Requests of the timeline, whose answers are nobody else's.
    private var requests: Set<Int64> = []
    /// What the view knows of what can be completed, by the revision of the records it was made of. Worked out when somebody begins to: it
    /// takes a while with many.
    private var completed: [Sigil: Int] = [:]
    /// The sequence that what is laid out stands at, and the one up to which it has been on the screen.
    private var laidOut: Int64 = 0
    private var seen: Int64 = 0

    init(_ view: RoomView, _ session: ClientSession) {
        self.view = view
        timeline = Self.timeline(session)
    }

    /// What is kept on this machine is shown before the server has answered.
    private static func timeline(_ session: ClientSession) -> Timeline {
        session.engine.cursor == nil ? Timeline() : Timeline(session.engine, changes: session.keptChanges)
    }

    /// All that is kept has been read, where before there was only what the first screen shows.
    func load(_ session: ClientSession) { timeline = Self.timeline(session) }

    func tell(_ lines: [String]) { view.tell(lines, at: Clock.wallMilliseconds()) }

    func ask(_ question: String?) { view.question = question }

    /// Shows changes and presence, or messages alone.
    func show(_ activity: TimelineActivity) { view.activity = activity }

    func write(_ text: String) { view.editor.set(text) }

    // MARK: What is typed

    /// The line that is not sent yet, and what it is about. Answers to questions are not kept: the question would be gone.
    var typed: Cache.Place? {
        guard view.question == nil, !view.editor.isEmpty, view.editor.search == nil else { return nil }
        return Cache.Place(text: view.editor.text, place: view.target?.kept ?? "")
    }

    /// - Returns: whether there was something, and nothing has been typed since.
    func restore(_ place: Cache.Place) -> Bool {
        guard view.editor.isEmpty, !place.text.isEmpty else { return false }
        view.editor.set(place.text)
        if let target = RoomTarget(kept: place.place) { view.comment(on: target) }
        return true
    }

    /// The lines of earlier runs, the oldest first.
    func remember(_ lines: [String]) { view.editor.history = EditHistory(lines + view.editor.history.lines) }

    /// The records are there for the first time.
    func begin(_ session: ClientSession) { timeline.begin(session.engine) }

    /// - Returns: whether it was an answer to the timeline, which nobody else needs.
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

    /// The change that another one undid or did again, if the timeline knows it.
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
        // A gap that one sees is filled without asking.
        for sequence in view.gapsSeen { fetch(before: sequence, host.session) }
    }

    /// What has not been read, whatever is on the screen.
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

    /// Makes ready what a sigil offers.
    ///
    /// - Returns: false when all is.
    func prepare(_ names: RecordNames) -> Bool {
        guard let sigil = [Sigil.event, .trip].first(where: { completed[$0] != $0.kind.map { names.revision(of: $0) } }) else { return false }
        complete(sigil, names)
        return true
    }

    private func complete(_ sigil: Sigil, _ names: RecordNames) {
        // Who spoke last is offered first.
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
            // An answer to a question is no line that one wants again.
            if !host.isAsking { host.remember(line) }
            do { try submit(line, about, host) } catch {
                // What cannot be sent stands there again to be changed.
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

    /// A command, an answer to a question, or something to say: then with those it speaks to and what it is about.
    private func submit(_ line: String, _ about: RoomTarget?, _ host: any BufferHost) throws {
        if !host.isAsking, let about, about.isRewritten {
            guard let record = host.session.engine.record(about.id), !record.isDeleted else {
                view.editor.set(line)
                return try host.perform(.say("The message was deleted. Enter sends the text as a new one."))
            }
            _ = try host.session.perform([try Request.rewrite(record, Emoji.replacingNames(in: line), host.records.names, of: about.version, about.original)])
            return
        }
        if host.isAsking || line.hasPrefix("/") && !line.hasPrefix("//") && Deed.of(line) == nil { return command(line, host) }
        guard host.session.engine.role != .guest else {
            view.editor.set(line)
            return try host.perform(.say("You are a guest here: you can read everything, but not write."))
        }
        let text = Emoji.replacingNames(in: line.hasPrefix("//") ? String(line.dropFirst()) : line)
        let reference = about.map { RecordReference($0.kind, $0.id) }
        let operation = try Request.say(text, about: reference, id: host.freshIdentifier(), host.records.names)
        _ = try host.session.perform([operation])
    }

    /// A command; those that ask for several things open a form for them.
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

    // MARK: What was read

    /// The screen shows it, and somebody looks: the newest, unless they have scrolled up.
    func see() {
        if view.scrollback.isAtBottom { seen = laidOut }
    }

    /// Whoever leaves the room, writes, or asks for it has read what was on the screen: other screens of the person learn it too. A key that does
    /// something else is no sign of it: the line above what is new would be gone from all screens before anybody has looked up.
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
