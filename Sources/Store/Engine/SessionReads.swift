package import Bytes
package import Family

/// A stored session.
package struct SessionRow: Hashable, Sendable {
    package var key: Int64
    package var id: Identifier
    package var person: Int64
    package var kind: SessionKind
    package var name: String
    /// UTC milliseconds, like the other times.
    package var createdAt: Int64
    package var usedAt: Int64
    /// The end of the session, even if it is used.
    package var endsAt: Int64
    /// The time at which the session last showed the person's password or passkey; `nil`: never.
    package var checkedAt: Int64?
    /// `nil`: the session may do whatever the person may do.
    package var scope: TokenScope?
    /// The athletes of the scope `calendar`.
    package var athletes: [Identifier]
    /// Whether the code that gave the token can still be redeemed again.
    package var isRedemptionOpen: Bool

    package init(
        key: Int64, id: Identifier, person: Int64, kind: SessionKind, name: String, createdAt: Int64, usedAt: Int64, endsAt: Int64,
        checkedAt: Int64? = nil, scope: TokenScope? = nil, athletes: [Identifier] = [], isRedemptionOpen: Bool = false
    ) {
        self.key = key
        self.id = id
        self.person = person
        self.kind = kind
        self.name = name
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.endsAt = endsAt
        self.checkedAt = checkedAt
        self.scope = scope
        self.athletes = athletes
        self.isRedemptionOpen = isRedemptionOpen
    }

    /// Whether the session is valid at a time. A token ends only on its day; other sessions end also if nobody uses
    /// them.
    package func isAlive(at: Int64) -> Bool { at < endsAt && (kind == .token || at < usedAt + SessionToken.life) }

    /// The session, as its person sees it.
    ///
    /// - Parameter current: the key of the session that asks.
    package func account(current: Int64?) -> AccountSession {
        AccountSession(
            id: id, name: name, kind: kind, createdOn: .init(utc: createdAt), usedOn: .init(utc: usedAt), endsOn: .init(utc: lastMoment),
            isCurrent: key == current, scope: scope, athletes: athletes)
    }

    /// The last millisecond in which the session can be used, if it is used until then.
    private var lastMoment: Int64 { endsAt - 1 }
}

/// The code for another device, before it is redeemed.
package struct DeviceCode: Hashable, Sendable {
    /// The integer that stands for the family.
    package var family: Int64
    /// The member as whom the other device signs in, one of the person's members.
    package var member: Identifier
    /// The session that made it.
    package var maker: Int64
    package var createdAt: Int64
    package var expiresAt: Int64
}

/// Sessions, tokens, and the proofs that they have shown of their persons.
package protocol SessionReads: AnyObject {
    /// The session of a token; `nil` if there is none.
    func session(hash: [UInt8]) throws -> SessionRow?

    /// A session by its key; `nil` if there is none.
    func session(key: Int64) throws -> SessionRow?

    /// A session by the id that its person sees; `nil` if there is none.
    func session(id: Identifier) throws -> SessionRow?

    /// The sessions of a person, including ended ones that are not purged, last used first; at most `limit`.
    func sessions(ofPerson person: Int64, limit: Int) throws -> [SessionRow]

    /// Whether a person has a password or passkey that can be checked.
    func hasCredential(person: Int64) throws -> Bool
}

/// Changes sessions.
package protocol SessionWrites: SessionReads {
    /// Adds a session.
    ///
    /// - Parameter row: `key` and `isRedemptionOpen` are ignored.
    /// - Returns: the key of the session, which no other session ever has.
    func addSession(_ row: SessionRow, hash: [UInt8]) throws -> Int64

    /// Renames a session.
    func renameSession(key: Int64, _ name: String) throws

    /// Notes that a session showed the person's password or passkey.
    func setChecked(session key: Int64, at: Int64) throws

    /// Notes whether a person has a passkey; a password counts by itself (`CredentialWrites.setCredential`).
    func setHasCredential(_ has: Bool, person: Int64) throws

    /// Deletes sessions that have ended, and sessions other than tokens that nobody has used since `limit` (both UTC
    /// milliseconds).
    ///
    /// - Returns: the number of deleted sessions, at most `2 * count`.
    func purgeSessions(at: Int64, unusedSince limit: Int64, count: Int) throws -> Int

    /// Adds the code for another device; the earlier one of the same session is dead.
    func addDeviceCode(_ code: DeviceCode, hash: [UInt8]) throws
}

extension SessionReads {
    /// The sessions of a person as they see them, without those that have ended.
    func accounts(ofPerson person: Int64, current: Int64, at: Int64) throws -> [AccountSession] {
        try sessions(ofPerson: person, limit: AccountSession.most + AccountSession.mostTokens).filter { $0.isAlive(at: at) }
            .map { $0.account(current: current) }
    }
}
