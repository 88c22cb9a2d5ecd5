import Bytes
import Family
import Store
import TestSupport
import Testing
import Wire

@Suite("Ordered, guarantees.md: random batches against a naive twin", .bothEngines)
struct SequenceTests {
    @Test("sequences have no gap, and log, snapshot and answers agree", arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let world = try World(seed: seed)
        let homes = [try world.home("One"), try world.home("Two")]
        var members: [[Identifier]] = []
        for home in homes { members.append([home.parent, try world.athlete(home), try world.member(home, .guest)]) }
        var twins = try homes.map { Twin(try world.log($0)) }
        var sent: [(proposal: Proposal, frame: [UInt8])] = []
        var conflicts = 0

        for round in 0..<60 {
            var batch: [(home: Int, proposal: Proposal)] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0...1, using: &random)
                if let old = sent.randomElement(using: &random), Int.random(in: 0..<6, using: &random) == 0 {
                    batch.append((old.proposal.family == homes[0].family ? 0 : 1, old.proposal))
                    continue
                }
                if Int.random(in: 0..<12, using: &random) == 0 {
                    batch.append((place, world.refused(homes[place], homes[place].parent, "{\"round\":\(round)}")))
                    continue
                }
                let operations = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    operation(world, members[place], twins[place], &random)
                }
                let member = Bool.random(using: &random) ? homes[place].parent : members[place].randomElement(using: &random)
                batch.append((place, world.proposal(homes[place], try #require(member), operations)))
            }
            world.surroundings.now += Int64.random(in: 0...500, using: &random)
            let answers = try world.commit(batch.map(\.proposal))
            try #require(answers.count == batch.count)
            for (one, answer) in zip(batch, answers) {
                if let before = sent.first(where: { $0.proposal.mutation == one.proposal.mutation }) {
                    if case .reject(_, var first) = try decode(before.frame), let conflict = first.conflict {
                        // Shown as the record is by then; other batches of this round may still change it.
                        #expect(answer.rejection?.conflict?.record.id == conflict.record.id, "seed \(seed), round \(round)")
                        first.conflict = answer.rejection?.conflict
                        #expect(answer.rejection == first)
                    } else {
                        #expect(answer.frame == before.frame, "seed \(seed), round \(round)")
                    }
                    #expect(answer.change == nil)
                    continue
                }
                sent.append((one.proposal, answer.frame))
                if let conflict = answer.rejection?.conflict {
                    conflicts += 1
                    let committed = twins[one.home].records[conflict.record.id]
                    #expect(conflict.record == committed, "seed \(seed), round \(round): not what is committed")
                    let isOwn = isInConflictWithItself(one.proposal.mutation.operations, answer.rejection?.operation ?? 0, conflict.record)
                    #expect(!isOwn, "seed \(seed), round \(round): \(one.proposal.mutation.operations)")
                }
                if let change = answer.change { twins[one.home].apply(change) }
            }
            if round % 17 == 16 { try world.reopen() }
        }
        #expect(conflicts > 10, "seed \(seed)")
        for (home, twin) in zip(homes, twins) {
            #expect(twin.faults.isEmpty, "seed \(seed): \(twin.faults)")
            let log = try world.log(home)
            #expect(log.map(\.sequence) == Array(1...twin.sequence), "seed \(seed)")
            #expect(Twin(log).records == twin.records, "seed \(seed)")
            #expect(try world.snapshot(home).records == twin.records, "seed \(seed)")
            #expect(twin.sequence > 30)
        }
    }

    /// Whether an operation was refused although its base, and those of the operations before it, are the version that is committed.
    private func isInConflictWithItself(_ operations: [Operation], _ place: Int, _ committed: Record) -> Bool {
        operations[...place].filter { $0.id == committed.id }.allSatisfy { operation in
            switch operation.action {
            case .update(let base, _, _), .delete(let base): base == committed.version && !committed.isDeleted
            case .restore(let base): base == committed.version && committed.isDeleted
            default: false
            }
        }
    }

    /// Something that may or may not be allowed, current or well formed.
    private func operation(_ world: World, _ members: [Identifier], _ twin: Twin, _ random: inout SplitMix64) -> Operation {
        let records = twin.records.values.filter { $0.kind != .family && $0.kind != .member }.sorted { $0.id < $1.id }
        let choice = Int.random(in: 0..<10, using: &random)
        guard choice > 3, let known = records.randomElement(using: &random) else {
            switch choice {
            case 0: return school(world.newID(), "School \(Int.random(in: 0..<9, using: &random))")
            case 1: return camp(world.newID(), athlete: members[1])
            case 2: return coach(world.newID(), "Jo", "Diaz")
            default: return message(world.newID(), "Hi")
            }
        }
        // One in four is based on what was before.
        let base = known.version - (Int.random(in: 0..<4, using: &random) == 0 ? 1 : 0)
        switch choice {
        case 4...7:
            let field = known.kind == .message ? "text" : known.kind == .coach ? "notes" : "location"
            let merge = MergeMode.allCases.randomElement(using: &random) ?? .none
            return update(known.kind, known.id, base: base, merge: merge, [field: .text("Value \(Int.random(in: 0..<5, using: &random))")])
        case 8:
            return known.isDeleted ? restore(known.kind, known.id, base: base) : delete(known.kind, known.id, base: base)
        default:
            let event = records.last { $0.kind == .event }?.id ?? world.newID()
            let coach = records.last { $0.kind == .coach }?.id ?? world.newID()
            return editSet(.event, event, base: 1, "coaches_present", add: [coach])
        }
    }
}
