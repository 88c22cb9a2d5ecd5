import Bytes
import Family
import Wire

@testable import Store

/// A small life of a database in fixed steps: people, batches, a rejection, deletions, checkpoints; or plans, what hangs on them, an undo and
/// a purge. It can be cut at any moment and gone on with on what is left, and knows what it was promised.
final class Episode {
    let surroundings = Surroundings(seed: 99)
    /// The answers of the store, which must hold.
    private(set) var answered: [(proposal: Proposal, answer: Answer)] = []
    /// Sent and not answered: may be done, wholly or not at all.
    private(set) var inFlight: [Proposal] = []
    private(set) var home: World.Home?
    private var athlete: Identifier?
    private var done = 0
    private let script: [Int]
    /// The living records when values of deleted records and old receipts begin to go.
    private var living: [Identifier: Record]?

    static let season = Array(0...11)
    static let plans = [0, 1, 20, 21, 22, 23, 24, 25]
    private static let purge = 25

    init(_ script: [Int] = season) { self.script = script }

    private static let start: Int64 = 1_795_262_400_000

    private static func id(_ number: UInt64) -> Identifier { Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0000 | number) }

    /// Takes the steps that are left.
    ///
    /// - Returns: false when the disk was full; the step can be taken again.
    func run(_ world: World) throws -> Bool {
        while done < script.count {
            surroundings.now = Self.start + Int64(done) * 1000 + (script[done] == Self.purge ? 31 * Surroundings.day : 0)
            guard try take(script[done], world) else { return false }
            done += 1
        }
        return true
    }

    private func take(_ step: Int, _ world: World) throws -> Bool {
        switch step {
        case 0:
            guard case .family(let created)? = try succeeded(world, .createFamily(name: "Rivera", zone: "UTC", parent: "Ana")) else {
                return false
            }
            home = World.Home(family: created.family, parent: created.member)
            return true
        case 1:
            guard let home else { throw Unexpected() }
            let invite = NewInvite(family: home.family, name: "Leo", role: .athlete, born: "2010-05-05", by: home.parent)
            guard case .invited(let invited)? = try succeeded(world, .invite(invite)) else { return false }
            athlete = invited.member
            return true
        case 5, 9:
            _ = try world.store.truncateLog()
            return true
        case Self.purge:
            if living == nil, let home { living = try world.snapshot(home).records.filter { !$0.value.isDeleted } }
            return try succeeded(world, .purge) != nil
        default:
            return try commit(try batch(step), world)
        }
    }

    private func succeeded(_ world: World, _ command: AdminCommand) throws -> AdminAnswer? {
        switch try world.store.perform(command).0 {
        case .success(let answer): return answer
        case .failure(let rejection) where rejection.code == .storageFull: return nil
        case .failure(let rejection): throw rejection
        }
    }

    private func commit(_ proposals: [Proposal], _ world: World) throws -> Bool {
        inFlight = proposals
        let answers = try world.commit(proposals)
        inFlight = []
        if answers.contains(where: { $0.code == .storageFull }) {
            guard answers.allSatisfy({ $0.code == .storageFull && $0.change == nil }) else { throw Unexpected() }
            return false
        }
        answered += zip(proposals, answers).map { ($0, $1) }
        try world.store.checkpointIfDue()
        return true
    }

    private func batch(_ step: Int) throws -> [Proposal] {
        guard let home, let athlete else { throw Unexpected() }
        let client = Self.id(7)
        var number = Int64(step) * 100
        func proposal(_ operations: Operation...) -> Proposal {
            number += 1
            return Proposal(
                family: home.family, member: home.parent, context: .all,
                mutation: Mutation(client: client, id: number, operations: operations), session: 1)
        }
        func refused(_ frame: String) -> Proposal {
            var refused = proposal()
            refused.refused = RefusedFrame(Rejection(.unknownField, "School has no such field", field: "x"), octets: Array(frame.utf8))
            return refused
        }
        let school = Self.id(20)
        let jo = Self.id(21)
        let event = Self.id(22)
        let (road, metric, call) = (Self.id(23), Self.id(24), Self.id(25))
        switch step {
        // Records that refer to an event are unlinked when it is deleted, and an undo brings all of it back; a trip moves and goes with its items.
        case 20:
            return [
                proposal(camp(event, athlete: athlete), trip(road)),
                proposal(
                    create(.metric, metric, athlete: athlete, [
                        "event_id": .reference(event), "metric_type": .text("velocity"), "value": .text("88.5"),
                    ]), interaction(call, athlete: athlete, ["event_id": .reference(event)])),
                proposal(tripItem(Self.id(26), road), tripItem(Self.id(27), road, start: "2026-12-06T09:00")),
            ]
        case 21: return [proposal(delete(.event, event, base: 1))]
        case 22:
            guard let deletion = answered.last?.answer.sequence else { throw Unexpected() }
            var undo = proposal()
            undo.mutation.body = .undo(sequence: deletion)
            return [undo, proposal(Operation(kind: .trip, id: road, action: .shift(base: 1, days: 2)))]
        case 23: return [proposal(delete(.trip, road, base: 2)), proposal(delete(.event, event, base: 3))]
        case 24: return [proposal(message(Self.id(30), "Stays"))]
        case 2: return [proposal(StoreTests.school(school, "Rice"), coach(jo, "Jo", "Diaz", role: "Pitching"))]
        case 3:
            return [
                proposal(message(Self.id(30), "One")), proposal(update(.school, school, base: 1, ["location": .text("Houston")])),
                proposal(update(.school, school, base: 1, ["location": .text("Waco")])), refused("{\"x\":1}"),
                proposal(message(Self.id(31), "Two")),
            ]
        case 4: return (0..<10).map { proposal(message(Self.id(40 + UInt64($0)), String(repeating: "Long message \($0). ", count: 150))) }
        case 6: return [proposal(camp(event, athlete: athlete)), proposal(editSet(.event, event, base: 1, "coaches_present", add: [jo]))]
        case 7: return [proposal(delete(.coach, jo, base: 1), delete(.message, Self.id(30), base: 1))]
        case 8: return [proposal(restore(.coach, jo, base: 2)), proposal(delete(.school, school, base: 2))]
        case 10: return (0..<4).map { proposal(message(Self.id(60 + UInt64($0)), "Late \($0)")) }
        case 11: return [proposal(update(.event, event, base: 2, ["name": .text("Winter Camp")]))]
        default: throw Unexpected()
        }
    }

    /// The promises that do not hold in the database that is left.
    func violations(_ world: World) throws -> [String] {
        var wrong: [String] = []
        if try world.memory == nil && world.query("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") != 1 { wrong.append("integrity") }
        guard let home else { return wrong }
        if let living { return try wrong + violationsOfPurge(living, world) }
        // A family that was answered for and is gone says so here, by failing.
        let log: [Change]
        do { log = try world.log(home) } catch { return wrong + ["no family: \(error)"] }
        let twin = Twin(log)
        wrong += twin.faults
        if try world.snapshot(home).records != twin.records { wrong.append("log and records disagree") }

        let frames = try world.reader.changes(family: home.family, after: 0, maxOctets: .max).frames
        for (proposal, answer) in answered {
            if let committed = answer.committed, !frames.contains(where: { $0 == (committed.sequence, committed.frame) }) {
                wrong.append("change \(committed.sequence) is missing")
            }
            let again = try world.commit(proposal)
            // A conflict that is repeated shows the record as it is by then.
            let isSame = answer.code == .conflict ? again.code == .conflict && again.rejection?.id == answer.rejection?.id : again.frame == answer.frame
            if !isSame || again.change != nil { wrong.append("receipt of \(proposal.mutation.id) is missing") }
        }
        let receipts = try world.count("receipts")
        if receipts != answered.count && receipts != answered.count + inFlight.count {
            wrong.append("\(receipts) receipts of \(answered.count) and \(inFlight.count)")
        }
        return wrong
    }

    /// Blank values in the log belong to records that are gone or about to go; the sequence and all living records hold.
    private func violationsOfPurge(_ living: [Identifier: Record], _ world: World) throws -> [String] {
        guard let home else { return [] }
        var wrong: [String] = []
        let newest = answered.compactMap(\.answer.sequence).max() ?? 0
        if try world.count("log") != Int(newest) || world.reader.reading({ try world.reader.engine.log.head(family: 1) }) != newest {
            wrong.append("the log is not whole up to \(newest)")
        }
        if try world.snapshot(home).records.filter({ !$0.value.isDeleted }) != living { wrong.append("what lives is not what it was") }
        let isThere = try world.reader.reading {
            try world.reader.engine.records.purged(family: 1).contains { try world.reader.engine.records.head(family: 1, $0.id) != nil }
        }
        if isThere {
            wrong.append("a purged record is there")
        }
        return wrong
    }

    /// All records that mutations made, without what differs between two runs (who, times).
    func outcome(_ world: World) throws -> [String] {
        guard let home else { throw Unexpected() }
        return try world.snapshot(home).records.values.filter { $0.kind != .family && $0.kind != .member }
            .map { "\($0.id) \($0.version) \($0.isDeleted) \($0.fields)".replacing("\(home.parent)", with: "parent") }.sorted()
    }
}
