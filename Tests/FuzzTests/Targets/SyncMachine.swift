import Bytes
import Family
@testable import Sync
import Wire

/// The client's engine in front of a server that may send any frames, on a network that ends at any time.
///
/// Invariants: nothing is sent without a connection or after a stop, at most one mutation of a record is in flight, the
/// pending mutations are bounded and the counters match, mutation ids grow, and no request disappears without a result.
struct SyncMachine {
    private static func id(_ number: Int) -> Identifier { Identifier(high: 0x0193_0000_0000_7000, low: UInt64(number) + 1) }

    private var choices: Choices
    private var engine: SyncEngine
    private var now: Int64 = 0
    private var isConnected = false
    private var isStopped = true
    private var wantsConnection = false
    private var open: Set<Int64> = []
    private var lastAsked: Int64 = 0

    init(_ octets: [UInt8]) {
        var choices = Choices(octets)
        let holds = choices.below(4) != 0
        engine = SyncEngine(
            SyncEngine.Configuration(
                token: "t", client: Self.id(100), family: choices.chance() ? Self.id(50) : nil,
                cursor: holds || choices.chance() ? nil : Cursor(epoch: "e", sequence: 3),
                resumeAfter: holds || choices.chance() ? nil : 2, holdsRecords: holds, seed: 7))
        self.choices = choices
    }

    mutating func run() throws {
        var steps = 0
        while !choices.isEmpty, steps < 2_000 {
            steps += 1
            try step()
            try look()
        }
    }

    private mutating func step() throws {
        switch choices.below(16) {
        case 0: try take(engine.start(now: now))
        case 1, 2:
            guard wantsConnection, !isConnected else { return }
            isConnected = true
            wantsConnection = false
            try take(engine.connected(now: now))
        case 3:
            guard isConnected || wantsConnection else { return }
            isConnected = false
            wantsConnection = false
            try take(
                engine.disconnected(closeCode: choices.pick([nil, 1000, 1001, 1006, 1007, 1008, 1009, 4001, 4500, 4501, 4502]), now: now))
        case 4:
            now += Int64(choices.pick([0, 1, 50, 1_000, 31_000]))
            try take(engine.timerFired(now: now))
        case 5: try take(engine.setContext(context(), now: now))
        case 6:
            let limit = 1 + choices.below(200)
            let asked = engine.ask(now: now) { .list(ListRequest(request: $0, kind: .message, limit: limit)) }
            if let (_, actions) = asked { try take(actions) }
        case 7, 8: try perform()
        case 9:
            guard let draft = engine.drafts.randomElement(&choices) else { return }
            if choices.chance() {
                try hold(engine.drop(draft: draft.id) == draft, "another draft was dropped")
            } else if let (mutation, actions) = try? engine.retry(draft: draft.id, at: now, now: now) {
                // A restoration that was needed first is a mutation of its own.
                open.formUnion(engine.pending.map(\.id))
                open.insert(mutation)
                lastAsked = max(lastAsked, mutation)
                try take(actions)
            }
        case 10:
            if choices.below(8) == 0 { try take(engine.signOut(now: now)) } else { engine.choose(Self.id(50)) }
        default:
            guard isConnected else { return }
            try take(engine.receive(frame(), now: now))
        }
    }

    private mutating func perform() throws {
        let operations = (0..<1 + choices.below(3)).map { _ in operation() }
        guard let (mutation, actions) = try? engine.perform(operations, at: choices.chance() ? now : 0, now: now) else { return }
        // A folded edit gets its result under the number of the mutation that it joined.
        try hold(mutation > lastAsked || open.contains(mutation), "mutation \(mutation) after \(lastAsked)")
        lastAsked = max(lastAsked, mutation)
        open.insert(mutation)
        try take(actions)
    }

