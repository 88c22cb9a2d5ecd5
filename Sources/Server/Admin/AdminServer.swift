import Family
import JSON
import Posix
import EventLoop
import Store

/// The open commands of `huddled`'s own processes, over the Unix socket in the data folder.
final class AdminServer {
    /// The largest number of commands that may be open at the same time, and the milliseconds for each.
    static let maxOpen = WriterQueue.Class.admin.limit
    private static let time: Int64 = 30_000

    private let reactor: Reactor
    private let log: Log
    private let workers: Workers
    private let drain: Drain
    private var connections: [UInt64: AdminConnection] = [:]
    private var next: UInt64 = 1
    /// Exports and imports; set once before the loop runs. Without them, and once the server ends, archives are
    /// refused.
    var transfers: Transfers?
    /// The state of the server; set once before the loop runs.
    var health: () -> HealthReport = { HealthReport([]) }
    /// The figures that only the running server knows; set once before the loop runs.
    var live: LiveFigures?

    init(reactor: Reactor, log: Log, workers: Workers, drain: Drain) {
        self.reactor = reactor
        self.log = log
        self.workers = workers
        self.drain = drain
    }

    func accept(_ descriptor: consuming FileDescriptor) {
        guard connections.count < AdminServer.maxOpen else {
            log(.warning, "admin_refused", [.init("open", connections.count)])
            return
        }
        let number = next
        next += 1
        let connection = AdminConnection(
            reactor: reactor, descriptor: descriptor, asked: { [unowned self] in perform($0, number, $1) },
            ended: { [unowned self] in connections[number] = nil })
        guard (try? connection.register()) != nil else { return }
        connections[number] = connection
    }

    private func perform(_ request: AdminRequest, _ number: UInt64, _ connection: AdminConnection) {
        // This needs no writer, which may be the problem.
        if case .doctor = request { return connection.answer(.success(.health(health()))) }
        if case .ask(let question) = request { return answer(question, number, connection) }
        guard case .transfer(let transfer) = request else {
            if !workers.writer.submit(.admin(number, request)) { connection.answer(.failure(.busy)) }
            return
        }
        guard let file = connection.takeFile() else { return connection.refuse() }
        connection.isTransferring = true
        guard let transfers, !drain.isEnding else { return connection.answer(.failure(ArchiveError.stopped.rejection)) }
        if !transfers.start(number, transfer, file) {
            connection.answer(.failure(Rejection(.busy, "Another export or import is running. Try again when it has finished.")))
        }
    }

    /// The largest number of nanoseconds for a page of a list, because its thread also answers joins.
    private static let pageTime: Int64 = 20_000_000

    private func answer(_ question: HostQuestion, _ number: UInt64, _ connection: AdminConnection) {
        let database = live?.database
        workers.read { reader throws(StoreFailure) in
            let end = WorkClock.monotonicNanoseconds() + Self.pageTime
            let answer = try reader.answer(question) { WorkClock.monotonicNanoseconds() >= end }
            guard case .status = question, let database else { return answer }
            return answer.map { ServerStatus.withFiles($0, database: database) }
        } then: { [self] (answer: Result<JSONTree, Rejection>?) in
            guard let answer else { return self.answer(number, .failure(.busy)) }
            self.answer(number, answer.map { tree in .tree(live?.add(to: tree, question) ?? tree) })
        }
    }

    func answer(_ number: UInt64, _ answer: Result<AdminReply, Rejection>) { connections[number]?.answer(answer) }

    /// Ends commands that take too long.
    func endOld(now: Int64) {
        for connection in connections.values where !connection.isTransferring && now - connection.since >= AdminServer.time { connection.end() }
    }

    func endAll() {
        for connection in connections.values { connection.end() }
    }
}

@available(*, unavailable) extension AdminServer: Sendable {}
