import Bytes
import ClientWorld
import Family
import HTTP1
import Locks
import Posix
import Sessions
import Sync
import Testing
import WebSocket
import Wire

/// A session and a server on loopback, run alternately by one thread.
private struct Loopback {
    let server: LoopbackServer
    let session: ClientSession
    var events: [SessionEvent] = []

    init() throws {
        server = try LoopbackServer()
        session = try ClientSession(
            try ServerAddress("ws://127.0.0.1:\(server.port)"), SyncEngine.Configuration(token: "t", client: World.client, seed: 1))
    }

    /// Runs until `isDone`, at most ten seconds: the longest wait between two attempts here is a quarter of a second.
    mutating func run(until isDone: (Loopback) -> Bool) throws {
        let end = Clock.monotonicMilliseconds() + 10_000
        while !isDone(self) {
            guard Clock.monotonicMilliseconds() < end else {
                Issue.record("nothing more happens: \(session.engine.phase), \(session.lastFailure ?? "")")
                return
            }
            try server.serve()
            events += try session.turn(until: Clock.monotonicMilliseconds() + 2)
        }
    }

    var notices: [SyncNotice] {
        events.compactMap {
            if case .notice(let notice) = $0 { return notice }
            return nil
        }
    }
}

@Suite("A session over loopback, RFC 6455 §4.1", .serialized)
struct ClientSessionTests {
    @Test("A session joins, sends a mutation, and reports its ack and its change once")
    func joins() throws {
        var loop = try Loopback()
        loop.session.start()
        try loop.run { $0.session.engine.phase == .live }
        let id = try loop.session.perform([World.create(40, "New")])
        try loop.run { $0.session.engine.pending.isEmpty }
        #expect(loop.notices.filter { if case .acknowledged(let ack) = $0 { ack.mutation == id } else { false } }.count == 1)
        #expect(loop.session.engine.confirmedRecords == loop.server.naive.records)
        #expect(loop.server.heard.first == .signIn(token: "t"))
    }

    @Test("A session sends a mutation again with the same id after a lost response, once applied; a later edit follows")
    func lostAnswer() throws {
        var loop = try Loopback()
        loop.session.start()
        try loop.run { $0.session.engine.phase == .live }
        let losses = Lock(2)
        loop.server.onMutation = { _ in
            losses.withLock { left in
                left -= 1
                return left >= 0 ? .loseAnswer : .answer
            }
        }
        let id = try loop.session.perform([World.create(40, "New")])
        try loop.run { $0.session.engine.phase == .offline }
        _ = try loop.session.perform([World.update(40, base: 0, ["notes": .text("n")])])
        try loop.run { $0.session.engine.phase == .live && $0.session.engine.pending.isEmpty }
        #expect(loop.server.naive.log.filter { $0.mutation == id }.count == 1)
        #expect(loop.server.naive.log.count == 2)
        #expect(loop.session.engine.confirmedRecords == loop.server.naive.records)
        #expect(loop.session.engine.faultCount == 0)
    }

    @Test("A close code for stopping stops the session, one for returning does not")
    func closeCodes() throws {
        var loop = try Loopback()
        loop.session.start()
        try loop.run { $0.session.engine.phase == .live }
        loop.server.send(octets: WebSocketEncoder.close(4000))
        loop.server.cut()
        try loop.run { $0.notices.contains { if case .offline(4000, _) = $0 { true } else { false } } }
        try loop.run { $0.session.engine.phase == .live }
        loop.server.send(octets: WebSocketEncoder.close(4500))
        loop.server.cut()
        try loop.run { $0.session.engine.phase == .stopped }
        guard case .stopped(.closed(4500))? = loop.events.last else {
            Issue.record("ended with \(String(describing: loop.events.last))")
            return
        }
    }

    @Test("A session answers a ping")
    func ping() throws {
        var loop = try Loopback()
        loop.session.start()
        try loop.run { $0.session.engine.phase == .live }
        loop.server.send(octets: WebSocketEncoder.ping([1, 2, 3]))
        try loop.run { $0.server.pongs == 1 }
    }

    @Test("A session reports a late response to its own frames; a session that measures nothing sends no pings")
    func lag() throws {
        var plain = try Loopback()
        plain.session.start()
        try plain.run { $0.session.engine.phase == .live }
        #expect(plain.server.pings == 0 && plain.session.lagSeconds == 0)

        var loop = try Loopback()
        loop.session.measuresLag = true
        loop.server.holdsPings = true
        loop.session.start()
        try loop.run { $0.session.lagSeconds == 1 }
        #expect(loop.server.heldPings.count == 1)
        loop.server.answerPings()
        let before = Clock.monotonicMilliseconds()
        try loop.run { _ in Clock.monotonicMilliseconds() - before > 20 }
        #expect(loop.session.lagSeconds >= 1, "the reported lag stays")
    }

    @Test("A violation of the protocol ends the connection, and the next one resumes", arguments: [
        WebSocketEncoder.frame(.text, Array("{\"type\":\"live\"}".utf8)), WebSocketEncoder.frame(.binary, [1]),
        WebSocketEncoder.frame(.text, [0xFF, 0xFF]), WebSocketEncoder.frame(.text, Array("{}".utf8), maskKey: 7), [0xF0, 0x00],
    ])
    func broken(octets: [UInt8]) throws {
        var loop = try Loopback()
        loop.session.start()
        try loop.run { $0.session.engine.phase == .live }
        loop.server.send(octets: octets)
        try loop.run { $0.session.engine.phase == .offline }
        try loop.run { $0.session.engine.phase == .live }
        guard case .join(let join)? = loop.server.heard.last else {
            Issue.record("no join")
            return
        }
        #expect(join.cursor == Cursor(epoch: "e1", sequence: 0))
    }

