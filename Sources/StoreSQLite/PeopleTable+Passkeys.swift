import Bytes
import Family
import SQLite
import Store

extension PeopleTable {
    private static let passkeys = "SELECT id, person, credential, algorithm, public_key, counter, name, created_at, used_at FROM passkeys"
    static let personPasskeysQuery = "\(passkeys) WHERE person = ? ORDER BY created_at, id"
    static let passkeyQuery = "\(passkeys) WHERE credential = ?"

    private static func passkey(_ row: Statement) throws -> PasskeyRow {
        guard let counter = UInt32(exactly: row.int64(5)) else { throw StoreFailure("a passkey has a counter that no authenticator has") }
        return PasskeyRow(
            id: try row.identifier(0), person: row.int64(1), credential: row.octets(2), algorithm: Int(row.int64(3)), key: row.octets(4), counter: counter,
            name: row.text(6), createdAt: row.int64(7), usedAt: row.optionalInt64(8))
    }

    func passkey(credential: [UInt8]) throws -> PasskeyRow? {
        let find = try database.prepare(Self.passkeyQuery)
        find.bind(1, credential)
        return try find.one(Self.passkey)
    }

    func passkeys(ofPerson person: Int64) throws -> [PasskeyRow] {
        let list = try database.prepare(Self.personPasskeysQuery)
        list.bind(1, person)
        return try list.all(Self.passkey)
    }

    func passkeyHandle(person: Int64) throws -> [UInt8]? {
        let find = try database.prepare("SELECT handle FROM people WHERE key = ? AND handle IS NOT NULL")
        find.bind(1, person)
        return try find.one { $0.octets(0) }
    }

    func addPasskey(_ row: PasskeyRow) throws {
        let insert = try database.prepare(
            """
            INSERT INTO passkeys (credential, id, person, algorithm, public_key, counter, name, created_at, used_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        insert.bind(1, row.credential)
        insert.bind(2, row.id)
        insert.bind(3, row.person)
        insert.bind(4, Int64(row.algorithm))
        insert.bind(5, row.key)
        insert.bind(6, Int64(row.counter))
        insert.bind(7, row.name)
        insert.bind(8, row.createdAt)
        insert.bind(9, row.usedAt)
        try insert.run()
    }

    func renamePasskey(_ id: Identifier, _ name: String) throws {
        let rename = try database.prepare("UPDATE passkeys SET name = ? WHERE id = ?")
        rename.bind(1, name)
        rename.bind(2, id)
        try rename.run()
    }

    func usePasskey(_ id: Identifier, counter: UInt32, at: Int64) throws {
        let use = try database.prepare("UPDATE passkeys SET counter = ?, used_at = ? WHERE id = ?")
        use.bind(1, Int64(counter))
        use.bind(2, at)
        use.bind(3, id)
        try use.run()
    }

    func removePasskey(_ id: Identifier) throws {
        let delete = try database.prepare("DELETE FROM passkeys WHERE id = ?")
        delete.bind(1, id)
        try delete.run()
    }

    func setPasskeyHandle(_ handle: [UInt8], person: Int64) throws {
        let set = try database.prepare("UPDATE people SET handle = ? WHERE key = ?")
        set.bind(1, handle)
        set.bind(2, person)
        try set.run()
    }
}
