import Arguments
import Bytes
import Commands
import Crypto
import Documents
import Family
import JSON
import Posix
import Queries
import Sessions
import Sync
import Terminal
import Views
import Wire
import Words

/// Commands that connect, do one thing, print, and end.
struct OneShot {
    /// Milliseconds for the program that opens a browser; it only starts the browser.
    private static let openerTime = 5_000

    private let invocation: Invocation
    private let setting: Setting
    private let printer: Printer

    init(_ invocation: Invocation, _ setting: Setting, _ printer: Printer = Printer()) {
        self.invocation = invocation
        self.setting = setting
        self.printer = printer
    }

    func run() throws -> ExitStatus {
        let status = try tryBoth()
        try printer.finish()
        return status
    }

    private func tryBoth() throws -> ExitStatus {
        if invocation.isOffline { return try runOffline() }
        do {
            return try runOnline()
        } catch let failure as ProgramFailure where failure.status == .offline {
            guard let kept = LocalState.look(setting) else { throw failure }
            guard try showKept(kept.engine) else { throw failure }
            throw ProgramFailure(.offline, "Can't reach \(setting.address). Showing the copy \(age(of: kept)).")
        }
    }

    private func runOnline() throws -> ExitStatus {
        let room = try JoinedRoom(setting, timeout: invocation.timeout)
        defer { room.leave() }
        do {
            try room.enter(context: invocation.context)
        } catch let failure as ProgramFailure where failure.status == .offline && isChange {
            printOffline(0, wasSent: false)
            throw failure
        }
        return try perform(in: room)
    }

    private var isChange: Bool {
        switch invocation.action {
        case .list, .itinerary, .export, .exportCalendar, .document, .ask, .deleted, .reminders, .reminderRule, .identity, .open: false
        default: true
        }
    }

    /// Carries the action out in a room that was entered.
    ///
    /// - Parameter stays: whether the session is needed afterwards.
    func perform(in room: JoinedRoom, stays: Bool = false) throws -> ExitStatus {
        switch invocation.action {
        case .list, .itinerary, .export, .exportCalendar, .deleted, .reminderRule, .identity, .open:
            try show(room.session.engine)
            return .done
        case .document(let request):
            let commands = try DocumentCommands(invocation, setting, room, printer)
            // The names are resolved; the server would only cut a session that is silent for minutes.
            guard stays else {
                room.leave()
                return try commands.run(request)
            }
            // The next command can name the uploaded documents, because the changes of the room are applied here.
            defer { try? room.catchUp(timeout: invocation.timeout) }
            return try commands.run(request)
        case .ask(let question): return try ask(question, room)
        case .reminders:
            let reminders = room.session.engine.reminders
            if invocation.isJSON {
                for reminder in reminders { printer.write(json: ServerFrame.reminder(reminder).encode()) }
            } else {
                printer.write(output: ReminderWords.lines(reminders).map { $0 + "\n" }.joined())
            }
            guard !reminders.isEmpty else { return .done }
            room.session.seeReminders()
            // The server has the report when it answers what follows it.
            try room.catchUp(timeout: invocation.timeout)
            return .done
        case .leave:
            do { return try change(room) } catch let failure as ProgramFailure where failure.message == ProgramFailure.removed {
                // The server closes the connection of a member who has left; the receipt that this command waited for
                // is dropped.
                printer.write(output: invocation.isJSON ? "{\"type\":\"left\"}\n" : "You have left the family.\n")
                return .done
            }
        default: return try change(room)
        }
    }

    /// Prints a list, an itinerary or a table of these records; nothing for any other action.
    func show(_ engine: borrowing SyncEngine) throws {
        switch invocation.action {
        case .list(var filter):
            try filter.resolve(RecordNames(engine))
            list(filter, engine)
        case .itinerary(let filter): try itinerary(filter, engine)
        case .export(var filter, let format, let file):
            try filter.resolve(RecordNames(engine))
            try export(filter, format, file, engine)
        case .deleted(let kind): deleted(kind, engine)
        case .reminderRule: reminderRule(engine)
        case .open(let target, let isMap): try open(target, isMap: isMap, engine)
        case .identity(let showsState): try IdentityCommand(invocation, setting).print(engine, showsState: showsState, printer)
        case .exportCalendar(var filter, let file):
            try filter.resolve(RecordNames(engine))
            let now = Clock.wallMilliseconds()
            let records = filter.apply(engine.records(of: filter.kind), today: LocalClock(zone: engine.timeZone).today(now), context: engine.context ?? .all)
            try write(CalendarExport.octets(records, engine, now: now), lines: records.count, file)
        default: break
        }
    }

