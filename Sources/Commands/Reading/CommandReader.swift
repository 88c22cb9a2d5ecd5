internal import Arguments
internal import Dates
internal import Family
internal import Terminal
internal import Words

/// Reads the words behind a command's own, as its entry in the table declares them.
struct CommandReader {
    let command: Command
    let list: ArgumentList
    private let fields: [FieldInput]
    /// Whether this is the conversation, where words that belong together need no quotes.
    private let isConversation: Bool

    /// - Parameter common: options that every command takes; none in the conversation.
    init(_ command: Command, _ words: [String], common: [Command.Option] = [], isConversation: Bool = false) throws(UsageError) {
        self.command = command
        self.isConversation = isConversation
        let plain = (command.plainOptions + common).filter { !isConversation || $0.isInConversation }
        func names(_ fits: (Command.Option) -> Bool) -> Set<String> { Set(plain.filter(fits).flatMap(\.names)) }
        let options = names { $0.value != nil && !$0.repeats }
        let switches = names { $0.value == nil }
        do throws(UsageError) {
            if let kind = command.kind, !command.fieldOptions.isEmpty {
                (list, fields) = try FieldOptions.parse(words, kind, options: options, switches: switches)
            } else {
                list = try ArgumentList(words, options: options, repeatable: names(\.repeats), switches: switches)
                fields = []
            }
        } catch {
            guard error.message.hasPrefix("There is no option"), error.message.hasSuffix(".") else { throw error }
            throw UsageError("\(error.message) \(Self.help(command, isConversation))")
        }
    }

    /// The reason why overlaps are accepted; `nil` if they are not.
    func acceptance() throws(UsageError) -> String? {
        guard command.options.contains(where: { $0.names.contains("--override") }) else { return nil }
        let reason = list.value("--reason")?.trimmed ?? ""
        guard list.has("--override") else {
            if !reason.isEmpty { throw UsageError("--reason goes with --override.") }
            return nil
        }
        guard !reason.isEmpty else { throw UsageError("--override needs --reason \"…\": why both may be at the same time.") }
        return reason
    }

