import Bytes
import Family
import Store
import Testing
import Wire

@Suite("Exactly-once, guarantees.md", .bothEngines)
struct ExactlyOnceTests {
    let world: World
    let home: World.Home

    init() throws {
        world = try World()
        home = try world.home()
    }

    @Test("R013 a mutation sent three times has one effect and three times the same answer, octet for octet")
    func replays() throws {
        let proposal = world.proposal(home, home.parent, [message(world.newID(), "Hi")])
        let first = try world.commit(proposal)
        let log = try world.log(home)
        world.surroundings.now += 5000
        let second = try world.commit(proposal)
        try world.reopen()
        let third = try world.commit(proposal)
        #expect(first.ack?.sequence == 2)
        #expect(second.frame == first.frame)
        #expect(third.frame == first.frame)
        #expect(second.change == nil && third.change == nil)
        #expect(try world.log(home) == log)
    }

    @Test("a mutation that occurs twice in one commit is done once")
    func replaysWithinACommit() throws {
        let proposal = world.proposal(home, home.parent, [message(world.newID(), "Hi")])
        let answers = try world.commit([proposal, proposal])
        #expect(answers[0].frame == answers[1].frame)
        #expect(answers[1].change == nil)
    }

    @Test("final rejections are recorded too: the answer stays after its reason is gone")
    func replaysRejections() throws {
        let school = world.newID()
        let orphan = create(.coach, world.newID(), ["first_name": .text("Jo"), "last_name": .text("Diaz"), "school_id": .reference(school)])
        let proposal = world.proposal(home, home.parent, [orphan])
        let first = try world.commit(proposal)
        #expect(first.code == .unknownReference)
        try world.mutate(home, home.parent, StoreTests.school(school, "Rice"))
        #expect(try world.commit(proposal).frame == first.frame)
    }

    @Test("a frame whose content its reader refused is answered from its receipt, also after a restart")
    func replaysRefusedFrames() throws {
        let refused = world.refused(home, home.parent, "{\"x\":1}", mutation: 1)
        let first = try world.commit(refused)
        #expect(first.rejection == Rejection(.unknownField, "School has no such field", operation: 0, field: "x"))
        #expect(first.change == nil)
        #expect(try world.commit(refused).frame == first.frame)
        // The code is the first one, whatever a later reader would find first.
        var newer = refused
        newer.refused?.rejection = Rejection(.invalid, "Another sentence")
        #expect(try world.commit(newer).rejection == Rejection(.unknownField, ErrorCode.unknownField.sentence))
        try world.reopen()
        #expect(try world.commit(refused).frame == first.frame)
        #expect(try world.count("receipts") == 1)
        #expect(try world.snapshot(home).sequence == 1)
    }

    @Test("the id of a refused frame is used up: with other content, readable or not, it is mutation_reused")
    func reusesRefusedFrames() throws {
        let refused = world.refused(home, home.parent, "{\"x\":1}", mutation: 1)
        let first = try world.commit(refused)
        func isReused() throws {
            #expect(try world.mutate(home, home.parent, message(world.newID(), "Hi"), mutation: 1).code == .mutationReused)
            #expect(try world.commit(world.refused(home, home.parent, "{\"x\": 1}", mutation: 1)).code == .mutationReused)
            // Not even the empty batch as which it travels to the writer.
            #expect(try world.commit(world.proposal(home, home.parent, [], mutation: 1)).code == .mutationReused)
        }
        try isReused()
        try world.reopen()
        try isReused()
        #expect(try world.snapshot(home).sequence == 1)
        #expect(try world.commit(refused).frame == first.frame)
        let done = try world.mutate(home, home.parent, message(world.newID(), "Hi"), mutation: 2)
        #expect(done.sequence == 2)
        #expect(try world.commit(world.refused(home, home.parent, "{}", mutation: 2)).code == .mutationReused)
    }

    @Test("a refused frame that spells out another mutation is not that mutation")
    func marksRefusedFrames() throws {
        let operations = [school(world.newID(), "Rice")]
        try world.mutate(home, home.parent, operations[0], mutation: 1)
        let text = String(decoding: OperationCodec.canonicalOctets(operations), as: UTF8.self)
        #expect(try world.commit(world.refused(home, home.parent, text, mutation: 1)).code == .mutationReused)
    }

    @Test("a refused frame leaves nothing of a stranger, and expires like any other")
    func refusedFramesEnd() throws {
        let stranger = try world.home("Okafor")
        #expect(try world.commit(world.refused(home, stranger.parent, "{}", mutation: 1)).code == .notFound)
        #expect(try world.count("receipts") + world.count("clients") == 0)
        let refused = world.refused(home, home.parent, "{}", mutation: 1)
        _ = try world.commit(refused)
        world.surroundings.now += 31 * Surroundings.day
        #expect(try world.purge().receipts == 1)
        #expect(try world.commit(refused).code == .mutationExpired)
    }

