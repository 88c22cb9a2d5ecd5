import Accounts
import Bytes
import Crypto
import Locks
import Posix
import EventLoop

/// The threads that hash passwords: a hash takes tens of milliseconds and 19 MiB, so there are two at a time, and the
/// reactor and the writer take precedence when cores are scarce.
///
/// A flood of sign-ins costs two niced threads and their memory. At most 64 requests wait; to any further one the
/// caller answers `busy`. Jobs run in the order in which they came, and their results go into the shard's mailbox.
final class HasherPool: Sendable {
    static let threads = 2
    static let nice: Int32 = 10
    /// The largest number of waiting jobs. The last of them waits for 32 hashes of a thread: about 2 s.
    static let maxWaiting = 64

    /// The result of checking a password.
    enum Check: Equatable, Sendable {
        /// The password is right. `renewed`: its hash at the cost that the server has now, if the stored one has another.
        case right(renewed: PasswordHash?)
        case wrong
        /// The machine has no memory for a hash.
        case noMemory
    }

    /// The result of hashing a new password.
    enum Making: Equatable, Sendable {
        case made(PasswordHash)
        case refused(PasswordRules.Refusal)
        /// The machine has no memory for a hash.
        case noMemory
    }

    private let events: Mailbox<ShardEvent>
    private let waiting: BlockingQueue<@Sendable () -> ShardEvent>
    private let started = Lock<[Thread]>([])
    /// The time of hashes in nanoseconds, and the number of requests that found no room.
    let time = Histogram(.time)
    let refused = Counter()
    /// The cost of new hashes.
    let cost: PasswordHash.Cost
    /// Hashed for an unknown name, so that its answer takes as long as that for a known one.
    private let decoy: PasswordHash

    /// - Parameter decoy: a hash at `cost` of a password that nobody knows; see `makeDecoy`.
    init(events: Mailbox<ShardEvent>, decoy: PasswordHash, threads: Int = HasherPool.threads, limit: Int = HasherPool.maxWaiting) {
        self.events = events
        self.decoy = decoy
        cost = decoy.cost
        waiting = BlockingQueue(limit: limit)
        started.withLock { started in
            for _ in 0..<threads { started.append(Thread.start(name: "hasher", nice: HasherPool.nice) { [self] in run() }) }
        }
    }

    /// A hash that no password matches, for the start of the server.
    ///
    /// - Returns: `nil` if the machine has no memory for hashes of this cost.
    static func makeDecoy(_ cost: PasswordHash.Cost) -> PasswordHash? {
        PasswordHash.make(Random.octets(32), salt: Random.octets(PasswordHash.saltOctets), cost: cost)
    }

    /// A hash that no password matches, made without the time and memory of a real one: random octets in its place.
    static func randomDecoy(_ cost: PasswordHash.Cost) -> PasswordHash {
        func text(_ count: Int) -> Substring { Base64.encode(Random.octets(count), .standard).prefix { $0 != "=" } }
        let phc = "$argon2id$v=19$m=\(cost.memory),t=\(cost.passes),p=\(cost.lanes)$\(text(PasswordHash.saltOctets))$\(text(32))"
        guard let hash = PasswordHash(phc) else { preconditionFailure("a hash of ours is a hash") }
        return hash
    }

    /// The number of waiting jobs.
    var count: Int { waiting.count }

    /// Checks a password.
    ///
    /// - Parameter stored: the hash of the person with this name; `nil` if nobody has the name, which costs the same
    ///   hash.
    /// - Returns: false if there is no room: the answer is `busy`.
    func check(_ ticket: UInt64, _ password: [UInt8], _ stored: PasswordHash?) -> Bool {
        put { [decoy, cost] in .jobEnded(ticket, Self.check(password, stored, decoy: decoy, cost: cost)) }
    }

    /// Checks a new password by the rules and hashes it.
    ///
    /// - Parameter isKnown: looks up lists of known passwords, on the thread of the pool.
    /// - Returns: false if there is no room: the answer is `busy`.
    func make(
        _ ticket: UInt64, _ password: [UInt8], name: SignInName, isKnown: @escaping @Sendable ([UInt8]) -> Bool = { KnownPasswords.contain($0) }
    ) -> Bool {
        put { [cost] in .jobEnded(ticket, Self.make(password, name, isKnown, cost)) }
    }

    private func put(_ job: @escaping @Sendable () -> ShardEvent) -> Bool {
        let isTaken = waiting.put(job)
        if !isTaken { refused.addShared(1) }
        return isTaken
    }

    /// Accepts no further jobs, finishes those it has, and waits for that.
    func stop() {
        waiting.close()
        let threads = started.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.join() }
    }

    private func run() {
        while let job = waiting.take(maximum: 1).first {
            let begun = Clock.monotonicNanoseconds()
            let event = job()
            time.recordShared(Clock.monotonicNanoseconds() - begun)
            events.put(event)
        }
    }

    private static func check(_ password: [UInt8], _ stored: PasswordHash?, decoy: PasswordHash, cost: PasswordHash.Cost) -> Check {
        // No valid password is longer: a client cannot make the server read more.
        guard password.count <= PasswordRules.octets.upperBound else { return check([], nil, decoy: decoy, cost: cost) }
        switch (stored ?? decoy).matches(password) {
        case .noMemory: return .noMemory
        case .wrong: return .wrong
        // The chance is 2^-256, but an unknown name must never sign in.
        case .right where stored == nil: return .wrong
        case .right:
            guard let stored, stored.cost != cost else { return .right(renewed: nil) }
            // Without memory for the new hash the old one stays: the password is right in any case.
            return .right(renewed: PasswordHash.make(password, salt: Random.octets(PasswordHash.saltOctets), cost: cost))
        }
    }

    private static func make(
        _ password: [UInt8], _ name: SignInName, _ isKnown: ([UInt8]) -> Bool, _ cost: PasswordHash.Cost
    ) -> Making {
        do throws(PasswordRules.Refusal) {
            try PasswordRules.check(password, name: name, isKnown: isKnown)
        } catch { return .refused(error) }
        return PasswordHash.make(password, salt: Random.octets(PasswordHash.saltOctets), cost: cost).map { .made($0) } ?? .noMemory
    }
}
