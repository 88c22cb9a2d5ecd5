import Glibc
import Locks
import Posix
import Testing

@Suite("Threads, signals, clocks, limits")
struct ThreadTests {
    @Test("A thread runs its body under its name, and join waits for its end")
    func thread() {
        let seen = Lock("")
        let thread = Thread.start(name: "a name that is too long") {
            let name = (try? Files.read("/proc/thread-self/comm")) ?? []
            seen.withLock { $0 = String(decoding: name, as: UTF8.self) }
        }
        thread.join()
        #expect(seen.withLock { $0 } == "a name that is \n")
    }

    @Test("A blocked signal is read from its descriptor, once")
    func signal() throws {
        let results = Lock<[Int32?]>([])
        let thread = Thread.start(name: "signals") {
            Signals.block([SIGUSR1])
            guard let descriptor = try? SignalDescriptor([SIGUSR1]) else { return }
            let before = (try? descriptor.next()) ?? nil
            pthread_kill(pthread_self(), SIGUSR1)
            let ready = try? Poll.wait(descriptor.raw, .readable, timeoutMilliseconds: 10_000)
            let arrived = (try? descriptor.next()) ?? nil
            let after = (try? descriptor.next()) ?? nil
            results.withLock { $0 = [before, ready == .readable ? 1 : 0, arrived, after] }
        }
        thread.join()
        #expect(results.withLock { $0 } == [nil, 1, SIGUSR1, nil])
    }

    @Test("The monotonic clock never goes back, and the wall clock is in this century")
    func clocks() {
        var last = Clock.monotonicNanoseconds()
        for _ in 0..<1_000 {
            let now = Clock.monotonicNanoseconds()
            #expect(now >= last)
            last = now
        }
        #expect(Clock.monotonicMilliseconds() <= Clock.monotonicNanoseconds() / 1_000_000)
        #expect(Clock.wallMilliseconds() > 1_700_000_000_000)
    }

    @Test("Raising the number of open files reaches the machine's limit")
    func openFiles() async {
        await #expect(processExitsWith: .success) {
            try Environment.limitOpenFiles(to: 64)
            let raised = try Environment.raiseOpenFiles()
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            exit(raised > 64 && UInt(raised) == UInt(limit.rlim_max) ? 0 : 1)
        }
    }

    @Test("Waiting for several descriptors returns the ready one, and none when the time is over")
    func poll() throws {
        var quiet = try Pipe()
        var loud = try Pipe()
        let quietEnd = quiet.takeReading()
        let loudEnd = loud.takeReading()
        var items = [Poll.Item(quietEnd.raw, .readable), Poll.Item(loudEnd.raw, .readable)]
        #expect(try Poll.wait(&items, timeoutMilliseconds: 0) == 0)
        let writing = loud.takeWriting()
        try Octets.writeAll(writing.raw, [1])
        #expect(try Poll.wait(&items, timeoutMilliseconds: 10_000) == 1)
        #expect(items[0].ready.isEmpty)
        #expect(items[1].ready == .readable)
        _ = quiet.takeWriting()
        #expect(try Poll.wait(quietEnd.raw, .readable, timeoutMilliseconds: 10_000).contains(.hungUp))
    }
}

@Suite("ChildProcess: another program at the end of pipes", .serialized)
struct ChildProcessTests {
    @Test("A program runs to its end with input, both outputs and its exit code")
    func run() throws {
        let result = try ChildProcess.run(["/bin/sh", "-c", "cat; echo oops >&2; exit 3"], input: Array("hi".utf8))
        #expect(result.ending == .exited(3))
        #expect(result.output == Array("hi".utf8))
        #expect(result.errors == Array("oops\n".utf8))
    }

    @Test("More octets than a pipe holds cross both ways without blocking either side")
    func large() throws {
        let octets = [UInt8](repeating: 65, count: 1_000_000)
        let result = try ChildProcess.run(["cat"], input: octets)
        #expect(result.output == octets)
    }

    @Test("A program that does not read its input is not an error")
    func deaf() throws {
        let result = try ChildProcess.run(["/bin/sh", "-c", "exec <&-; echo done"], input: [UInt8](repeating: 65, count: 1_000_000))
        #expect(result.output == Array("done\n".utf8))
    }

