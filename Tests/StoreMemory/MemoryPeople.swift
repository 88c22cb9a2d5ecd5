import Bytes
import Dates
import Family
import Store

final class MemoryPeople: PeopleWrites {
    let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    // MARK: Memberships

    private static func membership(_ member: Identifier, _ tables: MemoryTables) -> MembershipRow? {
        guard let row = tables.members[member], let family = tables.families[row.family]?.row else { return nil }
        return MembershipRow(
            family: row.family, familyID: family.id, member: member, person: row.person, hasConsent: row.consent != nil,
            isRemoved: row.removedAt != nil, born: row.born.flatMap { CalendarDate($0) }, lastDay: row.lastDay)
    }

    func membership(_ member: Identifier) throws -> MembershipRow? { Self.membership(member, try connection.read()) }

    func memberships(ofPerson person: Int64) throws -> [MembershipRow] {
        let tables = try connection.read()
        return tables.members.filter { $0.value.person == person && $0.value.removedAt == nil }.sorted { $0.key < $1.key }
            .compactMap { Self.membership($0.key, tables) }
    }

    func member(family: Int64, person: Int64) throws -> Identifier? {
        try connection.read().members.first { $0.value.family == family && $0.value.person == person && $0.value.removedAt == nil }?.key
    }

    func membersWithoutLogin(family: Int64) throws -> Set<Identifier> {
        Set(try connection.read().members.filter { $0.value.family == family && $0.value.person == nil }.keys)
    }

    func persons(family: Int64) throws -> [PersonRow] {
        try connection.read().members.filter { $0.value.family == family }.sorted { $0.key < $1.key }.map { member, row in
            PersonRow(
                member: member, born: row.born, consentBy: row.consent?.by, consentAt: row.consent?.at, consentTerms: row.consent?.terms)
        }
    }

    func addMembership(family: Int64, member: Identifier, born: CalendarDate?, consent: Consent?) throws {
        try connection.write { $0.members[member] = .init(family: family, born: born?.description, consent: consent) }
    }

    func consent(family: Int64, member: Identifier) throws -> Consent? { try connection.read().members[member]?.consent }

    func membersEnding(before day: CalendarDate, limit: Int) throws -> [MembershipRow] {
        let tables = try connection.read()
        let due = tables.members.filter { $0.value.removedAt == nil && $0.value.lastDay.map { $0 < day } ?? false }
        return Array(due.sorted { $0.key < $1.key }.compactMap { Self.membership($0.key, tables) }.prefix(limit))
    }

    func setConsent(_ consent: Consent?, family: Int64, member: Identifier) throws {
        try connection.write { $0.members[member]?.consent = consent }
    }

    func setBirth(_ born: CalendarDate, family: Int64, member: Identifier) throws {
        try connection.write { $0.members[member]?.born = born.description }
    }

    func setLastDay(_ day: CalendarDate?, family: Int64, member: Identifier) throws {
        try connection.write { $0.members[member]?.lastDay = day }
    }

    func detach(family: Int64, member: Identifier) throws { try connection.write { $0.members[member]?.person = nil } }

    func attach(family: Int64, member: Identifier, person: Int64) throws {
        try connection.write { $0.members[member]?.person = person }
    }

    func endAllSessions(ofPerson person: Int64) throws -> [Int64] {
        try connection.write { tables in
            let keys = tables.sessions.filter { $0.value.row.person == person }.keys.sorted()
            for key in keys { tables.sessions[key] = nil }
            return keys
        }
    }

    func setRemoved(family: Int64, member: Identifier, at: Int64?) throws {
        try connection.write { $0.setRemoved(family: family, member: member, at: at) }
    }

    func forgetBirth(family: Int64, member: Identifier) throws { try connection.write { $0.members[member]?.born = nil } }

    // MARK: Sessions

