import Bytes
import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: sign-in")
struct HubSignInTests {
    @Test("a token is looked up, then welcomed with the person's families")
    func signIn() {
        let script = HubScript()
        let id = script.hub.opened(now: 0)
        script.say(.signIn(token: "t"), id)
        #expect(script.seen() == [.read(id, "sign-in")])
        script.answer(.signIn(HubScript.signedIn()), id)
        #expect(script.seen() == [.frame(id, "welcome")])
    }

    @Test("R003 an unknown token is refused and closed with a code that says stop")
    func unknownToken() {
        let script = HubScript()
        let id = script.hub.opened(now: 0)
        script.say(.signIn(token: "t"), id)
        _ = script.seen()
        script.answer(.signIn(nil), id)
        #expect(script.seen() == [.frame(id, "error token_unknown"), .close(id, .sessionEnded, dropsQueue: false)])
        #expect(!CloseCode.reconnects(CloseCode.sessionEnded.rawValue))
    }

    @Test("a connection without a sign-in is closed at the limit, and not before it")
    func timeout() {
        let script = HubScript()
        let id = script.hub.opened(now: 0)
        script.hub.tick(now: 9_999)
        #expect(script.seen() == [])
        script.hub.tick(now: 10_000)
        #expect(script.seen() == [.close(id, .signInTimeout, dropsQueue: false)])
    }

    @Test("an invalid frame closes that connection alone", arguments: ["", "{", "[]", "{\"type\":\"nope\"}", "{\"type\":\"join\"}"])
    func badFrame(text: String) {
        let script = HubScript()
        let other = script.live(HubScript.maya, role: .athlete, at: 3)
        let id = script.hub.opened(now: 0)
        script.say(text: text, id)
        #expect(script.seen() == [.frame(id, "error bad_frame"), .close(id, .badFrame, dropsQueue: false)])
        script.commit(4)
        #expect(script.seen() == [.frame(other, "log 4")])
    }

    @Test("signing out ends the session on every connection that uses it, and on no other")
    func signOut() {
        let script = HubScript()
        let one = script.live(at: 0)
        let two = script.live(at: 0)
        let other = script.live(HubScript.maya, role: .athlete, at: 0)
        script.say(.signOut, one)
        #expect(script.seen().contains(.endSession(1)))
        script.hub.endSessions(1)
        let seen = script.seen()
        for id in [one, two] {
            #expect(seen.contains(.frame(id, "signed out")))
            #expect(seen.contains(.close(id, .sessionEnded, dropsQueue: false)))
        }
        #expect(!seen.contains(.close(other, .sessionEnded, dropsQueue: false)))
    }

