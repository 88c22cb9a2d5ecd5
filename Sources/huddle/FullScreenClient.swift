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
/// One thread and one loop: it waits for keys, signals, the editor's end and the network together, so that it uses no
/// time while nothing happens.
final class FullScreenClient {
    /// The progress of the start.
    enum Stage {
        /// Only the content of the first screen was read.
        case firstScreen
        /// The whole copy on this machine was read, and the program is connecting to the server.
        case started
        /// The records are present.
        case opened
    }

    let screen: FullScreen
    let session: ClientSession
    let conversation: Conversation
    let records: ShownRecords
    /// Writes the files of exports.
    let maker: BackgroundFileWriter
    private let setting: Setting
    private(set) var appearance: Appearance
    var open: OpenViews
    var picture = Picture()
    var message = ToastMessage()
    var refreshes = RefreshTimes()
    /// The typed text that is not sent.
    var typing = Typing()
    /// The activities of the others, and the last one that was sent for this person.
    var others = MemberActivities()
    var own = OwnActivity()
    /// The member's own last change, until it is undone.
    var lastOwn: Cursor?
    private var editor: (process: ExternalEditor, done: (String) -> Void)?
    private var identifiers = IdentifierSource()
    private var isFocused = true
    private var stage = Stage.firstScreen

    init(_ screen: FullScreen, _ session: ClientSession, _ conversation: Conversation, _ setting: Setting, _ configuration: ScreenConfiguration) {
        self.screen = screen
        self.session = session
        self.conversation = conversation
        self.setting = setting
        records = ShownRecords(session)
        maker = BackgroundFileWriter(session.waker)
        appearance = Appearance(configuration, depth: screen.depth)
        screen.setLinks(configuration.hyperlinks)
        screen.setPictures(configuration.pictures == "auto" ? TerminalFeatures.knownPictures(Environment.value) : PictureProtocol(rawValue: configuration.pictures))
        let (theme, keymap) = (appearance.theme, appearance.keymap)
        let locale = DateOrder.locale(Environment.value)
        let today = CalendarDate(LocalClock(zone: nil).today(Clock.wallMilliseconds())) ?? .first
        open = OpenViews(
            RoomBuffer(RoomView(size: screen.size, theme: theme, keymap: keymap), session),
            SeasonBuffer(EventsView(today: today, theme: theme, keymap: keymap, firstWeekday: .first(locale: locale))),
            TripsBuffer(ItineraryView(today: today, theme: theme, keymap: keymap, firstWeekday: .first(locale: locale))),
            DocumentsBuffer(DocumentsView(size: screen.size, theme: theme, keymap: keymap), session, setting),
            OutboxBuffer(ConflictView(theme: theme, keymap: keymap)))
        conversation.options.opensQuietly = true
        nameKeptKey()
        open.room.show(configuration.activity)
        conversation.options.stopFile = { [weak self] in self?.open.documents.stop($0) ?? false }
        conversation.options.configure = { [weak self] in self?.configure($0) ?? [] }
        open.room.tell(configuration.complaints)
    }

    private func start() {
        stage = .started
        session.start()
        open.room.load(session)
        open.documents.takeOver()
        open.room.tell(session.takeWarnings())
        records.forget()
        refreshes.isStale = true
    }

    /// Gives the conversation the key of the page where the person decides about refused changes.
    private func nameKeptKey() {
        let keptCommand = open.list.number(of: .kept).flatMap { BufferCommand.named($0) }
        conversation.options.keptKey = (keptCommand.flatMap { keymap.keys(of: $0.rawValue).first }) ?? keymap.keys(of: RoomCommand.drafts.rawValue).first
    }

