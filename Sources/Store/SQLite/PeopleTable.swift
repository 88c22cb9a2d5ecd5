import Bytes
import Dates
import SQLite

/// A member as the tables of people know them.
struct MembershipRow {
    var family: Int64
    var familyID: Identifier
    var member: Identifier
    /// `nil` until somebody signs in as this member.
    var person: Int64?
    var hasConsent: Bool
    var isRemoved: Bool
}

/// A parent's consent to the login of an athlete below 18.
struct Consent {
    var by: Identifier
    var at: Int64
    /// The name of the text that was agreed to.
    var terms: String

    /// The text that `invite` shows today.
    static let currentTerms = "huddle-consent-1"
}

struct InviteRow {
    var key: Int64
    var member: Identifier
    /// Once redeemed: when the redemption can no longer be repeated.
    var expiresAt: Int64
    /// Of whoever redeemed it; `nil` before.
    var nonceHash: [UInt8]?
    /// The session that the last redemption made; `nil` before.
    var session: Int64?
}

/// The writer's statements on memberships, people, sessions and invites. They run seldom, so they are compiled when they are used.
final class PeopleTable {
    /// An invite is good for so long, milliseconds: 7 days.
    static let inviteLife: Int64 = 7 * 86_400_000
    /// Milliseconds after the first redemption in which it can be repeated, because its answer may have been lost: 10 minutes.
    static let redemptionWindow: Int64 = 600_000

    private let database: Database

    init(_ database: Database) throws(SQLiteError) {
        self.database = database
    }

    // MARK: Memberships

    func addMembership(family: Int64, member: Identifier, born: CalendarDate?, consent: Consent?) throws {
        let insert = try database.prepare(
            "INSERT INTO memberships (family, member, born, consent_by, consent_at, consent_terms) VALUES (?, ?, ?, ?, ?, ?)")
        insert.bind(1, family)
        insert.bind(2, member)
        insert.bind(3, born?.description)
        insert.bind(4, consent?.by)
        insert.bind(5, consent?.at)
        insert.bind(6, consent?.terms)
        try insert.run()
    }

    /// By the member's id alone, which is unique because the server makes it.
    func membership(_ member: Identifier) throws -> MembershipRow? {
        let find = try database.prepare(
            """
            SELECT m.family, f.uuid, m.person, m.consent_at, m.removed_at
            FROM memberships m JOIN families f ON f.key = m.family WHERE m.member = ?
            """)
        find.bind(1, member)
        return try find.one { row in
            MembershipRow(
                family: row.int64(0), familyID: try row.identifier(1), member: member, person: row.optionalInt64(2),
                hasConsent: !row.isNull(3), isRemoved: !row.isNull(4))
        }
    }

    /// Ends a membership, or takes it up again (`at` is `nil`). With the last membership of a person their sessions end, and an
    /// invite that still waits is void.
    func setRemoved(family: Int64, member: Identifier, at: Int64?) throws {
        let update = try database.prepare("UPDATE memberships SET removed_at = ? WHERE family = ? AND member = ?")
        update.bind(1, at)
        update.bind(2, family)
        update.bind(3, member)
        try update.run()
        guard at != nil else { return }
        let endSessions = try database.prepare(
            """
            DELETE FROM sessions WHERE person = (SELECT person FROM memberships WHERE family = ?1 AND member = ?2)
            AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.person = sessions.person AND m.removed_at IS NULL)
            """)
        endSessions.bind(1, family)
        endSessions.bind(2, member)
        try endSessions.run()
        let voidInvites = try database.prepare("DELETE FROM invites WHERE family = ? AND member = ?")
        voidInvites.bind(1, family)
        voidInvites.bind(2, member)
        try voidInvites.run()
    }

    // MARK: Sessions

