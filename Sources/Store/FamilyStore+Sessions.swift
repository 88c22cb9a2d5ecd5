package import Bytes
import Crypto
package import Family
import Wire

/// A session that is requested.
package struct NewSession: Hashable, Sendable {
    /// The name of the person within this database (`SignIn.person`).
    package var person: Int64
    package var kind: SessionKind
    /// In the form of `AccountSession.canonicalName`; empty for none.
    package var name: String
    /// Whether the device does not belong to the person: then the session ends after `AccountSession.briefHours`.
    package var isBrief: Bool
    /// Whether the person has just shown their password or passkey.
    package var isChecked: Bool

    package init(person: Int64, kind: SessionKind, name: String = "", isBrief: Bool = false, isChecked: Bool = false) {
        self.person = person
        self.kind = kind
        self.name = name
        self.isBrief = isBrief
        self.isChecked = isChecked
    }
}

/// A new session.
package struct SessionMade: Hashable, Sendable {
    /// As `SignIn.session`.
    package var session: Int64
    package var id: Identifier
    /// 43 characters of base64url. The token is shown only now: the database holds its hash.
    package var token: String
}

// Sessions: made, named, ended; and the proof that a session has shown of its person.
//
//     (none) --made--> alive --end, removal of the last membership, 90 idle days, `ends_at`--> (gone)
//
// Every act on the account depends on the session that asks: it must be alive, and not a token for a program.
extension FamilyStore {
    // MARK: Making

    /// Makes a session within the open transaction.
    ///
    /// A person has at most `AccountSession.most` sessions besides tokens: the least recently used one ends to make
    /// room for the next one.
    ///
    /// - Parameter token: `nil` draws one.
    func makeSession(_ new: NewSession, token: String? = nil, at: Int64) throws -> SessionMade {
        let sessions = try people.sessions(ofPerson: new.person, limit: AccountSession.most + AccountSession.mostTokens).filter { $0.kind != .token }
        for old in sessions.dropFirst(AccountSession.most - 1) { _ = try endSession(key: old.key) }
        let token = token ?? SessionToken.make(environment.random)
        let life = new.isBrief ? AccountSession.briefHours * 3_600_000 : AccountSession.lifeDays * 86_400_000
        let row = SessionRow(
            key: 0, id: identifier(at), person: new.person, kind: new.kind, name: new.name, createdAt: at, usedAt: at, endsAt: at + life,
            checkedAt: new.isChecked ? at : nil)
        let key = try people.addSession(row, hash: SessionToken.hash(token))
        return SessionMade(session: key, id: row.id, token: token)
    }

    /// Makes a session for a person, in one transaction of its own.
    package func openSession(_ new: NewSession) throws(StoreFailure) -> Result<SessionMade, Rejection> {
        try account(isDone: isMade) { at in try makeSession(new, at: at) }
    }

    /// Makes a session for the person of another session, which stays.
    ///
    /// - Parameter session: the key of the other session; if it has ended or is a token for a program, nothing is made.
    package func openSession(
        beside session: Int64, kind: SessionKind, name: String = "", isBrief: Bool = false
    ) throws(StoreFailure) -> Result<SessionMade, Rejection> {
        try account(isDone: isMade) { at in
            let row = try own(session, at: at)
            let made = try makeSession(NewSession(person: row.person, kind: kind, name: name, isBrief: isBrief), at: at)
            try audit(.signedIn, person: row.person, detail: kind.rawValue, at: at)
            // The new session takes over the check of the other one, because a check is about the person.
            if let checked = row.checkedAt { try people.setChecked(session: made.session, at: checked) }
            return made
        }
    }

    // MARK: Names and ends

    /// Renames a session of the session's person.
    ///
    /// - Returns: the current sessions of the person.
    package func renameSession(_ id: Identifier, to name: String, by session: Int64) throws(StoreFailure) -> Result<[AccountSession], Rejection> {
        try account { at in
            let asking = try own(session, at: at)
            let name = try AccountSession.canonicalName(name)
            guard let row = try people.session(id: id), row.person == asking.person, row.isAlive(at: at) else { throw Rejection.noSuchSession }
            try people.renameSession(key: row.key, name)
            return try people.accounts(ofPerson: asking.person, current: session, at: at)
        }
    }

