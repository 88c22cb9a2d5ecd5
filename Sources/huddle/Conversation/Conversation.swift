import Arguments
import Bytes
import Commands
import Family
import Posix
import Sessions
import Sync
import Terminal
import Wire
import Words

/// The interactive mode without its terminal: typed lines go in, lines to print come out.
///
/// Confined to the session's thread.
final class Conversation {
    /// The ways in which it ends.
    enum End: Hashable, Sendable {
        case quit
        case stopped(StopReason)
    }

    /// Messages and events shown at the start.
    static let openingMessages = 20
    static let openingEvents = 5
    /// The largest number of changes that are reported one by one after an absence.
    static let mostMissed = 40

    let session: ClientSession
    /// Lines to print, oldest first; the owner takes them.
    var output: [String] = []
    private(set) var end: End?
    private var cachedNames: RecordNames?
    /// Whether the records have been present once.
    private(set) var hasOpened = false
    private var isOffline = false
    /// Whether the server has sent everything that was missed, once.
    private(set) var hasBeenLive = false
    var lists = ShownLists()
    private var awaited = PendingAnswers()
    private var told = ReportedNews()
    private var questions: Questions?
    private var contextAtStart: String?
    private var hasWarned = false
    /// The first failure of a typed line; `nil` while there is none.
    private(set) var worst: ExitStatus?
    var options = ConversationOptions()
    /// The request that asks which athletes need a sign-in, while its answer is on its way.
    private var dueRequest: Int64?
    private var identifiers = IdentifierSource()
    /// - Parameter context: the value of `--context`.
    init(_ session: ClientSession, context: String?) {
        self.session = session
        contextAtStart = context
    }

    /// Shows the copy on this machine before the server has answered. Call it once, when `columns` is known.
    func begin() {
        guard !hasOpened, session.engine.cursor != nil else { return }
        hasOpened = true
        open()
    }

    /// Whether the state is known: the server has sent everything that was missed, or it cannot be reached and the copy
    /// on this machine is shown.
    var isSettled: Bool { hasOpened && (hasBeenLive || isOffline) }

    /// The lines to print since the last call.
    func takeOutput() -> [String] {
        output += session.takeWarnings().map { "(\($0))" }
        defer { output = [] }
        return output
    }

    /// Whether an answer or a receipt is still to come.
    var isWaiting: Bool { !session.engine.pending.isEmpty || !awaited.isEmpty }

    /// Whether a question, which `prompt` shows, waits for its answer.
    var isAsking: Bool { questions != nil }

    // MARK: The prompt

    /// OFFLINE, the number of waiting and of refused changes, family and context; or the current question.
    var prompt: String {
        if let questions { return questions.prompt }
        let engine = session.engine
        // The most important part comes first, because a narrow terminal cuts the end.
        var parts: [String] = []
        if isOffline { parts.append("OFFLINE") }
        if engine.waitingCount > 0 { parts.append("\(engine.waitingCount) pending") }
        if !engine.drafts.isEmpty { parts.append("\(engine.drafts.count) refused") }
        parts.append(engine.familyName?.printable ?? "huddle")
        if case .athlete(let id)? = engine.context { parts.append(names.member(id)) }
        return parts.joined(separator: " · ") + "> "
    }

    private var names: RecordNames {
        if let cachedNames { return cachedNames }
        let fresh = RecordNames(session.engine)
        cachedNames = fresh
        return fresh
    }

    private var clock: LocalClock { LocalClock(zone: session.engine.timeZone) }

    var text: ChangeText {
        let clock = clock
        let now = Clock.wallMilliseconds()
        return ChangeText(names) { clock.time($0, now: now) }
    }

    func print(_ lines: String...) { output += lines }

    // MARK: Events

    func receive(_ event: SessionEvent) {
        switch event {
        case .changed, .replaced: cachedNames = nil
        case .stopped(let reason): end = .stopped(reason)
        case .notice(let notice): receive(notice)
        }
        if let step = awaited.undoWaits, session.engine.pending.isEmpty { undoLast(step) }
    }

