import Bytes
import ClientWorld
import Family
@testable import Sync
import Testing
import Wire

/// The family in the server's state: the versions of the living records, including old messages.
private struct Truth {
    var living: [Identifier: Int64] = [World.id(20): 3, World.id(21): 1]
    /// The living messages that the snapshot leaves out.
    var old: [Identifier: Int64] = [:]

    private func sum(_ versions: [Identifier: Int64]) -> StateChecksum {
        versions.reduce(into: StateChecksum()) { $0.add($1.key, version: $1.value) }
    }

    var checksum: StateChecksum { sum(living) + sum(old) }
    var sums: SnapshotVerification { SnapshotVerification(checksum: checksum, unsent: sum(old)) }
}

@Suite("Sync engine: checksum, guarantees.md (verifiable)")
struct EngineChecksumTests {
    private static let ohio = World.school(20, "Ohio", version: 3)
    private static let iowa = World.school(21, "Iowa")

    private static func message(_ number: UInt64, _ text: String, version: Int64) -> Record {
        var fields = Fields(.message)
        fields["text"] = .text(text)
        return Record(
            kind: .message, id: World.id(number), athlete: nil, version: version, createdAt: 1, createdBy: World.parent, updatedAt: 1,
            updatedBy: World.parent, fields: fields)
    }

    private static func entry(_ record: Record, _ effect: ChangeEntry.Effect) -> ChangeEntry {
        ChangeEntry(kind: record.kind, id: record.id, version: record.version, effect: effect)
    }

    private static func edited(_ record: Record) -> ChangeEntry {
        entry(record, .update(World.patch(.message, ["text": record.fields["text"]]).assignments))
    }

    private static func restored(_ record: Record) -> ChangeEntry {
        entry(record, .restore(athlete: nil, fields: record.fields, createdAt: record.createdAt, createdBy: record.createdBy))
    }

    /// Takes an engine that was just asked to connect to `live`, with the snapshot of the two schools.
    @discardableResult
    private func enter(_ engine: inout SyncEngine, at sequence: Int64 = 10, _ sums: SnapshotVerification?, now: Int64 = 0) -> [SyncAction] {
        var actions = engine.connected(now: now)
        actions += engine.receive(World.welcome(), now: now)
        actions += engine.receive(World.joined(sequence, byChanges: false), now: now)
        actions += engine.receive(.snapshot(sequence: sequence, records: [Self.ohio, Self.iowa]), now: now)
        actions += engine.receive(.snapshotEnd(sequence: sequence, verification: sums), now: now)
        guard engine.phase == .syncing else { return actions }
        return actions + engine.receive(.live(sequence: sequence, checksum: sums?.checksum), now: now)
    }

    private func live(_ truth: Truth = Truth()) -> SyncEngine {
        var engine = SyncEngine(World.configuration())
        _ = engine.start(now: 0)
        enter(&engine, truth.sums)
        return engine
    }

    private func joins(_ actions: [SyncAction]) -> [Join] {
        actions.sent.compactMap { if case .join(let join) = $0 { join } else { nil } }
    }

    @Test("Creations, updates, deletions and restorations keep the checksum equal, for held records and old messages")
    func agrees() {
        var truth = Truth()
        truth.old = [World.id(40): 4, World.id(41): 1, World.id(42): 1]
        var engine = live(truth)
        #expect(engine.phase == .live)
        var sequence: Int64 = 10
        func follow(_ entries: [ChangeEntry], _ change: (inout Truth) -> Void) {
            change(&truth)
            sequence += 1
            _ = engine.receive(World.change(sequence, entries), now: 1)
            let actions = engine.receive(.checksum(sequence: sequence, truth.checksum), now: 1)
            #expect(actions == [], "after change \(sequence)")
        }
        follow([World.created(30, "Utah")]) { $0.living[World.id(30)] = 1 }
        follow([World.updated(20, version: 4, ["name": .text("Yale")]), World.updated(20, version: 5, ["notes": .text("x")])]) { $0.living[World.id(20)] = 5 }
        follow([Self.entry(World.school(21, "", version: 2), .delete)]) { $0.living[World.id(21)] = nil }
        follow([Self.restored(World.school(21, "Iowa", version: 3))]) { $0.living[World.id(21)] = 3 }
        // Messages older than the snapshot's.
        follow([Self.edited(Self.message(40, "again", version: 5))]) { $0.old[World.id(40)] = 5 }
        follow([Self.entry(Self.message(41, "", version: 2), .delete)]) { $0.old[World.id(41)] = nil }
        follow([Self.restored(Self.message(41, "back", version: 3))]) { $0.living[World.id(41)] = 3 }
        follow([Self.edited(Self.message(41, "held now", version: 4))]) { $0.living[World.id(41)] = 4 }
        follow([Self.entry(Self.message(40, "", version: 6), .delete), World.created(31, "Reed")]) {
            $0.old[World.id(40)] = nil
            $0.living[World.id(31)] = 1
        }
        #expect(engine.faultCount == 0)
    }

