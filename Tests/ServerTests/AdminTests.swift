import Bytes
import Dates
import Demo
import Family
import JSON
import Locks
import Posix
import EventLoop
import Store
import StoreSQLite
import TestSupport
import Testing
import Wire

@testable import Server

/// A whole server in a thread of its own, on a free port.
private final class Served {
    let folder: TemporaryFolder
    let path: String
    let lines = LogLines()
    private let thread: Posix.Thread
    private let outcome: Outcome
    let running: RunningServer

    private final class Outcome: Sendable {
        let sentence = Lock<String?>(nil)
        let running = Lock<RunningServer?>(nil)
        let changed = BlockingQueue<Int>(limit: 8)
    }

    init(_ folder: TemporaryFolder, path: String? = nil) throws {
        self.folder = folder
        self.path = path ?? folder.path + "/data"
        let outcome = Outcome()
        let log = lines.log
        let options = ServerOptions(dataFolder: self.path, host: "127.0.0.1", port: 0)
        thread = Thread.start(name: "server") {
            do throws(ServerError) {
                try HuddleServer.serve(options, log: log) { running in
                    outcome.running.withLock { $0 = running }
                    _ = outcome.changed.put(1)
                }
            } catch {
                outcome.sentence.withLock { $0 = error.sentence }
            }
            _ = outcome.changed.put(2)
        }
        self.outcome = outcome
        _ = outcome.changed.take(maximum: 1)
        guard let running = outcome.running.withLock({ $0 }) else {
            thread.join()
            throw Unexpected(outcome.sentence.withLock { $0 } ?? "it ended")
        }
        self.running = running
    }

    /// As SIGTERM, and waits for the end.
    func stop() {
        running.stop()
        thread.join()
    }

    /// One line to the admin socket, and everything that comes back.
    func say(_ line: String) throws -> String {
        let socket = try Socket.connectUnix(path: DataFolder.socketPath(in: path))
        try Socket.sendAll(socket.raw, Array(line.utf8))
        return try LineReader(socket).line(10_000) ?? ""
    }
}

@Suite("Admin commands beside a running server", .serialized)
struct AdminTests {
    @Test("a command goes through the socket and reaches the live rooms' database; without a server the command opens the database itself")
    func gate() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/data"
        let create = AdminRequest.command(.createFamily(name: "Rivera", zone: "Europe/Warsaw", parent: "Ana"))
        guard case .answer(.family(let family)) = try AdminGate.perform(create, dataFolder: path).get() else { throw Unexpected("no family") }
        let served = try Served(folder)
        guard case .answer(.token(let session)) = try AdminGate.perform(.command(.token(member: family.member)), dataFolder: path).get()
        else { throw Unexpected("no token") }
        #expect(session.family == family.family)
        guard case .failure(let rejection) = try AdminGate.perform(.command(.token(member: Identifier(high: 1, low: 1))), dataFolder: path)
        else { throw Unexpected("a token for nobody") }
        #expect(rejection.code == .notFound)
        guard case .demo(let demo) = try AdminGate.perform(.demo, dataFolder: path).get() else { throw Unexpected("no demo") }
        #expect(demo.members.count == 4)
        guard case .tree(let status) = try AdminGate.perform(.ask(.status), dataFolder: path).get() else { throw Unexpected("no status") }
        let newest = try #require(status["position"]?.integer)
        #expect(newest > 4 && status["consumers"] == .list([]) && status["running"] == .flag(true) && status["families"] == .integer(2))
        served.stop()
        // A part of the server that follows the log, and has not done the last change yet.
        do {
            let store = try FamilyStore(path: DataFolder.databasePath(in: path), environment: MachineEnvironment.make(Limits()))
            let push = try #require(ConsumerName("push"))
            _ = try store.register(push, from: .beginning).get()
            #expect(try store.move(push, to: newest - 1) == nil)
        }
        guard case .tree(let later) = try AdminGate.perform(.ask(.status), dataFolder: path).get() else { throw Unexpected("no status") }
        let consumers = later["consumers"]?.elements ?? []
        #expect(consumers.map { $0["name"]?.text } == ["push"] && consumers.map { $0["lag"]?.integer } == [1] && later["running"] == .flag(false))
        guard case .answer(.token) = try AdminGate.perform(.command(.token(member: family.member)), dataFolder: path).get()
        else { throw Unexpected("no token") }
    }

    @Test("a line that is not a command gets a refusal; a line without an end is cut at its bound")
    func badLines() throws {
        let served = try Served(try TemporaryFolder())
        for line in ["nonsense\n", "{}\n", "{\"command\":\"demo\",\"more\":1}\n", "\n", String(repeating: "[", count: 60_000) + "\n"] {
            #expect(try served.say(line).contains("bad_frame"), "\(line.prefix(20))")
        }
        let socket = try Socket.connectUnix(path: DataFolder.socketPath(in: served.path))
        // The server ends it, so the rest of what is sent may not arrive any more.
        try? Socket.sendAll(socket.raw, [UInt8](repeating: 65, count: 300_000))
        #expect((try? LineReader(socket).line(10_000)) ?? nil == nil)
        #expect(try served.say("nonsense\n").contains("bad_frame"))
        served.stop()
    }

    @Test("connections to the admin socket are bounded, and an idle one is ended after 30 s")
    func bounded() throws {
        let server = try TestShard()
        var ends: [FileDescriptorBox] = []
        for _ in 0..<70 {
            var pair = try Socket.Pair()
            ends.append(FileDescriptorBox(pair.takeFirst()))
            server.shard.admin.accept(pair.takeSecond())
        }
        #expect(server.lines.count("event=admin_refused") == 6)
        server.turn()
        func ended() throws -> Int { try ends.count { try $0.hasEnded() } }
        #expect(try ended() == 6)
        server.pass(milliseconds: 29_000)
        #expect(try ended() == 6)
        server.pass(milliseconds: 1_100)
        #expect(try ended() == 70)
    }

    private final class FileDescriptorBox {
        let descriptor: FileDescriptor

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

        func hasEnded() throws -> Bool {
            var space = [UInt8](repeating: 0, count: 16)
            return try space.withUnsafeMutableBytes { try Socket.receive(descriptor.raw, into: $0) } == .endOfStream
        }
    }
}