    private func receive(_ notice: SyncNotice) {
        switch notice {
        case .live:
            hasBeenLive = true
            showMissed()
            if !hasOpened {
                hasOpened = true
                open()
            } else if isOffline {
                print("Online again.")
            }
            isOffline = false
        case .offline:
            if awaited.lose() { print("The answer to your question was lost: ask again.") }
            guard !isOffline else { return }
            isOffline = true
            let kept = session.keepsWhatWaits ? "Your changes are kept and sent when the server is back." : "Your changes are sent when the server is back, if huddle still runs then."
            print("Offline: \(session.lastFailure ?? "the connection is gone.") \(kept)")
        case .reset where hasOpened: print("(Everything is being loaded again.)")
        case .change(let change, _):
            cachedNames = nil
            guard hasOpened else { break }
            // After a long absence there are more changes than anybody reads.
            if session.engine.phase == .syncing { told.miss(change) } else { show(change) }
        case .rejected(let mutation, let rejection):
            awaited.done(mutation)
            let place = session.engine.drafts.firstIndex { $0.id == mutation }
            guard let place else {
                print("Refused: \(rejection.message.printable)")
                break
            }
            print("Refused: \(text.draft(session.engine.drafts[place]))")
            output += text.rejection(rejection).map { "  " + $0 }
            if let keptKey = options.keptKey {
                print("  Saved in \(keptKey), next to the current version. Retry, edit or discard it there.")
            } else if let number = lists.number(ofDraft: mutation, among: session.engine.drafts.map(\.id)) {
                print("  Kept as draft \(number): /retry \(number) sends it again, /drop \(number) discards it.")
                if rejection.code == .overlap { print("  To keep both: /retry \(number) --override --reason \"why\"") }
            }
        case .postponed(_, let rejection, _): print("(\(rejection.message.printable) Kept, and sent again by itself.)")
        case .presence(let presence): show(presence)
        case .upload(let upload): show(upload)
        case .context(.all): print("Showing everyone's season.")
        case .context(.athlete(let id)): print("Showing \(names.member(id))'s season.")
        case .role(let role): print("You are \(role.rawValue) in this family now.")
        case .recovered(let notice): print(AnswerText.recovery(notice, at: text.time(notice.at)))
        case .mailFailed(let notice): print(AnswerText.mailFailed(notice))
        case .reminder(let reminder): print(ReminderWords.line(reminder))
        case .answer(let answer): receive(answer)
        case .failed(let rejection, let request):
            awaited.failed(request)
            print(rejection.message.printable)
        case .acknowledged(let ack):
            output += ack.warnings.map { "Note: \($0.message.printable)" }
            // Otherwise the change itself reports the result.
            if awaited.done(ack.mutation), ack.sequence == nil { print("Nothing to change: the values are the same already.") }
        case .joined(let joined):
            told.enter(joined.presence)
        // An activity is over before anybody reads a line about it.
        case .welcome, .fault, .reset, .activity, .reminderSeen: break
        }
    }

    private func receive(_ answer: ServerFrame) {
        if let request = answer.request { awaited.answered(request) }
        if case .page(let page) = answer {
            lists.olderMark = page.next
            let held = told.unseen(page.records)
            output += AnswerText(text, isSpoken: options.isSpoken).lines(.page(Page(request: page.request, sequence: page.sequence, records: held)))
            print(page.next == nil ? "That was the first message." : "/older shows more.")
        } else if case .history(let page) = answer, let undo = awaited.undo, page.request == undo.request {
            awaited.undo = nil
            do {
                _ = try session.undo(try Request.lastUndoable(page, by: session.engine.member, undo.step))
            } catch {
                print((error as? UsageError)?.message ?? (error as? Rejection)?.message.printable ?? "\(error)")
            }
        } else {
            if case .invites(let list) = answer { lists.invites = list.invites }
            if case .standings(let list) = answer, list.request == dueRequest {
                dueRequest = nil
                output += AnswerText(text, isSpoken: options.isSpoken).due(list.standings)
                return
            }
            if case .sessions(let list) = answer { lists.sessions = list.sessions }
            output += AnswerText(text, isSpoken: options.isSpoken).lines(answer)
        }
    }