    @Test("an acked mutation without effect is recorded")
    func replaysNothing() throws {
        let id = world.newID()
        try world.mutate(home, home.parent, school(id, "Rice"))
        let proposal = world.proposal(home, home.parent, [update(.school, id, base: 1, ["name": .text("Rice")])])
        let first = try world.commit(proposal)
        try world.mutate(home, home.parent, update(.school, id, base: 1, ["name": .text("Rice U")]))
        #expect(try world.commit(proposal).frame == first.frame)
    }

    @Test("in any order of arrival each answer is its own", arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]])
    func permuted(order: [Int]) throws {
        let proposals = (1...3).map { number in
            world.proposal(home, home.parent, [message(world.newID(), "\(number)")], mutation: Int64(number))
        }
        var first: [Int: [UInt8]] = [:]
        for index in order { first[index] = try world.commit(proposals[index]).frame }
        for index in order.reversed() { #expect(try world.commit(proposals[index]).frame == first[index]) }
        #expect(try world.snapshot(home).sequence == 4)
    }

    @Test("a known id with another content is mutation_reused, and the first answer still stands")
    func reused() throws {
        let id = world.newID()
        let first = try world.mutate(home, home.parent, message(id, "Hi"), mutation: 1)
        let other = try world.mutate(home, home.parent, message(id, "Ho"), mutation: 1)
        #expect(other.code == .mutationReused)
        #expect(try world.mutate(home, home.parent, message(id, "Hi"), mutation: 1).frame == first.frame)
        #expect(try world.record(home, id).fields.text("text") == "Hi")
    }

    @Test("the same id of another client or another member is another mutation")
    func perClient() throws {
        let guest = try world.member(home, .parent)
        let client = world.newID()
        let other = world.newID()
        #expect(try world.mutate(home, home.parent, message(world.newID(), "a"), mutation: 1, client: client).sequence == 3)
        #expect(try world.mutate(home, home.parent, message(world.newID(), "b"), mutation: 1, client: other).sequence == 4)
        #expect(try world.mutate(home, guest, message(world.newID(), "c"), mutation: 1, client: client).sequence == 5)
    }

    @Test("the stored receipt precedes the check of rights: a member removed since still gets it")
    func deduplicationComesFirst() throws {
        let parent = try world.member(home, .parent)
        let proposal = world.proposal(home, parent, [message(world.newID(), "Hi")])
        let first = try world.commit(proposal)
        try world.mutate(home, home.parent, delete(.member, parent, base: 1))
        #expect(try world.commit(proposal).frame == first.frame)
        #expect(try world.mutate(home, parent, message(world.newID(), "Ho")).code == .notFound)
    }

    @Test("after 30 days a receipt goes, and its id and those below are mutation_expired")
    func expires() throws {
        let old = world.proposal(home, home.parent, [message(world.newID(), "old")], mutation: 5)
        try _ = world.commit(old)
        world.surroundings.now += 29 * Surroundings.day
        let young = world.proposal(home, home.parent, [message(world.newID(), "young")], mutation: 6)
        let answer = try world.commit(young)
        #expect(try world.purge().receipts == 0)
        world.surroundings.now += Surroundings.day + 1
        #expect(try world.purge().receipts == 1)
        let head = try world.snapshot(home).sequence
        #expect(try world.commit(old).code == .mutationExpired)
        #expect(try world.mutate(home, home.parent, message(world.newID(), "x"), mutation: 3).code == .mutationExpired)
        #expect(try world.commit(young).frame == answer.frame)
        try world.reopen()
        #expect(try world.commit(old).code == .mutationExpired)
        #expect(try world.snapshot(home).sequence == head)
        #expect(try world.mutate(home, home.parent, message(world.newID(), "new"), mutation: 7).sequence == head + 1)
    }

    @Test("receipts go in steps, so that no purge holds up the writer for long")
    func purgesInSteps() throws {
        for _ in 0..<22 {
            _ = try world.commit((0..<256).map { _ in world.proposal(home, home.parent, [message(world.newID(), "m")]) })
        }
        world.surroundings.now += 31 * Surroundings.day
        var portions: [Int] = []
        while true {
            let portion = try world.store.maintain()
            if portion.purged.receipts > 0 { portions.append(portion.purged.receipts) }
            if portion.isFinished { break }
        }
        #expect(portions == [1000, 1000, 1000, 1000, 1000, 632])
    }

    @Test("an id below 1 is never one of ours", arguments: [0, -1, Int64.min])
    func idsBelowOne(id: Int64) throws {
        // No frame can hold such an id, so the answer is not decoded.
        let results = try world.store.commit([world.proposal(home, home.parent, [message(world.newID(), "x")], mutation: id)])
        guard case .receipt(let receipt)? = results.first, results.count == 1 else { throw Unexpected() }
        #expect(String(decoding: receipt.frame, as: UTF8.self).contains("mutation_expired"))
        #expect(try world.count("receipts") == 0)
    }
}
