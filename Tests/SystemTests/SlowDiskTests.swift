import Bytes
import Family
import Locks
import Posix
import Synchronization
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// The effect of others on members who take rights away, and on the server, while a disk is slow or stuck.
    @Suite("A slow disk") struct SlowDiskTests {
        private let disk: SlowDisk
        private let folder: TemporaryFolder
        private let demo: Demo
        private var data: String { folder.path + "/data" }

        init() throws {
            disk = try SlowDisk()
            folder = try TemporaryFolder()
            demo = try Demo(in: folder.path + "/data")
        }

        @Test("strangers with codes while the disk is stuck: they are answered without it, members sign in, and everything continues after it")
        func strangers() throws {
            let server = try RunningServer(data, launcher: disk.launcher)
            let member = try RawClient(server)
            try member.enter(demo.parents[0].token, demo.family, client: Ask.id())
            try disk.stall()
            member.send(.mutate(id: 1, operations: [Ask.say("Before the disk stood still.")]))
            try disk.waitUntilStalled()
            let nonce = String(repeating: "0", count: 32)
            let strangers = try (0..<100).map { _ in
                let stranger = try RawClient(server)
                stranger.send(.redeem(code: "AAAA-BBBB-CCCC", nonce: nonce))
                return stranger
            }
            // Readers look codes up, so none of these waits for the writer.
            for stranger in strangers {
                let code = try stranger.frame { if case .error(let rejection, _) = $0 { rejection.code } else { nil } }
                #expect(code == .codeUnknown)
            }
            for stranger in strangers { stranger.leave() }
            for _ in 0..<500 {
                let stranger = try RawClient(server)
                stranger.send(.redeem(code: "AAAA-BBBB-CCCC", nonce: nonce))
                stranger.leave()
            }
            _ = try RawClient(server).signIn(demo.parents[1].token)
            try disk.goOn()
            for mutation in 1...2 as ClosedRange<Int64> {
                if mutation == 2 { member.send(.mutate(id: 2, operations: [Ask.say("It goes on.")])) }
                _ = try member.frame { if case .ack(let ack) = $0, ack.mutation == mutation { ack } else { nil } }
            }
            member.leave()
            try server.stop()
        }

        @Test("a share link that many open can be ended: immediately also while the disk is stuck, promptly while it is slow, and for good")
        func link() throws {
            let server = try RunningServer(data, launcher: disk.launcher)
            let huddle = HuddleProgram(server, token: demo.parents[0].token)
            try Files.write(Array("%PDF-1.4\n".utf8), to: folder.path + "/Fall.pdf")
            let upload = try huddle.run("docs", "upload", folder.path + "/Fall.pdf", "--type", "transcript", "--athlete", demo.athletes[0].name, "--json")
            let document = try #require(try upload.json()["id"]?.string)
            #expect(try huddle.run("add", "school", "name=Rice").ending == .exited(0))
            func share() throws -> (id: String, path: String) {
                let made = try huddle.run("docs", "share", document, "--school", "Rice", "--json")
                let url = try #require(try made.json()["url"]?.string, "\(made.output)\(made.errors)")
                let path = try #require(url.firstRange(of: "/s/")).lowerBound
                return (try #require(try made.json()["id"]?.string), String(url[path...]))
            }
            func end(_ link: String) throws -> PlainRequest {
                try PlainRequest(server, "DELETE /documents/\(document)/shares?share=\(link)", token: demo.parents[0].token)
            }
            func status(_ path: String) throws -> Int { try PlainRequest(server, "GET " + path).status() }

            // Slow, and a link that others open as often as they can.
            try disk.slow()
            let first = try share()
            let flood = Flood(server, first.path)
            try flood.wait(for: 1_000)
            let start = Clock.monotonicMilliseconds()
            #expect(try end(first.id).status() == 204)
            let took = Clock.monotonicMilliseconds() - start
            #expect(took < 5_000)
            print("A slow disk: a link was ended in \(took) ms, after it was asked for \(flood.count) times")
            for path in [first.path, first.path + "/file"] { #expect(try status(path) == 404) }
            flood.stop()

            // Standing still.
            let second = try share()
            #expect(try status(second.path + "/file") == 200)
            try disk.stall()
            let member = try RawClient(server)
            try member.enter(demo.parents[1].token, demo.family, client: Ask.id())
            member.send(.mutate(id: 1, operations: [Ask.say("Is the disk there?")]))
            try disk.waitUntilStalled()
            let asked = try end(second.id)
            let deadline = Clock.monotonicMilliseconds() + 10_000
            while try status(second.path + "/file") != 404 {
                guard Clock.monotonicMilliseconds() < deadline else { throw Unexpected("the link opens 10 s after its end was asked for") }
            }
            #expect(try status(second.path) == 404)
            #expect(try !asked.isAnswered())
            try disk.goOn()
            #expect(try asked.status() == 204)
            #expect(try status(second.path) == 404)
            member.leave()
            try server.kill()
            try server.restart()
            for path in [first.path, second.path, second.path + "/file"] { #expect(try status(path) == 404) }
            try server.stop()
        }

        @Test("a signed-out token opens nothing while the disk is stuck, and the answer waits for the disk")
        func signOut() throws {
            let server = try RunningServer(data, launcher: disk.launcher)
            let token = demo.parents[0].token
            let one = try RawClient(server)
            try one.enter(token, demo.family, client: Ask.id())
            let two = try RawClient(server)
            try two.enter(token, demo.family, client: Ask.id())
            let other = try RawClient(server)
            try other.enter(demo.parents[1].token, demo.family, client: Ask.id())
            try disk.stall()
            other.send(.mutate(id: 1, operations: [Ask.say("Is the disk there?")]))
            try disk.waitUntilStalled()
            one.send(.signOut)
            let deadline = Clock.monotonicMilliseconds() + 10_000
            while try PlainRequest(server, "GET /documents/\(Ask.id())", token: token).status() != 401 {
                guard Clock.monotonicMilliseconds() < deadline else { throw Unexpected("the token is good 10 s after it was signed out") }
            }
            two.send(.mutate(id: 2, operations: [Ask.say("Signed out.")]))
            let refused = try two.frame { if case .reject(_, let rejection) = $0 { rejection.code } else { nil } }
            #expect(refused == .notSignedIn)
            #expect(try RawClient(server).refusal(of: token) == .tokenUnknown)
            try disk.goOn()
            for client in [one, two] {
                let (frames, code) = try client.rest()
                #expect(code == CloseCode.sessionEnded.rawValue)
                #expect(frames.contains { if case .signedOut = $0 { true } else { false } })
                #expect(!frames.contains { if case .change = $0 { true } else { false } }, "what others write is not told any more")
            }
            try server.kill()
            try server.restart()
            #expect(try RawClient(server).refusal(of: token) == .tokenUnknown)
            other.leave()
            try server.stop()
        }
    }
}

extension RawClient {
    /// Why a token does not sign in.
    fileprivate func refusal(of token: String) throws -> ErrorCode {
        send(.signIn(token: token))
        return try frame { if case .error(let rejection, _) = $0 { rejection.code } else { nil } }
    }
}

/// A disk whose syncs take 4 ms more, or do not return, as long as a file is there (`Tools/bench/slow_disk.c`). It is a small library that is loaded before
/// that of the system.
final class SlowDisk {
    private let folder: TemporaryFolder
    private let library: String

    init() throws {
        folder = try TemporaryFolder()
        library = folder.path + "/slow.so"
        // Of the system where there is one; each toolchain brings the other.
        let words = ["-shared", "-fPIC", "-o", library, Programs.root + "/Tools/bench/slow_disk.c"]
        let compilers = ["cc", "clang"]
        for compiler in compilers where try Programs.run("/usr/bin/env", [compiler] + words).ending == .exited(0) { return }
        throw Unexpected("none of \(compilers) compiles a small library")
    }

    /// Runs a program on it.
    var launcher: [String] { ["/usr/bin/env", "LD_PRELOAD=\(library)", "HUDDLE_SLOW_DISK=\(folder.path)"] }

    func slow() throws { try Files.write([], to: folder.path + "/slow") }

    /// From now on no sync returns.
    func stall() throws { try Files.write([], to: folder.path + "/stall") }

    /// Returns when a sync has begun that does not return.
    func waitUntilStalled() throws {
        let deadline = Clock.monotonicMilliseconds() + 20_000
        var nothing: [Poll.Item] = []
        while !Files.exists(folder.path + "/stalled") {
            guard Clock.monotonicMilliseconds() < deadline else { throw Unexpected("nothing is synced") }
            _ = try Poll.wait(&nothing, timeoutMilliseconds: 5)
        }
    }

    func goOn() throws {
        try Files.remove(folder.path + "/stall")
        try? Files.remove(folder.path + "/stalled")
    }
}

/// One request over HTTP, whose answer is waited for when it is asked for.
private final class PlainRequest {
    private let descriptor: FileDescriptor
    private var heard: [UInt8] = []

    convenience init(_ server: RunningServer, _ line: String, token: String? = nil) throws { try self.init(server.port, line, token: token) }

    init(_ port: UInt16, _ line: String, token: String? = nil) throws {
        descriptor = try Socket.connectTCP(host: "127.0.0.1", port: port)
        let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try Socket.sendAll(descriptor.raw, Array("\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(bearer)Connection: close\r\n\r\n".utf8))
    }

    /// Whether anything of the answer is there.
    func isAnswered() throws -> Bool { try Poll.wait(descriptor.raw, .readable, timeoutMilliseconds: 0) != [] }

    /// The status of the answer, when that is whole.
    func status() throws -> Int {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            guard try Poll.wait(descriptor.raw, .readable, timeoutMilliseconds: 30_000) != [] else { throw Unexpected("no answer in 30 s") }
            let raw = descriptor.raw
            let result = try buffer.withUnsafeMutableBytes { space throws(Errno) in try Socket.receive(raw, into: space) }
            switch result {
            case .done(let count): heard += buffer[..<count]
            case .wouldBlock: break
            case .endOfStream:
                let words = String(decoding: heard.prefix(100), as: UTF8.self).split(separator: " ")
                guard words.count > 1, let status = Int(words[1]) else { throw Unexpected("no answer") }
                return status
            }
        }
    }
}

/// Several who open one address again and again, as fast as they are answered.
private final class Flood: Sendable {
    private let answers = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let threads = Lock<[Thread]>([])

    init(_ server: RunningServer, _ path: String) {
        let port = server.port
        for _ in 0..<4 {
            let thread = Thread.start(name: "flood") { [self] in
                while !isOver.load(ordering: .relaxed) {
                    guard (try? PlainRequest(port, "GET " + path).status()) != nil else { return }
                    answers.wrappingAdd(1, ordering: .relaxed)
                }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Requests that were answered.
    var count: Int { answers.load(ordering: .relaxed) }

    /// Returns when the given number was answered.
    func wait(for wanted: Int) throws {
        let deadline = Clock.monotonicMilliseconds() + 60_000
        var nothing: [Poll.Item] = []
        while count < wanted {
            guard Clock.monotonicMilliseconds() < deadline else { throw Unexpected("\(count) of \(wanted) were answered in 60 s") }
            _ = try Poll.wait(&nothing, timeoutMilliseconds: 5)
        }
    }

    func stop() {
        isOver.store(true, ordering: .relaxed)
        for thread in threads.withLock({ $0 }) { thread.join() }
    }
}
