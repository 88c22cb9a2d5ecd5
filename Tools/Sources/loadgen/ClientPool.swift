import Bytes
import Crypto
import Posix
import EventLoop
import Wire

/// Many clients on one reactor thread. A run subclasses it and says what they do once they are live.
class ClientPool: ReactorHooks {
    let reactor: Reactor
    let target: LoadTarget
    /// Distinguishes this run from every other.
    let runID: Int64
    private(set) var connections: [LoadConnection] = []
    private(set) var live = 0
    /// Connections that ended by themselves after they were live.
    private(set) var lost = 0
    /// Why the first connection failed.
    private(set) var failure: String?
    private(set) var octetsReceived = 0
    /// For the one frame that is being masked.
    var scratch: [UInt8] = []
    private var dirty: [LoadConnection] = []
    private var maskState: UInt64
    private let idTime: Int64

    /// Connections that may be on their way to live at the same time: a server is to be loaded with work, not with connections that time out.
    let maxConnecting: Int
    static let maxConnecting = 64
    /// Time for all to be live, milliseconds.
    static let connectTime: Int64 = 60_000

    init(target: LoadTarget, maxConnecting: Int = ClientPool.maxConnecting) throws(Errno) {
        self.target = target
        self.maxConnecting = maxConnecting
        reactor = try Reactor()
        idTime = Clock.wallMilliseconds()
        // Below 2^32: it is part of ids.
        runID = Int64(Random.uint64() >> 33)
        maskState = Random.uint64() | 1
        super.init()
        reactor.setHooks(self)
    }

    // MARK: For the run

    /// A connection has joined and knows the head of its family: `frame` is the `live` frame.
    func didBecomeLive(_ connection: LoadConnection, _ frame: UnsafeRawBufferPointer) { live += 1 }

    /// A connection is about to be made.
    func willConnect(_ connection: Int) {}

    /// The position from which a connection resumes; `nil` asks for a snapshot.
    func cursor(_ connection: Int) -> Cursor? { nil }

    /// A live connection got a frame, or a joining one got `joined`.
    func received(_ kind: ServerFrameKind, _ frame: UnsafeRawBufferPointer, _ connection: LoadConnection) {}

    func didFail(_ connection: LoadConnection, _ reason: String, wasLive: Bool) {
        if failure == nil { failure = "connection \(connection.index) (family \(connection.family)): \(reason)" }
        guard wasLive else { return }
        live -= 1
        lost += 1
    }

    func didReceive(octets: Int) { octetsReceived += octets }

    // MARK: Connecting

    /// Brings `count` connections to live, `members` a family.
    ///
    /// - Throws: a sentence when one fails or time runs out.
    func connect(count: Int, members: Int) throws(LoadFailure) {
        let deadline = Clock.monotonicMilliseconds() + ClientPool.connectTime
        while live < count {
            while connections.count < count, connections.count - live < maxConnecting {
                let index = connections.count
                willConnect(index)
                do throws(Errno) {
                    connections.append(
                        try LoadConnection(
                            pool: self, index: index, family: index / members, member: index % members, nonce: Random.octets(16)))
                } catch { throw LoadFailure("Connection \(index) cannot be made: \(error.text)") }
            }
            reactor.tick(waitingAtMost: 100)
            if let failure { throw LoadFailure("Not all connections became live: \(failure)") }
            guard Clock.monotonicMilliseconds() < deadline else {
                throw LoadFailure("Only \(live) of \(count) connections became live in \(ClientPool.connectTime / 1_000) s")
            }
        }
    }

    func leave() {
        for connection in connections { connection.leave() }
        // The reactor lets go of removed channels in its next turn; their sockets are closed then.
        connections = []
        reactor.tick(waitingAtMost: 0)
    }

    /// The client id of a connection, another one in each run: mutation ids begin at 1 in each.
    func clientID(_ connection: Int) -> Identifier {
        .version7(milliseconds: idTime, random: (UInt64(runID), UInt64(runID) << 24 | UInt64(connection) | 1 << 61))
    }

    /// The id of message `number` of a publisher; they grow in the order of sending.
    func recordID(connection: Int, number: Int64) -> Identifier {
        // 40 bits of number are more than a run can send; 15 bits of connection go above them.
        .version7(milliseconds: idTime, random: (UInt64(runID), UInt64(connection) << 40 | UInt64(number)))
    }

    // MARK: The end of a tick

    func markDirty(_ connection: LoadConnection) { dirty.append(connection) }

    override func beforeSleep() {
        for connection in dirty { connection.flush() }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Masks need not be secret here: no proxy stands between two programs of one machine. (xorshift64)
    func nextMask() -> UInt32 {
        maskState ^= maskState << 13
        maskState ^= maskState >> 7
        maskState ^= maskState << 17
        return UInt32(truncatingIfNeeded: maskState)
    }
}

/// Why a command ends with status 1: one sentence.
struct LoadFailure: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}