@Suite("Start and stop of a whole server", .serialized)
struct ServeTests {
    @Test("it serves until it gets a signal to stop, removes its socket, and leaves files that nobody else may read")
    func files() throws {
        let served = try Served(try TemporaryFolder())
        #expect(try Files.status(served.path)?.mode == 0o700)
        for name in try Files.list(served.path) {
            let status = try Files.status(served.path + "/" + name)
            #expect(status?.mode == (status?.kind == .folder ? 0o700 : 0o600), "\(name)")
        }
        #expect(try Files.list(served.path).contains("huddled.sock"))
        served.stop()
        #expect(try !Files.list(served.path).contains("huddled.sock"))
        #expect(served.lines.count("event=started") == 1)
        #expect(served.lines.count("event=stopped") == 1)
    }

    @Test("files that an older program left readable are made private")
    func oldFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/data"
        try Files.makeFolder(path, mode: 0o755)
        let file = try Files.create(path + "/huddle.db", mode: 0o644)
        withExtendedLifetime(file) {}
        let served = try Served(folder)
        #expect(try Files.status(path + "/huddle.db")?.mode == 0o600)
        served.stop()
    }

    @Test("a socket file that a killed server left is replaced; a file of somebody else is not, and a sentence says so")
    func staleSocket() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/data"
        try Files.makeFolder(path)
        // Closed without being removed, as by SIGKILL.
        do { _ = try Socket.listenUnix(path: path + "/huddled.sock") }
        #expect(Files.exists(path + "/huddled.sock"))
        let served = try Served(folder)
        #expect(try served.say("nonsense\n").contains("bad_frame"))
        served.stop()
        try Files.write([1], to: path + "/huddled.sock")
        let error = #expect(throws: Unexpected.self) { try Served(folder) }
        #expect(error?.what.contains("huddled.sock") == true, "\(error?.what ?? "")")
        #expect(try Files.read(path + "/huddled.sock") == [1])
    }

    @Test("a folder whose path is too long for a socket is refused with a sentence")
    func longPath() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: Unexpected.self) {
            try Served(folder, path: folder.path + "/" + String(repeating: "d", count: 100))
        }
        #expect(error?.what.contains("too long") == true, "\(error?.what ?? "")")
    }

    @Test("a folder that is served, and a port that is taken, are refused with a sentence, and the server that has them continues")
    func taken() throws {
        let folder = try TemporaryFolder()
        let served = try Served(folder)
        let second = #expect(throws: Unexpected.self) { try Served(folder) }
        #expect(second?.what.contains("served by another huddled") == true)
        let port = served.running.address.port
        let error = #expect(throws: ServerError.self) {
            let options = ServerOptions(dataFolder: folder.path + "/other", host: "127.0.0.1", port: port)
            try HuddleServer.run(options, log: LogLines().log) { _ in }
        }
        #expect(error?.sentence.contains("is in use by another program") == true)
        #expect(try served.say("nonsense\n").contains("bad_frame"))
        served.stop()
    }

    @Test("two servers in one process share nothing")
    func two() throws {
        let folders = (try TemporaryFolder(), try TemporaryFolder())
        let servers = (try Served(folders.0), try Served(folders.1))
        #expect(servers.0.running.address.port != servers.1.running.address.port)
        func make(_ name: String, _ server: Served) throws -> AdminReply {
            try AdminGate.perform(.command(.createFamily(name: name, zone: "UTC", parent: "Ana")), dataFolder: server.path).get()
        }
        guard case .answer(.family(let first)) = try make("A", servers.0), case .answer(.family(let second)) = try make("B", servers.1) else {
            throw Unexpected("no families")
        }
        // Each knows its own members only.
        for (server, own, other) in [(servers.0, first, second), (servers.1, second, first)] {
            _ = try AdminGate.perform(.command(.token(member: own.member)), dataFolder: server.path).get()
            #expect(throws: Rejection.self) { try AdminGate.perform(.command(.token(member: other.member)), dataFolder: server.path).get() }
        }
        // The end of one is not the end of the other.
        servers.0.stop()
        _ = try AdminGate.perform(.command(.token(member: second.member)), dataFolder: servers.1.path).get()
        #expect(try servers.1.say("nonsense\n").contains("bad_frame"))
        servers.1.stop()
        #expect(servers.0.lines.count("event=stopped") == 1)
    }

    @Test("a restart keeps the epoch; a backup put in its place gets another, with one line in the log")
    func restore() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/data"
        _ = try AdminGate.perform(.command(.createFamily(name: "A", zone: "UTC", parent: "Ana")), dataFolder: path)
        for _ in 0..<2 {
            let served = try Served(folder)
            served.stop()
            #expect(served.lines.count("event=epoch_renewed") == 0)
        }
        try Files.write(try Files.read(path + "/huddle.db"), to: path + "/backup")
        _ = try AdminGate.perform(.command(.createFamily(name: "B", zone: "UTC", parent: "Ana")), dataFolder: path)
        try Files.write(try Files.read(path + "/backup"), to: path + "/huddle.db")
        let served = try Served(folder)
        served.stop()
        #expect(served.lines.count("level=warning", "event=epoch_renewed") == 1)
    }
}

