import Posix
import TestSupport
import Testing

extension SystemTests {
    @Suite("huddled backup and restore as programs")
    struct BackupCommandTests {
        private let folder: TemporaryFolder
        private let demo: Demo
        private var data: String { folder.path + "/data" }
        private var place: String { folder.path + "/backups" }

        init() throws {
            folder = try TemporaryFolder()
            demo = try Demo(in: folder.path + "/data")
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

        /// Runs a line of the shell with the program, the data folder, the scratch folder and the place of backups as $1 to $4.
        private func shell(_ line: String) throws -> Programs.Answer {
            try Files.makeFolders(folder.path + "/scratch")
            return try Programs.run(
                "/bin/bash", ["-c", "export TMPDIR=\"$3\"; " + line, "bash", Programs.path("huddled"), data, folder.path + "/scratch", place])
        }

        @Test("A backup as an archive, unpacked by tar, becomes another server's data")
        func archive() throws {
            let server = try RunningServer(data)
            let file = folder.path + "/transcript.pdf"
            try Files.write(Array("%PDF-1.4\nGrades\n%%EOF\n".utf8), to: file)
            let sent = try HuddleProgram(server, token: demo.parents[0].token).run("docs", "upload", file, "--type", "transcript", "--athlete", demo.athletes[0].name)
            try #require(sent.ending == .exited(0), "\(sent.errors)")
            let made = try shell("set -o pipefail; mkdir -p \"$4\"; \"$1\" backup --data \"$2\" --stdout --json | tar -C \"$4\" -x")
            #expect(made.ending == .exited(0) && made.output == "", "\(made.errors)")
            #expect(try JSONValue(made.errors)["files"]?.integer == 1, "\(made.errors)")
            let name = try #require(try finished().first)
            let sums = try Programs.run("/bin/sh", ["-c", "cd \"$1\" && sha256sum --strict --quiet -c MANIFEST", "sh", "\(place)/\(name)"])
            #expect(sums.ending == .exited(0), "\(sums.output)\(sums.errors)")
            #expect(try Files.list(folder.path + "/scratch") == [], "the copy of the database is gone")
            #expect(Files.exists(data + "/backup.done"))
            let other = folder.path + "/other"
            #expect(try Programs.huddled("restore", "--data", other, place).ending == .exited(0))
            let checked = try Programs.huddled("check", "--deep", "--data", other, "--json")
            #expect(checked.ending == .exited(0), "\(checked.output)")
            withExtendedLifetime(server) {}
        }

        @Test("An archive that was cut, or whose reader or disk fails, is not a backup, and nothing is left")
        func cutArchive() throws {
            let cut = try shell("mkdir -p \"$4\"; \"$1\" backup --data \"$2\" --stdout | head -c 20000 | tar -C \"$4\" -x; exit \"${PIPESTATUS[0]}\"")
            #expect(cut.ending == .exited(1) && cut.errors.contains("Broken pipe"), "\(cut.errors)")
            #expect(try finished() == [])
            let full = try shell("\"$1\" backup --data \"$2\" --stdout > /dev/full")
            #expect(full.ending == .exited(1) && full.errors.contains("No space left on device"), "\(full.errors)")
            #expect(!Files.exists(data + "/backup.done"))
            #expect(try Files.list(folder.path + "/scratch") == [])
            // One that was killed could not clean up: the next one does, and leaves one that is in use.
            let used = folder.path + "/scratch/huddle-backup.used"
            for name in [used, folder.path + "/scratch/huddle-backup.killed"] { try Files.writeNew(Array("x".utf8), to: try made(name) + "/huddle.db") }
            let claim = try Files.lock(folder: used)
            #expect(try shell("\"$1\" backup --data \"$2\" --stdout > \"$3/a.tar\"").ending == .exited(0))
            #expect(try Files.list(folder.path + "/scratch") == ["a.tar", "huddle-backup.used"])
            withExtendedLifetime(claim) {}
        }

        private func made(_ path: String) throws -> String {
            try Files.makeFolders(path)
            return path
        }

        @Test("A wrong use gets one sentence")
        func wrongUses() throws {
            #expect(try Programs.huddled("backup", "--data", data).ending == .exited(2))
            #expect(try Programs.huddled("backup", place).ending == .exited(2))
            #expect(try Programs.huddled("backup", "--data", data, "--keep", "7", place).ending == .exited(2))
            #expect(try Programs.huddled("backup", "--data", data, "--stdout", place).ending == .exited(2))
            #expect(try Programs.huddled("backup", "--data", data, "--stdout", "--keep", "7d").ending == .exited(2))
            #expect(try Programs.huddled("restore", "--data", data, place, place).ending == .exited(2))
            let missing = try Programs.huddled("restore", "--data", folder.path + "/new", folder.path)
            #expect(missing.ending == .exited(1) && missing.errors.contains("MANIFEST"), "\(missing.errors)")
            #expect(!Files.exists(folder.path + "/new"))
            #expect(try !Files.list(folder.path).contains("backups"))
        }
    }
}
