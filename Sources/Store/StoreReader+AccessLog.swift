package import Bytes
package import Family
import Ledger
package import Wire

extension StoreReader {
    /// The access log: an athlete sees the views of their own data; a parent sees those of athletes without a sign-in
    /// and of athletes whose records they edit.
    ///
    /// - Returns: `not_allowed` for a guest, `invalid` for a mark that is not valid.
    package func accessLog(
        family: Identifier, member: Identifier, _ request: AccessLogRequest
    ) throws(StoreFailure) -> Result<AccessPage, Rejection> {
        var after = AccessMark.newest
        if let text = request.before {
            guard let mark = AccessMark(text) else {
                return .failure(
                    Rejection(.invalid, "This page mark does not belong to this list: begin at its first page", field: "before"))
            }
            after = mark
        }
        let limit = min(max(request.limit, 1), environment.limits.pageRecords)
        return try reading {
            let key = try key(family)
            guard let athletes = try visibleAthletes(key, family, to: member) else {
                return .failure(Rejection(.notAllowed, "Only athletes and parents can see the access log. Nothing was changed"))
            }
            var found: [AccessPage.Entry] = []
            for athlete in athletes {
                for row in try engine.accesses.entries(family: key, athlete: athlete, upTo: after.at, limit: after.given + limit + 1) {
                    found.append(AccessPage.Entry(at: row.at, athlete: athlete, member: row.member, what: row.what, record: row.record))
                }
            }
            // The sort is stable: entries of one athlete and one moment stay in the order of the log.
            found.sort { $0.at > $1.at }
            let rest = found.dropFirst(after.given)
            var page = AccessPage(request: request.request, entries: Array(rest.prefix(limit)))
            if rest.count > limit, let last = page.entries.last {
                let same = page.entries.reversed().prefix { $0.at == last.at }.count
                page.next = AccessMark(at: last.at, given: last.at == after.at ? after.given + same : same).text
            }
            return .success(page)
        }
    }

    /// `nil` for a member who sees none.
    private func visibleAthletes(_ key: Int64, _ family: Identifier, to member: Identifier) throws -> [Identifier]? {
        let everybody = try engine.records.members(family: key)
        guard let own = everybody[member], !own.isRemoved else { return nil }
        switch own.role {
        case .guest: return nil
        case .athlete: return [member]
        case .parent:
            let managed = try engine.people.membersWithoutLogin(family: key)
            let zone = try record(family: key, family)?.fields.text("time_zone") ?? "UTC"
            let now = environment.now()
            return everybody.filter { id, state in
                guard state.role == .athlete, !state.isRemoved else { return false }
                let age = environment.age(born: state.born, zone: zone, at: now)
                return managed.contains(id) || Age.parentAccess(state.parentAccess, age: age) == .edit
            }.map(\.key).sorted()
        }
    }
}

/// The end of a page of the access log: the moment of its last entry, and the number of returned entries of that
/// moment. Entries are only added at the newer end, so that an older moment always has the same ones.
private struct AccessMark {
    var at: Int64
    var given: Int

    static let newest = AccessMark(at: .max, given: 0)
    /// A mark with more entries of one millisecond than this is not from this server.
    private static let maxGiven = 10_000

    init(at: Int64, given: Int) {
        self.at = at
        self.given = given
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(parts[0]), let given = Int(parts[1]), at >= 0, (0...Self.maxGiven).contains(given),
            AccessMark(at: at, given: given).text == text
        else { return nil }
        self.init(at: at, given: given)
    }

    var text: String { "\(at).\(given)" }
}