@Suite("The store's inputs from the machine")
struct MachineEnvironmentTests {
    private let environment = HuddleServer.environment(Limits())

    @Test("zones of the machine exist, others and paths do not", arguments: [
        ("Europe/Warsaw", true), ("America/New_York", true), ("UTC", true), ("Europe/Nowhere", false), ("../../etc/passwd", false),
        ("/etc/passwd", false), ("", false), ("Europe", false), ("zone.tab", false),
    ])
    func zones(name: String, exists: Bool) {
        // Twice: the second time from memory.
        #expect(environment.rules.zoneExists(name) == exists)
        #expect(environment.rules.zoneExists(name) == exists)
    }

    @Test("the date in a zone, on both sides of its midnight")
    func dates() {
        // 2026-11-21 23:30 UTC.
        let at: Int64 = 1_795_303_800_000
        #expect(environment.localDate("UTC", at) == "2026-11-21")
        #expect(environment.localDate("Europe/Warsaw", at) == "2026-11-22")
        #expect(environment.localDate("America/New_York", at) == "2026-11-21")
        #expect(environment.localDate("Europe/Nowhere", at) == nil)
    }

    @Test("randomness has the length asked for and does not repeat; the clock is the machine's")
    func random() {
        #expect(environment.random(0) == [])
        #expect(environment.random(16).count == 16)
        #expect(environment.random(16) != environment.random(16))
        #expect(abs(environment.now() - Clock.wallMilliseconds()) < 60_000)
    }
}