    @Test("from the moment in which a session signs out, no connection of it receives or does anything, and the answer waits for the commit")
    func signOutAtOnce() {
        let script = HubScript()
        let one = script.live(at: 0)
        let two = script.live(at: 0)
        let catching = script.joined(at: 0)
        let other = script.live(HubScript.maya, role: .athlete, at: 0)
        let late = script.hub.opened(now: script.now)
        script.say(.signIn(token: "t"), late)
        script.say(.list(ListRequest(request: 1, kind: .message, limit: 5)), two)
        _ = script.seen()
        script.say(.signOut, one)
        // Another member in the room sees the member leave.
        #expect(script.seen().last == .endSession(1))
        #expect(script.hub.hasEnded(1) && !script.hub.hasEnded(2))
        script.commit(1)
        #expect(script.seen() == [.frame(other, "log 1")])
        script.answer(.page(Array("page".utf8)), two)
        script.answer(.changes(frames: [Array("log 1".utf8)], last: 1, reachedEnd: true, checksum: nil), catching)
        #expect(script.seen() == [])
        script.answer(.signIn(HubScript.signedIn()), late)
        #expect(script.seen() == [.frame(late, "error token_unknown"), .close(late, .sessionEnded, dropsQueue: false)])
        script.say(.mutate(id: 1, operations: []), two)
        script.say(.join(Join(family: HubScript.family, client: HubScript.client, cursor: nil)), two)
        script.say(.signIn(token: "t"), two)
        script.say(.mutate(id: 2, operations: [Self.creation]), two)
        #expect(
            script.seen() == [
                .frame(two, "reject 1 not_signed_in"), .frame(two, "error not_signed_in"), .frame(two, "error not_signed_in"),
                .frame(two, "reject 2 not_signed_in"),
            ])
        script.hub.endSessions(1)
        let seen = script.seen()
        for id in [one, two, catching] {
            #expect(seen.contains(.frame(id, "signed out")) && seen.contains(.close(id, .sessionEnded, dropsQueue: false)))
        }
        #expect(script.hub.hasEnded(1))
    }

    @Test("a sign-out that finds the disk full is refused, stays in effect, may be asked for again, and is answered when it is durable")
    func signOutOnFullDisk() {
        let script = HubScript()
        let one = script.live(at: 0)
        let two = script.live(at: 0)
        script.say(.signOut, one)
        _ = script.seen()
        script.hub.didNotEnd(1, Rejection(.storageFull, ErrorCode.storageFull.sentence, retryAfter: 5_000))
        #expect(script.seen() == [.frame(one, "error storage_full")])
        #expect(script.hub.hasEnded(1))
        script.commit(1)
        #expect(script.seen() == [])
        script.say(.signOut, one)
        #expect(script.seen() == [.endSession(1)])
        script.say(.signOut, two)
        #expect(script.seen() == [.endSession(1)])
        script.hub.endSessions(1)
        #expect(script.seen().filter { $0 == .frame(one, "signed out") || $0 == .frame(two, "signed out") }.count == 2)
    }

    @Test("a sign-out that finds the disk full says nothing to a connection that was closed in the meantime, and stays in effect")
    func signOutOnFullDiskAfterEnd() {
        let script = HubScript()
        let id = script.live(at: 0)
        script.say(.signOut, id)
        script.hub.endAll(.goingAway, "going")
        _ = script.seen()
        script.hub.didNotEnd(1, Rejection(.storageFull, ErrorCode.storageFull.sentence, retryAfter: 5_000))
        #expect(script.seen() == [])
        #expect(script.hub.hasEnded(1))
    }

    @Test("mutations without room at the writer are refused, each once, and their places are free again")
    func refusedByWriter() {
        var limits = Limits()
        limits.pendingMutations = 2
        let script = HubScript(limits: limits)
        let id = script.live(at: 0)
        let gone = script.live(HubScript.maya, role: .parent, at: 0)
        var proposals: [Proposal] = []
        func propose(_ mutation: Int64, _ id: SessionID) {
            script.say(.mutate(id: mutation, operations: [Self.creation]), id)
            for case .propose(let proposal) in script.hub.takeEffects() { proposals.append(proposal) }
        }
        propose(1, gone)
        for mutation in 1...2 { propose(Int64(mutation), id) }
        #expect(proposals.count == 3)
        let octets = script.hub.pendingOctets
        script.hub.closed(gone)
        _ = script.seen()
        script.hub.refused([proposals[0], proposals[2]])
        #expect(script.seen() == [.frame(id, "reject 2 busy")])
        #expect(script.hub.pendingOctets > 0 && script.hub.pendingOctets < octets)
        proposals = []
        propose(2, id)
        #expect(proposals.map(\.mutation.id) == [2])
        script.hub.refused(proposals)
        script.hub.committed([.receipt(Receipt(session: id, family: HubScript.family, mutation: 1, frame: Array("ack".utf8)))])
        #expect(script.seen() == [.frame(id, "reject 2 busy"), .frame(id, "ack")])
        #expect(script.hub.pendingOctets == 0)
    }

    private static let creation = Operation(
        kind: .school, id: Identifier(high: 3, low: 3), action: .create(athlete: nil, patch: FieldPatch()))
}

