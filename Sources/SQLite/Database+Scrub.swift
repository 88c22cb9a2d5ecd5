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

/// How far a round of `Database.scrub` is.
package struct ScrubPosition: Equatable, Sendable {
    /// The page that comes next; 0 is the first of the file.
    package fileprivate(set) var page = 0
    /// The salts of the write-ahead log after the last portion.
    fileprivate var salts: [UInt8] = []

    package init() {}
}

// `PRAGMA secure_delete` overwrites rows that are deleted and pages that become free. SQLite also moves rows from page to page, and leaves copies of them
// in the free space between the cells of the page that they came from. No pragma and no vacuum but a whole VACUUM, during which nobody can write, reaches
// these. Debian's SQLite has no virtual table of pages (`sqlite_dbpage`), so the pages are overwritten in the file.
//
// This is safe for these reasons:
//
// - Nothing else changes the file. The writer's lock is held and the write-ahead log is empty, so that no connection adds pages to the log and no
//   checkpoint has pages to copy. SQLite checks both with locks that also bind other processes (Litestream checkpoints beside the server).
// - No reader depends on what is overwritten. The octets are in no cell, no head of a free block and no array of pointers, and SQLite reads free
//   space only to overwrite it. A reader with an older snapshot would need pages of the log, and then the log cannot be cut.
// - A crash leaves a page with some of the zeros. SQLite itself relies on writes that leave the octets beside them as they are
//   (https://sqlite.org/psow.html).
// - Old copies do not come back from this connection's cache: it is emptied before the lock is taken. Only the first page of the file, which has the
//   schema and no rows, is read again before it is scrubbed. Other connections never write pages that have rows.
// - Pages of other kinds do not look like a page of a B-tree. Overflow pages and trunks of the free list begin with a page number, whose first octet is
//   0 or 1 in files of at most 128 GiB. Other free pages are zeros, or are not read again.
//
// Between two portions other changes are made. They can give a page that is not scrubbed yet the number of one that is: SQLite sorts the numbers of
// neighbours when it balances a tree. All pages that were written since the last portion are in the write-ahead log, so each portion scrubs them as well.
// If the log has been begun again in the meantime, as its salts show, the round starts from the beginning.
extension Database {
    private static let maxPages = 2 << 24
    /// Octets of the head of a write-ahead log, and of each of its frames. https://sqlite.org/fileformat2.html, "The Write-Ahead Log".
    private static let (logHead, frameHead) = (32, 24)

    /// One portion of a round that overwrites with zeros the copies of rows that SQLite left in the free space of pages. For a database in WAL mode, on
    /// a connection outside of transactions. Cuts the write-ahead log first.
    ///
    /// - Parameters:
    ///   - position: how far the round is. It stays as it is if the call throws.
    ///   - count: pages at most, besides those that were written since the last portion.
    /// - Returns: whether the round is finished, and all its writes are on stable storage; or the file is larger than 128 GiB.
    /// - Throws: `isBusy` if a reader or another process is in the way.
    package func scrub(_ position: inout ScrubPosition, count: Int) throws(SQLiteError) -> Bool {
        precondition(!inTransaction, "a transaction has pages in the cache")
        let mode = try prepare("PRAGMA journal_mode").first { (row) throws(SQLiteError) in row.text(0) }
        guard mode == "wal" else { throw misuse("the database has no write-ahead log") }
        let vacuum = try prepare("PRAGMA auto_vacuum").first { (row) throws(SQLiteError) in row.int64(0) }
        // Its pages of pointers could be taken for others.
        guard vacuum == 0 else { throw misuse("a database that vacuums itself is not scrubbed") }
        let file = try layer(SQLITE_FCNTL_FILE_POINTER)
        let log = try layer(SQLITE_FCNTL_JOURNAL_POINTER)
        var (page, written): (Int, Set<Int>) = (0, [])
        if position.page > 0, try salts(file) == position.salts {
            page = position.page
            written = try pages(in: log).filter { $0 < page }
        }
        try checkpoint(.truncate)
        sqlite3_db_release_memory(handle)
        try execute("BEGIN IMMEDIATE")
        defer { try? execute("ROLLBACK") }
        guard try size(log) == 0 else { throw SQLiteError(code: SQLITE_BUSY, message: "another process has written to the database") }
        var head = [UInt8](repeating: 0, count: 100)
        try read(file, &head, at: 0)
        let pageSize = head[16] == 0 && head[17] == 1 ? 65_536 : Int(head[16]) << 8 | Int(head[17])
        guard pageSize >= 512 else { throw misuse("the database has no size of pages") }
        let pages = Int(try size(file)) / pageSize
        guard pages < Self.maxPages else { return true }
        let end = min(page + count, pages)
        var isWritten = false
        for number in written.sorted() + Array(page..<max(end, page)) where number < pages {
            if try scrub(file, number, size: pageSize, usable: pageSize - Int(head[20])) { isWritten = true }
        }
        if isWritten { try check(file.methods.xSync(file.pointer, SQLITE_SYNC_NORMAL)) }
        position.page = end
        position.salts = try salts(file)
        return end >= pages
    }

