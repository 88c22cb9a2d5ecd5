import Bytes
import Family
import Queries
import StoreMemory
import Testing
import Wire

@testable import Store

/// Lets the first, second, third … read, write or COMMIT of a workload fail until none is reached, on the engine that can fail at each of them.
@Suite("Reads, writes and commits that fail by script, guarantees.md (durable, exactly-once)")
struct ScriptedFailureTests {
    struct Sweep: Sendable, CustomTestStringConvertible {
        let call: MemoryDatabase.Call
        let fault: MemoryDatabase.Fault
        let script: [Int]

        var testDescription: String { "\(call) \(fault), \(script.count) steps" }
    }

    private static let sweeps: [Sweep] = {
        var sweeps: [Sweep] = []
        for script in [Episode.season, Episode.plans] {
            for fault in [MemoryDatabase.Fault.again, .full, .final] {
                for call in [MemoryDatabase.Call.begin, .read, .write, .commit] { sweeps.append(Sweep(call: call, fault: fault, script: script)) }
            }
            for fault in [MemoryDatabase.Fault.unknownAndDone, .unknownAndLost] { sweeps.append(Sweep(call: .commit, fault: fault, script: script)) }
        }
        return sweeps
    }()

    @Test("Whatever call fails, nothing acknowledged is lost, and a mutation that is repeated gets the same receipt", arguments: sweeps)
    func writer(_ sweep: Sweep) throws {
        var number = 1
        while true {
            let episode = Episode(sweep.script)
            let world = try World(inMemory: episode.surroundings)
            let memory = try #require(world.memory)
            memory.fail(at: number, of: sweep.call, sweep.fault)
            var rounds = 0
            var isOver = false
            while !isOver {
                rounds += 1
                try #require(rounds < 4, "\(sweep.call) \(number)")
                do {
                    isOver = try episode.run(world)
                    #expect(isOver || memory.failures == 1 && sweep.fault == .full, "\(sweep.call) \(number)")
                } catch let failure as StoreFailure {
                    #expect(memory.failures == 1 && sweep.fault == .final, "\(sweep.call) \(number): \(failure)")
                    #expect(throws: failure) { try world.store.perform(.purge) }
                    try world.reopen()
                }
            }
            let isLast = memory.failures == 0
            memory.failNothing()
            #expect(try episode.violations(world) == [], "\(sweep.call) \(number)")
            if isLast { break }
            number += 1
        }
        #expect(number > (sweep.call == .read ? 30 : 8), "\(number) calls")
    }

    // MARK: Readers

    /// The questions to a reader, each with an answer that can be compared.
    private static var questions: [(name: String, ask: (Fixture) throws(StoreFailure) -> [String])] {
        [
            ("snapshot", { fixture throws(StoreFailure) in
                let snapshot = try fixture.reader.snapshot(family: fixture.family) { ServerFrame.snapshot(sequence: $0.sequence, records: $0.records).encode() }
                return snapshot.parts.map { "\($0)" } + ["\(snapshot.verification)"]
            }),
            ("changes", { fixture throws(StoreFailure) in
                let page = try fixture.reader.changes(family: fixture.family, after: 0, maxOctets: .max)
                return page.frames.map { "\($0)" } + ["\(String(describing: page.checksum))"]
            }),
            ("lists", { fixture throws(StoreFailure) in
                var found: [String] = []
                for kind in [Kind.school, .event, .coach, .message, .trip] {
                    found.append("\(try fixture.reader.page(family: fixture.family, fixture.query(kind), ListRequest(request: 1, kind: kind, before: nil, limit: 3, counts: true)))")
                }
                return found
            }),
            ("deleted", { fixture throws(StoreFailure) in
                let request = ListRequest(request: 1, kind: .message, before: nil, limit: 9, counts: true)
                return ["\(try fixture.reader.page(family: fixture.family, fixture.query(.message, isDeleted: true), request))"]
            }),
            ("history", { fixture throws(StoreFailure) in
                ["\(try fixture.reader.history(family: fixture.family, member: fixture.parent, HistoryRequest(request: 1, limit: 50)))"]
            }),
            ("digest", { fixture throws(StoreFailure) in
                ["\(try fixture.reader.digest(family: fixture.family, member: fixture.parent, DigestRequest(request: 1, after: 1)))"]
            }),
            ("statistics", { fixture throws(StoreFailure) in
                var found: [String] = []
                for kind in [Kind.family, .event, .document] {
                    found.append("\(try fixture.reader.statistics(family: fixture.family, StatisticsRequest(request: 1, kind: kind), athlete: nil))")
                }
                return found
            }),
            ("accesses", { fixture throws(StoreFailure) in
                ["\(try fixture.reader.accessLog(family: fixture.family, member: fixture.parent, AccessLogRequest(request: 1, limit: 2)))"]
            }),
            ("archive", { fixture throws(StoreFailure) in
                let made = try fixture.reader.export(fixture.family, to: nil, blobs: nil, isPrivate: true)
                guard case .success(let manifest) = made else { return ["\(made)"] }
                return manifest.members.map { "\($0)" }
            }),
            ("followers", { fixture throws(StoreFailure) in ["\(try fixture.reader.follow(after: 0))"] }),
            ("people", { fixture throws(StoreFailure) in ["\(try fixture.reader.athletes(of: fixture.family))", "\(try fixture.reader.families(named: "Rivera"))"] }),
        ]
    }

