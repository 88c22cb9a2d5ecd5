import Family
import Posix
import Sessions
import Sync
import TestSupport
import Testing
import Wire

extension SystemTests {
    @Suite("Export and import of a family") struct TransferTests {
        @Test("R014 a family moves to another server, with servers running or without", arguments: [false, true])
        func move(served: Bool) throws {
            let folder = try TemporaryFolder()
            let (old, new, file) = (folder.path + "/old", folder.path + "/new", folder.path + "/family.tar")
            let demo = try Demo(in: old)
            do {
                let server = served ? try RunningServer(old) : nil
                let exported = try Programs.huddled("export", "--data", old, "--family", "\(demo.family)", "--private", "--json", file)
                try #require(exported.ending == .exited(0), "\(exported.errors)")
                #expect(try exported.json().keys == ["transferred", "family", "name", "head"])
                withExtendedLifetime(server) {}
            }
            // Any tar can list and open it.
            let listed = try Programs.run("/bin/tar", ["-tf", file])
            #expect(listed.output.split(separator: "\n").contains("manifest.json"), "\(listed.errors)")
            #expect(try Files.status(file)?.mode == 0o600)

            // Each athlete can see the export of their data: the entry is in the next export.
            let next = folder.path + "/next.tar"
            _ = try Programs.huddled("export", "--data", old, "--family", "\(demo.family)", "--private", next)
            let kept = String(decoding: try Files.read(next), as: UTF8.self)
            #expect(kept.split(separator: "\"what\":\"export\"").count == 1 + 2)

            let server = served ? try RunningServer(new) : nil
            let imported = try Programs.huddled("import", "--data", new, "--json", file)
            try #require(imported.ending == .exited(0), "\(imported.errors)")
            #expect(try imported.json()["transferred"]?.string == "imported")
            let again = try Programs.huddled("import", "--data", new, "--json", file)
            #expect(try again.json()["transferred"]?.string == "already_here")

            // Somebody of the family signs in at the new place and finds everything.
            let token = try Programs.huddled("token", "--data", new, "--member", "\(demo.parents[0].id)", "--json")
            let text = try #require(try token.json()["token"]?.string)
            let here = try server ?? RunningServer(new)
            let client = try LiveClient(here, text)
            try client.waitUntilLive()
            #expect(client.session.engine.records(of: .event).count == 40)
            let ack = try client.perform(Ask.say("We moved.")).get()
            #expect(ack.sequence == (try imported.json()["head"]?.integer).map { $0 + 1 })

            let second = folder.path + "/again.tar"
            let back = try Programs.huddled("export", "--data", new, "--family", "\(demo.family)", second)
            #expect(back.ending == .exited(0), "\(back.errors)")
        }

        @Test("an impossible transfer is reported in one sentence, and no file is left", arguments: [false, true])
        func refusals(served: Bool) throws {
            let folder = try TemporaryFolder()
            let (data, file) = (folder.path + "/data", folder.path + "/family.tar")
            let demo = try Demo(in: data)
            let server = served ? try RunningServer(data) : nil
            func expectFailure(_ answer: Programs.Answer, _ word: String, status: Int32 = 1) {
                #expect(answer.ending == .exited(status), "\(answer.output)")
                #expect(answer.errors.hasPrefix("huddled: ") && answer.errors.contains(word), "\(answer.errors)")
                #expect(answer.errors.split(separator: "\n").count == 1, "\(answer.errors)")
            }
            expectFailure(try Programs.huddled("export", "--data", data, "--family", "Nobody", file), "no family called Nobody")
            #expect(try Files.list(folder.path) == ["data"])
            expectFailure(try Programs.huddled("export", "--data", data, "--family", "Nobody"), "The file is missing", status: 2)
            expectFailure(try Programs.huddled("import", "--data", data, file), "cannot be used")
            try Files.write(Array("no archive".utf8), to: file)
            expectFailure(try Programs.huddled("export", "--data", data, "--family", "\(demo.family)", file), "already exists")
            expectFailure(try Programs.huddled("import", "--data", data, file), "not a Huddle archive")
            try Files.remove(file)
            _ = try Programs.huddled("export", "--data", data, "--family", "\(demo.family)", file)
            var octets = try Files.read(file)
            octets[700] ^= 1
            try Files.write(octets, to: file)
            expectFailure(try Programs.huddled("import", "--data", data, file), "was changed after it was written")
            withExtendedLifetime(server) {}
        }
    }
}