@Suite("Rights that have ended here before the database says so")
struct EndedRightsTests {
    @Test("a right that waits for its commit is never dropped, and a bounded number wait")
    func bounded() {
        var ended = EndedRights<Int>()
        for number in 0..<EndedRights<Int>.maxPending { #expect(ended.begin(number) == true) }
        #expect(ended.begin(-1) == false)
        #expect(!ended.contains(-1))
        #expect(ended.begin(0) == true)
        for number in 0..<2 * EndedRights<Int>.maxLately { ended.didCommit(-2 - number) }
        #expect(ended.contains(0) && ended.contains(EndedRights<Int>.maxPending - 1))
        ended.didCommit(0)
        #expect(ended.begin(-1) == true)
        #expect(ended.contains(0) && ended.contains(-1))
    }

    @Test("the last ended rights are remembered: at least half of the bound, at most all of it")
    func lately() {
        var ended = EndedRights<Int>()
        #expect(!ended.contains(1))
        for number in 0..<3 * EndedRights<Int>.maxLately { ended.didCommit(number) }
        let remembered = (0..<3 * EndedRights<Int>.maxLately).filter { ended.contains($0) }
        #expect((EndedRights<Int>.maxLately / 2...EndedRights<Int>.maxLately).contains(remembered.count))
        #expect(remembered.last == 3 * EndedRights<Int>.maxLately - 1)
    }

    @Test("a refusal restores a right if nobody else has requested its end, and never after a commit")
    func lift() {
        var ended = EndedRights<Int>()
        _ = ended.begin(1)
        _ = ended.begin(1)
        ended.lift(1)
        #expect(ended.contains(1))
        ended.lift(1)
        #expect(!ended.contains(1))
        ended.lift(1)
        _ = ended.begin(2)
        ended.didCommit(2)
        ended.lift(2)
        #expect(ended.contains(2))
    }
}

@Suite("Hub: joining, `seamless` and `resumable`")
struct HubJoinTests {
    @Test("a resumed session gets the changes after its cursor, then those that committed in the meantime, then is live")
    func resume() {
        let script = HubScript()
        let id = script.joined(at: 5)
        #expect(script.seen().suffix(2) == [.frame(id, "joined at 5"), .read(id, "changes after 5")])
        script.commit(6)
        #expect(script.seen() == [], "a session that catches up is not sent commits out of turn")
        script.answer(.changes(frames: [], last: 5, reachedEnd: true, checksum: nil), id)
        #expect(script.seen() == [.frame(id, "log 6"), .frame(id, "live 6")])
        script.commit(7)
        #expect(script.seen() == [.frame(id, "log 7")])
    }

    @Test("a change that was read from the log is not sent again when the writer reports it")
    func notTwice() {
        let script = HubScript()
        let id = script.joined(at: 5)
        script.answer(.changes(frames: [Array("log 6".utf8)], last: 6, reachedEnd: true, checksum: nil), id)
        _ = script.seen()
        script.commit(6)
        #expect(script.seen() == [])
        script.commit(7)
        #expect(script.seen() == [.frame(id, "log 7")])
    }

    @Test("a snapshot is sent whole, then the changes after its sequence")
    func snapshot() {
        let script = HubScript()
        let id = script.joined(at: 9, resume: .snapshot)
        #expect(script.seen().last == .read(id, "snapshot"))
        script.commit(10)
        script.answer(.snapshot(frames: [Array("s1".utf8), Array("s2".utf8)], sequence: 9, HubScript.sums), id)
        #expect(
            script.seen() == [
                .frame(id, "s1"), .frame(id, "s2"), .frame(id, "snapshot end 9"), .read(id, "changes after 9"),
            ])
    }

    @Test("a reset names its reason before the snapshot")
    func reset() {
        let script = HubScript()
        let id = script.joined(at: 9, resume: .reset(.epochChanged))
        #expect(script.seen().suffix(2) == [.frame(id, "reset epoch_changed"), .read(id, "snapshot")])
    }

