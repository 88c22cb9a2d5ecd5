import Bytes
import ClientWorld
import EngineScripts
import Family
import Sync
import Testing
import Wire

/// The inputs and actions of the engine are in `proto/sync`, for engines in all languages. Here are the tests over many
/// engines, or over limits too large for a script.
@Suite("Sync engine: scripts of proto/sync, waits, bounds")
struct EngineScriptTests {
    static let scripts = (try? EngineScript.all(in: NodeProgram.root + "/proto/sync")) ?? []

    @Test("The engine passes every script", arguments: scripts)
    func passes(script: EngineScript) {
        let difference = script.difference()
        #expect(difference == nil, "\(difference ?? "")")
    }

    @Test("There are scripts, and each subject has some")
    func all() {
        #expect(Set(Self.scripts.map(\.file)) == ["checksum.json", "conflicts.json", "connection.json", "mutations.json", "undo.json"])
        #expect(Self.scripts.count > 110)
    }

    /// Ways in which an engine could act wrongly.
    static let faults: [(name: String, alter: @Sendable (inout [SyncAction]) -> Void)] = [
        ("an action is missing", { _ = $0.popLast() }),
        ("an action is done twice", { if let last = $0.last { $0.append(last) } }),
        ("the order is reversed", { $0.reverse() }),
        ("a wait is too long", { $0 = $0.map { if case .connect = $0 { .connect(afterMilliseconds: 100_000) } else { $0 } } }),
        ("a frame has another mutation id", { actions in
            actions = actions.map { if case .send(.mutation(let id, let body, let overlap)) = $0 { .send(.mutation(id: id + 1, body: body, overlap: overlap)) } else { $0 } }
        }),
        ("a close code is wrong", { $0 = $0.map { if case .disconnect = $0 { .disconnect(closeCode: 1006) } else { $0 } } }),
    ]

    @Test("The run of a script detects an engine that acts wrongly", arguments: faults.map(\.name))
    func fails(fault: String) throws {
        let alter = try #require(Self.faults.first { $0.name == fault }?.alter)
        let caught = Self.scripts.count { $0.difference(alter: alter) != nil }
        #expect(caught > 10, "only \(caught) scripts notice that \(fault)")
    }

    @Test("The run of a script detects another state, another result, and a symbol that stands for two ids")
    func failsByState() throws {
        let script = try #require(Self.scripts.first { $0.name == "A mutation is shown and sent immediately, and confirmed by its change" })
        func altered(_ alter: (inout [String: JSONValue]) -> Void) -> EngineScript {
            EngineScript(file: script.file, name: script.name, configuration: script.configuration, steps: script.steps.map { step in
                var members = step.members ?? [:]
                if members["do"] == .text("perform") { alter(&members) }
                return .object(members)
            })
        }
        #expect(altered { _ in }.difference() == nil)
        #expect(altered { $0["state"] = nil }.difference()?.contains("state") == true)
        #expect(altered { $0["state"] = .object(["phase": .text("live")]) }.difference() != nil)
        #expect(altered { $0["result"] = .object(["refused": .null]) }.difference()?.contains("result") == true)
        #expect(altered { $0["result"] = .object(["mutation": .text("#2")]) }.difference() != nil)
    }

    @Test("The returns of a thousand clients with different times stay apart")
    func spread() {
        var arrivals: [Int64] = []
        for number in 0..<1_000 {
            var engine = SyncEngine(World.configuration(seed: UInt64(number)))
            _ = engine.start(now: 0)
            World.enter(&engine)
            _ = engine.receive(.drain(retryAfter: 500 + Int64(number)), now: 1)
            arrivals += engine.disconnected(closeCode: CloseCode.restarting.rawValue, now: 2).connects
        }
        let busiest = Dictionary(grouping: arrivals) { $0 / 100 }.values.map(\.count).max() ?? 0
        #expect(arrivals.count == 1_000 && busiest < 150, "\(busiest) in a tenth of a second")
    }

