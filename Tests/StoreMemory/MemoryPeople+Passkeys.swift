import Bytes
import Family
import Store

extension MemoryPeople {
    func passkey(credential: [UInt8]) throws -> PasskeyRow? { try connection.read().passkeys.values.first { $0.credential == credential } }

    func passkeys(ofPerson person: Int64) throws -> [PasskeyRow] {
        try connection.read().passkeys.values.filter { $0.person == person }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    func passkeyHandle(person: Int64) throws -> [UInt8]? { try connection.read().handles[person] }

    func addPasskey(_ row: PasskeyRow) throws {
        try connection.write { tables in
            if tables.passkeys[row.id] != nil || tables.passkeys.values.contains(where: { $0.credential == row.credential }) {
                throw StoreFailure("two passkeys with the same identifier")
            }
            tables.passkeys[row.id] = row
        }
    }

    func renamePasskey(_ id: Identifier, _ name: String) throws { try connection.write { $0.passkeys[id]?.name = name } }

    func usePasskey(_ id: Identifier, counter: UInt32, at: Int64) throws {
        try connection.write { tables in
            tables.passkeys[id]?.counter = counter
            tables.passkeys[id]?.usedAt = at
        }
    }

    func removePasskey(_ id: Identifier) throws { try connection.write { $0.passkeys[id] = nil } }

    func setPasskeyHandle(_ handle: [UInt8], person: Int64) throws { try connection.write { $0.handles[person] = handle } }
}