    @Test("a cursor from the future leaves the session signed in, to join without it")
    func cursorAhead() {
        let script = HubScript()
        let id = script.hub.opened(now: 0)
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(HubScript.signedIn()), id)
        script.say(.join(Join(family: HubScript.family, client: HubScript.client, cursor: Cursor(epoch: "e1", sequence: 99))), id)
        _ = script.seen()
        script.answer(.join(.failure(Rejection(.cursorAhead, ErrorCode.cursorAhead.sentence))), id)
        #expect(script.seen() == [.frame(id, "error cursor_ahead")])
        script.say(.join(Join(family: HubScript.family, client: HubScript.client)), id)
        #expect(script.seen() == [.read(id, "join")])
    }

    @Test("a big snapshot is paced: a portion, then the next when the outbox is empty")
    func pacing() {
        let script = HubScript()
        let id = script.joined(at: 9, resume: .snapshot)
        _ = script.seen()
        let frame = Array(repeating: UInt8(ascii: "x"), count: Hub.portionOctets / 2)
        script.answer(.snapshot(frames: Array(repeating: frame, count: 5), sequence: 9, HubScript.sums), id)
        #expect(script.seen().count == 2)
        #expect(!script.hub.reportDrained { _ in false }, "nothing continues before the outbox is empty")
        script.drain()
        #expect(script.seen().count == 2)
        script.drain()
        #expect(script.seen().count == 3, "the last frame, the end, and the question for what came after")
    }

    @Test("another family is not found, whether it exists or not")
    func isolated() {
        let script = HubScript()
        let id = script.hub.opened(now: 0)
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(HubScript.signedIn()), id)
        _ = script.seen()
        script.say(.join(Join(family: HubScript.maya, client: HubScript.client)), id)
        #expect(script.seen() == [.frame(id, "error not_found")])
    }

    @Test("one member has a bounded number of connections")
    func connectionsPerMember() {
        var limits = Limits()
        limits.connectionsPerMember = 2
        let script = HubScript(limits: limits)
        _ = script.live(at: 0)
        _ = script.live(at: 0)
        let third = script.hub.opened(now: 0)
        script.say(.signIn(token: "t"), third)
        script.answer(.signIn(HubScript.signedIn()), third)
        _ = script.seen()
        script.say(.join(Join(family: HubScript.family, client: HubScript.client)), third)
        #expect(script.seen() == [.close(third, .tooManyConnections, dropsQueue: false)])
    }
}

@Suite("Hub: mutations, `durable` and `bounded`")
struct HubMutationTests {
    static let operation = Operation(kind: .message, id: HubScript.client, action: .delete(base: 1))

    @Test("R006 a mutation goes to the writer; its answer and its change come only from the commit")
    func mutate() {
        let script = HubScript()
        let author = script.live(at: 0)
        let other = script.live(HubScript.maya, role: .athlete, at: 0)
        script.say(.mutate(id: 7, operations: [Self.operation]), author)
        #expect(script.seen() == [.propose(author, 7)])
        script.hub.committed([
            .receipt(Receipt(session: author, family: HubScript.family, mutation: 7, frame: Array("ack 7".utf8))),
            .change(CommittedChange(family: HubScript.family, sequence: 1, frame: Array("log 1".utf8), checksum: StateChecksum())),
        ])
        #expect(script.seen() == [.frame(author, "ack 7"), .frame(author, "log 1"), .frame(other, "log 1")])
    }

    @Test("a refused frame goes to the writer with its octets, because the answer is recorded there")
    func refused() throws {
        let script = HubScript()
        let id = script.live(at: 0)
        let text = #"{"type":"mutate","mutation":3,"operations":[{"op":"create","kind":"spaceship"}]}"#
        script.say(text: text, id)
        let proposals = script.hub.takeEffects().compactMap { effect in if case .propose(let proposal) = effect { proposal } else { nil } }
        let proposal = try #require(proposals.first)
        #expect(proposals.count == 1 && proposal.mutation == Mutation(client: HubScript.client, id: 3, operations: []))
        let refused = try #require(proposal.refused)
        #expect(refused.rejection.code == .unknownKind && refused.octets == Array(text.utf8))
        #expect(script.hub.pendingOctets == text.utf8.count)
        script.say(.mutate(id: 4, operations: [Self.operation]), id)
        #expect(script.seen() == [.propose(id, 4)])
        // The answers come in the order of the frames.
        script.hub.committed([
            .receipt(Receipt(session: id, family: HubScript.family, mutation: 3, frame: Array("reject 3".utf8))),
            .receipt(Receipt(session: id, family: HubScript.family, mutation: 4, frame: Array("ack 4".utf8))),
        ])
        #expect(script.seen() == [.frame(id, "reject 3"), .frame(id, "ack 4")])
        #expect(script.hub.pendingOctets == 0)
    }

