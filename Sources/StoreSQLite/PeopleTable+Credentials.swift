import Bytes
import Family
import SQLite
import Store

extension PeopleTable {
    private static let credentials = "SELECT person, name, folded, hash, factor, step, pending FROM credentials"

    private static func credential(_ row: Statement) -> CredentialRow {
        CredentialRow(
            person: row.int64(0), name: row.text(1), folded: row.octets(2), hash: row.text(3), factor: row.isNull(4) ? nil : row.octets(4),
            step: row.optionalInt64(5), pending: row.isNull(6) ? nil : row.octets(6))
    }

    func credential(folded: [UInt8]) throws -> CredentialRow? {
        let find = try database.prepare("\(Self.credentials) WHERE folded = ?")
        find.bind(1, folded)
        return try find.one { Self.credential($0) }
    }

    func credential(person: Int64) throws -> CredentialRow? {
        let find = try database.prepare("\(Self.credentials) WHERE person = ?")
        find.bind(1, person)
        return try find.one { Self.credential($0) }
    }

    func recoveryCodes(person: Int64) throws -> [[UInt8]] {
        let list = try database.prepare("SELECT hash FROM recovery_codes WHERE person = ? ORDER BY hash")
        list.bind(1, person)
        return try list.all { $0.octets(0) }
    }

    func person(ofDevice hash: [UInt8]) throws -> Int64? {
        let find = try database.prepare("SELECT person FROM known_devices WHERE hash = ?")
        find.bind(1, hash)
        return try find.one { $0.int64(0) }
    }

    func recovery(person: Int64) throws -> RecoveryNotice? {
        let find = try database.prepare("SELECT recovered_at, recovered_by FROM people WHERE key = ? AND recovered_at IS NOT NULL")
        find.bind(1, person)
        return try find.one { row in
            guard let way = RecoveryWay(rawValue: row.text(1)) else { throw StoreFailure("a recovery has a way that is not known") }
            return RecoveryNotice(way: way, at: row.int64(0))
        }
    }

    func setCredential(_ row: CredentialRow) throws {
        let set = try database.prepare(
            """
            INSERT INTO credentials (person, name, folded, hash, factor, step, pending) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (person) DO UPDATE SET name = excluded.name, folded = excluded.folded, hash = excluded.hash, factor = excluded.factor,
            step = excluded.step, pending = excluded.pending
            """)
        set.bind(1, row.person)
        set.bind(2, row.name)
        set.bind(3, row.folded)
        set.bind(4, row.hash)
        set.bind(5, row.factor)
        set.bind(6, row.step)
        set.bind(7, row.pending)
        try set.run()
    }

    func removeCredential(person: Int64) throws {
        try database.run("DELETE FROM credentials WHERE person = ?", .integer(person))
        try database.run("DELETE FROM recovery_codes WHERE person = ?", .integer(person))
        try forgetDevices(person: person)
    }

    func setRecoveryCodes(_ hashes: [[UInt8]], person: Int64) throws {
        try database.run("DELETE FROM recovery_codes WHERE person = ?", .integer(person))
        let insert = try database.prepare("INSERT INTO recovery_codes (person, hash) VALUES (?, ?)")
        for hash in hashes {
            insert.bind(1, person)
            insert.bind(2, hash)
            try insert.run()
        }
    }

    func removeRecoveryCode(_ hash: [UInt8], person: Int64) throws {
        let delete = try database.prepare("DELETE FROM recovery_codes WHERE person = ? AND hash = ?")
        delete.bind(1, person)
        delete.bind(2, hash)
        try delete.run()
    }

    func addDevice(_ hash: [UInt8], person: Int64, at: Int64, limit: Int) throws {
        let insert = try database.prepare(
            "INSERT INTO known_devices (hash, person, used_at) VALUES (?, ?, ?) ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at")
        insert.bind(1, hash)
        insert.bind(2, person)
        insert.bind(3, at)
        try insert.run()
        try database.run(
            """
            DELETE FROM known_devices WHERE hash IN
            (SELECT hash FROM known_devices WHERE person = ? ORDER BY used_at DESC, hash DESC LIMIT -1 OFFSET ?)
            """, .integer(person), .integer(Int64(limit)))
    }

    func forgetDevices(person: Int64) throws { try database.run("DELETE FROM known_devices WHERE person = ?", .integer(person)) }

    func addRecoveryTicket(_ ticket: RecoveryTicket, hash: [UInt8]) throws {
        let kill = try database.prepare("DELETE FROM codes WHERE family = ? AND member = ? AND recovery IS NOT NULL AND nonce_hash IS NULL")
        kill.bind(1, ticket.family)
        kill.bind(2, ticket.member)
        try kill.run()
        let insert = try database.prepare(
            "INSERT INTO codes (hash, family, member, recovery, recovery_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)")
        insert.bind(1, hash)
        insert.bind(2, ticket.family)
        insert.bind(3, ticket.member)
        insert.bind(4, (ticket.by == nil ? RecoveryWay.host : .parent).rawValue)
        insert.bind(5, ticket.by)
        insert.bind(6, ticket.createdAt)
        insert.bind(7, ticket.expiresAt)
        try insert.run()
    }

    func setRecovery(_ notice: RecoveryNotice, person: Int64) throws {
        try database.run(
            "UPDATE people SET recovered_at = ?, recovered_by = ? WHERE key = ?", .integer(notice.at), .text(notice.way.rawValue), .integer(person))
    }
}
