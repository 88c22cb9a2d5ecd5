import Posix
import Screen
import TestSupport
import Testing

@Suite("Commands that are started for an event")
struct CommandHookTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Removed with the test.
    private final class Folder {
        let path: String
        init() throws(Errno) { path = try Files.makeTemporaryFolder() }
        deinit { try? Files.removeTree(path) }
    }

    /// The lines of a file once it has this many.
    private func lines(_ name: String, count: Int) throws -> [String] {
        let end = Clock.monotonicMilliseconds() + 10_000
        while true {
            let octets = (try? Files.read(folder.path + "/" + name)) ?? []
            let lines = String(decoding: octets, as: UTF8.self).split(separator: "\n").map(String.init)
            if lines.count >= count || Clock.monotonicMilliseconds() > end { return lines }
            var none: [Poll.Item] = []
            _ = try Poll.wait(&none, timeoutMilliseconds: 5)
        }
    }

    private func script(_ text: String) throws -> String {
        let path = folder.path + "/hook"
        try Files.write(Array("#!/bin/sh\ncd \(folder.path)\n\(text)\n".utf8), to: path, mode: 0o700)
        return path
    }

    @Test("A command gets its arguments unchanged, the text on its input and the event in its environment")
    func words() throws {
        let hook = CommandHook([try script("printf '%s\\n' \"$1\" \"$HUDDLE_FROM\" >new; cat >>new; mv new told"), "two $(touch bad) words"])
        #expect(hook.isThere && CommandHook(["sh"]).isThere && !CommandHook(["no-such-program"]).isThere && !CommandHook(["/no/such"]).isThere)
        hook.run(.init(text: "Dana: `hello`\n", variables: ["HUDDLE_FROM=Dana; rm -rf ."]))
        #expect(try lines("told", count: 3) == ["two $(touch bad) words", "Dana; rm -rf .", "Dana: `hello`"])
        #expect(!Files.exists(folder.path + "/bad"))
    }

    @Test("At most one run at a time; of the events in the meantime the newest follows")
    func oneAtATime() throws {
        // It runs until the test reads its output from the pipe.
        #expect(try ChildProcess.run(["/usr/bin/mkfifo", folder.path + "/pipe"]).ending == .exited(0))
        let hook = CommandHook([try script("read text; echo \"$text\" >>begun; echo x >pipe")])
        hook.run(.init(text: "one\n"))
        #expect(try lines("begun", count: 1) == ["one"])
        for text in ["two\n", "three\n", "four\n"] { hook.run(.init(text: text)) }
        for _ in 1...2 { _ = try Files.read(folder.path + "/pipe") }
        #expect(try lines("begun", count: 2) == ["one", "four"])
    }

    @Test("A run that does not end is killed, one that cannot start or does not read is skipped, and the next one runs")
    func bounded() throws {
        let hook = CommandHook([try script("read text; echo \"$$ $text\" >>begun; [ \"$text\" != stay ] || exec sleep 600")], milliseconds: 200)
        hook.run(.init(text: "stay\n"))
        let first = try lines("begun", count: 1)
        hook.run(.init(text: "next\n"))
        let all = try lines("begun", count: 2)
        #expect(all.count == 2 && all.last?.hasSuffix(" next") == true)
        let pid = try #require(first.first?.split(separator: " ").first)
        #expect(!Files.exists("/proc/\(pid)"))
        CommandHook(["/no/such"]).run(.init(text: ""))
        let deaf = CommandHook([try script("exec <&-; echo here >>deaf")])
        for _ in 1...2 { deaf.run(.init(text: String(repeating: "é", count: 100_000))) }
        #expect(try lines("deaf", count: 2) == ["here", "here"])
    }

    @Test("The end kills the current run, starts no waiting one, and does not block")
    func ended() throws {
        let hook = CommandHook([try script("read text; echo \"$$ $text\" >>begun; exec sleep 600")])
        hook.run(.init(text: "one\n"))
        let begun = try lines("begun", count: 1)
        let pid = try #require(begun.first?.split(separator: " ").first)
        hook.run(.init(text: "two\n"))
        let start = Clock.monotonicMilliseconds()
        hook.end()
        #expect(Clock.monotonicMilliseconds() - start < 5_000)
        #expect(!Files.exists("/proc/\(pid)"))
        hook.run(.init(text: "three\n"))
        hook.end()
        #expect(try lines("begun", count: 1).count == 1)
    }
}
