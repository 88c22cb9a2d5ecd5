package import Accounts
package import Family
import Folding

// The e-mail address of a person: set in a session that has confirmed, confirmed by a code that was sent to it, removed
// in such a session.
//
//     (none) --set--> pending --code within 30 minutes--> confirmed --set--> confirmed, another one pending
//     confirmed, another one pending --code--> confirmed ... --remove--> (none)
//
// An address is private: no record contains it, frames contain it only masked, and it never reaches the audit log or
// the log of the server. An address that was replaced or removed receives a mail about that. A confirmed address is a
// way of recovery and not a factor, so no session ends with it.
extension FamilyStore {
    /// Milliseconds for which a code in a mail is valid: 30 minutes.
    package static let mailCodeLife: Int64 = 30 * 60_000
    /// The largest number of people with the same address: a parent, and the athletes whose mail they read.
    static let peopleOfAddress = 4
    /// Milliseconds within which a person receives at most one code for recovery.
    static let recoveryPause: Int64 = 60_000

    /// Sets an address that waits for its confirmation, and sends a code to it.
    package func setMail(_ typed: String, by session: Int64) throws(StoreFailure) -> Result<AccountState, Rejection> {
        let code = InviteCode.make(environment.random)
        let name = outgoingName(.confirm)
        return try account { at in
            let person = try own(session, at: at).person
            try requireCheck(session: session, at: at)
            let terms = try mailTerms()
            let address = String(typed.split(whereSeparator: \.isWhitespace).joined(separator: " "))
            guard terms.isAddress(address) else { throw Rejection.badAddress }
            var row = try people.mail(person: person) ?? MailRow(person: person)
            if row.address != address {
                row.pending = address
                row.codeHash = InviteCode.hash(code)
                row.codeExpiresAt = at + Self.mailCodeLife
                row.problem = nil
                try people.setMail(row)
                try people.removeOutgoing(person: person, kind: .confirm)
                try send(MailText.confirm(code, terms), .confirm, to: address, name: name, person: person, until: at + Self.mailCodeLife, at: at)
            }
            return try people.accountState(ofPerson: person, session: session, at: at)
        }
    }

    /// Confirms the waiting address with the code that was sent to it.
    package func confirmMail(_ code: String, by session: Int64) throws(StoreFailure) -> Result<AccountState, Rejection> {
        let name = outgoingName(.removed)
        let isDone = { (_: AccountState) in
            try self.people.session(key: session).flatMap { try self.people.mail(person: $0.person) }?.pending == nil
        }
        return try account(isDone: isDone) { at in
            let person = try own(session, at: at).person
            guard let row = try people.mail(person: person), let address = row.pending, let hash = InviteCode.hash(code), row.codeHash == hash,
                let end = row.codeExpiresAt, at < end
            else { throw Rejection.mailCodeUnknown }
            try tell(row.address, besides: address, name: name, person: person, at: at)
            try people.setMail(MailRow(person: person, address: address))
            try people.removeOutgoing(person: person, kind: .confirm)
            try people.removeOutgoing(person: person, kind: .recovery)
            try audit(.mailConfirmed, person: person, at: at)
            return try people.accountState(ofPerson: person, session: session, at: at)
        }
    }

    /// Removes the address of a person, and the waiting one. Doing it again changes nothing.
    package func removeMail(by session: Int64) throws(StoreFailure) -> Result<AccountState, Rejection> {
        let name = outgoingName(.removed)
        return try account { at in
            let person = try own(session, at: at).person
            if let row = try people.mail(person: person) {
                try requireCheck(session: session, at: at)
                try tell(row.address, besides: nil, name: name, person: person, at: at)
                try people.removeMail(person: person)
                try people.removeOutgoing(person: person, kind: .confirm)
                try people.removeOutgoing(person: person, kind: .recovery)
                try audit(.mailRemoved, person: person, at: at)
            }
            return try people.accountState(ofPerson: person, session: session, at: at)
        }
    }

    /// Notifies a person's former address that it no longer belongs to the account, if the server sends mail.
    private func tell(_ former: String?, besides address: String?, name: String, person: Int64, at: Int64) throws {
        guard let former, former != address, let terms = environment.mail else { return }
        try send(MailText.removed(terms), .removed, to: former, name: name, person: nil, until: at + Self.mailLife, at: at)
    }

    // MARK: Recovery

    /// Sends a recovery code to the confirmed address of each person with this sign-in name or address. The caller has
    /// already received an answer, and never learns the result.
    ///
    /// - Parameters:
    ///   - name: the text as a sign-in name; `nil` if it cannot be one.
    ///   - typed: the text.
    /// - Returns: the number of codes that were sent.
    package func offerRecovery(name: SignInName?, typed: String) throws(StoreFailure) -> Int {
        let outcome = try account { at in
            guard let terms = environment.mail else { return 0 }
            var rows: [MailRow] = []
            if let name, let person = try people.credential(folded: name.folded.octets)?.person, let row = try people.mail(person: person), row.address != nil { rows.append(row) }
            for row in try people.mails(folded: MailRow.folded(typed), limit: Self.peopleOfAddress) where !rows.contains(where: { $0.person == row.person }) {
                rows.append(row)
            }
            var sent = 0
            for var row in rows {
                guard let address = row.address, try canSignIn(row.person, at: at) else { continue }
                // A second request within a minute sends nothing: the first mail is on its way.
                if let end = row.recoveryExpiresAt, at < end - Self.mailCodeLife + Self.recoveryPause { continue }
                let code = InviteCode.make(environment.random)
                row.recoveryHash = InviteCode.hash(code)
                row.recoveryExpiresAt = at + Self.mailCodeLife
                try people.setMail(row)
                try people.removeOutgoing(person: row.person, kind: .recovery)
                let credential = try people.credential(person: row.person)
                let text = MailText.recovery(code, name: credential?.name, asksFactor: credential?.factor != nil, address: address, terms)
                try send(text, .recovery, to: address, name: outgoingName(.recovery), person: row.person, until: at + Self.mailCodeLife, at: at)
                try audit(.recoveryOffered, person: row.person, by: .server, detail: RecoveryWay.mail.rawValue, at: at)
                sent += 1
            }
            return sent
        }
        if case .success(let sent) = outcome { return sent }
        return 0
    }

    /// Uses up a code that was mailed to a person.
    ///
    /// - Returns: false if it is not the person's code, or its time is over.
    func useMailCode(_ code: String, person: Int64, at: Int64) throws -> Bool {
        guard let hash = InviteCode.hash(code), var row = try people.mail(person: person), row.isRecovery(hash, at: at) else { return false }
        row.recoveryHash = nil
        row.recoveryExpiresAt = nil
        try people.setMail(row)
        return true
    }

    // MARK: Parts

    func mailTerms() throws -> MailTerms {
        guard let terms = environment.mail else { throw Rejection.noMail }
        return terms
    }
}

extension MailRow {
    /// Whether a code with this hash replaces the password now.
    func isRecovery(_ hash: [UInt8], at: Int64) -> Bool {
        guard let end = recoveryExpiresAt, address != nil else { return false }
        return recoveryHash == hash && at < end
    }
}

extension Rejection {
    /// The refusal of every request that needs a mail, on a server that sends none.
    package static let noMail = Rejection(.contradicted, "This server sends no mail. Nothing was changed; a parent, or the person who runs the server, can make a code")
    static let badAddress = Rejection(.invalid, "An e-mail address is written like ana@example.org, in plain letters. Correct it", field: "address")
    static let mailCodeUnknown = Rejection(.codeUnknown, "This code is wrong, was used already, or has expired. Nothing was changed; send another one", field: "code")
}
