import Bytes
import Client
import Dates
import Family
import Posix
import Screen
import Terminal
import Views
import Wire

/// `huddle` on a terminal: the room on a full screen.
///
/// One thread and one loop: keys, signals, the editor's end and the network are waited for together, so that nothing runs when
/// nothing happens.
final class FullScreenClient {
    /// Timeline items that are laid out; older ones are fetched by scrolling.
    private static let shownItems = 2_000

    private let screen: FullScreen
    private let session: ClientSession
    private let conversation: Conversation
    private let setting: Setting
    private var timeline: Timeline
    private var room: RoomView
    private var season: EventsView
    /// Whether the season is on the screen instead of the room.
    private var isSeasonShown = false
    private var editor: ExternalEditor?
    private var identifiers = IdentifierSource()
    /// Athletes, in the order of the menu of seasons.
    private var athletes: [Identifier] = []
    private var isFocused = true
    private var hasOpened = false
    /// Requests of the timeline, whose answers are nobody else's.
    private var requests: Set<Int64> = []
    /// Records or facts have changed since they were laid out.
    private var isStale = true

    init(_ screen: FullScreen, _ session: ClientSession, _ conversation: Conversation, _ setting: Setting) {
        self.screen = screen
        self.session = session
        self.conversation = conversation
        self.setting = setting
        timeline = Timeline()
        let configuration = ScreenConfiguration.load()
        let theme = Theme(wanted: configuration.theme, depth: screen.depth, environment: Environment.value)
        room = RoomView(size: screen.size, theme: theme, keymap: configuration.keymap)
        let locale = ["LC_ALL", "LC_TIME", "LANG"].lazy.compactMap(Environment.value).first { !$0.isEmpty }
        season = EventsView(
            today: CalendarDate(LocalClock(zone: nil).today(Clock.wallMilliseconds())) ?? .first, theme: theme, keymap: configuration.keymap,
            firstWeekday: .first(locale: locale))
        room.tell(configuration.complaints, at: 0)
        room.tell(session.takeWarnings(), at: 0)
        guard session.engine.cursor != nil else { return }
        // What is kept on this machine is shown before the server has answered.
        timeline = Timeline(session.engine, changes: session.keptChanges)
        conversation.begin()
        open()
    }

    private func open() {
        hasOpened = true
        // What the conversation shows at the start stands in the timeline already.
        _ = conversation.takeOutput()
        tell("Write, and the family reads it. / begins a command, ? shows the keys, /help tells more.")
    }

    func run() throws -> ExitStatus {
        while true {
            if isStale { refresh() }
            conversation.columns = screen.size.columns
            draw()
            var items = screen.items
            let own = items.count
            if let editor { items.append(Poll.Item(editor.raw, .readable)) }
            for event in try session.turn(until: screen.deadline, waitingFor: &items) { take(event) }
            var events = try screen.events(items[..<own])
            if let editor, let result = try editor.result() {
                self.editor = nil
                if let text = result.text { room.editor.set(text) }
                events += result.events
            }
            for event in events {
                if try !take(event) { return .done }
            }
            takeOutput()
            if let end = conversation.end {
                if let status = try Interactive.status(of: end, conversation, setting) { return status }
                isStale = true
            }
        }
    }

    private func draw() {
        var canvas = Canvas(screen.size)
        if isSeasonShown { season.draw(room.facts, &canvas) } else { room.draw(&canvas) }
        screen.show(canvas)
    }

    /// - Returns: false when the program is to end.
    private func take(_ event: ScreenEvent) throws -> Bool {
        switch event {
        case .ending: return false
        case .resized(let size): room.resize(size)
        case .resumed: room.resize(screen.size)
        case .input(let input):
            if case .focus(let isIn) = input { isFocused = isIn }
            if isSeasonShown {
                for action in season.handle(input) { try perform(action) }
                return true
            }
            for action in room.handle(input) { try perform(action) }
            if case .key = input, room.scrollback.isAtBottom, room.facts.unread > 0 { markRead() }
        }
        return true
    }

    private func tell(_ lines: String...) { room.tell(lines, at: Clock.wallMilliseconds()) }