    /// A change by the server, with the altered form that reached the client.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let arrived: [ChangeEntry]
        let change: @Sendable (inout [Identifier: Int64], inout [Identifier: Int64]) -> Void
    }

    static let faults: [Fault] = [
        Fault(testDescription: "a missed change", arrived: []) { living, _ in living[World.id(30)] = 1 },
        Fault(testDescription: "a missed entry", arrived: [World.created(30, "Utah")]) { living, _ in
            living[World.id(30)] = 1
            living[World.id(31)] = 1
        },
        Fault(testDescription: "a wrong version", arrived: [entry(World.school(30, "Utah", version: 2), .create(athlete: nil, fields: iowa.fields))]) {
            living, _ in living[World.id(30)] = 1
        },
        Fault(testDescription: "a lost deletion", arrived: [World.created(30, "Utah")]) { living, _ in
            living[World.id(30)] = 1
            living[World.id(21)] = nil
        },
        Fault(testDescription: "a record that the server does not have", arrived: [World.created(30, "Utah")]) { _, _ in },
        Fault(testDescription: "an edit of an old message, missed", arrived: []) { _, old in old[World.id(40)] = 5 },
        Fault(testDescription: "a deletion of an old message, missed", arrived: []) { _, old in old[World.id(40)] = nil },
        Fault(testDescription: "an old message in a wrong version", arrived: [edited(message(40, "again", version: 6))]) { _, old in old[World.id(40)] = 5 },
        Fault(testDescription: "an old message deleted instead of edited", arrived: [entry(message(40, "", version: 5), .delete)]) { _, old in
            old[World.id(40)] = 5
        },
    ]

    @Test("The engine detects and reports a difference and loads a new snapshot; pending changes and drafts stay", arguments: faults)
    func planted(fault: Fault) throws {
        var truth = Truth()
        truth.old = [World.id(40): 4]
        var engine = live(truth)
        let waiting = try engine.perform([World.update(20, base: 3, ["notes": .text("mine")])], at: 1, now: 1).mutation
        fault.change(&truth.living, &truth.old)
        _ = engine.receive(World.change(11, fault.arrived), now: 1)
        #expect(engine.faultCount == 0 && engine.phase == .live)

        let actions = engine.receive(.checksum(sequence: 11, truth.checksum), now: 2)
        #expect(actions.notices == [.fault(.differs(sequence: 11))])
        #expect(actions.disconnects == [CloseCode.normal.rawValue])
        let wait = try #require(actions.connects.first)
        #expect((0...Backoff.first).contains(wait))
        #expect(engine.cursor == nil && engine.pending.map(\.id) == [waiting])
        #expect(engine.name(20) == "Ohio", "the records are shown until others are here")

        let again = enter(&engine, at: 11, Truth().sums, now: 3)
        #expect(joins(again) == [Join(family: World.family, client: World.client, differed: 11)])
        #expect(again.sentMutations == [waiting], "the same id is sent again")
        #expect(engine.phase == .live && engine.faultCount == 1)
        _ = engine.disconnected(closeCode: nil, now: 4)
        let later = engine.connected(now: 5) + engine.receive(World.welcome(), now: 5)
        #expect(joins(later).map(\.differed) == [nil], "it is reported once")
        #expect(joins(later).first?.cursor?.sequence == 11)
    }

    @Test("A difference is also detected in live, before the engine is live")
    func inLive() {
        var engine = live()
        _ = engine.disconnected(closeCode: nil, now: 1)
        var actions = engine.connected(now: 2)
        actions += engine.receive(World.welcome(), now: 2)
        actions += engine.receive(World.joined(11, byChanges: true), now: 2)
        _ = engine.receive(World.change(11, [World.created(30, "Utah")]), now: 2)
        actions = engine.receive(.live(sequence: 11, checksum: StateChecksum(7)), now: 2)
        #expect(actions.notices == [.fault(.differs(sequence: 11))])
        #expect(engine.phase == .offline && engine.cursor == nil)
    }

    @Test("A checksum of a later sequence means a missing change: the engine resumes from its cursor")
    func ahead() {
        var engine = live()
        let actions = engine.receive(.checksum(sequence: 11, StateChecksum(7)), now: 1)
        #expect(actions.notices.first == .fault(.gap(expected: 10, got: 11)))
        #expect(engine.cursor?.sequence == 10)
    }

    @Test("A checksum of an earlier sequence is ignored")
    func behind() {
        var engine = live()
        #expect(engine.receive(.checksum(sequence: 9, StateChecksum(7)), now: 1) == [])
        #expect(engine.phase == .live)
    }

    @Test("If the new snapshot differs too, the engine reports it once, and reloads after a minute, then two, up to an hour")
    func neverALoop() {
        var engine = live()
        let wrong = SnapshotVerification(checksum: StateChecksum(7), unsent: StateChecksum())
        var now: Int64 = 10
        #expect(engine.receive(.checksum(sequence: 10, StateChecksum(7)), now: now).disconnects.count == 1)
        var waits: [Int64] = []
        for _ in 0..<9 {
            let began = now
            let entered = enter(&engine, wrong, now: now)
            #expect(engine.phase == .live && entered.disconnects == [])
            #expect(entered.notices.filter { $0 == .fault(.differs(sequence: 10)) }.count == 1, "said once, in the snapshot and not again in live")
            while engine.phase == .live {
                now += 1_000
                let actions = engine.receive(.checksum(sequence: 10, StateChecksum(7)), now: now)
                #expect(actions.notices == (engine.phase == .live ? [] : [.fault(.differs(sequence: 10))]))
            }
            waits.append((now - began) / 1_000)
        }
        #expect(waits == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600])
    }

    @Test("After an hour without a difference the waits start from the beginning")
    func forgets() {
        var engine = live()
        _ = engine.receive(.checksum(sequence: 10, StateChecksum(7)), now: 10)
        enter(&engine, Truth().sums, now: 20)
        let later: Int64 = 10 + 60_000 + 3_600_001
        #expect(engine.receive(.checksum(sequence: 10, StateChecksum(7)), now: later).disconnects.count == 1)
        enter(&engine, Truth().sums, now: later)
        #expect(engine.receive(.checksum(sequence: 10, StateChecksum(7)), now: later + 59_999).disconnects == [])
        #expect(engine.receive(.checksum(sequence: 10, StateChecksum(7)), now: later + 60_000).disconnects.count == 1)
    }

    @Test("A server without checksums is trusted")
    func firstRelease() {
        var engine = SyncEngine(World.configuration())
        _ = engine.start(now: 0)
        enter(&engine, nil)
        _ = engine.receive(World.change(11, []), now: 1)
        #expect(engine.phase == .live && engine.faultCount == 0)
    }

    @Test("Records from a server without checksums are loaded again once from a server with them, without a report")
    func upgradedServer() {
        var engine = SyncEngine(World.configuration())
        _ = engine.start(now: 0)
        enter(&engine, nil)
        _ = engine.disconnected(closeCode: nil, now: 1)
        _ = engine.connected(now: 2)
        _ = engine.receive(World.welcome(), now: 2)
        _ = engine.receive(World.joined(10, byChanges: true), now: 2)
        let actions = engine.receive(.live(sequence: 10, checksum: Truth().checksum), now: 2)
        #expect(actions.notices == [] && actions.disconnects == [CloseCode.normal.rawValue])
        let again = enter(&engine, Truth().sums, now: 3)
        #expect(joins(again) == [Join(family: World.family, client: World.client)])
        #expect(engine.phase == .live && engine.faultCount == 0)
        // And not again, if the snapshot does not report the left-out records.
        var other = SyncEngine(World.configuration())
        _ = other.start(now: 0)
        enter(&other, nil)
        #expect(other.receive(.checksum(sequence: 10, StateChecksum(7)), now: 4).disconnects.count == 1)
        enter(&other, nil, now: 5)
        #expect(other.receive(.checksum(sequence: 10, StateChecksum(7)), now: 6) == [])
    }

    @Test("Another epoch begins with the checksum of its own snapshot")
    func epoch() {
        var engine = live()
        _ = engine.disconnected(closeCode: nil, now: 1)
        _ = engine.connected(now: 2)
        _ = engine.receive(World.welcome(), now: 2)
        _ = engine.receive(World.joined(5, byChanges: false, epoch: "e2"), now: 2)
        _ = engine.receive(.reset(.epochChanged), now: 2)
        _ = engine.receive(.snapshot(sequence: 5, records: [Self.iowa]), now: 2)
        let sums = SnapshotVerification(checksum: StateChecksum([Self.iowa]), unsent: StateChecksum())
        _ = engine.receive(.snapshotEnd(sequence: 5, verification: sums), now: 2)
        _ = engine.receive(.live(sequence: 5, checksum: sums.checksum), now: 2)
        #expect(engine.phase == .live && engine.faultCount == 0)
    }

    @Test("A program that only follows the log holds nothing to compare")
    func follower() {
        var configuration = World.configuration()
        configuration.holdsRecords = false
        var engine = SyncEngine(configuration)
        _ = engine.start(now: 0)
        enter(&engine, Truth().sums)
        #expect(engine.receive(.checksum(sequence: 10, StateChecksum(7)), now: 1) == [])
        #expect(engine.phase == .live)
    }

    @Test("Records of a kind from a newer server count as records that are not held")
    func unknownKinds() throws {
        let (goal, iowa) = (World.id(50), World.id(21))
        func envelope(_ version: Int64) -> String {
            """
            "kind":"goal","id":"\(goal)","version":\(version),"created_at":1,"created_by":"\(World.parent)","updated_at":1,"updated_by":"\(World.parent)"
            """
        }
        func sum(_ versions: [Identifier: Int64]) -> StateChecksum { versions.reduce(into: StateChecksum()) { $0.add($1.key, version: $1.value) } }
        var engine = SyncEngine(World.configuration())
        _ = engine.start(now: 0)
        _ = engine.connected(now: 0)
        _ = engine.receive(World.welcome(), now: 0)
        _ = engine.receive(World.joined(10, byChanges: false), now: 0)
        func receive(_ text: String) throws -> [SyncAction] { engine.receive(try ServerFrame.decode(Array(text.utf8)), now: 1) }
        _ = engine.receive(.snapshot(sequence: 10, records: [Self.iowa]), now: 0)
        _ = try receive("{\"type\":\"snapshot\",\"seq\":10,\"records\":[{\(envelope(4)),\"fields\":{\"name\":\"x\"}}]}")
        let sums = SnapshotVerification(checksum: sum([iowa: 1, goal: 4]), unsent: StateChecksum())
        _ = engine.receive(.snapshotEnd(sequence: 10, verification: sums), now: 0)
        _ = engine.receive(.live(sequence: 10, checksum: sums.checksum), now: 0)
        var sequence: Int64 = 10
        func follow(_ op: String, _ version: Int64, _ living: [Identifier: Int64]) throws {
            sequence += 1
            _ = try receive(
                """
                {"type":"change","seq":\(sequence),"at":1,"member":"\(World.parent)","changes":[{"op":"\(op)","kind":"goal","id":"\(goal)","version":\(version)}]}
                """)
            #expect(engine.receive(.checksum(sequence: sequence, sum(living)), now: 1) == [], "\(op)")
        }
        try follow("update", 5, [iowa: 1, goal: 5])
        try follow("delete", 6, [iowa: 1])
        try follow("restore", 7, [iowa: 1, goal: 7])
        #expect(engine.phase == .live && engine.faultCount == 0)
    }
}
