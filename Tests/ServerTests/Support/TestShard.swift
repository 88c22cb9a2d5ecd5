import Bytes
import Crypto
import Family
import HTTP1
import Posix
import EventLoop
import Store
import StoreSQLite
import Synchronization
import TLS
import TestSupport
import Testing
import Wire

@testable import Server

/// A shard with its real writer and readers, whose reactor the test turns by hand: one thread for the server and its clients, and a
/// clock that can be moved.
final class TestShard {
    let folder: TemporaryFolder
    let lines = LogLines()
    let limits: Limits
    let shard: Shard
    private let reactor: Reactor
    /// Where other threads' answers go.
    let events: Mailbox<ShardEvent>
    private let readers: ReaderPool
    private let files: FilePool
    private let writer: WriterThread
    private let hasher: HasherPool
    /// The commits for which file jobs wait.
    let disk = DiskPolicy()
    private var isStopped = false
    private var gates: [BlockingQueue<Bool>] = []
    private let wallClock = WallClock()

    private final class WallClock: Sendable {
        let ahead = Atomic<Int64>(0)
    }

    /// Two families: one with a parent and an athlete, one with a parent.
    private(set) var parent = TestShard.nobody
    private(set) var athlete = TestShard.nobody
    private(set) var stranger = TestShard.nobody
    private(set) var code = ""

    private static let nobody = SessionCreated(
        token: "", family: Identifier(high: 0, low: 0), member: Identifier(high: 0, low: 0), role: .guest)

    typealias Preparation = @Sendable (_ store: FamilyStore, _ folder: String, _ parent: SessionCreated, _ athlete: SessionCreated) throws -> Void

    /// - Parameters:
    ///   - vfs: another layer of SQLite's.
    ///   - mail: what the store knows of mail; `nil`: the server sends none.
    ///   - prepare: makes what the families have.
    init(_ limits: Limits = Limits(), vfs: String? = nil, site: HTTPSite = HTTPSite(), mail: MailTerms? = nil, prepare: Preparation = { _, _, _, _ in }) throws {
        self.limits = limits
        folder = try TemporaryFolder()
        reactor = try Reactor()
        let path = vfs == nil ? folder.path + "/huddle.db" : "huddle.db"
        let clock = wallClock
        func environment() -> StoreEnvironment {
            MachineEnvironment.make(limits, mail: mail, now: { Clock.wallMilliseconds() + clock.ahead.load(ordering: .relaxed) })
        }
        let store = try FamilyStore(path: path, vfs: vfs, environment: environment())
        func token(_ member: Identifier) throws -> SessionCreated {
            guard case .token(let created) = try store.perform(.token(member: member)).0.get() else { throw Unexpected("no token") }
            return created
        }
        func family(_ name: String) throws -> SessionCreated {
            let command = AdminCommand.createFamily(name: name, zone: "UTC", parent: "Ana")
            guard case .family(let created) = try store.perform(command).0.get() else { throw Unexpected("no family") }
            return try token(created.member)
        }
        parent = try family("Rivera")
        stranger = try family("Okafor")
        let invite = NewInvite(family: parent.family, name: "Leo", role: .athlete, born: "2009-03-04", by: parent.member)
        guard case .invited(let invited) = try store.perform(.invite(invite)).0.get() else { throw Unexpected("no invite") }
        try store.approve(invited.member, in: parent.family, by: parent.member)
        athlete = try token(invited.member)
        let other = NewInvite(family: parent.family, name: "Gus", role: .parent, by: parent.member)
        guard case .invited(let invitedParent) = try store.perform(.invite(other)).0.get() else { throw Unexpected("no invite") }
        code = try #require(invitedParent.code)
        try prepare(store, folder.path, parent, athlete)

        events = Mailbox<ShardEvent>(waker: reactor.waker)
        let log = lines.log
        readers = ReaderPool(events: events, log: log)
        for _ in 0..<ReaderPool.threads {
            readers.start(try StoreReader(path: path, vfs: vfs, environment: environment()))
        }
        files = FilePool(events: events, disk: disk)
        Signals.ignoreBrokenPipes()
        writer = WriterThread(store: store, environment: environment(), events: events, disk: disk)
        shard = Shard(
            reactor: reactor, limits: limits, log: log, site: site, serverVersion: "test", events: events, writer: writer, readers: readers, files: files)
        hasher = HasherPool(events: events, decoy: HasherPool.randomDecoy(Self.passwordCost))
        shard.accounts.hasher = hasher
    }

    /// The cheapest hash there is: tests are about what happens around it.
    static let passwordCost = PasswordHash.Cost(memory: 64, passes: 1, lanes: 1) ?? .standard