    // MARK: The copy on this machine

    private func runOffline() throws -> ExitStatus {
        switch invocation.action {
        case .list, .itinerary, .export, .exportCalendar, .deleted, .reminderRule, .identity, .open:
            guard let kept = LocalState.look(setting), try showKept(kept.engine) else {
                throw ProgramFailure(.offline, "Nothing is kept on this machine yet: start huddle once while the server answers.")
            }
            Standard.write(error: "huddle: Showing the copy \(age(of: kept)).\n")
            return .done
        case .ask, .document, .reminders: throw ProgramFailure(.usage, "Only the server knows this: leave --offline out.")
        default: return try queue()
        }
    }

    /// "from 08:02"; for another day with its date.
    private func age(of kept: LocalState.Copy) -> String {
        "from \(LocalClock(zone: kept.engine.timeZone).time(kept.at, now: Clock.wallMilliseconds()))"
    }

    /// - Returns: false for commands that need the server.
    private func showKept(_ engine: SyncEngine) throws -> Bool {
        var engine = engine
        // The context is that of a new session, and not the one that a screen showed last.
        _ = engine.setContext(.all, now: 0)
        if let name = invocation.context {
            do {
                _ = engine.setContext(name == "all" ? .all : .athlete(try RecordNames(engine).find(.member, name).id), now: 0)
            } catch {
                throw UsageError(error.message)
            }
        }
        guard !isChange else { return false }
        if case .ask = invocation.action { return false }
        if case .document = invocation.action { return false }
        try show(engine)
        return true
    }

    /// Puts a change into the outbox; the next `huddle` that reaches the server sends it.
    private func queue() throws -> ExitStatus {
        // This works beside an open conversation: a script cannot know whether one is open.
        let session = try LocalState.session(setting, isAlone: false)
        defer { session.leave() }
        if let name = invocation.context {
            do {
                session.setContext(name == "all" ? .all : .athlete(try RecordNames(session.engine).find(.member, name).id))
            } catch {
                throw UsageError(error.message)
            }
        }
        let engine = session.engine
        let mutation: Int64
        if case .redo = invocation.action { throw UsageError("redo needs the server.") }
        if case .undo(let sequence) = invocation.action {
            guard let sequence else { throw UsageError("Offline, undo needs the number of the change.") }
            mutation = try session.undo(sequence)
        } else {
            var source = IdentifierSource()
            mutation = try session.perform(
                try Request.operations(invocation.action, engine, RecordLookup(engine), today: LocalClock(zone: engine.timeZone).date(Clock.wallMilliseconds())) { source.next(Clock.wallMilliseconds()) })
        }
        guard session.keepsWhatWaits else { throw ProgramFailure(.failed, session.takeWarnings().first ?? "Nothing can be kept here.") }
        if invocation.isJSON {
            printer.write(output: "{\"type\":\"queued\",\"mutation\":\(mutation)}\n")
        } else {
            printer.write(output: "Queued. It goes out next time huddle connects.\n")
        }
        return .done
    }

    // MARK: Changes

    /// The content of one mutation.
    private enum Batch {
        case operations([Operation])
        case undo(Int64)
    }

    private func change(_ room: JoinedRoom) throws -> ExitStatus {
        let engine = room.session.engine
        let batch: Batch
        do {
            if case .undo(let sequence) = invocation.action {
                batch = .undo(try sequence ?? lastUndoable(room, .back))
            } else if case .redo = invocation.action {
                batch = .undo(try lastUndoable(room, .forth))
            } else {
                var source = IdentifierSource()
                batch = .operations(
                    try Request.operations(invocation.action, engine, RecordLookup(engine), today: LocalClock(zone: engine.timeZone).date(Clock.wallMilliseconds())) { source.next(Clock.wallMilliseconds()) })
            }
        } catch let rejection as Rejection {
            return report(rejection, 0, room)
        }
        return try perform(batch, room)
    }

