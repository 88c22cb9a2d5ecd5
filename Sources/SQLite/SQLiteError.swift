internal import CSQLite

/// What SQLite answered when it did not do what it was asked.
///
/// The values bound to a statement are never part of it, so it may be logged. SQL is: build statements with parameters,
/// not by pasting values into their text.
///
/// Source: https://sqlite.org/rescode.html
package struct SQLiteError: Error, Equatable, Sendable {
    /// Extended result code; the lower eight bits are the primary one.
    package let code: Int32
    /// SQLite's sentence.
    package let message: String
    /// The statement as it was prepared, parameters as `?`; `nil` when none was involved.
    package let sql: String?
    /// `errno` of the last system call, or 0 where the failure was not of the system.
    package let systemError: Int32

    package init(code: Int32, message: String, sql: String? = nil, systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.sql = sql
        self.systemError = systemError
    }

    /// Lower eight bits of `code`.
    package var primaryCode: Int32 { code & 0xFF }

    /// The disk or the quota is full. Nothing is in doubt: the statement had no effect, and SQLite may have rolled back
    /// the transaction (`Database.inTransaction` tells). Works again when there is room.
    ///
    /// A failed sync is never this, whatever the cause: after it nobody knows what is on the disk.
    package var isFull: Bool {
        if primaryCode == SQLITE_FULL { return true }
        // The log's index grows by whole pages before anything is written to the log; SQLite keeps no errno for it.
        if code == CSQLITE_IOERR_SHMSIZE { return true }
        return code == CSQLITE_IOERR_WRITE && (systemError == CSQLITE_ENOSPC || systemError == CSQLITE_EDQUOT)
    }

    /// A `UNIQUE`, `CHECK`, `NOT NULL`, foreign key or trigger refused the statement.
    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// Another connection holds the lock, and still held it when the busy timeout ended.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY }

    /// The statement was stopped from outside (`Database.interruptStatements`).
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }

    /// The file is damaged, or is not a database.
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Reads the error that `handle` holds now. Call it at once, before any other use of the connection.
    ///
    /// - Parameter hidingMessage: put SQLite's fixed sentence for the code in place of the one for this failure.
    static func last(of handle: OpaquePointer?, code: Int32, sql: String?, hidingMessage: Bool = false) -> SQLiteError {
        // errno first: it lasts only until the next call to the system.
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
