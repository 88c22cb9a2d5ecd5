import Posix
import TestSupport
import Testing

extension SystemTests {
    @Suite("huddled backup and restore as programs")
    struct BackupCommandTests {
        private let folder: TemporaryFolder
        private var data: String { folder.path + "/data" }
        private var place: String { folder.path + "/backups" }

        init() throws {
            folder = try TemporaryFolder()
            #expect(try Programs.huddled("demo", "--data", folder.path + "/data").ending == .exited(0))
        }

        private func finished() throws -> [String] {
            guard Files.exists(place) else { return [] }
            return try Files.list(place).filter { Files.exists("\(place)/\($0)/MANIFEST") }
        }

        @Test("A backup beside a running server is verified, is noted by /readyz, and becomes another server's data")
        func besideServer() throws {
            let server = try RunningServer(data, options: ["--backup-max-age", "1h"])
            let without = try Programs.huddled("doctor", "--data", data, "--json")
            #expect(without.output.contains("backup_missing"), "\(without.output)")
            let made = try Programs.huddled("backup", "--data", data, "--keep", "7d4w12m", "--json", place)
            #expect(made.ending == .exited(0), "\(made.errors)")
            #expect(try made.json()["families"]?.integer == 1)
            let name = try #require(try finished().first)
            #expect(try finished().count == 1)
            // The digests can be checked without Huddle.
            let sums = try Programs.run("/bin/sh", ["-c", "cd \"$1\" && sha256sum --strict --quiet -c MANIFEST", "sh", "\(place)/\(name)"])
            #expect(sums.ending == .exited(0), "\(sums.output)\(sums.errors)")
            let mode = try Programs.run("/usr/bin/stat", ["-c", "%a", "\(place)/\(name)/huddle.db", "\(place)/\(name)"])
            #expect(mode.output == "600\n700\n", "only the owner may read it")
            // A change after the backup is not in it.
            #expect(try Programs.huddled("init", "--data", data, "--family", "B", "--zone", "UTC", "--parent", "Bo").ending == .exited(0))
            let refused = try Programs.huddled("restore", "--data", data, place)
            #expect(refused.ending == .exited(1) && refused.errors.contains("not empty"), "\(refused.errors)")
            let other = folder.path + "/other"
            let restored = try Programs.huddled("restore", "--data", other, "--end-sessions", place)
            #expect(restored.ending == .exited(0) && restored.output.contains("Families: 1."), "\(restored.output)\(restored.errors)")
            let second = try RunningServer(other)
            let checked = try Programs.huddled("check", "--deep", "--data", other, "--json")
            #expect(checked.ending == .exited(0), "\(checked.output)")
            #expect(try checked.json()["families"]?.integer == 1)
            withExtendedLifetime((server, second)) {}
        }

        @Test("A backup that is killed at any moment leaves nothing that calls itself a backup, or a whole one")
        func killed() throws {
            let server = try RunningServer(data)
            var killed = 0
            for round in 0..<20 {
                let before = try finished()
                let child = try ChildProcess.start([try Programs.path("huddled"), "backup", "--data", data, place], output: .nothing, errors: .nothing)
                // Moments from the start to after the end: the seed of the round, not a wait for something.
                var none: [Poll.Item] = []
                _ = try Poll.wait(&none, timeoutMilliseconds: round * 12)
                child.kill(Signals.kill)
                let ending = try child.wait(timeoutMilliseconds: 10_000)
                if ending == .killed(signal: Signals.kill) { killed += 1 } else { #expect(ending == .exited(0)) }
                for name in try finished() where !before.contains(name) {
                    let target = folder.path + "/restored"
                    let restored = try Programs.huddled("restore", "--data", target, "\(place)/\(name)")
                    #expect(restored.ending == .exited(0), "\(restored.errors)")
                    #expect(try Programs.huddled("check", "--deep", "--data", target).ending == .exited(0))
                    try Files.removeTree(target)
                }
            }
            #expect(killed > 0)
            // No claim is left behind, and neither is anything unfinished.
            let last = try Programs.huddled("backup", "--data", data, place)
            #expect(last.ending == .exited(0), "\(last.errors)")
            #expect(try Files.list(place).filter { $0 != "files" } == finished())
            withExtendedLifetime(server) {}
        }

        @Test("A wrong use gets one sentence")
        func wrongUses() throws {
            #expect(try Programs.huddled("backup", "--data", data).ending == .exited(2))
            #expect(try Programs.huddled("backup", place).ending == .exited(2))
            #expect(try Programs.huddled("backup", "--data", data, "--keep", "7", place).ending == .exited(2))
            #expect(try Programs.huddled("restore", "--data", data, place, place).ending == .exited(2))
            let missing = try Programs.huddled("restore", "--data", folder.path + "/new", folder.path)
            #expect(missing.ending == .exited(1) && missing.errors.contains("MANIFEST"), "\(missing.errors)")
            #expect(!Files.exists(folder.path + "/new"))
            #expect(try !Files.list(folder.path).contains("backups"))
        }
    }
}
