import Posix
import Testing

@Suite("Output of untrusted programs")
struct CaptureTests {
    private func capture(_ script: String, limit: Int = 1_000, milliseconds: Int = 10_000, isStopped: () -> Bool = { false }) throws -> ChildProcess.Captured {
        try ChildProcess.capture(["/bin/sh", "-c", script], environment: ["PATH=/usr/bin:/bin"], limit: limit, timeoutMilliseconds: milliseconds, isStopped: isStopped)
    }

    @Test("A capture returns the output and the end, also by a signal")
    func ended() throws {
        #expect(try capture("echo a; echo b >&2; exit 3") == .ended(.exited(3), output: Array("a\n".utf8)))
        #expect(try capture("kill -9 $$") == .ended(.killed(signal: 9), output: []))
        #expect(try capture("head -c 1000 /dev/zero") == .ended(.exited(0), output: [UInt8](repeating: 0, count: 1_000)))
    }

    @Test("A program that writes without end, sleeps, closes its output, or is cancelled is killed")
    func killed() throws {
        #expect(try capture("head -c 1001 /dev/zero") == .tooMuch)
        #expect(try capture("while :; do echo aaaaaaaaaaaaaaaa; done") == .tooMuch)
        #expect(try capture("exec sleep 100", milliseconds: 50) == .late)
        #expect(try capture("exec >&-; exec sleep 100", milliseconds: 50) == .late)
        #expect(try capture("while :; do :; done", milliseconds: 50) == .late)
        #expect(try capture("exec sleep 100", isStopped: { true }) == .stopped)
    }

    @Test("A missing program is an error")
    func missing() {
        #expect(throws: Errno.noEntry) { try ChildProcess.capture(["/nowhere/none"], environment: [], limit: 1, timeoutMilliseconds: 1) }
    }
}