    /// Shows what the conversation says: what commands came to.
    private func takeOutput() {
        let lines = conversation.takeOutput()
        if isSeasonShown, let last = lines.last { season.toast = last }
        room.tell(lines, at: Clock.wallMilliseconds())
        room.question = conversation.isAsking ? conversation.prompt : nil
    }

    // MARK: What happens

    private func take(_ event: SessionEvent) {
        isStale = true
        let now = Clock.wallMilliseconds()
        timeline.receive(event, session.engine, at: now)
        switch event {
        // The timeline tells these.
        case .notice(.change(let change, let isOwn)): if !isOwn { announce(change) }
        case .notice(.presence), .notice(.upload): break
        case .notice(.answer(let answer)) where answer.request.map({ requests.remove($0) != nil }) == true: break
        case .notice(.failed(_, let request?)) where requests.remove(request) != nil: break
        case .notice(.live):
            conversation.receive(event)
            if !hasOpened {
                open()
                timeline.begin(session.engine)
            }
        default: conversation.receive(event)
        }
    }

    /// Rings, and notifies, when somebody speaks to the person, or at all while they look elsewhere.
    private func announce(_ change: Change) {
        for entry in change.entries where entry.kind == .message {
            guard case .create(_, let fields) = entry.effect else { continue }
            let isMention = fields.set("mentions").contains { $0.id == session.engine.member }
            guard isMention || !isFocused else { continue }
            screen.bell()
            if !isFocused { screen.notify("\(RecordNames(session.engine).member(change.member)): \(fields.text("text") ?? "")") }
        }
    }

    /// Lays out anew what records and facts have become.
    private func refresh() {
        isStale = false
        let engine = session.engine
        let names = RecordNames(engine)
        let clock = LocalClock(zone: engine.timeZone)
        room.time = { clock.time($0, now: $0) }
        room.viewer = engine.member
        room.name = Dictionary(names.records(of: .member).map { ($0.id, RecordNames.name($0)) }, uniquingKeysWith: { first, _ in first })
        room.candidates = Completions.all(names)
        athletes = names.records(of: .member).filter { $0.fields.text("role") == Role.athlete.rawValue }.map(\.id)
        room.seasons = ["Everybody"] + athletes.map { names.member($0) }
        room.facts = facts(engine, names)
        season.names = room.name
        season.show(
            engine.records(of: .event), context: engine.context ?? .all, today: CalendarDate(clock.today(Clock.wallMilliseconds())) ?? .first)
        let text = ChangeText(names) { clock.time($0, now: Clock.wallMilliseconds()) }
        room.show(timeline.items(engine, text, clock, last: Self.shownItems), unread: timeline.unread(engine))
        // A gap that one sees is filled without asking.
        for sequence in room.gapsSeen { fetch(before: sequence) }
    }

    private func facts(_ engine: borrowing SyncEngine, _ names: RecordNames) -> StatusFacts {
        var facts = StatusFacts()
        facts.server = session.address.description.printable
        facts.family = engine.familyName?.printable ?? "Huddle"
        switch engine.phase {
        case .live: facts.connection = .live
        case .offline, .stopped:
            facts.connection = session.lastFailure.map { .offline("\($0) What you write is kept and sent later.") } ?? .arriving
        case .signingIn, .joining, .syncing: facts.connection = .arriving
        }
        if case .athlete(let id)? = engine.context {
            facts.season = names.member(id)
            facts.isSeasonOfAnother = id != engine.member
        }
        facts.here = engine.presence.keys.filter { $0 != engine.member }.sorted().map { names.member($0) }
        facts.pending = engine.waitingCount
        facts.refused = engine.drafts.count
        facts.conflicts = engine.drafts.count { $0.rejection.conflict != nil }
        return facts
    }

    // MARK: What is asked for

