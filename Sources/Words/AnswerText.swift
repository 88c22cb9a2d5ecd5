internal import Bytes
package import Family
internal import Queries
internal import Terminal
package import Wire

/// The server's responses to requests (`Question`), as lines for a terminal.
package struct AnswerText {
    private let text: ChangeText
    /// Whether a screen reader reads the lines, so that arrows are replaced by words.
    private let isSpoken: Bool

    package init(_ text: ChangeText, isSpoken: Bool = false) {
        self.text = text
        self.isSpoken = isSpoken
    }

    private var names: RecordNames { text.names }

    package func lines(_ answer: ServerFrame) -> [String] {
        switch answer {
        case .history(let page): history(page)
        case .digest(let digest): self.digest(digest)
        case .statistics(let answer): statistics(answer.statistics)
        case .accessLog(let page): accesses(page)
        case .invite(let answer): invite(answer)
        case .invites(let list): invites(list.invites)
        case .audit(let page): AuditText(text).lines(page)
        case .standing(let answer): [standing(answer.standing)]
        case .standings(let list): list.standings.map(standing) + due(list.standings)
        case .sessions(let list): list.sessions.map(Self.session)
        case .deviceCode(let answer):
            [
                "On the other device, until \(text.time(answer.expiresAt)), type this one-time code. Anyone who has it is signed in as you:",
                "  huddle join \(answer.code.printable)",
            ]
        case .programToken(let answer):
            [
                "\(answer.session.name.printable) (\((answer.session.scope ?? .read).rawValue)) is valid until \(answer.session.endsOn). This is the only time that the token is shown:",
                "  \(answer.token.printable)",
            ]
        case .calendars(let list): CalendarFeedText.lines(list.calendars, text)
        case .account(let reply): account(reply.answer)
        case .deletion(let answer): [deletion(answer.deletion)]
        case .page(let page): page.records.reversed().map(text.message)
        default: []
        }
    }

    private func deletion(_ deletion: FamilyDeletion?) -> String {
        guard let deletion else { return "Nobody has asked for the deletion of this family." }
        let who = deletion.by.map { names.member($0) } ?? "The person who runs the server"
        return "\(who) asked for the deletion of this family (\(text.time(deletion.requestedAt))). It is erased from \(text.time(deletion.dueAt)) on. "
            + "Until then any parent can keep it: huddle family keep"
    }

    // MARK: The account

    /// The person's ways to sign in, and what a change of them gave, this once.
    private func account(_ answer: AccountAnswer) -> [String] {
        let state = answer.state
        if let code = answer.code {
            return [
                "Until \(text.time(answer.expiresAt ?? 0)) the member comes back with this one-time code. Hand it over yourself:",
                "  huddle join \(code.printable)",
            ]
        }
        let passkeys = state.passkeys.isEmpty ? [] : [state.passkeys.count == 1 ? "You have 1 passkey." : "You have \(state.passkeys.count) passkeys."]
        let mail = Self.mail(state.mail)
        guard let name = state.name else { return ["You have no password: this sign-in, other devices and codes let you in."] + passkeys + mail }
        var lines = ["You sign in as \(name.printable) with a password\(state.hasFactor ? " and a one-time password" : "")."]
        if let secret = answer.secret {
            lines += [
                "Type this secret into an authenticator program, then confirm with its first password: huddle totp confirm",
                "  \(secret.printable)",
            ]
        }
        if !answer.codes.isEmpty {
            lines.append("Write these recovery codes down. They are shown this once; each stands for the password or the one-time password, once:")
            lines += answer.codes.map { "  \($0.printable)" }
        } else {
            lines.append(state.recoveryCodes == 1 ? "1 recovery code is left." : "\(state.recoveryCodes) recovery codes are left.")
        }
        lines += passkeys + mail
        if let end = state.confirmedUntil { lines.append("Confirmed until \(text.time(end)).") }
        return lines
    }

    /// The person's e-mail address, and one that waits.
    private static func mail(_ mail: AccountMail?) -> [String] {
        guard let mail else { return [] }
        var lines = mail.address.map { ["Mail goes to \($0.printable)."] } ?? []
        guard let pending = mail.pending?.printable else { return lines }
        switch mail.problem {
        case nil: lines.append("A code was sent to \(pending); it is good for 30 minutes: huddle mail confirm CODE")
        case .refused?: lines.append("The mail to \(pending) was refused. Check the address: huddle mail set ADDRESS")
        case .late?: lines.append("The mail to \(pending) could not be sent in time. Try again: huddle mail set ADDRESS")
        }
        return lines
    }

    /// A mail that the person asked for and that was given up.
    package static func mailFailed(_ notice: MailNotice) -> String {
        let reason = switch notice.problem {
        case .refused: "was refused"
        case .late: "could not be sent in time"
        }
        let address = notice.address.printable
        return switch notice.kind {
        case .invite: "The mail with the invite to \(address) \(reason). Hand the code over yourself, or invite again: huddle invites"
        case .confirm, .recovery, .removed: "The mail to \(address) \(reason). Check the address: huddle mail set ADDRESS"
        }
    }

    /// The person's passkeys.
    package static func passkeys(_ passkeys: [AccountPasskey]) -> [String] {
        guard !passkeys.isEmpty else { return ["You have no passkeys. A browser makes them."] }
        return passkeys.map { passkey in
            "\(passkey.name.printable), made \(passkey.createdOn), \(passkey.usedOn.map { "last used \($0)" } ?? "not used yet")  \(passkey.id)"
        }
    }

    /// A recovery of the person's sign-in, as all their devices show it.
    ///
    /// - Parameter at: the time of it in words.
    package static func recovery(_ notice: RecoveryNotice, at: String) -> String {
        let way =
            switch notice.way {
            case .code: "with a recovery code"
            case .parent: "with a code of a parent"
            case .mail: "with a code that was mailed"
            case .host: "with a code of the person who runs the server"
            }
        return "Somebody came back to your account \(way) (\(at)). If that was not you: huddle sessions, and set a new password."
    }

    // MARK: History

    private func history(_ page: HistoryPage) -> [String] {
        guard !page.entries.isEmpty else { return ["Nothing has happened yet."] }
        var lines: [String] = []
        for item in page.entries {
            let change = Change(
                sequence: item.sequence, at: item.at, member: item.member, client: nil, mutation: nil, entries: item.changes.map(\.entry))
            var told = text.lines(change)
            let messages = item.changes.compactMap { change -> String? in
                guard change.entry.kind == .message, case .create(_, let fields) = change.entry.effect else { return nil }
                let words = TextWidth.cut((fields.text("text") ?? "").printable, to: 60)
                return "\(text.time(item.at)) \(names.member(item.member)) wrote: \(words)"
            }
            told += messages
            if told.isEmpty { continue }
            let marks = (item.undoes.map { " (undoes #\($0))" } ?? "") + (item.isUndoable ? " (can be undone)" : "")
            for (place, line) in told.enumerated() { lines.append("#\(item.sequence) \(line)\(place == 0 ? marks : "")") }
            for change in item.changes { lines += replaced(change) }
        }
        if let next = page.next { lines.append("Older: --before \(next)") }
        return lines
    }

    /// "      cost: 100.00 → 150.00" for each field that an update replaced.
    private func replaced(_ change: HistoryItem.Change) -> [String] {
        guard case .update(let assignments) = change.entry.effect else { return [] }
        let fields = change.entry.kind.declaration.fields
        return assignments.compactMap { assignment in
            guard fields.indices.contains(assignment.field), let before = change.before.first(where: { $0.field == assignment.field }) else {
                return nil
            }
            let field = fields[assignment.field]
            let (old, new) = (text.value(before.value, field), text.value(assignment.value, field))
            if isSpoken { return "      \(field.label): \(new), before \(old == "–" ? "nothing" : old)." }
            return "      \(field.label.lowercased()): \(old) → \(new)"
        }
    }

    // MARK: Digest

    private func digest(_ digest: DigestAnswer) -> [String] {
        guard digest.changes > 0 else { return ["Nothing new since #\(digest.after)."] }
        let authors = digest.authors.map { "\(names.member($0.member)) \($0.changes)" }.joined(separator: ", ")
        let least = digest.isComplete ? "" : "at least "
        var lines = ["Since #\(digest.after): \(least)\(Self.many(digest.changes, "change")) (\(authors))"]
        for count in digest.kinds where count.kind != .message {
            let parts = [(count.created, "added"), (count.updated, "changed"), (count.deleted, "deleted"), (count.restored, "restored")]
            let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            lines.append("  \(count.kind.declaration.label.lowercased()): \(told)")
        }
        if digest.messages > 0 {
            let mentions = digest.mentions.isEmpty ? "" : ", \(digest.mentions.count) for you"
            lines.append("  \(Self.many(digest.messages, "new message"))\(mentions)")
        }
        for record in digest.records.prefix(10) where record.kind != .message {
            let name = names.name(record.id)
            guard !name.isEmpty else { continue }
            lines.append("  \(text.time(record.at)) \(name) (\(names.member(record.member)))")
        }
        return lines
    }

    // MARK: Figures

    private func statistics(_ statistics: Statistics) -> [String] {
        switch statistics {
        case .events(let events):
            return ["\(Self.many(events.total, "event")), \(events.upcoming) upcoming",
                "  \(events.registered) registered, \(events.notRegistered) not registered, \(events.attended) attended"]
                + events.types.map { "  \(label($0.type, .event)): \($0.records)" }
        case .documents(let documents):
            let most = documents.mostCommonType.map { ", most are \(label($0, .document))" } ?? ""
            return ["\(Self.many(documents.total, "document")), \(documents.shared) shared\(most)", "  \(stored(documents))"]
                + documents.types.map { "  \(label($0.type, .document)): \($0.records)" }
        case .metrics(let metrics):
            guard !metrics.isEmpty else { return ["No metrics."] }
            return metrics.map { metric in
                let name = metric.label?.printable ?? label(metric.type, .metric)
                return "\(name): best \(mark(metric.best)), latest \(mark(metric.latest)), \(Self.many(metric.records, "entry", "entries"))"
            }
        case .family(let counts):
            // The family itself and what was read are no news to people.
            return counts.filter { $0.kind != .family && $0.kind != .readingPosition && $0.kind != .reminderRule }.map { "\($0.kind.declaration.label): \($0.records)" }
        }
    }

    private func stored(_ documents: Statistics.Documents) -> String {
        guard let used = documents.storageUsed, let quota = documents.storageQuota else { return "\(ByteCount.text(documents.octets)) stored" }
        return "\(ByteCount.text(documents.octets)) stored; the family uses \(ByteCount.text(used)) of \(ByteCount.text(quota))"
    }

    private func mark(_ mark: Statistics.Metric.Mark) -> String {
        "\(mark.value.printable) \(mark.unit.printable) (\(EventText.dates(mark.date, nil)))"
    }

    private func label(_ type: String, _ kind: Kind) -> String {
        for field in kind.declaration.fields {
            if case .choice(let words, let labels) = field.type, let place = words.firstIndex(of: type), labels.indices.contains(place) {
                return labels[place]
            }
        }
        return type.printable
    }

    private static func many(_ count: Int, _ one: String, _ several: String? = nil) -> String {
        "\(count) \(count == 1 ? one : several ?? one + "s")"
    }

    // MARK: Sessions

    /// One line: enough of the id to name it by, kind, name, days.
    private static func session(_ session: AccountSession) -> String {
        let name = session.name.isEmpty ? "(no name)" : session.name.printable
        let kind = session.scope.map { "\(session.kind.rawValue) (\($0.rawValue))" } ?? session.kind.rawValue
        return "\(session.shortID)  \(kind)  \(name)  since \(session.createdOn), used \(session.usedOn), ends \(session.endsOn)"
            + (session.isCurrent ? "  (this one)" : "")
    }

    // MARK: Invites

    private func invite(_ answer: InviteAnswer) -> [String] {
        let invite = answer.invite
        let name = invite.name.printable
        if let code = answer.code {
            let also = invite.email.map { " or as \($0.printable)" } ?? ""
            return [
                "\(name) (\(invite.role.rawValue)) is invited. They join with this one-time code until \(text.time(invite.expiresAt)), as \(name)\(also):",
                "  huddle join \(code.printable)",
            ] + (invite.mail == .waiting || invite.mail == .sent ? ["The code is mailed to them as well. If the mail is refused, you get a notice, and huddle invites shows it."] : [])
        }
        switch invite.state {
        case .accepted where invite.role == .athlete: return ["\(name) is in the family. Under 13 there is no sign-in: a parent keeps the profile."]
        case .proposed:
            return ["\(name) is in the family, without a sign-in. Read the text and consent: huddle consent \(name)", "Then invite: huddle invite \(name) --member"]
        case .accepted: return ["\(name) has joined."]
        case .withdrawn: return ["The invite of \(name) is withdrawn: its code opens nothing."]
        case .expired, .pending: return ["The code of \(name) has expired. Make a new one: huddle invites resend \(name)"]
        }
    }

    private func invites(_ invites: [Invite]) -> [String] {
        guard !invites.isEmpty else { return ["Nobody is invited."] }
        return invites.map { invite in
            let until = invite.state == .expired ? "expired" : "until \(text.time(invite.expiresAt))"
            let by = invite.inviter.map { ", by \(names.member($0))" } ?? ""
            let mail = switch invite.mail {
            case nil: ""
            case .waiting?: ", the mail is on its way"
            case .sent?: ", mailed"
            case .failed?: ", the mail failed: hand the code over, or invite again"
            }
            return "\(invite.name.printable) (\(invite.role.rawValue)), \(until)\(by)\(mail)  \(invite.id)"
        }
    }

    // MARK: Standings

    /// The acts that a parent should do for athletes who have the age for a sign-in, as sentences.
    package func due(_ standings: [Standing]) -> [String] {
        standings.filter(\.isDue).map { standing in
            let name = names.member(standing.member)
            if standing.state == .consentNeeded { return "\(name) is old enough for a sign-in, if a parent consents: huddle consent \(name)" }
            return "\(name) is old enough for a sign-in: huddle invite \(name) --member"
        }
    }

    private func standing(_ standing: Standing) -> String {
        let name = names.member(standing.member)
        let consent = standing.consent.map { "; \(names.member($0.by)) consented (\(text.time($0.at)), \($0.version.printable))" } ?? ""
        let signIn = standing.hasSignIn ? "has signed in" : standing.isInvited ? "is invited" : "has not signed in"
        return switch standing.state {
        case .open, .consented:
            "\(name) (\(standing.role.rawValue)) may sign in and \(signIn)\(consent)" + (standing.lastDay.map { "; last day \($0.printable)" } ?? "")
        case .underAge: "\(name) (\(standing.role.rawValue)) has no sign-in: below 13 a parent keeps the profile"
        case .ageUnknown: "\(name) (\(standing.role.rawValue)) has no sign-in: the birth date is missing"
        case .consentNeeded: "\(name) (\(standing.role.rawValue)) has no sign-in: no parent has consented"
        case .ended: "\(name) (\(standing.role.rawValue)) has no sign-in: the last day is over" + (standing.lastDay.map { " (\($0.printable))" } ?? "")
        }
    }

    // MARK: Access log

    private func accesses(_ page: AccessPage) -> [String] {
        guard !page.entries.isEmpty else { return ["No one has viewed it yet."] }
        var lines = page.entries.map { entry -> String in
            let whose = names.member(entry.athlete)
            let what =
                switch entry.what {
                case "document": "opened a document of \(whose)" + (entry.record.map { ": \(names.name($0))" } ?? "")
                case "calendar": "made a calendar feed of \(whose)'s season"
                case "export": "exported what is \(whose)'s"
                default: "looked at \(whose)'s season"
                }
            return "\(text.time(entry.at)) \(names.member(entry.member)) \(what)"
        }
        if let next = page.next { lines.append("Older: --before \(next)") }
        return lines
    }
}