    @Test("The engine holds reminders until a device has seen them, at most 200, and drops them with a join, which brings them again")
    func reminders() {
        func reminder(_ lead: Int64) -> Reminder {
            Reminder(
                kind: .event, key: Reminder.Key(item: World.id(20), lead: lead, start: 5), state: .due, when: "2026-04-15", title: "Upcoming: Camp",
                body: "No location")
        }
        var engine = World.live()
        for lead in [30, 60, 30] as [Int64] { _ = engine.receive(.reminder(reminder(lead)), now: 1) }
        #expect(engine.reminders.map(\.key.lead) == [60, 30])
        _ = engine.receive(.reminderSeen(reminder(60).key), now: 2)
        #expect(engine.reminders.map(\.key.lead) == [30])
        let sent = engine.see([reminder(30).key, reminder(60).key], now: 3).compactMap { action in
            if case .send(let frame) = action { frame } else { nil }
        }
        #expect(sent == [.reminderSeen(reminder(30).key)] && engine.reminders.isEmpty)
        for lead in 0..<205 as Range<Int64> { _ = engine.receive(.reminder(reminder(lead)), now: 4) }
        #expect(engine.reminders.count == 200 && engine.reminders.first?.key.lead == 5)
        _ = engine.disconnected(closeCode: nil, now: 5)
        #expect(engine.see([reminder(9).key], now: 6).isEmpty, "offline nothing is reported")
        _ = World.resume(&engine, at: 10)
        #expect(engine.reminders.isEmpty)
    }

    @Test("Waits grow to 15 s with full jitter and start from the beginning after live")
    func backoff() {
        var engine = World.live()
        var waits: [Int64] = []
        for attempt in 0..<200 {
            let wait = engine.disconnected(closeCode: nil, now: Int64(attempt)).connects.first ?? -1
            let ceiling: Int64 = min(15_000, 250 << Int64(min(attempt, 10)))
            #expect((0...ceiling).contains(wait), "attempt \(attempt)")
            waits.append(wait)
        }
        #expect(waits.max() ?? 0 > 12_000)
        #expect(waits.suffix(100).min() ?? .max < 3_000)
        _ = World.resume(&engine, at: 10)
        #expect(engine.disconnected(closeCode: nil, now: 0).connects.first ?? .max <= 250)
    }

    @Test("Ids grow, follow the wall clock, and stay below 2^53", arguments: [0, 1_795_000_000_000, Int64.max, -5])
    func ids(at: Int64) throws {
        var engine = World.live()
        let first = try engine.perform([World.create(40, "A")], at: at, now: 1).mutation
        let second = try engine.perform([World.create(41, "A")], at: at, now: 1).mutation
        #expect(first >= 1 && second > first && second < 1 << 53)
    }

    @Test("A draft of a deleted record is sent again with the restore before it, or not at all: with a full queue and with smaller limits", arguments: [true, false])
    func retriesWhole(isFull: Bool) throws {
        var engine = World.live()
        _ = engine.receive(World.change(11, [World.updated(20, version: 4, ["name": .text("A")])]), now: 1)
        let draft = try engine.perform([World.update(20, base: 4, ["notes": .text("mine")]), World.update(21, base: 1, ["notes": .text("mine")])], at: 5, now: 1).mutation
        var theirs = World.school(20, "A", version: 5)
        theirs.deletedAt = 2
        _ = engine.receive(.reject(mutation: draft, Rejection(.conflict, "Somebody deleted it.", conflict: Conflict(record: theirs, fields: []))), now: 2)
        #expect(engine.drafts.map(\.id) == [draft])
        if isFull {
            while engine.pending.count + engine.drafts.count < SyncEngine.maxWaiting { _ = try engine.perform([World.create(1_000 + UInt64(engine.pending.count), "A")], at: 6, now: 3) }
        } else {
            // The server that answers now takes one record in a change.
            _ = engine.disconnected(closeCode: nil, now: 3)
            var limits = Limits()
            limits.operationsPerMutation = 1
            _ = engine.start(now: 4)
            World.enter(&engine, limits: limits, at: 11, now: 4)
        }
        let before = engine.pending.count
        #expect(throws: Rejection.self) { try engine.retry(draft: draft, at: 7, now: 5) }
        #expect(engine.pending.count == before && engine.drafts.map(\.id) == [draft], "nothing of it is requested")
    }

    @Test("The number of pending mutations is bounded")
    func bounded() throws {
        var engine = SyncEngine(World.configuration())
        for number in 0..<SyncEngine.maxWaiting { _ = try engine.perform([World.create(1_000 + UInt64(number), "A")], at: 0, now: 1) }
        #expect(throws: Rejection.self) { try engine.perform([World.create(1, "A")], at: 0, now: 1) }
        #expect(engine.pending.count == SyncEngine.maxWaiting)
    }
}
