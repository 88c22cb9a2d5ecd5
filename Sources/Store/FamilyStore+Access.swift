package import Bytes
package import Family

extension FamilyStore {
    /// Adds views to the access log, in one transaction. Notes about a family that no longer exists are dropped. If the
    /// disk is full the entries are lost, because refusing a view would be worse than an incomplete log.
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

    /// Adds a copy of a family, made by a parent or by the person who runs the server, to the audit log, and for every
    /// athlete to the access log.
    ///
    /// - Returns: `nil` if that is done; otherwise nobody may receive the copy.
    package func note(_ export: ExportNote) throws(StoreFailure) -> Rejection? {
        let outcome = try transaction { _ in
            let at = environment.now()
            guard let family = try family(export.family) else { throw Rejection.noFamily("\(export.family)") }
            // The host is not a member, so the family's own id takes the place of a member's.
            for athlete in export.athletes {
                try add(AccessNote(family: export.family, athlete: athlete, member: export.by ?? export.family, subject: .export), family: family.key, at: at)
            }
            try audit(.exported, family: family.key, by: export.by.map { .member($0) } ?? .host, detail: export.isPrivate ? "private" : nil, at: at)
        }
        switch outcome {
        case .done: return nil
        case .refused(let rejection): return rejection
        }
    }

    /// Adds an entry to the access log, unless it belongs to a visit that is already noted.
    func add(_ note: AccessNote, family: Int64, at: Int64) throws {
        let row = AccessRow(athlete: note.athlete, member: note.member, at: at, what: note.subject.rawValue, record: note.record)
        try accesses.add(family: family, row, unlessSince: at - AccessRow.visit, limit: AccessRow.maxEntries)
    }

    /// Notes that sessions are in use, so that their time begins again.
    package func renew(sessions: [Int64]) throws(StoreFailure) {
        guard !sessions.isEmpty else { return }
        _ = try transaction { _ in
            let at = environment.now()
            for session in sessions { try people.renewSession(key: session, at: at) }
        }
    }
}

/// A copy of a family that the person who runs the server has made.
package struct ExportNote: Sendable {
    package var family: Identifier
    package var athletes: [Identifier]
    /// Whether it includes birth dates and consents.
    package var isPrivate: Bool
    /// The parent who made it; `nil`: the person who runs the server.
    package var by: Identifier?

    package init(family: Identifier, athletes: [Identifier], isPrivate: Bool, by: Identifier? = nil) {
        self.by = by
        self.family = family
        self.athletes = athletes
        self.isPrivate = isPrivate
    }
}
