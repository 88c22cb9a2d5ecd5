import CFaultVFS
import Store
import Testing

/// Lets operation 1, 2, 3, … of an episode fail until none is reached.
@Suite("Full and failing disks", .serialized)
struct FaultTests {
    // Result codes of SQLite, https://sqlite.org/rescode.html
    static let full: Int32 = 13
    static let writeError: Int32 = 10 | 3 << 8
    static let syncError: Int32 = 10 | 4 << 8

    @Test("a full disk refuses whole batches, reads continue, and with room everything is done once", arguments: [1, 3, -1])
    func full(count: Int) throws {
        let disk = FaultDisk()
        var refusals = 0
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            let episode = Episode()
            // A database that cannot be made has nobody to tell.
            let world = try disk.world(episode.surroundings)
            let before = faultvfs_failures(disk.name)
            faultvfs_fail_at(disk.name, operation, Self.full, count)
            var rounds = 0
            while try !episode.run(world) {
                refusals += 1
                rounds += 1
                #expect(try episode.violations(world) == [], "operation \(operation)")
                if count < 0 || rounds > 3 { faultvfs_fail_at(disk.name, 0, Self.full, 0) }
                try #require(rounds < 9)
            }
            let isLast = faultvfs_failures(disk.name) == before
            faultvfs_fail_at(disk.name, 0, Self.full, 0)
            #expect(try episode.violations(world) == [], "operation \(operation)")
            if isLast { break }
            operation += 1
        }
        // A commit is one write and one sync, as a rule.
        #expect(operation > 60)
        #expect(refusals > 20)
    }

    @Test("any other failure is final, nothing more is answered, and after a restart all promises hold", arguments: [writeError, syncError])
    func failing(code: Int32) throws {
        let disk = FaultDisk()
        var failures = 0
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            faultvfs_fail_at(disk.name, operation, code, 1)
            let episode = Episode()
            var failed = false
            do {
                let world = try disk.world(episode.surroundings)
                do {
                    _ = try episode.run(world)
                } catch let failure as StoreFailure {
                    failed = true
                    #expect(throws: failure) { try world.store.perform(.purge) }
                    #expect(throws: failure) { _ = try world.store.truncateLog() }
                    #expect(throws: failure) { try world.store.checkpointIfDue() }
                }
                // The process ends: by then the power may be gone as well.
                faultvfs_crash_now(disk.name, FAULTVFS_LOSE, 0)
            } catch is StoreFailure {
                failed = true
                faultvfs_crash_now(disk.name, FAULTVFS_LOSE, 0)
            }
            failures += failed ? 1 : 0
            let isLast = faultvfs_failures(disk.name) == 0
            #expect(faultvfs_restart(disk.name) == 0)
            let world = try disk.world(episode.surroundings)
            #expect(try episode.violations(world) == [], "operation \(operation)")
            #expect(try episode.run(world))
            if isLast { break }
            #expect(failed, "operation \(operation) failed and nobody said so")
            operation += 1
        }
        #expect(failures > (code == Self.syncError ? 15 : 100))
    }
}
