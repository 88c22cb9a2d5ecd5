import Bytes
import Family
import Ledger
package import Store

/// A database in memory behind the protocols of a store's engine, for tests. It forgets everything with the last reference to it.
///
/// A transaction works on a copy of the tables and COMMIT publishes the copy, so a reader sees whole transactions only. An engine for
/// another database must do what this one does; whatever differs between the two is not promised to `FamilyStore`.
package final class MemoryDatabase {
    /// The effect on a call.
    package enum Fault: Sendable {
        /// The call fails; the transaction is lost, and may run again.
        case again
        /// COMMIT's answer is lost after the transaction happened.
        case unknownAndDone
        /// COMMIT's answer is lost before anything happened.
        case unknownAndLost
        /// There is no room.
        case full
        /// Storage has failed for good.
        case final
    }

    package let epoch: String
    package let linkKey: [UInt8]
    /// The tables on stable storage.
    package internal(set) var committed = MemoryTables()
    /// The failures that are still to happen.
    private var script: [Failure] = []
    /// Failures that have happened.
    package private(set) var failures = 0
    private var counts: [Side: [Call?: Int]] = [:]
    /// How often the writer was made usable again.
    package internal(set) var recoveries = 0
    /// Calls of the writer that were COMMITs.
    package internal(set) var commits: [Int] = []

    package init(random: (Int) -> [UInt8]) {
        epoch = Hex.encode(random(16))
        linkKey = random(32)
    }

    /// The caller.
    package enum Side: Sendable {
        case writer
        /// All readers together.
        case reader
    }

    /// The kind of call.
    package enum Call: CaseIterable, Sendable {
        case begin
        /// A read, or one row of a walk.
        case read
        case write
        case commit
    }

    private struct Failure {
        let side: Side
        /// `nil`: any.
        let call: Call?
        let number: Int
        let fault: Fault
    }

    /// Calls of the writer so far.
    package var calls: Int { count(nil, of: .writer) }

    /// How often something was called so far.
    ///
    /// - Parameter call: `nil`: anything.
    package func count(_ call: Call?, of side: Side) -> Int { counts[side]?[call] ?? 0 }

    /// Makes a later call fail. A fault of a COMMIT's answer that meets another call happens as `again`.
    ///
    /// - Parameters:
    ///   - number: 1 is the next of its kind.
    ///   - call: `nil`: anything.
    package func fail(at number: Int, of call: Call?, by side: Side = .writer, _ fault: Fault) {
        script.append(Failure(side: side, call: call, number: count(call, of: side) + number, fault: fault))
    }

    /// Makes a later call of the writer fail.
    package func fail(atCall number: Int, _ fault: Fault) { fail(at: number, of: nil, fault) }

    /// Lets nothing fail any more.
    package func failNothing() { script = [] }

    /// Counts a call.
    ///
    /// - Returns: what happens to it; `nil`: it is done.
    func take(_ call: Call, by side: Side) -> Fault? {
        for counted in [nil, call] { counts[side, default: [:]][counted, default: 0] += 1 }
        let place = script.firstIndex { $0.side == side && ($0.call == nil || $0.call == call) && $0.number == count($0.call, of: side) }
        guard let place else { return nil }
        failures += 1
        return script.remove(at: place).fault
    }
}

@available(*, unavailable)
extension MemoryDatabase: Sendable {}

/// The tables that one connection sees.
final class MemoryConnection {
    let database: MemoryDatabase
    /// Of the transaction or snapshot that is open.
    private var working: MemoryTables?
    private let isWriter: Bool
    var isOver: (() -> Bool)? { didSet { readsSinceAsked = 0 } }
    private var readsSinceAsked = 0
    /// Reads from one question whether to stop to the next. SQLite asks after a number of operations, which is some rows, too.
    private static let readsPerQuestion = 8

    init(_ database: MemoryDatabase, isWriter: Bool) {
        self.database = database
        self.isWriter = isWriter
    }

    func begin() throws {
        try meetFault(.begin)
        precondition(working == nil, "a transaction is open")
        working = database.committed
    }

