package import Bytes
import Crypto
package import Family
import Wire

/// A session that is asked for.
package struct NewSession: Hashable, Sendable {
    /// Names the person within this database (`SignIn.person`).
    package var person: Int64
    package var kind: SessionKind
    /// As `AccountSession.canonicalName` gives it; empty for none.
    package var name: String
    /// The device is not the person's: the session ends after `AccountSession.briefHours`.
    package var isBrief: Bool
    /// The person has just shown their password or passkey.
    package var isChecked: Bool

    package init(person: Int64, kind: SessionKind, name: String = "", isBrief: Bool = false, isChecked: Bool = false) {
        self.person = person
        self.kind = kind
        self.name = name
        self.isBrief = isBrief
        self.isChecked = isChecked
    }
}

/// A session that was made.
package struct SessionMade: Hashable, Sendable {
    /// As `SignIn.session`.
    package var session: Int64
    package var id: Identifier
    /// 43 characters of base64url. This is the only time that it is seen: the database holds its hash.
    package var token: String
}

// Sessions: made, named, ended; and what a session has shown of its person.
//
//     (none) --made--> alive --end, removal of the last membership, 90 idle days, `ends_at`--> (gone)
//
// Every act on the account is decided here by the session that asks: it must be alive, and not a token for a program.
extension Store {
    // MARK: Making

    /// Makes a session within a transaction that is open.
    ///
    /// A person has at most `AccountSession.most` sessions besides tokens: the one that nobody used for the longest time ends for the next one.
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

    /// Makes a session for the person of another one, which stays.
    ///
    /// - Parameter session: the key of the other one; it is alive and not a token for a program, or nothing is made.
    package func openSession(
        beside session: Int64, kind: SessionKind, name: String = "", isBrief: Bool = false
    ) throws(StoreFailure) -> Result<SessionMade, Rejection> {
        try account(isDone: isMade) { at in
            let row = try own(session, at: at)
            let made = try makeSession(NewSession(person: row.person, kind: kind, name: name, isBrief: isBrief), at: at)
            try audit(.signedIn, person: row.person, detail: kind.rawValue, at: at)
            // The new session begins where the other one stands: a check is of the person.
            if let checked = row.checkedAt { try people.setChecked(session: made.session, at: checked) }
            return made
        }
    }

    // MARK: Names and ends

    /// Names a session of the person whose session asks.
    ///
    /// - Returns: the sessions of the person as they are now.
    package func renameSession(_ id: Identifier, to name: String, by session: Int64) throws(StoreFailure) -> Result<[AccountSession], Rejection> {
        try account { at in
            let asking = try own(session, at: at)
            let name = try AccountSession.canonicalName(name)
            guard let row = try people.session(id: id), row.person == asking.person, row.isAlive(at: at) else { throw Rejection.noSuchSession }
            try people.renameSession(key: row.key, name)
            return try people.accounts(ofPerson: asking.person, current: session, at: at)
        }
    }

    /// Ends sessions of a person, within a transaction that is open.
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

    /// Ends all sessions and tokens of a person but one, within a transaction that is open. For a new password or factor.
    ///
    /// - Returns: how many have ended.
    func endSessions(ofPerson person: Int64, besides session: Int64?) throws -> Int {
        var ended = 0
        // A person of before this version can have more sessions than a person may have today.
        let limit = AccountSession.most + AccountSession.mostTokens
        while true {
            let others = try people.sessions(ofPerson: person, limit: limit).filter { $0.key != session }
            for row in others where try endSession(key: row.key) { ended += 1 }
            if others.count < limit - 1 { return ended }
        }
    }

    /// Ends a session, within a transaction that is open. Its connections are closed after the commit (`takeEndedSessions`).
    ///
    /// - Returns: whether there was one.
    func endSession(key: Int64) throws -> Bool {
        guard try people.endSession(key: key) else { return false }
        endingSessions.append(key)
        return true
    }

    // MARK: Checks

    // A person with a password or passkey has to show it in the session that asks, at most 10 minutes before: a device that was left open, or a token
    // that was stolen, is not enough. A person who has neither can show nothing, and must not be locked out of making the first one: for them the
    // session itself counts, if it is a person's and not a program's. A token never counts, because nobody is behind it.

    /// Refuses an act that needs a fresh check, within a transaction that is open.
    ///
    /// - Throws: `confirm_first`; `not_allowed` for a token; `not_signed_in` for a session that has ended.
    func requireCheck(session: Int64, at: Int64) throws {
        let row = try own(session, at: at)
        guard try people.hasCredential(person: row.person) else { return }
        guard let checked = row.checkedAt, checked <= at, at - checked < AccountSession.checkMinutes * 60_000 else { throw Rejection.confirmFirst }
    }

    /// Records that a session has just shown the password or passkey of its person.
    ///
    /// - Returns: why it was not recorded.
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

    /// One act on an account, in a transaction.
    ///
    /// - Parameter isDone: as of `transaction`; without it the act can be done twice with the effect of once.
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
    /// The same for an id of nobody and of somebody else.
    static let noSuchSession = Rejection(.notFound, "There is no such session or token. Nothing was changed")
}