    func action() throws(UsageError) -> CommandAction {
        if let request = try documentRequest() { return .document(request) }
        switch command.verb {
        case .converse:
            try list.expectNoPositional()
            return .interactive
        case .help: return .help(topic: list.positional.isEmpty ? nil : list.positional.joined(separator: " "))
        case .join:
            guard !list.has("--add") || !list.has("--new") else { throw UsageError("Write either --add or --new.") }
            return .join(code: try one(), name: list.value("--name"), adds: list.has("--add") ? true : list.has("--new") ? false : nil)
        case .signIn:
            try list.expectNoPositional()
            if let name = list.value("--name") {
                guard list.value("--origin") == nil else { throw UsageError("--origin does not go with --name: it is about a token.") }
                guard !list.has("--mail") || !list.has("--recovery") else { throw UsageError("Write --mail first, and --recovery when the mail is there.") }
                if list.has("--mail") { return .askForMail(name) }
                return .signInByName(name, replaces: list.has("--replace"), isRecovery: list.has("--recovery"))
            }
            guard !list.has("--recovery"), !list.has("--mail") else { throw UsageError("--recovery and --mail go with --name NAME.") }
            return .signIn(replaces: list.has("--replace"), origin: list.value("--origin"))
        case .completions:
            guard let shell = Shell(rawValue: try one()) else { throw usage }
            return .completions(shell)
        case .complete: return .complete(list.positional)
        case .batch:
            try list.expectNoPositional()
            return .batch(isAtomic: list.has("--atomic"), stops: list.has("--stop"))
        case .say:
            let text = list.positional.joined(separator: " ").trimmed
            guard !text.isEmpty else { throw usage }
            return .say(text)
        case .watch:
            try list.expectNoPositional()
            return .watch(since: try list.value("--since").map(Self.since))
        case .list: return .list(try ListOptions.filter(kind, list))
        case .add:
            try expectFieldsOnly(list.positional)
            return .add(kind, fields, athlete: list.value("--athlete"))
        case .edit:
            guard let target = list.positional.first else { throw usage }
            if kind == .message {
                let text = list.positional.dropFirst().joined(separator: " ").trimmed
                guard !text.isEmpty, let field = kind.declaration.index(of: "text") else { throw usage }
                return .edit(kind, target, [FieldInput(field: field, text: text)])
            }
            try expectFieldsOnly(Array(list.positional.dropFirst()))
            guard !fields.isEmpty else { throw UsageError("Nothing to change: name a field, like name=\"…\". \(fieldHelp)") }
            return .edit(kind, target, fields)
        case .remove: return .remove(try target(list.positional))
        case .restore: return .restore(try target(list.positional))
        case .attend: return .attend(try Attendance(try one(), list))
        case .shift, .copy:
            guard let last = list.positional.last, let days = Int(last), days != 0, abs(days) <= 3_660 else {
                throw UsageError("\(usage.message), with DAYS from -3660 to 3660, not 0.")
            }
            let target = try target(list.positional.dropLast())
            return command.verb == .shift ? .shift(target, days: days) : .copy(target, days: days)
        case .undo:
            guard let word = list.positional.first else { return .undo(nil) }
            guard list.positional.count == 1 else { throw usage }
            return .undo(max(1, try ArgumentList.sequence(word.hasPrefix("#") ? String(word.dropFirst()) : word)))
        case .redo:
            guard list.positional.isEmpty else { throw usage }
            return .redo
        case .itinerary:
            let day = try ListOptions.date("--day", list)
            return .itinerary(ItineraryFilter(trip: list.positional.isEmpty ? nil : try one(), day: day))
        case .export: return try export()
        case .history:
            let target = list.positional.isEmpty ? nil : list.positional.joined(separator: " ")
            return .ask(.history(target: target, before: try list.sequence("--before"), limit: try list.limit()))
        case .since:
            guard list.positional.count <= 1 else { throw usage }
            return .ask(.since(try list.positional.first.map(ArgumentList.sequence)))
        case .deleted:
            guard let word = list.positional.first else { return .deleted(nil) }
            guard list.positional.count == 1, let kind = CommandTable.kind(word) else { throw usage }
            return .deleted(kind)
        case .reminders:
            try list.expectNoPositional()
            return .reminders
        case .reminderRule:
            try list.expectNoPositional()
            return .reminderRule
        case .remind: return .remind(try ReminderRuleChange(list))
        case .open: return .open(try one(), isMap: list.has("--map"))
        case .identity, .status:
            try list.expectNoPositional()
            return .identity(showsState: command.verb == .status)
        case .statistics:
            let kinds: [String: Kind] = ["events": .event, "documents": .document, "metrics": .metric]
            guard list.positional.count <= 1, let kind = list.positional.first.map({ kinds[$0] }) ?? .family else {
                throw UsageError("\(usage.message), with KIND one of events, documents, metrics.")
            }
            return .ask(.statistics(kind))
        case .access:
            try list.expectNoPositional()
            return .ask(.accesses(before: list.value("--before"), limit: try list.limit()))
        case .audit:
            try list.expectNoPositional()
            return .ask(.audit(before: list.value("--before"), limit: try list.limit(), isOwn: list.has("--own")))
        case .invite: return .ask(.invite(try invite()))
        case .invites: return .ask(try invites())
        case .consents:
            try list.expectNoPositional()
            return .ask(.standings(showsText: list.has("--text")))
        case .consent:
            let name = try one()
            guard list.has("--withdraw") else { return .ask(.consent(name, accepts: list.value("--accept"))) }
            guard list.value("--accept") == nil else { throw UsageError("--accept does not go with --withdraw.") }
            return .ask(.withdrawConsent(name))
        case .birthDate:
            guard list.positional.count >= 2, let word = list.positional.last, isConversation || list.positional.count == 2 else { throw usage }
            return .ask(.birthDate(list.positional.dropLast().joined(separator: " "), word))
        case .lastDay:
            let day = try ListOptions.date("--until", list)
            guard (day == nil) == list.has("--stays") else { throw UsageError("Write either --until DATE or --stays.") }
            return .ask(.lastDay(try one(), day?.description))
        case .sessions: return .ask(.sessions(try sessions()))
        case .tokens: return .ask(try tokens())
        case .calendar: return .ask(.calendar(try calendar()))
        case .device:
            try list.expectNoPositional()
            return .ask(.addDevice)
        case .account:
            try list.expectNoPositional()
            return .ask(.account(.show))
        case .confirm:
            try list.expectNoPositional()
            return .ask(.account(.confirm))
        case .password, .factor, .recovery, .passkeys, .mail: return .ask(.account(try account()))
        case .logout:
            try list.expectNoPositional()
            return .logout
        case .role:
            guard list.positional.count >= 2, let word = list.positional.last, let role = Family.Role(rawValue: word),
                let field = Kind.member.declaration.index(of: "role"), isConversation || list.positional.count == 2
            else { throw usage }
            return .edit(.member, list.positional.dropLast().joined(separator: " "), [FieldInput(field: field, text: role.rawValue)])
        case .leave:
            try list.expectNoPositional()
            guard list.has("--yes") else {
                throw UsageError("If you leave, you have no access to the family any more. To leave, write: \(isConversation ? "/" : "huddle ")leave --yes")
            }
            return .leave
        case .family: return .ask(.deletion(try deletion()))
        case .older: return .ask(.olderMessages(before: nil))
        case .outbox: return .outbox(try OutboxRequest(list.positional, usage))
        case .set: return .configure(try SettingRequest.set(list.positional))
        case .upload, .download, .versions, .share, .shares, .unshare, .link, .exportFamily, .show, .context, .drafts, .retry, .drop, .quit, .conflicts, .resolve, .actionMessage, .find, .clear, .reconnect, .bind, .unbind:
            preconditionFailure("the conversation alone does this")
        }
    }

