import Posix
import SQLite
import TestSupport
import Testing

@Suite("Scrubbing the free space of a database")
struct ScrubTests {
    private static let secret = Array("SECRET".utf8)

    /// Rows of two owners that grew and moved, and those of one of them deleted.
    private func make(_ path: String, random: inout SplitMix64) throws -> Database {
        let database = try Database(path: path, mode: .readWriteCreate)
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 0")
        try database.execute("CREATE TABLE t (row INTEGER PRIMARY KEY, owner INTEGER, text TEXT, key TEXT); CREATE INDEX i ON t (owner, key)")
        try database.execute("BEGIN")
        for row in 0..<3_000 {
            let owner = Int64(row % 2)
            let word = owner == 1 ? "SECRET" : "others"
            try database.run(
                "INSERT INTO t (owner, text, key) VALUES (?, ?, ?)", .integer(owner), .text(String(repeating: word, count: Int.random(in: 1...30, using: &random))),
                .text("\(word)\(Int.random(in: 0...99_999, using: &random))"))
            guard row % 2 == 0, row > 100 else { continue }
            let other = Int64.random(in: 1...Int64(row), using: &random)
            try database.run("UPDATE t SET text = text || text || text WHERE row = ? AND length(text) < 900", .integer(other))
        }
        try database.execute("COMMIT; DELETE FROM t WHERE owner = 1")
        return database
    }

    private func content(_ database: Database) throws -> [String] {
        var rows: [String] = []
        try database.prepare("SELECT row || text || key FROM t ORDER BY row").forEach { row throws(SQLiteError) in rows.append(row.text(0)) }
        return rows
    }

    private func holds(_ path: String) throws -> Bool { try Files.read(path).firstRange(of: Self.secret) != nil }

    private func faults(_ database: Database) throws -> String? {
        try database.prepare("PRAGMA integrity_check").first { row throws(SQLiteError) in row.text(0) }
    }

    @Test("Copies of deleted rows that SQLite left behind are gone, in portions, and every other row is as it was", arguments: 1...4 as ClosedRange<UInt64>)
    func scrubs(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/t.db"
        var random = SplitMix64(seed: seed)
        let database = try make(path, random: &random)
        let before = try content(database)
        try database.checkpoint(.truncate)
        // Without this the test would prove nothing.
        #expect(try holds(path))
        var position = ScrubPosition()
        var portions = 1
        while try !database.scrub(&position, count: 16) { portions += 1 }
        #expect(portions > 5)
        #expect(try !holds(path))
        #expect(try content(database) == before)
        #expect(try faults(database) == "ok")
        // The pages that the connection had in memory do not bring it back.
        try database.execute("UPDATE t SET text = text || '!' WHERE row % 7 = 0; DELETE FROM t WHERE row % 5 = 0")
        try database.checkpoint(.truncate)
        #expect(try !holds(path))
        #expect(try faults(database) == "ok")
    }

