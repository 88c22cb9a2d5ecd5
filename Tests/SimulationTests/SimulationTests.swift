import EngineScripts
import Family
import Posix
import TestSupport
import Testing

/// Server and clients over links that cut and delay, and a disk that forgets; promises of `guarantees.md` checked by
/// name after each step.
///
/// `HUDDLE_SEEDS=1000 swift test --filter Simulation` tries more worlds, `HUDDLE_SEED=7` one of them.
@Suite("Simulation: durable, ordered, resumable, seamless, exactly-once, no lost update, undo, nothing lost at the client, isolated, verifiable")
struct SimulationTests {
    @Test("R168 every promise holds in each world", arguments: Seeds.chosen)
    func world(seed: UInt64) throws {
        let world = try World(seed: seed)
        for client in world.clients { client.start(in: world) }
        plan(world, until: 20_000)
        while world.scheduler.now < 20_000, world.violations.isEmpty, let action = world.scheduler.next() { action(world) }
        #expect(world.violations.isEmpty, "\(world.violations.prefix(3))")
        let isSettled = world.settle()
        #expect(isSettled, "seed \(seed): the world does not come to rest")
        world.checkAgreement()
        #expect(world.violations.isEmpty, "\(world.violations.prefix(3))")
        let done = world.clients.reduce(0) { $0 + $1.acknowledged.count }
        if Seeds.isTold { print("seed \(seed): \(done) done, \(world.summary)") }
        #expect(done > 20, "seed \(seed): only \(done) mutations were done, which proves nothing")
    }

    @Test("R168 every promise holds in worlds where two thirds of the clients are engines in JavaScript, and lose entries")
    func javaScript() throws {
        guard let node = NodeProgram.path(for: "Engines in JavaScript among the simulated clients") else {
            #expect(!NodeProgram.isRequired, "there is no node")
            return
        }
        // A few worlds; `HUDDLE_SEEDS` or `HUDDLE_SEED` choose more, or one.
        let isChosen = Environment.value("HUDDLE_SEEDS") != nil || Environment.value("HUDDLE_SEED") != nil
        var done = 0
        for seed in isChosen ? Seeds.chosen : Array(301...306) {
            let world = try World(seed: seed, engines: NodeEngines(node: node))
            for client in world.clients {
                if seed.isMultiple(of: 2) { client.entriesToLose = 1 }
                client.start(in: world)
            }
            plan(world, until: 12_000)
            while world.scheduler.now < 12_000, world.violations.isEmpty, let action = world.scheduler.next() { action(world) }
            for client in world.clients { client.entriesToLose = 0 }
            #expect(world.violations.isEmpty, "\(world.violations.prefix(3))")
            #expect(world.settle(), "seed \(seed): the world does not come to rest")
            world.checkAgreement()
            #expect(world.violations.isEmpty, "\(world.violations.prefix(3))")
            done += world.clients.reduce(0) { $0 + ($1.isJavaScript ? $1.acknowledged.count : 0) }
        }
        #expect(done > 60, "only \(done) mutations of engines in JavaScript were done, which proves nothing")
    }

    @Test("Rooms that get changes late, out of order or twice read the log, and every client receives each change once and in order")
    func gaps() throws {
        var gaps = 0
        for seed in UInt64(201)...204 {
            let world = try World(seed: seed)
            for client in world.clients { client.start(in: world) }
            plan(world, until: 8_000)
            while world.scheduler.now < 8_000, world.violations.isEmpty, let action = world.scheduler.next() { action(world) }
            #expect(world.settle(), "seed \(seed): the world does not come to rest")
            world.checkAgreement()
            #expect(world.violations.isEmpty, "\(world.violations.prefix(3))")
            gaps += world.missingReads
        }
        #expect(gaps > 4, "only \(gaps) gaps, which proves nothing")
    }

    @Test("A client that loses an entry detects and reports it and loads a new snapshot, in each world")
    func lostEntries() throws {
        var differences = 0
        for seed in UInt64(101)...106 {
            let world = try World(seed: seed)
            for client in world.clients {
                client.entriesToLose = 1
                client.start(in: world)
            }
            plan(world, until: 12_000)
            while world.scheduler.now < 12_000, world.violations.isEmpty, let action = world.scheduler.next() { action(world) }
            for client in world.clients { client.entriesToLose = 0 }
            #expect(world.settle(), "seed \(seed): the world does not come to rest")
            world.checkAgreement()
            #expect(world.violations.isEmpty, "\(world.violations.prefix(3))")
            differences += world.clients.reduce(0) { $0 + $1.differences }
            #expect(world.differences >= world.clients.reduce(0) { $0 + $1.differences })
        }
        #expect(differences > 6, "only \(differences) of the lost entries were noticed by the checksum")
    }

    @Test("Members write every kind, so the promises are proved for all of them")
    func kinds() throws {
        var seen: Set<Kind> = []
        for seed in UInt64(1)...12 where seen.count < Kind.allCases.count {
            let world = try World(seed: seed)
            for client in world.clients { client.start(in: world) }
            plan(world, until: 20_000)
            while world.scheduler.now < 20_000, world.violations.isEmpty, let action = world.scheduler.next() { action(world) }
            #expect(world.settle(), "seed \(seed)")
            world.checkAgreement()
            #expect(world.violations.isEmpty, "\(world.violations.prefix(3))")
            seen.formUnion(world.kinds)
        }
        #expect(seen == Set(Kind.allCases))
    }

    @Test("The checks detect a disk that lies about syncs, so they can fail")
    func lyingDisk() throws {
        var seen: [String] = []
        for seed in UInt64(1)...20 where seen.isEmpty {
            let world = try World(seed: seed, liesAboutSync: true)
            for client in world.clients { client.start(in: world) }
            plan(world, until: 20_000)
            while world.scheduler.now < 20_000, world.violations.isEmpty, let action = world.scheduler.next() { action(world) }
            seen = world.violations
        }
        #expect(seen.contains { $0.contains("durable") || $0.contains("resumable") || $0.contains("ordered") }, "\(seen)")
    }

    /// The times of input, broken links and power failures.
    private func plan(_ world: World, until end: Int64) {
        for client in world.clients {
            var at: Int64 = 0
            while at < end {
                // In bursts, so that members meet in one commit and on one record.
                at += world.dice.one(in: 4) ? world.dice.number(200...2_000) : world.dice.number(1...60)
                world.scheduler.after(at) { client.act(in: $0) }
            }
        }
        var undo: Int64 = 0
        while undo < end {
            undo += world.dice.number(200...1_500)
            world.scheduler.after(undo) { $0.undoSomething() }
        }
        // Further devices of the same members, which begin with a snapshot while the others write.
        for _ in 0..<4 { world.scheduler.after(world.dice.number(0...end)) { $0.addDevice() } }
        var at: Int64 = 0
        while at < end {
            at += world.dice.number(200...4_000)
            switch world.dice.number(0...5) {
            case 0: world.scheduler.after(at) { $0.crash(afterDowntime: $0.dice.number(10...3_000)) }
            case 1: world.scheduler.after(at) { $0.armCrash() }
            default: world.scheduler.after(at) { $0.cutOne() }
            }
        }
    }
}