    private func session(where isMeant: (MemoryTables.SessionEntry) -> Bool) throws -> SessionRow? {
        let tables = try connection.read()
        return tables.sessions.values.first(where: isMeant).map { Self.row($0, tables) }
    }

    private static func row(_ entry: MemoryTables.SessionEntry, _ tables: MemoryTables) -> SessionRow {
        var row = entry.row
        row.isRedemptionOpen = tables.codes.values.contains { $0.code.session == row.key }
        return row
    }

    func session(hash: [UInt8]) throws -> SessionRow? { try session { $0.hash == hash } }

    func session(key: Int64) throws -> SessionRow? { try session { $0.row.key == key } }

    func session(id: Identifier) throws -> SessionRow? { try session { $0.row.id == id } }

    func sessions(ofPerson person: Int64, limit: Int) throws -> [SessionRow] {
        let tables = try connection.read()
        return tables.sessions.values.filter { $0.row.person == person }.sorted { ($1.row.usedAt, $1.row.key) < ($0.row.usedAt, $0.row.key) }
            .prefix(limit).map { Self.row($0, tables) }
    }

    func hasCredential(person: Int64) throws -> Bool { 
        let tables = try connection.read()
        return tables.credentials.contains(person) || tables.accounts[person] != nil
    }

    func hasSession(person: Int64) throws -> Bool { try connection.read().sessions.values.contains { $0.row.person == person } }

    func hasSession(key: Int64) throws -> Bool { try connection.read().sessions[key] != nil }

    func person(of membership: MembershipRow, at: Int64) throws -> Int64 {
        try connection.write { tables in
            let person = membership.person ?? tables.next()
            tables.members[membership.member]?.person = person
            return person
        }
    }

    func addSession(_ row: SessionRow, hash: [UInt8]) throws -> Int64 {
        try connection.write { tables in
            var row = row
            row.key = tables.next()
            tables.sessions[row.key] = .init(hash: hash, row: row)
            return row.key
        }
    }

    func endSession(key: Int64) throws -> Bool { try connection.write { $0.sessions.removeValue(forKey: key) != nil } }

    func renameSession(key: Int64, _ name: String) throws { try connection.write { $0.sessions[key]?.row.name = name } }

    func setChecked(session key: Int64, at: Int64) throws { try connection.write { $0.sessions[key]?.row.checkedAt = at } }

    func setHasCredential(_ has: Bool, person: Int64) throws {
        try connection.write { tables in
            if has { tables.credentials.insert(person) } else { tables.credentials.remove(person) }
        }
    }

    func renewSession(key: Int64, at: Int64) throws {
        try connection.write { tables in
            let before = tables.sessions[key]?.row.usedAt ?? 0
            tables.sessions[key]?.row.usedAt = max(before, at)
        }
    }

    func purgeSessions(at: Int64, unusedSince limit: Int64, count: Int) throws -> Int {
        try connection.write { tables in
            let idle = tables.sessions.values.map(\.row).filter { $0.usedAt <= limit && $0.kind != .token }
                .sorted { ($0.usedAt, $0.key) < ($1.usedAt, $1.key) }.prefix(count)
            for row in idle { tables.sessions[row.key] = nil }
            let ended = tables.sessions.values.map(\.row).filter { $0.endsAt <= at }.sorted { ($0.endsAt, $0.key) < ($1.endsAt, $1.key) }.prefix(count)
            for row in ended { tables.sessions[row.key] = nil }
            return idle.count + ended.count
        }
    }

    func addDeviceCode(_ new: DeviceCode, hash: [UInt8]) throws {
        try connection.write { tables in
            tables.codes = tables.codes.filter { $0.value.code.maker != new.maker }
            let key = tables.next()
            let code = CodeRow(key: key, family: new.family, member: new.member, invite: nil, expiresAt: new.expiresAt, maker: new.maker)
            tables.codes[key] = .init(code: code, hash: hash)
        }
    }

    // MARK: Invites

