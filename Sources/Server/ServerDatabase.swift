import Family
import Store
import StoreSQLite

/// The database of one data folder, as this server opens it.
///
/// This is the only file of the target that names an engine; everything else speaks to `Store` and `StoreReader`.
struct ServerDatabase: Sendable {
    private let path: String
    private let mark: String
    /// The text of consent in force.
    private let consent: ConsentText

    init(_ folder: borrowing DataFolder, consent: ConsentText = .standard) {
        self.consent = consent
        path = folder.databasePath
        mark = folder.markPath
    }

    /// Opens the database for writing, and makes or migrates it first.
    ///
    /// - Throws: a sentence for a database of a newer program, or for a disk that does not take it.
    func openStore(_ limits: Limits) throws(StoreFailure) -> Store {
        try Store(path: path, environment: MachineEnvironment.make(limits, consent: consent), mark: mark)
    }

    /// Opens the database for reading, on a connection of its own. The reader belongs to one thread.
    ///
    /// - Parameter shelf: the lists that the reader shares with other readers.
    /// - Throws: if the writer has not made the database ready.
    func openReader(_ limits: Limits, shelf: ListingShelf = ListingShelf()) throws(StoreFailure) -> StoreReader {
        try StoreReader(path: path, environment: MachineEnvironment.make(limits, consent: consent), shelf: shelf)
    }

    /// The check of the database in `folder`, with or without a running server beside it.
    ///
    /// - Parameter folder: the path of a data folder.
    /// - Throws: a sentence if there is no database of this program's version.
    static func openCheck(in folder: String) throws(StoreFailure) -> StoreCheck {
        try StoreCheck(path: DataFolder.databasePath(in: folder))
    }
}