    func commit() throws {
        guard let tables = working else { preconditionFailure("no transaction is open") }
        database.commits.append(database.calls + 1)
        switch database.take(.commit, by: .writer) {
        case nil: database.committed = tables
        case .unknownAndDone?:
            database.committed = tables
            working = nil
            throw EngineFailure.unknown("the connection was lost in COMMIT")
        case .unknownAndLost?:
            working = nil
            throw EngineFailure.unknown("the connection was lost in COMMIT")
        case let fault?: try fail(fault)
        }
        working = nil
    }

    func end() { working = nil }

    /// Gives `body` one row after the other, until it returns false. Each row is a read, so that a walk can fail or be stopped in its middle.
    func walk<Row>(_ rows: some Sequence<Row>, _ body: (Row) throws -> Bool) throws {
        for row in rows {
            _ = try read()
            guard try body(row) else { return }
        }
    }

    /// As `walk`, to the last row.
    func each<Row>(_ rows: some Sequence<Row>, _ body: (Row) throws -> Void) throws {
        try walk(rows) { row in
            try body(row)
            return true
        }
    }

    /// The tables for one read.
    func read() throws -> MemoryTables {
        try meetFault(.read)
        if let isOver {
            if readsSinceAsked == 0, isOver() { throw EngineFailure.final(StoreFailure("interrupted", code: 9, isStopped: true)) }
            readsSinceAsked = (readsSinceAsked + 1) % Self.readsPerQuestion
        }
        guard let working else { preconditionFailure("a read outside of a transaction") }
        return working
    }

    /// Changes the tables by one write.
    func write<Value>(_ body: (inout MemoryTables) throws -> Value) throws -> Value {
        try meetFault(.write)
        guard var tables = working else { preconditionFailure("a write outside of a transaction") }
        // Moved out and in, so that nothing is copied but what changes.
        working = MemoryTables()
        defer { working = tables }
        return try body(&tables)
    }

    private func meetFault(_ call: MemoryDatabase.Call) throws {
        guard let fault = database.take(call, by: isWriter ? .writer : .reader) else { return }
        try fail(fault)
    }

    private func fail(_ fault: MemoryDatabase.Fault) throws {
        switch fault {
        case .again, .unknownAndDone, .unknownAndLost:
            working = nil
            throw EngineFailure.again("could not serialize access")
        case .full: throw EngineFailure.full
        case .final: throw EngineFailure.final(StoreFailure("memory has failed", code: 1))
        }
    }
}

@available(*, unavailable)
extension MemoryConnection: Sendable {}

/// The writer's engine over a `MemoryDatabase`.
package final class MemoryEngine: StoreEngine {
    package var epoch: String { connection.database.epoch }
    package var epochRenewal: String? { nil }
    package var linkKey: [UInt8] { connection.database.linkKey }
    package let families: any FamilyWrites
    package let records: any RecordWrites
    package let history: any HistoryWrites
    package let log: any LogWrites
    package let receipts: any ReceiptWrites
    package let people: any PeopleWrites
    package let accesses: any AccessWrites
    package let audits: any AuditWrites
    package let blobs: any BlobWrites
    package let shares: any ShareWrites
    package let feeds: any FeedWrites
    package let reminders: any ReminderWrites
    package let consumers: any ConsumerWrites
    private let connection: MemoryConnection

    package init(_ database: MemoryDatabase) {
        connection = MemoryConnection(database, isWriter: true)
        families = MemoryFamilies(connection)
        records = MemoryRecords(connection)
        history = MemoryHistory(connection)
        log = MemoryLog(connection)
        receipts = MemoryReceipts(connection)
        people = MemoryPeople(connection)
        accesses = MemoryAccesses(connection)
        audits = MemoryAudits(connection)
        blobs = MemoryBlobs(connection)
        shares = MemoryShares(connection)
        feeds = MemoryFeeds(connection)
        reminders = MemoryReminders(connection)
        consumers = MemoryConsumers(connection)
    }

    package func begin() throws { try connection.begin() }
    package func commit() throws { try connection.commit() }
    package func rollback() { connection.end() }
    package func recover() { connection.database.recoveries += 1 }
    package func failure(_ error: any Error) -> EngineFailure { MemoryEngine.failure(error) }

    static func failure(_ error: any Error) -> EngineFailure {
        switch error {
        case let failure as EngineFailure: failure
        case let failure as StoreFailure: .final(failure)
        default: .final(StoreFailure("\(error)"))
        }
    }

    package func apply(_ writes: BatchWrites) throws -> [ClientName: Int64] {
        try connection.write { tables in
            for decision in writes.decisions { try tables.apply(decision) }
            var keys: [ClientName: Int64] = [:]
            for write in writes.receipts {
                let key = write.client ?? keys[write.name] ?? tables.addClient(write.name, floor: 0)
                if write.client == nil { keys[write.name] = key }
                tables.record(write.receipt, family: write.name.family, client: key, mutation: write.mutation, at: write.at)
            }
            return keys
        }
    }

    package func tidy() {}
    package func tidyAll() -> Bool { true }
    package func scrub(from page: Int) -> ScrubbedPortion { .finished }
    package func stop() {}
}

