import Bytes
import Crypto
import Family
import Posix
import Sessions
import Sync
import Testing
import Wire

/// A session with its engine, driven until something is noticed.
final class LiveClient {
    let session: ClientSession
    private var notices: [SyncNotice] = []
    private(set) var stopReason: StopReason?

    convenience init(_ server: RunningServer, _ token: String) throws { try self.init(server.address(), token) }

    init(_ address: ServerAddress, _ token: String) throws {
        let client = Random.identifier(milliseconds: Clock.wallMilliseconds())
        session = try ClientSession(address, SyncEngine.Configuration(token: token, client: client, seed: 1))
        session.start()
    }

    deinit { session.leave() }

    /// The first notice that `wanted` answers something for; those before it are passed over.
    func wait<Value>(_ wanted: (SyncNotice) -> Value?) throws -> Value {
        let deadline = Clock.monotonicMilliseconds() + 30_000
        while true {
            while !notices.isEmpty {
                if let value = wanted(notices.removeFirst()) { return value }
            }
            if let stopReason { throw Unexpected("stopped: \(stopReason)") }
            try turn(until: deadline)
        }
    }

    func waitUntilLive() throws {
        try wait { if case .live = $0 { () } else { nil } }
    }

    /// Waits until it has a record.
    func waitUntil(record id: Identifier) throws {
        let deadline = Clock.monotonicMilliseconds() + 30_000
        while session.engine.record(id) == nil { try turn(until: deadline) }
    }

    /// Everything that it notices within some milliseconds.
    func notices(within milliseconds: Int64) throws -> [SyncNotice] {
        let deadline = Clock.monotonicMilliseconds() + milliseconds
        notices = []
        while Clock.monotonicMilliseconds() < deadline { try turn(until: deadline) }
        defer { notices = [] }
        return notices
    }

    /// Waits until it gives up.
    func waitUntilStopped() throws -> StopReason {
        let deadline = Clock.monotonicMilliseconds() + 30_000
        while true {
            if let stopReason { return stopReason }
            try turn(until: deadline)
        }
    }

    /// Does something and waits for the answer.
    func perform(_ operations: Operation...) throws -> Result<Ack, Rejection> {
        let mutation = try session.perform(operations)
        return try wait { notice in
            switch notice {
            case .acknowledged(let ack) where ack.mutation == mutation: .success(ack)
            case .rejected(mutation, let rejection): .failure(rejection)
            default: nil
            }
        }
    }

    private func turn(until deadline: Int64) throws {
        guard Clock.monotonicMilliseconds() < deadline else {
            throw Unexpected("late: \(session.engine.phase), \(session.lastFailure ?? "no failure")")
        }
        for event in try session.turn(until: deadline) {
            switch event {
            case .notice(let notice): notices.append(notice)
            case .stopped(let reason): stopReason = reason
            case .changed, .replaced: break
            }
        }
    }
}

/// Operations for tests.
enum Ask {
    static func id() -> Identifier { Random.identifier(milliseconds: Clock.wallMilliseconds()) }

    static func create(_ kind: Kind, _ values: [String: Value], id: Identifier = id(), athlete: Identifier? = nil) -> Operation {
        Operation(kind: kind, id: id, action: .create(athlete: athlete, patch: patch(kind, values)))
    }

    static func say(_ text: String) -> Operation { create(.message, ["text": .text(text)]) }

    static func update(_ record: Record, _ values: [String: Value], merge: MergeMode = .disjoint) -> Operation {
        Operation(
            kind: record.kind, id: record.id, action: .update(base: record.version, merge: merge, patch: patch(record.kind, values)))
    }

    static func delete(_ record: Record) -> Operation {
        Operation(kind: record.kind, id: record.id, action: .delete(base: record.version))
    }

    private static func patch(_ kind: Kind, _ values: [String: Value]) -> FieldPatch {
        FieldPatch(
            assignments: values.compactMap { name, value in
                kind.declaration.index(of: name).map { FieldPatch.Assignment(field: $0, value: value) }
            }.sorted { $0.field < $1.field })
    }
}
