import Bytes
import Dates
import SQLite
import Store

/// The statements on memberships, people, sessions and invites. Those that run seldom are compiled when they are used.
final class PeopleTable: PeopleWrites {
    private let database: Database

    private let findSession: Statement
    private let findInvite: Statement
    private let listMemberships: Statement
    private let findMember: Statement

    init(_ database: Database) {
        self.database = database
        findSession = database.prepareOnUse(
            """
            SELECT key, person, used_at, EXISTS (SELECT 1 FROM invites WHERE session = sessions.key) FROM sessions WHERE hash = ?
            """)
        findInvite = database.prepareOnUse("SELECT key, member, expires_at, nonce_hash, session FROM invites WHERE hash = ?")
        listMemberships = database.prepareOnUse(
            """
            SELECT m.family, f.uuid, m.member, m.consent_at FROM memberships m JOIN families f ON f.key = m.family
            WHERE m.person = ? AND m.removed_at IS NULL ORDER BY m.member
            """)
        findMember = database.prepareOnUse("SELECT member FROM memberships WHERE family = ? AND person = ? AND removed_at IS NULL")
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

    func memberships(ofPerson person: Int64) throws -> [MembershipRow] {
        listMemberships.bind(1, person)
        return try listMemberships.all { row in
            MembershipRow(
                family: row.int64(0), familyID: try row.identifier(1), member: try row.identifier(2), person: person, hasConsent: !row.isNull(3),
                isRemoved: false)
        }
    }

    func member(family: Int64, person: Int64) throws -> Identifier? {
        findMember.bind(1, family)
        findMember.bind(2, person)
        return try findMember.one { try $0.identifier(0) }
    }

    func membersWithoutLogin(family: Int64) throws -> Set<Identifier> {
        let list = try database.prepare("SELECT member FROM memberships WHERE family = ? AND person IS NULL")
        list.bind(1, family)
        return Set(try list.all { try $0.identifier(0) })
    }

    func persons(family: Int64) throws -> [PersonRow] {
        let list = try database.prepare(
            "SELECT member, born, consent_by, consent_at, consent_terms FROM memberships WHERE family = ? ORDER BY member")
        list.bind(1, family)
        return try list.all { row in
            PersonRow(
                member: try row.identifier(0), born: row.isNull(1) ? nil : row.text(1), consentBy: try row.optionalIdentifier(2),
                consentAt: row.optionalInt64(3), consentTerms: row.isNull(4) ? nil : row.text(4))
        }
    }

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

    func addSession(_ membership: MembershipRow, hash: [UInt8], at: Int64) throws -> Int64 {
        var person = membership.person
        if person == nil {
            let add = try database.prepare("INSERT INTO people (created_at) VALUES (?) RETURNING key")
            add.bind(1, at)
            person = try add.one { $0.int64(0) }
            let join = try database.prepare("UPDATE memberships SET person = ? WHERE family = ? AND member = ?")
            join.bind(1, person)
            join.bind(2, membership.family)
            join.bind(3, membership.member)
            try join.run()
        }
        let insert = try database.prepare("INSERT INTO sessions (hash, person, created_at, used_at) VALUES (?, ?, ?, ?) RETURNING key")
        insert.bind(1, hash)
        insert.bind(2, person)
        insert.bind(3, at)
        insert.bind(4, at)
        guard let key = try insert.one({ $0.int64(0) }) else { throw StoreFailure("a session has got no key") }
        return key
    }

    func session(hash: [UInt8]) throws -> SessionRow? {
        findSession.bind(1, hash)
        return try findSession.one { row in
            SessionRow(key: row.int64(0), person: row.int64(1), usedAt: row.int64(2), isRedemptionOpen: row.int64(3) != 0)
        }
    }

    func hasSession(key: Int64) throws -> Bool {
        let find = try database.prepare("SELECT 1 FROM sessions WHERE key = ?")
        find.bind(1, key)
        return try find.one { _ in true } ?? false
    }

    func endSession(key: Int64) throws -> Bool {
        try database.run("DELETE FROM sessions WHERE key = ?", .integer(key))
        return database.changes > 0
    }

    func renewSession(key: Int64, at: Int64) throws {
        try database.run("UPDATE sessions SET used_at = max(used_at, ?) WHERE key = ?", .integer(at), .integer(key))
    }

    func purgeSessions(unusedSince limit: Int64, count: Int) throws -> Int {
        try database.run(
            "DELETE FROM sessions WHERE key IN (SELECT key FROM sessions WHERE used_at <= ? ORDER BY used_at, key LIMIT ?)", .integer(limit), .integer(Int64(count)))
        return database.changes
    }

    func forgetBirth(family: Int64, member: Identifier) throws {
        let update = try database.prepare("UPDATE memberships SET born = NULL WHERE family = ? AND member = ?")
        update.bind(1, family)
        update.bind(2, member)
        try update.run()
    }

    // MARK: Invites

    func addInvite(family: Int64, member: Identifier, hash: [UInt8], at: Int64, expiresAt: Int64) throws {
        let insert = try database.prepare("INSERT INTO invites (hash, family, member, created_at, expires_at) VALUES (?, ?, ?, ?, ?)")
        insert.bind(1, hash)
        insert.bind(2, family)
        insert.bind(3, member)
        insert.bind(4, at)
        insert.bind(5, expiresAt)
        try insert.run()
    }

    func invite(hash: [UInt8]) throws -> InviteRow? {
        findInvite.bind(1, hash)
        return try findInvite.one { row in
            InviteRow(
                key: row.int64(0), member: try row.identifier(1), expiresAt: row.int64(2),
                nonceHash: row.isNull(3) ? nil : row.octets(3), session: row.optionalInt64(4))
        }
    }

    func redeem(_ invite: InviteRow, nonceHash: [UInt8], session: Int64, repeatableUntil: Int64) throws {
        let update = try database.prepare("UPDATE invites SET nonce_hash = ?, session = ?, expires_at = min(expires_at, ?) WHERE key = ?")
        update.bind(1, nonceHash)
        update.bind(2, session)
        update.bind(3, repeatableUntil)
        update.bind(4, invite.key)
        try update.run()
    }

    func closeRedemption(session: Int64) throws {
        try database.run("DELETE FROM invites WHERE session = ?", .integer(session))
    }

    func purgeInvites(at: Int64) throws -> Int {
        try database.run("DELETE FROM invites WHERE expires_at <= ?", .integer(at))
        return database.changes
    }
}

@available(*, unavailable)
extension PeopleTable: Sendable {}
