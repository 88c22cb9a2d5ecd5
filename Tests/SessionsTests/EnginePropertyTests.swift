import Bytes
import ClientWorld
import Family
import Locks
import Sessions
import Sync
import TestSupport
import Testing
import Wire

/// Several engines and a simple server on links that lose everything in flight when they are cut. All state is in
/// values, all randomness comes from one seed.
struct EngineWorld {
    struct Link {
        var isOpen = false
        var isJoined = false
        var toServer: [ClientFrame] = []
        var toClient: [ServerFrame] = []
        var connectAt: Int64?
        var wakeAt: Int64?
    }

    var random: SplitMix64
    var server = NaiveServer()
    var engines: [SyncEngine] = []
    var links: [Link] = []
    var now: Int64 = 0
    var acknowledged: [Int: Set<Int64>] = [:]
    var performed: [Int: Set<Int64>] = [:]
    var rejected: [Int: Set<Int64>] = [:]
    /// For each new value, the value that its author saw and replaced.
    var seen: [String: Set<String>] = [:]
    var nextTag = 0
    var problems: [String] = []
    /// The probabilities per step, in percent.
    var cuts = 3
    /// The durable state outside an engine, if there is any (`DurableWorld`).
    var durables: [DurableSide?] = []
    /// The probability in a thousand that a client is killed while it handles an input.
    var deaths = 0
    var places: [CachePlace] = []
    /// The server's state at each sequence.
    var states: [Int64: [Identifier: Record]] = [0: [:]]
    /// The drafts that their author dropped or sent again.
    var decided: [Int: Set<Int64>] = [:]
    /// The mutations that were reported to their author as waiting, and that are stored.
    var promised: [Int: Set<Int64>] = [:]
    /// The mutations that cancelled out before they were sent.
    var foldedAway: [Int: Set<Int64>] = [:]
    /// The number of kills and restarts.
    var killed = 0

    init(seed: UInt64, clients: Int) {
        random = SplitMix64(seed: seed)
        for index in 0..<clients {
            engines.append(SyncEngine(.init(token: "t", client: World.id(100 + UInt64(index)), seed: seed &+ UInt64(index))))
            links.append(Link())
        }
        for index in engines.indices {
            let actions = engines[index].start(now: 0)
            carryOut(actions, index)
        }
    }

    mutating func carryOut(_ actions: [SyncAction], _ index: Int) {
        var actions = actions
        if !durables.isEmpty {
            if isKilled() { return die(index) }
            actions += durables[index]?.follow(actions, &engines[index], now: now) ?? []
        }
        for action in actions {
            if !durables.isEmpty, isKilled() { return die(index) }
            switch action {
            case .send(let frame):
                if links[index].isOpen { links[index].toServer.append(frame) } else { problems.append("sent without a connection") }
            case .connect(let after): links[index].connectAt = now + after
            case .disconnect: links[index] = Link(connectAt: links[index].connectAt, wakeAt: links[index].wakeAt)
            case .wake(let after): links[index].wakeAt = now + after
            case .stop(let reason): problems.append("stopped: \(reason)")
            case .notify(.acknowledged(let ack)):
                if ack.sequence == nil, ack.records.isEmpty { foldedAway[index, default: []].insert(ack.mutation) }
                let isNew = acknowledged[index, default: []].insert(ack.mutation).inserted
                if !isNew { problems.append("acknowledged twice: \(ack.mutation)") }
            case .notify(.rejected(let id, _)): rejected[index, default: []].insert(id)
            case .notify(.fault(let fault)): problems.append("fault: \(fault)")
            case .changed, .replaced, .notify: break
            }
        }
    }

