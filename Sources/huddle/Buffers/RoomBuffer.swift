import Bytes
import Client
import Family
import Posix
import Terminal
import Views
import Wire

/// The family's room: the timeline, and what is said and commanded.
final class RoomBuffer: Buffer {
    /// Timeline items that are laid out; older ones are fetched by scrolling.
    private static let shownItems = 2_000

    private var timeline: Timeline
    private(set) var view: RoomView
    /// Requests of the timeline, whose answers are nobody else's.
    private var requests: Set<Int64> = []
    /// Whether the view knows what can be completed as the records are now. Worked out when somebody begins to: it takes a while with many.
    private var hasCandidates = false

    init(_ view: RoomView, _ session: ClientSession) {
        self.view = view
        // What is kept on this machine is shown before the server has answered.
        timeline = session.engine.cursor == nil ? Timeline() : Timeline(session.engine, changes: session.keptChanges)
    }

    func tell(_ lines: [String]) { view.tell(lines, at: Clock.wallMilliseconds()) }

    func ask(_ question: String?) { view.question = question }

    func write(_ text: String) { view.editor.set(text) }

    /// The records are there for the first time.
    func begin(_ session: ClientSession) { timeline.begin(session.engine) }

    /// - Returns: whether it was an answer to the timeline, which nobody else needs.
    func receive(_ event: SessionEvent, _ session: ClientSession) -> Bool {
        timeline.receive(event, session.engine, at: Clock.wallMilliseconds())
        switch event {
        case .notice(.answer(let answer)): return answer.request.map { requests.remove($0) != nil } == true
        case .notice(.failed(_, let request?)): return requests.remove(request) != nil
        default: return false
        }
    }

    func resize(_ size: Size) { view.resize(size) }

    func refresh(_ client: FullScreenClient) {
        let engine = client.session.engine
        let clock = client.clock
        view.time = { clock.time($0, now: $0) }
        view.viewer = engine.member
        view.name = client.memberNames
        hasCandidates = false
        view.seasons = client.seasons
        view.facts = client.facts
        view.show(timeline.items(engine, client.text, clock, last: Self.shownItems), unread: timeline.unread(engine))
        // A gap that one sees is filled without asking.
        for sequence in view.gapsSeen { fetch(before: sequence, client.session) }
    }

    /// What has not been read, whatever is on the screen.
    func unread(_ session: ClientSession) -> UnreadCount { timeline.unread(session.engine) }

    func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        view.facts = facts
        view.draw(&canvas)
    }

    func handle(_ input: InputEvent, _ client: FullScreenClient) throws {
        if !hasCandidates, case .key(let key) = input, key.code == .tab || key.typed.flatMap(Sigil.init) != nil {
            view.candidates = Completions.all(client.names)
            hasCandidates = true
        }
        for action in view.handle(input) { try perform(action, client) }
        if case .key = input, view.scrollback.isAtBottom { markRead(client.session) }
    }

    private func perform(_ action: RoomAction, _ client: FullScreenClient) throws {
        switch action {
        case .submit(let line, let about): try submit(line, about, client)
        case .fetch(let sequence): fetch(before: sequence, client.session)
        case .undo(let sequence): _ = try client.session.undo(sequence)
        case .open(let target): client.show(.record(target.kind, target.id))
        case .chooseSeason(let index): client.choose(season: index)
        case .editOutside(let text): try client.edit(text) { [weak self] in self?.write($0) }
        case .read: markRead(client.session)
        case .interrupt: client.conversation.interrupt()
        case .shared(let action): try client.perform(action)
        }
    }

    /// A command, an answer to a question, or something to say: then with those it speaks to and what it is about.
    private func submit(_ line: String, _ about: RoomTarget?, _ client: FullScreenClient) throws {
        if client.conversation.isAsking || line.hasPrefix("/") && !line.hasPrefix("//") { return command(line, client) }
        let text = Emoji.replacingNames(in: line.hasPrefix("//") ? String(line.dropFirst()) : line)
        var operation = try Request.say(text, id: client.freshIdentifier())
        guard case .create(let athlete, var patch) = operation.action else { return }
        let declaration = Kind.message.declaration
        if let about, let field = declaration.index(of: "about") { patch.assignments.append(.init(field: field, value: .link(about.kind, about.id))) }
        let spokenTo = spokenTo(in: text, client.names)
        if !spokenTo.isEmpty, let field = declaration.index(of: "mentions") {
            patch.assignments.append(.init(field: field, value: .set(spokenTo.map { SetElement(id: $0) })))
        }
        patch.assignments.sort { $0.field < $1.field }
        operation.action = .create(athlete: athlete, patch: patch)
        _ = try client.session.perform([operation])
    }

    /// A command; those that ask for several things open a form for them.
    private func command(_ line: String, _ client: FullScreenClient) {
        if !client.conversation.isAsking, case .action(.add(let kind, let fields, nil))? = try? SlashCommand.parse(line), fields.isEmpty {
            return client.add(kind)
        }
        client.conversation.submit(line)
    }

    /// Members whose name, or first name, stands behind an @, in the order of their ids.
    private func spokenTo(in text: String, _ names: RecordNames) -> [Identifier] {
        guard text.contains("@") else { return [] }
        let words = text.split { $0.isWhitespace || $0.isPunctuation && $0 != "@" }
        return names.records(of: .member).filter { member in
            let name = RecordNames.name(member)
            let first = name.split(separator: " ").first.map(String.init) ?? name
            return text.contains("@" + name) || words.contains { $0 == "@" + first }
        }.map(\.id).sorted()
    }

    private func fetch(before sequence: Int64, _ session: ClientSession) {
        guard !timeline.isAsked(sequence) else { return }
        if let request = session.ask({ self.timeline.ask(sequence, request: $0) }) { requests.insert(request) }
    }

    /// What is at the bottom has been seen: other screens of the person learn it too.
    private func markRead(_ session: ClientSession) {
        guard session.engine.phase == .live, view.facts.unread > 0 else { return }
        try? session.markRead()
    }
}

@available(*, unavailable) extension RoomBuffer: Sendable {}