@available(*, unavailable)
extension MemoryEngine: Sendable {}

/// A reader's engine over a `MemoryDatabase`.
package final class MemoryReader: ReaderEngine {
    package var epoch: String { connection.database.epoch }
    package var linkKey: [UInt8] { connection.database.linkKey }
    package let families: any FamilyReads
    package let records: any RecordReads
    package let history: any HistoryReads
    package let log: any LogReads
    package let receipts: any ReceiptReads
    package let people: any PeopleReads
    package let accesses: any AccessReads
    package let audits: any AuditReads
    package let blobs: any BlobReads
    package let shares: any ShareReads
    package let feeds: any FeedReads
    package let reminders: any ReminderReads
    package let consumers: any ConsumerReads
    private let connection: MemoryConnection

    package init(_ database: MemoryDatabase) {
        connection = MemoryConnection(database, isWriter: false)
        families = MemoryFamilies(connection)
        records = MemoryRecords(connection)
        history = MemoryHistory(connection)
        log = MemoryLog(connection)
        receipts = MemoryReceipts(connection)
        people = MemoryPeople(connection)
        accesses = MemoryAccesses(connection)
        audits = MemoryAudits(connection)
        blobs = MemoryBlobs(connection)
        shares = MemoryShares(connection)
        feeds = MemoryFeeds(connection)
        reminders = MemoryReminders(connection)
        consumers = MemoryConsumers(connection)
    }

    package func begin() throws { try connection.begin() }
    package func end() { connection.end() }
    package func failure(_ error: any Error) -> EngineFailure { MemoryEngine.failure(error) }
    package func stopReads(when isOver: (() -> Bool)?) { connection.isOver = isOver }
    package func faults() -> [String] { [] }
}

@available(*, unavailable)
extension MemoryReader: Sendable {}

extension MemoryTables {
    mutating func apply(_ decision: DecisionWrites) throws {
        let family = decision.family
        for write in decision.records {
            guard put(write.record, family: family, created: write.created) else { throw StoreFailure("an id came up twice") }
        }
        for row in decision.history { families[family, default: FamilyTables()].history[row.record, default: [:]][row.version] = row }
        for share in decision.endedShares {
            switch share.links {
            case .document(let document, let school):
                endLinks(family: family, at: share.at) { $0.document == document && (school == nil || $0.school == school) }
            case .creator(let member): endLinks(family: family, at: share.at) { $0.createdBy == member }
            }
        }
        for membership in decision.memberships {
            setRemoved(family: family, member: membership.member, at: membership.removedAt)
            if membership.removedAt != nil { removeFeeds(family: family, member: membership.member) }
        }
        for blob in decision.blobs { use(family: family, sha256: blob.sha256, octets: blob.octets) }
        if let change = decision.change { append(change, family: family) }
    }
}