    /// A session for a member, who becomes a person if nobody was one yet.
    ///
    /// - Returns: the session's key.
    func addSession(_ membership: MembershipRow, hash: [UInt8], at: Int64) throws -> Int64 {
        var person = membership.person
        if person == nil {
            try database.run("INSERT INTO people (created_at) VALUES (?)", .integer(at))
            person = database.lastInsertRowID
            let join = try database.prepare("UPDATE memberships SET person = ? WHERE family = ? AND member = ?")
            join.bind(1, person)
            join.bind(2, membership.family)
            join.bind(3, membership.member)
            try join.run()
        }
        let insert = try database.prepare("INSERT INTO sessions (hash, person, created_at, used_at) VALUES (?, ?, ?, ?)")
        insert.bind(1, hash)
        insert.bind(2, person)
        insert.bind(3, at)
        insert.bind(4, at)
        try insert.run()
        return database.lastInsertRowID
    }

    /// - Returns: the key of the session that ended; `nil` when there was none.
    func endSession(hash: [UInt8]) throws -> Int64? {
        let find = try database.prepare("SELECT key FROM sessions WHERE hash = ?")
        find.bind(1, hash)
        guard let key = try find.one({ $0.int64(0) }) else { return nil }
        return try endSession(key: key) ? key : nil
    }

    /// - Returns: whether there was one.
    func endSession(key: Int64) throws -> Bool {
        try database.run("DELETE FROM sessions WHERE key = ?", .integer(key))
        return database.changes > 0
    }

    /// The session is in use.
    func renewSession(key: Int64, at: Int64) throws {
        try database.run("UPDATE sessions SET used_at = max(used_at, ?) WHERE key = ?", .integer(at), .integer(key))
    }

    /// Deletes sessions that nobody used since `limit`.
    ///
    /// - Returns: how many.
    func purgeSessions(unusedSince limit: Int64, count: Int) throws -> Int {
        try database.run(
            "DELETE FROM sessions WHERE key IN (SELECT key FROM sessions WHERE used_at <= ? LIMIT ?)", .integer(limit), .integer(Int64(count)))
        return database.changes
    }

    /// Forgets when somebody was born who is no member any more.
    func forgetBirth(family: Int64, member: Identifier) throws {
        let update = try database.prepare("UPDATE memberships SET born = NULL WHERE family = ? AND member = ?")
        update.bind(1, family)
        update.bind(2, member)
        try update.run()
    }

    // MARK: Invites

    func addInvite(family: Int64, member: Identifier, hash: [UInt8], at: Int64) throws -> Int64 {
        let insert = try database.prepare("INSERT INTO invites (hash, family, member, created_at, expires_at) VALUES (?, ?, ?, ?, ?)")
        insert.bind(1, hash)
        insert.bind(2, family)
        insert.bind(3, member)
        insert.bind(4, at)
        insert.bind(5, at + Self.inviteLife)
        try insert.run()
        return at + Self.inviteLife
    }

    func invite(hash: [UInt8]) throws -> InviteRow? {
        let find = try database.prepare("SELECT key, member, expires_at, nonce_hash, session FROM invites WHERE hash = ?")
        find.bind(1, hash)
        return try find.one { row in
            InviteRow(
                key: row.int64(0), member: try row.identifier(1), expiresAt: row.int64(2),
                nonceHash: row.isNull(3) ? nil : row.octets(3), session: row.optionalInt64(4))
        }
    }

    /// The window begins with the first redemption: a repetition is later, so the minimum stays.
    func redeem(_ invite: InviteRow, nonceHash: [UInt8], session: Int64, at: Int64) throws {
        let update = try database.prepare("UPDATE invites SET nonce_hash = ?, session = ?, expires_at = min(expires_at, ?) WHERE key = ?")
        update.bind(1, nonceHash)
        update.bind(2, session)
        update.bind(3, at + Self.redemptionWindow)
        update.bind(4, invite.key)
        try update.run()
    }

    /// A code without a row is unknown.
    func closeRedemption(session: Int64) throws {
        try database.run("DELETE FROM invites WHERE session = ?", .integer(session))
    }

    /// Deletes invites that expired, redeemed or not.
    ///
    /// - Returns: how many.
    func purgeInvites(at: Int64) throws -> Int {
        try database.run("DELETE FROM invites WHERE expires_at <= ?", .integer(at))
        return database.changes
    }
}

@available(*, unavailable)
extension PeopleTable: Sendable {}