    /// The next events.
    private var upcoming: [Record] {
        var filter = ListFilter(.event)
        filter.time = .upcoming
        let engine = session.engine
        let events = filter.apply(engine.records(of: .event), today: clock.today(Clock.wallMilliseconds()), context: engine.context ?? .all)
        return Array(events.prefix(Self.openingEvents))
    }

    /// Asks which athletes have reached an age at which a parent should act. The answer is shown only if there are any.
    private func askWhoIsDue() {
        let engine = session.engine
        guard engine.role == .parent, engine.features.contains(.consent), engine.phase == .live else { return }
        dueRequest = session.ask { ClientFrame.standings(StandingsRequest(request: $0)) }
    }

    private func open() {
        let engine = session.engine
        askWhoIsDue()
        print("\(engine.familyName?.printable ?? "Your family"). /help lists the commands, /quit leaves.")
        if let contextAtStart { setContext(contextAtStart) }
        var messages = ListFilter(.message).apply(engine.records(of: .message), today: "", context: .all)
        messages = messages.filter { !engine.isPending($0.id) }.suffix(Self.openingMessages)
        told.show(messages.map(\.id))
        guard !options.opensQuietly else { return }
        output += messages.map(text.message)
        let events = upcoming
        if !events.isEmpty {
            print("Next:")
            list(.event, events)
        }
        if engine.waitingCount > 0 { print("\(engine.waitingCount) of your changes wait to be sent: /outbox") }
        if !engine.drafts.isEmpty { print("\(engine.drafts.count) of your changes were refused: /drafts") }
        for presence in engine.presence.values.sorted(by: { $0.member < $1.member }) where presence.member != engine.member {
            print(text.presence(presence))
        }
    }

    /// Shows the latest changes of the person's absence.
    private func showMissed() {
        let missed = told.takeMissed()
        let left = missed.count - Self.mostMissed
        if left > 0 { print("\(missed.count) things happened while you were away: /since, /history and /older show the first \(left). Then:") }
        for change in missed.suffix(Self.mostMissed) { show(change) }
    }

    private func show(_ change: Change) {
        for entry in change.entries where entry.kind == .message {
            guard case .create = entry.effect, let record = session.engine.record(entry.id) else { continue }
            output.append(text.message(record))
            told.show([entry.id])
        }
        guard options.activity != .none else { return }
        told.note(change)
        if let line = text.told(change, undone: told.undone(by: change), before: { session.engine.record($0) }) { output.append(line) }
    }

    /// Reports the beginning of another member's upload, and its cancellation; the document itself comes as a change.
    /// The member's own uploads are shown by the page or command that sends them.
    private func show(_ upload: UploadProgress) {
        let isNews = told.isNews(upload)
        guard hasOpened, upload.member != session.engine.member, isNews else { return }
        print(text.upload(upload))
    }

    private func show(_ presence: Presence) {
        let isNews = told.isNews(presence)
        guard hasOpened, options.activity == .all, presence.member != session.engine.member, isNews else { return }
        print(text.presence(presence))
    }

    // MARK: Input

    /// Takes one line.
    func submit(_ line: String) {
        // A person who types has seen what was printed before.
        defer { session.seeReminders() }
        if questions != nil { return answer(line) }
        do {
            let command = try SlashCommand.parse(line, about: lists.kind)
            if command != .quit { hasWarned = false }
            try perform(command)
        } catch let error as UsageError {
            worst = worst ?? .usage
            print(error.message)
        } catch let rejection as Rejection {
            worst = worst ?? ExitStatus(rejection)
            output += text.rejection(rejection)
        } catch {
            worst = worst ?? .failed
            print("\(error)")
        }
    }

    /// Continues with this family, after a stop that asked for one.
    func choose(_ family: Identifier) {
        end = nil
        session.choose(family)
    }

    /// Ctrl-C: cancels the question; with an empty line it says how to leave.
    func interrupt() {
        if questions != nil {
            questions = nil
            print("Cancelled.")
        } else {
            print("Type /quit to leave.")
        }
    }