    @Test("a refused frame before the join is answered by the hub: there is no member to record it for")
    func refusedBeforeTheJoin() {
        let script = HubScript()
        let id = script.hub.opened(now: script.now)
        script.say(text: #"{"type":"mutate","mutation":3,"operations":[]}"#, id)
        #expect(script.seen() == [.frame(id, "reject 3 not_signed_in")])
    }

    @Test("refused frames have the bounds of other mutations, and too many of them end the session")
    func refusedFramesAreBounded() {
        var limits = Limits()
        limits.pendingMutations = 2
        limits.refusals = 4
        let script = HubScript(limits: limits)
        let id = script.live(at: 0)
        func say(_ mutation: Int64) { script.say(text: "{\"type\":\"mutate\",\"mutation\":\(mutation),\"operations\":[]}", id) }
        for mutation in 1...3 { say(Int64(mutation)) }
        #expect(script.seen() == [.propose(id, 1), .propose(id, 2), .frame(id, "reject 3 too_many_pending")])
        script.hub.committed((1...2).map { .receipt(Receipt(session: id, family: HubScript.family, mutation: $0, frame: [])) })
        _ = script.seen()
        for mutation in 3...4 { say(Int64(mutation)) }
        #expect(script.seen() == [.propose(id, 3), .close(id, .policyViolation, dropsQueue: false)])
    }

    @Test("above the number of unanswered mutations the next one is refused, to be tried again")
    func tooManyPending() {
        var limits = Limits()
        limits.pendingMutations = 2
        let script = HubScript(limits: limits)
        let id = script.live(at: 0)
        for mutation in 1...3 { script.say(.mutate(id: Int64(mutation), operations: [Self.operation]), id) }
        #expect(script.seen() == [.propose(id, 1), .propose(id, 2), .frame(id, "reject 3 too_many_pending")])
        script.hub.committed([.receipt(Receipt(session: id, family: HubScript.family, mutation: 1, frame: Array("ack 1".utf8)))])
        script.say(.mutate(id: 3, operations: [Self.operation]), id)
        #expect(script.seen() == [.frame(id, "ack 1"), .propose(id, 3)])
    }

    @Test("above the rate the answer names the wait, and after it the mutation is accepted")
    func rate() {
        var limits = Limits()
        limits.mutationsPerSecond = 10
        limits.mutationBurst = 2
        var script = HubScript(limits: limits)
        let id = script.live(at: 0)
        for mutation in 1...3 { script.say(.mutate(id: Int64(mutation), operations: [Self.operation]), id) }
        #expect(script.seen() == [.propose(id, 1), .propose(id, 2), .frame(id, "reject 3 rate_limited")])
        script.now += 99
        script.say(.mutate(id: 3, operations: [Self.operation]), id)
        #expect(script.seen() == [.frame(id, "reject 3 rate_limited")])
        script.now += 1
        script.say(.mutate(id: 3, operations: [Self.operation]), id)
        #expect(script.seen() == [.propose(id, 3)])
    }

    @Test("the octets between reactor and writer are bounded over all sessions")
    func pendingOctets() {
        var limits = Limits()
        limits.pendingOctets = 1
        let script = HubScript(limits: limits)
        let one = script.live(at: 0)
        let two = script.live(HubScript.maya, role: .athlete, at: 0)
        script.say(.mutate(id: 1, operations: [Self.operation]), one)
        script.say(.mutate(id: 1, operations: [Self.operation]), two)
        #expect(script.seen() == [.propose(one, 1), .frame(two, "reject 1 busy")])
        // Closing frees nothing: the writer has it still.
        script.hub.closed(one)
        _ = script.seen()
        script.say(.mutate(id: 1, operations: [Self.operation]), two)
        #expect(script.seen() == [.frame(two, "reject 1 busy")])
        script.hub.committed([.receipt(Receipt(session: one, family: HubScript.family, mutation: 1, frame: []))])
        script.say(.mutate(id: 1, operations: [Self.operation]), two)
        #expect(script.seen() == [.propose(two, 1)])
    }

    @Test("while draining nothing new is accepted, and accepted requests are answered")
    func draining() {
        let script = HubScript()
        let id = script.live(at: 0)
        script.say(.mutate(id: 1, operations: [Self.operation]), id)
        script.hub.startDraining()
        script.say(.mutate(id: 2, operations: [Self.operation]), id)
        script.hub.committed([.receipt(Receipt(session: id, family: HubScript.family, mutation: 1, frame: Array("ack 1".utf8)))])
        script.hub.endAll(.restarting, "restart")
        #expect(
            script.seen() == [
                .propose(id, 1), .frame(id, "reject 2 busy"), .frame(id, "ack 1"), .close(id, .restarting, dropsQueue: false),
            ])
    }

