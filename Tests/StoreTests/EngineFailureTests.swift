import Bytes
import Family
import Store
import StoreMemory
import Testing
import Wire

@Suite("Exactly once while the engine fails, guarantees.md (exactly-once)")
struct EngineFailureTests {
    private static let school = Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_F001)
    private static let message = Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_F002)

    /// A family in memory, the same in each run.
    private struct Fixture {
        let world: World
        let home: World.Home
        let memory: MemoryDatabase

        init() throws {
            world = try EngineKind.$current.withValue(.memory) { try World() }
            memory = try #require(world.memory)
            home = try world.home()
            try world.mutate(home, home.parent, create(.school, EngineFailureTests.school, ["name": .text("Reed")]))
        }

        /// Changes, a refusal that is recorded, a mutation of a record that the batch makes, and two clients that are new.
        var batch: [Proposal] {
            [
                world.proposal(home, home.parent, [update(.school, EngineFailureTests.school, base: 1, ["name": .text("Reed College")])], mutation: 2),
                world.proposal(home, home.parent, [StoreTests.message(EngineFailureTests.message, "Hello")], mutation: 1, client: Self.phone),
                world.proposal(home, home.parent, [delete(.school, Identifier(high: 1, low: 1), base: 1)], mutation: 2, client: Self.phone),
                world.proposal(home, home.parent, [update(.message, EngineFailureTests.message, base: 1, ["text": .text("Hi")])], mutation: 1, client: Self.watch),
            ]
        }

        private static let phone = Identifier(high: 7, low: 1)
        private static let watch = Identifier(high: 7, low: 2)
    }

    /// The reports of a batch.
    private struct Told: Equatable {
        var receipts: [[UInt8]] = []
        var changes: [[UInt8]] = []
        var checksums: [UInt32] = []

        init(_ results: [CommitResult]) {
            for result in results {
                switch result {
                case .receipt(let receipt): receipts.append(receipt.frame)
                case .change(let change):
                    changes.append(change.frame)
                    checksums.append(change.checksum.value)
                }
            }
        }
    }

    /// The reports of a batch when nothing fails, and the number of calls that the engine gets.
    private func calm() throws -> (told: Told, calls: Int) {
        let fixture = try Fixture()
        let before = fixture.memory.calls
        let told = Told(try fixture.world.store.commit(fixture.batch))
        return (told, fixture.memory.calls - before)
    }

    @Test(
        "A batch whose n-th call of the engine fails is reported once and stored once",
        arguments: [MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost])
    func batch(_ fault: MemoryDatabase.Fault) throws {
        let (told, calls) = try calm()
        #expect(told.changes.count == 3 && told.receipts.count == 4 && calls > 3)
        for call in 1...calls {
            let fixture = try Fixture()
            fixture.memory.fail(atCall: call, fault)
            #expect(Told(try fixture.world.store.commit(fixture.batch)) == told, "call \(call)")
            #expect(fixture.memory.recoveries == 1, "call \(call)")
            #expect(try fixture.world.log(fixture.home).count == 5, "call \(call)")
            // A client that lost the answers gets them again, and nothing happens a second time.
            let again = Told(try fixture.world.store.commit(fixture.batch))
            #expect(again.receipts == told.receipts && again.changes.isEmpty, "call \(call)")
            try fixture.world.reopen()
            #expect(try fixture.world.log(fixture.home).count == 5, "call \(call)")
        }
    }

    @Test("A batch whose n-th call meets a full disk is refused as a whole, and can be made later")
    func full() throws {
        let (told, calls) = try calm()
        for call in 1...calls {
            let fixture = try Fixture()
            fixture.memory.fail(atCall: call, .full)
            let answers = try Answer.gather(try fixture.world.store.commit(fixture.batch))
            #expect(answers.map(\.code) == Array(repeating: .storageFull, count: 4), "call \(call)")
            #expect(try fixture.world.log(fixture.home).count == 2, "call \(call)")
            #expect(Told(try fixture.world.store.commit(fixture.batch)) == told, "call \(call)")
        }
    }

    @Test("After a final failure every call throws it again, and nothing of the batch is stored")
    func final() throws {
        let (_, calls) = try calm()
        for call in 1...calls {
            let fixture = try Fixture()
            fixture.memory.fail(atCall: call, .final)
            let failure = try #require(throws: StoreFailure.self) { try fixture.world.store.commit(fixture.batch) }
            #expect(throws: failure) { try fixture.world.store.commit(fixture.batch) }
            #expect(throws: failure) { try fixture.world.store.checkpointIfDue() }
            try fixture.world.reopen()
            #expect(try fixture.world.log(fixture.home).count == 2, "call \(call)")
        }
    }

    @Test("A batch that has to run again too often is refused as busy, and nothing of it is stored")
    func busy() throws {
        let (told, _) = try calm()
        let fixture = try Fixture()
        // The first call of each run.
        for run in 1...FamilyStore.maxRuns { fixture.memory.fail(atCall: run, .again) }
        let answers = try Answer.gather(try fixture.world.store.commit(fixture.batch))
        #expect(answers.map(\.code) == Array(repeating: .busy, count: 4))
        #expect(answers.allSatisfy { ($0.rejection?.retryAfter ?? 0) > 0 })
        #expect(try fixture.world.log(fixture.home).count == 2)
        #expect(Told(try fixture.world.store.commit(fixture.batch)) == told)
    }

    @Test("An outcome that stays unknown ends the process: no client gets an answer")
    func unknown() throws {
        let (_, calls) = try calm()
        let fixture = try Fixture()
        // The COMMIT of the first run, and the beginning of each later one.
        fixture.memory.fail(atCall: calls, .unknownAndDone)
        for run in 1..<FamilyStore.maxRuns { fixture.memory.fail(atCall: calls + run, .again) }
        let failure = try #require(throws: StoreFailure.self) { try fixture.world.store.commit(fixture.batch) }
        #expect(throws: failure) { try fixture.world.store.commit(fixture.batch) }
        // The outcome is found by its receipts after the next start.
        try fixture.world.reopen()
        #expect(try fixture.world.log(fixture.home).count == 5)
        #expect(try Answer.gather(try fixture.world.store.commit(fixture.batch)).compactMap(\.ack).count == 3)
    }

    @Test(
        "A family, a member and a session are made once, whichever call of the engine fails",
        arguments: [MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost])
    func commands(_ fault: MemoryDatabase.Fault) throws {
        func calls(_ body: (Fixture) throws -> Void) throws -> Int {
            let fixture = try Fixture()
            let before = fixture.memory.calls
            try body(fixture)
            return fixture.memory.calls - before
        }
        /// Runs a command once for each of its calls that can fail.
        func each(_ command: (Fixture) throws -> Void, _ check: (Fixture, Comment) throws -> Void) throws {
            for call in 1...(try calls(command)) {
                let fixture = try Fixture()
                fixture.memory.fail(atCall: call, fault)
                try command(fixture)
                try check(fixture, "call \(call)")
            }
        }
        try each({ _ = try $0.world.home("Okafor") }) { (fixture: Fixture, call: Comment) throws in
            #expect(try fixture.world.reader.families(named: "Okafor").count == 1, call)
        }
        try each({ _ = try $0.world.athlete($0.home) }) { (fixture: Fixture, call: Comment) throws in
            #expect(try fixture.world.reader.athletes(of: fixture.home.family).count == 1, call)
            #expect(try fixture.world.log(fixture.home).count == 3, call)
        }
        try each({ fixture in
            let person = try fixture.world.signIn(fixture.home.parent)
            #expect(person.memberships.map(\.member) == [fixture.home.parent])
        }) { _, _ in }
        // The end of a session is reported although its COMMIT had no answer.
        let (result, _) = try Fixture().world.store.perform(.token(member: Identifier(high: 0, low: 0)))
        #expect(throws: Rejection.self) { try result.get() }
        for call in 1...4 {
            let fixture = try Fixture()
            guard case .token(let created) = try fixture.world.store.perform(.token(member: fixture.home.parent)).0.get() else { throw Unexpected() }
            fixture.memory.fail(atCall: call, fault)
            guard case .signedOut(let session) = try fixture.world.store.perform(.signOut(token: created.token)).0.get() else { throw Unexpected() }
            #expect(session != nil, "call \(call)")
            #expect(try fixture.world.reader.signIn(token: created.token) == nil, "call \(call)")
        }
    }
}