    /// - Returns: whether anything was to be overwritten.
    private func scrub(_ file: Layer, _ number: Int, size: Int, usable: Int) throws(SQLiteError) -> Bool {
        let offset = Int64(number) * Int64(size)
        var page = [UInt8](repeating: 0, count: size)
        try read(file, &page, at: offset)
        guard let free = page.withUnsafeBytes({ PageSpace.free($0, start: number == 0 ? 100 : 0, usable: usable) }) else { return false }
        let zeros = [UInt8](repeating: 0, count: size)
        var isWritten = false
        for range in free where page[range].contains(where: { $0 != 0 }) {
            try check(file.methods.xWrite(file.pointer, zeros, Int32(range.count), offset + Int64(range.lowerBound)))
            isWritten = true
        }
        return isWritten
    }

    // MARK: Files

    /// A file of the database as SQLite's file layer knows it. Never opened a second time: to close it again would end SQLite's locks.
    private struct Layer {
        let pointer: UnsafeMutablePointer<sqlite3_file>
        let methods: sqlite3_io_methods
    }

    private func layer(_ control: Int32) throws(SQLiteError) -> Layer {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", control, &pointer) == SQLITE_OK, let pointer, let methods = pointer.pointee.pMethods else {
            throw misuse("the database has no file, or no write-ahead log")
        }
        return Layer(pointer: pointer, methods: methods.pointee)
    }

    private func size(_ file: Layer) throws(SQLiteError) -> Int64 {
        var octets: Int64 = 0
        try check(file.methods.xFileSize(file.pointer, &octets))
        return octets
    }

    private func read(_ file: Layer, _ octets: inout [UInt8], at offset: Int64) throws(SQLiteError) {
        try check(file.methods.xRead(file.pointer, &octets, Int32(octets.count), offset))
    }

    /// The salts of the write-ahead log, also while it is empty: they change each time when the log is begun again.
    ///
    /// Source: https://sqlite.org/walformat.html, "The WAL-Index Header"
    private func salts(_ file: Layer) throws(SQLiteError) -> [UInt8] {
        var index: UnsafeMutableRawPointer?
        guard file.methods.iVersion >= 2, let map = file.methods.xShmMap else { throw misuse("the database has no write-ahead log") }
        try check(map(file.pointer, 0, 32_768, 0, &index))
        guard let index else { throw misuse("the database has no write-ahead log") }
        return Array(UnsafeRawBufferPointer(start: index + 32, count: 8))
    }

    /// The numbers of the pages in the write-ahead log, where 0 is the first of the file.
    private func pages(in log: Layer) throws(SQLiteError) -> Set<Int> {
        let octets = try size(log)
        guard octets > Self.logHead else { return [] }
        var head = [UInt8](repeating: 0, count: Self.logHead)
        try read(log, &head, at: 0)
        func number(_ octets: [UInt8], _ place: Int) -> Int { octets[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        let frame = Self.frameHead + number(head, 8)
        var pages: Set<Int> = []
        var place = Self.logHead
        var one = [UInt8](repeating: 0, count: Self.frameHead)
        while Int64(place + frame) <= octets {
            try read(log, &one, at: Int64(place))
            pages.insert(number(one, 0) - 1)
            place += frame
        }
        return pages
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        if code != SQLITE_OK { throw SQLiteError(code: code, message: "the free space of the database could not be overwritten", systemError: csqlite_system_errno(handle)) }
    }

    private func misuse(_ message: String) -> SQLiteError { SQLiteError(code: SQLITE_MISUSE, message: message) }
}
