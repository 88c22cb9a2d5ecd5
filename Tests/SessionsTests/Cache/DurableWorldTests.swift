import Bytes
import ClientWorld
import Family
import Posix
import Sessions
import Sync
import TestSupport
import Testing
import Wire

extension EngineWorld {
    /// The same world with clients that store their state on disk and are killed at any moment.
    init(seed: UInt64, clients: Int, folder: String) throws {
        self.init(seed: seed, clients: 0)
        random = SplitMix64(seed: seed)
        for index in 0..<clients {
            places.append(CachePlace(root: folder, try ServerAddress("ws://client\(index):1"), token: "t", family: nil))
            engines.append(SyncEngine(Self.configuration(seed, index)))
            links.append(Link())
            durables.append(nil)
            durables[index] = DurableSide(places[index], restoring: &engines[index])
        }
        for index in engines.indices { carryOut(engines[index].start(now: 0), index) }
    }

    private static func configuration(_ seed: UInt64, _ index: Int) -> SyncEngine.Configuration {
        .init(token: "t", client: World.id(100 + UInt64(index)), seed: seed &+ UInt64(index))
    }

    mutating func isKilled() -> Bool { deaths > 0 && Int.random(in: 0..<1_000, using: &random) < deaths }

    /// Kills a client and starts it again from its disk. Its frames in flight to the server may still arrive.
    mutating func die(_ index: Int) {
        killed += 1
        for frame in links[index].toServer where random.chance(50) { serve(index, frame) }
        links[index] = Link()
        acknowledged[index] = []
        // The lock ends with the process.
        durables[index] = nil
        engines[index] = SyncEngine(Self.configuration(random.next(), index))
        durables[index] = DurableSide(places[index], restoring: &engines[index])
        problems += durables[index]?.takeWarnings() ?? []
        if let cursor = engines[index].cursor, cursor.epoch == server.epoch, engines[index].confirmedRecords != states[cursor.sequence] {
            problems.append("the records kept are not those of sequence \(cursor.sequence)")
        }
        let deaths = deaths
        self.deaths = 0
        carryOut(engines[index].start(now: now), index)
        self.deaths = deaths
    }
}

@Suite("Durable side: clients killed at any moment (nothing lost at the client, exactly-once)")
struct DurableWorldTests {
    @Test("A mutation reported as waiting gets one result or stays as a draft, whatever is killed or cut when", arguments: 0..<12)
    func kills(seed: Int) throws {
        let folder = try Files.makeTemporaryFolder(prefix: "huddle-cache")
        defer { try? Files.removeTree(folder) }
        var world = try EngineWorld(seed: UInt64(seed), clients: 2, folder: folder)
        world.deaths = 12
        for step in 0..<1_200 {
            world.step()
            if world.random.chance(14) { world.act() }
            if world.random.chance(30), let index = world.engines.indices.randomElement(using: &world.random) {
                world.durables[index]?.save(world.engines[index])
            }
            if step % 400 == 399 { world.restart(losesLog: world.random.chance(40), newEpoch: world.random.chance(30)) }
        }
        world.deaths = 0
        world.settle()
        #expect(world.problems == [], "seed \(seed)")
        #expect(world.killed > 10, "seed \(seed)")
        for (index, engine) in world.engines.enumerated() {
            #expect(engine.confirmedRecords == world.server.records, "seed \(seed), client \(index)")
            let answers = world.server.answers[engine.configuration.client] ?? [:]
            let drafts = Set(engine.drafts.map(\.id))
            var refused: Set<Int64> = []
            for (id, answer) in answers {
                guard case .reject(_, let rejection) = answer.frame else { continue }
                refused.insert(id)
                #expect(rejection.code == .conflict || rejection.code == .notFound, "seed \(seed): \(rejection.code)")
            }
            let lost = world.promised[index, default: []].subtracting(answers.keys).subtracting(world.foldedAway[index, default: []])
            #expect(lost == [], "seed \(seed), client \(index): never asked for")
            let forgotten = refused.subtracting(drafts).subtracting(world.decided[index, default: []])
            #expect(forgotten == [], "seed \(seed), client \(index): refused, and its author does not know")
            let logged = world.server.log.filter { $0.client == engine.configuration.client }.compactMap(\.mutation)
            #expect(Set(logged).count == logged.count, "seed \(seed), client \(index): committed once")
            world.durables[index]?.save(engine)
            // At the end the disk has all of it.
            world.durables[index] = nil
            var fresh = SyncEngine(World.configuration())
            _ = DurableSide(world.places[index], restoring: &fresh)
            #expect(fresh.confirmedRecords == engine.confirmedRecords && fresh.cursor == engine.cursor)
            #expect(fresh.drafts == engine.drafts && fresh.pending.isEmpty)
        }
    }
}
