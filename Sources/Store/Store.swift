import Bytes
package import Family
import Ledger
import SQLite
package import Wire

/// The one writer of a database.
///
/// Synchronous and confined to one thread. Each call that writes is one transaction, on stable storage when it returns (`durable`).
/// After a `StoreFailure` every call throws it again: the process is to end.
///
/// What the database holds stands at the head of `Schema`.
package final class Store {
    /// Proposals in one transaction at most: a commit stays below about 5 ms, and more would save nothing (`swift-notes.md` §5).
    package static let maxBatch = 256

    /// Tombstones and receipts are kept so long, milliseconds: 30 days.
    package static let retention = LedgerEnvironment.retention

    /// Names this database: 128 random bits in hex. A restored backup gets another.
    package let epoch: String
    /// Why the epoch is a new one since this start, for the log; `nil` when it is not.
    package let epochRenewal: String?

    let environment: StoreEnvironment
    let ledger: LedgerEnvironment
    let database: Database
    let records: RecordTable
    let log: LogTable
    let positions: PositionTable
    let history: HistoryTable
    let receipts: ReceiptTable
    let members: MemberTable
    let people: PeopleTable
    let accessLog: AccessLogTable
    let purges: PurgeTable
    let referrers: ReferrerTable
    let plans: PlanTable
    let documents: DocumentTable
    let blobs: BlobTable
    let shares: ShareTable
    /// Where the next portion of `maintain` begins.
    var purgeStep = PurgeStep.receipts
    /// What the portion of purging that is under way could not read.
    var damagedRows: [DamagedRow] = []

    private let begin: Statement
    private let commit: Statement
    private let findFamily: Statement
    private let mark: PlacementMark?
    private var checkpoints = CheckpointPlan()
    private var failure: StoreFailure?

    /// Caches of what the database holds. Bounded by being emptied: what is missing is read again.
    private var families: [Identifier: StoredFamily] = [:]
    private static let maxFamilies = 4_096
    private var clients: [ClientName: ClientState] = [:]
    /// See `Store+Import`.
    var importing: OngoingImport?
    private static let maxClients = 16_384

    /// Opens the database, making or migrating it. Everything that can be read afterwards is on stable storage.
    ///
    /// - Parameters:
    ///   - path: the file, in a folder that is there and claimed (`DataFolder`).
    ///   - vfs: name of a registered SQLite file layer; `nil` is the system's.
    ///   - mark: path of the file that tells whether the database is still the one that was served here before
    ///     (`DataFolder.markPath`); `nil` does not look.
    /// - Throws: with a sentence for a database of a newer program or of something else, which is left as it is.
    package init(path: String, vfs: String? = nil, environment: StoreEnvironment, mark: String? = nil) throws(StoreFailure) {
        self.environment = environment
        ledger = environment.ledger
        do {
            database = try Database(path: path, mode: .readWriteCreate, vfs: vfs, busyMilliseconds: Connection.busyMilliseconds)
            // Before anything is written to it.
            try Schema.check(database)
            try Connection.configureWriter(database)
            try Schema.migrate(database, epoch: Hex.encode(environment.random(16)), at: environment.now())
            records = try RecordTable(database)
            log = try LogTable(database)
            positions = try PositionTable(database)
            if let mark {
                let (opened, replacement) = try PlacementMark.open(mark, database: path, newest: try log.newestRow())
                self.mark = opened
                epochRenewal = replacement?.rawValue
            } else {
                self.mark = nil
                epochRenewal = nil
            }
            if epochRenewal != nil { try database.run("UPDATE meta SET epoch = ?", .text(Hex.encode(environment.random(16)))) }
            try self.mark?.begin()
            epoch = try Connection.epoch(database)
            if try Connection.linkKey(database) == nil {
                let draw = try database.prepare("UPDATE meta SET link_key = ?")
                draw.bind(1, environment.random(32))
                try draw.run()
            }
            history = try HistoryTable(database)
            receipts = try ReceiptTable(database)
            members = try MemberTable(database)
            people = try PeopleTable(database)
            accessLog = try AccessLogTable(database)
            purges = PurgeTable(database)
            referrers = try ReferrerTable(database, records)
            plans = try PlanTable(database, records)
            documents = DocumentTable(database)
            blobs = BlobTable(database)
            shares = ShareTable(database)
            begin = try database.prepare("BEGIN IMMEDIATE")
            commit = try database.prepare("COMMIT")
            findFamily = try database.prepare("SELECT key FROM families WHERE uuid = ?")
        } catch {
            throw StoreFailure(error)
        }
        try makeDurable()
        try sweepImports()
    }

    /// After the death of a process SQLite's log may hold commits that were written and never synced. They can be read, so they would be
    /// told to clients: they must be durable first.
    ///
    /// Both steps are needed: where a sync has failed before the death, neither a commit behind those frames nor a copy of them is enough
    /// (`SQLiteTests`, "Process ends at every operation"). With a full disk there is neither; then nothing new is confirmed either.
    private func makeDurable() throws(StoreFailure) {
        _ = try truncateLog()
        // Writes the page although nothing in it changes; an UPDATE to the same values would write nothing.
        _ = try transaction { try database.execute("PRAGMA user_version = \(Schema.version)") }
    }

    /// Ends the writing in good order: all is in the database file, and the next start knows that it needs no new epoch.
    package func stop() throws(StoreFailure) {
        if try truncateLog() { mark?.didStop() }
    }

    /// Applies what members ask for, in order, in one transaction.
    ///
    /// Each proposal stands alone: one that is rejected leaves the others as they are.
    ///
    /// - Parameters:
    ///   - proposals: at most `maxBatch`.
    ///   - at: when it happened, UTC milliseconds; `nil`: now. Only for a family that is made up, in the order of time.
    /// - Returns: for each proposal, in order, its receipt and, when it changed something, the change. All of it is on stable storage.
    ///   When the disk is full nothing of the batch happened and each receipt is `storage_full`; a later call may succeed.
    /// - Throws: when the outcome is not known. Nobody may be told anything of the batch.
    package func commit(_ proposals: [Proposal], at: Int64? = nil) throws(StoreFailure) -> [CommitResult] {
        try commit(proposals, at: at, pace: .unhurried).results
    }

    /// As above, but ends the batch when it has taken long enough (`BatchTurn`), so that no family waits long for another.
    ///
    /// - Returns: the results of the proposals that were done, each receipt with what it cost, and the other proposals. At least one is done.
    package func commit(_ proposals: [Proposal], at: Int64? = nil, pace: BatchPace) throws(StoreFailure) -> CommitReport {
        precondition(proposals.count <= Self.maxBatch, "a batch is at most \(Self.maxBatch) proposals")
        guard !proposals.isEmpty else { return CommitReport(results: [], rest: []) }
        let at = at ?? environment.now()
        let outcome = try transaction {
            var results: [CommitResult] = []
            results.reserveCapacity(2 * proposals.count)
            let batch = Batch()
            var turn = BatchTurn(proposals, pace)
            for proposal in proposals where turn.takes(proposal) {
                let weight = batch.weight
                try propose(proposal, at: at, batch, into: &results)
                turn.didDecide(proposal, weight: batch.weight - weight)
                if batch.isDue {
                    try write(batch)
                    turn.didWrite()
                }
            }
            try write(batch)
            turn.didWrite()
            return (batch, results, turn)
        } as Outcome<(Batch, [CommitResult], BatchTurn)>
        switch outcome {
        case .done((let batch, let results, var turn)):
            turn.didCommit()
            for family in batch.families.values { keep(StoredFamily(key: family.key, state: family.state, usage: family.usage)) }
            for (name, client) in batch.clients { keep(client, name) }
            return CommitReport(results: turn.charge(results), rest: turn.rest)
        case .refused(let rejection): return CommitReport(results: proposals.map { .receipt($0.receipt(rejection)) }, rest: [])
        }
    }

    // MARK: Transactions

    enum Outcome<Value> {
        case done(Value)
        /// Nothing happened.
        case refused(Rejection)
    }

    /// Runs `body` in a transaction that is on stable storage when this returns `done`.
    ///
    /// - Returns: `refused` when `body` threw a `Rejection`, and with `storage_full` when the disk is full; all is rolled back then.
    func transaction<Value>(_ body: () throws -> Value) throws(StoreFailure) -> Outcome<Value> {
        if let failure { throw failure }
        checkpoints.look(database.logPages)
        if checkpoints.isOverdue { try checkpoint() }
        defer { records.forgetKnown() }
        do {
            try begin.run()
            let value = try body()
            try commit.run()
            if let mark { mark.didCommit(row: try log.newestRow()) }
            return .done(value)
        } catch {
            families.removeAll()
            clients.removeAll()
            do {
                // SQLite has rolled back by itself after some failures.
                if database.inTransaction { try database.execute("ROLLBACK") }
            } catch {
                throw fail(error)
            }
            switch error {
            case let rejection as Rejection: return .refused(rejection)
            case let error as SQLiteError where error.isFull: return .refused(.storageFull)
            default: throw fail(error)
            }
        }
    }

    /// Takes note that nothing may be written any more.
    private func fail(_ error: any Error) -> StoreFailure {
        let first = failure ?? StoreFailure(error)
        failure = first
        return first
    }

    // MARK: The write-ahead log of SQLite

    /// Copies SQLite's log into the database file when it has grown enough. Call it after the results of a commit are handed over,
    /// so that nobody waits for it; where it is not called, commits do it late, at twice the size.
    ///
    /// SQLite's own automatic checkpoint is off: it would make the authors of a batch wait, and it drops errors, so that a disk which no
    /// longer takes the database file would show only in a log that grows without end.
    package func checkpointIfDue() throws(StoreFailure) {
        if let failure { throw failure }
        checkpoints.look(database.logPages)
        if checkpoints.isDue { try checkpoint() }
    }

    private func checkpoint() throws(StoreFailure) {
        let isRestart = checkpoints.isRestartDue
        defer { checkpoints.didCheckpoint(isRestart: isRestart) }
        do throws(SQLiteError) {
            if isRestart {
                try checkpoint(.restart, milliseconds: CheckpointPlan.restartMilliseconds)
            } else {
                try database.checkpoint(.passive)
            }
        } catch {
            // The log stays and is whole; it is tried again later.
            guard error.isFull || error.isBusy else { throw fail(error) }
        }
    }

    /// A checkpoint that waits for readers for at most `milliseconds`.
    private func checkpoint(_ mode: Database.CheckpointMode, milliseconds: Int32) throws(SQLiteError) {
        try database.execute("PRAGMA busy_timeout = \(milliseconds)")
        let result = Result { () throws(SQLiteError) in try database.checkpoint(mode) }
        try database.execute("PRAGMA busy_timeout = \(Connection.busyMilliseconds)")
        _ = try result.get()
    }

    /// Copies all of SQLite's log into the database file and cuts the log to nothing; for idle moments.
    ///
    /// Waits for nobody: a snapshot that is being read must not hold up the next commit.
    ///
    /// - Returns: false when a reader was in the way or the disk is full; try again later.
    package func truncateLog() throws(StoreFailure) -> Bool {
        if let failure { throw failure }
        do throws(SQLiteError) {
            try checkpoint(.truncate, milliseconds: 0)
            checkpoints.look(database.logPages)
            return true
        } catch {
            guard error.isFull || error.isBusy else { throw fail(error) }
            return false
        }
    }

    // MARK: Caches

    /// A family with the integer that stands for it in every key.
    struct StoredFamily {
        let key: Int64
        var state: FamilyState
        var usage: FamilyUsage
    }

    func family(_ id: Identifier) throws -> StoredFamily? {
        if let known = families[id] { return known }
        findFamily.bind(1, id)
        guard let key = try findFamily.one({ $0.int64(0) }) else { return nil }
        let zone = try records.find(family: key, id)?.fields.text("time_zone") ?? "UTC"
        let (head, checksum) = try positions.position(family: key)
        let state = FamilyState(
            id: id, head: head, zone: zone, records: try records.count(family: key), checksum: checksum,
            members: try members.members(family: key))
        let family = StoredFamily(key: key, state: state, usage: try log.usage(family: key, head: state.head))
        keep(family)
        return family
    }

    /// After something of a family changed behind the cache.
    func forgetFamily(key: Int64) {
        families = families.filter { $0.value.key != key }
    }

    func keep(_ family: StoredFamily) {
        if families.count >= Self.maxFamilies, families[family.state.id] == nil { families.removeAll() }
        families[family.state.id] = family
    }

    /// Names one client of one member.
    struct ClientName: Hashable {
        let family: Int64
        let member: Identifier
        let client: Identifier
    }

    func client(_ name: ClientName) throws -> ClientState? {
        if let known = clients[name] { return known }
        guard let state = try receipts.client(family: name.family, member: name.member, client: name.client) else { return nil }
        keep(state, name)
        return state
    }

    func keep(_ client: ClientState, _ name: ClientName) {
        if clients.count >= Self.maxClients, clients[name] == nil { clients.removeAll() }
        clients[name] = client
    }

    /// After rows of `clients` changed behind the cache.
    func forgetClients() { clients.removeAll() }
}

@available(*, unavailable)
extension Store: Sendable {}
