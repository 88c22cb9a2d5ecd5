import CFaultVFS
import Store
import Testing

/// Lets the power fail at write, truncation, sync and deletion 1, 2, 3, … of an episode until it ends without reaching the failure.
@Suite("Durable, guarantees.md: power failure at every operation", .serialized)
struct CrashTests {
    struct Report {
        var crashes = 0
        /// Those after something was promised, so that something could be lost. Before that the database is made.
        var late = 0
        var losses: [String] = []
    }

    /// The outcome without any failure.
    private func reference(_ script: [Int]) throws -> [String] {
        let disk = FaultDisk()
        let episode = Episode(script)
        let world = try disk.world(episode.surroundings)
        #expect(try episode.run(world))
        #expect(try episode.violations(world) == [])
        return try episode.outcome(world)
    }

    private func crashEverywhere(
        _ mode: faultvfs_mode, seed: UInt64, lies: Bool = false, _ script: [Int] = Episode.season
    ) throws -> Report {
        let expected = try reference(script)
        let disk = FaultDisk()
        var report = Report()
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            faultvfs_lie_about_sync(disk.name, lies ? 1 : 0)
            faultvfs_crash_at(disk.name, operation, mode, seed)
            let episode = Episode(script)
            do {
                let world = try disk.world(episode.surroundings)
                _ = try episode.run(world)
            } catch let failure as StoreFailure {
                if faultvfs_crashed(disk.name) == 0 { report.losses.append("operation \(operation): \(failure) without a crash") }
            }
            let isLast = faultvfs_crashed(disk.name) == 0
            // The end is a place to crash, too.
            faultvfs_crash_now(disk.name, mode, seed)
            report.crashes += 1
            if !episode.answered.isEmpty { report.late += 1 }
            #expect(faultvfs_restart(disk.name) == 0, "handles are open")
            faultvfs_lie_about_sync(disk.name, 0)
            do {
                let world = try disk.world(episode.surroundings)
                var wrong = try episode.violations(world)
                if wrong.isEmpty {
                    // Mutations in flight are sent again, and the family continues.
                    if try !episode.run(world) { wrong.append("full") }
                    wrong += try episode.violations(world)
                    if try episode.outcome(world) != expected { wrong.append("another outcome") }
                }
                if !wrong.isEmpty { report.losses.append("operation \(operation): \(wrong.joined(separator: ", "))") }
            } catch {
                report.losses.append("operation \(operation): \(error)")
            }
            if isLast { return report }
            operation += 1
        }
    }

    @Test(
        "every acknowledged change is there with its receipt, sequences have no gap, nothing is half done",
        arguments: [(FAULTVFS_LOSE, 0), (FAULTVFS_KEEP, 0), (FAULTVFS_RANDOM, 1), (FAULTVFS_RANDOM, 2)]
            as [(faultvfs_mode, UInt64)])
    func nothingIsLost(mode: faultvfs_mode, seed: UInt64) throws {
        let report = try crashEverywhere(mode, seed: seed)
        #expect(report.losses == [], "mode \(mode.rawValue), seed \(seed)")
        // A commit is one write and one sync, as a rule: some 170 operations, each of which is met.
        #expect(report.crashes > 140)
    }

    @Test("cascades, undo, shift and purge take effect wholly or not at all, and interrupted work continues", arguments: [
        (FAULTVFS_LOSE, 0), (FAULTVFS_RANDOM, 3),
    ] as [(faultvfs_mode, UInt64)])
    func plans(mode: faultvfs_mode, seed: UInt64) throws {
        let report = try crashEverywhere(mode, seed: seed, Episode.plans)
        #expect(report.losses == [], "mode \(mode.rawValue), seed \(seed)")
        #expect(report.crashes > 100)
    }

    @Test("a disk that lies about syncs is detected, so this harness would detect a store that does not sync")
    func lossIsFound() throws {
        let report = try crashEverywhere(FAULTVFS_LOSE, seed: 0, lies: true)
        #expect(report.late > 60)
        #expect(report.losses.count > report.late / 2)
    }
}
