import Bytes
import Dates
package import Family
package import JSON
import Ledger

// Answers to the person who runs the server. They never contain a secret, a birth date or a network address.
extension StoreReader {
    /// Answers a question of the host. Lists come in pages: `next` is the mark of the request for the next page.
    ///
    /// - Parameter isOver: called after each family; if it returns true, the page ends there.
    package func answer(_ question: HostQuestion, endingWhen isOver: () -> Bool = { false }) throws(StoreFailure) -> Result<JSONTree, Rejection> {
        try reading {
            do {
                return .success(try found(question, isOver))
            } catch let rejection as Rejection {
                return .failure(rejection)
            }
        }
    }

    private func found(_ question: HostQuestion, _ isOver: () -> Bool) throws -> JSONTree {
        switch question {
        case .families(let after, let withPeople): try families(after: after ?? 0, withPeople: withPeople, isOver)
        case .family(let name): try family(named(name))
        case .people(let name, let after): try people(name, after: after, isOver)
        case .person(let member): try person(member)
        case .invites(let name): try invites(named(name))
        case .sessions(let member): try sessions(member)
        case .quotas(let name): try quotas(named(name))
        case .audit(let name, let after): try audit(name, after: after)
        case .reminders(let member, let from, let to, let after): try planned(member, from: from, to: to, after: after ?? 0)
        case .status: try status()
        }
    }

    // MARK: Families

    private func families(after key: Int64, withPeople: Bool, _ isOver: () -> Bool) throws -> JSONTree {
        let rows = try engine.families.all(after: key, limit: HostQuestion.rows)
        var found: [JSONTree] = []
        var (last, people) = (key, 0)
        for row in rows {
            var family = try summary(row)
            if withPeople {
                let members = try present(row.key)
                people += members.count
                // `people` lists all members of a family that has more than one answer has room for.
                family["people"] = .list(members.prefix(HostQuestion.rows).map { id, member in
                    .object(of: ["member": .text(id.description), "name": .text(member.name), "role": .text(member.role.rawValue)])
                })
            }
            found.append(family)
            last = row.key
            if isOver() || people >= HostQuestion.rows { break }
        }
        let isLast = found.count == rows.count && rows.count < HostQuestion.rows
        return .object(of: ["families": .list(found), "next": isLast ? nil : .integer(last)])
    }

    private func summary(_ row: FamilyRow) throws -> JSONTree {
        let fields = try record(family: row.key, row.id)?.fields
        let own = try engine.families.quotas(family: row.key)
        let head = try engine.log.head(family: row.key)
        return .object(of: [
            "family": .text(row.id.description), "name": .text(fields?.text("name") ?? ""), "zone": .text(fields?.text("time_zone") ?? "UTC"),
            "created_at": .integer(row.createdAt), "last_change_at": try engine.log.lastTime(family: row.key).map { .integer($0) },
            "members": .integer(Int64(try present(row.key).count)), "records": .integer(Int64(try engine.records.count(family: row.key))),
            "rows_octets": .integer(try engine.log.usage(family: row.key, head: head).octets), "files_octets": .integer(try storage(row.key)),
            "rows_limit": .integer(Int64(own.value(.rows, environment.limits))), "files_limit": .integer(Int64(own.value(.files, environment.limits))),
            "own_quotas": .list(FamilyQuota.allCases.filter { own[$0] != nil }.map { .text($0.rawValue) }),
        ])
    }

    private func family(_ row: FamilyRow) throws -> JSONTree {
        var family = try summary(row)
        family["changes"] = .integer(try engine.log.head(family: row.key))
        family["people"] = .list(try present(row.key).prefix(HostQuestion.rows).map { id, member in
            .object(of: ["member": .text(id.description), "name": .text(member.name), "role": .text(member.role.rawValue)])
        })
        let now = environment.now()
        let invites = try engine.people.pendingInvites(family: row.key, limit: Self.maxInvites).map { $0.invite.current(at: now) }
        if let deletion = try engine.families.deletion(family: row.key) {
            family["deletion_requested_at"] = .integer(deletion.requestedAt)
            family["deletion_due_at"] = .integer(deletion.dueAt)
        }
        family["pending_invites"] = .integer(Int64(invites.count { $0.state == .pending }))
        return family
    }

    private func quotas(_ row: FamilyRow) throws -> JSONTree {
        let head = try engine.log.head(family: row.key)
        return HostAnswer.quotas(
            row.id, name: try record(family: row.key, row.id)?.fields.text("name"), try engine.families.quotas(family: row.key), environment.limits,
            used: [.rows: try engine.log.usage(family: row.key, head: head).octets, .files: try storage(row.key)])
    }