    func code(hash: [UInt8]) throws -> CodeRow? { try connection.read().codes.values.first { $0.hash == hash }?.code }

    func invite(family: Int64, id: Identifier) throws -> InviteRow? { try connection.read().invites[.init(family: family, id: id)] }

    func invite(ofMember member: Identifier) throws -> InviteRow? {
        try connection.read().invites.values.first { $0.invite.member == member && $0.invite.state == .pending }
    }

    func pendingInvites(family: Int64, limit: Int) throws -> [InviteRow] {
        let pending = try connection.read().invites.values.filter { $0.family == family && $0.invite.state == .pending }
        return Array(pending.sorted { ($1.invite.createdAt, $1.invite.id) < ($0.invite.createdAt, $0.invite.id) }.prefix(limit))
    }

    func openInvites(family: Int64, at: Int64, besides member: Identifier) throws -> Int {
        try connection.read().invites.values.count {
            $0.family == family && $0.invite.state == .pending && $0.invite.expiresAt > at && $0.invite.member != member
        }
    }

    func invites(family: Int64, after time: Int64) throws -> (count: Int, first: Int64?) {
        let times = try connection.read().invites.values.filter { $0.family == family && $0.invite.createdAt > time }.map(\.invite.createdAt)
        return (times.count, times.min())
    }

    func addInvite(_ row: InviteRow) throws {
        try connection.write { $0.invites[.init(family: row.family, id: row.invite.id)] = row }
    }

    func addCode(of row: InviteRow, hash: [UInt8]) throws {
        try connection.write { tables in
            let key = tables.next()
            let code = CodeRow(key: key, family: row.family, member: row.invite.member, invite: row.invite.id, expiresAt: row.invite.expiresAt)
            tables.codes[key] = .init(code: code, hash: hash)
        }
    }

    func acceptInvite(family: Int64, id: Identifier) throws {
        try connection.write { $0.invites[.init(family: family, id: id)]?.invite.state = .accepted }
    }

    func endInvite(family: Int64, member: Identifier, as state: Invite.State) throws {
        try connection.write { $0.endInvite(family: family, member: member, as: state) }
    }

    func redeem(_ code: CodeRow, nonceHash: [UInt8], session: Int64, repeatableUntil: Int64) throws {
        try connection.write { tables in
            guard var entry = tables.codes[code.key] else { return }
            entry.code.nonceHash = nonceHash
            entry.code.session = session
            entry.code.expiresAt = min(entry.code.expiresAt, repeatableUntil)
            tables.codes[code.key] = entry
        }
    }

    func closeRedemption(session: Int64) throws {
        try connection.write { $0.codes = $0.codes.filter { $0.value.code.session != session } }
    }

    func purgeInvites(at: Int64) throws -> Int {
        try connection.write { tables in
            let before = tables.codes.count + tables.invites.count
            tables.codes = tables.codes.filter { $0.value.code.expiresAt > at }
            tables.invites = tables.invites.filter { $0.value.invite.expiresAt > at - Invite.retention }
            return before - tables.codes.count - tables.invites.count
        }
    }
}

@available(*, unavailable)
extension MemoryPeople: Sendable {}

extension MemoryTables {
    mutating func setRemoved(family: Int64, member: Identifier, at: Int64?) {
        members[member]?.removedAt = at
        guard at != nil else { return }
        if let person = members[member]?.person, !members.values.contains(where: { $0.person == person && $0.removedAt == nil }) {
            sessions = sessions.filter { $0.value.row.person != person }
        }
        endInvite(family: family, member: member, as: .withdrawn)
    }

    mutating func endInvite(family: Int64, member: Identifier, as state: Invite.State) {
        for (name, row) in invites where row.family == family && row.invite.member == member && row.invite.state == .pending {
            invites[name]?.invite.state = state
        }
        codes = codes.filter { $0.value.code.family != family || $0.value.code.member != member }
    }
}