    @Test("a receipt for a closed session reaches nobody, also if its slot is in use again")
    func lateReceipt() {
        let script = HubScript()
        let id = script.live(at: 0)
        script.say(.mutate(id: 1, operations: [Self.operation]), id)
        script.hub.closed(id)
        let next = script.hub.opened(now: 0)
        #expect(next != id)
        _ = script.seen()
        script.hub.committed([.receipt(Receipt(session: id, family: HubScript.family, mutation: 1, frame: Array("ack 1".utf8)))])
        #expect(script.seen() == [])
    }
}

@Suite("Hub: `isolated`, roles and presence")
struct HubRightsTests {
    @Test("a removed member receives nothing more, not even the removal")
    func removal() {
        let script = HubScript()
        let gone = script.live(HubScript.maya, role: .athlete, at: 0)
        let stays = script.live(at: 0)
        script.commit(1, members: [(HubScript.maya, nil)])
        let seen = script.seen()
        #expect(seen.contains(.close(gone, .removed, dropsQueue: true)))
        #expect(seen.contains(.frame(stays, "log 1")))
        #expect(!seen.contains(.frame(gone, "log 1")))
    }

    @Test("a removal that commits while the session is joining ends it too")
    func removalWhileJoining() {
        let script = HubScript()
        let id = script.hub.opened(now: 0)
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(HubScript.signedIn()), id)
        script.say(.join(Join(family: HubScript.family, client: HubScript.client)), id)
        script.commit(1, members: [(HubScript.dana, nil)])
        #expect(script.seen().last == .close(id, .removed, dropsQueue: true))
        script.answer(.join(.success(HubScript.seat(head: 0))), id)
        #expect(script.seen() == [])
    }

    @Test("a new role is sent before the change that made it")
    func roleChange() {
        let script = HubScript()
        let id = script.live(at: 0)
        script.commit(1, members: [(HubScript.dana, .guest)])
        #expect(
            script.seen() == [.frame(id, "role guest"), .frame(id, "context"), .frame(id, "presence 1"), .frame(id, "log 1")])
    }

    @Test("P05 a context names an athlete of the family, or is not found")
    func context() {
        let script = HubScript()
        let id = script.live(at: 0)
        script.say(.context(.athlete(HubScript.maya)), id)
        #expect(script.seen() == [.frame(id, "context"), .frame(id, "presence 1")])
        script.say(.context(.athlete(HubScript.client)), id)
        #expect(script.seen() == [.frame(id, "error not_found")])
    }

    @Test("a quiet session receives who is here, and nobody is notified that it comes, changes the season or goes")
    func quiet() {
        let script = HubScript()
        let first = script.live(at: 0)
        let id = script.hub.opened(now: script.now)
        script.say(.signIn(token: "t-quiet"), id)
        script.answer(.signIn(HubScript.signedIn(HubScript.maya, role: .parent)), id)
        script.say(.join(Join(family: HubScript.family, client: HubScript.client, cursor: Cursor(epoch: "e1", sequence: 0), isQuiet: true)), id)
        script.answer(.join(.success(HubScript.seat(head: 0, member: HubScript.maya, role: .parent))), id)
        script.answer(.changes(frames: [], last: 0, reachedEnd: true, checksum: nil), id)
        let seen = script.seen()
        #expect(!seen.contains { if case .frame(first, _) = $0 { true } else { false } }, "\(seen)")
        script.say(.context(.athlete(HubScript.maya)), id)
        #expect(script.seen().contains(.frame(id, "context")))
        // It acts like the others, and receives their changes.
        script.say(.mutate(id: 1, operations: [HubMutationTests.operation]), id)
        #expect(script.seen() == [.propose(id, 1)])
        script.hub.closed(id)
        #expect(!script.seen().contains { if case .frame(first, _) = $0 { true } else { false } })
    }

    @Test("P05 other members are notified of joins and leaves")
    func presence() {
        let script = HubScript()
        let first = script.live(at: 0)
        let second = script.joined(HubScript.maya, role: .athlete, at: 0)
        #expect(script.seen().contains(.frame(first, "presence 1")))
        script.hub.closed(second)
        #expect(script.seen() == [.frame(first, "presence 0")])
    }

    @Test("an upload is reported to the sessions that have joined the family, and to nobody else")
    func upload() {
        let script = HubScript()
        let seated = script.live(at: 0)
        let anonymous = script.hub.opened(now: 0)
        let progress = UploadProgress(
            id: HubScript.client, member: HubScript.maya, athlete: HubScript.maya, title: "Fall highlights", octets: 45, total: 100,
            state: .running)
        script.hub.uploading(progress, family: HubScript.family)
        #expect(script.seen() == [.frame(seated, "upload running 45")])
        script.hub.uploading(progress, family: HubScript.client)
        #expect(script.seen() == [])
        script.hub.closed(anonymous)
    }

    @Test("a room ends with its last session")
    func roomEnds() {
        let script = HubScript()
        let id = script.live(at: 0)
        #expect(script.hub.rooms.count == 1)
        script.hub.closed(id)
        #expect(script.hub.rooms.isEmpty)
    }
}

