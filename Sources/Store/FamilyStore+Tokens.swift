package import Bytes
import Crypto
package import Family
import Ledger
import Wire

/// A requested token for a program.
package struct NewToken: Hashable, Sendable {
    /// The client draws it, with the nonce: the token follows from both, so that a repetition of the request gets the
    /// token of the first answer.
    package var id: Identifier
    package var nonce: String
    package var name: String
    package var scope: TokenScope
    /// Days for which it is valid.
    package var days: Int64
    /// The athletes whose calendars it opens, for the scope `calendar`.
    package var athletes: [Identifier]

    package init(id: Identifier, nonce: String, name: String, scope: TokenScope, days: Int64, athletes: [Identifier] = []) {
        self.id = id
        self.nonce = nonce
        self.name = name
        self.scope = scope
        self.days = days
        self.athletes = athletes
    }
}

/// A new token.
package struct TokenMade: Hashable, Sendable {
    /// 256 bits as 43 characters of base64url; stored as a hash.
    package var token: String
    package var session: AccountSession
}

// Tokens for programs are sessions with a scope: they are listed, named and ended with the others, and end on their
// day.
extension FamilyStore {
    /// Makes a token, or repeats the answer to the request that made it.
    ///
    /// - Parameter session: the session that asks, which must not be a token; it needs a check of the password or
    ///   passkey, if its person has one.
    package func makeToken(_ new: NewToken, by session: Int64) throws(StoreFailure) -> Result<TokenMade, Rejection> {
        try account(isDone: { try self.people.session(id: $0.session.id) != nil }) { at in
            let asking = try own(session, at: at)
            let name = try AccountSession.canonicalName(new.name)
            guard AccountSession.tokenDays.contains(new.days) else {
                throw Rejection(
                    .outOfRange, "days must be from \(AccountSession.tokenDays.lowerBound) to \(AccountSession.tokenDays.upperBound)", field: "days")
            }
            let token = ProgramToken.make(key: engine.linkKey, person: asking.person, id: new.id, nonce: new.nonce)
            let hash = SessionToken.hash(token)
            var row = SessionRow(
                key: 0, id: new.id, person: asking.person, kind: .token, name: name, createdAt: at, usedAt: at, endsAt: at + new.days * 86_400_000,
                scope: new.scope, athletes: new.athletes)
            if let known = try people.session(id: new.id) {
                guard known.person == row.person, known.kind == .token, known.name == name, known.scope == new.scope, known.athletes == new.athletes,
                    known.endsAt - known.createdAt == row.endsAt - row.createdAt, try people.session(hash: hash)?.key == known.key
                else { throw Rejection(.alreadyExists, "A token with this id already exists. Nothing was changed; use another id", id: new.id) }
                return TokenMade(token: token, session: known.account(current: session))
            }
            try requireCheck(session: session, at: at)
            try checkAthletes(of: new, person: asking.person, at: at)
            let limit = AccountSession.most + AccountSession.mostTokens
            let tokens = try people.sessions(ofPerson: asking.person, limit: limit).count { $0.kind == .token && $0.isAlive(at: at) }
            guard tokens < AccountSession.mostTokens else {
                throw Rejection(.tooMany, "You have \(tokens) tokens, and \(AccountSession.mostTokens) is the limit. Revoke one first")
            }
            row.key = try people.addSession(row, hash: hash)
            try audit(.tokenCreated, person: asking.person, detail: name, at: at)
            return TokenMade(token: token, session: row.account(current: session))
        }
    }

    private func checkAthletes(of new: NewToken, person: Int64, at: Int64) throws {
        guard new.scope == .calendar else {
            guard new.athletes.isEmpty else {
                throw Rejection(.invalid, "Only a token for calendars names athletes. Leave out athletes", field: "athletes")
            }
            return
        }
        guard !new.athletes.isEmpty else {
            throw Rejection(.required, "A token for calendars needs athletes: those whose calendars it opens. Nothing was changed", field: "athletes")
        }
        guard new.athletes.count <= AccountSession.mostAthletes else {
            throw Rejection(.tooMany, "athletes: at most \(AccountSession.mostAthletes) entries", field: "athletes")
        }
        for athlete in new.athletes {
            // A person who may not enter the family, for example for want of a consent, learns nothing of its athletes.
            guard let membership = try people.membership(athlete), let stored = try family(membership.familyID),
                let member = try people.member(family: stored.key, person: person), try entered(member, stored.state, at: at) != nil,
                stored.state.member(athlete)?.role == .athlete
            else { throw Rejection(.notFound, "There is no such athlete in this family.", field: "athletes") }
        }
    }
}

/// The secret of a token for a program: an HMAC over the request, with the key of the database. It cannot be computed
/// without that key and the client's nonce.
enum ProgramToken {
    static func make(key: [UInt8], person: Int64, id: Identifier, nonce: String) -> String {
        var message = Array("huddle token 1\n".utf8)
        for half in [UInt64(bitPattern: person), id.high, id.low] { BigEndian.append(half, to: &message) }
        return Base64.encode(HMAC.sha256(key: key, message + Array(nonce.utf8)), .urlSafe)
    }
}