    @Test("A session reports why a response opens no WebSocket", arguments: [
        (ResponseHead.closing(404), "status 404"), (Array("HTTP/1.1 101 Fine\r\n\r\n".utf8), "no Huddle server"),
        (Array("SSH-2.0-x\r\n".utf8), "no Huddle server"),
    ])
    func refused(answer: [UInt8], reason: String) throws {
        var loop = try Loopback()
        loop.server.refusal = answer
        loop.session.start()
        try loop.run { $0.session.lastFailure != nil }
        #expect(loop.session.lastFailure?.contains(reason) == true, "\(loop.session.lastFailure ?? "")")
        loop.server.refusal = nil
        try loop.run { $0.session.engine.phase == .live }
        #expect(loop.session.lastFailure == nil)
    }

    @Test("A refused connection has a reason, and is retried until a server listens")
    func nobody() throws {
        let port = try LoopbackServer().port
        let session = try ClientSession(
            try ServerAddress("ws://127.0.0.1:\(port)"), SyncEngine.Configuration(token: "t", client: World.client, seed: 1))
        session.start()
        while session.lastFailure == nil { _ = try session.turn() }
        #expect(session.lastFailure?.contains("refused") == true)
        #expect(session.engine.phase == .offline)
    }

    @Test("A session names an unreadable file of trusted certificates")
    func authorities() throws {
        var address = try ServerAddress("wss://127.0.0.1:1")
        address.authorities = "/nowhere/ca.pem"
        let failure = ConnectionFailure("The certificates to trust cannot be read from /nowhere/ca.pem: No such file or directory.")
        #expect(throws: failure) { _ = try ClientConnection(address, now: 0) }
    }

    @Test("An unknown host name means offline with a reason, without waiting for the resolver")
    func unknownName() throws {
        let session = try ClientSession(
            try ServerAddress("ws://nobody.invalid:1"), SyncEngine.Configuration(token: "t", client: World.client, seed: 1))
        session.start()
        while session.lastFailure == nil { _ = try session.turn() }
        #expect(session.lastFailure?.hasPrefix("nobody.invalid is not known") == true, "\(session.lastFailure ?? "")")
        #expect(session.engine.phase == .offline)
    }

    @Test("Another thread runs commands on the session's thread")
    func waker() throws {
        var loop = try Loopback()
        let waker = loop.session.waker
        let answer = Lock<Int?>(nil)
        let thread = Thread.start(name: "other") {
            for _ in 0..<100 {
                waker.post { session in answer.withLock { $0 = ($0 ?? 0) + (session.engine.phase == .stopped ? 1 : 1_000) } }
            }
        }
        thread.join()
        try loop.run { _ in answer.withLock { $0 == 100 } }
    }

    @Test("After 60 s of silence a session pings, and ends 10 s later; it gives up a connection that does not open after 10 s")
    func silence() throws {
        let server = try LoopbackServer()
        let connection = try ClientConnection(try ServerAddress("ws://127.0.0.1:\(server.port)"), now: 0)
        #expect(connection.deadline == ClientConnection.openTime)
        var opened = false
        while !opened {
            try server.serve()
            var items = [connection.item].compactMap(\.self)
            _ = try Poll.wait(&items, timeoutMilliseconds: 2)
            for case .opened in connection.ready(now: 1_000) { opened = true }
        }
        #expect(connection.deadline == 61_000)
        #expect(connection.timeout(now: 60_999).isEmpty)
        #expect(connection.timeout(now: 61_000).isEmpty)
        #expect(connection.deadline == 71_000)
        guard case .closed(nil, let reason)? = connection.timeout(now: 71_000).first else {
            Issue.record("still open")
            return
        }
        #expect(reason.contains("silent"))
        #expect(connection.isClosed)

        let slow = try ClientConnection(try ServerAddress("ws://127.0.0.1:\(server.port)"), now: 0)
        guard case .closed(nil, _)? = slow.timeout(now: 10_000).first else {
            Issue.record("still waiting")
            return
        }
    }

    @Test("A client redeems a code, with the same nonce again after a lost response or a busy server; or is refused")
    func redeem() throws {
        let server = try LoopbackServer()
        let address = try ServerAddress("ws://127.0.0.1:\(server.port)")
        let results = Lock<[Result<Redemption.SignIn, Redemption.Failure>]>([])
        let thread = Thread.start(name: "redeemer") {
            for code in ["good", "lost", "busy", "bad"] {
                let result: Result<Redemption.SignIn, Redemption.Failure>
                do throws(Redemption.Failure) {
                    result = .success(try Redemption.redeem(code: code, at: address, nonce: Redemption.makeNonce()))
                } catch {
                    result = .failure(error)
                }
                results.withLock { $0.append(result) }
            }
        }
        let end = Clock.monotonicMilliseconds() + 10_000
        while results.withLock({ $0.count }) < 4, Clock.monotonicMilliseconds() < end {
            try server.serve()
            var none: [Poll.Item] = []
            _ = try Poll.wait(&none, timeoutMilliseconds: 1)
        }
        thread.join()
        let all = results.withLock { $0 }
        for result in all.prefix(3) { #expect(try result.get().token == "fresh") }
        let nonces = server.heard.compactMap { if case .redeem(_, let nonce, _) = $0 { nonce } else { nil } }
        #expect(nonces.count == 6 && Set(nonces).count == 4, "\(nonces)")
        #expect(nonces[1] == nonces[2] && nonces[3] == nonces[4])
        #expect(throws: Redemption.Failure.refused(Rejection(.codeUnknown, "unknown"))) { try all.last?.get() }
    }
}
