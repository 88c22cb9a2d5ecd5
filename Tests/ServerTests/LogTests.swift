import Testing

@testable import Server

@Suite("Log lines")
struct LogTests {
    @Test("values stand bare where they are one word, else in quotes, and none can begin a line of its own", arguments: [
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

    @Test("a flood of one event is cut at 20 lines a second, whatever its level, hides no other, and is counted afterwards",
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
}