    private func perform(_ action: RoomAction) throws {
        do {
            switch action {
            case .submit(let line, let about): try submit(line, about)
            case .fetch(let sequence): fetch(before: sequence)
            case .undo(let sequence): _ = try session.undo(sequence)
            case .undoLast: conversation.submit("/undo")
            case .open(let target): open(target)
            case .copy(let text): screen.copy(text)
            case .chooseSeason(let index): session.setContext(index == 0 ? .all : .athlete(athletes[index - 1]))
            case .editOutside(let text): editor = try ExternalEditor(text, screen)
            case .showEvents: isSeasonShown = true
            case .read: markRead()
            case .bell: screen.bell()
            case .redraw: screen.redraw()
            case .suspend: for event in screen.suspend() { _ = try take(event) }
            case .interrupt: conversation.interrupt()
            case .quit: conversation.submit("/quit")
            }
        } catch let rejection as Rejection {
            tell(rejection.message.printable)
        } catch let error as Errno {
            tell("That cannot be done: \(error.text).")
        }
        isStale = true
    }

    private func perform(_ action: EventsAction) throws {
        switch action {
        case .close: isSeasonShown = false
        case .open(let id):
            guard let record = session.engine.record(id) else { return screen.bell() }
            let clock = LocalClock(zone: session.engine.timeZone)
            let now = Clock.wallMilliseconds()
            season.showDetail(RecordTables.details(record, ChangeText(RecordNames(session.engine)) { clock.time($0, now: now) }))
        case .attend(let id): conversation.submit("/attend \(id)")
        case .delete(let id): conversation.submit("/rm \(id)")
        case .add:
            isSeasonShown = false
            conversation.submit("/add event")
        case .edit(let id):
            isSeasonShown = false
            room.editor.set("/edit event \"\(RecordNames(session.engine).name(id).replacing("\"", with: ""))\" --")
        case .directions(let link):
            screen.copy(link)
            season.toast = "Copied: \(link)"
        case .bell: screen.bell()
        case .redraw: screen.redraw()
        case .suspend: for event in screen.suspend() { _ = try take(event) }
        case .quit: conversation.submit("/quit")
        }
        isStale = true
    }

    /// A command, an answer to a question, or something to say: then with those it speaks to and what it is about.
    private func submit(_ line: String, _ about: RoomTarget?) throws {
        if conversation.isAsking || line.hasPrefix("/") && !line.hasPrefix("//") { return conversation.submit(line) }
        let text = Emoji.replacingNames(in: line.hasPrefix("//") ? String(line.dropFirst()) : line)
        var operation = try Request.say(text, id: identifiers.next(Clock.wallMilliseconds()))
        guard case .create(let athlete, var patch) = operation.action else { return }
        let declaration = Kind.message.declaration
        if let about, let field = declaration.index(of: "about") { patch.assignments.append(.init(field: field, value: .link(about.kind, about.id))) }
        let spokenTo = spokenTo(in: text)
        if !spokenTo.isEmpty, let field = declaration.index(of: "mentions") {
            patch.assignments.append(.init(field: field, value: .set(spokenTo.map { SetElement(id: $0) })))
        }
        patch.assignments.sort { $0.field < $1.field }
        operation.action = .create(athlete: athlete, patch: patch)
        _ = try session.perform([operation])
    }

    /// Members whose name, or first name, stands behind an @, in the order of their ids.
    private func spokenTo(in text: String) -> [Identifier] {
        guard text.contains("@") else { return [] }
        let words = text.split { $0.isWhitespace || $0.isPunctuation && $0 != "@" }
        return RecordNames(session.engine).records(of: .member).filter { member in
            let name = RecordNames.name(member)
            let first = name.split(separator: " ").first.map(String.init) ?? name
            return text.contains("@" + name) || words.contains { $0 == "@" + first }
        }.map(\.id).sorted()
    }

    private func fetch(before sequence: Int64) {
        guard !timeline.isAsked(sequence) else { return }
        if let request = session.ask({ self.timeline.ask(sequence, request: $0) }) { requests.insert(request) }
    }

    private func open(_ target: RoomTarget) {
        guard let record = session.engine.record(target.id) else { return tell("It is not there any more.") }
        let names = RecordNames(session.engine)
        let clock = LocalClock(zone: session.engine.timeZone)
        let now = Clock.wallMilliseconds()
        room.tell(RecordTables.details(record, ChangeText(names) { clock.time($0, now: now) }), at: now)
    }

    /// What is at the bottom has been seen: other screens of the person learn it too.
    private func markRead() {
        guard session.engine.phase == .live, room.facts.unread > 0 else { return }
        try? session.markRead()
    }
}

@available(*, unavailable) extension FullScreenClient: Sendable {}
