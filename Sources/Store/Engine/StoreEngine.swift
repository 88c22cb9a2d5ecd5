/// The database functions that `FamilyStore` needs: transactions, reads and writes in groups by subject, and one `apply` for
/// all decisions of a batch.
///
/// Rows are passed as values. An engine decides nothing: it knows neither rules nor rights. Integers that stand for
/// families, clients, sessions and people are the engine's own.
///
/// An engine is confined to one thread. Every method may throw; `failure(_:)` returns the meaning of the error for the
/// transaction.
package protocol StoreEngine: AnyObject {
    /// The name of the database: 128 random bits in hex. A restored backup gets another.
    var epoch: String { get }
    /// The reason why the epoch is new since the engine was opened, for the log; `nil` if it is not.
    var epochRenewal: String? { get }
    /// The key that signs links and makes the codes of invites: 32 random octets, drawn once for the database.
    var linkKey: [UInt8] { get }

    var families: any FamilyWrites { get }
    var records: any RecordWrites { get }
    var history: any HistoryWrites { get }
    var log: any LogWrites { get }
    var receipts: any ReceiptWrites { get }
    var people: any PeopleWrites { get }
    var accesses: any AccessWrites { get }
    var audits: any AuditWrites { get }
    var blobs: any BlobWrites { get }
    var shares: any ShareWrites { get }
    var feeds: any FeedWrites { get }
    var reminders: any ReminderWrites { get }
    var consumers: any ConsumerWrites { get }

    /// Begins a transaction. No other transaction writes until it ends.
    func begin() throws

    /// Ends the transaction, which is on stable storage when this returns.
    func commit() throws

    /// Drops the writes of the transaction. Does nothing if no transaction is open.
    func rollback() throws

    /// The meaning of an error of any call. The error of a caller's own code is `final`.
    func failure(_ error: any Error) -> EngineFailure

    /// Makes the engine usable after `again` or `unknown`. Afterwards, a transaction with an unknown outcome has either
    /// happened or never will.
    func recover() throws

    /// Writes all decisions of a batch, in the open transaction.
    ///
    /// - Returns: the new integers of the clients that had none.
    func apply(_ writes: BatchWrites) throws -> [ClientName: Int64]

    /// Does the upkeep that has become due by the commits so far. It is called after the results of a commit were
    /// handed over.
    func tidy() throws

    /// Does all upkeep, without waiting for readers.
    ///
    /// - Returns: false if a reader blocked it; try again later.
    func tidyAll() throws -> Bool

    /// Overwrites a portion of the remainders of removed rows in the free space of the storage, so that nobody finds
    /// them in a file. Call it outside of transactions.
    ///
    /// - Parameter page: the first page of the portion; 0 begins a round.
    func scrub(from page: Int) throws -> ScrubbedPortion

    /// Ends the writing in an orderly way.
    func stop() throws
}

/// The result of a portion of scrubbing.
package enum ScrubbedPortion: Equatable, Sendable {
    /// The next portion begins here.
    case next(Int)
    /// Nothing remains of rows that were removed before the round began.
    case finished
    /// A reader blocked it; try the same portion again later.
    case busy
}

/// The database functions that `StoreReader` needs: snapshots, and the reads of `StoreEngine`.
///
/// A reader is confined to one thread, and reads only data that is on stable storage.
package protocol ReaderEngine: AnyObject {
    /// The writer's epoch.
    var epoch: String { get }
    /// The writer's key.
    var linkKey: [UInt8] { get }

    var families: any FamilyReads { get }
    var records: any RecordReads { get }
    var history: any HistoryReads { get }
    var log: any LogReads { get }
    var receipts: any ReceiptReads { get }
    var people: any PeopleReads { get }
    var accesses: any AccessReads { get }
    var audits: any AuditReads { get }
    var blobs: any BlobReads { get }
    var shares: any ShareReads { get }
    var feeds: any FeedReads { get }
    var reminders: any ReminderReads { get }
    var consumers: any ConsumerReads { get }

    /// Begins a snapshot: all reads until `end` see one moment.
    func begin() throws

    /// Ends the snapshot. Does nothing if there is none.
    func end() throws

    /// The meaning of an error of any call; `again` if the same reads may succeed in a new snapshot.
    func failure(_ error: any Error) -> EngineFailure

    /// Stops running reads as soon as `isOver` returns true; they throw a failure with `isStopped`. `nil` lets all
    /// reads finish.
    func stopReads(when isOver: (() -> Bool)?)

    /// The faults that the database itself finds in its storage, one sentence each; for `StoreCheck`.
    func faults() throws -> [String]
}