    @Test("Lines are read as they come, input is written as it is requested")
    func lines() throws {
        let child = try ChildProcess.start(
            ["/bin/sh", "-c", "echo ready; read x; echo \"got $x\"; printf 'no newline'"], input: .piped)
        #expect(try child.readLine() == "ready")
        try child.write("a word\n")
        #expect(try child.readLine() == "got a word")
        #expect(try child.readLine() == "no newline")
        #expect(try child.readLine() == nil)
        #expect(try child.wait(timeoutMilliseconds: 10_000) == .exited(0))
        #expect(try child.wait() == .exited(0), "asking again answers the same")
    }

    @Test("A program can be killed, and a running one differs from an ended one")
    func kill() throws {
        let child = try ChildProcess.start(["cat"], input: .piped)
        #expect(try child.wait(timeoutMilliseconds: 0) == nil)
        #expect(failure { () throws(Errno) in _ = try child.readLine(timeoutMilliseconds: 1) } == .timedOut)
        child.kill()
        #expect(try child.wait(timeoutMilliseconds: 10_000) == .killed(signal: SIGKILL))
        child.kill()
    }

    @Test("A program without a waiter does not outlive its owner")
    func dropped() throws {
        func startAndDrop() throws -> Int32 {
            try ChildProcess.start(["cat"], input: .piped).pid
        }
        let pid = try startAndDrop()
        #expect(Glibc.kill(pid, 0) == -1 && errno == ESRCH)
    }

    @Test("A descriptor that another program left open is taken over by its path and closed afterwards")
    func inherited() throws {
        var pipe = try Pipe()
        let raw = pipe.takeReading().take()
        let writing = pipe.takeWriting()
        try Octets.writeAll(writing.raw, Array("handed over".utf8))
        _ = consume writing
        do {
            guard let open = FileDescriptor.inherited("/dev/fd/\(raw)") else {
                Issue.record("it is not taken over")
                return
            }
            #expect(try Files.readToEnd(open.raw, limit: 64) == Array("handed over".utf8))
        }
        for path in ["/dev/fd/0", "/dev/fd/2", "/proc/self/fd/1", "/dev/fd/", "/dev/fd/x", "/dev/fd/-1", "/dev/fd/999999", "/dev/null", "3"] {
            let isTaken = FileDescriptor.inherited(path) != nil
            #expect(!isTaken, "\(path)")
        }
    }

    @Test("Reading to the end stops at the limit")
    func limited() throws {
        let error = #expect(throws: Errno.self) {
            let file = try Files.openForReading("/dev/zero")
            return try Files.readToEnd(file.raw, limit: 100)
        }
        #expect(error == .tooBig)
    }

    @Test("The environment is passed on or replaced")
    func environment() throws {
        let own = try ChildProcess.run(["/bin/sh", "-c", "echo $PATH"])
        #expect(String(decoding: own.output, as: UTF8.self) == (Environment.value("PATH") ?? "") + "\n")
        let other = try ChildProcess.run(["/bin/sh", "-c", "echo $A"], environment: ["A=b c"])
        #expect(other.output == Array("b c\n".utf8))
        #expect(Environment.value("HUDDLE_NO_SUCH_VARIABLE") == nil)
    }

    @Test("A child receives signals that this process blocks")
    func signals() throws {
        let ending = Lock<ChildProcess.Ending?>(nil)
        let thread = Thread.start(name: "blocker") {
            Signals.block([SIGTERM])
            guard let child = try? ChildProcess.start(["cat"], input: .piped) else { return }
            child.kill(Signals.terminate)
            let found = (try? child.wait(timeoutMilliseconds: 10_000)) ?? nil
            ending.withLock { $0 = found }
        }
        thread.join()
        #expect(ending.withLock { $0 } == .killed(signal: SIGTERM))
    }

    @Test("A missing program is reported")
    func missing() {
        #expect(failure { () throws(Errno) in _ = try ChildProcess.start(["/no/such/program"]) } == .noEntry)
    }
}
