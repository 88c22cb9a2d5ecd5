import Bytes
import Family
import Posix
import Queries
import Sessions
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// guarantees.md, "fair": a family with all the work that it may have under way, beside another family.
    ///
    /// A bound in milliseconds would measure the machine. The measure is the attackers' own work: they get a backlog accepted first, and only then
    /// the other family asks. If families take turns, its answers come after a few pieces of the backlog; if they do not, they come
    /// after all of it. `Tools/bench/fairness.py` measures the times of release builds.
    ///
    /// The server runs without shares of time (`--mutations-per-second 0`), so that the turns alone protect the other family.
    @Suite("Fair") struct FairnessTests {
        private let folder: TemporaryFolder
        private let server: RunningServer
        private let attackers: Demo
        private let others: Demo

        init() throws {
            folder = try TemporaryFolder()
            attackers = try Demo(in: folder.path)
            others = try Demo(in: folder.path)
            server = try RunningServer(folder.path, options: ["--mutations-per-second", "0"])
        }

        /// The answers come in the first third of the backlog. It holds in three rounds before it fails in three: one round can meet a moment in which
        /// this process is not run.
        private static let share = 3
        private static let wanted = 3

        @Test("The worst frames of one family on six connections: another family's ack, list and join come before a third is done")
        func turns() throws {
            let connections = ConnectionSet()
            let leader = try connections.enter(server, attackers)
            var rounds = try Backlog.prepare(leader, connections, athlete: attackers.athletes[0].id)
            let crowd = try [leader] + (1..<Backlog.sessions).map { _ in try connections.enter(server, attackers) }
            let witness = try connections.enter(server, others)
            var (kept, broken) = (0, 0)
            while kept < Self.wanted, broken < Self.wanted {
                let next = rounds.popLast()
                let backlog = try #require(next, "a round for each that may be needed")
                let arrival = try connections.signIn(server, others)
                for (session, frames) in zip(crowd, backlog.frames()) { session.send(frames) }
                // A connection's frames are read in order, and a context is answered without writer and readers: the backlog is accepted.
                for session in crowd { session.send([.tagged(.context(.all), request: 1_000)]) }
                try connections.turn { crowd.allSatisfy { $0.accepted } }

                let (start, wall) = (Clock.monotonicMilliseconds(), Clock.wallMilliseconds())
                let mutation = witness.send(Ask.say("Is anybody there?"))
                let list = witness.send { .list(ListRequest(request: $0, kind: .event, limit: 50)) }
                arrival.join(others.family)
                try connections.turn { witness.answers[mutation] != nil && witness.lastChangeAt >= wall && witness.answers[list] != nil && arrival.liveAt != nil && crowd.allSatisfy(\.isDone) }
                // The server says when it made a change; this process may be slow to read all of them.
                let written = (crowd.map(\.lastChangeAt).max() ?? 0) - wall, read = (crowd.map(\.askedAt).max() ?? 0) - start
                let times = (change: witness.lastChangeAt - wall, list: (witness.answers[list] ?? 0) - start, join: (arrival.liveAt ?? 0) - start)
                let isKept = times.change * Int64(Self.share) <= written && max(times.list, times.join) * Int64(Self.share) <= read
                print("Fair: change \(times.change) of \(written) ms, list \(times.list), join \(times.join) of \(read) ms")
                if isKept { kept += 1 } else { broken += 1 }
                arrival.leave()
                for session in crowd { session.forget() }
            }
            #expect(kept == Self.wanted)
            for session in crowd + [witness] { session.leave() }
            try server.stop()
        }
    }
}

/// The requests of one family at the same time, of each kind that takes long.
private struct Backlog {
    /// The server puts up to 256 mutations that wait into one batch, and within a batch each family has its share of time. So the turns of the queue
    /// decide only while more than that wait: a session may have 128 of them.
    static let sessions = 6
    /// Questions of one member that may wait are 16, of one session 4.
    private static let asking = 4
    private static let items = 60
    /// Mutations of each session besides the worst: with those of all sessions three times what a batch takes. They are short, or reading them would
    /// take the server longer than making them; in between come copies, so that they do not come to their end before all of them wait.
    private static let short = 108
    private static let shortForCopy = 12
    private static let rounds = 5

