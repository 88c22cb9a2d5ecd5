import Bytes
import Family
import Posix
import EventLoop
import Store
import StoreSQLite
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("Log lines")
struct LogTests {
    @Test("values are bare if they are one word, otherwise in quotes, and none can begin a line of its own", arguments: [
        ("abc", "abc"), ("", "\"\""), ("a b", "\"a b\""), ("a=b", "\"a=b\""), ("a\"b", "\"a\\\"b\""), ("a\\b", "a\\b"),
        ("a\\ b", "\"a\\\\ b\""),
        ("a\nlevel=error", "\"a\\nlevel=error\""), ("a\rb", "\"a?b\""), ("\u{1B}[31m", "\"?[31m\""), ("ż", "\"ż\""), ("\u{85}", "\"?\""),
        ("\u{7F}", "\"?\""),
    ])
    func quoting(value: String, text: String) {
        #expect(Log.quoted(value) == text)
    }

    @Test("one event a line: time, level, event, then its fields")
    func line() throws {
        let lines = LogLines()
        lines.log(.warning, "event_name", [.init("number", 5), .init("text", "a b")])
        let line = try #require(lines.all.first)
        #expect(line.hasPrefix("ts="))
        #expect(line.hasSuffix(" level=warning event=event_name number=5 text=\"a b\"\n"))
    }

    @Test("The same line as JSON, with numbers as numbers, and with the priority of the journal before it")
    func styles() throws {
        let fields = [Log.Field("number", 5), .init("text", "a \"b\"\nlevel=error")]
        #expect(
            LogStyle(form: .json).line(7, .warning, "name", fields)
                == #"{"ts":7,"level":"warning","event":"name","number":5,"text":"a \"b\"\nlevel=error"}"# + "\n")
        for (level, head) in [(LogStyle.Level.info, "<6>"), (.warning, "<4>"), (.error, "<3>")] {
            for form in LogStyle.Form.allCases {
                let line = LogStyle(form: form, hasPriorities: true).line(7, level, "name", fields)
                #expect(line == head + LogStyle(form: form).line(7, level, "name", fields))
                // One line, whatever the values are.
                #expect(line.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
            }
        }
    }

    @Test("Lines below the least level are not written and take no part of the budget", arguments: LogStyle.Level.allCases)
    func levels(least: LogStyle.Level) {
        let lines = LogLines()
        let log = Log(style: LogStyle(least: least)) { lines.add($0) }
        for level in LogStyle.Level.allCases { log(level, "event") }
        #expect(lines.count("level=info") == (least == .info ? 1 : 0))
        #expect(lines.count("level=warning") == (least == .error ? 0 : 1))
        #expect(lines.count("level=error") == 1)
    }

    @Test("A flood of one event is cut at 20 lines per second, whatever its level, hides no other, and is counted afterwards",
        arguments: [Log.Level.info, .warning, .error])
    func flood(level: Log.Level) {
        let lines = LogLines()
        let log = lines.log
        // Within one second, or over its edge into the next: then twice as many.
        for _ in 0..<10_000 { log(level, "flood") }
        #expect((Log.maxLinesPerSecond...2 * Log.maxLinesPerSecond).contains(lines.count("event=flood")))
        log(.info, "other")
        #expect(lines.count("event=other") == 1)
    }

    @Test("Each line of an event that no client can provoke is written")
    func always() {
        let lines = LogLines()
        let log = Log(style: LogStyle(least: .info)) { lines.add($0) }
        for step in 0..<5 * Log.maxLinesPerSecond { log.always(.info, "upgrade", [.init("step", step)]) }
        #expect(lines.count("event=upgrade") == 5 * Log.maxLinesPerSecond && lines.count("lines_suppressed") == 0)
        let quiet = LogLines()
        Log(style: LogStyle(least: .warning)) { quiet.add($0) }.always(.info, "upgrade")
        #expect(quiet.count("event=upgrade") == 0)
    }

    private final class SlowClock: Sendable { let isSlow = Atomic<Bool>(false) }

    @Test("A commit that takes longer than 100 ms is a line")
    func slowCommits() throws {
        let folder = try TemporaryFolder()
        let reactor = try Reactor()
        let lines = LogLines()
        let clock = SlowClock()
        func environment() -> StoreEnvironment {
            MachineEnvironment.make(Limits(), now: {
                // The time of a commit is asked for once, within it.
                var none: [Poll.Item] = []
                if clock.isSlow.load(ordering: .relaxed) { _ = try? Poll.wait(&none, timeoutMilliseconds: 150) }
                return Clock.wallMilliseconds()
            })
        }
        let store = try FamilyStore(path: folder.path + "/huddle.db", environment: environment())
        clock.isSlow.store(true, ordering: .relaxed)
        let writer = WriterThread(
            store: store, environment: MachineEnvironment.make(Limits()), events: Mailbox<ShardEvent>(waker: reactor.waker), log: lines.log)
        let nobody = Identifier(high: 1, low: 1)
        let mutation = Mutation(client: nobody, id: 1, operations: [])
        _ = writer.submit([Proposal(family: nobody, member: nobody, context: .all, mutation: mutation, session: .max)])
        _ = writer.submit(.stop(UsageNotes()))
        writer.join()
        #expect(lines.count("level=warning", "event=commit_slow", "mutations=1", "requests=0") == 1)
    }
}
