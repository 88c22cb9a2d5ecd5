import Bytes
import Family
import Store

extension MemoryPeople {
    func mail(person: Int64) throws -> MailRow? { try connection.read().mails[person] }

    func mails(folded: String, limit: Int) throws -> [MailRow] {
        let rows = try connection.read().mails.values.filter { $0.address.map { MailRow.folded($0) } == folded }
        return Array(rows.sorted { $0.person < $1.person }.prefix(limit))
    }

    func mail(recoveryHash: [UInt8]) throws -> MailRow? { try connection.read().mails.values.first { $0.recoveryHash == recoveryHash } }

    func outgoingMails(of person: Int64?) throws -> Int {
        let mails = try connection.read().outbox.values
        return person.map { person in mails.count { $0.person == person } } ?? mails.count
    }

    func outgoingMail(key: Int64) throws -> OutgoingMail? { try connection.read().outbox[key] }

    private func waiting() throws -> [OutgoingMail] {
        try connection.read().outbox.values.filter { $0.claimedAt == nil }.sorted { ($0.dueAt, $0.key) < ($1.dueAt, $1.key) }
    }

    func dueMails(at: Int64, limit: Int) throws -> [OutgoingMail] { Array(try waiting().filter { $0.dueAt <= at }.prefix(limit)) }

    func nextMail() throws -> Int64? { try waiting().first?.dueAt }

    func setMail(_ row: MailRow) throws { try connection.write { $0.mails[row.person] = row } }

    func removeMail(person: Int64) throws { try connection.write { $0.mails[person] = nil } }

    func addOutgoing(_ mail: OutgoingMail) throws {
        try connection.write { tables in
            if tables.outbox.values.contains(where: { $0.name == mail.name }) { throw StoreFailure("two mails with the same name") }
            var mail = mail
            mail.key = tables.next()
            tables.outbox[mail.key] = mail
        }
    }

    func setOutgoing(key: Int64, dueAt: Int64, tries: Int, claimedAt: Int64?) throws {
        try connection.write { tables in
            tables.outbox[key]?.dueAt = dueAt
            tables.outbox[key]?.tries = tries
            tables.outbox[key]?.claimedAt = claimedAt
        }
    }

    func removeOutgoing(key: Int64) throws { try connection.write { $0.outbox[key] = nil } }

    func removeOutgoing(person: Int64, kind: MailKind) throws {
        try connection.write { $0.outbox = $0.outbox.filter { $0.value.person != person || $0.value.kind != kind } }
    }

    func removeOutgoing(family: Int64, about: Identifier) throws {
        try connection.write { $0.outbox = $0.outbox.filter { $0.value.family != family || $0.value.about != about } }
    }

    func releaseOutgoing() throws {
        try connection.write { tables in
            for key in tables.outbox.keys { tables.outbox[key]?.claimedAt = nil }
        }
    }

    func setInviteMail(_ state: InviteMail, family: Int64, id: Identifier) throws {
        try connection.write { $0.invites[.init(family: family, id: id)]?.invite.mail = state }
    }
}
