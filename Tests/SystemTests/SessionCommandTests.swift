import Posix
import TestSupport
import Testing

extension SystemTests {
    /// A member sees and ends their sign-ins from the terminal (`proto/cli.md`).
    @Suite("huddle, scripted: sessions and logout") struct SessionCommandTests {
        private let demo: Demo
        private let server: RunningServer
        private let folder: TemporaryFolder
        private let parent: HuddleProgram

        init() throws {
            (folder, demo, server) = try Demo.served()
            parent = HuddleProgram(server, token: demo.parents[0].token)
        }

        private func expect(_ answer: Programs.Answer, _ status: Int32, location: SourceLocation = #_sourceLocation) {
            #expect(answer.ending == .exited(status), "\(answer.errors)", sourceLocation: location)
        }

        @Test("A member names the session, sees it in the list, and signs out: the profile has no token then, and the server does not know it")
        func life() throws {
            let made = try parent.run("invite", "Ruth", "--role", "parent", "--json")
            let code = try #require(try made.json()["code"]?.string)
            let ruth = HuddleProgram(server)
            expect(try ruth.run("join", code, "--name", "Ruth", "--server", server.url), 0)
            let listed = try ruth.run("sessions", "--json").json()
            #expect(listed["type"]?.string == "sessions" && listed["sessions"]?.elements.count == 1)
            expect(try ruth.run("sessions", "rename", "this", "Kitchen laptop"), 0)
            let shown = try ruth.run("sessions")
            expect(shown, 0)
            #expect(shown.output.contains("Kitchen laptop") && shown.output.contains("(this one)"))
            expect(try ruth.run("sessions", "rename", "nobody", "X"), 2)
            expect(try ruth.run("sessions", "end", "--others"), 0)
            expect(try ruth.run("logout"), 0)
            expect(try ruth.run("events"), 2)
            #expect(try !parent.run("sessions").output.contains("Kitchen laptop"), "sessions are a person's own")
        }
    }
}
