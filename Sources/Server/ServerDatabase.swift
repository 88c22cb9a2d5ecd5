import Crypto
import Family
import Posix
import Store
import StoreSQLite

/// The database of one data folder, as this server opens it.
///
/// This is the only file of the target that names an engine; everything else uses `FamilyStore` and `StoreReader`.
struct ServerDatabase: Sendable {
    let path: String
    private let mark: String
    /// The text of consent in force.
    private let consent: ConsentText
    /// `nil`: the server sends no mail.
    private let mail: MailTerms?
    let folder: String

    init(_ folder: borrowing DataFolder, consent: ConsentText = .standard, mail: MailTerms? = nil) {
        self.consent = consent
        self.mail = mail
        path = folder.databasePath
        mark = folder.markPath
        self.folder = folder.path
    }

    /// Opens the database for writing, and creates or migrates it first.
    ///
    /// - Throws: a sentence, for a database of a newer program, or if the disk fails.
    ///
    /// - Parameters:
    ///   - copies: whether to copy the database before a migration (`copyBeforeUpgrade`).
    ///   - log: receives a line for the copy, and one for each step of a migration.
    func openStore(_ limits: Limits, copies: Bool = true, log: Log? = nil) throws(StoreFailure) -> FamilyStore {
        let folder = folder
        if copies { try copyBeforeUpgrade(log) }
        let began = Clock.monotonicMilliseconds()
        return try FamilyStore(path: path, environment: MachineEnvironment.make(limits, consent: consent, mail: mail), mark: mark, isCopied: { CopyLock.isHeld(in: folder) }) { step, last in
            log?.always(.info, "upgrade", [.init("step", step), .init("last", last), .init("ms", Clock.monotonicMilliseconds() - began)])
        }
    }

    /// Opens the database for reading, on a connection of its own. The reader belongs to one thread.
    ///
    /// - Parameter sharedListings: the lists that the reader shares with other readers.
    /// - Throws: if the writer has not prepared the database.
    func openReader(_ limits: Limits, sharedListings: SharedListingCache = SharedListingCache()) throws(StoreFailure) -> StoreReader {
        try StoreReader(path: path, environment: MachineEnvironment.make(limits, consent: consent, mail: mail), sharedListings: sharedListings)
    }

    /// The check of the database in `folder`, with or without a running server beside it.
    ///
    /// - Parameter folder: the path of a data folder.
    /// - Throws: a sentence if there is no database of this program's version.
    static func openCheck(in folder: String) throws(StoreFailure) -> StoreCheck {
        try StoreCheck(path: DataFolder.databasePath(in: folder))
    }

    // MARK: Copies

    /// The version of databases that this program writes.
    static var version: Int { StoreCopy.version }

    /// The version of the database at `path`; see `StoreCopy.version`.
    static func version(of path: String) throws(StoreFailure) -> Int? { try StoreCopy.version(of: path) }

    /// Copies the database of the folder `source` to `path`; see `StoreCopy.make`.
    static func copy(from source: String, to path: String, goesOn: () -> Bool) throws(StoreFailure) -> Int? {
        try StoreCopy.make(of: DataFolder.databasePath(in: source), at: path, goesOn: { _, _ in goesOn() })
    }

    /// The check of a database that is not in a data folder.
    static func openCheck(of path: String) throws(StoreFailure) -> StoreCheck { try StoreCheck(path: path) }

    /// A reader of a database that is not in a data folder.
    static func openReader(of path: String) throws(StoreFailure) -> StoreReader {
        try StoreReader(path: path, environment: MachineEnvironment.make(Limits()))
    }

    /// Gives the database at `path` a new epoch; see `StoreCopy.renew`.
    static func renew(_ path: String, endsSessions: Bool) throws(StoreFailure) {
        try StoreCopy.renew(path, epoch: Random.octets(16), endsSessions: endsSessions)
    }
}
