package import Bytes
package import Family
package import JSON
import Ledger

// Acts of the person who runs the server. The transaction that carries an act out adds it to the audit log of the
// families that it concerns.
extension FamilyStore {
    /// Carries out an act of the host, in one transaction.
    ///
    /// - Returns: the result for `--json`; or the reason why nothing was done.
    package func perform(_ act: HostAct) throws(StoreFailure) -> Result<JSONTree, Rejection> {
        /// The sessions that an earlier run with an unknown outcome ended.
        var ended: [Int64] = []
        let outcome = try transaction(isDone: { _ in
            guard case .endSessions = act, let last = ended.last else { return false }
            return try !self.people.hasSession(key: last)
        }) { _ throws -> JSONTree in
            let at = environment.now()
            switch act {
            case .setQuotas(let family, let own, let cleared): return try setQuotas(family, own, cleared, at: at)
            case .withdrawInvite(let invite, let family): return try withdraw(invite, family, at: at)
            case .endSessions(let member, let session):
                ended = try endSessions(of: member, session, at: at)
                return .object(of: ["member": .text(member.description), "ended": .integer(Int64(ended.count))])
            }
        } as Outcome<JSONTree>
        switch outcome {
        case .done(let tree): return .success(tree)
        case .refused(let rejection): return .failure(rejection)
        }
    }

    /// The limits that the host has set, by family; for the live rooms, before a member enters one.
    package func ownQuotas() throws(StoreFailure) -> [Identifier: FamilyQuotas] {
        guard case .done(let all) = try transaction({ _ in try families.ownQuotas() }) else { return [:] }
        return all
    }

    /// Returns the refusals because of quotas since the last call.
    package func takeQuotaRefusals() -> [FamilyQuota: Int] {
        defer { quotaRefusals = [:] }
        return quotaRefusals
    }

    /// Refuses a change of a family whose log and history have reached their limit, and counts the refusal.
    func checkRows(_ usage: FamilyUsage, _ own: FamilyQuotas) throws(Rejection) {
        do throws(Rejection) {
            try Quota.check(history: usage.octets, limit: own.isEmpty ? environment.limits.familyHistory : own.value(.rows, environment.limits))
        } catch {
            quotaRefusals[.rows, default: 0] += 1
            throw error
        }
    }

    // MARK: Parts

    private func setQuotas(_ name: String, _ own: FamilyQuotas, _ cleared: Set<FamilyQuota>, at: Int64) throws -> JSONTree {
        var family = try named(name)
        let before = family.state.quotas
        var after = before
        for quota in FamilyQuota.allCases {
            if cleared.contains(quota) { after[quota] = nil }
            guard let value = own[quota] else { continue }
            guard quota.range.contains(value) else {
                throw Rejection(
                    .outOfRange, "The limit \(quota.rawValue) must be from \(quota.range.lowerBound) to \(quota.range.upperBound), not \(value). Nothing was changed",
                    field: quota.rawValue)
            }
            after[quota] = value
        }
        for quota in FamilyQuota.allCases where before[quota] != after[quota] {
            try audit(.quotaSet, family: family.key, by: .host, detail: "\(quota.rawValue) \(after[quota].map { "\($0)" } ?? "default")", at: at)
        }
        if before != after {
            try families.setQuotas(family: family.key, after)
            family.state.quotas = after
            keep(family)
        }
        // Added even without a difference: an earlier run may have committed without an answer.
        pendingNotices.append(.quotas(after, of: family.state.id))
        return HostAnswer.quotas(
            family.state.id, name: try record(family: family.key, family.state.id)?.fields.text("name"), after, environment.limits,
            used: [.rows: family.usage.octets, .files: try blobs.usage(family: family.key, besides: "").used])
    }

    private func withdraw(_ id: Identifier, _ name: String, at: Int64) throws -> JSONTree {
        let family = try named(name)
        let row = try endInvite(id, of: family, by: .host, at: at)
        return .object(of: [
            "family": .text(family.state.id.description), "invite": .text(id.description), "member": .text(row.invite.member.description),
            "state": .text(row.invite.state.rawValue),
        ])
    }

    /// - Returns: the keys of the sessions that ended.
    private func endSessions(of member: Identifier, _ session: Identifier?, at: Int64) throws -> [Int64] {
        guard let membership = try people.membership(member), !membership.isRemoved else {
            throw Rejection(.notFound, "There is no such member. Nothing was changed", field: "member")
        }
        guard let person = membership.person else { return [] }
        if let session {
            guard let row = try people.session(id: session), row.person == person else { throw Rejection.noSuchSession }
            guard try endSession(key: row.key) else { return [] }
            let isToken = row.kind == .token
            try audit(isToken ? .tokenRevoked : .sessionsEnded, person: person, by: .host, detail: isToken ? row.name : nil, at: at)
            return [row.key]
        }
        var ended: [Int64] = []
        let limit = AccountSession.most + AccountSession.mostTokens
        while true {
            let rows = try people.sessions(ofPerson: person, limit: limit)
            for row in rows where try endSession(key: row.key) { ended.append(row.key) }
            if rows.count < limit { break }
        }
        if !ended.isEmpty { try audit(.sessionsEnded, person: person, by: .host, count: ended.count, at: at) }
        return ended
    }

    /// The only family with this id or name.
    func named(_ text: String) throws -> StoredFamily {
        let found = try FamilyNames.find(text, in: families) { key, id in try record(family: key, id) }
        guard found.count <= 1 else { throw Rejection.severalFamilies(text, found.count) }
        guard let id = found.first, let family = try family(id) else { throw Rejection.noFamily(text) }
        return family
    }
}
