import Family
import Posix
import TestSupport
import Testing

extension SystemTests {
    /// A parent manages the family from the terminal alone (`proto/cli.md`).
    @Suite("huddle, scripted: invites, roles, removal, leaving") struct InviteCommandTests {
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

        private func json(_ words: String..., location: SourceLocation = #_sourceLocation) throws -> JSONValue {
            let answer = try parent.run(words + ["--json"])
            try #require(answer.ending == .exited(0), "\(answer.errors)", sourceLocation: location)
            return try answer.json()
        }

        private func invited() throws -> [String] {
            try json("invites")["invites"]?.elements.compactMap { $0["name"]?.string } ?? []
        }

        @Test("A parent invites, resends and withdraws; the guest joins by name, gets another role, leaves, is brought back and invited again, and is removed")
        func life() throws {
            let made = try json("invite", "Ruth Rivera", "--role", "guest", "--email", "ruth@example.org")
            #expect(made["type"]?.string == "invite" && made["invite"]?["state"]?.string == "pending")
            let lost = try #require(made["code"]?.string)
            let shown = try parent.run("invites")
            expect(shown, 0)
            #expect(shown.output.contains("Ruth Rivera (guest)") && shown.output.contains(demo.parents[0].name))
            let resent = try json("invites", "resend", "ruth rivera")
            #expect(resent["invite"]?["member"] == made["invite"]?["member"])
            let code = try #require(resent["code"]?.string)
            let ruth = HuddleProgram(server)
            expect(try ruth.run("join", lost, "--name", "Ruth Rivera", "--server", server.url), 3)
            expect(try ruth.run("join", code, "--name", "RUTH@example.org", "--server", server.url), 0)
            #expect(try !invited().contains("Ruth Rivera"))
            expect(try ruth.run("invites"), 3)
            expect(try ruth.run("invite", "Somebody"), 3)

            let text = try parent.run("invite", "Rita")
            expect(text, 0)
            #expect(text.output.contains("huddle join ") && text.output.contains("as Rita"))
            expect(try parent.run("invites", "withdraw", "Rita"), 0)
            let log = try parent.run("audit", "--limit", "5")
            expect(log, 0)
            #expect(log.output.contains("withdrew the invite") && log.output.contains("Ruth Rivera accepted an invite"))
            let entries = try #require(try json("audit", "--limit", "200")["entries"]?.elements)
            #expect(entries.last?["act"]?.string == "family_created" && entries.contains { $0["act"]?.string == "token_by_host" && $0["origin"]?.string == "host" })
            expect(try parent.run("invites", "withdraw", "Rita"), 2)
            #expect(try !invited().contains("Rita"))

            expect(try ruth.run("say", "Hello"), 3)
            expect(try parent.run("role", "Ruth Rivera", "parent"), 0)
            expect(try ruth.run("say", "Hello"), 0)
            expect(try parent.run("role", "Ruth Rivera", "king"), 2)
            expect(try ruth.run("leave"), 2)
            expect(try ruth.run("leave", "--yes"), 0)
            expect(try ruth.run("members"), 3)
            expect(try parent.run("restore", "member", "Ruth Rivera"), 0)
            let again = try json("invite", "Ruth Rivera", "--member")
            #expect(again["invite"]?["member"] == made["invite"]?["member"])
            expect(try ruth.run("join", try #require(again["code"]?.string), "--name", "Ruth Rivera", "--server", server.url), 0)
            expect(try ruth.run("members"), 0)
            expect(try parent.run("invite", "Ruth Rivera", "--member"), 3)
            expect(try parent.run("remove", "Ruth Rivera"), 0)
            expect(try ruth.run("members"), 3)
        }

        @Test("A parent proposes an athlete of 15, reads the text, consents, invites and withdraws; a script names the version that was read")
        func consent() throws {
            let leo = try json("invite", "Leo Rivera", "--role", "athlete", "--born", "2011-06-01")
            #expect(leo["code"] == nil && leo["invite"]?["state"]?.string == "proposed")
            expect(try parent.run("invite", "Leo Rivera", "--member"), 3)
            let shown = try parent.run("consents", "--text")
            expect(shown, 0)
            #expect(shown.output.contains(ConsentText.standard.version) && shown.output.contains("Leo Rivera is old enough for a sign-in, if a parent consents"))
            expect(try parent.run("consent", "Leo Rivera"), 2)
            expect(try parent.run("consent", "Leo Rivera", "--accept", "huddle-consent-1"), 3)
            #expect(try json("consent", "Leo Rivera", "--accept", ConsentText.standard.version)["standing"]?["state"]?.string == "consented")
            let code = try #require(try json("invite", "Leo Rivera", "--member")["code"]?.string)
            let athlete = HuddleProgram(server)
            expect(try athlete.run("join", code, "--name", "Leo Rivera", "--server", server.url), 0)
            expect(try athlete.run("say", "Hello"), 0)
            expect(try athlete.run("consent", "Leo Rivera", "--withdraw"), 3)
            expect(try parent.run("consent", "Leo Rivera", "--withdraw"), 0)
            expect(try athlete.run("say", "Hello"), 3)
            expect(try parent.run("born", "Leo Rivera", "2030-01-01"), 3)
            #expect(try json("born", "Leo Rivera", "2020-01-01")["standing"]?["state"]?.string == "under_age")
            let gus = try json("invite", "Gus", "--until", "2027-01-31")
            #expect(gus["invite"]?["last_day"]?.string == "2027-01-31")
            for words in [["consent"], ["born", "Leo Rivera"], ["guest", "Gus"], ["guest", "Gus", "--until", "x"], ["guest", "Gus", "--until", "2027-01-01", "--stays"]] {
                expect(try parent.run(words), 2)
            }
        }

        @Test("A person who is signed in adds a family with --add; without it a script gets a sign-in of its own, and the former one is kept")
        func families() throws {
            let first = try #require(try json("invite", "Ruth", "--role", "guest")["code"]?.string)
            let ruth = HuddleProgram(server)
            expect(try ruth.run("join", first, "--name", "Ruth", "--server", server.url, "--add"), 2)
            expect(try ruth.run("join", first, "--name", "Ruth", "--server", server.url), 0)
            let data = folder.path + "/data"
            expect(try Programs.huddled("init", "--data", data, "--family", "Okafor", "--zone", "UTC", "--parent", "Ola"), 0)
            let other = try Programs.huddled("invite", "--data", data, "--family", "Okafor", "--name", "Ruth", "--role", "parent", "--json")
            guard other.ending == .exited(0), let code = try other.json()["code"]?.string else {
                Issue.record("no second family: \(other.errors)")
                return
            }
            let added = try ruth.run("join", code, "--name", "Ruth", "--server", server.url, "--add")
            expect(added, 0)
            #expect(added.output.contains("The family Okafor is added to your sign-in"))
            expect(try ruth.run("members"), 0)
            #expect(try ruth.run("audit").output.contains("Ruth accepted an invite"))
        }

        @Test("An athlete below 13 gets a profile and no code; words that do not go together are usage")
        func words() throws {
            let mia = try json("invite", "Mia", "--role", "athlete", "--born", "2020-01-01")
            #expect(mia["code"] == nil && mia["invite"]?["state"]?.string == "accepted")
            for words in [
                ["invite"], ["invite", "X", "--role", "king"], ["invite", "X", "--role", "athlete"], ["invite", "X", "--born", "2020-01-01"],
                ["invite", "Mia", "--member", "--role", "guest"], ["invites", "burn", "X"], ["invites", "resend"], ["invites", "resend", "Nobody"], ["role", "Mia"],
                ["invite", "Nobody", "--member"],
            ] { expect(try parent.run(words), 2) }
            expect(try parent.run("invite", "Mia", "--member"), 3)
        }

        @Test("An invite whose answer is lost with its server is asked again, and is made once")
        func askedAgain() throws {
            let relay = try HoldingRelay(server)
            let child = try HuddleProgram(server, token: demo.parents[0].token, url: relay.url).start("invite", "Once", "--json")
            do {
                try relay.relay { try server.kill() }
            } catch {
                // The server has gone, so the relay cannot deliver the response that it holds.
            }
            try server.restart()
            try relay.relay {}
            #expect(try child.wait(timeoutMilliseconds: 15_000) == .exited(0))
            let line = try JSONValue(try #require(try child.readLine()))
            #expect(line["code"]?.string != nil)
            #expect(try invited().filter { $0 == "Once" }.count == 1)
        }
    }
}
