import Family
import Posix
import SQLite
import Store
import TestSupport
import Testing

@testable import Server
@testable import StoreSQLite

@Suite("The copy before an upgrade")
struct UpgradeCopyTests {
    private let folder: TemporaryFolder
    private let lines = LogLines()
    private var data: String { folder.path + "/data" }
    private var copies: String { ServerDatabase.upgradePath(in: data) }

    init() throws { folder = try TemporaryFolder() }

    /// Makes a database of an earlier version, with one family in it.
    private func makeDatabase(version: Int) throws {
        try Files.makeFolder(data)
        let database = try Database(path: DataFolder.databasePath(in: data), mode: .readWriteCreate)
        try DatabaseConnection.configureWriter(database)
        try Schema.migrate(database, epoch: "00", at: 1, steps: Array(Schema.migrations.prefix(version)))
        try database.execute("INSERT INTO families (key, uuid, floor, created_at) VALUES (7, x'00112233445566778899aabbccddeeff', 0, 1)")
    }

    private func events(_ name: String) -> [String] { lines.all.filter { $0.contains("event=\(name) ") } }

    private func version(_ path: String) throws -> Int { try StoreCopy.version(of: path) ?? -1 }

    private func start(copies: Bool = true) throws {
        let claim = try DataFolder(path: data)
        let store = try ServerDatabase(claim).openStore(Limits(), copies: copies, log: lines.log)
        try store.stop()
        withExtendedLifetime(claim) {}
    }

    @Test("A database of an earlier version is copied whole before the first step; the copy is private and opens as the earlier version", arguments: [1, 14, 15])
    func copies(version old: Int) throws {
        try makeDatabase(version: old)
        try start()
        #expect(try version(DataFolder.databasePath(in: data)) == Schema.version)
        let copy = "\(copies)/huddle-v\(old).db"
        #expect(try Files.list(copies) == ["huddle-v\(old).db"] && version(copy) == old)
        #expect(try Database(path: copy, mode: .readOnly).prepare("SELECT count(*) FROM families").one { $0.int64(0) } == 1)
        #expect(try Files.status(copy)?.mode == 0o600)
        let told = events("upgrade_copied")
        #expect(told.count == 1 && told[0].contains("from=\(old)") && told[0].contains(copy), "\(told)")
        #expect(events("upgrade").count == Int(Schema.version) - old, "a line for each step")
        // The next start has nothing to upgrade.
        try start()
        #expect(events("upgrade_copied").count == 1 && events("upgrade").count == Int(Schema.version) - old)
    }

    @Test("A new folder has nothing to copy, and nothing is copied where the host does not want it")
    func nothing() throws {
        try start()
        #expect(!Files.exists(copies) && events("upgrade_copied").isEmpty)
        try Files.removeTree(data)
        try makeDatabase(version: 15)
        try start(copies: false)
        #expect(!Files.exists(copies) && events("upgrade").count == Int(Schema.version) - 15)
    }

    @Test("A copy that was cut short is made again, and is never taken for a whole one")
    func cut() throws {
        try makeDatabase(version: 15)
        try Files.makeFolder(copies)
        try Files.write(Array("half a copy".utf8), to: copies + "/huddle-v15.db.part")
        try start()
        #expect(try Files.list(copies) == ["huddle-v15.db"] && version(copies + "/huddle-v15.db") == 15)
    }

    @Test("Where the copy cannot be made, nothing is upgraded and the sentence says what to do")
    func refused() throws {
        try makeDatabase(version: 15)
        // A file in the place of the folder.
        try Files.write([1], to: copies)
        let failure = #expect(throws: StoreFailure.self) { try start() }
        #expect(failure?.message.contains("Nothing was changed.") == true && failure?.message.contains("--no-backup-before-upgrade") == true, "\(failure?.message ?? "")")
        #expect(try version(DataFolder.databasePath(in: data)) == 15)
        try Files.remove(copies)
        try start()
        #expect(try version(DataFolder.databasePath(in: data)) == Schema.version)
    }

    @Test("After 30 days a start removes the copy, with a line in the log")
    func old() throws {
        try makeDatabase(version: 15)
        try start()
        let copy = copies + "/huddle-v15.db"
        try start()
        #expect(Files.exists(copy))
        let touched = try ChildProcess.run(["touch", "-d", "31 days ago", copy])
        #expect(touched.ending == .exited(0))
        try start()
        #expect(!Files.exists(copy) && events("upgrade_copy_removed").count == 1)
    }
}