    private func deletion() throws(UsageError) -> DeletionWords {
        guard list.positional.count <= 1 else { throw usage }
        let name = list.value("--name")
        guard name == nil || list.positional.first == "delete" else { throw UsageError("--name goes with delete.") }
        switch list.positional.first {
        case nil, "status"?: return .show
        case "keep"?: return .keep
        case "delete"?: return .delete(name: name)
        default: throw usage
        }
    }

    /// The single thing that the command is about.
    func one() throws(UsageError) -> String {
        guard let first = list.positional.first, isConversation || list.positional.count == 1 else { throw usage }
        return isConversation ? list.positional.joined(separator: " ") : first
    }

    private var kind: Kind { command.kind ?? .event }

    var usage: UsageError {
        let words = command.arguments.compactMap { argument in
            if case .word(let words) = argument.value, words.count < 8 { "\(argument.name) one of \(words.joined(separator: ", "))" } else { nil }
        }
        let form = isConversation || command.words.isEmpty ? command.slashUsage : command.usage
        return UsageError("Write: \(form)" + (words.isEmpty ? "" : ", with " + words.joined(separator: ", ")))
    }

    private var fieldHelp: String { Self.help(command, isConversation) }

    private static func help(_ command: Command, _ isConversation: Bool) -> String {
        let words = (isConversation ? command.slash.first : command.words.first) ?? []
        return "See \((["\(isConversation ? "/" : "huddle ")help"] + words).joined(separator: " "))."
    }

    private func invite() throws(UsageError) -> InviteWords {
        let name = try one()
        if list.has("--member") {
            for option in ["--role", "--born", "--until"] where list.value(option) != nil {
                throw UsageError("\(option) does not go with --member: role and birth date are known.")
            }
            return InviteWords(member: name, email: list.value("--email"))
        }
        guard let role = Family.Role(rawValue: list.value("--role") ?? Family.Role.guest.rawValue) else { throw UsageError("--role takes athlete, parent or guest.") }
        let born = try ListOptions.date("--born", list)
        guard (born != nil) == (role == .athlete) else {
            throw UsageError(born == nil ? "An athlete needs a birth date: add --born YYYY-MM-DD" : "--born is for athletes only.")
        }
        let until = try ListOptions.date("--until", list)
        guard until == nil || role == .guest else { throw UsageError("--until is for guests only.") }
        return InviteWords(name: name, role: role, born: born?.description, email: list.value("--email"), lastDay: until?.description)
    }

    private func invites() throws(UsageError) -> Question {
        let target = list.positional.dropFirst().joined(separator: " ")
        switch list.positional.first {
        case nil: return .invites
        case "list" where target.isEmpty: return .invites
        case "resend" where !target.isEmpty: return .resend(target)
        case "withdraw" where !target.isEmpty: return .withdraw(target)
        default: throw usage
        }
    }

