import Bytes
package import Family

/// The result of an attempt to send a mail.
package enum MailOutcome: Hashable, Sendable {
    case sent
    /// The mail server will never accept it.
    case refused
    /// Another attempt may succeed.
    case later
    /// This side ended the attempt; the next one is due now.
    case stopped
}

/// A mail that was claimed for an attempt, and the waiting ones.
package struct MailClaim: Hashable, Sendable {
    /// `nil` if no mail is due.
    package var mail: OutgoingMail?
    /// The time at which the next one is due, UTC milliseconds; `nil` if none waits.
    package var next: Int64?
    /// The number of mails that wait or are being sent.
    package var waiting: Int
}

// The queue of mails. Nothing is sent within a transaction: a mail is claimed, sent, and then marked, each step durable
// before the next.
//
//     (none) --send--> waiting --claim--> under way --mark--> (gone: sent, or given up)
//                         ^                   |
//                         +--4xx, no server---+   after 10 s, 1, 5, 30 min, 30 min ... until it expires
//
// A process that ends between a claim and its mark leaves the mail claimed: the next process sends it again, with the
// same Message-ID. So a mail is sent at least once, and mail programs show it once.
extension FamilyStore {
    /// Milliseconds of attempts for a mail: 24 hours. A mail with a code that is valid for a shorter time is attempted
    /// for that time.
    package static let mailLife: Int64 = 86_400_000
    /// Milliseconds after the first attempt, the second, …; the last value repeats.
    package static let mailPauses: [Int64] = [10_000, 60_000, 300_000, 1_800_000]
    /// The largest number of waiting mails, in total and for one person.
    package static let maxOutgoing = 10_000
    package static let maxOutgoingOfPerson = 50
    /// The number of expired mails that one claim abandons.
    private static let expiredPerClaim = 50

    /// A new name for a mail.
    func outgoingName(_ kind: MailKind) -> String { "\(kind.rawValue)-\(identifier(environment.now()))" }

    /// Queues a mail, within the open transaction.
    func send(
        _ text: MailText, _ kind: MailKind, to address: String, name: String, person: Int64?, about: (family: Int64, id: Identifier)? = nil, until: Int64, at: Int64
    ) throws {
        guard try people.outgoingMails(of: nil) < Self.maxOutgoing else { throw Rejection.outboxFull }
        if let person, try people.outgoingMails(of: person) >= Self.maxOutgoingOfPerson { throw Rejection.outboxFull }
        try people.addOutgoing(
            OutgoingMail(
                name: name, kind: kind, person: person, family: about?.family, about: about?.id, address: address, subject: text.subject, body: text.body, createdAt: at, dueAt: at,
                expiresAt: until))
        hasNewMail = true
    }

    /// Claims the mail that is due first, for an attempt.
    ///
    /// - Parameter isFirst: whether it is the first claim of the process, so that no other attempt is running.
    /// - Returns: the mail, the due time of the next one, and the number of waiting mails, including this one; `nil` if
    ///   nothing could be claimed because the disk is full.
    package func claimMail(isFirst: Bool) throws(StoreFailure) -> MailClaim? {
        let outcome = try account(isDone: { (claim: MailClaim) in
            guard let mail = claim.mail else { return false }
            return try self.people.outgoingMail(key: mail.key) == mail
        }) { at in
            if isFirst { try people.releaseOutgoing() }
            var claimed: OutgoingMail?
            for mail in try people.dueMails(at: at, limit: Self.expiredPerClaim) {
                guard at < mail.expiresAt else {
                    try giveUp(mail, .late, at: at)
                    continue
                }
                var mail = mail
                mail.tries += 1
                mail.claimedAt = at
                try people.setOutgoing(key: mail.key, dueAt: mail.dueAt, tries: mail.tries, claimedAt: at)
                claimed = mail
                break
            }
            return MailClaim(mail: claimed, next: try people.nextMail(), waiting: try people.outgoingMails(of: nil))
        }
        if case .success(let claim) = outcome { return claim }
        return nil
    }

    /// Marks the result of an attempt.
    ///
    /// - Returns: the reason why the mail was abandoned; `nil` if it was not.
    package func settleMail(_ key: Int64, _ outcome: MailOutcome) throws(StoreFailure) -> Result<MailProblem?, Rejection> {
        try account(isDone: { _ in try self.people.outgoingMail(key: key)?.claimedAt == nil }) { at in
            // The person has removed the address in the meantime, or has another code.
            guard let mail = try people.outgoingMail(key: key), mail.claimedAt != nil else { return nil }
            switch outcome {
            case .sent:
                try people.removeOutgoing(key: key)
                if mail.kind == .invite, let invite = mail.about, let family = mail.family { try people.setInviteMail(.sent, family: family, id: invite) }
            case .refused:
                try giveUp(mail, .refused, at: at)
                return .refused
            case .later:
                let pause = Self.mailPauses[min(max(mail.tries - 1, 0), Self.mailPauses.count - 1)]
                guard at + pause < mail.expiresAt else {
                    try giveUp(mail, .late, at: at)
                    return .late
                }
                try people.setOutgoing(key: key, dueAt: at + pause, tries: mail.tries, claimedAt: nil)
            case .stopped: try people.setOutgoing(key: key, dueAt: at, tries: mail.tries, claimedAt: nil)
            }
            return nil
        }
    }

    /// Drops a mail, and notifies the person who asked for it.
    private func giveUp(_ mail: OutgoingMail, _ problem: MailProblem, at: Int64) throws {
        try people.removeOutgoing(key: mail.key)
        switch mail.kind {
        case .confirm:
            if let person = mail.person, var row = try people.mail(person: person), row.pending == mail.address {
                row.problem = problem
                try people.setMail(row)
            }
        case .invite: if let invite = mail.about, let family = mail.family { try people.setInviteMail(.failed, family: family, id: invite) }
        // The requester of a recovery is not signed in, and must not learn whether there was a mail.
        case .recovery, .removed: return
        }
        guard let person = mail.person else { return }
        let notice = MailNotice(kind: mail.kind, address: MaskedAddress.text(mail.address), problem: problem, invite: mail.kind == .invite ? mail.about : nil)
        pendingNotices.append(.mailFailed(person: person, notice))
    }

    /// Whether a mail was queued since the last call.
    package func takeNewMail() -> Bool {
        defer { hasNewMail = false }
        return hasNewMail
    }
}

extension Rejection {
    fileprivate static let outboxFull = Rejection(
        .busy, "Too many mails wait to be sent. Nothing was changed; try again in a few minutes", retryAfter: 60_000)
}