    /// Carries out operations as one change.
    func perform(_ operations: [Operation], in room: JoinedRoom) throws -> ExitStatus { try perform(.operations(operations), room) }

    private func lastUndoable(_ room: JoinedRoom, _ step: Request.UndoStep) throws -> Int64 {
        switch try answer(to: .history(target: nil, before: nil, limit: Request.undoReach), room) {
        case .success(.history(let page)):
            // The command line was correct; there is only no change that may be undone.
            do throws(UsageError) { return try Request.lastUndoable(page, by: room.session.engine.member, step) } catch { throw ProgramFailure(.refused, error.message) }
        case .success: throw ProgramFailure(.failed, "The server gave an unexpected answer. Nothing was done.")
        case .failure(let rejection): throw rejection
        }
    }

    private func perform(_ batch: Batch, _ room: JoinedRoom) throws -> ExitStatus {
        var (mutation, answer) = try send(batch, accepting: nil, room)
        if case .reject(_, let rejection)? = answer, rejection.code == .overlap, let reason = invocation.acceptance {
            // Only an overlap that the refusal reported, and that the person has seen, is accepted.
            let accepted: OverlapOverride
            do { accepted = try Request.acceptance(reason, of: rejection) } catch { return report(error, 0, room) }
            if !invocation.isJSON {
                let lines = text(room).rejection(rejection).dropFirst().map { "Overlap:" + $0.dropFirst() }
                printer.write(output: lines.joined(separator: "\n") + "\n")
            }
            (mutation, answer) = try send(batch, accepting: accepted, room)
        }
        switch answer {
        case .ack(let ack)?:
            if invocation.isJSON {
                printer.write(json: ServerFrame.ack(ack).encode())
            } else {
                let lines = done(batch, ack, room) + ack.warnings.map { "Note: \($0.message.printable)" }
                if !lines.isEmpty { printer.write(output: lines.joined(separator: "\n") + "\n") }
            }
            return .done
        case .reject(_, let rejection)?: return report(rejection, mutation, room)
        default:
            guard mutation > 0 else { return .refused }
            let wasSent = room.session.engine.pending.contains { $0.id == mutation && $0.state != .unsent }
            printOffline(mutation, wasSent: wasSent)
            throw ProgramFailure(
                .offline,
                wasSent
                    ? "\(setting.address) did not answer in time. It may have been done: look before you try again."
                    : "\(setting.address) did not answer in time. It was not sent, so nothing was done.")
        }
    }

    /// - Returns: the mutation's number, and the `ack` or `reject` frame; number 0 if the program itself refused the
    ///   batch.
    private func send(_ batch: Batch, accepting overlap: OverlapOverride?, _ room: JoinedRoom) throws -> (Int64, ServerFrame?) {
        let mutation: Int64
        do throws(Rejection) {
            switch batch {
            case .operations(let operations): mutation = try room.session.perform(operations, accepting: overlap)
            case .undo(let sequence): mutation = try room.session.undo(sequence, accepting: overlap)
            }
        } catch {
            return (0, .reject(mutation: 0, error))
        }
        return (
            mutation,
            try room.wait { notice in
                switch notice {
                case .acknowledged(let ack) where ack.mutation == mutation: .ack(ack)
                case .rejected(mutation, let rejection): .reject(mutation: mutation, rejection)
                default: nil
                }
            }
        )
    }

    /// The result for people: a line for each record of the request, with the number of the change behind the first.
    private func done(_ batch: Batch, _ ack: Ack, _ room: JoinedRoom) -> [String] {
        let names = RecordNames(room.session.engine)
        if ack.sequence == nil, case .operations = batch { return ["Nothing to change: the values are the same already."] }
        guard case .operations(let operations) = batch else {
            guard let sequence = ack.sequence else { return ["Nothing was left to undo."] }
            return [undone(sequence, room)]
        }
        return operations.filter { $0.kind != .message }.map { "\(names.short($0.id))  \(Self.done($0, names))" }
    }