    private mutating func take(_ actions: [SyncAction]) throws {
        for action in actions {
            switch action {
            case .send(let frame):
                try hold(isConnected && !isStopped, "sent without a connection: \(frame)")
                _ = try ClientFrame.decode(frame.encode(), limits: Limits())
            case .connect:
                wantsConnection = true
                isStopped = false
            case .disconnect:
                try hold(isConnected, "a connection is closed that is not open")
                isConnected = false
            case .stop:
                isStopped = true
                isConnected = false
                wantsConnection = false
            case .wake(let after): try hold(after >= 0, "a timer in the past")
            case .changed(let ids): try hold(ids == Set(ids).sorted() && !ids.isEmpty, "records are reported twice, or none")
            case .replaced: break
            case .notify(.acknowledged(let ack)):
                try hold(open.remove(ack.mutation) != nil, "mutation \(ack.mutation) is acknowledged unasked, or twice")
            case .notify(.rejected(let mutation, _)):
                try hold(open.remove(mutation) != nil, "mutation \(mutation) is refused unasked, or twice")
            case .notify(.offline(_, let wait)): try hold((0...60_000).contains(wait), "a wait of \(wait) ms")
            case .notify: break
            }
        }
    }

    private func look() throws {
        let pending = engine.pending
        try hold(pending.count + engine.drafts.count <= SyncEngine.maxWaiting, "\(pending.count) mutations wait")
        try hold(Set(pending.map(\.id)).count == pending.count, "a mutation waits twice")
        for mutation in open { try hold(pending.contains { $0.id == mutation }, "mutation \(mutation) is gone unanswered") }
        var touches: [Identifier: Int] = [:]
        for operation in pending.flatMap(\.operations) { touches[operation.id, default: 0] += 1 }
        try hold(engine.touchCount == touches, "touches are miscounted")
        try hold(engine.suspects == pending.count { $0.complaints > 0 }, "suspects are miscounted")
        try hold(Set(engine.overlay.keys).isSubset(of: touches.keys), "a record shows changes that nobody waits for")
        try hold(isConnected || !pending.contains(where: \.isInFlight), "a mutation is under way without a connection")
        var busy: Set<Identifier> = []
        for mutation in pending where mutation.isInFlight {
            let ids = Set(mutation.operations.map(\.id))
            try hold(busy.isDisjoint(with: ids), "two mutations of one record are under way")
            busy.formUnion(ids)
        }
        _ = Kind.allCases.map { engine.records(of: $0) }
    }

    // MARK: Frames to send

    private mutating func context() -> Context { choices.chance() ? .all : .athlete(Self.id(choices.below(3))) }

    private mutating func version() -> Int64 { Int64(choices.below(5)) + 1 }

    private mutating func sequence() -> Int64 {
        // Mostly valid next frames, so that a program makes progress.
        choices.below(4) != 0 ? (engine.cursor?.sequence ?? 0) + 1 : Int64(choices.below(12)) + 1
    }

    private mutating func patch(_ kind: Kind) -> FieldPatch {
        let count = kind.declaration.fields.count
        var fields: Set<Int> = []
        for _ in 0..<choices.below(3) { fields.insert(choices.below(count)) }
        return FieldPatch(
            assignments: fields.sorted().compactMap { field in
                switch kind.declaration.fields[field].type {
                case .line, .text, .url: .init(field: field, value: choices.chance() ? .text("x") : nil)
                default: nil
                }
            })
    }

    private mutating func operation() -> Operation {
        let kind = choices.pick([Kind.event, .school, .message])
        let action: Operation.Action =
            switch choices.below(4) {
            case 0: .create(athlete: choices.chance() ? Self.id(0) : nil, patch: patch(kind))
            case 1: .update(base: version(), merge: choices.chance() ? .none : .disjoint, patch: patch(kind))
            case 2: .delete(base: version())
            default: .restore(base: version())
            }
        return Operation(kind: kind, id: Self.id(10 + choices.below(4)), action: action)
    }

    private mutating func record() -> Record {
        let kind = choices.pick([Kind.event, .school, .message])
        return Record(
            kind: kind, id: Self.id(10 + choices.below(4)), athlete: nil, version: version(), createdAt: 1, createdBy: Self.id(0),
            updatedAt: 1,
            updatedBy: Self.id(0), deletedAt: choices.below(4) == 0 ? 2 : nil, fields: Fields(kind))
    }

