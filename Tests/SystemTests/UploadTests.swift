import Posix
import Testing

extension SystemTests {
    /// `Tests/Python/uploads.py` against the real server. With HUDDLE_UPLOAD_ROUNDS=200 the whole of what was promised runs; 12 rounds otherwise.
    @Suite("Uploads by others' software") struct UploadTests {
        private static let script = Programs.root + "/Tests/Python/uploads.py"

        private static func run(_ python: String, _ words: String...) throws -> Programs.Answer {
            try Programs.run(python, [script, Programs.path("huddled")] + words, timeout: 1_800_000)
        }

        private static var python: String { Environment.value("HUDDLE_PYTHON") ?? "/usr/bin/python3" }

        @Test("cut and killed at random offsets, in both protocols by turns, every file is there octet for octet")
        func interrupted() throws {
            let answer = try Self.run(Self.python, "interrupt", Self.rounds)
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }

        private static var rounds: String { Environment.value("HUDDLE_UPLOAD_ROUNDS") ?? "12" }

        @Test("P46 of twelve uploads that begin at the same time where four have room, four get it; a cancelled one frees its room")
        func quota() throws {
            let answer = try Self.run(Self.python, "quota")
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }

        @Test("hostile requests get their status, a code and a sentence, and nothing of them is kept; sixteen at the same time leave the file whole")
        func hostile() throws {
            let answer = try Programs.run(Self.python, [Programs.root + "/Tests/Python/hostile_uploads.py", Programs.path("huddled")], timeout: 300_000)
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }

        @Test("the disk is full at any moment of an upload: it is reported, the server continues, and with room again every file is completed")
        func fullDisk() throws {
            guard let disk = try SmallDisk(megabytes: 64) else { return }
            let answer = try Self.run(Self.python, "full", disk.path)
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }

        @Test("R140 several uploads at the same time, and several requests for one: the newest continues, no octet is wrong")
        func concurrent() throws {
            let answer = try Self.run(Self.python, "concurrent")
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }

        @Test("every call of the kernel that a busy server makes is one that its systemd unit allows, pictures, TLS and exports included")
        func filter() throws {
            for tool in ["strace", "systemd-analyze", "openssl", "pgrep"] where try Programs.run("/usr/bin/which", [tool]).ending != .exited(0) {
                print("SKIPPED: \(tool) is not installed")
                return
            }
            let root = Programs.root
            let answer = try Programs.run(
                Self.python, [root + "/Tests/Python/syscalls.py", Programs.path("huddled"), root + "/deploy/huddled.service"], timeout: 300_000)
            #expect(answer.ending == .exited(0), "\(answer.output) \(answer.errors)")
        }

        @Test("R141 tuspy, as PyPI has it, or the server is killed at random offsets; it resumes, and every file is there octet for octet")
        func tuspy() throws {
            guard try Programs.run(Self.python, ["-c", "import tusclient"]).ending == .exited(0) else {
                print("SKIPPED: tuspy is not installed; Tools/test.sh does that")
                if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("there is no Python with tuspy") }
                return
            }
            let answer = try Self.run(Self.python, "tuspy", Self.rounds)
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }
    }
}