    /// Changes settings and keys, in force immediately.
    private func configure(_ request: SettingRequest) -> [String] {
        let (lines, isChanged) = appearance.perform(request)
        guard isChanged else { return lines }
        let configuration = appearance.configuration
        screen.setMouse(configuration.takesMouse)
        screen.setTitles(configuration.setsTitle)
        screen.setLinks(configuration.hyperlinks)
        screen.setPictures(configuration.pictures == "auto" ? TerminalFeatures.knownPictures(Environment.value) : PictureProtocol(rawValue: configuration.pictures))
        open.room.show(configuration.activity)
        for view in open.views.values { view.adopt(appearance.theme, keymap) }
        nameKeptKey()
        refreshes.isStale = true
        return lines
    }

    /// The steps of a new family, shown when the records are present for the first time.
    private static let firstSteps = [
        "First steps in a new family:",
        "  1. Add an athlete: /invite NAME --role athlete --born YYYY-MM-DD",
        "  2. Add an event: Alt-2, then n",
        "  3. Invite the others: /invite NAME --role parent, or guest; each gets a code for: huddle join CODE",
    ]

    private func greet() {
        stage = .opened
        // The timeline already contains what the conversation shows at the start, but not the warnings about the cache.
        open.room.tell(session.takeWarnings())
        _ = conversation.takeOutput()
        open.room.tell([
            session.engine.role == .guest
                ? "You are a guest here: you can read everything, but not write. / for commands, ? for keys."
                : "Type to talk to your family. / for commands, ? for keys.",
        ])
        // A season needs an athlete.
        let hasAthletes = session.engine.records(of: .member).contains { $0.fields.text("role") == Role.athlete.rawValue }
        if session.engine.role == .parent, !hasAthletes { open.room.tell(Self.firstSteps) }
        restoreTyping()
    }