    mutating func step() {
        now += Int64.random(in: 0...40, using: &random)
        let index = Int.random(in: engines.indices, using: &random)
        if let at = links[index].connectAt, at <= now, !links[index].isOpen {
            links[index].connectAt = nil
            if random.chance(20) {
                carryOut(engines[index].disconnected(closeCode: nil, now: now), index)
            } else {
                links[index].isOpen = true
                carryOut(engines[index].connected(now: now), index)
            }
        }
        if let at = links[index].wakeAt, at <= now {
            links[index].wakeAt = nil
            carryOut(engines[index].timerFired(now: now), index)
        }
        if random.chance(cuts) { cut(index) }
        if random.chance(60), !links[index].toServer.isEmpty { serve(index, links[index].toServer.removeFirst()) }
        if random.chance(70), !links[index].toClient.isEmpty {
            carryOut(engines[index].receive(links[index].toClient.removeFirst(), now: now), index)
        }
    }

    mutating func cut(_ index: Int) {
        guard links[index].isOpen else { return }
        // Frames in flight to the server may still arrive: a commit whose response is lost.
        for frame in links[index].toServer where random.chance(50) { serve(index, frame) }
        let code: UInt16? = [nil, 1001, 4000, 4001].randomElement(using: &random) ?? nil
        links[index] = Link(wakeAt: links[index].wakeAt)
        carryOut(engines[index].disconnected(closeCode: code, now: now), index)
    }

    mutating func serve(_ index: Int, _ frame: ClientFrame) {
        switch frame {
        case .signIn:
            links[index].toClient.append(World.welcome())
        case .join(let join):
            let frames = server.join(join)
            if case .joined? = frames.first { links[index].isJoined = true }
            links[index].toClient += frames
        case .mutation(let id, .operations(let operations), _):
            if random.chance(5) {
                let refusal = Rejection(.busy, "busy", retryAfter: Int64.random(in: 0...300, using: &random))
                links[index].toClient.append(.reject(mutation: id, refusal))
                return
            }
            let seen = seen
            let found = Lock<[String]>([])
            server.willApply = { _, operation, record in
                let overwritten = EngineWorld.overwritten(operation, record, seen)
                found.withLock { $0 += overwritten }
            }
            let (answer, change) = server.mutate(World.id(100 + UInt64(index)), id, operations)
            states[server.head] = server.records
            problems += found.withLock { $0 }
            links[index].toClient.append(answer)
            guard let change else { return }
            for other in links.indices where links[other].isJoined {
                links[other].toClient.append(.change(change))
                // A false alarm would be a fault.
                if change.sequence % 3 == 0 { links[other].toClient.append(.checksum(sequence: change.sequence, server.checksum)) }
            }
        default: problems.append("unexpected \(frame)")
        }
    }

    /// The fields whose value on the server was never seen by the author of the replacing value.
    static func overwritten(_ operation: Operation, _ record: Record, _ seen: [String: Set<String>]) -> [String] {
        guard let patch = operation.patch else { return [] }
        return patch.assignments.compactMap { assignment in
            guard case .text(let new)? = assignment.value, case .text(let current)? = record.fields[assignment.field] else { return nil }
            var reached: Set<String> = [new]
            var edge = [new]
            while let tag = edge.popLast() {
                for over in seen[tag] ?? [] where reached.insert(over).inserted { edge.append(over) }
            }
            return reached.contains(current) ? nil : "\(new) overwrote \(current), which its author never saw"
        }
    }

    mutating func act() {
        let index = Int.random(in: engines.indices, using: &random)
        if let draft = engines[index].drafts.first, random.chance(50) {
            decided[index, default: []].insert(draft.id)
            if random.chance(50) {
                _ = engines[index].drop(draft: draft.id)
                return
            }
            // "Keep mine": the author sees the conflict and the record.
            for operation in draft.operations {
                let shown = [engines[index].record(operation.id), draft.rejection.conflict?.record]
                for assignment in operation.patch?.assignments ?? [] {
                    guard case .text(let mine)? = assignment.value else { continue }
                    for case .text(let theirs)?? in shown.map({ $0?.fields[assignment.field] }) where theirs != mine {
                        seen[mine, default: []].insert(theirs)
                    }
                }
            }
            if let result = try? engines[index].retry(draft: draft.id, at: 0, now: now) {
                performed[index, default: []].insert(result.mutation)
                for action in result.actions {
                    if case .send(.mutation(let id, _, _)) = action { performed[index, default: []].insert(id) }
                }
                performed[index, default: []].formUnion(engines[index].pending.map(\.id))
                carryOut(result.actions, index)
            }
            return
        }
        let operations = (0..<(random.chance(15) ? 2 : 1)).compactMap { _ in operation(index) }
        guard !operations.isEmpty, Set(operations.map(\.id)).count == operations.count else { return }
        guard let (id, actions) = try? engines[index].perform(operations, at: 0, now: now) else {
            problems.append("refused locally")
            return
        }
        performed[index, default: []].insert(id)
        let lives = killed
        carryOut(actions, index)
        if !durables.isEmpty, killed == lives, durables[index]?.keepsWhatWaits == true { promised[index, default: []].insert(id) }
    }