    /// For each session a trip to copy and to shift, and the change to undo.
    private var trips: [Identifier]
    private var undone: [Int64]
    private var base: Int64

    /// Gives the family the trips, and changes of all their items.
    ///
    /// - Returns: a round for each that a test may need, the first last.
    static func prepare(_ session: Member, _ connections: ConnectionSet, athlete: Identifier) throws -> [Backlog] {
        func make() throws -> Identifier {
            let trip = Ask.create(.trip, ["name": .text("Tour"), "start_date": .text("2026-07-01"), "end_date": .text("2026-07-09")])
            let parts = (0..<items).map { number in
                Ask.create(.tripItem, [
                    "trip_id": .reference(trip.id), "title": .text("Item \(number)"), "start_time": .text("2026-07-02T10:\(10 + number % 50)"),
                    "description": .text(String(repeating: "d", count: 60)),
                ])
            }
            _ = try session.perform([trip] + parts, connections)
            return trip.id
        }
        let trips = try (0..<sessions).map { _ in try make() }
        let others = try (0..<sessions).map { _ in try make() }
        for _ in 0..<10 {
            _ = try session.perform((0..<50).map { _ in Ask.say(String(repeating: "x", count: 1_000)) }, connections)
        }
        var changes: [[Int64]] = []
        for round in 0..<rounds {
            changes.append(
                try others.map { try session.perform([Operation(kind: .trip, id: $0, action: .shift(base: Int64(round + 1), days: 1))], connections) })
        }
        // A change can be undone when those after it are.
        return (0..<rounds).map { Backlog(trips: trips, undone: changes[$0], base: Int64(rounds - $0)) }
    }

    /// The frames of each session: its share of the writer's work, and four questions.
    func frames() -> [[(Int64) -> ClientFrame]] {
        zip(trips, undone).enumerated().map { number, plans in
            let (trip, change) = plans
            func mutation(_ body: Mutation.Body) -> (Int64) -> ClientFrame { { .mutation(id: $0, body: body, overlap: nil) } }
            func copy() -> (Int64) -> ClientFrame { mutation(.operations([Operation(kind: .trip, id: Ask.id(), action: .copy(from: trip, days: 7))])) }
            let messages = (0..<20).map { _ in Ask.say(String(repeating: "y", count: 250)) }
            let questions: [(Int64) -> ClientFrame] = [
                { .list(ListRequest(request: $0, kind: .message, search: "zz", limit: 200)) }, { .digest(DigestRequest(request: $0, after: 0)) },
                { .history(HistoryRequest(request: $0, limit: 200)) }, { .list(ListRequest(request: $0, kind: .tripItem, search: "zz", limit: 200)) },
            ]
            let worst = [
                copy(), mutation(.operations([Operation(kind: .trip, id: trip, action: .shift(base: base, days: 1))])), mutation(.undo(sequence: change)),
                mutation(.operations(messages)),
            ]
            return (number < Self.asking ? questions : []) + worst
                + (0..<Self.short).map { $0 % Self.shortForCopy == 0 ? copy() : mutation(.operations([Ask.say("y")])) }
        }
    }
}

/// Some connections, driven together by this thread.
private final class ConnectionSet {
    private var members: [Member] = []

    /// A session of a family's first parent, which has joined.
    func enter(_ server: RunningServer, _ demo: Demo) throws -> Member {
        let member = try signIn(server, demo)
        member.join(demo.family)
        try turn { member.liveAt != nil }
        return member
    }

    func signIn(_ server: RunningServer, _ demo: Demo) throws -> Member {
        let member = Member(try ClientConnection(server.address(), now: Clock.monotonicMilliseconds()), token: demo.parents[0].token)
        members.append(member)
        try turn { member.isSignedIn }
        return member
    }

