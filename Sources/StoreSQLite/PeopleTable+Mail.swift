import Bytes
import Family
import SQLite
import Store

extension PeopleTable {
    private static let mails = """
        SELECT person, address, pending, code_hash, code_expires_at, problem, recovery_hash, recovery_expires_at FROM mail_addresses
        """
    static let addressQuery = "\(mails) WHERE folded = ? ORDER BY person LIMIT ?"
    static let recoveryHashQuery = "\(mails) WHERE recovery_hash = ?"

    private static let outgoing = """
        SELECT key, name, kind, person, about, address, subject, body, created_at, due_at, expires_at, tries, claimed_at, family FROM outbox
        """
    static let dueQuery = "\(outgoing) WHERE claimed_at IS NULL AND due_at <= ? ORDER BY due_at, key LIMIT ?"
    static let nextMailQuery = "SELECT due_at FROM outbox WHERE claimed_at IS NULL ORDER BY due_at LIMIT 1"
    static let aboutQuery = "DELETE FROM outbox WHERE family = ? AND about = ?"
    static let outgoingOfPersonQuery = "SELECT count(*) FROM outbox WHERE person = ?"

    private static func mail(_ row: Statement) throws -> MailRow {
        let problem = row.isNull(5) ? nil : MailProblem(rawValue: row.text(5))
        guard row.isNull(5) || problem != nil else { throw StoreFailure("a mail has a problem that is not known") }
        return MailRow(
            person: row.int64(0), address: row.isNull(1) ? nil : row.text(1), pending: row.isNull(2) ? nil : row.text(2), codeHash: row.isNull(3) ? nil : row.octets(3),
            codeExpiresAt: row.optionalInt64(4), problem: problem, recoveryHash: row.isNull(6) ? nil : row.octets(6), recoveryExpiresAt: row.optionalInt64(7))
    }

    private static func outgoing(_ row: Statement) throws -> OutgoingMail {
        guard let kind = MailKind(rawValue: row.text(2)) else { throw StoreFailure("a waiting mail has a kind that is not known") }
        return OutgoingMail(
            key: row.int64(0), name: row.text(1), kind: kind, person: row.optionalInt64(3), family: row.optionalInt64(13), about: try row.optionalIdentifier(4), address: row.text(5),
            subject: row.text(6), body: row.text(7), createdAt: row.int64(8), dueAt: row.int64(9), expiresAt: row.int64(10), tries: Int(row.int64(11)),
            claimedAt: row.optionalInt64(12))
    }

    // MARK: Addresses

    func mail(person: Int64) throws -> MailRow? {
        let find = try database.prepare("\(Self.mails) WHERE person = ?")
        find.bind(1, person)
        return try find.one(Self.mail)
    }

    func mails(folded: String, limit: Int) throws -> [MailRow] {
        let list = try database.prepare(Self.addressQuery)
        list.bind(1, folded)
        list.bind(2, Int64(limit))
        return try list.all(Self.mail)
    }

    func mail(recoveryHash: [UInt8]) throws -> MailRow? {
        let find = try database.prepare(Self.recoveryHashQuery)
        find.bind(1, recoveryHash)
        return try find.one(Self.mail)
    }

    func setMail(_ row: MailRow) throws {
        let set = try database.prepare(
            """
            INSERT OR REPLACE INTO mail_addresses (person, address, folded, pending, code_hash, code_expires_at, problem, recovery_hash, recovery_expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        set.bind(1, row.person)
        set.bind(2, row.address)
        set.bind(3, row.address.map { MailRow.folded($0) })
        set.bind(4, row.pending)
        set.bind(5, row.codeHash)
        set.bind(6, row.codeExpiresAt)
        set.bind(7, row.problem?.rawValue)
        set.bind(8, row.recoveryHash)
        set.bind(9, row.recoveryExpiresAt)
        try set.run()
    }

    func removeMail(person: Int64) throws { try database.run("DELETE FROM mail_addresses WHERE person = ?", .integer(person)) }

    func setInviteMail(_ state: InviteMail, family: Int64, id: Identifier) throws {
        let set = try database.prepare("UPDATE invites SET mail = ? WHERE family = ? AND id = ?")
        set.bind(1, state.rawValue)
        set.bind(2, family)
        set.bind(3, id)
        try set.run()
    }

    // MARK: The outbox

    func outgoingMails(of person: Int64?) throws -> Int {
        let count = try database.prepare(person == nil ? "SELECT count(*) FROM outbox" : Self.outgoingOfPersonQuery)
        if let person { count.bind(1, person) }
        return Int(try count.one { $0.int64(0) } ?? 0)
    }

    func outgoingMail(key: Int64) throws -> OutgoingMail? {
        let find = try database.prepare("\(Self.outgoing) WHERE key = ?")
        find.bind(1, key)
        return try find.one(Self.outgoing)
    }

    func dueMails(at: Int64, limit: Int) throws -> [OutgoingMail] {
        let list = try database.prepare(Self.dueQuery)
        list.bind(1, at)
        list.bind(2, Int64(limit))
        return try list.all(Self.outgoing)
    }

    func nextMail() throws -> Int64? {
        let find = try database.prepare(Self.nextMailQuery)
        return try find.one { $0.int64(0) }
    }

    func addOutgoing(_ mail: OutgoingMail) throws {
        let insert = try database.prepare(
            """
            INSERT INTO outbox (name, kind, person, about, address, subject, body, created_at, due_at, expires_at, tries, claimed_at, family)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        insert.bind(1, mail.name)
        insert.bind(2, mail.kind.rawValue)
        insert.bind(3, mail.person)
        insert.bind(4, mail.about)
        insert.bind(5, mail.address)
        insert.bind(6, mail.subject)
        insert.bind(7, mail.body)
        insert.bind(8, mail.createdAt)
        insert.bind(9, mail.dueAt)
        insert.bind(10, mail.expiresAt)
        insert.bind(11, Int64(mail.tries))
        insert.bind(12, mail.claimedAt)
        insert.bind(13, mail.family)
        try insert.run()
    }

    func setOutgoing(key: Int64, dueAt: Int64, tries: Int, claimedAt: Int64?) throws {
        let set = try database.prepare("UPDATE outbox SET due_at = ?, tries = ?, claimed_at = ? WHERE key = ?")
        set.bind(1, dueAt)
        set.bind(2, Int64(tries))
        set.bind(3, claimedAt)
        set.bind(4, key)
        try set.run()
    }

    func removeOutgoing(key: Int64) throws { try database.run("DELETE FROM outbox WHERE key = ?", .integer(key)) }

    func removeOutgoing(person: Int64, kind: MailKind) throws {
        try database.run("DELETE FROM outbox WHERE person = ? AND kind = ?", .integer(person), .text(kind.rawValue))
    }

    func removeOutgoing(family: Int64, about: Identifier) throws {
        let delete = try database.prepare(Self.aboutQuery)
        delete.bind(1, family)
        delete.bind(2, about)
        try delete.run()
    }

    func releaseOutgoing() throws { try database.run("UPDATE outbox SET claimed_at = NULL WHERE claimed_at IS NOT NULL") }
}
