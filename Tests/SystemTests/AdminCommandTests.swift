import Bytes
import Dates
import Family
import Posix
import Sessions
import Sync
import TestSupport
import Testing
import Wire

extension SystemTests {
    @Suite("Admin commands") struct AdminCommandTests {
        /// A family made by `init`, with or without a server that runs in the meantime.
        private final class Home {
            let folder: TemporaryFolder
            let server: RunningServer?
            let family: String
            let parent: String
            let token: String

            init(served: Bool) throws {
                folder = try TemporaryFolder()
                server = served ? try RunningServer(folder.path + "/data") : nil
                let made = try Programs.huddled(
                    "init", "--data", folder.path + "/data", "--family", "Home", "--zone", "Europe/Warsaw", "--parent", "Anna", "--json")
                try #require(made.ending == .exited(0), "\(made.errors)")
                let json = try made.json()
                #expect(json.keys == ["family", "member", "role", "token"])
                #expect(json["role"]?.string == "parent")
                family = try #require(json["family"]?.string)
                parent = try #require(json["member"]?.string)
                token = try #require(json["token"]?.string)
            }

            var data: String { folder.path + "/data" }

            func invite(_ name: String, _ role: String, _ more: [String] = []) throws -> Programs.Answer {
                try Programs.run(
                    Programs.path("huddled"),
                    ["invite", "--data", data, "--family", family, "--name", name, "--role", role, "--json"] + more)
            }

            func token(_ member: String?) throws -> Programs.Answer {
                try Programs.huddled("token", "--data", data, "--member", try #require(member), "--json")
            }
        }

        /// The first day of a year that many years ago: a person who was born then has just that age now.
        private func born(yearsAgo years: Int) throws -> String {
            let today = try #require(CalendarDate(String(RFC3339.text(Clock.wallMilliseconds()).prefix(10))))
            return try #require(CalendarDate(year: today.year - years, month: 1, day: 1)).description
        }

