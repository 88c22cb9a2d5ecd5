import Bytes
import Family
import Ledger
import SQLite
package import Store

/// The tables of a database, as one connection uses them. A statement is compiled at its first use, and kept if it is used often: a reader
/// uses about a third of them, and compiling all takes some milliseconds.
struct SQLiteTables {
    let families: FamilyTable
    let records: SQLiteRecords
    let history: HistoryTable
    let log: LogTable
    let receipts: ReceiptTable
    let people: PeopleTable
    let accesses: AccessLogTable
    let audits: AuditTable
    let blobs: BlobTable
    let shares: ShareTable
    let feeds: FeedTable
    let reminders: ReminderTable
    let consumers: ConsumerTable

    init(_ database: Database, isWriter: Bool) {
        records = SQLiteRecords(database, isWriter: isWriter)
        log = LogTable(database)
        families = FamilyTable(database, log)
        history = HistoryTable(database)
        receipts = ReceiptTable(database)
        people = PeopleTable(database)
        accesses = AccessLogTable(database)
        audits = AuditTable(database)
        blobs = BlobTable(database)
        shares = ShareTable(database)
        feeds = FeedTable(database)
        reminders = ReminderTable(database)
        consumers = ConsumerTable(database)
    }
}

/// SQLite as the engine of a store: one file, one connection that writes.
///
/// `begin` takes the only write lock there is, so no transaction ever has to run again (`EngineFailure.again`), and COMMIT always has an answer.
final class SQLiteEngine: StoreEngine {
    let epoch: String
    let epochRenewal: String?
    let linkKey: [UInt8]

    var families: any FamilyWrites { tables.families }
    var records: any RecordWrites { tables.records }
    var history: any HistoryWrites { tables.history }
    var log: any LogWrites { tables.log }
    var receipts: any ReceiptWrites { tables.receipts }
    var people: any PeopleWrites { tables.people }
    var accesses: any AccessWrites { tables.accesses }
    var audits: any AuditWrites { tables.audits }
    var blobs: any BlobWrites { tables.blobs }
    var shares: any ShareWrites { tables.shares }
    var feeds: any FeedWrites { tables.feeds }
    var reminders: any ReminderWrites { tables.reminders }
    var consumers: any ConsumerWrites { tables.consumers }

    private let database: Database
    private let tables: SQLiteTables
    private let beginning: Statement
    private let ending: Statement
    private let mark: PlacementMark?
    private var checkpoints = CheckpointPlan()
    /// Whether a copy of the database is being made now. Its snapshot lasts as long as the copy does.
    private let isCopied: () -> Bool

    /// Opens the database, making or migrating it. Everything that can be read afterwards is on stable storage.
    ///
    /// - Parameters:
    ///   - path: the file, in a folder that is there and claimed (`DataFolder`).
    ///   - vfs: name of a registered SQLite file layer; `nil` is the system's.
    ///   - mark: path of the file that shows whether the database is still the one that was served here before
    ///     (`DataFolder.markPath`); `nil` does not look.
    ///   - isCopied: whether a copy of the database is being made now (`CopyLock`).
    ///   - upgrading: called before each step from one version of the database to the next.
    /// - Throws: with a sentence for a database of a newer program or of something else, which is left as it is.
    init(
        path: String, vfs: String?, environment: StoreEnvironment, mark: String?, isCopied: @escaping () -> Bool = { false },
        upgrading: (_ step: Int, _ last: Int) -> Void = { _, _ in }
    ) throws {
        self.isCopied = isCopied
        database = try Database(
            path: path, mode: .readWriteCreate, vfs: vfs, gathersLog: true, busyMilliseconds: DatabaseConnection.busyMilliseconds)
        // Before anything is written to it.
        try Schema.check(database)
        try DatabaseConnection.configureWriter(database)
        try Schema.migrate(database, epoch: Hex.encode(environment.random(16)), at: environment.now(), progress: upgrading)
        tables = SQLiteTables(database, isWriter: true)
        if let mark {
            let (opened, replacement) = try PlacementMark.open(mark, database: path, newest: try tables.log.writersPosition())
            self.mark = opened
            epochRenewal = replacement?.rawValue
        } else {
            self.mark = nil
            epochRenewal = nil
        }
        if epochRenewal != nil { try database.run("UPDATE meta SET epoch = ?", .text(Hex.encode(environment.random(16)))) }
        try self.mark?.begin()
        epoch = try DatabaseConnection.epoch(database)
        if let key = try DatabaseConnection.linkKey(database) {
            linkKey = key
        } else {
            linkKey = environment.random(32)
            let draw = try database.prepare("UPDATE meta SET link_key = ?")
            draw.bind(1, linkKey)
            try draw.run()
        }
        beginning = try database.prepare("BEGIN IMMEDIATE")
        ending = try database.prepare("COMMIT")
        try makeDurable()
    }

