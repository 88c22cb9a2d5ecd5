import Posix
import PseudoTerminal
import Sync
import TestSupport
import Testing

/// Uploads from the full screen that outlast the program.
@Suite("Uploads that outlast the full screen", .serialized, .lane(.terminals))
struct FullScreenUploadTests: FullScreenSteps {
    /// Octets of a video: more than the server takes between two syncs.
    private static let octets = 12_000_000
    /// The offset at which the relay stalls.
    private static let stall = 9_500_000

    private let folder: TemporaryFolder
    private let demo: Demo
    private let server: RunningServer
    private var athlete: Demo.Member { demo.athletes[0] }

    init() throws {
        (folder, demo, server) = try Demo.served()
    }

    /// Where the athlete's huddle keeps what it knows.
    private var home: String { folder.path + "/" + athlete.name.replacing(" ", with: "") }

    private func open(_ url: String) throws -> PseudoTerminal { try Self.open(server, athlete, folder, url: url, columns: 110, rows: 34) }

    private func video(_ name: String, seed: UInt64 = 1) throws -> String {
        var source = SplitMix64(seed: seed)
        var octets = [UInt8]([0, 0, 0, 24]) + Array("ftypmp42".utf8)
        while octets.count < Self.octets { withUnsafeBytes(of: source.next()) { octets += $0 } }
        try Files.write(octets, to: folder.path + "/" + name)
        return folder.path + "/" + name
    }

    /// Types an upload: what it is and its title follow from the name.
    private func upload(_ path: String, _ terminal: PseudoTerminal) throws {
        try terminal.type("n\(path)\u{1B}[B")
        try expect(terminal, "‹ Highlight Video ›")
        try terminal.type("\u{13}")
    }

    private func documents() throws -> [JSONValue] { try HuddleProgram(server, token: athlete.token).run("docs", "--json").lines() }