    private func perform(_ command: SlashCommand) throws {
        switch command {
        // Line mode has nothing to clear; a screen clears by itself.
        case .nothing, .clear: break
        case .action(let action): try perform(action)
        case .show(let kind, let target):
            let record = try lookup.find([kind], target)
            output += options.isSpoken ? SpokenText.details(record, text) : RecordTables.details(record, text)
        case .find(let words): try perform(CommandAction.list(Self.messages(with: words)))
        case .status: output += status
        case .reconnect:
            if session.engine.phase == .live { print("Nothing to do: \(session.address.description.printable) is connected.") } else {
                session.hurry()
                print("Trying \(session.address.description.printable) now.")
            }
        case .context(let name): setContext(name)
        case .drafts: showDrafts()
        case .retry(let number, let reason):
            let draft = try draft(number)
            _ = try session.retry(draft: draft.id, accepting: try reason.map { reason in try Request.acceptance(reason, of: draft.rejection) })
        case .drop(let number): try perform(OutboxRequest.drop(number: number))
        case .conflicts: showConflicts()
        case .resolve(let number, let words): try resolve(number, words)
        case .configure(let request): output += options.configure?(request) ?? ["There is no configuration here."]
        case .quit: quit()
        }
    }

    private func perform(_ action: CommandAction) throws {
        let engine = session.engine
        switch action {
        case .help(let topic):
            if let topic, !Help.knows(topic, inConversation: true) { throw UsageError("There is no command or topic '\(topic.printable)'. /help lists them.") }
            output += Help.conversation(topic)
        case .list(var filter):
            try filter.resolve(names)
            let records = filter.apply(
                engine.records(of: filter.kind), today: clock.today(Clock.wallMilliseconds()), context: engine.context ?? .all)
            list(filter.kind, records, filters: filter.active, isSearch: !filter.text.isEmpty)
            if !records.isEmpty { print(records.count == 1 ? "1 result" : "\(records.count) results") }
        case .itinerary(let filter):
            let trips = try filter.apply(engine.records(of: .tripItem), today: clock.today(Clock.wallMilliseconds()), lookup)
            output += filter.lines(trips, names: names)
        case .ask(let question): try ask(question)
        case .deleted(let kind):
            let records = DeletedText.records(engine.confirmedRecords.values, of: kind)
            output += DeletedText.lines(records, names, lookup.deleted, clock, columns: options.columns, restore: "/restore")
        case .reminders: output += ReminderWords.lines(engine.reminders)
        case .reminderRule:
            output += ReminderRuleText.lines(engine.member.flatMap { engine.record(ReminderRule.id(of: $0)) }, isGuest: engine.role == .guest, command: "/reminders set", names)
        case .outbox(let request): try perform(request)
        case .undo(let sequence?):
            _ = try session.undo(sequence)
            if engine.phase != .live { print("Waiting to be sent: undo #\(sequence)") }
        case .undo(nil):
            // The commands typed before must be done first: the last of them is the change to undo.
            awaited.undoWaits = .back
            if engine.pending.isEmpty { undoLast(.back) }
        case .redo:
            awaited.undoWaits = .forth
            if engine.pending.isEmpty { undoLast(.forth) }
        case .add(let kind, let fields, nil) where fields.isEmpty:
            let owner = try? Request.owner(of: kind, nil, engine, names)
            let athletes = names.records(of: .member).filter { $0.fields.text("role") == Role.athlete.rawValue }.map { RecordNames.name($0) }
            ask(Questions(kind, asksAthlete: kind.declaration.scope == .athlete && owner == nil, athletes: athletes))
        default:
            let operations = try Request.operations(action, engine, lookup, today: clock.date(Clock.wallMilliseconds())) { freshIdentifier() }
            if !operations.isEmpty { try ask(operations) }
        }
    }

