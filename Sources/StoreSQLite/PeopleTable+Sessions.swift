import Bytes
import Family
import SQLite
import Store

extension PeopleTable {
    static let sessions =
        """
        SELECT key, id, person, kind, name, created_at, used_at, ends_at, checked_at, scope, athletes,
        EXISTS (SELECT 1 FROM codes WHERE session = sessions.key) FROM sessions
        """
    static let personSessionsQuery = "\(sessions) WHERE person = ? ORDER BY used_at DESC, key DESC LIMIT ?"
    static let idleSessionsQuery =
        "DELETE FROM sessions WHERE key IN (SELECT key FROM sessions WHERE used_at <= ? AND kind <> 'token' ORDER BY used_at, key LIMIT ?)"
    static let endedSessionsQuery = "DELETE FROM sessions WHERE key IN (SELECT key FROM sessions WHERE ends_at <= ? ORDER BY ends_at, key LIMIT ?)"

    static func session(_ row: Statement) throws -> SessionRow {
        guard let kind = SessionKind(rawValue: row.text(3)) else { throw StoreFailure("a session has a kind that is not known") }
        let word = row.isNull(9) ? nil : row.text(9)
        let scope = word.flatMap { TokenScope(rawValue: $0) }
        // A scope that is not known must not open everything.
        guard (word == nil) == (scope == nil) else { throw StoreFailure("a token has a scope that is not known") }
        return SessionRow(
            key: row.int64(0), id: try row.identifier(1), person: row.int64(2), kind: kind, name: row.text(4), createdAt: row.int64(5),
            usedAt: row.int64(6), endsAt: row.int64(7), checkedAt: row.optionalInt64(8), scope: scope, athletes: identifiers(row.octets(10)),
            isRedemptionOpen: row.int64(11) != 0)
    }

    private static func identifiers(_ octets: [UInt8]) -> [Identifier] {
        stride(from: 0, to: octets.count / 16 * 16, by: 16).map { start in
            func half(_ from: Int) -> UInt64 { octets[from..<from + 8].reduce(0) { $0 << 8 | UInt64($1) } }
            return Identifier(high: half(start), low: half(start + 8))
        }
    }

    func session(key: Int64) throws -> SessionRow? {
        let find = try database.prepare("\(Self.sessions) WHERE key = ?")
        find.bind(1, key)
        return try find.one(Self.session)
    }

    func session(id: Identifier) throws -> SessionRow? {
        let find = try database.prepare("\(Self.sessions) WHERE id = ?")
        find.bind(1, id)
        return try find.one(Self.session)
    }

    func sessions(ofPerson person: Int64, limit: Int) throws -> [SessionRow] {
        let list = try database.prepare(Self.personSessionsQuery)
        list.bind(1, person)
        list.bind(2, Int64(limit))
        return try list.all(Self.session)
    }

    func hasCredential(person: Int64) throws -> Bool {
        let find = try database.prepare("SELECT has_credential OR EXISTS (SELECT 1 FROM credentials WHERE person = people.key) FROM people WHERE key = ?")
        find.bind(1, person)
        return try find.one { $0.int64(0) != 0 } ?? false
    }

    func person(of membership: MembershipRow, at: Int64) throws -> Int64 {
        if let person = membership.person { return person }
        let add = try database.prepare("INSERT INTO people (created_at) VALUES (?) RETURNING key")
        add.bind(1, at)
        guard let person = try add.one({ $0.int64(0) }) else { throw StoreFailure("a person has got no key") }
        let join = try database.prepare("UPDATE memberships SET person = ? WHERE family = ? AND member = ?")
        join.bind(1, person)
        join.bind(2, membership.family)
        join.bind(3, membership.member)
        try join.run()
        return person
    }

    func addSession(_ row: SessionRow, hash: [UInt8]) throws -> Int64 {
        let insert = try database.prepare(
            """
            INSERT INTO sessions (hash, id, person, kind, name, created_at, used_at, ends_at, checked_at, scope, athletes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING key
            """)
        var athletes: [UInt8] = []
        for athlete in row.athletes {
            BigEndian.append(athlete.high, to: &athletes)
            BigEndian.append(athlete.low, to: &athletes)
        }
        insert.bind(1, hash)
        insert.bind(2, row.id)
        insert.bind(3, row.person)
        insert.bind(4, row.kind.rawValue)
        insert.bind(5, row.name)
        insert.bind(6, row.createdAt)
        insert.bind(7, row.usedAt)
        insert.bind(8, row.endsAt)
        insert.bind(9, row.checkedAt)
        insert.bind(10, row.scope?.rawValue)
        insert.bind(11, athletes)
        guard let key = try insert.one({ $0.int64(0) }) else { throw StoreFailure("a session has got no key") }
        return key
    }

    func renameSession(key: Int64, _ name: String) throws {
        try database.run("UPDATE sessions SET name = ? WHERE key = ?", .text(name), .integer(key))
    }

    func setChecked(session key: Int64, at: Int64) throws {
        try database.run("UPDATE sessions SET checked_at = ? WHERE key = ?", .integer(at), .integer(key))
    }

    func setHasCredential(_ has: Bool, person: Int64) throws {
        try database.run("UPDATE people SET has_credential = ? WHERE key = ?", .integer(has ? 1 : 0), .integer(person))
    }

    func purgeSessions(at: Int64, unusedSince limit: Int64, count: Int) throws -> Int {
        try database.run(Self.idleSessionsQuery, .integer(limit), .integer(Int64(count)))
        let idle = database.changes
        try database.run(Self.endedSessionsQuery, .integer(at), .integer(Int64(count)))
        return idle + database.changes
    }

    func addDeviceCode(_ code: DeviceCode, hash: [UInt8]) throws {
        try database.run("DELETE FROM codes WHERE maker = ?", .integer(code.maker))
        let insert = try database.prepare("INSERT INTO codes (hash, family, member, maker, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)")
        insert.bind(1, hash)
        insert.bind(2, code.family)
        insert.bind(3, code.member)
        insert.bind(4, code.maker)
        insert.bind(5, code.createdAt)
        insert.bind(6, code.expiresAt)
        try insert.run()
    }
}
