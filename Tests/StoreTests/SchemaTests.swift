import Posix
import SQLite
import Store
@testable import StoreSQLite
import TestSupport
import Testing

@Suite("The database file")
struct SchemaTests {
    @Test("a database of a newer program is refused with a sentence and left as it is")
    func newer() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/huddle.db"
        let surroundings = Surroundings()
        _ = try FamilyStore(path: path, environment: surroundings.environment)
        try Database(path: path, mode: .readWrite).execute("PRAGMA user_version = 99")
        let before = try Files.read(path)
        let failure = #expect(throws: StoreFailure.self) { try FamilyStore(path: path, environment: surroundings.environment) }
        #expect(failure?.message.contains("newer Huddle (version 99") == true)
        #expect(throws: StoreFailure.self) { try StoreReader(path: path, environment: surroundings.environment) }
        #expect(try Files.read(path) == before)
    }

    @Test("a database of something else is refused, and so is a file that is not a database", arguments: [
        "CREATE TABLE recipes (name TEXT)", "CREATE TABLE recipes (name TEXT); PRAGMA user_version = 1",
    ])
    func foreign(sql: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/huddle.db"
        try Database(path: path, mode: .readWriteCreate).execute(sql)
        let failure = #expect(throws: StoreFailure.self) { try FamilyStore(path: path, environment: Surroundings().environment) }
        #expect(failure?.message.contains("not a database of Huddle") == true)
        try Files.write(Array(String(repeating: "Not a database. ", count: 100).utf8), to: folder.path + "/other.db")
        #expect(throws: StoreFailure.self) { try FamilyStore(path: folder.path + "/other.db", environment: Surroundings().environment) }
    }

    @Test("A reader keeps at most 2 MiB of pages, the writer more: each idle room would otherwise cost what its join has read")
    func readersCache() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/large.db"
        let writer = try Database(path: path, mode: .readWriteCreate)
        try DatabaseConnection.configureWriter(writer)
        try writer.execute(
            """
            CREATE TABLE pages (text TEXT);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO pages SELECT printf('%04000d', i) FROM n;
            """)
        let reader = try Database(path: path, mode: .readOnly)
        try DatabaseConnection.configureReader(reader)
        // All 8 MB are read by both.
        for database in [writer, reader] { #expect(try database.prepare("SELECT sum(length(text)) FROM pages").one { $0.int64(0) } == 8_000_000) }
        #expect(reader.cacheOctets > 1_000_000 && reader.cacheOctets < 2_600_000, "\(reader.cacheOctets)")
        #expect(writer.cacheOctets > 5_000_000, "\(writer.cacheOctets)")
    }

    @Test("the log is written ahead and synced at each commit, and no key crosses families")
    func settings() throws {
        let world = try World()
        #expect(try world.query("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'") == 1)
        // Every unique key of a family's table begins with the family.
        for table in ["records", "log", "history", "clients", "receipts", "memberships", "share_links", "share_visits"] {
            let first = try world.query(
                """
                SELECT count(*) FROM pragma_index_list('\(table)') l JOIN pragma_index_info(l.name) i
                WHERE l."unique" AND i.seqno = 0 AND i.name = 'family'
                """)
            #expect(first == 1, "\(table)")
            #expect(try world.query("SELECT count(*) FROM pragma_index_list('\(table)') WHERE \"unique\"") == 1, "\(table)")
        }
        #expect(try world.query("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1)
    }

    @Test("a data folder is private, and one process at a time has it")
    func claims() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/data"
        func claim() throws(DataFolderError) { _ = try DataFolder(path: path) }
        do {
            let first = try DataFolder(path: path)
            #expect(try Files.status(path)?.mode == 0o700)
            #expect(first.databasePath == path + "/huddle.db")
            #expect(first.socketPath == path + "/huddled.sock")
            #expect(throws: DataFolderError.inUse) { try claim() }
            withExtendedLifetime(first.path) {}
        }
        try claim()
        try Files.write([], to: folder.path + "/file")
        #expect(throws: DataFolderError.self) { _ = try DataFolder(path: folder.path + "/file") }
    }
}