@Suite("Notes of the hub to the writer besides mutations")
struct HubNoteTests {
    /// The notes among what is to be done.
    private func accesses(_ hub: Hub) -> [AccessNote] {
        hub.takeEffects().compactMap { effect in
            if case .noteAccess(let note) = effect { return note }
            return nil
        }
    }

    @Test("P11 a look at another athlete's season is noted once per visit, a look at one's own is not")
    func visits() {
        var script = HubScript()
        let dana = script.live(at: 5)
        script.say(.context(.athlete(HubScript.maya)), dana)
        let note = AccessNote(family: HubScript.family, athlete: HubScript.maya, member: HubScript.dana, subject: .context)
        #expect(accesses(script.hub) == [note])
        script.say(.context(.all), dana)
        script.say(.context(.athlete(HubScript.maya)), dana)
        #expect(accesses(script.hub) == [])
        script.now += Hub.visitTime
        script.say(.context(.athlete(HubScript.maya)), dana)
        #expect(accesses(script.hub) == [note])
        let maya = script.live(HubScript.maya, role: .athlete, at: 5)
        script.say(.context(.athlete(HubScript.maya)), maya)
        #expect(accesses(script.hub) == [])
    }

    @Test("sessions in use are noted together: after a pause at the sign-in, and once a day while they stay open")
    func renewals() {
        let script = HubScript()
        func renewed(at now: Int64) -> [[Int64]] {
            script.hub.tick(now: now)
            return script.hub.takeEffects().compactMap { effect in
                if case .renew(let sessions) = effect { return sessions }
                return nil
            }
        }
        #expect(renewed(at: Hub.renewalInterval) == [])
        _ = script.live(at: 5)
        #expect(renewed(at: Hub.renewalInterval + 1) == [])
        let late = script.hub.opened(now: script.now)
        script.say(.signIn(token: "late"), late)
        script.answer(.signIn(SignedIn(session: 9, person: 1, memberships: [], isRenewalDue: true)), late)
        #expect(renewed(at: Hub.renewalInterval + 2) == [[9]])
        #expect(renewed(at: Hub.renewalInterval + 3) == [])
        #expect(renewed(at: 2 * Hub.renewalInterval) == [[1, 9]])
    }

    @Test("a log that was trimmed while a session catches up makes it reconnect")
    func trimmed() {
        let script = HubScript()
        let dana = script.joined(at: 5)
        _ = script.hub.takeEffects()
        script.answer(.trimmed, dana)
        #expect(script.seen() == [.close(dana, .slowReader, dropsQueue: false)])
    }
}
