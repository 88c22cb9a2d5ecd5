import Blobs
import CFaultVFS
import Family
import SQLite
import Store
import StoreSQLite
import TestSupport
import Testing

@Suite("Copies of a database on failing disks", .serialized)
struct StoreCopyTests {
    /// A database with content, and a disk of its own for the copy.
    private final class Source {
        let world: World
        let disk = FaultDisk()

        init() throws {
            world = try World()
            var family = try RandomFamily(world, seed: 3)
            try family.live(steps: 60)
        }

        func copy(goesOn: (Int, Int) -> Bool = { _, _ in true }) throws(StoreFailure) -> Int? {
            try StoreCopy.make(of: world.path, at: "copy.db", vfs: (nil, disk.name), goesOn: goesOn)
        }

        /// Whether the copy holds what the database holds.
        func expectWhole() throws {
            let folder = try TemporaryFolder()
            let report = try StoreCheck(path: "copy.db", vfs: disk.name).run(
                blobs: BlobFolder(path: folder.path + "/blobs"), uploads: .init(path: folder.path + "/uploads"), isDeep: false, now: world.surroundings.now)
            #expect(report.findings == [] && report.families == 1 && report.changes > 10)
        }
    }

    @Test("A copy of which any operation fails says so", arguments: [FaultTests.full, FaultTests.writeError, FaultTests.syncError])
    func failing(code: Int32) throws {
        let source = try Source()
        var operation = 1
        while true {
            #expect(faultvfs_reset(source.disk.name) == 0)
            faultvfs_fail_at(source.disk.name, operation, code, 1)
            let outcome = Result { () throws(StoreFailure) in try source.copy() }
            guard faultvfs_failures(source.disk.name) > 0 else {
                #expect(try outcome.get() == StoreCopy.version)
                break
            }
            #expect(throws: StoreFailure.self, "operation \(operation)") { try outcome.get() }
            operation += 1
        }
        #expect(operation > (code == FaultTests.syncError ? 3 : 20))
        try source.expectWhole()
    }

    @Test("A copy that was made survives a power cut")
    func powerCut() throws {
        let source = try Source()
        #expect(faultvfs_reset(source.disk.name) == 0)
        #expect(try source.copy() == StoreCopy.version)
        faultvfs_crash_now(source.disk.name, FAULTVFS_LOSE, 0)
        #expect(faultvfs_restart(source.disk.name) == 0)
        try source.expectWhole()
    }

    @Test("A copy that is ended between two steps is none, and leaves the writer free")
    func ended() throws {
        let source = try Source()
        let database = try Database(path: source.world.path, mode: .readWrite)
        // More than the pages of one step.
        try database.execute("CREATE TABLE filler (octets BLOB) STRICT")
        for _ in 0..<30 { try database.run("INSERT INTO filler VALUES (zeroblob(100000))") }
        var steps = 0
        var isLess = false
        let version = try source.copy { left, total in
            isLess = left < total
            steps += 1
            return false
        }
        #expect(version == nil && steps == 1 && isLess)
        #expect(try source.world.store.truncateLog())
    }

    @Test("A file of another program is not copied")
    func foreign() throws {
        let folder = try TemporaryFolder()
        try Database(path: folder.path + "/other.db", mode: .readWriteCreate).execute("CREATE TABLE t (a)")
        #expect(throws: StoreFailure.self) { try StoreCopy.make(of: folder.path + "/other.db", at: folder.path + "/copy.db") }
        #expect(throws: StoreFailure.self) { try StoreCopy.make(of: folder.path + "/missing.db", at: folder.path + "/copy.db") }
    }
}