    /// After a kill SQLite's log may hold commits that were written and never synced. They can be read, so they would be
    /// sent to clients: they must be durable first.
    ///
    /// Both steps are needed: where a sync has failed before the kill, neither a commit behind those frames nor a copy of them is enough
    /// (`SQLiteTests`, "Process ends at every operation"). With a full disk there is neither; then nothing new is confirmed either.
    private func makeDurable() throws {
        _ = try tidyAll()
        do {
            try begin()
            // Writes the page although nothing in it changes; an UPDATE to the same values would write nothing.
            try database.execute("PRAGMA user_version = \(Schema.version)")
            try commit()
        } catch let error as SQLiteError where error.isFull {
            try rollback()
        }
    }

    // MARK: Transactions

    func begin() throws {
        checkpoints.look(database.logPages)
        if checkpoints.isOverdue { try checkpoint() }
        try beginning.run()
    }

    func commit() throws {
        defer { tables.records.table.forgetKnown() }
        try ending.run()
        if let mark { mark.didCommit(row: try tables.log.writersPosition()) }
    }

    func rollback() throws {
        tables.records.table.forgetKnown()
        tables.log.didRollBack()
        // SQLite has rolled back by itself after some failures.
        if database.inTransaction { try database.execute("ROLLBACK") }
    }

    func failure(_ error: any Error) -> EngineFailure { SQLiteFailure.engineFailure(error) }

    /// Nothing that this engine throws calls for it.
    func recover() {}

    // MARK: Writes

    func apply(_ writes: BatchWrites) throws -> [ClientName: Int64] {
        for decision in writes.decisions { try apply(decision) }
        var keys: [ClientName: Int64] = [:]
        for write in writes.receipts {
            let name = write.name
            let key: Int64
            if let known = write.client ?? keys[name] {
                key = known
            } else {
                key = try tables.receipts.addClient(name, floor: 0)
                keys[name] = key
            }
            try tables.receipts.record(family: name.family, client: key, mutation: write.mutation, at: write.at, write.receipt)
        }
        return keys
    }

    private func apply(_ decision: DecisionWrites) throws {
        let family = decision.family
        for write in decision.records {
            if let created = write.created {
                guard try tables.records.table.insert(family: family, write.record, sequence: created) else { throw StoreFailure("an id came up twice") }
            } else {
                try tables.records.table.update(family: family, write.record, over: write.former)
            }
        }
        for row in decision.history { try tables.history.append(family: family, row) }
        for share in decision.endedShares {
            switch share.links {
            case .document(let document, let school): try tables.shares.end(family: family, document: document, school: school, at: share.at)
            case .creator(let member): try tables.shares.end(family: family, creator: member, at: share.at)
            }
        }
        for membership in decision.memberships {
            try tables.people.setRemoved(family: family, member: membership.member, at: membership.removedAt)
            if membership.removedAt != nil { try tables.feeds.removeFeeds(family: family, member: membership.member) }
        }
        for blob in decision.blobs { try tables.blobs.use(family: family, sha256: blob.sha256, octets: blob.octets) }
        if let change = decision.change { try tables.log.append(family: family, change) }
    }