        /// It failed with one sentence, which has `word` in it.
        private func expectFailure(
            _ answer: Programs.Answer, status: Int32 = 1, _ word: String? = nil, location: SourceLocation = #_sourceLocation
        ) {
            #expect(answer.ending == .exited(status), sourceLocation: location)
            #expect(answer.output == "", sourceLocation: location)
            #expect(answer.errors.hasPrefix("huddled: ") && answer.errors.hasSuffix("\n"), "\(answer.errors)", sourceLocation: location)
            #expect(answer.errors.split(separator: "\n").count == 1, "\(answer.errors)", sourceLocation: location)
            if let word { #expect(answer.errors.contains(word), "\(answer.errors)", sourceLocation: location) }
        }

        @Test("init, invite and token answer the same with a server and without one", arguments: [false, true])
        func members(served: Bool) throws {
            let home = try Home(served: served)
            for role in ["parent", "guest"] {
                let invited = try home.invite("Somebody", role, ["--by", home.parent])
                #expect(invited.ending == .exited(0), "\(invited.errors)")
                let json = try invited.json()
                #expect(json.keys == ["family", "member", "role", "code"])
                #expect(json["role"]?.string == role)
                #expect(json["family"]?.string == home.family)
                let token = try home.token(json["member"]?.string)
                #expect(token.ending == .exited(0))
                #expect(try token.json().keys == ["family", "member", "role", "token"])
                #expect(try token.json()["role"]?.string == role)
                #expect(try token.json()["token"]?.string?.utf8.count == 43)
            }
            let output = try Programs.huddled("token", "--data", home.data, "--member", home.parent)
            #expect(output.ending == .exited(0))
            // For a pipe: huddled token … | huddle sign-in --token-file -
            #expect(output.output.utf8.count == 44 && output.output.hasSuffix("\n"), "\(output.output)")
            expectFailure(try home.token("01930000-0000-7000-8000-000000000000"))
            expectFailure(
                try Programs.huddled(
                    "invite", "--data", home.data, "--family", home.parent, "--name", "X", "--role", "guest", "--by", home.parent))
            expectFailure(
                try Programs.huddled("init", "--data", home.data, "--family", "F", "--zone", "Mars/Olympus", "--parent", "P"))
            #expect(try Demo(in: home.data).family != Identifier(home.family))
        }

        @Test("an athlete's age decides about login and consent", arguments: [false, true])
        func athletes(served: Bool) throws {
            let home = try Home(served: served)
            // Without a birth date, without a parent, from the future, no date: refused.
            expectFailure(try home.invite("Leo", "athlete", ["--by", home.parent]), "birth date")
            expectFailure(try home.invite("Leo", "athlete", ["--born", born(yearsAgo: 15)]), "parent")
            expectFailure(try home.invite("Leo", "athlete", ["--born", born(yearsAgo: -1), "--by", home.parent]))
            expectFailure(try home.invite("Leo", "athlete", ["--born", "2010-02-30", "--by", home.parent]))

            for (years, hasLogin) in [(10, false), (12, false), (13, false), (17, false), (18, true), (20, true)] {
                let invited = try home.invite(
                    "Athlete of \(years)", "athlete", ["--born", born(yearsAgo: years), "--by", home.parent])
                #expect(invited.ending == .exited(0), "\(invited.errors)")
                let json = try invited.json()
                #expect(json.keys == (hasLogin ? ["family", "member", "role", "code"] : ["family", "member", "role"]), "at \(years)")
                let token = try home.token(json["member"]?.string)
                if hasLogin {
                    #expect(token.ending == .exited(0), "at \(years): \(token.errors)")
                    #expect(try token.json().keys == ["family", "member", "role", "token"])
                } else {
                    expectFailure(token, years < 13 ? "13" : "consent")
                }
            }
        }

        @Test("wrong use ends with status 2 and a sentence", arguments: [
            ["sing"], ["serve"], ["serve", "--data", "/nowhere", "--loud"], ["serve", "--data"],
            ["serve", "--data", "/nowhere", "--listen", "x"],
            ["init", "--data", "/nowhere"], ["invite", "--data", "/nowhere", "--family", "x", "--name", "n", "--role", "guest", "--by", "x"],
            ["serve", "--data", "/nowhere", "--family-storage", "0"], ["serve", "--data", "/nowhere", "--family-storage", "5K"],
            ["serve", "--data", "/nowhere", "--family-storage", "9999999999999999999G"], ["serve", "--data", "/nowhere", "--family-storage", "-1"],
            ["invite", "--data", "/nowhere", "--family", "01930000-0000-7000-8000-000000000000", "--name", "n", "--role", "king"],
            ["token", "--data", "/nowhere", "--member", "me"], ["token", "--data", "/nowhere", "more"], ["demo"], ["schema"],
        ])
        func usage(words: [String]) throws {
            expectFailure(try Programs.run(Programs.path("huddled"), words), status: 2)
            #expect(!Files.exists("/nowhere"))
        }

        @Test("help and version answer, no command at all is wrong use")
        func help() throws {
            #expect(try Programs.huddled("--version").output == "huddled \(HuddleVersion.text)\n")
            let help = try Programs.huddled("--help")
            #expect(help.ending == .exited(0))
            #expect(help.output.contains("huddled serve"))
            #expect(try Programs.huddled().ending == .exited(2))
        }

        @Test("each command has its help, with status 0", arguments: ["serve", "config", "doctor", "init", "invite", "token", "recover", "demo", "export", "import", "list", "family", "person", "session", "quota", "audit", "status", "check", "schema"])
        func commandHelp(command: String) throws {
            for words in [[command, "--help"], [command, "-h"], [command, "--data", "/nowhere", "--help"]] {
                let help = try Programs.run(Programs.path("huddled"), words)
                #expect(help.ending == .exited(0) && help.errors.isEmpty, "\(words): \(help.errors)")
                #expect(help.output.hasPrefix("  huddled \(command) ") && help.output.contains("\n    \(command) "), "\(help.output)")
                // Of this command only.
                #expect(help.output.matches(of: #/ huddled ([a-z]+)/#).allSatisfy { $0.1 == command }, "\(help.output)")
            }
            #expect(!Files.exists("/nowhere"))
        }

        @Test("invite names a family by its name, as export does, unless two have it", arguments: [false, true])
        func familyName(served: Bool) throws {
            let home = try Home(served: served)
            func invite(_ family: String) throws -> Programs.Answer {
                try Programs.huddled("invite", "--data", home.data, "--family", family, "--name", "Ruth", "--role", "guest", "--by", home.parent, "--json")
            }
            #expect(try invite("Home").json()["family"]?.string == home.family)
            expectFailure(try invite("Nobody's home"), "no family called Nobody's home")
            let again = try Programs.huddled("init", "--data", home.data, "--family", "Home", "--zone", "Europe/Warsaw", "--parent", "Ben")
            #expect(again.ending == .exited(0))
            expectFailure(try invite("Home"), "give the id")
            #expect(try invite(home.family).ending == .exited(0))
        }

        @Test("A code that was lost is replaced for the same person, and --member takes nothing beside it", arguments: [false, true])
        func invitesAgain(served: Bool) throws {
            let home = try Home(served: served)
            let first = try home.invite("Ruth", "guest", ["--by", home.parent]).json()
            let member = try #require(first["member"]?.string)
            func again(_ more: String...) throws -> Programs.Answer {
                try Programs.run(
                    Programs.path("huddled"), ["invite", "--data", home.data, "--family", home.family, "--member", member, "--json"] + more)
            }
            expectFailure(try again(), "by a parent")
            expectFailure(try again("--by", home.parent, "--name", "Ruth"), status: 2, "--name")
            let second = try again("--by", home.parent)
            #expect(second.ending == .exited(0), "\(second.errors)")
            #expect(try second.json()["member"]?.string == member && second.json()["code"] != first["code"])
            #expect(try home.token(member).ending == .exited(0))
            expectFailure(try again("--by", home.parent), "signed in already")
        }

        @Test("the storage of a family is given in octets, too")
        func storage() throws {
            let folder = try TemporaryFolder()
            try RunningServer(folder.path + "/data", options: ["--family-storage", "5000"]).stop()
        }

        @Test("a data folder that others can enter is warned about once, one of 0700 is not", arguments: [(0o755, "755"), (0o710, "710"), (0o700, nil)] as [(UInt32, String?)])
        func openFolder(mode: UInt32, told: String?) throws {
            let folder = try TemporaryFolder()
            try Files.makeFolder(folder.path + "/data", mode: mode)
            let server = try RunningServer(folder.path + "/data", errors: .piped)
            try server.stop()
            var lines: [String] = []
            while let line = try server.child.readErrorLine() { lines.append(line) }
            let warnings = lines.filter { $0.contains("event=data_folder_open") }
            #expect(warnings.count == (told == nil ? 0 : 1), "\(lines)")
            if let told { #expect(warnings.first?.contains("mode=\(told)") == true, "\(warnings)") }
        }

        @Test("the systemd unit keeps cores, memory, tasks and other users away, and systemd reads it without a complaint")
        func unit() throws {
            let path = Programs.root + "/deploy/huddled.service"
            let lines = String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n").map(String.init)
            for setting in ["LimitCORE=0", "MemoryMax=", "TasksMax=", "PrivateUsers=yes", "SystemCallErrorNumber=EPERM", "#IPAddressDeny=any"] {
                #expect(lines.contains { $0.hasPrefix(setting) }, "\(setting)")
            }
            guard Files.exists("/usr/bin/systemd-analyze") else { return }
            let verified = try Programs.run("/usr/bin/systemd-analyze", ["verify", "--man=no", path])
            let complaints = (verified.output + verified.errors).split(separator: "\n").filter { $0.contains("huddled.service:") && !$0.contains("is not executable") }
            #expect(complaints.isEmpty, "\(complaints)")
        }

        @Test("The units of server and backup expose little: systemd rates the server at 1.6 at most")
        func exposure() throws {
            let folder = Programs.root + "/deploy"
            guard Files.exists("/usr/bin/systemd-analyze") else { return }
            for (name, most) in [("huddled.service", 16), ("huddled-backup.service", 16)] {
                let rated = try Programs.run("/usr/bin/systemd-analyze", ["security", "--offline=true", "--threshold=\(most)", "--no-pager", "\(folder)/\(name)"])
                #expect(rated.ending == .exited(0), "\(name): \(rated.output.split(separator: "\n").last ?? "")\(rated.errors)")
            }
            let verified = try Programs.run("/usr/bin/systemd-analyze", ["verify", "--man=no", folder + "/huddled-backup.service", folder + "/huddled-backup.timer"])
            let complaints = (verified.output + verified.errors).split(separator: "\n").filter { $0.contains("huddled-backup.") && !$0.contains("is not executable") }
            #expect(complaints.isEmpty, "\(complaints)")
        }

        @Test("A server that the manager watches reports again and again that its loop turns")
        func watchdog() throws {
            let folder = try TemporaryFolder()
            let path = folder.path + "/notify"
            let script = """
                import os, socket, subprocess, sys
                listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                listener.bind(sys.argv[1])
                listener.settimeout(30)
                environment = dict(os.environ, NOTIFY_SOCKET=sys.argv[1], WATCHDOG_USEC="300000")
                server = subprocess.Popen(sys.argv[2:], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    words = [listener.recv(100).decode() for _ in range(4)]
                    print(words[0], *sorted(set(words[1:])))
                finally:
                    server.terminate()
                    server.wait()
                """
            let found = try Programs.run(
                "/usr/bin/python3", ["-c", script, path, Programs.path("huddled"), "serve", "--data", folder.path + "/data", "--listen", "127.0.0.1:0"])
            #expect(found.output == "READY=1 WATCHDOG=1\n", "\(found.output)\(found.errors)")
        }

        @Test("a folder is served once, and a port that is taken is named")
        func taken() throws {
            let folder = try TemporaryFolder()
            let server = try RunningServer(folder.path + "/one")
            expectFailure(
                try Programs.huddled("serve", "--data", folder.path + "/one", "--listen", "127.0.0.1:0"),
                "served by another huddled already")
            expectFailure(
                try Programs.huddled("serve", "--data", folder.path + "/two", "--listen", "127.0.0.1:\(server.port)"),
                "127.0.0.1:\(server.port) is in use")
            // The one that was there did not notice.
            try Demo(in: folder.path + "/one").members.forEach { #expect($0.token.utf8.count == 43) }
            try server.stop()
            // Its claim and its socket's name are gone: the next one can have them.
            try server.restart()
            try server.stop()
        }

        @Test("A person who is invited appears in open sessions once they have joined, with their name, and redeems the code once")
        func invitesLive() throws {
            let home = try Home(served: true)
            let server = try #require(home.server)
            let parent = try LiveClient(server, home.token)
            try parent.waitUntilLive()
            let invited = try home.invite("Ben", "parent", ["--by", home.parent]).json()
            let code = try #require(invited["code"]?.string)
            let device = HuddleProgram(server)
            let joined = try device.run("join", code, "--name", "Ben", "--json", "--server", server.url)
            #expect(joined.ending == .exited(0), "\(joined.errors)")
            // The first change that the parent receives is the joining: the invite was not a change.
            let change = try parent.wait { notice -> Change? in if case .change(let change, _) = notice { change } else { nil } }
            let entry = try #require(change.entries.first)
            #expect(entry.id.description == invited["member"]?.string)
            #expect(change.member == entry.id && change.sequence == 2)
            #expect(parent.session.engine.record(entry.id)?.fields.text("name") == "Ben")
            #expect(try joined.json() == .object(["family": .string(home.family), "member": .string(entry.id.description)]))
            #expect(try Files.status(device.profile)?.mode == 0o600)
            // The profile is enough from now on.
            let members = try device.run("members", "--json")
            #expect(members.ending == .exited(0), "\(members.errors)")
            #expect(try Set(members.lines().compactMap { $0["fields"]?["name"]?.string }) == ["Anna", "Ben"])
            // The code is dead, for this installation and for others.
            for program in [device, HuddleProgram(server)] {
                let again = try program.run("join", code, "--server", server.url)
                #expect(again.ending == .exited(3), "\(again.errors)")
            }
            #expect(try device.run("members").ending == .exited(0))
        }

        @Test("A program whose redemption was cut off repeats it with the nonce that it kept, and deletes the nonce with the token stored")
        func joinsAgain() throws {
            let home = try Home(served: true)
            let server = try #require(home.server)
            let code = try #require(try home.invite("Ben", "parent", ["--by", home.parent]).json()["code"]?.string)
            let device = HuddleProgram(server)
            func nonce() throws -> String? { try JSONValue(String(decoding: Files.read(device.profile), as: UTF8.self))["nonce"]?.string }
            #expect(try device.run("join", code, "--server", "ws://127.0.0.1:1", "--timeout", "1").ending == .exited(5))
            let kept = try #require(try nonce())
            #expect(kept.utf8.count == 32)
            #expect(try Files.status(device.profile)?.mode == 0o600)
            // As if that try had arrived and its answer had been lost.
            let lost = try RawClient(server)
            lost.send(.redeem(code: code, nonce: kept, name: "Ben"))
            let token = try lost.frame { if case .token(let token, _, _) = $0 { token } else { nil } }
            let joined = try device.run("join", code, "--name", "Ben", "--server", server.url)
            #expect(joined.ending == .exited(0), "\(joined.errors)")
            #expect(try nonce() == nil)
            #expect(try device.run("members").ending == .exited(0))
            let late = try RawClient(server)
            late.send(.signIn(token: token))
            let refusal = try late.frame { if case .error(let rejection, _) = $0 { rejection } else { nil } }
            #expect(refusal.code == .tokenUnknown)
        }

        @Test("a removed member is notified immediately and cannot come back")
        func removes() throws {
            let (_, demo, server) = try Demo.served()
            let parent = try LiveClient(server, demo.parents[0].token)
            try parent.waitUntilLive()
            let removed = demo.athletes[0]
            let session = try LiveClient(server, removed.token)
            try session.waitUntilLive()
            let raw = try RawClient(server)
            try raw.enter(removed.token, demo.family, client: Ask.id())

            let record = try #require(parent.session.engine.record(removed.id))
            _ = try parent.perform(Ask.delete(record)).get()
            #expect(try raw.rest().code == CloseCode.removed.rawValue)
            #expect(try session.waitUntilStopped() == .closed(CloseCode.removed.rawValue))

            // The person may still be one, but of this family no more.
            let again = try RawClient(server)
            again.send(.signIn(token: removed.token))
            guard case .frame(let answer) = try again.next() else { throw Unexpected("no answer to a sign-in") }
            switch answer {
            case .welcome(let welcome):
                #expect(welcome.memberships == [])
                again.send(.join(Join(family: demo.family, client: Ask.id())))
                let refusal = try again.frame { if case .error(let rejection, _) = $0 { rejection } else { nil } }
                #expect(refusal.code == .notFound)
                // A family that does not exist answers with the same words.
                again.send(.join(Join(family: Ask.id(), client: Ask.id())))
                #expect(try again.frame { if case .error(let rejection, _) = $0 { rejection } else { nil } } == refusal)
            case .error(let rejection, _): #expect(rejection.code == .tokenUnknown)
            default: Issue.record("a sign-in was answered with \(answer)")
            }
            expectFailure(try Programs.huddled("token", "--data", server.folder, "--member", "\(removed.id)"))
        }
    }
}