    /// "Undone: changed Late Camp: cost (change #99)": the undone change, in words.
    private func undone(_ sequence: Int64, _ room: JoinedRoom) -> String {
        var (asked, isUndo) = (sequence, false)
        // Each redo is an undo of an undo.
        for _ in 0..<Request.undoReach {
            guard case .success(.history(let page))? = try? answer(to: .history(target: nil, before: asked + 1, limit: 1), room),
                let item = page.entries.first, item.sequence == asked
            else { break }
            guard let before = item.undoes else {
                let change = Change(sequence: asked, at: item.at, member: item.member, client: nil, mutation: nil, undoes: nil, entries: item.changes.map(\.entry))
                return "\(isUndo ? "Undone" : "Redone"): \(text(room).what(change)) (change #\(sequence))"
            }
            (asked, isUndo) = (before, !isUndo)
        }
        return "Undone (change #\(sequence))."
    }

    private static func done(_ operation: Operation, _ names: RecordNames) -> String {
        let name = names.name(operation.id)
        switch operation.action {
        case .create: return "added \(name)"
        case .update: return "changed \(name)"
        case .delete: return "deleted"
        case .restore: return "restored \(name)"
        case .shift: return "moved \(name)"
        case .copy: return "copied \(name)"
        }
    }

    private func printOffline(_ mutation: Int64, wasSent: Bool) {
        guard invocation.isJSON else { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("type")
        writer.string("offline")
        writer.key("mutation")
        writer.integer(mutation)
        writer.key("maybe_done")
        writer.boolean(wasSent)
        writer.endObject()
        printer.write(json: writer.octets)
    }

    private func report(_ rejection: Rejection, _ mutation: Int64, _ room: JoinedRoom) -> ExitStatus {
        if invocation.isJSON {
            printer.write(json: ServerFrame.reject(mutation: mutation, rejection).encode())
        }
        var lines = text(room).rejection(rejection)
        if rejection.code == .confirmFirst { lines.append("To confirm: huddle confirm") }
        if rejection.code == .overlap { lines.append("To keep both, add: --override --reason \"why\"") }
        printer.complain(lines.joined(separator: "\n"))
        return ExitStatus(rejection)
    }

    // MARK: Lists

    private func list(_ filter: ListFilter, _ engine: SyncEngine) {
        let clock = LocalClock(zone: engine.timeZone)
        let context = engine.context ?? .all
        let records = filter.apply(
            engine.records(of: filter.kind), today: clock.today(Clock.wallMilliseconds()), context: context)
        guard invocation.isJSON else {
            // The last column is left free, because writing into it makes some terminals wrap.
            let columns = Standard.isTerminal(Standard.output) ? (TerminalDevice.size()?.columns ?? 80) - 1 : nil
            let isNarrowed = records.isEmpty && filter != ListFilter(filter.kind)
            let lines =
                isNarrowed
                ? ["No matches. Try fewer filters."]
                : filter.columns.map { RecordColumns.table($0, records, text(engine)).lines(within: columns) }
                ?? lines(of: records, filter.kind, RecordNames(engine), showsAthlete: context == .all && filter.athlete == nil, columns: columns, clock)
            printer.write(output: lines.joined(separator: "\n") + "\n")
            // A person sees the number of results; a program counts lines.
            if columns != nil, !records.isEmpty { printer.write(output: records.count == 1 ? "1 result\n" : "\(records.count) results\n") }
            return
        }
        printJSON(records)
    }

    /// A table; with --plain sentences, each with the id at its end.
    private func lines(of records: [Record], _ kind: Kind, _ names: RecordNames, showsAthlete: Bool, columns: Int?, _ clock: LocalClock) -> [String] {
        guard invocation.isPlain, !records.isEmpty else {
            return RecordTables.lines(kind, records, names, showsAthlete: showsAthlete, columns: columns, clock: clock)
        }
        return records.map { "\(SpokenText.line($0, names, showsAthlete: showsAthlete, clock: clock)) Id \(names.short($0.id))." }
    }

    private func printJSON(_ records: [Record]) {
        var octets: [UInt8] = []
        for record in records {
            var writer = JSONWriter(appendingTo: octets)
            RecordCodec.encode(record, into: &writer)
            octets = writer.octets
            octets.append(UInt8(ascii: "\n"))
        }
        printer.write(output: octets.printableJSON)
    }

    /// Opens an event's page, or its place on a map, in the desktop's browser; without a desktop it prints the address.
    private func open(_ target: String, isMap: Bool, _ engine: SyncEngine) throws {
        let event: Record
        do { event = try RecordNames(engine).find(.event, target) } catch { throw UsageError(error.message) }
        guard let address = isMap ? Directions.link(event.fields) : event.fields.text("url") else {
            let hint = isMap ? "No address or city is known. Add one: huddle edit event" : "No web page is known. Add one with --url: huddle edit event"
            throw ProgramFailure(.refused, "\(hint) \(RecordNames(engine).short(event.id))")
        }
        guard !invocation.isJSON else {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("url")
            writer.string(address)
            writer.endObject()
            return printer.write(json: writer.octets)
        }
        printer.write(output: address.printable + "\n")
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { Environment.value($0)?.isEmpty == false }
        // Only addresses that a browser opens: another member may have written this one.
        guard hasDesktop, Standard.isTerminal(Standard.output), address.hasPrefix("https://") || address.hasPrefix("http://") else { return }
        // In a session of its own the browser outlives this command. Without a browser, the address is on the screen.
        let opener = try? ChildProcess.start(["setsid", "-f", "xdg-open", address], output: .nothing, errors: .nothing)
        _ = try? opener?.wait(timeoutMilliseconds: Self.openerTime)
    }

    private func deleted(_ kind: Kind?, _ engine: SyncEngine) {
        let records = DeletedText.records(engine.confirmedRecords.values, of: kind)
        guard !invocation.isJSON else { return printJSON(records) }
        let columns = Standard.isTerminal(Standard.output) ? (TerminalDevice.size()?.columns ?? 80) - 1 : nil
        let lines = DeletedText.lines(
            records, RecordNames(engine), RecordLookup.deleted(engine), LocalClock(zone: engine.timeZone), columns: columns, restore: "huddle restore")
        printer.write(output: lines.joined(separator: "\n") + "\n")
    }

    private func reminderRule(_ engine: SyncEngine) {
        let record = engine.member.flatMap { engine.record(ReminderRule.id(of: $0)) }
        guard !invocation.isJSON else { return printJSON(record.map { $0.isDeleted ? [] : [$0] } ?? []) }
        let lines = ReminderRuleText.lines(record, isGuest: engine.role == .guest, command: "huddle reminders set", RecordNames(engine))
        printer.write(output: lines.joined(separator: "\n") + "\n")
    }

    private func itinerary(_ filter: ItineraryFilter, _ engine: SyncEngine) throws(UsageError) {
        let today = LocalClock(zone: engine.timeZone).today(Clock.wallMilliseconds())
        let lookup = RecordLookup(engine)
        let trips = try filter.apply(engine.records(of: .tripItem), today: today, lookup)
        if invocation.isJSON {
            printJSON(trips.flatMap(\.items))
        } else {
            printer.write(output: filter.lines(trips, names: lookup.names).joined(separator: "\n") + "\n")
        }
    }

    private func export(_ filter: ListFilter, _ format: ExportFormat, _ file: String?, _ engine: SyncEngine) throws {
        if format == .pdf, file == nil, Standard.isTerminal(Standard.output) {
            throw UsageError("A PDF is not for a terminal: add --output FILE.pdf")
        }
        let now = Clock.wallMilliseconds()
        let records = filter.apply(engine.records(of: filter.kind), today: LocalClock(zone: engine.timeZone).today(now), context: engine.context ?? .all)
        let plural = KindWords.plural(filter.kind)
        let title = plural.prefix(1).uppercased() + plural.dropFirst() + (filter.named[.event].map { " at \($0)" } ?? "")
        let made: (octets: [UInt8], remark: String)
        do throws(ExportFailure) {
            made = try ExportedTable(title, filter.kind, records, engine, now: now).octets(format)
        } catch {
            throw ProgramFailure(.failed, error.sentence)
        }
        try write(made.octets, lines: records.count, file)
        if !made.remark.isEmpty { printer.complain(made.remark) }
    }

    /// Writes exported records to a file, or to standard output.
    private func write(_ octets: [UInt8], lines: Int, _ file: String?) throws {
        guard let file else { return printer.write(output: octets) }
        do throws(Errno) { try Files.writeNew(octets, to: file) } catch {
            throw ProgramFailure(.failed, "\(file.printable) could not be written: \(error == .exists ? "it already exists" : "\(error)").")
        }
        printer.write(output: "\(file.printable): \(lines == 1 ? "1 line" : "\(lines) lines")\n")
    }

    // MARK: Questions

    private func ask(_ question: Question, _ room: JoinedRoom) throws -> ExitStatus {
        switch try answer(to: question, room) {
        case .success(let frame):
            if invocation.isJSON {
                printer.write(json: Self.shown(frame, of: question).encode())
            } else {
                if case .standings(true) = question, case .standings(let list) = frame { printer.write(output: ConsentQuestion.shown(list.text)) }
                let lines: [String] =
                    switch (question, frame) {
                    case (.account(.passkeys), .account(let reply)), (.account(.removePasskey), .account(let reply)):
                        AnswerText.passkeys(reply.answer.state.passkeys)
                    default: AnswerText(text(room)).lines(Self.shown(frame, of: question))
                    }
                printer.write(output: lines.joined(separator: "\n") + "\n")
                if case .calendars(let list) = frame, let made = list.made { showAddress(of: made) }
                if case .deviceCode(let answer) = frame, Standard.isTerminal(Standard.output) { showPicture(of: answer.code) }
                if case .account(let reply) = frame, let address = reply.answer.address, Standard.isTerminal(Standard.output),
                    let lines = QRPicture.lines(address)
                {
                    printer.write(output: "\n" + lines.joined(separator: "\n") + "\n")
                }
            }
            return .done
        case .failure(let rejection):
            if invocation.isJSON {
                printer.write(json: ServerFrame.error(rejection, request: 1).encode())
            }
            printer.complain(rejection.message.printable + (rejection.code == .confirmFirst ? " Write: huddle confirm" : ""))
            return ExitStatus(rejection)
        }
    }

    /// The code as a picture, with the server's address for a browser. The browser never sends the fragment.
    private func showPicture(of code: String) {
        guard let lines = QRPicture.lines("\(setting.address.isSecure ? "https" : "http")://\(setting.address.authority)/#\(code)") else { return }
        printer.write(output: "\n" + lines.joined(separator: "\n") + "\n")
    }

    /// The origin of the server's pages, for a browser and for other programs.
    private var origin: String { "\(setting.address.isSecure ? "https" : "http")://\(setting.address.authority)" }

    /// Prints the address of a new calendar feed; on a terminal also as a picture, from which phones subscribe.
    private func showAddress(of made: CalendarMade) {
        let lines = CalendarFeedText.made(origin: origin, token: made.token)
        printer.write(output: lines.joined(separator: "\n") + "\n")
        guard Standard.isTerminal(Standard.output), let picture = QRPicture.lines(CalendarFeedText.subscription(origin: origin, token: made.token))
        else { return }
        printer.write(output: "\n" + picture.joined(separator: "\n") + "\n")
    }

    /// The part of the server's answer that the person asked for: of the sessions, only the tokens.
    private static func shown(_ frame: ServerFrame, of question: Question) -> ServerFrame {
        switch (frame, question) {
        case (.sessions(var list), .tokens), (.sessions(var list), .revoke):
            list.sessions.removeAll { $0.kind != .token }
            return .sessions(list)
        default: return frame
        }
    }

    private func answer(to question: Question, _ room: JoinedRoom) throws -> Result<ServerFrame, Rejection> {
        if case .deletion(.delete(name: nil)) = question { return try answer(to: .deletion(.delete(name: DeletionQuestion.ask())), room) }
        guard case .account(let account) = question else { return try answer(to: question, room, ShownSecrets()) }
        var questions = SecretQuestion()
        var typed = try questions.ask(account.secrets)
        let answer = try answer(to: question, room, typed)
        // A person without a second factor is not asked for one.
        guard case .failure(let rejection) = answer, rejection.code == .factorRequired,
            let oneTime = try questions.ask("One-time password, or a recovery code: "), !oneTime.isEmpty
        else {
            if case .success(.account(let reply)) = answer, let device = reply.answer.device { try keep(device: device) }
            return answer
        }
        typed.oneTime = oneTime
        return try self.answer(to: question, room, typed)
    }

    /// Keeps the secret by which the account knows this device, if the sign-in belongs to a profile.
    private func keep(device: String) throws {
        var profile = try Profile.load(invocation)
        guard profile.token == setting.token else { return }
        profile.device = device
        try profile.save()
    }

    private func answer(to question: Question, _ room: JoinedRoom, _ typed: ShownSecrets) throws -> Result<ServerFrame, Rejection> {
        let lookup = RecordLookup(room.session.engine)
        var invites: [Invite] = []
        if question.needsInvites {
            switch try answer(to: .invites, room) {
            case .success(.invites(let list)): invites = list.invites
            case .success: throw ProgramFailure(.failed, "The server gave an unexpected answer. Nothing was done.")
            case .failure(let rejection): return .failure(rejection)
            }
        }
        var consent: ConsentText?
        if case .consent(let name, let accepted) = question {
            switch try answer(to: .standings(showsText: true), room) {
            case .success(.standings(let list)): consent = try ConsentQuestion.ask(list.text, for: name, accepted: accepted)
            case .success: throw ProgramFailure(.failed, "The server gave an unexpected answer. Nothing was done.")
            case .failure(let rejection): return .failure(rejection)
            }
        }
        var sessions: [AccountSession] = []
        if question.needsSessions {
            switch try answer(to: .sessions(.list), room) {
            case .success(.sessions(let list)): sessions = list.sessions
            case .success: throw ProgramFailure(.failed, "The server gave an unexpected answer. Nothing was done.")
            case .failure(let rejection): return .failure(rejection)
            }
        }
        var passkeys: [AccountPasskey] = []
        if question.needsPasskeys {
            switch try answer(to: .account(.show), room) {
            case .success(.account(let reply)): passkeys = reply.answer.state.passkeys
            case .success: throw ProgramFailure(.failed, "The server gave an unexpected answer. Nothing was done.")
            case .failure(let rejection): return .failure(rejection)
            }
        }
        var calendars: [CalendarFeed] = []
        if question.needsCalendars {
            switch try answer(to: .calendar(.list), room) {
            case .success(.calendars(let list)): calendars = list.calendars
            case .success: throw ProgramFailure(.failed, "The server gave an unexpected answer. Nothing was done.")
            case .failure(let rejection): return .failure(rejection)
            }
        }
        let clock = LocalClock(zone: room.session.engine.timeZone)
        let frame = try question.frame(0, lookup.names, invites: invites, text: consent, sessions: sessions, passkeys: passkeys, calendars: calendars, typed: typed, family: room.session.engine.family, endOf: { clock.end(of: $0) }) { kind, text throws(UsageError) in try lookup.find([kind], text) }
        let asked = PendingFrame(frame, room.session)
        asked.send()
        let answer: Result<ServerFrame, Rejection>? = try room.wait { notice in asked.answer(in: notice) }
        guard let answer else {
            let list: String? =
                switch frame {
                case .invite: "huddle invites"
                case .createToken: "huddle tokens"
                case .calendars: "huddle calendar"
                case .account: "huddle account"
                case .deletion: "huddle family"
                default: nil
                }
            throw ProgramFailure(
                .offline,
                list.map { "\(setting.address) did not answer in time. It may have been done: look at \($0) before you try again." }
                    ?? "\(setting.address) did not answer in time. Nothing was done.")
        }
        return answer
    }

    private func text(_ room: JoinedRoom) -> ChangeText { text(room.session.engine) }

    private func text(_ engine: borrowing SyncEngine) -> ChangeText {
        let clock = LocalClock(zone: engine.timeZone)
        return ChangeText(RecordNames(engine)) { clock.time($0, now: Clock.wallMilliseconds()) }
    }
}

/// A request on its way. If the connection breaks, the answer is lost: the same frame is sent again when the session is
/// live, and changes nothing twice.
private final class PendingFrame {
    private let frame: ClientFrame
    private let session: ClientSession
    private var request: Int64?

    init(_ frame: ClientFrame, _ session: ClientSession) {
        self.frame = frame
        self.session = session
    }

    func send() { request = session.ask { frame.numbered($0) } }

    func answer(in notice: SyncNotice) -> Result<ServerFrame, Rejection>? {
        switch notice {
        case .answer(let frame) where frame.request == request: return .success(frame)
        case .failed(let rejection, let number) where number == request: return .failure(rejection)
        case .live:
            send()
            return nil
        default: return nil
        }
    }
}

@available(*, unavailable)
extension PendingFrame: Sendable {}