    /// Keeps the writer from going on, as a disk does whose sync does not return, until `letWriterGo`.
    func holdWriter() throws {
        let (entered, gate) = (BlockingQueue<Bool>(limit: 1), BlockingQueue<Bool>(limit: 1))
        gates.append(gate)
        shard.workers.write({ _ throws(StoreFailure) in
            _ = entered.put(true)
            _ = gate.take()
            return (true, [])
        }) { (_: Bool?) in }
        try until("the writer is held") { entered.count > 0 }
    }

    /// Mutations of nobody who waits for their answers.
    ///
    /// - Returns: how many found room.
    func fillMutations(_ count: Int) -> Int {
        let nobody = Identifier(high: 0, low: 1)
        let proposals = (0..<count).map { number in
            Proposal(
                family: nobody, member: nobody, context: .all, mutation: Mutation(client: nobody, id: Int64(number), operations: []), session: .max)
        }
        return count - writer.submit(proposals).proposals.count
    }

    /// Jobs of files that are not taken or not done.
    var waitingFiles: Int { files.count }

    func letWriterGo() {
        for gate in gates { gate.close() }
        gates = []
    }

    deinit {
        letWriterGo()
        if !isStopped {
            shard.drain.start()
            while !shard.drain.isWriterDone { reactor.tick(waitingAtMost: 10) }
        }
        shard.closeAll()
        readers.stop()
        files.stop()
        hasher.stop()
        if shard.drain.isWriterDone { writer.join() }
    }

    /// One turn of the loop; waits a little when nothing happens.
    func turn() { reactor.tick(waitingAtMost: 10) }

    /// Turns until it is so.
    func until(_ what: String, _ isSo: () throws -> Bool) throws {
        let deadline = Clock.monotonicMilliseconds() + 20_000
        while try !isSo() {
            guard Clock.monotonicMilliseconds() < deadline else {
                throw Unexpected("waited too long: \(what); \(readers.count) reads and \(files.count) jobs of files are not taken or not done")
            }
            turn()
        }
    }

    /// The result of a job of the writer.
    func store<Answer: Sendable>(_ body: @escaping @Sendable (FamilyStore) throws(StoreFailure) -> Answer) throws -> Answer {
        var answer: Answer??
        shard.workers.write { store throws(StoreFailure) in (try body(store), []) } then: { answer = .some($0) }
        try until("the writer has done a job") { answer != nil }
        guard let answer = answer ?? nil else { throw Unexpected("the writer refused a job") }
        return answer
    }

    /// Moves the server's clock forward, and lets its regular work happen.
    func pass(milliseconds: Int64) {
        reactor.moveClock(milliseconds: milliseconds)
        shard.tick.everySecond(now: reactor.now)
        turn()
    }

    /// As `pass`, with a look at the server's health. Its answers from other threads can end a turn before the timers that are due in it.
    func passWithHealth(milliseconds: Int64) {
        reactor.moveClock(milliseconds: milliseconds)
        shard.tick.everySecond(now: reactor.now)
        shard.health.look(now: reactor.now)
        turn()
    }

    /// Moves the store's clock forward, which the time of day decides.
    func passDay(milliseconds: Int64) { wallClock.ahead.wrappingAdd(milliseconds, ordering: .relaxed) }

    // MARK: Clients

    /// A connection that has said nothing yet.
    ///
    /// - Parameter address: where it seems to come from; nowhere when `nil`.
    func connect(from address: String? = nil) throws -> TestClient {
        var pair = try Socket.Pair()
        let client = TestClient(self, pair.takeFirst())
        shard.acceptor.accept(Transport(pair.takeSecond()), peer: address.flatMap { NetworkAddress($0) })
        return client
    }

    /// A WebSocket.
    func open(offering extensions: String? = nil, from address: String? = nil) throws -> TestClient {
        let client = try connect(from: address)
        try client.upgrade(offering: extensions)
        return client
    }

    func signedIn(_ who: SessionCreated, offering extensions: String? = nil) throws -> TestClient {
        let client = try open(offering: extensions)
        client.say("{\"type\":\"sign_in\",\"token\":\"\(who.token)\"}")
        #expect(try client.next() == "welcome")
        return client
    }

    /// Joined, and live.
    func live(_ who: SessionCreated, client number: UInt64 = 1, offering extensions: String? = nil) throws -> TestClient {
        let client = try signedIn(who, offering: extensions)
        client.join(who.family, number)
        try client.skip(to: "live")
        return client
    }
}

struct Unexpected: Error {
    let what: String

    init(_ what: String) { self.what = what }
}