    // MARK: The write-ahead log of SQLite

    /// Copies SQLite's log into the database file when it has grown enough; where it is not called, commits do it late, at twice the size.
    ///
    /// SQLite's own automatic checkpoint is off: it would make the authors of a batch wait, and it drops errors, so that a disk which no
    /// longer takes the database file would show only in a log that grows without end.
    func tidy() throws {
        checkpoints.look(database.logPages)
        if checkpoints.isDue { try checkpoint() }
    }

    private func checkpoint() throws {
        // A checkpoint would wait for the snapshot of a copy in vain, each time for as long as it may, and all families with it.
        let isRestart = checkpoints.isRestartDue && !isCopied()
        defer { checkpoints.didCheckpoint(isRestart: isRestart) }
        do throws(SQLiteError) {
            if isRestart {
                try checkpoint(.restart, milliseconds: CheckpointPlan.restartMilliseconds)
            } else {
                try database.checkpoint(.passive)
            }
        } catch {
            // The log stays and is whole; it is tried again later.
            guard error.isFull || error.isBusy else { throw error }
        }
    }

    /// A checkpoint that waits for readers for at most `milliseconds`.
    private func checkpoint(_ mode: Database.CheckpointMode, milliseconds: Int32) throws(SQLiteError) {
        _ = try waiting(milliseconds) { () throws(SQLiteError) in try database.checkpoint(mode) }
    }

    /// Does something that waits for other connections for at most `milliseconds`.
    private func waiting<Value>(_ milliseconds: Int32, _ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        try database.execute("PRAGMA busy_timeout = \(milliseconds)")
        let result = Result { () throws(SQLiteError) in try body() }
        try database.execute("PRAGMA busy_timeout = \(DatabaseConnection.busyMilliseconds)")
        return try result.get()
    }

    /// Copies all of SQLite's log into the database file and cuts the log to nothing.
    ///
    /// Waits for nobody: a snapshot that is being read must not hold up the next commit.
    ///
    /// - Returns: false when a reader was in the way or the disk is full; try again later.
    func tidyAll() throws -> Bool {
        do throws(SQLiteError) {
            try checkpoint(.truncate, milliseconds: 0)
            checkpoints.look(database.logPages)
            return true
        } catch {
            guard error.isFull || error.isBusy else { throw error }
            return false
        }
    }

    /// Pages in one portion: 4 MiB, read in about 2 ms from memory.
    private static let scrubbedPages = 1_024
    private var scrubbing = ScrubPosition()

    func scrub(from page: Int) throws -> ScrubbedPortion {
        if page == 0 { scrubbing = ScrubPosition() }
        do throws(SQLiteError) {
            let isFinished = try waiting(0) { () throws(SQLiteError) in try database.scrub(&scrubbing, count: Self.scrubbedPages) }
            checkpoints.look(database.logPages)
            return isFinished ? .finished : .next(scrubbing.page)
        } catch {
            guard error.isFull || error.isBusy else { throw error }
            return .busy
        }
    }

    /// All is in the database file, and the next start knows that it needs no new epoch.
    func stop() throws {
        if try tidyAll() { mark?.didStop() }
    }
}

@available(*, unavailable)
extension SQLiteEngine: Sendable {}

/// SQLite as the engine of a reader: a connection of its own beside the writer. SQLite shows a commit to others only after its sync.
final class SQLiteReader: ReaderEngine {
    let epoch: String
    let linkKey: [UInt8]

