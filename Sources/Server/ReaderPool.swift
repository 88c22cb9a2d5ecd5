import Family
import Posix
import Reactor
package import Rooms
package import Store
import Synchronization
import Wire

/// Threads that read the database for the reactor, each with a connection of its own: sign-ins, seats, logs, snapshots, pages.
final class ReaderPool: Sendable {
    /// Two, so that one big snapshot does not hold up everybody's sign-in.
    static let threads = 2
    /// Requests that wait; a session has a handful at most.
    static let maxRequests = 200_000

    private let requests = BlockingQueue<ReaderRequest>(limit: maxRequests)

    private let events: Mailbox<ShardEvent>
    private let log: Log
    private let started = Mutex<[Thread]>([])

    init(events: Mailbox<ShardEvent>, log: Log) {
        self.events = events
        self.log = log
    }

    /// Adds a thread, which has `reader` to itself from now on.
    func start(_ reader: sending StoreReader) {
        let loop = ReaderLoop(reader: reader, requests: requests, events: events, log: log)
        let thread = Thread.start(name: "reader") { loop.run() }
        started.withLock { $0.append(thread) }
    }

    /// Ends the threads after what they are reading and waits for them. Nothing more is answered then.
    func stop() {
        requests.close()
        let threads = started.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.join() }
    }

    func submit(_ session: SessionID, _ request: ReadRequest) -> Bool {
        requests.put(.session(session, request))
    }

    /// Requests that wait.
    var count: Int { requests.count }

    /// Reads for a request of HTTP.
    func submit(_ ticket: UInt64, _ read: @escaping ReaderErrand) -> Bool { requests.put(.errand(ticket, read)) }
}

typealias ReaderErrand = @Sendable (StoreReader) throws(StoreFailure) -> any Sendable

enum ReaderRequest: Sendable {
    case session(SessionID, ReadRequest)
    case errand(UInt64, ReaderErrand)
}

private struct ReaderLoop {
    let reader: StoreReader
    let requests: BlockingQueue<ReaderRequest>
    let events: Mailbox<ShardEvent>
    let log: Log

    func run() {
        var damaged = 0
        while true {
            let taken = requests.take(maximum: 1)
            if taken.isEmpty { return }
            for item in taken {
                switch item {
                case .session(let session, let request):
                    let answer = read { reader throws(StoreFailure) in try reader.answer(request) } ?? .failed
                    events.put(.answered(session, answer))
                    prepareLists(request, answer)
                case .errand(let ticket, let errand): events.put(.errand(ticket, read(errand)))
                }
                if reader.damaged.count > damaged {
                    damaged = reader.damaged.count
                    log(.error, "records_damaged", [.init("records", damaged)])
                }
            }
        }
    }

    /// Whoever joined a large family is likely to ask for a list of it, and just now nobody asks for anything.
    private func prepareLists(_ request: ReadRequest, _ answer: ReadAnswer) {
        guard case .join(_, let join) = request, case .join(.success(let seat)) = answer, seat.head >= StoreReader.largeFamily else { return }
        read { reader throws(StoreFailure) in try reader.prepareLists(family: join.family) { requests.count == 0 } }
    }

    @discardableResult
    private func read<Answer>(_ body: (StoreReader) throws(StoreFailure) -> Answer) -> Answer? {
        do throws(StoreFailure) {
            return try body(reader)
        } catch {
            log(.error, "read_failed", [.init("reason", "\(error)")])
            return nil
        }
    }
}

extension StoreReader {
    /// Octets of log that one answer carries at most.
    static let changesOctets = 262_144

    /// What the hub asked, in its words. The simulation calls it directly.
    package func answer(_ request: ReadRequest) throws(StoreFailure) -> ReadAnswer {
        switch request {
        case .signIn(let token):
            let found = try signIn(token: token)
            return .signIn(found.map {
                SignedIn(
                    session: $0.session, person: $0.person, memberships: $0.memberships, isRenewalDue: $0.isRenewalDue,
                    isRedemptionOpen: $0.isRedemptionOpen)
            })
        case .redemption(let code, let nonce):
            return .redemption(code: code, nonce: nonce, refusal: try refusal(ofCode: code, nonce: nonce))
        case .join(let person, let wish):
            switch try join(person: person, wish) {
            case .refused(let rejection): return .join(.failure(rejection))
            case .joined(let state): return .join(.success(Seat(state)))
            }
        case .changes(let family, let after):
            let page = try changes(family: family, after: after, maxOctets: StoreReader.changesOctets)
            if page.isTrimmed { return .trimmed }
            return .changes(
                frames: page.frames.map(\.frame), last: page.frames.last?.sequence ?? after, reachedEnd: page.reachedEnd,
                checksum: page.checksum)
        case .snapshot(let family):
            let snapshot = try snapshot(family: family)
            return .snapshot(frames: snapshot.frames, sequence: snapshot.sequence, snapshot.verification)
        case .page(let family, let query, let request):
            return Self.answer(try page(family: family, query, request), to: request.request)
        case .statistics(let family, let request, let athlete):
            return Self.answer(try statistics(family: family, request, athlete: athlete), to: request.request)
        case .history(let family, let member, let request):
            return Self.answer(try history(family: family, member: member, request), to: request.request)
        case .digest(let family, let member, let request):
            return .page(try digest(family: family, member: member, request))
        case .accessLog(let family, let member, let request):
            return Self.answer(try accessLog(family: family, member: member, request), to: request.request)
        }
    }

    private static func answer(_ result: Result<[UInt8], Rejection>, to request: Int64) -> ReadAnswer {
        switch result {
        case .success(let frame): .page(frame)
        case .failure(let rejection): .page(ServerFrame.error(rejection, request: request).encode())
        }
    }
}

extension Seat {
    fileprivate init(_ state: JoinState) {
        let resume: Resume =
            switch state.resume {
            case .changes: .changes
            case .snapshot: .snapshot
            case .reset(let reason): .reset(reason)
            }
        self.init(
            epoch: state.epoch, head: state.head, member: state.member, role: state.role, athletes: state.athletes.map(\.member),
            resume: resume)
    }
}
