import Bytes
import Commands
import Dates
import Family
import Posix
import Screen
import Sessions
import Sync
import Terminal
import Views
import Wire
import Words

/// `huddle` on a terminal: the room, the season and records as buffers of a full screen.
///
/// One thread and one loop: keys, signals, the editor's end and the network are waited for together, so that nothing runs when
/// nothing happens.
final class FullScreenClient {
    /// How long a toast stays, milliseconds: long enough to read two lines and reach the key.
    static let toastTime: Int64 = 6_000
    /// Milliseconds of the first load before what will come is hinted at: what is quicker would only flicker (R009).
    private static let quickLoad: Int64 = 300
    /// Milliseconds without a key and without news until what the first key for it would wait for is made ready, piece by piece: with thousands of
    /// records it takes longer than a key may. Longer than between the keys of who types.
    private static let idleTime: Int64 = 300

    enum ToastKind {
        case news
        /// Why a key does nothing: gone with the next key.
        case hint
        /// What one did oneself, with the key that takes it back.
        case undoable
    }

    let screen: FullScreen
    let session: ClientSession
    let conversation: Conversation
    private(set) var theme: Theme
    private(set) var keymap: Keymap
    private let setting: Setting
    private var configuration: ScreenConfiguration
    private var notifier: Notifier
    let room: RoomBuffer
    let season: SeasonBuffer
    let trips: TripsBuffer
    let documents: DocumentsBuffer
    let kept: KeptBuffer
    /// Files of records that leave.
    let maker: FileMaker
    var buffers = BufferList()
    /// Those that have been on the screen.
    var views: [BufferKey: any Buffer]
    var overlay: Overlay?
    /// What can be clicked on the screen.
    private var drawn: Canvas?
    /// What stands below an overlay; drawn anew when anything but a key for the overlay has happened.
    private var below: Canvas?
    var toast = ""
    var toastKind = ToastKind.news
    /// Monotonic milliseconds.
    var toastEnds: Int64 = 0
    /// One's own last change, until it is taken back.
    var lastOwn: Cursor?
    private var editor: (process: ExternalEditor, done: (String) -> Void)?
    private var identifiers = IdentifierSource()
    private var isFocused = true
    private var hasStarted = false
    private var hasOpened = false
    /// When the first load is a slow one, by the monotonic clock; `nil` once that is known.
    private var slowLoad: Int64? = Clock.monotonicMilliseconds() + quickLoad
    /// What is typed and not sent.
    var typing = Typing()
    /// Forms that were opened; each has a number of its own.
    var formCount = 0
    /// Records or facts have changed since they were looked at.
    var isStale = true
    /// When what keys may need next is made ready; `nil` once it is.
    private var preparesAt: Int64?
    /// The records that the switcher goes to, and what they were made of.
    private(set) var places: (revisions: [Int], index: LabelIndex<SwitchTarget>) = ([], LabelIndex([]))
    /// Counts the times that they were looked at anew, and which of these each buffer shows.
    private var generation = 0
    /// When the family's day ends, monotonic milliseconds: today and what is upcoming look different then, though nothing has happened.
    private var dayEnds: Int64 = 0
    private var laidOut: [BufferKey: Int] = [:]

    // What is worked out anew when records have changed.
    private(set) var names = RecordNames([])
    /// Records that have changed since; `nil`: all of them.
    private var changed: [Identifier]?
    private var membersRevision: Int?
    private(set) var memberNames: [Identifier: String] = [:]
    /// Athletes, in the order of the menu of seasons.
    private(set) var athletes: [Identifier] = []
    private(set) var facts = StatusFacts()

    init(_ screen: FullScreen, _ session: ClientSession, _ conversation: Conversation, _ setting: Setting, _ configuration: ScreenConfiguration) {
        self.screen = screen
        self.session = session
        self.conversation = conversation
        self.setting = setting
        maker = FileMaker(session.waker)
        self.configuration = configuration
        notifier = Notifier(configuration)
        screen.setLinks(configuration.hyperlinks)
        theme = Theme(wanted: configuration.theme, depth: screen.depth, environment: Environment.value)
        keymap = configuration.keymap
        room = RoomBuffer(RoomView(size: screen.size, theme: theme, keymap: keymap), session)
        let locale = ["LC_ALL", "LC_TIME", "LANG"].lazy.compactMap(Environment.value).first { !$0.isEmpty }
        let today = CalendarDate(LocalClock(zone: nil).today(Clock.wallMilliseconds())) ?? .first
        season = SeasonBuffer(EventsView(today: today, theme: theme, keymap: keymap, firstWeekday: .first(locale: locale)))
        trips = TripsBuffer(ItineraryView(today: today, theme: theme, keymap: keymap, firstWeekday: .first(locale: locale)))
        documents = DocumentsBuffer(DocumentsView(size: screen.size, theme: theme, keymap: keymap), session, setting)
        kept = KeptBuffer(ConflictView(theme: theme, keymap: keymap))
        views = [.room: room, .season: season, .trips: trips, .documents: documents, .kept: kept]
        conversation.opensQuietly = true
        nameKeptKey()
        conversation.stopFile = { [weak self] in self?.documents.stop($0) ?? false }
        conversation.configure = { [weak self] in self?.configure($0) ?? [] }
        room.tell(configuration.complaints)
    }