    /// Ends sessions of a person, within the open transaction.
    func end(_ end: SessionsEnd, at: Int64) throws {
        let asking = try own(end.session, at: at)
        switch end.choice {
        case .one(let id):
            guard let row = try people.session(id: id), row.person == asking.person else { throw Rejection.noSuchSession }
            guard try endSession(key: row.key) else { return }
            if row.kind == .token {
                try audit(.tokenRevoked, person: asking.person, detail: row.name, at: at)
            } else {
                try audit(.sessionsEnded, person: asking.person, at: at)
            }
        case .others:
            let ended = try endSessions(ofPerson: asking.person, besides: end.session)
            if ended > 0 { try audit(.sessionsEnded, person: asking.person, count: ended, at: at) }
        }
    }

    /// Ends all sessions and tokens of a person except one, within the open transaction. Used for a new password or
    /// factor.
    ///
    /// - Returns: the number of ended sessions.
    func endSessions(ofPerson person: Int64, besides session: Int64?) throws -> Int {
        var ended = 0
        // A person from before this version can have more sessions than a person may have today.
        let limit = AccountSession.most + AccountSession.mostTokens
        while true {
            let others = try people.sessions(ofPerson: person, limit: limit).filter { $0.key != session }
            for row in others where try endSession(key: row.key) { ended += 1 }
            if others.count < limit - 1 { return ended }
        }
    }

    /// Ends a session, within the open transaction. Its connections are closed after the commit (`takeEndedSessions`).
    ///
    /// - Returns: whether it existed.
    func endSession(key: Int64) throws -> Bool {
        guard try people.endSession(key: key) else { return false }
        endingSessions.append(key)
        return true
    }

    // MARK: Checks

    // A person with a password or passkey must have shown it in the session that asks, at most 10 minutes ago: an
    // unattended device, or a stolen token, is not enough. A person who has neither can show nothing, and must not be
    // locked out of making the first one: for them the session itself is enough, if it is a person's and not a
    // program's. A token is never enough, because no person uses it.

    /// Refuses an act that needs a fresh check, within the open transaction.
    ///
    /// - Throws: `confirm_first`; `not_allowed` for a token; `not_signed_in` for a session that has ended.
    func requireCheck(session: Int64, at: Int64) throws {
        let row = try own(session, at: at)
        guard try people.hasCredential(person: row.person) else { return }
        guard let checked = row.checkedAt, checked <= at, at - checked < AccountSession.checkMinutes * 60_000 else { throw Rejection.confirmFirst }
    }

    /// Records that a session has just shown the password or passkey of its person.
    ///
    /// - Returns: the reason why it was not recorded.
    package func recordCheck(session: Int64) throws(StoreFailure) -> Rejection? {
        let outcome = try account { at in
            _ = try own(session, at: at)
            try people.setChecked(session: session, at: at)
        }
        if case .failure(let rejection) = outcome { return rejection }
        return nil
    }

    // MARK: Parts

    private func isMade(_ made: SessionMade) throws -> Bool { try people.session(id: made.id) != nil }

    /// The session that asks for something on its person's account.
    ///
    /// - Throws: `not_signed_in` if it has ended; `not_allowed` if it is a token for a program.
    func own(_ session: Int64, at: Int64) throws -> SessionRow {
        guard let row = try people.session(key: session), row.isAlive(at: at) else { throw Rejection(.notSignedIn, "This sign-in has ended.") }
        guard row.scope == nil else { throw Rejection.beyondScope }
        return row
    }

    /// Carries out one act on an account, in a transaction.
    ///
    /// - Parameter isDone: as for `transaction`; without it, doing the act twice must have the effect of doing it once.
    func account<Value>(
        isDone: ((Value) throws -> Bool)? = nil, _ body: (Int64) throws -> Value
    ) throws(StoreFailure) -> Result<Value, Rejection> {
        switch try transaction(isDone: isDone, { _ in try body(environment.now()) }) {
        case .done(let value): .success(value)
        case .refused(let rejection): .failure(rejection)
        }
    }
}

extension Rejection {
    /// The same refusal for an unknown id and for another person's.
    static let noSuchSession = Rejection(.notFound, "There is no such session or token. Nothing was changed")
}
