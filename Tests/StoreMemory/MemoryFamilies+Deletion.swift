import Bytes
import Family
import Store

extension MemoryFamilies {
    func deletion(family: Int64) throws -> FamilyDeletion? { try connection.read().families[family]?.deletion }

    func setDeletion(_ deletion: FamilyDeletion?, family: Int64) throws {
        try connection.write { $0.families[family]?.deletion = deletion }
    }

    func dueDeletion(at time: Int64) throws -> (key: Int64, family: Identifier)? {
        let due = try connection.read().families.values.filter { $0.row != nil && $0.deletion.map { $0.dueAt <= time } ?? false }
        let first = due.min { ($0.deletion?.dueAt ?? 0, $0.row?.key ?? 0) < ($1.deletion?.dueAt ?? 0, $1.row?.key ?? 0) }?.row
        return first.map { ($0.key, $0.id) }
    }

    func erasures(all: Bool) throws -> [Erasure] {
        try connection.read().erasures.values.filter { all || $0.state != .done }.sorted { $0.key < $1.key }
    }

    func beginErasure(of family: Identifier, key: Int64, _ deletion: FamilyDeletion, at: Int64) throws {
        try connection.write { tables in
            tables.erasures[key] = Erasure(
                key: key, family: family, requestedAt: deletion.requestedAt, begunAt: at, state: .rows)
            tables.keys[family] = nil
            tables.families[key]?.row = nil
            tables.families[key]?.arrival = nil
            tables.outbox = tables.outbox.filter { $0.value.family != key }
        }
    }

    /// A table for each portion, whatever is in it.
    func erase(family: Int64, rows: Int, octets: Int) throws -> Bool {
        try connection.write { tables in
            guard var left = tables.families[family] else { return false }
            if !left.links.isEmpty || !left.armed.isEmpty || !left.fired.isEmpty {
                left.links = [:]
                left.feeds = [:]
                left.armed = [:]
                left.fired = [:]
            } else if !left.records.isEmpty {
                left.records = [:]
            } else if !left.history.isEmpty {
                left.history = [:]
            } else if !left.clients.isEmpty {
                left.clients = [:]
                for name in tables.clientNames.keys.filter({ $0.family == family }) { tables.clientNames[name] = nil }
            } else if !left.log.isEmpty {
                left.log = [:]
            } else {
                tables.families[family] = nil
                return true
            }
            tables.families[family] = left
            return true
        }
    }

    func set(_ state: Erasure.State, ofErasure key: Int64, at: Int64) throws {
        try connection.write { tables in
            tables.erasures[key]?.state = state
            tables.erasures[key]?.endedAt = state == .done ? at : nil
        }
    }
}

extension MemoryPeople {
    func erase(family: Int64, limit: Int) throws -> (sessions: [Int64], isFinished: Bool) {
        try connection.write { tables in
            var ended: [Int64] = []
            let members = tables.members.filter { $0.value.family == family }.sorted { $0.key < $1.key }.prefix(limit)
            for (member, row) in members {
                tables.members[member] = nil
                guard let person = row.person, !tables.members.values.contains(where: { $0.person == person && $0.removedAt == nil }) else { continue }
                let keys = tables.sessions.filter { $0.value.row.person == person }.keys.sorted()
                for key in keys { tables.sessions[key] = nil }
                ended += keys
                for (other, row) in tables.members where row.person == person { tables.members[other]?.person = nil }
                tables.credentials.remove(person)
                tables.accounts[person] = nil
                tables.recoveryCodes[person] = nil
                tables.recoveries[person] = nil
                tables.handles[person] = nil
                tables.mails[person] = nil
                tables.outbox = tables.outbox.filter { $0.value.person != person }
                tables.devices = tables.devices.filter { $0.value.person != person }
                tables.passkeys = tables.passkeys.filter { $0.value.person != person }
            }
            guard members.isEmpty else { return (ended, false) }
            let before = tables.codes.count + tables.invites.count
            tables.codes = tables.codes.filter { $0.value.code.family != family }
            tables.invites = tables.invites.filter { $0.key.family != family }
            return ([], tables.codes.count + tables.invites.count == before)
        }
    }
}