    private mutating func mutation() -> Int64 {
        engine.pending.randomElement(&choices)?.id ?? Int64(choices.below(4)) + 1
    }

    private mutating func change() -> Change {
        let isOwn = choices.chance()
        return Change(
            sequence: sequence(), at: 1, member: Self.id(0), client: isOwn ? Self.id(100) : nil, mutation: isOwn ? mutation() : nil,
            entries: (0..<1 + choices.below(2)).map { _ in
                let record = record()
                // Mostly the next version.
                let version = choices.below(4) != 0 ? (engine.confirmedRecord(record.id)?.version ?? 0) + 1 : record.version
                let effect: ChangeEntry.Effect =
                    switch choices.below(4) {
                    case 0: .create(athlete: nil, fields: record.fields)
                    case 1: .update(patch(record.kind).assignments)
                    case 2: .delete
                    default: .restore(athlete: nil, fields: record.fields, createdAt: 1, createdBy: Self.id(0))
                    }
                return ChangeEntry(
                    kind: engine.confirmedRecord(record.id)?.kind ?? record.kind, id: record.id, version: version, effect: effect)
            })
    }

    private mutating func rejection() -> Rejection {
        Rejection(
            choices.pick(ErrorCode.allCases), "No.", retryAfter: choices.chance() ? Int64(choices.octet()) * 100 : nil,
            conflict: choices.below(4) == 0 ? Conflict(record: record(), fields: []) : nil)
    }

    private mutating func frame() -> ServerFrame {
        switch choices.below(18) {
        case 0, 1:
            var limits = Limits()
            limits.pendingMutations = choices.pick([128, 1, 0, -1, 2])
            limits.operationsPerMutation = choices.pick([100, 1, 0])
            return .welcome(
                Welcome(
                    protocol: choices.below(8) == 0 ? 2 : 1, server: "s", time: 1,
                    memberships: (0..<1 + choices.below(2)).map {
                        Membership(family: Self.id(50 + $0), name: "F", member: Self.id(0), role: .parent)
                    },
                    limits: limits))
        case 2, 3:
            return .joined(
                Joined(
                    epoch: choices.below(4) == 0 ? "f" : "e", sequence: sequence(), family: Self.id(50), member: Self.id(0), role: .parent,
                    context: .all,
                    resumesByChanges: choices.chance(), presence: []))
        case 4: return .reset(.epochChanged)
        case 5: return .snapshot(sequence: sequence(), records: (0..<choices.below(4)).map { _ in record() })
        case 6: return .snapshotEnd(sequence: sequence())
        case 7, 8: return .change(change())
        case 9: return .live(sequence: engine.cursor?.sequence ?? sequence())
        case 10:
            return .ack(
                Ack(
                    mutation: mutation(), sequence: choices.chance() ? sequence() : nil,
                    records: [.init(id: Self.id(10 + choices.below(4)), version: version())]))
        case 11: return .reject(mutation: mutation(), rejection())
        case 12:
            if choices.below(4) == 0 { return choices.chance() ? .pong(request: 1) : .activity(MemberActivity(member: Self.id(0), Activity(.typing))) }
            return .presence(Presence(member: Self.id(choices.below(3)), connections: choices.below(3), context: .all))
        case 13: return choices.chance() ? choices.chance() ? .context(context()) : .tagged(.context(context()), request: 1) : .role(.guest)
        case 14: return .page(Page(request: 1, sequence: 1, records: [record()]))
        case 15: return choices.below(4) == 0 ? .signedOut : choices.chance() ? .drain(retryAfter: sequence()) : .unknown(type: "x")
        case 16: return .error(rejection(), request: choices.chance() ? Int64(choices.below(3)) : nil)
        default: return (try? ServerFrame.decode(choices.take(200))) ?? .live(sequence: sequence())
        }
    }
}

extension Array {
    fileprivate func randomElement(_ choices: inout Choices) -> Element? { isEmpty ? nil : self[choices.below(count)] }
}