    private func tokens() throws(UsageError) -> Question {
        let rest = Array(list.positional.dropFirst())
        let options = ["--scope", "--days", "--athletes"].filter { list.value($0) != nil }
        switch list.positional.first {
        case nil where options.isEmpty: return .tokens
        case "list" where rest.isEmpty && options.isEmpty: return .tokens
        case "revoke" where rest.count == 1 && options.isEmpty: return .revoke(rest[0])
        case "create" where !rest.isEmpty && (isConversation || rest.count == 1):
            guard let scope = TokenScope(rawValue: list.value("--scope") ?? TokenScope.read.rawValue) else {
                throw UsageError("--scope takes read, write or calendar.")
            }
            guard let days = Int64(list.value("--days") ?? "90"), AccountSession.tokenDays.contains(days) else {
                throw UsageError("--days takes a number from \(AccountSession.tokenDays.lowerBound) to \(AccountSession.tokenDays.upperBound).")
            }
            let athletes = (list.value("--athletes") ?? "").split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
            guard athletes.isEmpty == (scope != .calendar) else {
                throw UsageError(scope == .calendar ? "A token for calendars needs athletes: add --athletes NAME,NAME" : "--athletes goes with --scope calendar.")
            }
            return .createToken(TokenWords(name: rest.joined(separator: " "), scope: scope, days: days, athletes: athletes))
        default: throw usage
        }
    }

    private func calendar() throws(UsageError) -> CalendarQuestion {
        let rest = Array(list.positional.dropFirst())
        let options = command.options.map { $0.names[0] }.filter { list.value($0) != nil || list.has($0) }
        switch list.positional.first {
        case nil where options.isEmpty: return .list
        case "list" where rest.isEmpty && options.isEmpty: return .list
        case "remove" where !rest.isEmpty && options.isEmpty: return .remove(rest.joined(separator: " "))
        case "add" where !rest.isEmpty:
            var words = CalendarWords(name: rest.joined(separator: " "))
            guard ["--athletes", "--athlete", "--trip", "--all"].filter(options.contains).count <= 1 else {
                throw UsageError("Take one of --athletes, --athlete, --trip and --all.")
            }
            words.athletes = (list.value("--athletes") ?? "").split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
            if let athlete = list.value("--athlete") { (words.athletes, words.isOfOneAthlete) = ([athlete], true) }
            words.trip = list.value("--trip")
            words.isAll = list.has("--all")
            if let text = list.value("--kinds") {
                words.kinds = try text.split(separator: ",").map { word throws(UsageError) in
                    guard let kind = CommandTable.kind(String(word).trimmed), FeedSettings.feedKinds.contains(kind) else {
                        throw UsageError("--kinds takes events, trips and items, with commas between.")
                    }
                    return kind
                }
            }
            words.isBusy = list.has("--busy")
            words.isSilent = list.has("--no-alarms")
            words.until = try ListOptions.date("--until", list)?.description
            return .add(words)
        default: throw usage
        }
    }

    private func account() throws(UsageError) -> AccountQuestion {
        let words = list.positional
        switch (command.verb, words.first, words.count) {
        case (.password, "set", 2): return .setPassword(name: words[1])
        case (.password, "remove", 1): return .removePassword
        case (.factor, "add", 1): return .addFactor
        case (.factor, "confirm", 1): return .confirmFactor
        case (.factor, "remove", 1): return .removeFactor
        case (.passkeys, nil, 0), (.passkeys, "list", 1): return .passkeys
        case (.passkeys, "remove", 2...): return .removePasskey(words.dropFirst().joined(separator: " "))
        case (.recovery, "codes", 1): return .makeRecoveryCodes
        case (.recovery, "member", 2): return .recoverMember(words[1])
        case (.mail, nil, 0), (.mail, "show", 1): return .show
        case (.mail, "set", 2): return .setMail(words[1])
        case (.mail, "confirm", 2): return .confirmMail(words[1])
        case (.mail, "remove", 1): return .removeMail
        default: throw usage
        }
    }

    private func sessions() throws(UsageError) -> SessionQuestion {
        let rest = list.positional.dropFirst()
        switch list.positional.first {
        case nil where !list.has("--others"): return .list
        case "list" where rest.isEmpty && !list.has("--others"): return .list
        case "end" where list.has("--others") && rest.isEmpty: return .endOthers
        case "end" where !list.has("--others") && rest.count == 1: return .end(rest[rest.startIndex])
        case "rename" where !list.has("--others") && rest.count >= 2:
            guard isConversation || rest.count == 2 else { throw usage }
            return .rename(rest[rest.startIndex], rest.dropFirst().joined(separator: " "))
        default: throw usage
        }
    }

