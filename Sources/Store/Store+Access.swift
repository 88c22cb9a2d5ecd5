package import Family

extension Store {
    /// Enters into the access log who looked at what, in one transaction. What names a family that is gone is left out; a full disk loses
    /// the entries, for a look back is not worth refusing a look.
    package func note(_ accesses: [AccessNote]) throws(StoreFailure) {
        guard !accesses.isEmpty else { return }
        _ = try transaction { _ in
            let at = environment.now()
            for access in accesses {
                guard let family = try family(access.family) else { continue }
                try add(access, family: family.key, at: at)
            }
        }
    }

    /// Adds an entry of the access log, unless it belongs to a visit that is noted.
    func add(_ note: AccessNote, family: Int64, at: Int64) throws {
        let row = AccessRow(athlete: note.athlete, member: note.member, at: at, what: note.subject.rawValue, record: note.record)
        try accesses.add(family: family, row, unlessSince: at - AccessRow.visit, limit: AccessRow.maxEntries)
    }

    /// Notes that sessions are in use, so that their time begins anew.
    package func renew(sessions: [Int64]) throws(StoreFailure) {
        guard !sessions.isEmpty else { return }
        _ = try transaction { _ in
            let at = environment.now()
            for session in sessions { try people.renewSession(key: session, at: at) }
        }
    }
}
