import Bytes
import Family
import Ledger
import Store
import StoreMemory
import Testing
import Wire

@Suite("Documents and share links in a batch with mutations, guarantees.md (durable, exactly-once)", .bothEngines)
struct BatchRequestTests {
    private struct Fixture {
        let world: World
        let home: World.Home
        let leo: Identifier
        let rice: Identifier
        let shared: Identifier

        init() throws {
            world = try World()
            home = try world.home()
            leo = try world.athlete(home)
            rice = world.newID()
            shared = world.newID()
            try world.mutate(home, home.parent, school(rice, "Rice"))
            try world.add(world.document(home, leo, id: shared, octets: 77))
        }

        func share(_ school: Identifier? = nil, document: Identifier? = nil) -> BatchRequest {
            .share(NewShare(family: home.family, member: home.parent, document: document ?? shared, school: school ?? rice))
        }

        func opens(_ answer: BatchAnswer?) throws -> Bool {
            guard case .share(let created)? = answer else { return false }
            return try world.reader.share(token: created.token) != nil
        }
    }

    private static func changes(_ report: CommitReport) -> [Int64] {
        report.results.compactMap { if case .change(let change) = $0 { change.sequence } else { nil } }
    }

    private static func code(_ answer: BatchAnswer?) -> ErrorCode? { if case .refused(let rejection)? = answer { rejection.code } else { nil } }

    @Test("A mutation, two documents and a link are one batch with one order; each request is decided on those before it")
    func together() throws {
        let fixture = try Fixture()
        let (world, home) = (fixture.world, fixture.home)
        let reed = world.newID()
        let (first, second) = (world.newID(), world.newID())
        let head = try world.snapshot(home).sequence
        let report = try world.store.commit(
            [world.proposal(home, home.parent, [school(reed, "Reed")])],
            requests: [
                .document(world.document(home, fixture.leo, id: first, content: 5, octets: 10)),
                .document(world.document(home, fixture.leo, id: second, content: 6, octets: 10)), fixture.share(reed, document: first),
            ], pace: .unhurried)
        #expect(Self.changes(report) == Array(head + 1...head + 4))
        #expect(report.answers.count == 3)
        // The school and the document of the link are of the same batch.
        #expect(try fixture.opens(report.answers[2]?.answer))
        #expect(try world.record(home, first).fields.set("shared_with_schools").map(\.id) == [reed])
        guard case .document(version: 1)? = report.answers[1]?.answer else { throw Unexpected() }
        #expect(try world.record(home, second).kind == .document)
    }

    @Test("A refused request leaves the mutations and the other requests of its batch as they are")
    func refused() throws {
        let fixture = try Fixture()
        let (world, home) = (fixture.world, fixture.home)
        let stranger = try world.home("Okafor")
        let added = world.newID()
        let report = try world.store.commit(
            [world.proposal(home, home.parent, [school(world.newID(), "Reed")])],
            requests: [
                fixture.share(world.newID()), .share(NewShare(family: home.family, member: stranger.parent, document: fixture.shared, school: fixture.rice)),
                fixture.share(document: world.newID()), .document(world.document(home, fixture.leo, id: added, content: 5, octets: 10)), fixture.share(),
            ], pace: .unhurried)
        let codes = report.answers.map { Self.code($0?.answer) }
        #expect(codes == [.unknownReference, .notFound, .notFound, nil, nil])
        #expect(try fixture.opens(report.answers[4]?.answer))
        #expect(Self.changes(report).count == 3)
        #expect(try world.record(home, added).kind == .document)
    }

    @Test("A link that is made behind the mutation that takes its school out works, and the link before it has ended")
    func order() throws {
        let fixture = try Fixture()
        let (world, home) = (fixture.world, fixture.home)
        let before = try world.store.commit([], requests: [fixture.share()], pace: .unhurried).answers[0]?.answer
        #expect(try fixture.opens(before))
        let version = try world.record(home, fixture.shared).version
        let field = try #require(Kind.document.declaration.index(of: "shared_with_schools"))
        let removal = Operation(
            kind: .document, id: fixture.shared,
            action: .update(base: version, merge: .none, patch: FieldPatch(setEdits: [.init(field: field, remove: [fixture.rice])])))
        let report = try world.store.commit([world.proposal(home, home.parent, [removal])], requests: [fixture.share()], pace: .unhurried)
        #expect(try !fixture.opens(before))
        #expect(try fixture.opens(report.answers[0]?.answer))
        #expect(try world.record(home, fixture.shared).fields.set("shared_with_schools").map(\.id) == [fixture.rice])
    }

    @Test("Mutations that use up a batch leave one request in it; the others come in a later one")
    func pace() throws {
        let fixture = try Fixture()
        let (world, home) = (fixture.world, fixture.home)
        var time: Int64 = 0
        let slow = BatchPace(
            now: {
                time += 30_000_000
                return time
            }, processorTime: { 0 }, isAwaited: { _ in true })
        let proposals = (0..<3).map { world.proposal(home, home.parent, [school(world.newID(), "School \($0)")]) }
        let report = try world.store.commit(proposals, requests: [fixture.share(), fixture.share(), fixture.share()], pace: slow)
        #expect(report.rest.count == 2)
        let isDone = report.answers.map { $0 != nil }
        #expect(isDone == [true, false, false])
        #expect(try fixture.opens(report.answers[0]?.answer))
    }

    @Test(
        "A batch with requests whose n-th call of the engine fails is reported once and stored once",
        arguments: [MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost])
    func failures(_ fault: MemoryDatabase.Fault) throws {
        func run(_ body: (Fixture, MemoryDatabase) throws -> Void) throws {
            try EngineKind.$current.withValue(.memory) {
                let fixture = try Fixture()
                try body(fixture, try #require(fixture.world.memory))
            }
        }
        func commit(_ fixture: Fixture) throws -> CommitReport {
            let (world, home) = (fixture.world, fixture.home)
            let reed = world.newID()
            return try world.store.commit(
                [world.proposal(home, home.parent, [school(reed, "Reed")])],
                requests: [.document(world.document(home, fixture.leo, id: world.newID(), content: 5, octets: 10)), fixture.share(), fixture.share(reed)],
                pace: .unhurried)
        }
        var calls = 0
        try run { fixture, memory in
            let before = memory.calls
            _ = try commit(fixture)
            calls = memory.calls - before
        }
        #expect(calls > 5)
        for call in 1...calls {
            try run { fixture, memory in
                let head = try fixture.world.snapshot(fixture.home).sequence
                memory.fail(atCall: call, fault)
                let report = try commit(fixture)
                // A change may be reported twice after an unknown outcome: rooms skip those that they know.
                #expect(Set(Self.changes(report)) == Set(head + 1...head + 4), "call \(call)")
                #expect(try fixture.world.snapshot(fixture.home).sequence == head + 4, "call \(call)")
                let codes = report.answers.map { Self.code($0?.answer) }
                #expect(codes == [nil, nil, nil], "call \(call)")
                for answer in report.answers.dropFirst() { #expect(try fixture.opens(answer?.answer), "call \(call)") }
                let links = try fixture.world.reader.shares(family: fixture.home.family, document: fixture.shared)
                #expect(links.count { $0.endedAt == nil } == 2, "call \(call)")
            }
        }
    }
}