    /// `ID`, or `KIND ID`.
    private func target(_ words: [String]) throws(UsageError) -> CommandTarget {
        if let kind = command.kind {
            guard let first = words.first, isConversation || words.count == 1 else { throw usage }
            return .init(kind, isConversation ? words.joined(separator: " ") : first)
        }
        guard let first = words.first else { throw usage }
        if words.count > 1, let kind = CommandTable.kind(first), isConversation || words.count == 2 {
            guard isTarget(kind) else { throw UsageError("\(command.words.first?.first ?? "This") does not work for \(KindWords.plural(kind)).") }
            return .init(kind, words.dropFirst().joined(separator: " "))
        }
        guard isConversation || words.count == 1 else { throw usage }
        return .init(nil, words.joined(separator: " "))
    }

    /// Whether the command can be about records of a kind.
    private func isTarget(_ kind: Kind) -> Bool {
        command.arguments.contains { if case .record(let kinds) = $0.value { kinds.contains(kind) } else { false } }
            || (kind == .message && (command.verb == .remove || command.verb == .restore))
    }

    private func expectFieldsOnly(_ words: [String]) throws(UsageError) {
        guard let word = words.first else { return }
        guard let name = word.split(separator: "=", maxSplits: 1).first, word.contains("=") else {
            throw UsageError("'\(word.printable)' isn't a field. Write name=value.")
        }
        throw UsageError("\(kind.declaration.label) has no field '\(String(name).printable)'. \(fieldHelp)")
    }

    private func export() throws(UsageError) -> CommandAction {
        guard let word = list.positional.first, let kind = CommandTable.kind(word), CommandTable.exported.contains(kind) else { throw usage }
        let known = ListOptions.options(kind).union(ListOptions.switches(kind))
        for option in command.options where !["--csv", "--pdf", "--ics", "--output"].contains(option.names[0]) {
            if list.value(option.names[0]) != nil || list.has(option.names[0]), !known.contains(option.names[0]) {
                throw UsageError("There is no option \(option.names[0]) for \(KindWords.plural(kind)).")
            }
        }
        guard ["--csv", "--pdf", "--ics"].filter({ list.has($0) }).count <= 1 else { throw UsageError("Take one of --csv, --pdf and --ics.") }
        let file = list.value("--output")
        if list.has("--ics") || (!list.has("--csv") && !list.has("--pdf") && file?.lowercased().hasSuffix(".ics") == true) {
            guard FeedSettings.feedKinds.contains(kind) else { throw UsageError("--ics takes events, trips and items.") }
            return .exportCalendar(try ListOptions.filter(kind, list, words: Array(list.positional.dropFirst())), file: file)
        }
        let format: ExportFormat = list.has("--pdf") ? .pdf : list.has("--csv") ? .csv : file.flatMap(ExportFormat.init(path:)) ?? .csv
        return .export(try ListOptions.filter(kind, list, words: Array(list.positional.dropFirst())), format, file: file)
    }

    private static func since(_ text: String) throws(UsageError) -> WatchStart {
        let wrong = UsageError("--since takes SEQ or EPOCH:SEQ, as watch printed them.")
        if let colon = text.lastIndex(of: ":") {
            guard let sequence = Int64(text[text.index(after: colon)...]), sequence >= 0, sequence < 1 << 53, colon > text.startIndex else {
                throw wrong
            }
            return .cursor(epoch: String(text[..<colon]), sequence: sequence)
        }
        guard let sequence = Int64(text), sequence >= 0, sequence < 1 << 53 else { throw wrong }
        return .sequence(sequence)
    }
}

extension ArgumentList {
    /// A sequence of the family's history.
    fileprivate static func sequence(_ text: String) throws(UsageError) -> Int64 {
        guard let sequence = Int64(text), sequence >= 0, sequence < 1 << 53 else {
            throw UsageError("'\(text.printable)' isn't a change number. huddle history shows them.")
        }
        return sequence
    }

    fileprivate func sequence(_ option: String) throws(UsageError) -> Int64? {
        guard let text = value(option) else { return nil }
        return max(1, try Self.sequence(text))
    }

    fileprivate func limit() throws(UsageError) -> Int {
        try integer("--limit", in: 1...200) ?? Question.usualLimit
    }
}
