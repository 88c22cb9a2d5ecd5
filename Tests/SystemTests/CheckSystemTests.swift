import Family
import Posix
import SQLite
import TestSupport
import Testing

extension SystemTests {
    @Suite("huddled check") struct CheckTests {
        @Test("an intact folder passes, a damaged one fails with the place; with a running server or without", arguments: [false, true])
        func check(served: Bool) throws {
            let folder = try TemporaryFolder()
            let data = folder.path + "/data"
            _ = try Demo(in: data)
            let server = served ? try RunningServer(data) : nil
            let whole = try Programs.huddled("check", "--data", data, "--deep", "--json")
            #expect(whole.ending == .exited(0), "\(whole.output)\(whole.errors)")
            #expect(try whole.json()["status"]?.string == "agrees")
            #expect(try whole.json()["families"]?.integer == 1)
            let text = try Programs.huddled("check", "--data", data)
            #expect(text.output.hasPrefix("1 family, ") && text.output.contains("No problems found.") && text.output.split(separator: "\n").count == 1, "\(text.output)")

            try Database(path: data + "/huddle.db", mode: .readWrite).execute("UPDATE records SET version = 77 WHERE kind = 3")
            let damaged = try Programs.huddled("check", "--data", data, "--json")
            #expect(damaged.ending == .exited(3), "\(damaged.output)")
            #expect(try damaged.json()["status"]?.string == "disagrees")
            #expect(damaged.output.contains("record_differs"))
            let repaired = try Programs.huddled("check", "--data", data, "--repair")
            #expect(repaired.ending == .exited(served ? 1 : 3), "\(repaired.output)\(repaired.errors)")
            if served { #expect(repaired.errors.contains("Stop it"), "\(repaired.errors)") }
            withExtendedLifetime(server) {}
        }

        @Test("a check that is impossible is reported in one sentence")
        func refusals() throws {
            let folder = try TemporaryFolder()
            let missing = try Programs.huddled("check", "--data", folder.path + "/nowhere")
            #expect(missing.ending == .exited(1) && missing.errors.contains("no database"), "\(missing.errors)")
            #expect(try Files.list(folder.path) == [])
            #expect(try Programs.huddled("check").ending == .exited(2))
            #expect(try Programs.huddled("check", "--data", folder.path, "--deeply").ending == .exited(2))
        }
    }
}
