import Bytes
import ClientWorld
import Family
import Sync
import TestSupport
import Testing
import Wire
import Words

@Suite("Names that follow the records")
struct RecordNamesTests {
    private static func engine() -> SyncEngine {
        var engine = SyncEngine(SyncEngine.Configuration(token: "", client: World.client, seed: 1))
        var state = SavedState(client: World.client, family: World.family, member: World.parent)
        state.cursor = Cursor(epoch: "e", sequence: 9)
        state.records = (0..<20).map { World.school(10 + 3 * $0, "School \($0)") } + [World.member(World.parent, "Carmen Rivera")]
        engine.restore(state)
        return engine
    }

    @Test("Names updated repeatedly equal names built again; seeded")
    func updates() throws {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
        var random = SplitMix64(seed: seed)
        var engine = Self.engine()
        var names = RecordNames(engine)
        for step in 0..<200 {
            let number = UInt64.random(in: 5..<80, using: &random)
            let record = engine.record(World.id(number))
            let operation: Operation? =
                switch record {
                case nil: World.create(number, "New \(step)")
                case let record? where record.isDeleted: nil
                case let record? where Bool.random(using: &random): World.delete(number, base: record.version)
                case let record?: World.update(number, base: record.version, ["name": .text("Renamed \(step)")])
                }
            guard let operation, case let (_, actions)? = try? engine.perform([operation], at: Int64(step), now: Int64(step)) else { continue }
            let before = (names.revision(of: .school), names.revision(of: .member))
            for case .changed(let ids) in actions { names.update(ids, engine) }
            let fresh = RecordNames(engine)
            #expect(names.records(of: .school) == fresh.records(of: .school), "seed \(seed), step \(step)")
            #expect(names[World.id(number)] == fresh[World.id(number)], "seed \(seed), step \(step)")
            #expect(names.revision(of: .school) > before.0 && names.revision(of: .member) == before.1, "seed \(seed), step \(step)")
        }
        #expect(names.records(of: .school) != RecordNames(Self.engine()).records(of: .school), "seed \(seed)")
    }

    @Test("After a rebuild, every kind counts as changed")
    func anew() {
        let engine = Self.engine()
        var names = RecordNames(engine)
        names.update([World.id(10), World.id(13)], engine)
        let again = RecordNames(engine, after: names)
        for kind in Kind.allCases { #expect(again.revision(of: kind) > names.revision(of: kind)) }
    }
}