    @Test("A second round writes nothing, and a page beyond the end is the end")
    func again() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/t.db"
        var random = SplitMix64(seed: 9)
        let database = try make(path, random: &random)
        var position = ScrubPosition()
        #expect(try database.scrub(&position, count: 100_000) == true)
        let octets = try Files.read(path)
        let end = position
        #expect(try database.scrub(&position, count: 10) && position.page == end.page)
        position = ScrubPosition()
        #expect(try database.scrub(&position, count: 100_000))
        #expect(try Files.read(path) == octets)
    }

    /// SQLite sorts the numbers of neighbours when it balances a tree: a page that is not scrubbed yet can get the number of one that is.
    @Test("Changes between the portions of a round bring nothing back, and the round ends", arguments: 1...12 as ClosedRange<UInt64>)
    func changes(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/t.db"
        var random = SplitMix64(seed: seed)
        let database = try make(path, random: &random)
        try database.checkpoint(.truncate)
        #expect(try holds(path))
        var position = ScrubPosition()
        var portions = 1
        while try !database.scrub(&position, count: 4) {
            portions += 1
            try database.execute("BEGIN")
            for _ in 0..<12 {
                let number = Int.random(in: 0...99_999, using: &random)
                try database.run(
                    "INSERT INTO t (owner, text, key) VALUES (0, ?, ?)", .text(String(repeating: "others", count: Int.random(in: 1...120, using: &random))),
                    .text("others\(number)"))
                try database.run("DELETE FROM t WHERE row IN (SELECT row FROM t WHERE key > ? ORDER BY key LIMIT 8)", .text("others\(number / 2)"))
            }
            try database.execute("COMMIT")
        }
        #expect(portions > 20)
        #expect(try !holds(path))
        #expect(try faults(database) == "ok")
    }

    /// So that pages to which SQLite gave other numbers, which it does to neighbours in a tree, do not escape.
    @Test("A page that was scrubbed and has been written since is scrubbed again")
    func writtenSince() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/t.db"
        var random = SplitMix64(seed: 5)
        let database = try make(path, random: &random)
        try database.execute("DELETE FROM t WHERE row BETWEEN 2 AND 40")
        var position = ScrubPosition()
        let page = try database.prepare("SELECT pageno FROM dbstat WHERE name = 't' AND pagetype = 'leaf' ORDER BY path LIMIT 1").first { row throws(SQLiteError) in
            Int(row.int64(0)) - 1
        }
        let first = try #require(page)
        #expect(try !database.scrub(&position, count: first + 1))
        // An old copy is in the free space of the page again, and SQLite writes the page with it.
        let octets = Array(try Files.read(path)[first * 4_096..<(first + 1) * 4_096])
        let gap = try #require(octets.withUnsafeBytes { PageSpace.free($0, start: 0, usable: 4_096) }?.max { $0.count < $1.count })
        #expect(gap.count > Self.secret.count)
        let file = try Files.openForUpdating(path)
        let place = Int64(first * 4_096 + gap.upperBound - Self.secret.count)
        _ = try Self.secret.span.bytes.withUnsafeBytes { (all) throws(Errno) in try Files.write(file.raw, all, at: place) }
        try database.execute("UPDATE t SET text = 'x' WHERE row = 1")
        try database.checkpoint(.passive)
        // Without this the test would prove nothing: what comes next does not reach the page by its number.
        #expect(try holds(path) && position.page > first)
        while try !database.scrub(&position, count: 16) {}
        #expect(try !holds(path))
        #expect(try faults(database) == "ok")
    }

    @Test("Where the log was begun again between two portions, nobody knows which pages were written: the round starts from the beginning")
    func unknown() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/t.db"
        var random = SplitMix64(seed: 3)
        let database = try make(path, random: &random)
        var position = ScrubPosition()
        for portion in 1...3 {
            #expect(try !database.scrub(&position, count: 4))
            #expect(position.page == 4 * portion)
        }
        try database.execute("UPDATE t SET text = text || '!' WHERE row = 1")
        #expect(try !database.scrub(&position, count: 4))
        #expect(position.page == 16, "the log has what was written")
        let other = try Database(path: path, mode: .readWrite)
        // A connection checkpoints a log that it knows.
        try other.execute("SELECT count(*) FROM t")
        try database.execute("UPDATE t SET text = text || '!' WHERE row = 1")
        try other.checkpoint(.truncate)
        #expect(try !database.scrub(&position, count: 4))
        #expect(position.page == 4)
    }

    @Test("Nothing is overwritten while a reader needs an older page, beside another writer, or in a database without a write-ahead log")
    func refuses() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/t.db"
        var random = SplitMix64(seed: 4)
        let database = try make(path, random: &random)
        try database.checkpoint(.truncate)
        try database.execute("PRAGMA busy_timeout = 0")
        let before = try Files.read(path)
        func isRefused(_ database: Database) -> Int32? {
            var position = ScrubPosition()
            do throws(SQLiteError) { _ = try database.scrub(&position, count: 100_000) } catch { return position == ScrubPosition() ? error.primaryCode : nil }
            return nil
        }
        let other = try Database(path: path, mode: .readWrite)
        try other.execute("BEGIN; SELECT count(*) FROM t")
        try database.execute("UPDATE t SET text = text || '!' WHERE row = 1")
        #expect(isRefused(database) == 5)
        try other.execute("COMMIT; BEGIN IMMEDIATE")
        #expect(isRefused(database) == 5)
        try other.execute("ROLLBACK")
        #expect(try holds(path) && Files.read(path).count == before.count)
        var position = ScrubPosition()
        // A reader of the present needs no older page.
        try other.execute("BEGIN; SELECT count(*) FROM t WHERE text > 'a'")
        try database.checkpoint(.passive)
        try other.execute("COMMIT")
        #expect(try database.scrub(&position, count: 100_000) && !holds(path))

        let plain = try Database(path: folder.path + "/plain.db", mode: .readWriteCreate)
        try plain.execute("CREATE TABLE t (a); INSERT INTO t VALUES ('SECRET'); DELETE FROM t")
        #expect(isRefused(plain) == 21)
    }

    @Test("Octets that are not a page of a B-tree, or contradict themselves, are left as they are")
    func pages() {
        func free(_ octets: [UInt8], start: Int = 0) -> [Range<Int>]? {
            octets.withUnsafeBytes { PageSpace.free($0, start: start, usable: octets.count) }
        }
        func page(_ kind: UInt8, cells: [Int], content: Int, block: Int = 0, blocks: [(place: Int, next: Int, size: Int)] = []) -> [UInt8] {
            var octets = [UInt8](repeating: 0xAA, count: 512)
            func put(_ value: Int, _ place: Int) { (octets[place], octets[place + 1]) = (UInt8(value >> 8), UInt8(value & 255)) }
            octets[0] = kind
            put(block, 1)
            put(cells.count, 3)
            put(content, 5)
            for (index, cell) in cells.enumerated() { put(cell, (kind & 8 == 0 ? 12 : 8) + 2 * index) }
            for block in blocks {
                put(block.next, block.place)
                put(block.size, block.place + 2)
            }
            return octets
        }
        #expect(free(page(13, cells: [500], content: 500)) == [10..<500])
        #expect(free(page(5, cells: [500], content: 500)) == [14..<500])
        #expect(free(page(10, cells: [400], content: 400, block: 420, blocks: [(420, 450, 8), (450, 0, 10)])) == [10..<400, 424..<428, 454..<460])
        #expect(free(page(13, cells: [], content: 512)) == [8..<512])
        for wrong: [UInt8] in [
            page(0, cells: [], content: 512), page(13, cells: [499], content: 500), page(13, cells: [512], content: 500), page(13, cells: [500], content: 513),
            page(13, cells: [500], content: 9), page(13, cells: [400], content: 400, block: 399, blocks: [(399, 0, 8)]),
            page(13, cells: [400], content: 400, block: 420, blocks: [(420, 410, 8)]), page(13, cells: [400], content: 400, block: 420, blocks: [(420, 0, 3)]),
            page(13, cells: [400], content: 400, block: 420, blocks: [(420, 0, 100)]), page(13, cells: [400], content: 400, block: 510), [13, 0, 0],
        ] { #expect(free(wrong) == nil) }
    }
}
