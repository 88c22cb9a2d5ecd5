import Bytes
import Family
import Posix
import Sessions
import Sync
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// The end of a family from the terminal of a parent and from that of the host (`proto/cli.md`), with a copy that is taken before.
    @Suite("Deleting a family with the built programs") struct FamilyDeletionCommandTests {
        private let demo: Demo
        private let server: RunningServer
        private let folder: TemporaryFolder
        private let parent: HuddleProgram
        private let name: String
        /// A member of an archive that says when somebody was born.
        private static let born = Array("\"born\"".utf8)

        init() throws {
            (folder, demo, server) = try Demo.served()
            parent = HuddleProgram(server, token: demo.parents[0].token)
            name = try Self.name(server, demo)
        }

        private static func name(_ server: RunningServer, _ demo: Demo) throws -> String {
            let shown = try Programs.huddled("family", "show", "--data", server.folder, "--family", "\(demo.family)", "--json")
            return try #require(try shown.json()["name"]?.string)
        }

        private func host(_ words: String...) throws -> Programs.Answer { try Programs.run(Programs.path("huddled"), words + ["--data", server.folder]) }

        private func expect(_ answer: Programs.Answer, _ status: Int32, _ words: String = "", location: SourceLocation = #_sourceLocation) {
            #expect(
                answer.ending == .exited(status) && (answer.output + answer.errors).contains(words), "\(answer.output)\(answer.errors)", sourceLocation: location)
        }

        /// The day of the erasure, as a member sees it.
        private func day(_ client: LiveClient) -> String? { client.session.engine.record(demo.family)?.fields.text("deletion_date") }

        @Test("huddle family: a parent asks with the family's name, everyone sees the day, another parent keeps the family, an athlete may only look")
        func parents() throws {
            let athlete = HuddleProgram(server, token: demo.athletes[0].token)
            let other = HuddleProgram(server, token: demo.parents[1].token)
            let room = try LiveClient(server, demo.athletes[1].token)
            try room.waitUntilLive()
            expect(try parent.run("family"), 0, "Nobody has asked")
            expect(try parent.run("family", "delete"), 2, "--name")
            expect(try parent.run("family", "dance"), 2)
            expect(try parent.run("family", "keep", "--name", name), 2, "--name goes with delete")
            expect(try parent.run("family", "delete", "--name", "Somebody else"), 3, "not the name of the family")
            expect(try athlete.run("family", "delete", "--name", name), 3, "Only parents")
            #expect(day(room) == nil)
            expect(try parent.run("family", "delete", "--name", name.uppercased()), 0, "It is erased from")
            _ = try room.wait { _ in day(room) }
            let shown = try athlete.run("family", "status", "--json").json()
            #expect(shown["type"]?.string == "deletion" && shown["by"]?.string == "\(demo.parents[0].id)")
            let (due, requested) = (try #require(shown["due_at"]?.integer), try #require(shown["requested_at"]?.integer))
            #expect(due - requested == 14 * 86_400_000)
            expect(try athlete.run("family", "keep"), 3, "Only parents")
            expect(try other.run("family", "delete", "--name", name), 0, demo.parents[0].name)
            expect(try other.run("family", "keep"), 0, "Nobody has asked")
            _ = try room.wait { _ in day(room) == nil ? true : nil }
            expect(try other.run("family", "keep"), 0, "Nobody has asked")
            let audit = try parent.run("audit").output
            #expect(audit.contains("deletion"), "\(audit)")
        }

        @Test("huddled family delete and keep, beside the server and without it: the same request, which members see and parents withdraw")
        func hosts() throws {
            let room = try LiveClient(server, demo.athletes[0].token)
            try room.waitUntilLive()
            expect(try host("family", "--help"), 0, "huddled family keep --data DIR --family ID|NAME")
            expect(try host("family", "delete", "--family", name), 2, "--name")
            expect(try host("family", "delete", "--family", "Nobody", "--name", name), 1)
            expect(try host("family", "delete", "--family", name, "--name", "Nobody"), 1, "not the name of the family")
            expect(try host("family", "keep", "--family", name, "--name", name), 2)
            let asked = try host("family", "delete", "--family", "\(demo.family)", "--name", name, "--json")
            expect(asked, 0)
            #expect(try asked.json().keys == ["family", "name", "deletion_requested_at", "deletion_due_at"])
            _ = try room.wait { _ in day(room) }
            expect(try parent.run("family"), 0, "The person who runs the server asked")
            expect(try host("family", "show", "--family", name), 0, "erased from")
            expect(try host("family", "delete", "--family", name, "--name", name), 0, "huddled family keep")
            expect(try parent.run("family", "keep"), 0)
            _ = try room.wait { _ in day(room) == nil ? true : nil }
            expect(try host("family", "keep", "--family", name), 0, "stays")
            try server.stop()
            expect(try host("family", "delete", "--family", name, "--name", name), 0)
            #expect(try host("family", "show", "--family", name, "--json").json()["deletion_due_at"]?.integer != nil)
            let kept = try host("family", "keep", "--family", name, "--json")
            #expect(try kept.json().keys == ["family", "name"])
            let audit = try host("audit", "--family", name, "--limit", "2", "--json").json()
            #expect(audit["entries"]?.elements.map { $0["act"]?.string } == ["deletion_withdrawn", "deletion_requested"])
            #expect(audit["entries"]?.elements.allSatisfy { $0["by"]?.string == "host" } == true)
        }

        @Test("huddle export family: whole and importable, private only when asked and confirmed, never over a file, and only for parents")
        func exports() throws {
            let (plain, full) = (folder.path + "/family.tar", folder.path + "/private.tar")
            expect(try parent.run("family", "delete", "--name", name), 0)
            expect(try HuddleProgram(server, token: demo.athletes[0].token).run("export", "family", plain), 3, "Only parents")
            #expect(!Files.exists(plain) && !Files.exists(plain + ".part"))
            let made = try parent.run("export", "family", plain, "--json")
            expect(made, 0)
            #expect(try made.json().keys == ["family", "file", "octets"])
            #expect(try made.json()["octets"]?.integer.map { Int($0) } == Files.read(plain).count && Files.status(plain)?.mode == 0o600)
            #expect(try Files.read(plain).firstRange(of: Self.born) == nil)
            expect(try parent.run("export", "family", plain), 1, plain)
            // One archive per minute: trying again later can help.
            expect(try parent.run("export", "family", full), 5, "a minute")
            #expect(!Files.exists(full) && !Files.exists(full + ".part"))

            let imported = folder.path + "/imported"
            let done = try Programs.huddled("import", "--data", imported, plain, "--json")
            expect(done, 0)
            // It may be what was kept of a family that is gone: it begins without the request.
            let family = try Programs.huddled("family", "show", "--data", imported, "--family", name, "--json").json()
            #expect(family["family"]?.string == "\(demo.family)" && family["deletion_due_at"] == nil)
            let checked = try Programs.huddled("check", "--deep", "--data", imported)
            expect(checked, 0)
        }

        @Test("huddle export family --private asks for a confirmation where the parent has a password")
        func confirms() throws {
            let path = folder.path + "/private.tar"
            expect(try parent.run(["password", "set", "anna"], input: "correct horse\n"), 0)
            // Another device of the same parent, which has shown no password yet.
            let made = try host("token", "--member", "\(demo.parents[0].id)")
            let device = HuddleProgram(server, token: made.output.trimmed)
            expect(try device.run("export", "family", path, "--private"), 3, "huddle confirm")
            #expect(!Files.exists(path))
            expect(try device.run(["confirm"], input: "correct horse\n"), 0)
            expect(try device.run("export", "family", path, "--private"), 0, path)
            #expect(try Files.read(path).firstRange(of: Self.born) != nil)
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()) }
}