    private func start() {
        hasStarted = true
        session.start()
        room.load(session)
        documents.takeOver()
        room.tell(session.takeWarnings())
        (changed, isStale) = (nil, true)
    }

    /// Where what was refused is decided.
    private func nameKeptKey() {
        let keptCommand = buffers.number(of: .kept).flatMap { BufferCommand.named($0) }
        conversation.keptKey = (keptCommand.flatMap { keymap.keys(of: $0.rawValue).first }) ?? keymap.keys(of: RoomCommand.drafts.rawValue).first
    }

    /// Settings and keys, in force at once.
    private func configure(_ request: SettingRequest) -> [String] {
        let (lines, isChanged) = configuration.perform(request, isPlain: false)
        guard isChanged else { return lines }
        theme = Theme(wanted: configuration.theme, depth: screen.depth, environment: Environment.value)
        keymap = configuration.keymap
        notifier.end()
        notifier = Notifier(configuration)
        screen.setMouse(configuration.takesMouse)
        screen.setTitles(configuration.setsTitle)
        screen.setLinks(configuration.hyperlinks)
        for view in views.values { view.adopt(theme, keymap) }
        nameKeptKey()
        isStale = true
        return lines
    }

    private func open() {
        hasOpened = true
        // What the conversation shows at the start stands in the timeline already; what there is to know of the cache does not.
        room.tell(session.takeWarnings())
        _ = conversation.takeOutput()
        room.tell(["Write, and the family reads it. / begins a command, ? shows the keys, /help tells more."])
        restoreTyping()
    }

