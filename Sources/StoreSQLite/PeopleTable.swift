import Bytes
import Dates
import Family
import SQLite
import Store

/// The statements on memberships, people, sessions and invites. Those that run seldom are compiled when they are used.
final class PeopleTable: PeopleWrites {
    let database: Database

    private let findSession: Statement
    private let findCode: Statement
    private let listMemberships: Statement
    private let findMember: Statement

    init(_ database: Database) {
        self.database = database
        findSession = database.prepareOnUse("\(Self.sessions) WHERE hash = ?")
        findCode = database.prepareOnUse("SELECT key, family, member, invite, expires_at, nonce_hash, session, maker, recovery, recovery_by FROM codes WHERE hash = ?")
        listMemberships = database.prepareOnUse(
            """
            SELECT m.family, f.uuid, m.member, m.consent_at, m.born, m.ends_on FROM memberships m JOIN families f ON f.key = m.family
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

    func consent(family: Int64, member: Identifier) throws -> Consent? {
        let find = try database.prepare(
            """
            SELECT consent_by, consent_at, consent_terms, consent_digest, consent_person FROM memberships
            WHERE family = ? AND member = ? AND consent_at IS NOT NULL
            """)
        find.bind(1, family)
        find.bind(2, member)
        return try find.one { row in
            Consent(
                by: try row.identifier(0), at: row.int64(1), terms: row.text(2), digest: row.isNull(3) ? nil : row.octets(3),
                person: row.optionalInt64(4))
        }
    }

    func setConsent(_ consent: Consent?, family: Int64, member: Identifier) throws {
        let update = try database.prepare(
            """
            UPDATE memberships SET consent_by = ?, consent_at = ?, consent_terms = ?, consent_digest = ?, consent_person = ?
            WHERE family = ? AND member = ?
            """)
        update.bind(1, consent?.by)
        update.bind(2, consent?.at)
        update.bind(3, consent?.terms)
        update.bind(4, consent?.digest)
        update.bind(5, consent?.person)
        update.bind(6, family)
        update.bind(7, member)
        try update.run()
    }

    func setBirth(_ born: CalendarDate, family: Int64, member: Identifier) throws {
        let update = try database.prepare("UPDATE memberships SET born = ? WHERE family = ? AND member = ?")
        update.bind(1, born.description)
        update.bind(2, family)
        update.bind(3, member)
        try update.run()
    }

    func setLastDay(_ day: CalendarDate?, family: Int64, member: Identifier) throws {
        let update = try database.prepare("UPDATE memberships SET ends_on = ? WHERE family = ? AND member = ?")
        update.bind(1, day?.description)
        update.bind(2, family)
        update.bind(3, member)
        try update.run()
    }

    func detach(family: Int64, member: Identifier) throws {
        let update = try database.prepare("UPDATE memberships SET person = NULL WHERE family = ? AND member = ?")
        update.bind(1, family)
        update.bind(2, member)
        try update.run()
    }

    func attach(family: Int64, member: Identifier, person: Int64) throws {
        let update = try database.prepare("UPDATE memberships SET person = ? WHERE family = ? AND member = ?")
        update.bind(1, person)
        update.bind(2, family)
        update.bind(3, member)
        try update.run()
    }

    func endAllSessions(ofPerson person: Int64) throws -> [Int64] {
        let list = try database.prepare("SELECT key FROM sessions WHERE person = ?")
        list.bind(1, person)
        let keys = try list.all { $0.int64(0) }
        if !keys.isEmpty { try database.run("DELETE FROM sessions WHERE person = ?", .integer(person)) }
        return keys
    }

    func membersEnding(before day: CalendarDate, limit: Int) throws -> [MembershipRow] {
        let list = try database.prepare(
            """
            SELECT m.family, f.uuid, m.member, m.person, m.consent_at, m.born, m.ends_on FROM memberships m JOIN families f ON f.key = m.family
            WHERE m.ends_on IS NOT NULL AND m.ends_on < ? AND m.removed_at IS NULL ORDER BY m.family, m.ends_on LIMIT ?
            """)
        list.bind(1, day.description)
        list.bind(2, Int64(limit))
        return try list.all { row in
            MembershipRow(
                family: row.int64(0), familyID: try row.identifier(1), member: try row.identifier(2), person: row.optionalInt64(3),
                hasConsent: !row.isNull(4), isRemoved: false, born: Self.date(row, 5), lastDay: Self.date(row, 6))
        }
    }

    private static func date(_ row: Statement, _ column: Int32) -> CalendarDate? { row.isNull(column) ? nil : CalendarDate(row.text(column)) }

    func membership(_ member: Identifier) throws -> MembershipRow? {
        let find = try database.prepare(
            """
            SELECT m.family, f.uuid, m.person, m.consent_at, m.removed_at, m.born, m.ends_on
            FROM memberships m JOIN families f ON f.key = m.family WHERE m.member = ?
            """)
        find.bind(1, member)
        return try find.one { row in
            MembershipRow(
                family: row.int64(0), familyID: try row.identifier(1), member: member, person: row.optionalInt64(2),
                hasConsent: !row.isNull(3), isRemoved: !row.isNull(4), born: Self.date(row, 5), lastDay: Self.date(row, 6))
        }
    }

    func memberships(ofPerson person: Int64) throws -> [MembershipRow] {
        listMemberships.bind(1, person)
        return try listMemberships.all { row in
            MembershipRow(
                family: row.int64(0), familyID: try row.identifier(1), member: try row.identifier(2), person: person, hasConsent: !row.isNull(3),
                isRemoved: false, born: Self.date(row, 4), lastDay: Self.date(row, 5))
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
        try endInvite(family: family, member: member, as: .withdrawn)
    }

    // MARK: Sessions

    func session(hash: [UInt8]) throws -> SessionRow? {
        findSession.bind(1, hash)
        return try findSession.one(Self.session)
    }

    func hasSession(person: Int64) throws -> Bool {
        let find = try database.prepare("SELECT 1 FROM sessions WHERE person = ? LIMIT 1")
        find.bind(1, person)
        return try find.one { _ in true } ?? false
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

    func forgetBirth(family: Int64, member: Identifier) throws {
        let update = try database.prepare("UPDATE memberships SET born = NULL WHERE family = ? AND member = ?")
        update.bind(1, family)
        update.bind(2, member)
        try update.run()
    }

    // MARK: Invites

    private static let inviteColumns =
        "i.family, f.uuid, i.id, i.member, i.role, i.name, i.email, i.inviter, i.created_at, i.expires_at, i.state, i.payload, i.bound, i.ends_on, i.mail"
    private static let invites = "SELECT \(inviteColumns) FROM invites i JOIN families f ON f.key = i.family"
    static let inviteQuery = "\(invites) WHERE i.family = ? AND i.id = ?"
    static let memberInviteQuery = "\(invites) WHERE i.member = ? AND i.state = 'pending'"
    static let pendingQuery = "\(invites) WHERE i.family = ? AND i.state = 'pending' ORDER BY i.created_at DESC, i.id DESC LIMIT ?"
    static let openQuery = "SELECT count(*) FROM invites WHERE family = ? AND state = 'pending' AND expires_at > ? AND member <> ?"
    static let recentQuery = "SELECT count(*), min(created_at) FROM invites WHERE family = ? AND created_at > ?"
    static let purgeQuery = "DELETE FROM invites WHERE expires_at <= ?"

    private static func invite(_ row: Statement) throws -> InviteRow {
        guard let role = Role(rawValue: row.text(4)), let state = Invite.State(rawValue: row.text(10)) else {
            throw StoreFailure("an invite has a role or a state that is not known")
        }
        let invite = Invite(
            id: try row.identifier(2), member: try row.identifier(3), role: role, name: row.text(5), email: row.isNull(6) ? nil : row.text(6),
            inviter: try row.optionalIdentifier(7), createdAt: row.int64(8), expiresAt: row.int64(9), state: state,
            lastDay: row.isNull(13) ? nil : row.text(13), mail: row.isNull(14) ? nil : InviteMail(rawValue: row.text(14)))
        return InviteRow(
            family: row.int64(0), familyID: try row.identifier(1), invite: invite, payload: row.octets(11), isBound: row.int64(12) != 0)
    }

    func invite(family: Int64, id: Identifier) throws -> InviteRow? {
        let find = try database.prepare(Self.inviteQuery)
        find.bind(1, family)
        find.bind(2, id)
        return try find.one(Self.invite)
    }

    func invite(ofMember member: Identifier) throws -> InviteRow? {
        let find = try database.prepare(Self.memberInviteQuery)
        find.bind(1, member)
        return try find.one(Self.invite)
    }

    func pendingInvites(family: Int64, limit: Int) throws -> [InviteRow] {
        let list = try database.prepare(Self.pendingQuery)
        list.bind(1, family)
        list.bind(2, Int64(limit))
        return try list.all(Self.invite)
    }

    func openInvites(family: Int64, at: Int64, besides member: Identifier) throws -> Int {
        let count = try database.prepare(Self.openQuery)
        count.bind(1, family)
        count.bind(2, at)
        count.bind(3, member)
        return Int(try count.one { $0.int64(0) } ?? 0)
    }

    func invites(family: Int64, after time: Int64) throws -> (count: Int, first: Int64?) {
        let count = try database.prepare(Self.recentQuery)
        count.bind(1, family)
        count.bind(2, time)
        return try count.one { (Int($0.int64(0)), $0.optionalInt64(1)) } ?? (0, nil)
    }

    func addInvite(_ row: InviteRow) throws {
        let insert = try database.prepare(
            """
            INSERT INTO invites (family, id, member, role, name, email, inviter, created_at, expires_at, state, payload, bound, ends_on, mail)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        let invite = row.invite
        insert.bind(1, row.family)
        insert.bind(2, invite.id)
        insert.bind(3, invite.member)
        insert.bind(4, invite.role.rawValue)
        insert.bind(5, invite.name)
        insert.bind(6, invite.email)
        insert.bind(7, invite.inviter)
        insert.bind(8, invite.createdAt)
        insert.bind(9, invite.expiresAt)
        insert.bind(10, invite.state.rawValue)
        insert.bind(11, row.payload)
        insert.bind(12, row.isBound ? Int64(1) : 0)
        insert.bind(13, invite.lastDay)
        insert.bind(14, invite.mail?.rawValue)
        try insert.run()
    }

    func addCode(of row: InviteRow, hash: [UInt8]) throws {
        let insert = try database.prepare("INSERT INTO codes (hash, family, member, invite, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)")
        insert.bind(1, hash)
        insert.bind(2, row.family)
        insert.bind(3, row.invite.member)
        insert.bind(4, row.invite.id)
        insert.bind(5, row.invite.createdAt)
        insert.bind(6, row.invite.expiresAt)
        try insert.run()
    }

    func acceptInvite(family: Int64, id: Identifier) throws {
        let update = try database.prepare("UPDATE invites SET state = 'accepted' WHERE family = ? AND id = ?")
        update.bind(1, family)
        update.bind(2, id)
        try update.run()
    }

    func endInvite(family: Int64, member: Identifier, as state: Invite.State) throws {
        let update = try database.prepare("UPDATE invites SET state = ? WHERE family = ? AND member = ? AND state = 'pending'")
        update.bind(1, state.rawValue)
        update.bind(2, family)
        update.bind(3, member)
        try update.run()
        let kill = try database.prepare("DELETE FROM codes WHERE family = ? AND member = ?")
        kill.bind(1, family)
        kill.bind(2, member)
        try kill.run()
    }

    func code(hash: [UInt8]) throws -> CodeRow? {
        findCode.bind(1, hash)
        return try findCode.one { row in
            var code = CodeRow(
                key: row.int64(0), family: row.int64(1), member: try row.identifier(2), invite: try row.optionalIdentifier(3), expiresAt: row.int64(4),
                nonceHash: row.isNull(5) ? nil : row.octets(5), session: row.optionalInt64(6),
                maker: row.optionalInt64(7))
            guard !row.isNull(8) else { return code }
            // A code of a way that is not known must not be taken for that of an invite.
            guard let way = RecoveryWay(rawValue: row.text(8)) else { throw StoreFailure("a code has a way of recovery that is not known") }
            code.recovery = way
            code.recoveryBy = try row.optionalIdentifier(9)
            return code
        }
    }

    func redeem(_ code: CodeRow, nonceHash: [UInt8], session: Int64, repeatableUntil: Int64) throws {
        let update = try database.prepare("UPDATE codes SET nonce_hash = ?, session = ?, expires_at = min(expires_at, ?) WHERE key = ?")
        update.bind(1, nonceHash)
        update.bind(2, session)
        update.bind(3, repeatableUntil)
        update.bind(4, code.key)
        try update.run()
    }

    func closeRedemption(session: Int64) throws {
        try database.run("DELETE FROM codes WHERE session = ?", .integer(session))
    }

    func purgeInvites(at: Int64) throws -> Int {
        try database.run("DELETE FROM codes WHERE expires_at <= ?", .integer(at))
        let codes = database.changes
        try database.run(Self.purgeQuery, .integer(at - Invite.retention))
        return codes + database.changes
    }
}

@available(*, unavailable)
extension PeopleTable: Sendable {}
