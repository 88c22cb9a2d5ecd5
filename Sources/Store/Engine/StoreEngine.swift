/// What `Store` needs of a database: transactions, reads and writes in groups by subject, and one `apply` for all that a batch decided.
///
/// Rows travel as values. An engine decides nothing: it neither knows rules nor rights. Integers that stand for families, clients, sessions
/// and people are the engine's own.
///
/// An engine is confined to one thread. Every method may throw; `failure(_:)` says what the error means for the transaction.
package protocol StoreEngine: AnyObject {
    /// Names the database: 128 random bits in hex. A restored backup gets another.
    var epoch: String { get }
    /// Why the epoch is a new one since the engine was opened, for the log; `nil` if it is not.
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
    var consumers: any ConsumerWrites { get }

    /// Begins a transaction. No other one writes until it ends.
    func begin() throws

    /// Ends the transaction; all of it is on stable storage when this returns.
    func commit() throws

    /// Drops what the transaction wrote. Does nothing if no transaction is open.
    func rollback() throws

    /// What an error of any call means. The error of a caller's own code is `final`.
    func failure(_ error: any Error) -> EngineFailure

    /// Makes the engine usable after `again` or `unknown`. When it returns, a transaction with an unknown outcome has happened or never will.
    func recover() throws

    /// Writes all that a batch decided, in the transaction that is open.
    ///
    /// - Returns: the integers that stand for clients from now on, of those that had none.
    func apply(_ writes: BatchWrites) throws -> [ClientName: Int64]

    /// Does the upkeep that has become due by the commits so far. It is called when the results of a commit are handed over.
    func tidy() throws

    /// Does all upkeep, without waiting for readers.
    ///
    /// - Returns: false if something was in the way; try again later.
    func tidyAll() throws -> Bool

    /// Overwrites a portion of what removed rows left in the free space of the storage, so that nobody finds it in a file. Outside of transactions.
    ///
    /// - Parameter page: where the portion begins; 0 begins a round.
    func scrub(from page: Int) throws -> ScrubbedPortion

    /// Ends the writing in good order.
    func stop() throws
}

/// What a portion of scrubbing did.
package enum ScrubbedPortion: Equatable, Sendable {
    /// The next portion begins here.
    case next(Int)
    /// Nothing is left of rows that were removed before the round began.
    case finished
    /// Something was in the way; try the same portion again later.
    case busy
}

/// What `StoreReader` needs of a database: snapshots, and the reads of `StoreEngine`.
///
/// A reader is confined to one thread and reads only what is on stable storage.
package protocol ReaderEngine: AnyObject {
    /// As of the writer.
    var epoch: String { get }
    /// As of the writer.
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
    var consumers: any ConsumerReads { get }

    /// Begins a snapshot: all reads until `end` are true at one moment.
    func begin() throws

    /// Ends the snapshot. Does nothing if there is none.
    func end() throws

    /// What an error of any call means; `again` if the same reads may succeed in a new snapshot.
    func failure(_ error: any Error) -> EngineFailure

    /// Stops reads that are under way as soon as `isOver` says so; they throw a failure that `isStopped`. `nil` lets all reads run to their end.
    func stopReads(when isOver: (() -> Bool)?)

    /// What the database itself finds wrong with how it is stored, one sentence each; for `StoreCheck`.
    func faults() throws -> [String]
}