    func run() throws -> ExitStatus {
        defer {
            keepTyping()
            appearance.end()
            open.documents.end()
            maker.end()
        }
        // Only a preparation was done, which does not change the screen.
        var isUnchanged = false
        while true {
            if let end = message.end, Clock.monotonicMilliseconds() >= end {
                message.clear()
                isUnchanged = false
            }
            if let end = others.deadline, Clock.monotonicMilliseconds() >= end {
                expireActivity()
                isUnchanged = false
            }
            refreshes.pass(Clock.monotonicMilliseconds())
            if refreshes.isStale {
                refresh()
                isUnchanged = false
            }
            for form in open.forms { form.settle(self) }
            layOut()
            conversation.options.columns = screen.size.columns
            if !isUnchanged { draw() }
            isUnchanged = false
            // The first screen is shown; now the whole copy on this machine is read, and the server is contacted.
            if stage == .firstScreen {
                start()
                continue
            }
            // The copy on this machine is on the screen before anything else is prepared.
            if stage != .opened, session.engine.cursor != nil {
                conversation.begin()
                greet()
                continue
            }
            var hasPrepared = false
            if refreshes.isPreparationDue(Clock.monotonicMilliseconds()) {
                hasPrepared = prepare()
                if !hasPrepared { refreshes.prepared() }
            }
            var items = screen.items
            let own = items.count
            if let editor { items.append(Poll.Item(editor.process.raw, .readable)) }
            // After the frame was written to the terminal.
            if let due = typing.due, Clock.monotonicMilliseconds() >= due { keepTyping() }
            let deadline = [screen.deadline, message.end, typing.due, others.deadline, refreshes.dayEnd, refreshes.preparation, facts.firstLoad == .begun ? refreshes.slowLoad : nil].compactMap(\.self).min()
            let news = try session.turn(until: deadline, waitingFor: &items)
            for event in news { take(event) }
            var isQuiet = news.isEmpty
            if facts.lag != session.lagSeconds {
                picture.facts.lag = session.lagSeconds
                (picture.below, isQuiet) = (nil, false)
            }
            if open.documents.turn(self) { (picture.below, isQuiet) = (nil, false) }
            if let words = maker.take() {
                toast(words)
                isQuiet = false
            }
            conversation.options.underway = open.documents.underway
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
                if let status = try conversation.status(of: end, setting) { return status }
                refreshes.isStale = true
            }
        }
    }

    private func draw() {
        if picture.facts.toast != toastWords {
            picture.facts.toast = toastWords
            picture.below = nil
        }
        if picture.overlay == nil || picture.below?.size != screen.size { picture.below = nil }
        var canvas = picture.below ?? Canvas(screen.size)
        if picture.below == nil {
            picture.facts.hot = open.list.hotlist
            open.shown?.draw(facts, &canvas)
            if picture.overlay != nil { picture.below = canvas }
        }
        // Items count as seen only if the person looks at the room.
        if isShown(.room), isFocused { open.room.see() }
        picture.overlay?.draw(&canvas)
        picture.drawn = canvas
        screen.show(canvas, picture: isShown(.documents) ? open.documents.picture : nil)
        screen.setTitle((facts.unread > 0 ? "(\(facts.unread)) " : "") + (facts.family == "Huddle" ? "" : facts.family + " — ") + "Huddle")
    }

    /// - Returns: false if the program is to end.
    func take(_ event: ScreenEvent) throws -> Bool {
        switch event {
        case .ending: return false
        case .resized(let size): open.room.resize(size)
        case .resumed: open.room.resize(screen.size)
        case .input(let input):
            if case .focus(let isIn) = input { isFocused = isIn }
            refreshes.keyPressed(Clock.monotonicMilliseconds())
            // A person who presses a key has seen what was on the screen.
            if case .key = input { session.seeReminders() }
            defer { tellActivity() }
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
        if message.purpose == .hint, case .key = input { message.clear() }
        if case .mouse(var mouse) = input, case .press(1) = mouse.action {
            mouse.target = picture.drawn?.target(at: mouse.point)
            switch mouse.target {
            case .keys(let keys)?:
                for key in keys { try take(.key(key)) }
                return
            case .place(StatusLine.bufferTarget, let number)? where picture.overlay == nil: return try perform(.show(number))
            case .place(StatusLine.seasonTarget, _)? where picture.overlay == nil: return offerSeasons()
            case .place(StatusLine.switchTarget, _)? where picture.overlay == nil: return try perform(.switchBuffer)
            case .place?, nil: input = .mouse(mouse)
            }
        }
        if let overlay = picture.overlay { return handle(input, over: overlay) }
        let before = (session.engine.pending.count, session.engine.drafts.count)
        try open.shown?.handle(input, self)
        // Records that look different arrive as events; a typed letter does not change the layout.
        if (session.engine.pending.count, session.engine.drafts.count) != before {
            picture.facts = facts(session.engine)
            typing.noteSent()
        } else {
            typing.note()
        }
    }

    func tell(_ line: String) {
        open.room.tell([line])
        if !isShown(.room) { toast(line) }
    }

    /// Shows the conversation's output, the results of commands.
    private func takeOutput() {
        let lines = conversation.takeOutput()
        if !isShown(.room), let last = lines.last { toast(last) }
        open.room.tell(lines)
        open.room.ask(conversation.isAsking ? conversation.prompt : nil)
    }

    /// Starts the person's own editor; `done` receives the text that the editor saved.
    func edit(_ text: String, done: @escaping (String) -> Void) throws(Errno) {
        editor = (try ExternalEditor(text, screen), done)
    }

    func freshIdentifier() -> Identifier { identifiers.next(Clock.wallMilliseconds()) }

    // MARK: Events

    private func take(_ event: SessionEvent) {
        if takeActivity(event) { return }
        refreshes.isStale = true
        records.note(event)
        if open.room.receive(event, session) || open.documents.receive(event) { return }
        for form in open.forms where form.receive(event, self) { return }
        switch event {
        // The timeline shows changes.
        case .notice(.change(let change, let isOwn)):
            if isOwn {
                if session.engine.phase == .live { announceOwn(change) }
            } else {
                open.list.note(change, for: session.engine.member) { session.engine.record($0) }
                announce(change)
            }
        case .notice(.presence), .notice(.upload): break
        // If the trip is on the screen, its page asks about the overlap.
        case .notice(.rejected(let mutation, let rejection)) where rejection.code == .overlap && isShown(.trips):
            open.trips.refused(mutation, self)
        case .notice(.rejected(let mutation, let rejection)):
            conversation.receive(event)
            // The room shows the reason; on every other page a toast says where to decide.
            open.room.tell(conversation.takeOutput())
            let isKept = session.engine.drafts.contains { $0.id == mutation }
            toast(isKept ? "Not saved: \(conversation.options.keptKey ?? "/drafts") shows why." : rejection.message.printable)
        case .notice(.reminder(let reminder)):
            // Not by the conversation: what it prints before the first greeting is on the timeline already.
            tell(ReminderWords.line(reminder))
            guard reminder.state != .missed else { break }
            appearance.notifier.remind(
                ReminderWords.line(reminder), family: facts.family, on: .init(bell: { [screen] in screen.bell() }, notify: { [screen] in screen.notify($0) }))
        case .notice(.live):
            conversation.receive(event)
            if stage != .opened {
                greet()
                open.room.begin(session)
            }
        default: conversation.receive(event)
        }
    }

    /// Rings and notifies when somebody mentions the person, or for any message while the person looks elsewhere.
    private func announce(_ change: Change) {
        for entry in change.entries where entry.kind == .message {
            guard case .create(_, let fields) = entry.effect else { continue }
            let isMention = fields.set("mentions").contains { $0.id == session.engine.member }
            guard isMention || !isFocused else { continue }
            appearance.notifier.tell(
                from: records.names.member(change.member), fields.text("text") ?? "", family: facts.family, isMention: isMention, isAway: !isFocused,
                on: .init(bell: { [screen] in screen.bell() }, notify: { [screen] in screen.notify($0) }))
        }
    }

    // MARK: State of the screen

    /// Reads records and facts again.
    private func refresh() {
        open.outdate()
        picture.below = nil
        refreshes.refreshed(Clock.monotonicMilliseconds(), untilMidnight: records.clock.untilMidnight(Clock.wallMilliseconds()))
        records.refresh()
        picture.facts = facts(session.engine)
    }

    /// Lays out the buffer on the screen if something has changed since the last time; other buffers cost nothing.
    func layOut() {
        if open.needsLayout(open.list.current) { open.shown?.refresh(self) }
    }

    /// Prepares one piece of the data that the next keys may need.
    ///
    /// - Returns: whether there may be more.
    private func prepare() -> Bool {
        if open.needsLayout(.season) {
            open.season.refresh(self)
            return true
        }
        return open.season.prepare() || open.room.prepare(records.names) || records.prepareSwitcher()
    }

    private func facts(_ engine: borrowing SyncEngine) -> StatusFacts {
        var facts = StatusFacts()
        facts.activity = others.text(records.names)
        facts.server = session.address.description.printable
        facts.family = engine.familyName?.printable ?? "Huddle"
        switch engine.phase {
        case .live: facts.connection = .live
        case .offline, .stopped:
            facts.connection = session.lastFailure.map { .offline("\($0) What you write is \(session.keepsWhatWaits ? "kept and sent later" : "sent later if huddle runs on").") } ?? .arriving
        case .signingIn, .joining, .syncing: facts.connection = .arriving
        }
        facts.lag = session.lagSeconds
        facts.firstLoad = engine.cursor != nil ? .done : refreshes.slowLoad == nil ? .slow : .begun
        if case .athlete(let id)? = engine.context {
            facts.season = records.names.member(id)
            facts.isSeasonOfAnother = id != engine.member
        }
        facts.here = engine.presence.keys.filter { $0 != engine.member }.sorted().map { records.names.member($0) }
        facts.pending = engine.waitingCount
        facts.refused = engine.drafts.count
        facts.conflicts = engine.drafts.count { $0.rejection.conflict != nil }
        let unread = open.room.unread(session)
        facts.unread = unread.messages
        facts.hasActivity = unread.changes > 0
        facts.mentions = unread.mentions
        return facts
    }
}

@available(*, unavailable) extension FullScreenClient: Sendable {}
