import Bytes
package import Family
import Ledger
import SQLite
package import Wire

/// Reads a database beside its writer, on a connection of its own.
///
/// Confined to one thread. Every call is one short read transaction, and what it returns is on stable storage, because SQLite
/// shows others a commit only after its sync. Open it after the `Store`, which makes and migrates the file.
package final class StoreReader {
    /// Of the database. Clients see the family's (`Cursor.epoch`).
    package let epoch: String

    let environment: StoreEnvironment
    let database: Database
    /// Changes that one walk for messages looks at: some ten milliseconds in a family that hardly writes any. Tests make it small.
    var walkedChanges: Int64 = 20_000
    let members: MemberTable
    let findRecord: Statement
    let head: Statement
    let positions: PositionTable
    let logAfter: Statement
    let outlinesAfter: Statement
    let newestOutlines: Statement
    /// Octets that a digest reads: some ten milliseconds. Tests make it small.
    var digestOctets = 8_388_608
    let snapshotRecords: Statement
    let messageLog: Statement
    let lists: ListStatements
    let histories: HistoryStatements
    let listings = ListingCache()
    let shelf: ListingShelf
    /// Rows of records that were found damaged so far, for the log.
    package private(set) var damaged: Set<Int64> = []
    let linkKey: [UInt8]
    let findFamilyKey: Statement
    private let findFamily: Statement
    private let findSession: Statement
    private let findInvite: Statement
    private let listMemberships: Statement
    private let findMembership: Statement

    /// - Parameter shelf: what it shares with other readers of this database.
    /// - Throws: when there is no database, or one that the writer has not made ready.
    package init(
        path: String, vfs: String? = nil, environment: StoreEnvironment, shelf: ListingShelf = ListingShelf()
    ) throws(StoreFailure) {
        self.environment = environment
        self.shelf = shelf
        do {
            database = try Database(path: path, mode: .readOnly, vfs: vfs)
            try Schema.check(database)
            try Connection.configure(database)
            epoch = try Connection.epoch(database)
            guard let key = try Connection.linkKey(database) else { throw StoreFailure("the writer has not made the database ready") }
            linkKey = key
            members = try MemberTable(database)
            let columns = RecordTable.columns
            findRecord = try database.prepare("SELECT \(columns) FROM records WHERE family = ? AND id = ?")
            head = try database.prepare("SELECT max(seq) FROM log WHERE family = ?")
            positions = try PositionTable(database)
            logAfter = try database.prepare("SELECT seq, frame FROM log WHERE family = ? AND seq > ? ORDER BY seq")
            let outlines = """
                SELECT l.seq, coalesce(o.outline, l.frame) FROM log l LEFT JOIN outlines o ON o.family = l.family AND o.seq = l.seq
                WHERE l.family = ? AND l.seq > ? ORDER BY l.seq
                """
            outlinesAfter = try database.prepare(outlines)
            newestOutlines = try database.prepare(outlines + " DESC")
            snapshotRecords = try database.prepare(
                """
                SELECT \(columns) FROM records WHERE family = ? AND kind <> \(Kind.message.rawValue)
                AND (deleted_at IS NULL OR deleted_at > ?) ORDER BY id
                """)
            messageLog = try database.prepare(
                "SELECT seq, frame FROM log WHERE family = ? AND seq <= ? AND seq > ? AND messages > 0 ORDER BY seq DESC")
            lists = try ListStatements(database)
            histories = try HistoryStatements(database)
            findFamilyKey = try database.prepare("SELECT key FROM families WHERE uuid = ?")
            findFamily = try database.prepare("SELECT key, floor FROM families WHERE uuid = ?")
            findSession = try database.prepare(
                """
                SELECT key, person, used_at, EXISTS (SELECT 1 FROM invites WHERE session = sessions.key) FROM sessions WHERE hash = ?
                """)
            findInvite = try database.prepare("SELECT expires_at, nonce_hash FROM invites WHERE hash = ?")
            listMemberships = try database.prepare(
                """
                SELECT f.key, f.uuid, m.member FROM memberships m JOIN families f ON f.key = m.family
                WHERE m.person = ? AND m.removed_at IS NULL ORDER BY m.key
                """)
            findMembership = try database.prepare(
                """
                SELECT f.key, f.floor, m.member FROM families f JOIN memberships m ON m.family = f.key
                WHERE f.uuid = ? AND m.person = ? AND m.removed_at IS NULL
                """)
        } catch {
            throw StoreFailure(error)
        }
    }

    // MARK: Sessions

    /// Who holds the session of a token; `nil` for a token of none, and for a session that was not used for 90 days.
    package func signIn(token: String) throws(StoreFailure) -> SignIn? {
        try reading {
            findSession.bind(1, SessionToken.hash(token))
            let now = environment.now()
            let found = try findSession.one { ($0.int64(0), $0.int64(1), $0.int64(2), $0.int64(3) != 0) }
            guard let (session, person, usedAt, isRedemptionOpen) = found, usedAt + SessionToken.life > now else { return nil }
            listMemberships.bind(1, person)
            let rows = try listMemberships.all { row in (key: row.int64(0), family: try row.identifier(1), member: try row.identifier(2)) }
            let memberships = try rows.map { membership in
                Membership(
                    family: membership.family,
                    name: try record(family: membership.key, membership.family)?.fields.text("name") ?? "",
                    member: membership.member,
                    role: try record(family: membership.key, membership.member)?.fields.text("role").flatMap(Role.init) ?? .guest)
            }
            return SignIn(
                session: session, person: person, memberships: memberships, isRenewalDue: usedAt + SessionToken.renewal <= now,
                isRedemptionOpen: isRedemptionOpen)
        }
    }

    /// Whether the writer would redeem a code now, as far as the invite tells.
    ///
    /// Strangers ask this, so that only somebody who holds a code that works costs the writer anything. A code that is unknown, used, expired
    /// or of a removed member costs the same look-up and gets the same answer.
    ///
    /// - Returns: `nil` when it would, `code_unknown` when not.
    package func refusal(ofCode code: String, nonce: String) throws(StoreFailure) -> Rejection? {
        try reading {
            let nonceHash = RedemptionNonce.hash(nonce)
            guard let hash = InviteCode.hash(code) else { return .codeUnknown }
            findInvite.bind(1, hash)
            guard let (expiresAt, redeemer) = try findInvite.one({ ($0.int64(0), $0.isNull(1) ? nil : $0.octets(1)) }),
                environment.now() < expiresAt, redeemer == nil || redeemer == nonceHash
            else { return .codeUnknown }
            return nil
        }
    }

    /// Whether a person may join, and where their client goes on.
    ///
    /// - Parameter person: of `signIn`.
    package func join(person: Int64, _ join: Join) throws(StoreFailure) -> JoinAnswer {
        try reading {
            findMembership.bind(1, join.family)
            findMembership.bind(2, person)
            let found = try findMembership.one { row in (key: row.int64(0), floor: row.int64(1), member: try row.identifier(2)) }
            guard let found else { return .refused(.noSuchFamily) }
            let members = try members.members(family: found.key)
            guard let member = members[found.member], !member.isRemoved else { return .refused(.noSuchFamily) }
            let head = try head(found.key)
            let epoch = Cursor.epoch(of: join.family, database: self.epoch)
            let resume: JoinState.Resume
            switch join.cursor {
            case nil: resume = .snapshot
            case let cursor? where cursor.epoch != epoch: resume = .reset(.epochChanged)
            case let cursor? where cursor.sequence > head:
                return .refused(
                    Rejection(.cursorAhead, ErrorCode.cursorAhead.sentence))
            case let cursor? where cursor.sequence < found.floor: resume = .reset(.logTrimmed)
            case let cursor?: resume = .changes(after: max(cursor.sequence, 0))
            }
            let zone = try record(family: found.key, join.family)?.fields.text("time_zone") ?? "UTC"
            let now = environment.now()
            func age(_ member: MemberState) -> Int? { environment.age(born: member.born, zone: zone, at: now) }
            let athletes = members.filter { !$0.value.isRemoved && $0.value.role == .athlete }
                .map { Athlete(member: $0.key, parentAccess: Age.parentAccess($0.value.parentAccess, age: age($0.value))) }
                .sorted { $0.member < $1.member }
            return .joined(
                JoinState(
                    family: join.family, member: found.member, role: member.role, epoch: epoch, head: head, floor: found.floor,
                    resume: resume, athletes: athletes, age: age(member)))
        }
    }

    // MARK: Parts

    /// Runs reads that are stopped when they take too long; they throw `StoreFailure.isStopped` then.
    ///
    /// - Parameter isOver: asked every few rows.
    package func stopping<Value>(when isOver: @escaping () -> Bool, _ body: () throws(StoreFailure) -> Value) throws(StoreFailure) -> Value {
        database.interruptStatements(when: isOver)
        defer { database.interruptStatements(when: nil) }
        return try body()
    }

    /// Runs `body` so that all it reads is true at one moment.
    func reading<Value>(_ body: () throws -> Value) throws(StoreFailure) -> Value {
        do {
            try database.execute("BEGIN")
            let value = try body()
            try database.execute("COMMIT")
            return value
        } catch {
            let failure = StoreFailure(error)
            // A read that goes on would keep SQLite's log from starting again.
            if database.inTransaction { try? database.execute("ROLLBACK") }
            throw failure
        }
    }

    func record(family: Int64, _ id: Identifier) throws -> Record? {
        findRecord.bind(1, family)
        findRecord.bind(2, id)
        return try findRecord.one { try readable($0) } ?? nil
    }

    /// The record of a row of `RecordTable.columns`; `nil` for one that is damaged, which is left out and harms no other (R132).
    func readable(_ row: Statement) throws -> Record? {
        do {
            return try RecordTable.decode(row).record
        } catch is StoreFailure {
            damaged.insert(row.int64(0))
            return nil
        }
    }

    func head(_ family: Int64) throws -> Int64 {
        head.bind(1, family)
        return try head.one { $0.int64(0) } ?? 0
    }

    /// The integer that stands for a family.
    ///
    /// - Throws: for one that is not there: who asks has joined it.
    func key(_ family: Identifier) throws -> Int64 { try keyAndFloor(family).key }

    /// As `key`, with the sequence below which the log cannot be given any more.
    func keyAndFloor(_ family: Identifier) throws -> (key: Int64, floor: Int64) {
        findFamily.bind(1, family)
        guard let found = try findFamily.one({ (key: $0.int64(0), floor: $0.int64(1)) }) else {
            throw StoreFailure("a family that was joined is gone")
        }
        return found
    }
}

@available(*, unavailable)
extension StoreReader: Sendable {}
