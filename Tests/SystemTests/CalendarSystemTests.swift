import Family
import Posix
import TestSupport
import Testing

extension SystemTests {
    /// Calendar feeds with the built programs, and other programs that read them.
    @Suite("Calendar feeds") struct CalendarSystemTests {
        /// Python with icalendar and vobject; `nil` if it is missing, which is said.
        private func python() throws -> String? {
            let path = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
            let test = "import ctypes, icalendar, vobject; ctypes.CDLL('libical.so.3')"
            if (try? Programs.run(path, ["-c", test]))?.ending == .exited(0) { return path }
            print("Calendar feeds: SKIPPED, because \(path) does not have icalendar, vobject and libical (Tools/test.sh installs them)")
            if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("there is no Python with icalendar, vobject and libical") }
            return nil
        }

        @Test("icalendar, vobject and libical read the feeds of every kind and zone as the records say")
        func golden() throws {
            guard let path = try python() else { return }
            let answer = try Programs.run(path, [Programs.root + "/Tests/Python/calendars.py", Programs.root + "/proto/calendars"])
            #expect(answer.ending == .exited(0), "\(answer.errors)")
            #expect(answer.output.contains("\"entries\": 176"), "\(answer.output)")
        }

        @Test("A parent makes a feed, curl fetches it, three parsers read it, and its address opens nothing once it is removed")
        func feed() throws {
            let (folder, demo, server) = try Demo.served()
            let mine = HuddleProgram(server, token: demo.parents[0].token)
            let made = try mine.run("calendar", "add", "My phone", "--all", "--kinds", "events,trips,items")
            #expect(made.ending == .exited(0), "\(made.errors)")
            let address = try #require(made.output.firstMatch(of: /http:\/\/\S+\.ics/)).output
            #expect(made.output.contains("webcal://"))
            let file = folder.path + "/feed.ics"
            let fetched = try Programs.run("/usr/bin/curl", ["-sS", "--compressed", "-D", "-", "-o", file, String(address)])
            #expect(fetched.output.contains("200 OK") && fetched.output.contains("text/calendar"), "\(fetched.output)\(fetched.errors)")
            if let path = try python() {
                let read = try Programs.run(path, [Programs.root + "/Tests/Python/calendars.py", "--read", file])
                #expect(read.ending == .exited(0), "\(read.errors)")
                #expect(read.output.components(of: "\"uid\"") > 10, "\(read.output)")
            }
            let early = try Programs.run("/usr/bin/curl", ["-sS", "-o", "/dev/null", "-w", "%{http_code}", String(address)])
            #expect(early.output == "429")
            let list = try mine.run("calendar")
            #expect(list.output.contains("My phone (all of the family)"), "\(list.output)")
            #expect(try mine.run("calendar", "remove", "my phone").output.contains("no calendars"))
            let gone = try Programs.run("/usr/bin/curl", ["-sS", "-o", "/dev/null", "-w", "%{http_code}", String(address)])
            #expect(gone.output == "404")
            let exported = try mine.run("export", "events", "--ics")
            #expect(exported.output.hasPrefix("BEGIN:VCALENDAR\r\n") && exported.output.contains("BEGIN:VEVENT"))
            #expect(try mine.run("export", "metrics", "--ics").errors.contains("--ics takes events, trips and items"))
        }
    }
}

extension String {
    /// How often a text is in this one.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
