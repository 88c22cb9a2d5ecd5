import Bytes
import Family
import Posix
import Sessions
import Sync
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// issue 15, "Commands": families, people, invites, sessions, limits, audit log and status, for hosts.
    @Suite("Commands for hosts of many families") struct HostCommandTests {
        /// Two families, with a server or without one. The first has a season, documents' athletes and four people who sign in.
        private final class Fixture {
            let folder: TemporaryFolder
            let demo: Demo
            let server: RunningServer?
            let other: String

            init(served: Bool) throws {
                folder = try TemporaryFolder()
                demo = try Demo(in: folder.path + "/data")
                server = served ? try RunningServer(folder.path + "/data") : nil
                let made = try Programs.huddled(
                    "init", "--data", folder.path + "/data", "--family", "Nowak", "--zone", "Europe/Warsaw", "--parent", "Anna", "--json")
                other = try #require(try made.json()["family"]?.string)
            }

            var data: String { folder.path + "/data" }

            func run(_ words: String...) throws -> Programs.Answer { try Programs.run(Programs.path("huddled"), words + ["--data", data]) }

            /// The one object that a command prints with `--json`.
            func ask(_ words: String...) throws -> JSONValue {
                let answer = try Programs.run(Programs.path("huddled"), words + ["--data", data, "--json"])
                #expect(answer.ending == .exited(0) && answer.errors == "", "\(words): \(answer.errors)")
                #expect(answer.output.hasSuffix("\n") && answer.output.split(separator: "\n").count == 1, "\(answer.output)")
                return try answer.json()
            }
        }

        private static let summary: Set<String> = [
            "family", "name", "zone", "created_at", "last_change_at", "members", "records", "rows_octets", "files_octets", "rows_limit", "files_limit", "own_quotas",
        ]
        private static let person: Set<String> = ["member", "signs_in", "families", "password", "second_factor", "recovery_codes", "passkeys", "tokens", "sessions"]
        private static let quota: Set<String> = ["quota", "value", "default", "own"]

        @Test("A member is named by id or by name; a name of several or of nobody says what to write; a second demo family says that it is one")
        func names() throws {
            let fixture = try Fixture(served: false)
            let parent = fixture.demo.parents[0].name
            for words in [["token", "--member", parent.lowercased()], ["person", "show", "--member", parent], ["recover", "--member", parent]] {
                let answer = try Programs.run(Programs.path("huddled"), words + ["--data", fixture.data])
                #expect(answer.ending == .exited(0), "\(words): \(answer.errors)")
            }
            let invited = try fixture.run("invite", "--family", "Nowak", "--name", "Ola", "--role", "guest", "--by", "Anna")
            #expect(invited.ending == .exited(0) && invited.output.contains("Ola is invited"), "\(invited)")
            // Another family's parent is nobody there.
            let stranger = try fixture.run("invite", "--family", "Nowak", "--name", "Ola", "--role", "guest", "--by", parent)
            #expect(stranger.ending == .exited(2) && stranger.errors.contains("There is no member '\(parent)'. huddled list --data"), "\(stranger)")
            #expect(try fixture.run("token", "--member", "Nobody").ending == .exited(2))
            let second = try fixture.run("demo")
            #expect(second.ending == .exited(0) && second.errors.contains("this is another family of the same name"), "\(second)")
            let both = try fixture.run("token", "--member", parent)
            #expect(both.ending == .exited(2) && both.errors.contains("'\(parent)' names 2 members: ") && both.errors.hasSuffix("Use the id.\n"), "\(both)")
        }

        @Test("Each command prints the keys of proto/cli.md with a server and without one, and for people a table with the same", arguments: [false, true])
        func keys(served: Bool) throws {
            let fixture = try Fixture(served: served)
            let family = fixture.demo.family.description
            let parent = fixture.demo.parents[0].id.description

            let list = try fixture.ask("list")
            #expect(list.keys == ["families"] && list["families"]?.elements.count == 2)
            #expect(list["families"]?.elements.first?.keys == Self.summary.union(["people"]))
            #expect(list["families"]?.elements.first?["people"]?.elements.allSatisfy { $0.keys == ["member", "name", "role"] } == true)
            let families = try fixture.ask("family", "list")
            #expect(families["families"]?.elements.map { $0["family"]?.string } == [family, fixture.other])
            #expect(families["families"]?.elements.last?.keys == Self.summary)
            #expect(try fixture.ask("family", "show", "--family", "Nowak").keys == Self.summary.union(["changes", "people", "pending_invites"]))
            let people = try fixture.ask("person", "list")
            #expect(people["people"]?.elements.count == fixture.demo.members.count + 1)
            #expect(people["people"]?.elements.first?.keys == ["family", "member", "name", "role", "signs_in", "sessions"])
            #expect(try fixture.ask("person", "list", "--family", "Nowak")["people"]?.elements.map { $0["name"]?.string } == ["Anna"])
            let shown = try fixture.ask("person", "show", "--member", parent)
            #expect(shown.keys == Self.person && shown["families"]?.elements.map(\.keys) == [["family", "family_name", "member", "name", "role"]])

            let invited = try Programs.huddled(
                "invite", "--data", fixture.data, "--family", "Nowak", "--name", "Ben", "--role", "parent", "--json")
            #expect(invited.ending == .exited(0), "\(invited.errors)")
            let invites = try fixture.ask("invite", "list", "--family", "Nowak")
            #expect(invites.keys == ["family", "invites"])
            let invite = try #require(invites["invites"]?.elements.first { $0["name"]?.string == "Ben" })
            #expect(invite.keys == ["invite", "member", "name", "role", "state", "created_at", "expires_at"])
            let withdrawn = try fixture.ask("invite", "withdraw", "--family", "Nowak", "--invite", try #require(invite["invite"]?.string))
            #expect(withdrawn.keys == ["family", "invite", "member", "state"] && withdrawn["state"]?.string == "withdrawn")

            let sessions = try fixture.ask("session", "list", "--member", parent)
            #expect(sessions.keys == ["member", "sessions"])
            #expect(sessions["sessions"]?.elements.allSatisfy { $0.keys == ["session", "name", "kind", "created_on", "used_on", "ends_on"] } == true)

            let quotas = try fixture.ask("quota", "show", "--family", "Nowak")
            #expect(quotas.keys == ["family", "name", "quotas"] && quotas["quotas"]?.elements.count == 7)
            let live: Set<String> = served ? ["connections", "uploads", "rows", "files"] : ["rows", "files"]
            for row in quotas["quotas"]?.elements ?? [] {
                let name = try #require(row["quota"]?.string)
                #expect(row.keys == (live.contains(name) ? Self.quota.union(["used"]) : Self.quota), "\(name)")
            }
            let set = try fixture.ask("quota", "set", "--family", "Nowak", "--connections", "300", "--files", "2G")
            #expect(set["quotas"]?.elements.filter { $0["own"] == .bool(true) }.map { $0["value"]?.integer } == [300, 2 << 30])
            #expect(try fixture.ask("family", "show", "--family", "Nowak")["own_quotas"]?.elements.map(\.string) == ["connections", "files"])
            let cleared = try fixture.ask("quota", "clear", "--family", "Nowak", "--limit", "files")
            #expect(cleared["quotas"]?.elements.filter { $0["own"] == .bool(true) }.map { $0["quota"]?.string } == ["connections"])
            _ = try fixture.ask("quota", "clear", "--family", "Nowak")

            let audit = try fixture.ask("audit", "--family", "Nowak")
            #expect(audit["entries"]?.elements.map { $0["act"]?.string }.prefix(5) == ["quota_set", "quota_set", "quota_set", "quota_set", "invite_withdrawn"])
            #expect(audit["entries"]?.elements.allSatisfy { $0["by"]?.string == "host" && $0.keys.isSuperset(of: ["family", "at", "act", "by", "count"]) } == true)
            let host = try fixture.ask("audit", "--limit", "3")
            #expect(host["entries"]?.elements.count == 3)

            let ended = try fixture.ask("session", "end", "--member", parent, "--all")
            #expect(ended.keys == ["member", "ended"] && ended["ended"]?.integer.map { Int($0) } == sessions["sessions"]?.elements.count)
            #expect(try fixture.ask("session", "list", "--member", parent)["sessions"]?.elements.isEmpty == true)

            let status = try fixture.ask("status")
            let always: Set<String> = ["running", "version", "families", "files_octets", "position", "consumers", "database_octets", "wal_octets", "disk_free_octets"]
            let running: Set<String> = [
                "uptime_ms", "ready", "problems", "connections", "connections_limit", "sessions", "people", "rooms", "uploads", "queues",
            ]
            #expect(status.keys == (served ? always.union(running) : always))
            #expect(status["running"] == .bool(served) && status["families"]?.integer == 2 && status["database_octets"]?.integer ?? 0 > 4_096)
            if served { #expect(status["queues"]?.keys == ["writer", "readers", "files"] && status["ready"] == .bool(true)) }

            for words in [
                ["list"], ["family", "list"], ["family", "show", "--family", "Nowak"], ["person", "list"], ["person", "show", "--member", parent],
                ["invite", "list", "--family", "Nowak"], ["session", "list", "--member", parent], ["quota", "show", "--family", "Nowak"], ["audit"], ["status"],
            ] {
                let text = try Programs.run(Programs.path("huddled"), words + ["--data", fixture.data])
                #expect(text.ending == .exited(0) && !text.output.isEmpty && !text.output.contains("{"), "\(words): \(text.errors)\(text.output)")
                for secret in fixture.demo.members.map(\.token) { #expect(!text.output.contains(secret)) }
            }
            try fixture.server?.stop()
        }

        @Test("An end by the host acts immediately: the session of a person who is connected, and connections beyond a new limit")
        func live() throws {
            let fixture = try Fixture(served: true)
            let server = try #require(fixture.server)
            let parent = fixture.demo.parents[0]
            let client = try LiveClient(server, parent.token)
            try client.waitUntilLive()
            #expect(try fixture.ask("quota", "show", "--family", fixture.demo.family.description)["quotas"]?.elements.first { $0["quota"]?.string == "connections" }?["used"]?.integer == 1)
            #expect(try fixture.ask("status")["people"]?.integer == 1)
            // One change more than may come at one time.
            _ = try fixture.ask("quota", "set", "--family", fixture.demo.family.description, "--rows", "1")
            guard case .failure(let refused) = try client.perform(Ask.say("Too much.")) else { throw Unexpected("It was accepted.") }
            #expect(refused.code == .quotaExceeded)
            _ = try fixture.ask("quota", "clear", "--family", fixture.demo.family.description)
            _ = try client.perform(Ask.say("Fine again.")).get()
            #expect(try fixture.ask("session", "end", "--member", parent.id.description, "--all")["ended"]?.integer ?? 0 > 0)
            let late = try RawClient(server)
            late.send(.signIn(token: parent.token))
            let refusal = try late.frame { if case .error(let rejection, _) = $0 { rejection } else { nil } }
            #expect(refusal.code == .tokenUnknown)
            #expect(try fixture.ask("status")["people"]?.integer == 0)
            try server.stop()
        }

        @Test("Wrong use ends with 2 and a sentence, a refusal with 1")
        func wrongUse() throws {
            let fixture = try Fixture(served: false)
            for words in [
                ["family"], ["family", "dance"], ["family", "show"], ["person", "show"], ["person", "show", "--member", "x"], ["invite", "withdraw", "--family", "Nowak"],
                ["session", "end", "--member", Ask.id().description], ["session", "end", "--member", Ask.id().description, "--all", "--session", Ask.id().description],
                ["quota"], ["quota", "set", "--family", "Nowak"], ["quota", "set", "--family", "Nowak", "--connections", "0"],
                ["quota", "set", "--family", "Nowak", "--rows", "5K"], ["quota", "show", "--family", "Nowak", "--rows", "5M"],
                ["quota", "clear", "--family", "Nowak", "--limit", "speed"], ["audit", "--limit", "0"], ["list", "more"], ["status", "--family", "Nowak"],
            ] {
                let answer = try Programs.run(Programs.path("huddled"), words + ["--data", fixture.data])
                #expect(answer.ending == .exited(2) && answer.output == "", "\(words): \(answer.output)")
                #expect(answer.errors.hasPrefix("huddled: ") && answer.errors.split(separator: "\n").count == 1, "\(words): \(answer.errors)")
            }
            for words in [
                ["family", "show", "--family", "Nobody"], ["person", "show", "--member", Ask.id().description], ["quota", "show", "--family", "Nobody"],
                ["invite", "withdraw", "--family", "Nowak", "--invite", Ask.id().description], ["session", "end", "--member", Ask.id().description, "--all"],
                ["audit", "--before", "x"],
            ] {
                let answer = try Programs.run(Programs.path("huddled"), words + ["--data", fixture.data])
                #expect(answer.ending == .exited(1) && answer.output == "", "\(words): \(answer.output)")
                #expect(answer.errors.hasPrefix("huddled: ") && answer.errors.split(separator: "\n").count == 1, "\(words): \(answer.errors)")
            }
        }
    }
}
