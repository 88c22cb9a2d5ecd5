import CFaultVFS
import SQLite
import Testing

/// Lets the power fail at operation 1, 2, 3, … of a workload until it ends before the failure.
@Suite("Power failure at every operation", .serialized)
struct CrashTests {
    /// The problems, and the number of runs in which the power failed.
    struct Outcome {
        var crashes = 0
        var losses: [String] = []
    }

    /// Crashes once at each operation for each of `seeds`.
    private func crashEverywhere(_ setting: Setting, _ mode: faultvfs_mode, seeds: ClosedRange<UInt64>) -> Outcome {
        let disk = FaultDisk()
        var outcome = Outcome()
        for seed in seeds {
            var operation = 1
            while true {
                #expect(faultvfs_reset(disk.name) == 0)
                faultvfs_crash_at(disk.name, operation, mode, seed)
                var workload = Workload(disk: disk, setting: setting)
                do throws(SQLiteError) {
                    try workload.run()
                } catch {
                    if error.primaryCode != 10 && error.primaryCode != 14 { outcome.losses.append("crash said \(error)") }
                }
                // Only the disk notices a crash in the last checkpoint. The end is a possible crash point, too.
                let isLast = faultvfs_crashed(disk.name) == 0
                faultvfs_crash_now(disk.name, mode, seed)
                outcome.crashes += 1
                #expect(faultvfs_restart(disk.name) == 0)
                faultvfs_lie_about_sync(disk.name, 0)
                let wrong = workload.violations()
                if !wrong.isEmpty { outcome.losses.append("operation \(operation), seed \(seed): \(wrong.joined(separator: ", "))") }
                if isLast { break }
                operation += 1
            }
        }
        return outcome
    }

    @Test("No committed transaction is lost", arguments: [
        Setting(), Setting(gathersLog: true), Setting(journal: "DELETE", synchronous: "EXTRA"),
    ])
    func nothingLost(setting: Setting) {
        let runs: [(faultvfs_mode, ClosedRange<UInt64>)] = [(FAULTVFS_LOSE, 0...0), (FAULTVFS_KEEP, 0...0), (FAULTVFS_RANDOM, 1...4)]
        for (mode, seeds) in runs {
            let outcome = crashEverywhere(setting, mode, seeds: seeds)
            #expect(outcome.losses == [])
            #expect(outcome.crashes > (setting.gathersLog ? 40 : 100) * seeds.count)
        }
    }

    @Test("A weaker setting is detected", arguments: [
        Setting(synchronous: "NORMAL"),
        Setting(synchronous: "OFF"),
        Setting(lies: true),
        // The deleted journal comes back and reverts the commit: only EXTRA syncs the folder.
        Setting(journal: "DELETE", synchronous: "FULL"),
    ])
    func lossIsFound(setting: Setting) {
        let outcome = crashEverywhere(setting, FAULTVFS_LOSE, seeds: 0...0)
        #expect(outcome.losses.contains { $0.contains("is lost") })
    }

    @Test("Without syncs, a torn file is damaged")
    func damageIsFound() {
        let outcome = crashEverywhere(Setting(synchronous: "OFF"), FAULTVFS_RANDOM, seeds: 1...2)
        let damages = ["integrity", "damaged", "half", "SQLite 11"]
        #expect(outcome.losses.contains { loss in damages.contains { loss.contains($0) } })
    }

    @Test("With NORMAL the newest commits may be lost, but nothing is damaged")
    func normalIsWhole() {
        let outcome = crashEverywhere(Setting(synchronous: "NORMAL"), FAULTVFS_RANDOM, seeds: 1...2)
        #expect(!outcome.losses.isEmpty)
        #expect(outcome.losses.allSatisfy { $0.contains("is lost") && !$0.contains("half") && !$0.contains("damaged") })
    }

    @Test("A second power failure during recovery loses no committed transaction")
    func crashInRecovery() throws {
        let disk = FaultDisk()
        var recoveries = 0
        for seed in 1...20 as ClosedRange<UInt64> {
            var operation = 1
            while true {
                #expect(faultvfs_reset(disk.name) == 0)
                faultvfs_crash_at(disk.name, 40 + Int(seed) * 9, FAULTVFS_RANDOM, seed)
                var workload = Workload(disk: disk, setting: Setting(journal: seed % 2 == 0 ? "WAL" : "DELETE", synchronous: "EXTRA"))
                #expect(throws: SQLiteError.self) { try workload.run() }
                #expect(faultvfs_restart(disk.name) == 0)

                faultvfs_crash_at(disk.name, operation, FAULTVFS_RANDOM, seed &* 31)
                _ = workload.violations()
                guard faultvfs_crashed(disk.name) == 1 else { break }
                recoveries += 1
                #expect(faultvfs_restart(disk.name) == 0)
                #expect(workload.violations() == [], "seed \(seed), operation \(operation)")
                operation += 1
            }
        }
        #expect(recoveries > 100)
    }
}
