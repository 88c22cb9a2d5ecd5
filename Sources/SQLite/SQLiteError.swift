internal import CSQLite

/// An error from SQLite.
///
/// Bound values are never part of it, so it may be logged. The SQL text is: build statements with parameters, never by
/// inserting values into their text.
///
/// Source: https://sqlite.org/rescode.html
package struct SQLiteError: Error, Equatable, Sendable {
    /// The extended result code; the lower eight bits are the primary one.
    package let code: Int32
    /// SQLite's message.
    package let message: String
    /// The statement as it was prepared, parameters as `?`; `nil` if none was involved.
    package let sql: String?
    /// The `errno` of the last system call, or 0 if the failure did not come from the system.
    package let systemError: Int32

    package init(code: Int32, message: String, sql: String? = nil, systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.sql = sql
        self.systemError = systemError
    }

    /// The lower eight bits of `code`.
    package var primaryCode: Int32 { code & 0xFF }

    /// Whether the disk or the quota is full. The state is known: the statement had no effect, and SQLite may have
    /// rolled back the transaction (see `Database.inTransaction`). Statements work again when there is space.
    ///
    /// A failed sync is never reported as this, whatever the cause: after it the content of the disk is unknown.
    package var isFull: Bool {
        if primaryCode == SQLITE_FULL { return true }
        // The log's index grows by whole pages before anything is written to the log; SQLite keeps no errno for it.
        if code == CSQLITE_IOERR_SHMSIZE { return true }
        return code == CSQLITE_IOERR_WRITE && (systemError == CSQLITE_ENOSPC || systemError == CSQLITE_EDQUOT)
    }

    /// Whether a `UNIQUE`, `CHECK`, `NOT NULL`, foreign key or trigger refused the statement.
    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// Whether another connection holds the lock, and still held it when the busy timeout ended.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY }

    /// Whether the statement was stopped from outside (`Database.interruptStatements`).
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }

    /// Whether the file is damaged, or is not a database.
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Reads the current error of `handle`. Call it immediately, before any other use of the connection.
    ///
    /// - Parameter hidingMessage: whether to use SQLite's fixed sentence for the code instead of the one for this
    ///   failure.
    static func last(of handle: OpaquePointer?, code: Int32, sql: String?, hidingMessage: Bool = false) -> SQLiteError {
        // errno first: it is valid only until the next system call.
        let isOfSystem = code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN
        let systemError = isOfSystem ? handle.map { csqlite_system_errno($0) } ?? 0 : 0
        let sentence = hidingMessage || handle == nil ? sqlite3_errstr(code) : sqlite3_errmsg(handle)
        let message = sentence.map { String(cString: $0) } ?? "unknown error"
        return SQLiteError(code: code, message: message, sql: sql, systemError: systemError)
    }
}

extension SQLiteError: CustomStringConvertible {
    /// One line for a log: `SQLite 2067: UNIQUE constraint failed: event.id [INSERT INTO event …]`.
    package var description: String {
        var text = "SQLite \(code): \(message)"
        if systemError != 0 { text += " (errno \(systemError))" }
        if let sql { text += " [\(sql)]" }
        return text
    }
}
