import Bytes
package import Family
import Ledger
import Reminders
package import Wire

/// The one writer of a database.
///
/// Synchronous and confined to one thread. Each call that writes is one transaction, on stable storage when it returns
/// (`durable`). After a `StoreFailure` every call throws it again: the process must end.
///
/// It batches, keeps receipts, purges, imports and repairs; a `StoreEngine` stores the rows, and the ledger decides.
package final class FamilyStore {
    /// The largest number of proposals in one transaction: a commit stays below about 5 ms, and more would save nothing
    /// (`swift-notes.md` §5).
    package static let maxBatch = 256
    /// The largest number of requests in one transaction besides them: each is written by itself, so that fewer fit
    /// into the same time.
    package static let maxRequests = 64

    /// Milliseconds for which tombstones and receipts are kept: 30 days.
    package static let retention = LedgerEnvironment.retention

    /// The name of this database: 128 random bits in hex. A restored backup gets another.
    package let epoch: String
    /// The reason why the epoch is new since this start, for the log; `nil` if it is not.
    package let epochRenewal: String?

    let environment: StoreEnvironment
    let ledger: LedgerEnvironment
    let engine: any StoreEngine
    let families: any FamilyWrites
    let records: any RecordWrites
    let history: any HistoryWrites
    let log: any LogWrites
    let receipts: any ReceiptWrites
    let people: any PeopleWrites
    let accesses: any AccessWrites
    let audits: any AuditWrites
    let blobs: any BlobWrites
    let shares: any ShareWrites
    let feeds: any FeedWrites
    let reminders: any ReminderWrites
    let consumers: any ConsumerWrites
    /// The beginning of the next portion of `maintain`.
    var purgeStep = PurgeStep.first
    /// The current round of scrubbing.
    var scrubbing: ScrubbingRound?
    /// The rows that the current portion of purging could not read.
    var damagedRows: [DamagedRow] = []

    private var failure: StoreFailure?
    /// Sessions that the current transaction ends, and those that ended since `takeEndedSessions`.
    var endingSessions: [Int64] = []
    private var endedSessions: [Int64] = []
    /// Notices of the current transaction for people's devices, and the committed ones since `takeNotices`.
    var pendingNotices: [AccountNotice] = []
    private var notices: [AccountNotice] = []
    /// Refusals because of families' quotas since `takeQuotaRefusals`.
    var quotaRefusals: [FamilyQuota: Int] = [:]
    /// Whether a mail was queued, possibly by a transaction that did not happen.
    var hasNewMail = false

    /// The largest number of runs of a transaction while the engine reports *again* or *unknown*.
    package static let maxRuns = 5

    /// The next reminder of all families.
    var reminderAlarm = ReminderAlarm()
    /// The key of the family after which reminders are still to be armed (`fireReminders`); `nil` if all are armed.
    var armsAfter: Int64?

    /// Caches of the database. They are bounded by being emptied: a missing value is read again.
    private var states: [Identifier: StoredFamily] = [:]
    private static let maxFamilies = 4_096
    private var clients: [ClientName: ClientState] = [:]
    /// See `FamilyStore+Import`.
    var importing: OngoingImport?
    private static let maxClients = 16_384

    /// - Parameter engine: an engine that nobody else uses.
    package init(_ engine: any StoreEngine, environment: StoreEnvironment) throws(StoreFailure) {
        self.engine = engine
        self.environment = environment
        ledger = environment.ledger
        epoch = engine.epoch
        epochRenewal = engine.epochRenewal
        families = engine.families
        records = engine.records
        history = engine.history
        log = engine.log
        receipts = engine.receipts
        people = engine.people
        accesses = engine.accesses
        audits = engine.audits
        blobs = engine.blobs
        shares = engine.shares
        feeds = engine.feeds
        reminders = engine.reminders
        consumers = engine.consumers
        try sweepImports()
        try setReminderAlarm()
    }

    /// Ends the writing in an orderly way: the next start knows that it needs no new epoch.
    package func stop() throws(StoreFailure) { try upkeep { try engine.stop() } }

    /// Carries out members' proposals, in order, in one transaction.
    ///
    /// Each proposal is independent: a rejected one leaves the others as they are.
    ///
    /// - Parameters:
    ///   - proposals: at most `maxBatch`.
    ///   - at: the time of the act, UTC milliseconds; `nil`: now. Only for invented families, in the order of time.
    /// - Returns: for each proposal, in order, its receipt and, if it changed something, the change. All of it is on
    ///   stable storage. If the disk is full, nothing of the batch happened and each receipt is `storage_full`; a later
    ///   call may succeed.
    /// - Throws: if the outcome is not known. Then no client may receive anything about the batch.
    package func commit(_ proposals: [Proposal], at: Int64? = nil) throws(StoreFailure) -> [CommitResult] {
        try commit(proposals, at: at, pace: .unhurried).results
    }

    /// The same, but ends the batch when it has taken long enough (`BatchTurn`), so that no family waits long for
    /// another.
    ///
    /// - Parameter requests: decided after the proposals, in the same transaction; at most `maxRequests`.
    /// - Returns: the results of the proposals that were done, each receipt with its cost, and the other proposals; the
    ///   answers to the requests. At least one proposal and one request are done, if there are any.
    package func commit(
        _ proposals: [Proposal], requests: [BatchRequest] = [], at: Int64? = nil, pace: BatchPace
    ) throws(StoreFailure) -> CommitReport {
        precondition(proposals.count <= Self.maxBatch, "a batch is at most \(Self.maxBatch) proposals")
        precondition(requests.count <= Self.maxRequests, "a batch is at most \(Self.maxRequests) requests")
        guard !proposals.isEmpty || !requests.isEmpty else { return CommitReport(results: [], rest: []) }
        let at = at ?? environment.now()
        /// The heads before a run with an unknown outcome, see `FamilyStore+Proposal`, `retold`.
        var heads: [Identifier: Int64] = [:]
        let outcome = try transaction { run in
            var results: [CommitResult] = []
            results.reserveCapacity(2 * proposals.count)
            let batch = Batch(lost: run == .afterUnknown ? heads : [:])
            defer { heads = batch.heads }
            // One report contains everything of a run that may have happened.
            var turn = BatchTurn(proposals, requests, run == .afterUnknown ? .unhurried : pace)
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
            var answers: [BatchAnswer?] = []
            for (index, request) in requests.enumerated() {
                guard turn.takes(request, isFirst: index == 0) else {
                    answers.append(nil)
                    continue
                }
                let weight = batch.weight
                answers.append(try answer(request, at: at, batch, into: &results))
                turn.didDecide(request, weight: max(batch.weight - weight, 0))
                if batch.isDue {
                    try write(batch)
                    turn.didWrite()
                }
            }
            try write(batch)
            turn.didWrite()
            return (batch, results, answers, turn)
        } as Outcome<(Batch, [CommitResult], [BatchAnswer?], BatchTurn)>
        switch outcome {
        case .done((let batch, let results, let answers, var turn)):
            turn.didCommit()
            for family in batch.families.values { keep(StoredFamily(key: family.key, state: family.state, usage: family.usage)) }
            for (name, client) in batch.clients { keep(client, name) }
            return CommitReport(results: turn.charge(results), rest: turn.rest, answers: turn.charge(answers))
        case .refused(let rejection):
            return CommitReport(
                results: proposals.map { .receipt($0.receipt(rejection)) }, rest: [], answers: requests.map { _ in (answer: BatchAnswer.refused(rejection), took: Int64(0)) })
        }
    }

    // MARK: Transactions

    enum Outcome<Value> {
        case done(Value)
        /// Nothing happened.
        case refused(Rejection)
    }

    /// The number of the run of a transaction, for its body.
    enum Run {
        case first
        /// No earlier run happened.
        case again
        /// The answer to the COMMIT of an earlier run was lost: that run happened as a whole, or not at all.
        case afterUnknown
    }

    /// Runs `body` in a transaction that is on stable storage when this returns `done`.
    ///
    /// If the engine reports *again* or *unknown*, the body runs again, at most `maxRuns` times: it must leave nothing
    /// outside of the engine that a second run would find.
    ///
    /// - Parameter isDone: whether a run with an unknown outcome happened, given the value that its body returned;
    ///   called in a transaction. Without it the body runs again in every case, so it must find out by itself what an
    ///   earlier run did, or do no harm if it runs twice.
    /// - Returns: `refused` if `body` threw a `Rejection`, with `storage_full` if the disk is full, and with `busy` if
    ///   each run ended with *again*; then nothing happened.
    func transaction<Value>(
        isDone: ((Value) throws -> Bool)? = nil, _ body: (Run) throws -> Value
    ) throws(StoreFailure) -> Outcome<Value> {
        if let failure { throw failure }
        var run = Run.first
        var isRecovered = true
        /// The result of the last run with an unknown outcome.
        var lost: Value?
        /// The sessions that runs with unknown outcomes ended: a later run does not find them again.
        var lostEnds: [Int64] = []
        var lostNotices: [AccountNotice] = []
        for _ in 0..<Self.maxRuns {
            /// The result of this run's body.
            var returned: Value?
            do {
                if !isRecovered {
                    try engine.recover()
                    isRecovered = true
                }
                try engine.begin()
                if let lost, let isDone, try isDone(lost) {
                    try engine.rollback()
                    endedSessions += lostEnds
                    notices += lostNotices
                    return .done(lost)
                }
                endingSessions = []
                pendingNotices = []
                let value = try body(run)
                returned = value
                try engine.commit()
                endedSessions += lostEnds + endingSessions
                notices += pendingNotices
                return .done(value)
            } catch {
                states.removeAll()
                clients.removeAll()
                let meaning = error is Rejection ? nil : engine.failure(error)
                switch meaning {
                case .again, .unknown: break
                default:
                    do { try engine.rollback() } catch { throw fail(engine.failure(error)) }
                }
                switch meaning {
                case nil:
                    guard let rejection = error as? Rejection else { throw fail(.final(StoreFailure(error))) }
                    return .refused(rejection)
                case .full: return .refused(.storageFull)
                case .final: throw fail(engine.failure(error))
                case .again: if run == .first { run = .again }
                case .unknown:
                    run = .afterUnknown
                    if let returned {
                        lost = returned
                        lostEnds += endingSessions
                        lostNotices = pendingNotices
                    }
                }
                isRecovered = false
            }
        }
        guard run == .again else { throw fail(.final(StoreFailure("the outcome of a transaction stays unknown after \(Self.maxRuns) runs"))) }
        return .refused(.busy)
    }

    /// Notes that nothing may be written any more.
    private func fail(_ error: EngineFailure) -> StoreFailure {
        let first = failure ?? StoreFailure(error)
        failure = first
        return first
    }

    /// Returns the sessions that ended since the last call, so that their connections can be closed. It leaves out
    /// those that the removal of a member ends, because the room closes them.
    package func takeEndedSessions() -> [Int64] {
        defer { endedSessions = [] }
        return endedSessions
    }

    /// Returns the notices for people's devices since the last call.
    package func takeNotices() -> [AccountNotice] {
        defer { notices = [] }
        return notices
    }

    // MARK: Upkeep

    /// Lets the engine do the due upkeep. Call it after the results of a commit were handed over, so that nobody waits
    /// for it.
    package func checkpointIfDue() throws(StoreFailure) { try upkeep { try engine.tidy() } }

    /// Lets the engine do all upkeep; for idle moments.
    ///
    /// - Returns: false if a reader blocked it; try again later.
    package func truncateLog() throws(StoreFailure) -> Bool { try upkeep { try engine.tidyAll() } }

    func upkeep<Value>(_ body: () throws -> Value) throws(StoreFailure) -> Value {
        if let failure { throw failure }
        do { return try body() } catch { throw fail(engine.failure(error)) }
    }

    // MARK: Caches

    /// A family with the integer that stands for it in every key.
    struct StoredFamily {
        let key: Int64
        var state: FamilyState
        var usage: FamilyUsage
    }

    func family(_ id: Identifier) throws -> StoredFamily? {
        if let known = states[id] { return known }
        guard let key = try families.find(id)?.key else { return nil }
        let zone = try record(family: key, id)?.fields.text("time_zone") ?? "UTC"
        let (head, checksum) = try log.position(family: key)
        let state = FamilyState(
            id: id, head: head, zone: zone, records: try records.count(family: key), checksum: checksum,
            members: try records.members(family: key), quotas: try families.quotas(family: key))
        let family = StoredFamily(key: key, state: state, usage: try log.usage(family: key, head: state.head))
        keep(family)
        return family
    }

    /// Call this after a family changed behind the cache.
    func forgetFamily(key: Int64) {
        states = states.filter { $0.value.key != key }
    }

    func keep(_ family: StoredFamily) {
        if states.count >= Self.maxFamilies, states[family.state.id] == nil { states.removeAll() }
        states[family.state.id] = family
    }

    /// - Returns: the record, deleted or not; `nil` if the family has no record with this id.
    /// - Throws: a rejection for a damaged record: requests for it are refused, and nothing else is affected (R132).
    func record(family: Int64, _ id: Identifier) throws -> Record? {
        guard let found = try records.find(family: family, id) else { return nil }
        guard let record = found.record else {
            throw Rejection(
                .notFound, "This record is damaged on the server's disk. Nothing was changed; tell the person who runs the server.", id: id)
        }
        return record
    }

    func client(_ name: ClientName) throws -> ClientState? {
        if let known = clients[name] { return known }
        guard let state = try receipts.client(name) else { return nil }
        keep(state, name)
        return state
    }

    func keep(_ client: ClientState, _ name: ClientName) {
        if clients.count >= Self.maxClients, clients[name] == nil { clients.removeAll() }
        clients[name] = client
    }

    /// Call this after rows of `clients` changed behind the cache.
    func forgetClients() { clients.removeAll() }
}

@available(*, unavailable)
extension FamilyStore: Sendable {}
