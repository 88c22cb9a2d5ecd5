internal import CSQLite

extension Database {
    /// Copies this database into an empty one, as it is at one moment, while other connections write.
    ///
    /// The snapshot is held from the first page to the last. SQLite's backup would otherwise start again after each commit
    /// of another connection, and beside a busy writer it would never end. The price: the write-ahead log cannot start
    /// again in the meantime, so it grows by what is written during the copy.
    ///
    /// The copy is one file without a write-ahead log. It is on stable storage when this returns.
    ///
    /// - Parameters:
    ///   - destination: open for writing, without tables. After a failure it holds nothing of use.
    ///   - pages: pages per step.
    ///   - goesOn: called between steps with the pages that are left and the pages in all; `false` ends the copy.
    /// - Returns: whether the copy is complete.
    ///
    /// Source: https://sqlite.org/c3ref/backup_finish.html, https://sqlite.org/isolation.html
    package func copy(
        to destination: Database, pages: Int32 = 256, goesOn: (_ left: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) -> Bool {
        precondition(!inTransaction, "a copy has a snapshot of its own")
        // EXTRA: a journal that was deleted must not come back after a power cut, or the copy would be rolled back.
        try destination.execute("PRAGMA synchronous = EXTRA")
        try execute("BEGIN")
        defer { try? execute("ROLLBACK") }
        // The snapshot begins with the first read.
        try execute("SELECT count(*) FROM sqlite_schema")
        guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            throw .last(of: destination.handle, code: sqlite3_errcode(destination.handle), sql: nil)
        }
        var isStopped = false
        var code = SQLITE_OK
        while !isStopped {
            code = sqlite3_backup_step(backup, pages)
            guard code == SQLITE_OK else { break }
            isStopped = !goesOn(Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
        }
        // The error of the step, and the end of the transaction in the destination.
        let ended = sqlite3_backup_finish(backup)
        if isStopped { return false }
        guard code == SQLITE_DONE, ended == SQLITE_OK else {
            throw .last(of: destination.handle, code: ended == SQLITE_OK ? code : ended, sql: nil)
        }
        // The first page of the source says that there is a log beside it.
        try destination.execute("PRAGMA journal_mode = DELETE")
        guard try destination.prepare("PRAGMA journal_mode").first({ (row) throws(SQLiteError) in row.text(0) }) == "delete" else {
            throw SQLiteError(code: SQLITE_ERROR, message: "the copy could not leave its write-ahead log")
        }
        return true
    }
}