    /// The only family with this id or name.
    private func named(_ text: String) throws -> FamilyRow {
        let found = try FamilyNames.find(text, in: engine.families) { key, id in try record(family: key, id) }
        guard found.count <= 1 else { throw Rejection.severalFamilies(text, found.count) }
        guard let id = found.first, let row = try engine.families.find(id) else { throw Rejection.noFamily(text) }
        return row
    }

    // MARK: People

    /// The members of a family, in the order of their ids.
    private func present(_ family: Int64) throws -> [(id: Identifier, member: MemberState)] {
        try engine.records.members(family: family).filter { !$0.value.isRemoved }.map { ($0.key, $0.value) }.sorted { $0.id < $1.id }
    }

    private func present(_ member: Identifier) throws -> MembershipRow? {
        guard let row = try engine.people.membership(member), !row.isRemoved else { return nil }
        return row
    }

    private func people(_ name: String?, after mark: String?, _ isOver: () -> Bool) throws -> JSONTree {
        var begin: (family: Int64, member: Identifier)?
        if let mark {
            let parts = mark.split(separator: ".")
            guard parts.count == 2, let family = Int64(parts[0]), let member = Identifier(String(parts[1])) else { throw Rejection.noSuchMark }
            begin = (family, member)
        }
        let families: [FamilyRow]
        if let name {
            families = [try named(name)]
        } else {
            // The family of the mark is read again, because it may have more members.
            families = try engine.families.all(after: (begin?.family ?? 1) - 1, limit: HostQuestion.rows)
        }
        var rows: [JSONTree] = []
        for family in families {
            for (id, member) in try present(family.key) {
                if let begin, begin.family == family.key, id <= begin.member { continue }
                rows.append(try person(id, member, of: family))
                if rows.count == HostQuestion.rows { return .object(of: ["people": .list(rows), "next": .text("\(family.key).\(id)")]) }
            }
            if isOver(), family.key != families.last?.key {
                return .object(of: ["people": .list(rows), "next": .text("\(family.key).\(Identifier(high: .max, low: .max))")])
            }
        }
        let isLast = name != nil || families.count < HostQuestion.rows
        let next = families.last.map { "\($0.key).\(Identifier(high: .max, low: .max))" }
        return .object(of: ["people": .list(rows), "next": isLast ? nil : next.map { .text($0) }])
    }

    private func person(_ id: Identifier, _ member: MemberState, of family: FamilyRow) throws -> JSONTree {
        let row = try engine.people.membership(id)
        let credential = try row?.person.map { try credentials(ofPerson: $0) } ?? nil
        return .object(of: [
            "family": .text(family.id.description), "member": .text(id.description), "name": .text(member.name), "role": .text(member.role.rawValue),
            "signs_in": .flag(row?.person != nil), "sign_in_name": credential?["sign_in_name"], "sessions": credential?["sessions"],
        ])
    }

    /// A person's ways to sign in, and the number of their sessions; `nil`: the member has no person.
    private func credentials(ofPerson person: Int64) throws -> JSONTree {
        let sessions = try engine.people.accounts(ofPerson: person, current: 0, at: environment.now())
        let state = try engine.people.accountState(ofPerson: person, session: 0, at: environment.now())
        return .object(of: [
            "sign_in_name": state.name.map { .text($0) }, "password": .flag(state.name != nil), "second_factor": .flag(state.hasFactor),
            "recovery_codes": .integer(Int64(state.recoveryCodes)), "passkeys": .integer(Int64(state.passkeys.count)),
            "tokens": .integer(Int64(sessions.count { $0.kind == .token })), "sessions": .integer(Int64(sessions.count { $0.kind != .token })),
        ])
    }

    private func person(_ member: Identifier) throws -> JSONTree {
        guard let row = try present(member) else { throw Rejection.noSuchMember }
        let memberships = try row.person.map { try engine.people.memberships(ofPerson: $0) } ?? [row]
        let families = try memberships.map { membership in
            let fields = try record(family: membership.family, membership.familyID)?.fields
            let own = try record(family: membership.family, membership.member)?.fields
            return JSONTree.object(of: [
                "family": .text(membership.familyID.description), "family_name": .text(fields?.text("name") ?? ""),
                "member": .text(membership.member.description), "name": .text(own?.text("name") ?? ""), "role": .text(own?.text("role") ?? ""),
                "last_day": membership.lastDay.map { .text($0.description) },
            ])
        }
        var tree = JSONTree.object(of: [
            "member": .text(member.description), "signs_in": .flag(row.person != nil), "families": .list(families),
        ])
        guard let person = row.person else { return tree }
        for part in try credentials(ofPerson: person).members { tree[part.key] = part.value }
        if let recovery = try engine.people.recovery(person: person) { tree["recovered_at"] = .integer(recovery.at) }
        return tree
    }