    /// Reads from all connections until a condition holds.
    func turn(until isSo: () -> Bool) throws {
        let deadline = Clock.monotonicMilliseconds() + 120_000
        while !isSo() {
            members.removeAll { $0.hasLeft }
            var items = try members.map { try #require($0.connection.item, "a connection ended: \($0.end)") }
            guard Clock.monotonicMilliseconds() < deadline else { throw Unexpected("not all answers came in 120 s") }
            _ = try Poll.wait(&items, timeoutMilliseconds: 1_000)
            let now = Clock.monotonicMilliseconds()
            for member in members { member.receive(now: now) }
        }
    }
}

/// One connection, with the moments at which its answers came. Frames are not held to the schemas: that would take longer than the server does.
private final class Member {
    let connection: ClientConnection
    private let token: String
    private(set) var isSignedIn = false
    private(set) var liveAt: Int64?
    private(set) var hasLeft = false
    private(set) var end = ""
    /// Mutations and questions have numbers of one sequence.
    private var last: Int64 = 0
    private var isMutation: Set<Int64> = []
    /// By number, milliseconds.
    private(set) var answers: [Int64: Int64] = [:]
    private var outcome: [Int64: Result<Int64, Rejection>] = [:]
    private(set) var accepted = false
    /// When the server made the family's last change, by its clock.
    private(set) var lastChangeAt: Int64 = 0

    init(_ connection: ClientConnection, token: String) {
        self.connection = connection
        self.token = token
    }

    func join(_ family: Identifier) { connection.send(.join(Join(family: family, client: Ask.id(), isQuiet: true))) }

    func leave() {
        connection.close(code: CloseCode.normal.rawValue)
        hasLeft = true
    }

    /// - Returns: its number.
    func send(_ frame: (Int64) -> ClientFrame) -> Int64 {
        last += 1
        let made = frame(last)
        if case .mutation = made { isMutation.insert(last) }
        connection.send(made)
        return last
    }

    func send(_ operation: Operation) -> Int64 { send { .mutation(id: $0, body: .operations([operation]), overlap: nil) } }

    func send(_ frames: [(Int64) -> ClientFrame]) { for frame in frames { _ = send(frame) } }

    func send(_ frames: [ClientFrame]) { for frame in frames { connection.send(frame) } }

    /// Makes a change and waits for it.
    ///
    /// - Returns: its sequence.
    func perform(_ operations: [Operation], _ connections: ConnectionSet) throws -> Int64 {
        let number = send { .mutation(id: $0, body: .operations(operations), overlap: nil) }
        try connections.turn { answers[number] != nil }
        return try #require(outcome[number]).get()
    }

    /// Everything that was sent is answered.
    var isDone: Bool { Int64(answers.count) == last }
    /// When the last question was answered.
    var askedAt: Int64 { answers.filter { !isMutation.contains($0.key) }.values.max() ?? 0 }

    func forget() { accepted = false }

    func receive(now: Int64) {
        for event in connection.ready(now: now) {
            switch event {
            case .opened: connection.send(.signIn(token: token))
            case .closed(let code, let reason): end = "\(code ?? 0) \(reason)"
            case .frame(let frame): receive(frame, now: now)
            }
        }
    }

    private func receive(_ frame: ServerFrame, now: Int64) {
        switch frame {
        case .welcome: isSignedIn = true
        case .live: liveAt = now
        case .change(let change): lastChangeAt = change.at
        case .ack(let ack): answer(ack.mutation, now, .success(ack.sequence ?? 0))
        case .reject(let mutation, let rejection): answer(mutation, now, .failure(rejection))
        case .page(let page): answer(page.request, now)
        case .digest(let digest): answer(digest.request, now)
        case .history(let history): answer(history.request, now)
        case .error(let rejection, let request): if let request { answer(request, now, .failure(rejection)) }
        case .tagged(.context, _): accepted = true
        default: break
        }
    }

    private func answer(_ number: Int64, _ now: Int64, _ result: Result<Int64, Rejection> = .success(0)) {
        answers[number] = now
        outcome[number] = result
        // A frame that is refused for its content, not for its size, is not one of the worst.
        if case .failure(let rejection) = result, !rejection.code.isRetryable { Issue.record("\(rejection)") }
    }
}