    /// `huddle outbox` beside the full screen.
    private func outbox(_ url: String, _ words: String...) throws -> Programs.Answer {
        try Programs.run(
            Programs.path("huddle"), ["outbox"] + words,
            environment: [
                "XDG_CONFIG_HOME=\(home)", "XDG_STATE_HOME=\(home)/state", "HUDDLE_SERVER=\(url)", "HUDDLE_TOKEN=\(athlete.token)", "LC_ALL=C.UTF-8",
            ] + (Environment.value("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=\($0)"] } ?? []))
    }

    /// Begins an upload and kills the program in the middle of it.
    private func interrupt(_ relay: StallingRelay, _ path: String) throws {
        let terminal = try open(relay.url)
        try expect(terminal, "? for keys")
        try terminal.type("\u{1B}4")
        try expect(terminal, "No documents yet")
        try upload(path, terminal)
        try relay.waitForStall()
        try Parts.wait(in: folder.path + "/data/uploads", octets: 9_000_000)
        try expect(terminal, "↑ long  [####")
        // Leaving asks first.
        try terminal.type("\u{18}\u{3}")
        try expect(terminal, "long is on its way (")
        try expect(terminal, "It continues when huddle runs next. /quit again leaves all the same.")
        let beside = try outbox(relay.url)
        #expect(beside.output.contains("f1. long up: ") && beside.output.contains(" of 11.4 MB, under way"), "\(beside)")
        #expect(try outbox(relay.url, "drop", "f1").errors.contains("Huddle is already open"))
        terminal.signal(Signals.kill)
        #expect(try terminal.waitForEnd() == .killed(signal: Signals.kill))
        let kept = try outbox(relay.url, "--json").json()
        #expect(kept["type"]?.string == "upload" && kept["number"]?.string == "f1" && kept["state"]?.string == "kept" && kept["file"]?.string == path)
        let (octets, total) = (kept["octets"]?.integer ?? -1, kept["total"]?.integer ?? -1)
        #expect(total >= Self.octets && octets > 0 && octets <= total, "\(octets) of \(total)")
        relay.letGo(cutting: true)
        _ = relay.takeCounts()
    }

    @Test("R141 huddle is killed in the middle of an upload: the next start continues by itself from the server's offset, once, and octet for octet")
    func killed() throws {
        let relay = try StallingRelay(server.port, .up, stallAfter: Self.stall)
        defer { relay.end() }
        let path = try video("long.mp4")
        try interrupt(relay, path)
        let again = try open(relay.url)
        try expect(again, "? for keys")
        try again.type("\u{1B}4")
        try expect(again, "↑ long  uploaded")
        let sent = relay.takeCounts().up
        #expect(sent < Self.octets - 8_000_000, "\(sent) octets were sent again")
        try expect(again, "1 of 1 total")
        try again.type("d")
        try expect(again, "Save as: ")
        try again.type("\u{15}\(folder.path)/got.mp4\r")
        try expect(again, "got.mp4 is here.")
        #expect(try Files.read(folder.path + "/got.mp4") == Files.read(path))
        // Nothing is left that would be asked about, or go up once more.
        try again.type("\u{18}\u{3}")
        #expect(try again.waitForEnd() == .exited(0))
        let third = try open(relay.url)
        try expect(third, "? for keys")
        try third.type("\u{1B}4")
        try expect(third, "1 of 1 total")
        #expect(!third.screen.text.contains("↑ long"), "\(third.screen.text)")
        #expect(try documents().count == 1)
    }

    @Test("R141 the next start has no server: the stored upload is shown, another upload does not displace it, and both are uploaded")
    func keptAndOffline() throws {
        let relay = try StallingRelay(server.port, .up, stallAfter: Self.stall)
        defer { relay.end() }
        try interrupt(relay, try video("long.mp4"))
        try server.kill()
        let again = try open(relay.url)
        try expect(again, "OFFLINE")
        try again.type("\u{1B}4")
        try expect(again, "↑ long")
        try upload(try video("two.mp4", seed: 2), again)
        try expect(again, "↑ two")
        let waiting = try outbox(relay.url).output
        #expect(waiting.contains("f1. long up: ") && waiting.contains("f2. two up: "), "\(waiting)")
        try server.restart()
        try expect(again, "2 of 2 total")
        #expect(try documents().count == 2)
    }

    @Test("A file on its way is dropped from a shell when no huddle is open, and goes no further")
    func dropped() throws {
        let relay = try StallingRelay(server.port, .up, stallAfter: Self.stall)
        defer { relay.end() }
        try interrupt(relay, try video("long.mp4"))
        #expect(try outbox(relay.url, "drop", "f2").ending == .exited(2))
        #expect(try outbox(relay.url, "drop", "f1").ending == .exited(0))
        #expect(try outbox(relay.url).output == "Nothing waits, and nothing was refused.\n")
        let again = try open(relay.url)
        try expect(again, "? for keys")
        try again.type("\u{1B}4")
        try expect(again, "No documents yet")
        #expect(!again.screen.text.contains("long"), "\(again.screen.text)")
        #expect(try documents().isEmpty)
    }

    @Test("R141 a file that changed or went while huddle was dead is reported in one sentence, and nothing of it is uploaded", arguments: [false, true])
    func changed(isGone: Bool) throws {
        let relay = try StallingRelay(server.port, .up, stallAfter: Self.stall)
        defer { relay.end() }
        let path = try video("long.mp4")
        try interrupt(relay, path)
        if isGone { try Files.remove(path) } else { _ = try video("long.mp4", seed: 2) }
        let again = try open(relay.url)
        try expect(again, "? for keys")
        try expect(again, isGone ? "no longer exists" : "has changed since its upload")
        try again.type("\u{1B}4")
        try expect(again, "No documents yet")
        try expect(again, "R tries again.")
        #expect(relay.takeCounts().up < 1_000_000)
        try again.type("\u{18}\u{3}")
        #expect(try again.waitForEnd() == .exited(0))
        let third = try open(relay.url)
        try expect(third, "? for keys")
        try third.type("\u{1B}4")
        try expect(third, "No documents yet")
        #expect(!third.screen.text.contains("long"), "\(third.screen.text)")
        #expect(try documents().isEmpty)
    }

    @Test("A file on its way, and one that waits for its turn, are dropped by their numbers in the conversation, and go no further")
    func droppedInConversation() throws {
        let relay = try StallingRelay(server.port, .up, stallAfter: Self.stall)
        defer { relay.end() }
        let terminal = try open(relay.url)
        try expect(terminal, "? for keys")
        try terminal.type("\u{1B}4")
        try expect(terminal, "No documents yet")
        for (index, name) in ["one", "two"].enumerated() { try upload(try video(name + ".mp4", seed: UInt64(index)), terminal) }
        try relay.waitForStall()
        try terminal.type("\u{1B}1/outbox\r")
        try expect(terminal, "f1. one up")
        try terminal.type("/outbox drop f3\r")
        try expect(terminal, "No file on its way has the number f3.")
        try terminal.type("/outbox drop f2\r/drop f1\r")
        try expect(terminal, "two is stopped.")
        try expect(terminal, "one is stopped.")
        relay.letGo(cutting: true)
        // The client of the first upload gives it up; then nothing is kept of either.
        #expect(try terminal.wait { _ in (try? outbox(relay.url).output) == "Nothing waits, and nothing was refused.\n" })
        #expect(try documents().isEmpty)
    }

    @Test("R140 R141 uploads that wait for their turn are kept as well: several continue in their order after the program has ended")
    func queue() throws {
        let relay = try StallingRelay(server.port, .up, stallAfter: Self.stall)
        defer { relay.end() }
        let terminal = try open(relay.url)
        try expect(terminal, "? for keys")
        try terminal.type("\u{1B}4")
        try expect(terminal, "No documents yet")
        for (index, name) in ["one", "two", "three"].enumerated() { try upload(try video(name + ".mp4", seed: UInt64(index)), terminal) }
        try relay.waitForStall()
        try expect(terminal, "↑ three  waits for its turn")
        try terminal.type("\u{18}\u{3}")
        try expect(terminal, "3 files are on their way. They continue when huddle runs next.")
        try terminal.type("\u{18}\u{3}")
        #expect(try terminal.waitForEnd() == .exited(0))
        #expect(terminal.screen.text.contains("3 transfers are not finished; they continue when huddle runs next."), "\(terminal.screen.text)")
        relay.letGo(cutting: true)
        let again = try open(relay.url)
        try expect(again, "? for keys")
        try again.type("\u{1B}4")
        let isThrough = try again.wait(milliseconds: 30_000) { $0.text.contains("3 of 3 total") && $0.text.contains("↑ three  uploaded") }
        #expect(isThrough, "\(again.screen.text)")
        #expect(Set(try documents().compactMap { $0["fields"]?["title"]?.string }) == ["one", "two", "three"])
    }
}