    func run() throws -> ExitStatus {
        defer {
            keepTyping()
            notifier.end()
            documents.end()
            maker.end()
        }
        // Only something was made ready, which is not to be seen.
        var isUnchanged = false
        while true {
            if !toast.isEmpty, Clock.monotonicMilliseconds() >= toastEnds { (toast, isUnchanged) = ("", false) }
            if Clock.monotonicMilliseconds() >= dayEnds { isStale = true }
            if let due = slowLoad, Clock.monotonicMilliseconds() >= due { (slowLoad, isStale) = (nil, true) }
            if isStale {
                refresh()
                isUnchanged = false
            }
            for case let form as FormBuffer in views.values { form.settle(self) }
            layOut()
            conversation.columns = screen.size.columns
            if !isUnchanged { draw() }
            isUnchanged = false
            // The first screen is there; now all that is kept, and the server.
            if !hasStarted {
                start()
                continue
            }
            // What is kept here is on the screen before anything else is made ready.
            if !hasOpened, session.engine.cursor != nil {
                conversation.begin()
                open()
                continue
            }
            var hasPrepared = false
            if let due = preparesAt, Clock.monotonicMilliseconds() >= due {
                hasPrepared = prepare()
                preparesAt = hasPrepared ? due : nil
            }
            var items = screen.items
            let own = items.count
            if let editor { items.append(Poll.Item(editor.process.raw, .readable)) }
            // When the frame is out.
            if let due = typing.due, Clock.monotonicMilliseconds() >= due { keepTyping() }
            let deadline = [screen.deadline, toast.isEmpty ? nil : toastEnds, typing.due, dayEnds, preparesAt, facts.firstLoad == .begun ? slowLoad : nil].compactMap(\.self).min()
            let news = try session.turn(until: deadline, waitingFor: &items)
            for event in news { take(event) }
            var isQuiet = news.isEmpty
            if facts.lag != session.lagSeconds {
                facts.lag = session.lagSeconds
                (below, isQuiet) = (nil, false)
            }
            if documents.turn(self) { (below, isQuiet) = (nil, false) }
            if let words = maker.take() {
                toast(words)
                isQuiet = false
            }
            conversation.underway = documents.underway
            var events = try screen.events(items[..<own])
            if let editor, let result = try editor.process.result() {
                self.editor = nil
                take(result.text, from: editor.process, editor.done)
                events += result.events
            }
            isUnchanged = hasPrepared && isQuiet && events.isEmpty
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
        if overlay == nil || below?.size != screen.size { below = nil }
        var canvas = below ?? Canvas(screen.size)
        if below == nil {
            facts.hot = buffers.hotlist
            views[buffers.current]?.draw(facts, &canvas)
            if overlay != nil { below = canvas }
        }
        // What nobody looks at has not been seen.
        if buffers.current == .room, isFocused { room.see() }
        ToastLine.draw(toastWords, &canvas, theme)
        overlay?.draw(&canvas)
        drawn = canvas
        screen.show(canvas)
        screen.setTitle((facts.unread > 0 ? "(\(facts.unread)) " : "") + (facts.family == "Huddle" ? "" : facts.family + " — ") + "Huddle")
    }

    /// - Returns: false when the program is to end.
    func take(_ event: ScreenEvent) throws -> Bool {
        switch event {
        case .ending: return false
        case .resized(let size): room.resize(size)
        case .resumed: room.resize(screen.size)
        case .input(let input):
            if case .focus(let isIn) = input { isFocused = isIn }
            if preparesAt != nil { preparesAt = Clock.monotonicMilliseconds() + Self.idleTime }
            do { try take(input) } catch let rejection as Rejection {
                tell(rejection.message.printable)
            } catch let error as Errno {
                tell("That cannot be done: \(error.text).")
            }
        }
        return true
    }

    private func take(_ input: InputEvent) throws {
        var input = input
        if toastKind == .hint, case .key = input { toast = "" }
        if case .mouse(var mouse) = input, case .press(1) = mouse.action {
            mouse.target = drawn?.target(at: mouse.point)
            switch mouse.target {
            case .keys(let keys)?:
                for key in keys { try take(.key(key)) }
                return
            case .place(StatusLine.bufferTarget, let number)? where overlay == nil: return try perform(.show(number))
            case .place(StatusLine.seasonTarget, _)? where overlay == nil: return offerSeasons()
            case .place(StatusLine.switchTarget, _)? where overlay == nil: return try perform(.switchBuffer)
            case .place?, nil: input = .mouse(mouse)
            }
        }
        if let overlay { return handle(input, over: overlay) }
        let before = (session.engine.pending.count, session.engine.drafts.count)
        try views[buffers.current]?.handle(input, self)
        // Records that look different come back as events; a letter that is typed changes nothing that is laid out.
        if (session.engine.pending.count, session.engine.drafts.count) != before {
            facts = facts(session.engine)
            typing.noteSent()
        } else {
            typing.note()
        }
    }

    func tell(_ line: String) {
        room.tell([line])
        if buffers.current != .room { toast(line) }
    }

    /// Shows what the conversation says: what commands came to.
    private func takeOutput() {
        let lines = conversation.takeOutput()
        if buffers.current != .room, let last = lines.last { toast(last) }
        room.tell(lines)
        room.ask(conversation.isAsking ? conversation.prompt : nil)
    }

    /// Starts the person's own editor; `done` gets what it was left with.
    func edit(_ text: String, done: @escaping (String) -> Void) throws(Errno) {
        editor = (try ExternalEditor(text, screen), done)
    }

    func freshIdentifier() -> Identifier { identifiers.next(Clock.wallMilliseconds()) }

    // MARK: What happens

    private func take(_ event: SessionEvent) {
        isStale = true
        switch event {
        case .changed(let ids): changed?.append(contentsOf: ids)
        case .replaced: changed = nil
        case .notice, .stopped: break
        }
        if room.receive(event, session) || documents.receive(event) { return }
        for case let form as FormBuffer in views.values where form.receive(event, self) { return }
        switch event {
        // The timeline tells these.
        case .notice(.change(let change, let isOwn)):
            if isOwn {
                if session.engine.phase == .live { announceOwn(change) }
            } else {
                buffers.note(change, for: session.engine.member) { session.engine.record($0) }
                announce(change)
            }
        case .notice(.presence), .notice(.upload): break
        // Where the trip is on the screen, it is asked about there.
        case .notice(.rejected(let mutation, let rejection)) where rejection.code == .overlap && buffers.current == .trips:
            trips.refused(mutation, self)
        case .notice(.rejected(let mutation, let rejection)):
            conversation.receive(event)
            // Why stands in the room; whoever is elsewhere is told where to decide.
            room.tell(conversation.takeOutput())
            let isKept = session.engine.drafts.contains { $0.id == mutation }
            toast(isKept ? "Refused, and kept for you: \(conversation.keptKey ?? "/drafts") shows it." : rejection.message.printable)
        case .notice(.live):
            conversation.receive(event)
            if !hasOpened {
                open()
                room.begin(session)
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
            notifier.tell(
                from: names.member(change.member), fields.text("text") ?? "", family: facts.family, isMention: isMention, isAway: !isFocused,
                on: .init(bell: { [screen] in screen.bell() }, notify: { [screen] in screen.notify($0) }))
        }
    }

    // MARK: How things stand

    /// Looks anew at records and facts.
    private func refresh() {
        isStale = false
        generation += 1
        below = nil
        preparesAt = Clock.monotonicMilliseconds() + Self.idleTime
        let engine = session.engine
        dayEnds = Clock.monotonicMilliseconds() + clock.untilMidnight(Clock.wallMilliseconds())
        followRecords()
        if membersRevision != names.revision(of: .member) {
            membersRevision = names.revision(of: .member)
            memberNames = Dictionary(names.records(of: .member).map { ($0.id, RecordNames.name($0)) }, uniquingKeysWith: { first, _ in first })
            athletes = names.records(of: .member).filter { $0.fields.text("role") == Role.athlete.rawValue }.map(\.id)
        }
        facts = facts(engine)
    }

    /// Brings the names up to the records.
    func followRecords() {
        if let changed { names.update(changed, session.engine) } else { names = RecordNames(session.engine, after: names) }
        changed = []
    }

    /// Lays out what is on the screen, if it has not been since something changed; what is not on the screen costs nothing.
    func layOut() {
        guard laidOut[buffers.current] != generation, let view = views[buffers.current] else { return }
        laidOut[buffers.current] = generation
        view.refresh(self)
    }

    /// Makes ready one piece of what keys may need next.
    ///
    /// - Returns: whether there may be more.
    private func prepare() -> Bool {
        guard laidOut[.season] == generation else {
            laidOut[.season] = generation
            season.refresh(self)
            return true
        }
        return season.prepare() || room.prepare(names) || prepareSwitcher()
    }

    /// - Returns: whether there was anything to do.
    @discardableResult
    func prepareSwitcher() -> Bool {
        let revisions = SwitchTarget.revisions(names)
        guard places.revisions != revisions else { return false }
        places = (revisions, SwitchTarget.records(names))
        return true
    }

    /// A buffer is closed, or opened anew.
    func forgetLayout(_ key: BufferKey) { laidOut[key] = nil }

    /// The menu of seasons.
    var seasons: [Season] { [Season(.all, "Everybody")] + athletes.map { Season(.athlete($0), names.member($0)) } }

    var clock: LocalClock { LocalClock(zone: session.engine.timeZone) }

    var today: CalendarDate { CalendarDate(clock.today(Clock.wallMilliseconds())) ?? .first }

    var text: ChangeText {
        let clock = clock
        let now = Clock.wallMilliseconds()
        return ChangeText(names) { clock.time($0, now: now) }
    }

    private func facts(_ engine: borrowing SyncEngine) -> StatusFacts {
        var facts = StatusFacts()
        facts.server = session.address.description.printable
        facts.family = engine.familyName?.printable ?? "Huddle"
        switch engine.phase {
        case .live: facts.connection = .live
        case .offline, .stopped:
            facts.connection = session.lastFailure.map { .offline("\($0) What you write is \(session.keepsWhatWaits ? "kept and sent later" : "sent later if huddle runs on").") } ?? .arriving
        case .signingIn, .joining, .syncing: facts.connection = .arriving
        }
        facts.lag = session.lagSeconds
        facts.firstLoad = engine.cursor != nil ? .done : slowLoad == nil ? .slow : .begun
        if case .athlete(let id)? = engine.context {
            facts.season = names.member(id)
            facts.isSeasonOfAnother = id != engine.member
        }
        facts.here = engine.presence.keys.filter { $0 != engine.member }.sorted().map { names.member($0) }
        facts.pending = engine.waitingCount
        facts.refused = engine.drafts.count
        facts.conflicts = engine.drafts.count { $0.rejection.conflict != nil }
        let unread = room.unread(session)
        facts.unread = unread.messages + unread.changes
        facts.mentions = unread.mentions
        return facts
    }
}

@available(*, unavailable) extension FullScreenClient: Sendable {}
