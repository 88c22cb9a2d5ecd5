import Posix
import Testing

extension SystemTests {
    /// `Tests/Python/uploads.py` against the real server. With HUDDLE_UPLOAD_ROUNDS=200 the whole of what was promised runs.
    @Suite("Uploads by others' software") struct UploadTests {
        private static let script = Programs.root + "/Tests/Python/uploads.py"

        private static func run(_ python: String, _ words: String...) throws -> Programs.Answer {
            try Programs.run(python, [script, Programs.path("huddled")] + words, timeout: 1_800_000)
        }

        private static var python: String { Environment.value("HUDDLE_PYTHON") ?? "/usr/bin/python3" }

        @Test("cut and killed at random offsets, in both protocols by turns, every file is there octet for octet")
        func interrupted() throws {
            let rounds = Environment.value("HUDDLE_UPLOAD_ROUNDS") ?? "20"
            let answer = try Self.run(Self.python, "interrupt", rounds)
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }

        @Test("R140 several uploads at once, and several requests for one: the newest goes on, no octet is wrong")
        func concurrent() throws {
            let answer = try Self.run(Self.python, "concurrent")
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }

        @Test("tuspy, as PyPI has it, uploads with checksums, is stopped by a killed server, and resumes")
        func tuspy() throws {
            let folder = try TemporaryFolder()
            let made = try Programs.run(Self.python, ["-m", "venv", folder.path + "/venv"], timeout: 120_000)
            let installed = try Programs.run(folder.path + "/venv/bin/pip", ["install", "-q", "tuspy"], timeout: 120_000)
            guard made.ending == .exited(0), installed.ending == .exited(0) else {
                print("SKIPPED: tuspy cannot be installed (no PyPI here?): \(installed.errors.prefix(300))")
                return
            }
            let answer = try Self.run(folder.path + "/venv/bin/python", "tuspy")
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }
    }
}
