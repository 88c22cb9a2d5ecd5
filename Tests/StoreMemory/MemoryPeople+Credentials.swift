import Bytes
import Family
import Store

extension MemoryPeople {
    func credential(folded: [UInt8]) throws -> CredentialRow? { try connection.read().accounts.values.first { $0.folded == folded } }

    func credential(person: Int64) throws -> CredentialRow? { try connection.read().accounts[person] }

    func recoveryCodes(person: Int64) throws -> [[UInt8]] {
        (try connection.read().recoveryCodes[person] ?? []).sorted { $0.lexicographicallyPrecedes($1) }
    }

    func person(ofDevice hash: [UInt8]) throws -> Int64? { try connection.read().devices[hash]?.person }

    func recovery(person: Int64) throws -> RecoveryNotice? { try connection.read().recoveries[person] }

    func setCredential(_ row: CredentialRow) throws {
        try connection.write { tables in
            if tables.accounts.values.contains(where: { $0.folded == row.folded && $0.person != row.person }) {
                throw StoreFailure("two credentials with the same name")
            }
            tables.accounts[row.person] = row
        }
    }

    func removeCredential(person: Int64) throws {
        try connection.write { tables in
            tables.accounts[person] = nil
            tables.recoveryCodes[person] = nil
            tables.devices = tables.devices.filter { $0.value.person != person }
        }
    }

    func setRecoveryCodes(_ hashes: [[UInt8]], person: Int64) throws { try connection.write { $0.recoveryCodes[person] = hashes } }

    func removeRecoveryCode(_ hash: [UInt8], person: Int64) throws {
        try connection.write { $0.recoveryCodes[person]?.removeAll { $0 == hash } }
    }

    func addDevice(_ hash: [UInt8], person: Int64, at: Int64, limit: Int) throws {
        try connection.write { tables in
            tables.devices[hash] = .init(person: person, usedAt: at)
            let mine = tables.devices.filter { $0.value.person == person }.sorted { left, right in
                left.value.usedAt == right.value.usedAt
                    ? right.key.lexicographicallyPrecedes(left.key) : left.value.usedAt > right.value.usedAt
            }
            for (old, _) in mine.dropFirst(limit) { tables.devices[old] = nil }
        }
    }

    func forgetDevices(person: Int64) throws {
        try connection.write { $0.devices = $0.devices.filter { $0.value.person != person } }
    }

    func addRecoveryTicket(_ ticket: RecoveryTicket, hash: [UInt8]) throws {
        try connection.write { tables in
            tables.codes = tables.codes.filter { entry in
                let code = entry.value.code
                return code.family != ticket.family || code.member != ticket.member || code.recovery == nil || code.nonceHash != nil
            }
            let key = tables.next()
            var code = CodeRow(key: key, family: ticket.family, member: ticket.member, invite: nil, expiresAt: ticket.expiresAt)
            code.recovery = ticket.by == nil ? .host : .parent
            code.recoveryBy = ticket.by
            tables.codes[key] = .init(code: code, hash: hash)
        }
    }

    func setRecovery(_ notice: RecoveryNotice, person: Int64) throws { try connection.write { $0.recoveries[person] = notice } }
}
