import Bytes
import Posix
import TestSupport
import Testing

extension SystemTests {
    /// Calendars that programs of others read and change, on the built server.
    @Suite("Calendar programs of others") struct CalDAVSystemTests {
        @Test("python-caldav and vdirsyncer find the calendars, sync both ways, and have nothing to do in two further runs")
        func programs() throws {
            let path = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
            guard (try? Programs.run(path, ["-c", "import caldav, vdirsyncer"]))?.ending == .exited(0) else {
                print("Calendar programs: SKIPPED, because \(path) does not have caldav and vdirsyncer (Tools/test.sh installs them)")
                if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("there is no Python with caldav and vdirsyncer") }
                return
            }
            let (folder, demo, server) = try Demo.served()
            let files = folder.path + "/programs"
            try Files.makeFolders(files)
            let answer = try Programs.run(
                path, [Programs.root + "/Tests/Python/caldav_programs.py", server.url.replacing("ws://", with: "http://"), files, demo.athletes[0].id.description],
                input: Array((demo.parents[0].token + "\n").utf8), timeout: 180_000)
            #expect(answer.ending == .exited(0), "\(answer.output)\(answer.errors)")
            #expect(answer.output.contains("\"calendars\""))
        }
    }
}