    @discardableResult
    private func ask(_ question: Question) throws(UsageError) -> Int64? {
        var question = question
        if case .olderMessages = question { question = .olderMessages(before: lists.olderMark) }
        // Names are looked up before anything is sent.
        if question.needsInvites, lists.invites == nil { throw UsageError("Type /invites first: it shows who is invited.") }
        if question.needsSessions, lists.sessions == nil { throw UsageError("Type /sessions first: it shows where you are signed in.") }
        let frame = try question.frame(0, names, invites: lists.invites ?? [], sessions: lists.sessions ?? []) { kind, text throws(UsageError) in try lookup.find([kind], text) }
        let request = session.ask { frame.numbered($0) }
        if let request {
            awaited.ask(request)
        } else {
            print("Offline: the server knows this alone. Ask again when it is back.")
        }
        return request
    }

    private func ask(_ operations: [Operation]) throws(Rejection) {
        awaited.perform(try session.perform(operations))
        cachedNames = nil
        if session.engine.phase != .live { print("Waiting to be sent: \(text.operations(operations))") }
    }

    /// Asks for the history that determines the member's own last change.
    private func undoLast(_ step: Request.UndoStep) {
        awaited.undoWaits = nil
        awaited.undo = (try? ask(.history(target: nil, before: nil, limit: Request.undoReach))).map { ($0, step) }
    }

    private func freshIdentifier() -> Identifier { identifiers.next(Clock.wallMilliseconds()) }

    private func quit() {
        var warnings: [String] = []
        let words = farewell()
        if words == nil { warnings.append("\(session.engine.waitingCount == 1 ? "1 of your changes waits" : "\(session.engine.waitingCount) of your changes wait") to be sent and would be lost.") }
        if !options.underway.isEmpty { warnings.append(options.underway) }
        if !warnings.isEmpty, !hasWarned {
            hasWarned = true
            return print((warnings + ["/quit again leaves all the same."]).joined(separator: " "))
        }
        output += words ?? []
        end = .quit
    }

    private func setContext(_ name: String) {
        if name == "all" { return session.setContext(.all) }
        do throws(LookupFailure) {
            session.setContext(.athlete(try names.find(.member, name).id))
        } catch {
            print(error.message)
        }
    }

    func showDrafts() {
        let drafts = session.engine.drafts
        lists.drafts = drafts.map(\.id)
        if drafts.isEmpty { return print("No drafts: nothing was refused.") }
        for (index, draft) in drafts.enumerated() {
            print("\(index + 1). \(text.draft(draft))")
            output += text.rejection(draft.rejection).map { "   " + $0 }
        }
    }

    private func list(_ kind: Kind, _ records: [Record], filters: Int = 0, isSearch: Bool = false) {
        lists.show(kind, records)
        if options.isSpoken, kind == .document { print(SpokenText.filters(filters)) }
        if kind == .document, records.isEmpty, filters > 0 || isSearch {
            print("No documents match your filters. Leave some of the options or words out to see more.")
            return
        }
        if options.isSpoken { return speak(kind, records) }
        let width = String(records.count).count
        // Each line begins with its number, a mark and a space.
        let lines = RecordTables.lines(
            kind, records, names, showsAthlete: session.engine.context == .all, columns: options.columns.map { $0 - width - 2 }, isNumbered: true,
            clock: clock)
        guard !records.isEmpty else { return output += lines }
        for (index, line) in lines.enumerated() {
            let number = index == 0 ? "" : String(index)
            let mark = index > 0 && session.engine.isPending(records[index - 1].id) ? "*" : " "
            output.append(String(repeating: " ", count: width - number.count) + number + mark + " " + line)
        }
    }

    /// In line mode, a search lists its results.
    private static func messages(with words: String) -> ListFilter {
        var filter = ListFilter(.message)
        filter.text = words
        return filter
    }

    /// Prints one sentence per record.
    private func speak(_ kind: Kind, _ records: [Record]) {
        if records.isEmpty { output += RecordTables.lines(kind, [], names, showsAthlete: false) }
        let showsAthlete = session.engine.context == .all
        for (index, record) in records.enumerated() {
            let line = SpokenText.line(record, names, showsAthlete: showsAthlete && kind != .document, clock: clock)
            print("\(index + 1). \(line)\(session.engine.isPending(record.id) ? " Waits to be sent." : "")")
        }
        if kind == .document { print(SpokenText.upload) }
    }