    /// A season in memory, with a reader whose reads fail by script.
    private struct Fixture {
        let world: World
        let memory: MemoryDatabase
        let family: Identifier
        let parent: Identifier
        var reader: StoreReader

        init() throws {
            let episode = Episode()
            world = try World(inMemory: episode.surroundings)
            memory = try #require(world.memory)
            #expect(try episode.run(world))
            let home = try #require(episode.home)
            (family, parent) = (home.family, home.parent)
            let leo = try #require(try world.reader.athletes(of: family).first)
            for record in 1...3 {
                try world.store.note([
                    AccessNote(family: family, athlete: leo, member: parent, subject: .document, record: Identifier(high: 1, low: UInt64(record)))
                ])
            }
            reader = try world.openReader()
        }

        func query(_ kind: Kind, isDeleted: Bool = false) -> Query {
            guard let query = try? Query(kind, deleted: isDeleted) else { preconditionFailure("a kind without lists") }
            return query
        }
    }

    @Test("A reader whose n-th read fails answers again or says so, and then answers as if nothing had failed", arguments: [
        MemoryDatabase.Fault.again, .full, .final,
    ])
    func readers(_ fault: MemoryDatabase.Fault) throws {
        var fixture = try Fixture()
        let memory = fixture.memory
        for (name, ask) in Self.questions {
            fixture.reader = try fixture.world.openReader()
            let before = memory.count(nil, of: .reader)
            let calm = try ask(fixture)
            let calls = memory.count(nil, of: .reader) - before
            #expect(calls > 1 && !calm.isEmpty, "\(name)")
            for call in 1...calls {
                // Without anything in memory.
                fixture.reader = try fixture.world.openReader()
                memory.fail(at: call, of: nil, by: .reader, fault)
                let failures = memory.failures
                do throws(StoreFailure) {
                    let found = try ask(fixture)
                    #expect(fault == .again && found == calm, "\(name), call \(call)")
                } catch {
                    #expect(fault != .again, "\(name), call \(call): \(error)")
                }
                #expect(memory.failures == failures + 1, "\(name), call \(call)")
                #expect(try ask(fixture) == calm, "\(name), after call \(call)")
            }
        }
    }

    @Test("A list that follows the log and meets a failing read is right the next time", arguments: [MemoryDatabase.Fault.again, .full, .final])
    func followingLists(_ fault: MemoryDatabase.Fault) throws {
        func list(_ fixture: Fixture, _ reader: StoreReader) throws(StoreFailure) -> [String] {
            let request = ListRequest(request: 1, kind: .school, before: nil, limit: 9, counts: true)
            return ["\(try reader.page(family: fixture.family, fixture.query(.school), request))"]
        }
        var call = 1
        while true {
            let fixture = try Fixture()
            let home = World.Home(family: fixture.family, parent: fixture.parent)
            _ = try list(fixture, fixture.reader)
            for number in 0..<3 { #expect(try fixture.world.mutate(home, fixture.parent, school(fixture.world.newID(), "School \(number)")).sequence != nil) }
            let calm = try list(fixture, try fixture.world.openReader())
            fixture.memory.fail(at: call, of: nil, by: .reader, fault)
            do throws(StoreFailure) {
                let found = try list(fixture, fixture.reader)
                #expect(found == calm, "call \(call)")
            } catch {
                #expect(fault != .again, "call \(call): \(error)")
            }
            let isLast = fixture.memory.failures == 0
            fixture.memory.failNothing()
            #expect(try list(fixture, fixture.reader) == calm, "call \(call)")
            if isLast { break }
            call += 1
        }
        #expect(call > 5)
    }
}
