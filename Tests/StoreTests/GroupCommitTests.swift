import Bytes
import Family
import Store
import TestSupport
import Testing
import Wire

@Suite("A batch decides as its proposals would one by one, guarantee `ordered`", .bothEngines)
struct GroupCommitTests {
    /// Earlier decisions of a batch are not in the tables yet: later proposals of the batch must see them all the same.
    @Test("A batch of any size leaves the receipts and the log that single commits leave", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func grouping(seed: UInt64) throws {
        guard EngineKind.takes(seed, upTo: 2) else { return }
        let single = try World(seed: seed)
        var family = try RandomFamily(single, seed: seed)
        try family.hurry(steps: 320)
        #expect(family.accepted > 90, "seed \(seed): only \(family.accepted) changes")
        let log = try single.log(family.home)

        var sizes = SplitMix64(seed: seed &+ 1_000)
        let grouped = try World(seed: seed)
        let copy = try RandomFamily(grouped, seed: seed)
        try #require(copy.home.family == family.home.family)
        var rest = family.episodes[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Int.random(in: 1...90, using: &sizes))
            rest = rest.dropFirst(batch.count)
            let answers = try grouped.commit(batch.map(\.proposal))
            try #require(answers.count == batch.count)
            for (episode, answer) in zip(batch, answers) {
                try #require(
                    answer.frame == episode.answer.frame,
                    """
                    seed \(seed), \(episode.proposal.mutation)
                    \(String(decoding: answer.frame, as: UTF8.self))
                    \(String(decoding: episode.answer.frame, as: UTF8.self))
                    """)
                #expect(answer.committed?.frame == episode.answer.committed?.frame)
            }
        }
        #expect(try grouped.log(family.home) == log, "seed \(seed)")
        #expect(try grouped.snapshot(family.home).records == single.snapshot(family.home).records, "seed \(seed)")
        let codes = Set(family.episodes.compactMap { $0.answer.code })
        #expect(codes.isSuperset(of: [.conflict, .contradicted]), "seed \(seed): \(codes)")
    }

    @Test("A mutation that is sent twice in one batch has one effect and one answer")
    func twice() throws {
        let world = try World()
        let home = try world.home()
        let proposal = world.proposal(home, home.parent, [school(world.newID(), "Ashgrove")])
        let answers = try world.commit([proposal, proposal])
        #expect(answers[0].frame == answers[1].frame)
        #expect(answers[1].change == nil)
        #expect(try world.log(home).count { $0.mutation != nil } == 1)
    }

    @Test("A batch whose overlay is written in the middle continues to decide as before")
    func large() throws {
        let world = try World()
        let home = try world.home()
        // 30 proposals of 100 records each are written in six parts.
        var ids: [Identifier] = []
        let creations = (0..<30).map { _ in
            world.proposal(home, home.parent, (0..<100).map { _ in
                ids.append(world.newID())
                return school(ids[ids.count - 1], "Ashgrove")
            })
        }
        let renaming = world.proposal(home, home.parent, ids.prefix(90).map { update(.school, $0, base: 1, ["name": .text("Brook")]) })
        let answers = try world.commit(creations + [renaming, creations[0]])
        #expect(answers.allSatisfy { $0.rejection == nil })
        #expect(answers[31].frame == answers[0].frame)
        let names = try world.snapshot(home).records.values.filter { $0.kind == .school }.compactMap { $0.fields.text("name") }
        #expect(names.count { $0 == "Brook" } == 90)
        #expect(names.count { $0 == "Ashgrove" } == 2_910)
        try world.reopen()
        #expect(try world.commit([creations[3]])[0].frame == answers[3].frame)
    }
}