    private func sessions(_ member: Identifier) throws -> JSONTree {
        guard let row = try present(member) else { throw Rejection.noSuchMember }
        let sessions = try row.person.map { try engine.people.accounts(ofPerson: $0, current: 0, at: environment.now()) } ?? []
        return .object(of: ["member": .text(member.description), "sessions": .list(sessions.map(tree))])
    }

    private func tree(_ session: AccountSession) -> JSONTree {
        .object(of: [
            "session": .text(session.id.description), "name": .text(session.name), "kind": .text(session.kind.rawValue),
            "scope": session.scope.map { .text($0.rawValue) }, "created_on": .text(session.createdOn.description),
            "used_on": .text(session.usedOn.description), "ends_on": .text(session.endsOn.description),
        ])
    }

    private func invites(_ row: FamilyRow) throws -> JSONTree {
        let now = environment.now()
        let invites = try engine.people.pendingInvites(family: row.key, limit: Self.maxInvites).map { $0.invite.current(at: now) }
        return .object(of: [
            "family": .text(row.id.description),
            "invites": .list(invites.map { invite in
                .object(of: [
                    "invite": .text(invite.id.description), "member": .text(invite.member.description), "name": .text(invite.name),
                    "email": invite.email.map { .text($0) }, "role": .text(invite.role.rawValue), "state": .text(invite.state.rawValue),
                    "by": invite.inviter.map { .text($0.description) }, "created_at": .integer(invite.createdAt), "expires_at": .integer(invite.expiresAt),
                ])
            }),
        ])
    }

    // MARK: Audit

    private func audit(_ name: String?, after mark: String?) throws -> JSONTree {
        let parts = try mark.map { text throws(Rejection) in
            let parts = text.split(separator: ".").compactMap { Int64($0) }
            guard parts.count == (name == nil ? 3 : 1), parts.allSatisfy({ $0 >= 0 }) else { throw Rejection.noSuchMark }
            return parts
        }
        var names: [Int64: (id: Identifier, members: [Identifier: MemberState])] = [:]
        func tree(_ family: Int64, _ entry: Audit.Entry) throws -> JSONTree {
            let known = try names[family] ?? (try engine.families.id(of: family) ?? Identifier(high: 0, low: 0), try engine.records.members(family: family))
            names[family] = known
            var (by, author) = ("host", Identifier?.none)
            switch entry.author {
            case .host: break
            case .server: by = "server"
            case .member(let member): (by, author) = ("member", member)
            }
            return .object(of: [
                "family": .text(known.id.description), "at": .integer(entry.at), "act": .text(entry.act), "by": .text(by),
                "member": author.map { .text($0.description) }, "member_name": author.flatMap { known.members[$0] }.map { .text($0.name) },
                "about": entry.about.map { .text($0.description) }, "about_name": entry.about.flatMap { known.members[$0] }.map { .text($0.name) },
                "count": .integer(entry.count), "detail": entry.detail.map { .text($0) },
            ])
        }
        let limit = HostQuestion.rows
        if let name {
            let family = try named(name)
            let rows = try engine.audits.entries(family: family.key, of: nil, before: parts?[0] ?? .max, limit: limit + 1)
            let shown = rows.prefix(limit)
            return .object(of: [
                "entries": .list(try shown.map { try tree(family.key, $0.entry) }),
                "next": rows.count > limit ? shown.last.map { .text("\($0.number)") } : nil,
            ])
        }
        let after = parts.map { HostActMark(at: $0[0], family: $0[1], number: $0[2]) }
        let rows = try engine.audits.hostEntries(after: after, limit: limit + 1)
        let shown = rows.prefix(limit)
        return .object(of: [
            "entries": .list(try shown.map { try tree($0.family, $0.row.entry) }),
            "next": rows.count > limit ? shown.last.map { .text("\($0.row.entry.at).\($0.family).\($0.row.number)") } : nil,
        ])
    }

    // MARK: Status

    private func status() throws -> JSONTree {
        let log = LogStatus(newest: try engine.log.newestPosition(), consumers: try engine.consumers.all())
        return .object(of: [
            "families": .integer(Int64(try engine.families.count())), "files_octets": .integer(try engine.blobs.octetsOfAll()),
            "position": .integer(log.newest),
            "consumers": .list(log.consumers.map { consumer in
                .object(of: [
                    "name": .text(consumer.name), "position": .integer(consumer.position), "lag": .integer(log.lag(consumer)),
                    "moved_at": .integer(consumer.movedAt),
                ])
            }),
        ])
    }
}

extension Rejection {
    static let noSuchMember = Rejection(.notFound, "There is no such member. Check the id.", field: "member")
    fileprivate static let noSuchMark = Rejection(.invalid, "This page mark does not belong to this list: begin at its first page", field: "after")
}