    /// The content of a status line, in sentences.
    private var status: [String] {
        let engine = session.engine
        let server = session.address.description.printable
        var lines = [engine.phase == .live ? "Online: \(server)." : "Offline: \(session.lastFailure ?? "\(server) has not answered yet.") It is tried again by itself; /reconnect tries now."]
        if case .athlete(let id)? = engine.context { lines.append("Showing \(names.member(id))'s season.") } else { lines.append("Showing everyone's season.") }
        if engine.phase == .live {
            let others = engine.presence.keys.filter { $0 != engine.member }.sorted()
            if others.isEmpty { lines.append("Nobody else is here.") }
            lines += others.compactMap { engine.presence[$0].map { text.presence($0) + "." } }
        }
        let (waiting, refused) = (engine.waitingCount, engine.drafts.count)
        let conflicts = engine.drafts.count { $0.rejection.conflict != nil }
        lines.append(waiting == 0 ? "Nothing waits to be sent." : "\(waiting == 1 ? "1 change waits" : "\(waiting) changes wait") to be sent: /outbox.")
        lines.append(refused == 0 ? "Nothing was refused." : "\(refused == 1 ? "1 change was" : "\(refused) changes were") refused: /drafts.")
        if conflicts > 0 { lines.append("\(conflicts) of them because somebody changed the same: /conflicts.") }
        return lines + (options.underway.isEmpty ? [] : [options.underway])
    }

    /// A number refers to the list of its kind that was shown last; if several kinds fit, to the list that was shown
    /// last. Before any list was shown it refers to the next events.
    private var lookup: RecordLookup {
        let engine = session.engine
        let lists = lists
        return RecordLookup(engine, names: names) { kinds, number in
            lists.record(number, kinds) { self.upcoming.map(\.id) }.flatMap { engine.record($0) }
        }
    }

    // MARK: Questions

    private func ask(_ new: Questions) {
        questions = new
        print("A new \(new.kind.declaration.label.lowercased()). Enter leaves a field empty, /cancel gives it up.")
        if let choices = new.choices { print(choices) }
    }

    private func answer(_ line: String) {
        guard var current = questions else { return }
        if line.trimmed.hasPrefix("/") {
            guard line.trimmed != "/cancel" else { return interrupt() }
            return print("\(current.label) is asked for: answer it, or write /cancel.")
        }
        do {
            // A value that is not valid is asked for again.
            if let input = current.input(line) {
                let patch = try FieldOptions.patch([input], current.kind, names: names, today: clock.date(Clock.wallMilliseconds()))
                for assignment in patch.assignments {
                    if let value = assignment.value { _ = try FormRules.canonical(value, current.kind, field: assignment.field) }
                }
            }
            let label = current.label
            try current.answer(line)
            if let athlete = current.athlete, label == "Name" { _ = try Request.athlete(athlete, names) }
        } catch let rejection as Rejection {
            return print(rejection.message.printable)
        } catch {
            let message = (error as? UsageError)?.message ?? "\(error)"
            // Options are words of the program; the message does not repeat them.
            let words = message.split(separator: " ", maxSplits: 1)
            return print(message.hasPrefix("--") && words.count == 2 ? "\(current.label) \(words[1])" : message)
        }
        questions = current
        if let choices = current.choices { print(choices) }
        guard current.isDone else { return }
        questions = nil
        do {
            let owner = try Request.owner(of: current.kind, current.athlete, session.engine, names)
            let patch = try FieldOptions.patch(current.answers, current.kind, names: names, today: clock.date(Clock.wallMilliseconds()))
            try ask([try Request.create(current.kind, patch, athlete: owner, id: freshIdentifier(), context: Request.context(session.engine, names))])
        } catch let rejection as Rejection {
            output += text.rejection(rejection)
            // The other answers are kept.
            if let field = rejection.field, let place = current.kind.declaration.index(of: field), current.again(place) { questions = current }
        } catch {
            print((error as? UsageError)?.message ?? "\(error)")
        }
    }
}

@available(*, unavailable) extension Conversation: Sendable {}
