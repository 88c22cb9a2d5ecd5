internal import CSQLite
internal import CWriteAheadLog

/// One connection to a database file.
///
///     let database = try Database(path: "huddle.db", mode: .readWriteCreate)
///     try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
///     let insert = try database.prepare("INSERT INTO note (id, text) VALUES (?, ?)")
///     insert.bind(1, 7)
///     insert.bind(2, "Bring the cleats")
///     try insert.run()
/// Confined: used by one thread at a time, which is why SQLite's own mutexes are off (`SQLITE_OPEN_NOMUTEX`). The
/// connection closes, and an open transaction rolls back, when it and the last of its statements are released.
///
/// Double-quoted strings are refused (a misspelt column would silently become a text), as is SQL that could damage the
/// file.
///
/// Source: https://sqlite.org/threadsafe.html, https://sqlite.org/c3ref/open.html
/// Source: https://sqlite.org/threadsafe.html, https://sqlite.org/c3ref/open.html
package final class Database {
    /// The mode in which the file is opened.
    package enum Mode: Sendable {
        /// Reads only; the file must exist.
        case readOnly
        /// Reads and writes; the file must exist.
        case readWrite
        /// Reads and writes; the file is created when missing.
        case readWriteCreate
    }

    let handle: OpaquePointer
    /// The counter of `watchLog`; SQLite holds its address.
    private var logCount: UnsafeMutablePointer<Int32>?

    /// See `interruptStatements`.
    private var isOver: (() -> Bool)?

    /// Runs once, before the first connection: no code here reads the memory counts, and without them the writer shares
    /// no lock with the readers.
    private static let uncounted: Void = { _ = csqlite_leave_memory_uncounted() }()

    /// Opens the file at `path`, or a private database in memory for `":memory:"`.
    ///
    /// - Parameters:
    ///   - vfs: the name of a registered file layer; `nil` for the system's own.
    ///   - gathersLog: the pages of a commit reach the write-ahead log in pieces of 120 KiB instead of two writes per page
    ///     (`CWriteAheadLog.h`). Only for a connection with `PRAGMA synchronous = FULL`: without a sync at each commit,
    ///     other connections would read pages that are not in the file yet.
    ///   - busyMilliseconds: how long a statement waits for the lock of another connection before `isBusy`. Five
    ///     seconds is longer than any transaction of ours: a longer wait indicates a fault, not a queue.
    /// - Throws: SQLite's error; `SQLITE_CANTOPEN` for a missing file or folder. The first statement, not this call,
    ///   detects a file that is not a database.
    package init(path: String, mode: Mode, vfs: String? = nil, gathersLog: Bool = false, busyMilliseconds: Int32 = 5000) throws(SQLiteError) {
        let access: Int32 =
            switch mode {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        Database.uncounted
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        func open(_ vfs: UnsafePointer<CChar>?) -> Int32 {
            // Without memory for the layer the log is written page by page.
            sqlite3_open_v2(path, &opened, flags, gathersLog ? cwal_layer(vfs) ?? vfs : vfs)
        }
        let code = if let vfs { vfs.withCString { open($0) } } else { open(nil) }
        guard code == SQLITE_OK, let opened else {
            let error = SQLiteError.last(of: opened, code: code, sql: nil)
            // A connection that failed to open still owns memory.
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        sqlite3_busy_timeout(handle, busyMilliseconds)
        _ = csqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = csqlite_configure(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        _ = csqlite_configure(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    }

    deinit {
        // Every `Statement` retains its database, so nothing is left open here; v2 never fails for that reason either.
        sqlite3_close_v2(handle)
        logCount?.deallocate()
    }

    /// Runs all statements of `sql` in order and drops rows. For schema, pragmas and transactions, not for data.
    ///
    /// - Throws: the first failure, with the failed statement in `sql`; the statements before it keep their effect.
    package func execute(_ sql: String) throws(SQLiteError) {
        var text = sql
        let failure = text.withUTF8 { script in executeAll(script) }
        if let failure { throw failure }
    }

    private func executeAll(_ script: UnsafeBufferPointer<UInt8>) -> SQLiteError? {
        guard let start = script.baseAddress else { return nil }
        let size = Int32(exactly: script.count)
        guard let size else { return SQLiteError(code: SQLITE_TOOBIG, message: "SQL is longer than 2 GiB") }
        return start.withMemoryRebound(to: CChar.self, capacity: script.count) { (first: UnsafePointer<CChar>) -> SQLiteError? in
            let end = first + script.count
            var next = first
            while next < end {
                // SQLite counts the blanks before a statement as part of it; an error must not contain them.
                if next.pointee == 0x20 || next.pointee == 0x0A {
                    next += 1
                    continue
                }
                var compiled: OpaquePointer?
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v2(handle, next, size - Int32(next - first), &compiled, &tail)
                guard code == SQLITE_OK else {
                    let rest = UnsafeRawBufferPointer(start: next, count: end - next)
                    return .last(of: handle, code: code, sql: String(decoding: rest, as: UTF8.self))
                }
                next = tail ?? end
                // The text contains only blanks or a comment.
                guard let compiled else { continue }
                defer { sqlite3_finalize(compiled) }
                var result = sqlite3_step(compiled)
                while result == SQLITE_ROW { result = sqlite3_step(compiled) }
                guard result == SQLITE_DONE else {
                    return .last(of: handle, code: result, sql: sqlite3_sql(compiled).map { String(cString: $0) })
                }
            }
            return nil
        }
    }

    /// Compiles one statement, to be kept and run many times: compiling costs four to five times as much as running.
    ///
    /// - Parameter sql: exactly one statement; a trailing semicolon is allowed.
    /// - Throws: SQLite's error for invalid SQL, or SQL that does not fit the schema.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        Statement(compiled: try compile(sql), sql: sql, database: self)
    }

    /// One statement, compiled at its first use, and then kept. For connections that use few of many statements.
    ///
    /// - Parameter sql: exactly one statement. The first `step` throws its errors.
    package func prepareOnUse(_ sql: String) -> Statement { Statement(compiled: nil, sql: sql, database: self) }

    func compile(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        var compiled: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        guard code == SQLITE_OK else { throw .last(of: handle, code: code, sql: sql) }
        guard let compiled else { preconditionFailure("SQL without a statement: \(sql)") }
        return compiled
    }

    /// Compiles `sql`, binds `values` to its parameters in order, runs it and drops rows. For statements that run once.
    package func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) {
        let statement = try prepare(sql)
        for (index, value) in values.enumerated() { statement.bind(Int32(index + 1), value: value) }
        try statement.run()
    }

    /// Stops every running statement while `isOver` returns true: its `step` throws `isInterrupted`.
    ///
    /// - Parameters:
    ///   - operations: the steps of SQLite's virtual machine between two calls; a row takes some ten to twenty. A
    ///     fraction of a microsecond each.
    ///   - isOver: called while a statement runs, on this thread; `nil` lets statements run to their end again.
    ///
    /// Source: https://sqlite.org/c3ref/progress_handler.html
    package func interruptStatements(every operations: Int32 = 200, when isOver: (() -> Bool)?) {
        self.isOver = isOver
        guard isOver != nil else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        sqlite3_progress_handler(
            handle, operations,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().isOver?() == true ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Runs `body` so that `interruptStatements` does not end its statements.
    ///
    /// SQLite counts the steps of a prepared statement over all its runs, so that even one of two steps is ended at one run in a hundred.
    package func withoutInterruption<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        let suspended = isOver
        isOver = nil
        defer { isOver = suspended }
        return try body()
    }

    /// Whether a transaction is open. After a failure it shows whether SQLite has rolled back already.
    package var inTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The octets of memory in this connection's page cache.
    package var cacheOctets: Int {
        var current: Int32 = 0
        var highest: Int32 = 0
        // The only possible failure is an argument that is out of range.
        _ = sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &current, &highest, 0)
        return Int(current)
    }

    /// The row id of the last row inserted by this connection; 0 before the first.
    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The rows changed by the last `INSERT`, `UPDATE` or `DELETE`, without those of triggers and foreign keys.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The pages of the write-ahead log after the last commit of this connection; 0 before the first, and after a
    /// checkpoint has cut the log.
    ///
    /// Counting begins at the first call. `PRAGMA wal_autocheckpoint` ends the counting, so it has to come before.
    ///
    /// Source: https://sqlite.org/c3ref/wal_hook.html
    package var logPages: Int {
        if let logCount { return Int(logCount.pointee) }
        let count = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        count.initialize(to: 0)
        logCount = count
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, count)
        return 0
    }

    /// The modes of a checkpoint of the write-ahead log.
    ///
    /// Source: https://sqlite.org/c3ref/wal_checkpoint_v2.html
    package enum CheckpointMode: Sendable {
        /// Copies as much as possible without waiting.
        case passive
        /// Waits for writers and copies everything.
        case full
        /// Like `full`, then waits for readers, so that the next writer starts the log from its beginning.
        case restart
        /// Like `restart`, and cuts the log to zero length.
        case truncate
    }

    /// Copies the write-ahead log into the database file.
    ///
    /// - Returns: the pages in the log, and the number of them that are in the database file now; both -1 outside of
    ///   WAL mode.
    /// - Throws: `isBusy` if other connections blocked `full`, `restart` or `truncate`; as many pages as possible were
    ///   copied.
    @discardableResult
    package func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> (log: Int, checkpointed: Int) {
        let wanted: Int32 =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        var log: Int32 = -1
        var checkpointed: Int32 = -1
        let code = sqlite3_wal_checkpoint_v2(handle, nil, wanted, &log, &checkpointed)
        guard code == SQLITE_OK else { throw .last(of: handle, code: code, sql: nil) }
        if mode == .truncate { logCount?.pointee = 0 }
        return (Int(log), Int(checkpointed))
    }
}

@available(*, unavailable)
extension Database: Sendable {}
