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
    private struct House {
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
        let house = try House()
        let before = house.memory.calls
        let told = Told(try house.world.store.commit(house.batch))
        return (told, house.memory.calls - before)
    }

    @Test(
        "A batch whose n-th call of the engine fails is told once and stored once",
        arguments: [MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost])
    func batch(_ fault: MemoryDatabase.Fault) throws {
        let (told, calls) = try calm()
        #expect(told.changes.count == 3 && told.receipts.count == 4 && calls > 3)
        for call in 1...calls {
            let house = try House()
            house.memory.fail(atCall: call, fault)
            #expect(Told(try house.world.store.commit(house.batch)) == told, "call \(call)")
            #expect(house.memory.recoveries == 1, "call \(call)")
            #expect(try house.world.log(house.home).count == 5, "call \(call)")
            // A client that lost the answers gets them again, and nothing happens a second time.
            let again = Told(try house.world.store.commit(house.batch))
            #expect(again.receipts == told.receipts && again.changes.isEmpty, "call \(call)")
            try house.world.reopen()
            #expect(try house.world.log(house.home).count == 5, "call \(call)")
        }
    }

    @Test("A batch whose n-th call meets a full disk is refused as a whole, and can be made later")
    func full() throws {
        let (told, calls) = try calm()
        for call in 1...calls {
            let house = try House()
            house.memory.fail(atCall: call, .full)
            let answers = try Answer.gather(try house.world.store.commit(house.batch))
            #expect(answers.map(\.code) == Array(repeating: .storageFull, count: 4), "call \(call)")
            #expect(try house.world.log(house.home).count == 2, "call \(call)")
            #expect(Told(try house.world.store.commit(house.batch)) == told, "call \(call)")
        }
    }

    @Test("After a final failure every call throws it again, and nothing of the batch is stored")
    func final() throws {
        let (_, calls) = try calm()
        for call in 1...calls {
            let house = try House()
            house.memory.fail(atCall: call, .final)
            let failure = try #require(throws: StoreFailure.self) { try house.world.store.commit(house.batch) }
            #expect(throws: failure) { try house.world.store.commit(house.batch) }
            #expect(throws: failure) { try house.world.store.checkpointIfDue() }
            try house.world.reopen()
            #expect(try house.world.log(house.home).count == 2, "call \(call)")
        }
    }

    @Test("A batch that has to run again too often is refused as busy, and nothing of it is stored")
    func busy() throws {
        let (told, _) = try calm()
        let house = try House()
        // The first call of each run.
        for run in 1...FamilyStore.maxRuns { house.memory.fail(atCall: run, .again) }
        let answers = try Answer.gather(try house.world.store.commit(house.batch))
        #expect(answers.map(\.code) == Array(repeating: .busy, count: 4))
        #expect(answers.allSatisfy { ($0.rejection?.retryAfter ?? 0) > 0 })
        #expect(try house.world.log(house.home).count == 2)
        #expect(Told(try house.world.store.commit(house.batch)) == told)
    }

    @Test("An outcome that stays unknown ends the process: nobody is told anything")
    func unknown() throws {
        let (_, calls) = try calm()
        let house = try House()
        // The COMMIT of the first run, and the beginning of each later one.
        house.memory.fail(atCall: calls, .unknownAndDone)
        for run in 1..<FamilyStore.maxRuns { house.memory.fail(atCall: calls + run, .again) }
        let failure = try #require(throws: StoreFailure.self) { try house.world.store.commit(house.batch) }
        #expect(throws: failure) { try house.world.store.commit(house.batch) }
        // The outcome is found by its receipts after the next start.
        try house.world.reopen()
        #expect(try house.world.log(house.home).count == 5)
        #expect(try Answer.gather(try house.world.store.commit(house.batch)).compactMap(\.ack).count == 3)
    }

    @Test(
        "A family, a member and a session are made once, whichever call of the engine fails",
        arguments: [MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost])
    func commands(_ fault: MemoryDatabase.Fault) throws {
        func calls(_ body: (House) throws -> Void) throws -> Int {
            let house = try House()
            let before = house.memory.calls
            try body(house)
            return house.memory.calls - before
        }
        /// Runs a command once for each of its calls that can fail.
        func each(_ command: (House) throws -> Void, _ check: (House, Comment) throws -> Void) throws {
            for call in 1...(try calls(command)) {
                let house = try House()
                house.memory.fail(atCall: call, fault)
                try command(house)
                try check(house, "call \(call)")
            }
        }
        try each({ _ = try $0.world.home("Okafor") }) { (house: House, call: Comment) throws in
            #expect(try house.world.reader.families(named: "Okafor").count == 1, call)
        }
        try each({ _ = try $0.world.athlete($0.home) }) { (house: House, call: Comment) throws in
            #expect(try house.world.reader.athletes(of: house.home.family).count == 1, call)
            #expect(try house.world.log(house.home).count == 3, call)
        }
        try each({ house in
            let person = try house.world.signIn(house.home.parent)
            #expect(person.memberships.map(\.member) == [house.home.parent])
        }) { _, _ in }
        // The end of a session is told although its COMMIT had no answer.
        let (result, _) = try House().world.store.perform(.token(member: Identifier(high: 0, low: 0)))
        #expect(throws: Rejection.self) { try result.get() }
        for call in 1...4 {
            let house = try House()
            guard case .token(let created) = try house.world.store.perform(.token(member: house.home.parent)).0.get() else { throw Unexpected() }
            house.memory.fail(atCall: call, fault)
            guard case .signedOut(let session) = try house.world.store.perform(.signOut(token: created.token)).0.get() else { throw Unexpected() }
            #expect(session != nil, "call \(call)")
            #expect(try house.world.reader.signIn(token: created.token) == nil, "call \(call)")
        }
    }
}
