internal import CSQLite

/// The free space of one page of a B-tree.
///
/// Source: https://sqlite.org/fileformat2.html, "B-tree Pages"
package enum PageSpace {
    /// The ranges that no cell and no head of a free block occupies; `nil` for octets that are no page of a B-tree.
    ///
    /// - Parameters:
    ///   - page: a whole page.
    ///   - start: where its head begins: 100 on the first page of a file, 0 on the others.
    ///   - usable: octets of the page that SQLite uses.
    package static func free(_ page: UnsafeRawBufferPointer, start: Int, usable: Int) -> [Range<Int>]? {
        guard usable <= page.count, start + 12 <= usable else { return nil }
        func number(_ place: Int) -> Int { Int(page[place]) << 8 | Int(page[place + 1]) }
        let kind = page[start]
        guard [2, 5, 10, 13].contains(kind) else { return nil }
        let cells = number(start + 3)
        let pointers = start + (kind & 8 == 0 ? 12 : 8)
        let content = number(start + 5) == 0 ? 65_536 : number(start + 5)
        let gap = pointers + 2 * cells
        guard gap <= content, content <= usable else { return nil }
        for cell in 0..<cells where !(content..<usable).contains(number(pointers + 2 * cell)) { return nil }
        var free = [gap..<content]
        var block = number(start + 1)
        var before = content - 1
        while block != 0 {
            guard block > before, block + 4 <= usable else { return nil }
            let size = number(block + 2)
            guard size >= 4, block + size <= usable else { return nil }
            free.append(block + 4..<block + size)
            before = block + size - 1
            block = number(block)
        }
        return free
    }
}

extension Database {
    /// An overflow page begins with the number of the next one, and from this number on it could look like a page of a B-tree. 128 GiB with pages of 4 KiB.
    private static let maxPages = 2 << 24

    /// Overwrites with zeros what earlier content left in the free space of pages. `secure_delete` overwrites what is deleted, but not the copies that
    /// stay behind when SQLite moves rows from page to page.
    ///
    /// It writes into the file below SQLite's cache, and only octets that SQLite never reads. So readers of the file see nothing of it, and a power cut at
    /// any moment leaves a file that is whole. For a connection outside of transactions, after a checkpoint with `truncate`: a page that is in the
    /// write-ahead log would come back as it was. The cache of the connection is emptied for the same reason. Another process may write as well
    /// (Litestream does): the function holds the lock for writing, and leaves everything as it is if the log is no longer empty then. So no page changes,
    /// and no checkpoint moves one, between its reading and its overwriting.
    ///
    /// - Parameters:
    ///   - page: the first page; 0 is the first of the file.
    ///   - count: pages at most.
    /// - Returns: the page after the last; `nil` at the end of the file, or if the file is larger than 128 GiB. All writes are on stable storage then.
    /// - Throws: `SQLITE_BUSY` if another process holds the lock, or has written since the checkpoint.
    package func scrub(from page: Int, count: Int) throws(SQLiteError) -> Int? {
        precondition(!inTransaction, "a transaction has pages in the cache")
        sqlite3_db_release_memory(handle)
        let vacuum = try prepare("PRAGMA auto_vacuum").first { (row) throws(SQLiteError) in row.int64(0) }
        // Its pages of pointers could be taken for others.
        guard vacuum == 0 else { throw SQLiteError(code: SQLITE_MISUSE, message: "a database that vacuums itself is not scrubbed") }
        sqlite3_db_release_memory(handle)
        try execute("BEGIN IMMEDIATE")
        defer { try? execute("ROLLBACK") }
        var log: UnsafeMutablePointer<sqlite3_file>?
        var logged: Int64 = 0
        if sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK, let log, let methods = log.pointee.pMethods {
            guard methods.pointee.xFileSize(log, &logged) == SQLITE_OK, logged == 0 else {
                throw SQLiteError(code: SQLITE_BUSY, message: "another process has written to the database")
            }
        }
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &pointer) == SQLITE_OK, let file = pointer, let methods = file.pointee.pMethods
        else { throw SQLiteError(code: SQLITE_MISUSE, message: "the database has no file") }
        func check(_ code: Int32) throws(SQLiteError) {
            if code != SQLITE_OK { throw SQLiteError(code: code, message: "the free space of the database could not be overwritten", systemError: csqlite_system_errno(handle)) }
        }
        var head = [UInt8](repeating: 0, count: 100)
        try check(methods.pointee.xRead(file, &head, 100, 0))
        let size = Int(head[16]) << 8 | Int(head[17])
        let pageSize = size == 1 ? 65_536 : size
        let usable = pageSize - Int(head[20])
        var octets: Int64 = 0
        try check(methods.pointee.xFileSize(file, &octets))
        let pages = Int(octets) / max(pageSize, 1)
        guard pageSize >= 512, pages < Self.maxPages else { return nil }
        let end = min(page + count, pages)
        var written = false
        var buffer = [UInt8](repeating: 0, count: pageSize)
        let zeros = buffer
        for number in page..<max(end, page) {
            let offset = Int64(number) * Int64(pageSize)
            try check(methods.pointee.xRead(file, &buffer, Int32(pageSize), offset))
            guard let free = buffer.withUnsafeBytes({ PageSpace.free($0, start: number == 0 ? 100 : 0, usable: usable) }) else { continue }
            for range in free where buffer[range].contains(where: { $0 != 0 }) {
                try check(methods.pointee.xWrite(file, zeros, Int32(range.count), offset + Int64(range.lowerBound)))
                written = true
            }
        }
        if written { try check(methods.pointee.xSync(file, SQLITE_SYNC_NORMAL)) }
        return end < pages ? end : nil
    }
}
