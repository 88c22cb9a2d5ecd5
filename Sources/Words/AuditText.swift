internal import Bytes
internal import Family
internal import Terminal
internal import Wire

/// The audit log as lines for a terminal.
struct AuditText {
    private let text: ChangeText

    init(_ text: ChangeText) { self.text = text }

    private var names: RecordNames { text.names }

    func lines(_ page: AuditPage) -> [String] {
        guard !page.entries.isEmpty else { return ["The audit log has no entries for you."] }
        var lines = page.entries.map { "\(text.time($0.at)) \(line($0))" }
        if let next = page.next { lines.append("Older: --before \(next)") }
        return lines
    }

    private func line(_ entry: Audit.Entry) -> String {
        let author =
            switch entry.author {
            case .member(let member): name(member)
            case .host: "The host"
            case .server: "The server"
            }
        let isOwn = entry.about.map { entry.author == .member($0) } ?? false
        let whose = isOwn ? "their own" : entry.about.map { "\(name($0))'s" } ?? "the family's"
        let whom = isOwn ? "themselves" : entry.about.map(name) ?? "the family"
        let detail = entry.detail.map { $0.printable } ?? ""
        let named = detail.isEmpty ? "" : " (\(detail))"
        guard let act = Audit.Act(rawValue: entry.act) else { return "\(author): \(entry.act.printable), about \(whom)\(named)" }
        return switch act {
        case .familyCreated: "\(author) made the family; its first parent is \(whom)"
        case .familyImported: "\(author) imported the family from an archive"
        case .deletionRequested: "\(author) asked for the deletion of the family on \(detail)"
        case .deletionWithdrawn: "\(author) withdrew the request to delete the family"
        case .invited: "\(author) invited \(whom)\(named)"
        case .inviteWithdrawn: "\(author) withdrew the invite of \(whom)"
        case .inviteAccepted: "\(author) accepted an invite"
        case .roleChanged: "\(author) changed the role of \(whom) to \(detail)"
        case .parentAccessChanged: "\(author) changed what parents may do with \(whose) records to \(detail)"
        case .memberRemoved: "\(author) removed \(whom)"
        case .memberLeft: "\(author) left the family"
        case .memberRestored: "\(author) brought \(whom) back"
        case .birthDateCorrected: "\(author) corrected \(whose) birth date"
        case .guestEndSet: detail.isEmpty ? "\(author) let \(whom) stay without an end" : "\(author) set the last day of \(whom) to \(detail)"
        case .guestEnded: "\(author) ended the access of \(whom): the last day was \(detail)"
        case .consentGiven: "\(author) consented to a sign-in for \(whom)\(named)"
        case .consentWithdrawn: "\(author) withdrew the consent for \(whom)\(named)"
        case .signedIn: "\(author) signed in\(named)"
        case .signInFailed: "\(entry.count) failed \(entry.count == 1 ? "attempt" : "attempts") to sign in as \(entry.about.map(name) ?? "a member")"
        case .tokenByHost: "\(author) made a session for \(whom)"
        case .passwordSet: "\(author) set \(whose) password"
        case .passwordRemoved: "\(author) removed \(whose) password"
        case .factorAdded: "\(author) added a second factor to \(whose) sign-in\(named)"
        case .factorRemoved: "\(author) removed a second factor from \(whose) sign-in\(named)"
        case .recoveryCodesMade: "\(author) made \(whose) recovery codes"
        case .recoveryOffered: "\(author) made a code by which \(whom) can come back"
        case .recoveryUsed: "\(author) recovered \(whose) sign-in\(named)"
        case .mailConfirmed: "\(author) confirmed an e-mail address for \(whose) sign-in"
        case .mailRemoved: "\(author) removed the e-mail address of \(whose) sign-in"
        case .passkeyAdded: "\(author) added a passkey to \(whose) sign-in\(named)"
        case .passkeyRemoved: "\(author) removed a passkey from \(whose) sign-in\(named)"
        case .passkeyRefused: "A passkey was refused for \(whom)\(named)"
        case .deviceAdded: "\(author) signed in on another device\(named)"
        case .sessionsEnded: "\(author) ended \(entry.count == 1 ? "one" : "\(entry.count)") of \(whose) sessions"
        case .tokenCreated: "\(author) made a token for a program\(named)"
        case .tokenRevoked: "\(author) revoked a token of a program\(named)"
        case .calendarAdded: "\(author) made a calendar feed\(named)"
        case .calendarChanged: "\(author) changed a calendar feed\(named)"
        case .calendarRemoved: "\(author) removed a calendar feed\(named)"
        case .exported: "\(author) exported the family\(named)"
        case .shared: "\(author) shared a document of \(whom)"
        case .shareEnded: "\(author) ended a share link of a document of \(whom)"
        case .quotaSet: "\(author) set a quota\(named)"
        }
    }

    private func name(_ id: Identifier) -> String { names.member(id) }
}
