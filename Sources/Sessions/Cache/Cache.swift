package import Bytes
package import Family
internal import Posix
internal import SQLite
package import Sync

/// The data that a member's client stores on this machine: the family's confirmed records and their position in the
/// family's log, pending mutations, drafts, and unsent input.
///
/// The stored `records` are exactly the state at `sequence`: both are written in one transaction, from one state of the engine.
/// A mutation is on stable storage (`synchronous = FULL`) before anything reports it as waiting, and the fact that it
/// is being sent is written before its first octet leaves. A program that is killed at any moment therefore neither
/// loses a mutation nor asks for another one under its id. Data from the server is written without a sync: the server
/// sends again whatever is lost of it.
///
/// One process writes at a time (flock(2) on the folder). A process that starts while another has the cache stores its
/// input in a folder of its own (`openBeside`), which the next process to start alone takes over. Confined to one
/// thread.
package final class Cache {
    /// The version of the tables (`PRAGMA user_version`).
    static let version: Int64 = 1
    /// The number of changes stored for display: several screens of them.
    static let keptChanges: Int64 = 500
    /// The number of stored lines of input.
    static let keptInput = 1_000
    /// How long another process of this member may take to exit, in milliseconds.
    static let lockMilliseconds = 300
    /// The largest number of processes beside the first that store their input.
    static let mostBeside = 8
    static let fileName = "cache.sqlite"
    /// The name of a cache that this program cannot use and sets aside; it replaces an earlier one.
    static let asideName = "set-aside.sqlite"

    /// The result of opening a cache.
    package struct Opened {
        package var cache: Cache
        /// `nil` if nothing was stored yet.
        package var state: SavedState?
        /// The latest changes, in order.
        package var changes: [Change]
        /// A notice for the user, one sentence.
        package var notice: String?
    }

    package let folder: String
    private let place: CachePlace
    let database: Database
    let statements: CacheStatements
    private let lock: SharedLock
    /// The path of the member's own cache, which another process has, if this is a cache beside it. The own cache
    /// stores the family's data; this one stores only the author's own input.
    let own: String?
    var isBeside: Bool { own != nil }
    /// The folder of the member's own cache; it stays when a cache beside it is taken over.
    package var lastingFolder: String { own.map { String($0.dropLast(Self.fileName.count + 1)) } ?? folder }
    private var isSynchronous = true

    // The written state, to detect unwritten changes.
    var written: [Int64: PendingMutation] = [:]
    var writtenDrafts: [Draft] = []
    var writtenHead: SavedState?

    // The state that is not written yet.
    var dirty: Set<Identifier> = []
    var isReplaced = false
    var newChanges: [Change] = []

    init(_ folder: String, _ place: CachePlace, _ database: Database, _ lock: SharedLock, beside own: String?) throws {
        self.folder = folder
        self.own = own
        self.place = place
        self.database = database
        self.lock = lock
        try database.execute(CacheStatements.additions)
        statements = try CacheStatements(database)
    }

    /// Opens a member's cache for writing. A cache that cannot be used is set aside, and its pending mutations are
    /// taken over.
    ///
    /// - Throws: `CacheFailure`; `isLocked` if another process has the cache.
    package static func open(_ place: CachePlace, _ member: Identifier) throws(CacheFailure) -> Opened {
        let folder = place.folder(of: member)
        do {
            try Files.makeFolders(folder, mode: 0o700)
            let lock: SharedLock
            do throws(Errno) {
                lock = SharedLock(try Files.lock(folder: folder, timeoutMilliseconds: lockMilliseconds))
            } catch {
                if error == .locked { throw CacheFailure.locked }
                throw error
            }
            try place.remember(member)
            return try open(folder, place, member, lock, beside: nil)
        } catch let failure as CacheFailure {
            throw failure
        } catch {
            throw CacheFailure(folder, error)
        }
    }

    private static func path(_ place: CachePlace, _ member: Identifier) -> String { "\(place.folder(of: member))/\(fileName)" }

    /// Opens a cache beside the member's own cache, which another process has.
    ///
    /// - Returns: `nil` if the largest number of such caches is open.
    /// - Throws: `CacheFailure`.
    static func openBeside(_ place: CachePlace, _ member: Identifier) throws(CacheFailure) -> Opened? {
        for number in 1...mostBeside {
            let folder = place.folder(beside: number, of: member)
            do {
                try Files.makeFolders(folder, mode: 0o700)
                return try open(folder, place, member, SharedLock(try Files.lock(folder: folder)), beside: path(place, member))
            } catch let error as Errno where error == .locked {
                continue
            } catch {
                throw CacheFailure(folder, error)
            }
        }
        return nil
    }

    /// The caches beside the own one that no process uses any more, with their content.
    static func left(beside place: CachePlace, _ member: Identifier) -> [Opened] {
        (1...mostBeside).compactMap { number in
            let folder = place.folder(beside: number, of: member)
            guard Files.exists(folder), let lock = try? SharedLock(Files.lock(folder: folder)) else { return nil }
            return try? open(folder, place, member, lock, beside: path(place, member))
        }
    }

    private static func open(
        _ folder: String, _ place: CachePlace, _ member: Identifier, _ lock: SharedLock, beside own: String?
    ) throws -> Opened {
        let path = "\(folder)/\(fileName)"
        var salvaged: SavedState?
        var notice: String?
        if Files.exists(path) {
            var reason: String?
            do {
                let database = try openDatabase(path)
                switch try database.prepare("PRAGMA user_version").first({ $0.int64(0) }) ?? 0 {
                // The process that created the file ended before it created the tables.
                case 0: break
                case version:
                    let reader = try CacheReader(database)
                    let state = try reader.state()
                    let changes = try reader.changes()
                    if let state, state.member != member { throw CacheDamage("it belongs to somebody else") }
                    let cache = try Cache(folder, place, database, lock, beside: own)
                    cache.remember(state)
                    return Opened(cache: cache, state: state, changes: changes, notice: nil)
                case let other: reason = other > version ? "was written by a newer huddle" : "has tables that no huddle writes"
                }
            } catch let error as SQLiteError where error.isBusy || error.isFull {
                throw error
            } catch {
                reason = "is damaged"
            }
            if let reason {
                salvaged = CacheReader.salvage(path, member)
                try setAside(folder)
                let waiting = (salvaged?.pending.count ?? 0) + (salvaged?.drafts.count ?? 0)
                notice =
                    "The copy on this computer \(reason) and is loaded again (the old file is \(folder)/\(asideName)); "
                    + (waiting == 0 ? "no change that waited could be read from it." : "\(waiting) of your changes that waited in it were taken over.")
            }
        }
        try Files.makePrivate(path)
        try Files.synchronizeFolder(of: path)
        let database = try openDatabase(path)
        try database.execute("BEGIN IMMEDIATE; \(CacheStatements.schema) PRAGMA user_version = \(version); COMMIT")
        let cache = try Cache(folder, place, database, lock, beside: own)
        return Opened(cache: cache, state: salvaged, changes: [], notice: notice)
    }

    /// The time of the last write to the stored data, in UTC milliseconds; `nil` if there is none.
    package static func lastWrite(_ place: CachePlace, _ member: Identifier) -> Int64? {
        let path = path(place, member)
        return [path, path + "-wal"].compactMap { ((try? Files.status($0)) ?? nil)?.modified }.max()
    }

    /// The stored data of a member's family, for a process that only reads: it takes no lock, and moves no pending
    /// mutations.
    ///
    /// - Parameter withWaiting: whether to include pending mutations and drafts; only for display.
    package static func look(
        _ place: CachePlace, _ member: Identifier, withWaiting: Bool = false
    ) -> (state: SavedState, changes: [Change])? {
        do {
            guard let reader = try readerForLooking(place, member) else { return nil }
            guard var state = try reader.state() else { return nil }
            let changes = try reader.changes()
            guard withWaiting else {
                (state.pending, state.drafts) = ([], [])
                return (state, changes)
            }
            // The pending mutations of caches beside this one follow its own, in the order of a later takeover.
            for left in besides(place, member) {
                guard let beside = try? CacheReader(left).state() else { continue }
                state.pending += beside.pending
                state.drafts += beside.drafts
            }
            return (state, changes)
        } catch {
            return nil
        }
    }

    /// The stored data that the first screen shows: the latest messages and changes, and the members. Only for display
    /// until everything is read; it takes no lock.
    static func firstScreen(_ place: CachePlace) -> (state: SavedState, changes: [Change])? {
        guard let member = place.member, let reader = try? readerForLooking(place, member), let changes = try? reader.changes(),
            let state = try? reader.firstScreen(changes), state.member == member
        else { return nil }
        return (state, changes)
    }

    /// - Returns: a reader with one state of a member's own cache; `nil` if there is no cache that this program can
    ///   read.
    private static func readerForLooking(_ place: CachePlace, _ member: Identifier) throws -> CacheReader? {
        let path = "\(place.folder(of: member))/\(fileName)"
        guard let database = try databaseForLooking(path) else { return nil }
        try database.execute("BEGIN")
        guard try database.prepare("PRAGMA user_version").first({ $0.int64(0) }) == version else { return nil }
        return try CacheReader(database)
    }

    /// The caches beside a member's own one, for a process that only reads.
    static func besides(_ place: CachePlace, _ member: Identifier) -> [Database] {
        (1...mostBeside).compactMap { number in
            try? databaseForLooking("\(place.folder(beside: number, of: member))/\(fileName)")
        }
    }

    /// Opens a cache that another process may have, without its lock and without changes (not read-only, because SQLite
    /// may have to create the log); `nil` if there is none.
    static func databaseForLooking(_ path: String) throws(SQLiteError) -> Database? {
        guard Files.exists(path) else { return nil }
        let database = try Database(path: path, mode: .readWrite, busyMilliseconds: 1_000)
        try database.execute("PRAGMA query_only = ON")
        return database
    }

    private static func openDatabase(_ path: String) throws(SQLiteError) -> Database {
        let database = try Database(path: path, mode: .readWriteCreate, busyMilliseconds: 2_000)
        try database.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA journal_size_limit = 4194304;
            PRAGMA temp_store = MEMORY
            """)
        return database
    }

    private static func setAside(_ folder: String) throws(Errno) {
        for suffix in ["", "-wal", "-shm"] {
            let path = "\(folder)/\(fileName)\(suffix)"
            if Files.exists(path) {
                try Files.rename(path, to: "\(folder)/\(asideName)\(suffix)")
            } else {
                try Files.remove("\(folder)/\(asideName)\(suffix)")
            }
        }
    }

    private func remember(_ state: SavedState?) {
        guard let state else { return }
        written = Dictionary(state.pending.map { ($0.id, $0.asSaved) }, uniquingKeysWith: { _, last in last })
        writtenDrafts = state.drafts
        writtenHead = state.head
    }

    /// Runs `body` in one transaction.
    ///
    /// - Parameter synchronously: whether the transaction is on stable storage when this returns.
    func transaction(synchronously: Bool, _ body: () throws -> Void) throws {
        // The level can only be changed between transactions.
        if synchronously != isSynchronous {
            try database.execute("PRAGMA synchronous = \(synchronously ? "FULL" : "NORMAL")")
            isSynchronous = synchronously
        }
        try database.execute("BEGIN IMMEDIATE")
        do {
            try body()
            try database.execute("COMMIT")
        } catch {
            if database.inTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    /// Removes all data of this member, who has left the family or signed out.
    package func wipe() {
        // The file names are removed first; this object still has the files open until it ends.
        for name in [Self.fileName, Self.asideName] {
            for suffix in ["", "-wal", "-shm"] { try? Files.remove("\(folder)/\(name)\(suffix)") }
        }
        try? Files.removeTree(folder)
        place.forget()
    }

    /// Removes the folder of an emptied cache. If that fails, removes its content, so that no process takes it over
    /// again.
    func remove() {
        do throws(Errno) {
            try Files.removeTree(folder)
        } catch {
            try? transaction(synchronously: true) {
                try database.execute("DELETE FROM pending; DELETE FROM draft; DELETE FROM conversation; DELETE FROM input; DELETE FROM transfer")
            }
        }
    }

    /// Removes the family's data and keeps the author's unsent input, because the server does not know this sign-in any
    /// more: the input belongs to the author and waits for the next sign-in.
    package func forgetFamily() {
        place.forget()
        try? transaction(synchronously: true) {
            try database.execute("DELETE FROM record; DELETE FROM change; DELETE FROM input; DELETE FROM meta WHERE name IN ('epoch', 'sequence', 'unsent')")
        }
        // Removed data must remain neither in the file nor in its log.
        try? database.execute("VACUUM")
        _ = try? database.checkpoint(.truncate)
    }
}

@available(*, unavailable) extension Cache: Sendable {}

/// A folder's lock that may be handed on; it ends with the last reference.
final class SharedLock {
    private let lock: FolderLock

    init(_ lock: consuming FolderLock) { self.lock = lock }
}

@available(*, unavailable) extension SharedLock: Sendable {}

/// The reason why there is no cache, for people.
package struct CacheFailure: Error, Hashable, Sendable {
    package let message: String
    /// Another process of the same member has it.
    package let isLocked: Bool

    static let locked = CacheFailure(message: "Huddle is already open on this computer. Do it there, or quit it first.", isLocked: true)

    static let crowded = CacheFailure(
        message:
            "\(Cache.mostBeside + 1) huddles of yours are open on this machine already: this one keeps nothing, so that what you type here while offline lasts only as long as it runs.",
        isLocked: true)

    private init(message: String, isLocked: Bool) {
        self.message = message
        self.isLocked = isLocked
    }

    init(_ folder: String, _ error: any Error) {
        let reason =
            switch error {
            case let error as Errno: error.text
            case let error as SQLiteError: error.isFull ? "the disk is full" : error.message
            default: "\(error)"
            }
        message = "Nothing can be kept in \(folder) (\(reason)): changes made while offline last only as long as huddle runs."
        isLocked = false
    }
}