    private mutating func operation(_ index: Int) -> Operation? {
        nextTag += 1
        let tag = "v\(nextTag)"
        let known = engines[index].records(of: .school)
        guard let record = known.randomElement(using: &random), known.count >= 4, !random.chance(10) else {
            return World.create(1_000 + UInt64(nextTag), tag)
        }
        if random.chance(8) {
            return Operation(kind: .school, id: record.id, action: .delete(base: record.version))
        }
        let name = ["name", "notes", "location"].randomElement(using: &random) ?? "name"
        if let old = record.fields.text(name) { seen[tag, default: []].insert(old) }
        let merge: MergeMode = random.chance(80) ? .disjoint : .none
        return World.update(record.id, base: record.version, merge: merge, [name: .text(tag)])
    }

    /// Whether every client is live, waits for nothing and has the server's state.
    // Swift 6.3.1 crashes when it optimises this, as it does for the address sanitizer.
    @_optimize(none) private var isSettled: Bool {
        for engine in engines where engine.phase != .live || !engine.pending.isEmpty || engine.cursor?.sequence != server.head { return false }
        return true
    }

    mutating func settle() {
        cuts = 0
        var steps = 0
        repeat {
            step()
            steps += 1
        } while !isSettled && steps < 40_000
        if !isSettled { problems.append("did not settle: \(engines.map { "\($0.phase) \($0.pending.count)" })") }
    }

    mutating func restart(losesLog: Bool, newEpoch: Bool) {
        for index in links.indices { cut(index) }
        if losesLog { server.floor = server.head }
        if newEpoch { server.epoch += "x" }
    }
}

@Suite("Sync engine against a naive server with cuts, restarts and refusals")
struct EnginePropertyTests {
    @Test("Nothing is lost, doubled or overwritten unseen, and all clients are equal at the end", arguments: 0..<40)
    func convergence(seed: Int) {
        var world = EngineWorld(seed: UInt64(seed), clients: 3)
        for step in 0..<1_500 {
            world.step()
            if world.random.chance(12) { world.act() }
            if step % 400 == 399 { world.restart(losesLog: world.random.chance(40), newEpoch: world.random.chance(30)) }
        }
        world.settle()
        #expect(world.problems == [], "seed \(seed)")
        for (index, engine) in world.engines.enumerated() {
            #expect(engine.confirmedRecords == world.server.records, "seed \(seed), client \(index)")
            #expect(engine.records(of: .school) == world.server.records.values.filter { !$0.isDeleted }.sorted { $0.id < $1.id })
            let done = world.acknowledged[index, default: []]
            let refused = world.rejected[index, default: []]
            #expect(done.isDisjoint(with: refused), "seed \(seed), client \(index)")
            #expect(done.union(refused) == world.performed[index, default: []], "seed \(seed), client \(index): each has one end")
            let logged = world.server.log.filter { $0.client == engine.configuration.client }.compactMap(\.mutation)
            #expect(Set(logged).count == logged.count, "seed \(seed), client \(index): committed once")
            #expect(done.isSuperset(of: logged), "seed \(seed), client \(index): its author knows")
        }
        #expect(world.server.log.map(\.sequence) == (0..<world.server.log.count).map { Int64($0 + 1) })
    }
}