    var families: any FamilyReads { tables.families }
    var records: any RecordReads { tables.records }
    var history: any HistoryReads { tables.history }
    var log: any LogReads { tables.log }
    var receipts: any ReceiptReads { tables.receipts }
    var people: any PeopleReads { tables.people }
    var accesses: any AccessReads { tables.accesses }
    var audits: any AuditReads { tables.audits }
    var blobs: any BlobReads { tables.blobs }
    var shares: any ShareReads { tables.shares }
    var feeds: any FeedReads { tables.feeds }
    var reminders: any ReminderReads { tables.reminders }
    var consumers: any ConsumerReads { tables.consumers }

    let database: Database
    private let tables: SQLiteTables
    private let beginning: Statement
    private let ending: Statement

    /// - Throws: if there is no database, or one that the writer has not made ready.
    init(path: String, vfs: String?) throws {
        database = try Database(path: path, mode: .readOnly, vfs: vfs)
        try Schema.check(database)
        let version = try database.prepare("PRAGMA user_version").one { $0.int64(0) } ?? 0
        guard version == Schema.version else {
            throw StoreFailure("this database is of version \(version), and this program of \(Schema.version): start the server once, then check")
        }
        try DatabaseConnection.configureReader(database)
        epoch = try DatabaseConnection.epoch(database)
        guard let key = try DatabaseConnection.linkKey(database) else { throw StoreFailure("the writer has not prepared the database") }
        linkKey = key
        tables = SQLiteTables(database, isWriter: false)
        beginning = try database.prepare("BEGIN")
        ending = try database.prepare("COMMIT")
    }

    func begin() throws { try beginning.run() }

    func end() throws {
        // A snapshot that stays open would keep SQLite's log from starting again, and the next read could not begin. So a read that is stopped ends it, too.
        guard database.inTransaction else { return }
        try database.withoutInterruption { () throws(SQLiteError) in try ending.run() }
    }

    func failure(_ error: any Error) -> EngineFailure { SQLiteFailure.engineFailure(error) }

    func stopReads(when isOver: (() -> Bool)?) { database.interruptStatements(when: isOver) }

    func faults() throws -> [String] { try database.prepare("PRAGMA integrity_check(20)").all { $0.text(0) }.filter { $0 != "ok" } }
}

@available(*, unavailable)
extension SQLiteReader: Sendable {}

extension FamilyStore {
    /// A store in a file of SQLite; see `SQLiteEngine`.
    package convenience init(
        path: String, vfs: String? = nil, environment: StoreEnvironment, mark: String? = nil, isCopied: @escaping () -> Bool = { false },
        upgrading: (_ step: Int, _ last: Int) -> Void = { _, _ in }
    ) throws(StoreFailure) {
        let engine: SQLiteEngine
        do {
            engine = try SQLiteEngine(path: path, vfs: vfs, environment: environment, mark: mark, isCopied: isCopied, upgrading: upgrading)
        } catch {
            throw SQLiteFailure.storeFailure(error)
        }
        try self.init(engine, environment: environment)
    }
}

extension StoreReader {
    /// A reader of a file of SQLite, on a connection of its own.
    ///
    /// - Parameter sharedListings: shared with the other readers of this database.
    /// - Throws: if there is no database, or one that the writer has not made ready.
    package convenience init(
        path: String, vfs: String? = nil, environment: StoreEnvironment, sharedListings: SharedListingCache = SharedListingCache()
    ) throws(StoreFailure) {
        let engine: SQLiteReader
        do { engine = try SQLiteReader(path: path, vfs: vfs) } catch { throw SQLiteFailure.storeFailure(error) }
        self.init(engine, environment: environment, sharedListings: sharedListings)
    }
}

extension StoreCheck {
    /// The check of a file of SQLite, beside a running server or without one.
    ///
    /// - Throws: with a sentence if there is no database of this program's version.
    package convenience init(path: String, vfs: String? = nil) throws(StoreFailure) {
        do { self.init(try SQLiteReader(path: path, vfs: vfs)) } catch { throw SQLiteFailure.storeFailure(error) }
    }
}
