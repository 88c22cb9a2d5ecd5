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
        var page: Int? = 0
        var portions = 0
        while let next = page {
            page = try database.scrub(from: next, count: 16)
            portions += 1
        }
        #expect(portions > 5)
        #expect(try !holds(path))
        #expect(try content(database) == before)
        #expect(try database.prepare("PRAGMA integrity_check").first { row throws(SQLiteError) in row.text(0) } == "ok")
        // The pages that the connection had in memory do not bring it back.
        try database.execute("UPDATE t SET text = text || '!' WHERE row % 7 = 0; DELETE FROM t WHERE row % 5 = 0")
        try database.checkpoint(.truncate)
        #expect(try !holds(path))
        #expect(try database.prepare("PRAGMA integrity_check").first { row throws(SQLiteError) in row.text(0) } == "ok")
    }

    @Test("A second round writes nothing, and a page beyond the end is the end")
    func again() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/t.db"
        var random = SplitMix64(seed: 9)
        let database = try make(path, random: &random)
        try database.checkpoint(.truncate)
        #expect(try database.scrub(from: 0, count: 100_000) == nil)
        let octets = try Files.read(path)
        #expect(try database.scrub(from: 0, count: 100_000) == nil)
        #expect(try database.scrub(from: 1_000_000, count: 10) == nil)
        #expect(try Files.read(path) == octets)
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
