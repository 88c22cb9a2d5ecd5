import Bytes
import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: catching up with a family that never rests, `seamless`")
struct HubBusyFamilyTests {
    @Test("a session becomes live although a change commits during each of its reads")
    func neverRests() {
        let script = HubScript()
        let id = script.joined(at: 5)
        _ = script.seen()
        for sequence in 6...9 { script.commit(Int64(sequence)) }
        script.answer(.changes(frames: [Array("log 6".utf8)], last: 6, reachedEnd: true, checksum: nil), id)
        #expect(script.seen() == [.frame(id, "log 6"), .frame(id, "log 7"), .frame(id, "log 8"), .frame(id, "log 9"), .frame(id, "live 9")])
        script.commit(10)
        #expect(script.seen() == [.frame(id, "log 10")])
    }

    @Test("changes that wait during a read are bounded; above the bound the log is read again, and nothing is missing or sent twice")
    func waitingIsBounded() {
        let script = HubScript()
        let id = script.joined(at: 0)
        _ = script.seen()
        let big = [UInt8](repeating: UInt8(ascii: "x"), count: Hub.portionOctets / 2)
        for sequence in 1...4 {
            script.hub.committed([.change(CommittedChange(family: HubScript.family, sequence: Int64(sequence), frame: big, checksum: StateChecksum(), members: []))])
        }
        script.answer(.changes(frames: [], last: 0, reachedEnd: true, checksum: nil), id)
        #expect(script.seen() == [], "a gap is never sent")
        script.drain()
        #expect(script.seen() == [.read(id, "changes after 0")])
        script.commit(5)
        let log = (1...4).map { Array("log \($0)".utf8) }
        script.answer(.changes(frames: log, last: 4, reachedEnd: true, checksum: nil), id)
        #expect(script.seen().map(\.description) == (1...5).map { "frame \(id): log \($0)" } + ["frame \(id): live 5"])
    }

    @Test("a page of the log that is not its end is followed by the next page, not by the waiting changes")
    func notTheEnd() {
        let script = HubScript()
        let id = script.joined(at: 0, head: 2)
        _ = script.seen()
        script.commit(3)
        script.answer(.changes(frames: [Array("log 1".utf8)], last: 1, reachedEnd: false, checksum: nil), id)
        #expect(script.seen() == [.frame(id, "log 1")])
        script.drain()
        #expect(script.seen() == [.read(id, "changes after 1")])
    }
}

@Suite("Hub: what was read before somebody's rights changed, `isolated`")
struct HubStaleReadTests {
    /// Signed in, and the database reads the join.
    private func joining(_ script: HubScript) -> SessionID {
        let id = script.hub.opened(now: script.now)
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(HubScript.signedIn()), id)
        script.say(.join(Join(family: HubScript.family, client: HubScript.client, cursor: Cursor(epoch: "e1", sequence: 3))), id)
        _ = script.seen()
        return id
    }

    @Test("a join that was read before a change of rights committed is read again")
    func staleJoin() {
        let script = HubScript()
        let id = joining(script)
        script.commit(4, members: [(HubScript.dana, .guest)])
        _ = script.seen()
        script.answer(.join(.success(HubScript.seat(head: 3, role: .parent))), id)
        #expect(script.seen() == [.read(id, "join")])
        script.answer(.join(.success(HubScript.seat(head: 4, role: .guest))), id)
        #expect(script.seen().first == .frame(id, "joined at 4"))
    }

    @Test("an athlete who lets parents only view keeps the role and receives the change like all; a join that was read before is read again")
    func parentAccess() {
        let script = HubScript()
        let maya = script.live(HubScript.maya, role: .athlete, at: 3)
        let parent = script.live(at: 3)
        let late = joining(script)
        // The role is unchanged; the rights of parents have changed.
        script.commit(4, members: [(HubScript.maya, .athlete)])
        #expect(script.seen() == [.frame(maya, "log 4"), .frame(parent, "log 4")])
        script.answer(.join(.success(HubScript.seat(head: 3))), late)
        #expect(script.seen() == [.read(late, "join")])
    }

    @Test("a change of content does not make a join stale")
    func otherChange() {
        let script = HubScript()
        let id = joining(script)
        script.commit(4)
        script.answer(.join(.success(HubScript.seat(head: 3))), id)
        #expect(script.seen().first == .frame(id, "joined at 3"))
    }

    @Test("a session that ended between its lookup and the answer is not signed in")
    func endedMeanwhile() {
        let script = HubScript()
        _ = script.live(at: 0)
        let late = script.hub.opened(now: script.now)
        script.say(.signIn(token: "t"), late)
        _ = script.seen()
        script.hub.endSessions(1)
        _ = script.seen()
        script.answer(.signIn(HubScript.signedIn()), late)
        #expect(script.seen() == [.frame(late, "error token_unknown"), .close(late, .sessionEnded, dropsQueue: false)])
    }
}

@Suite("Hub: `bounded`, one connection's flood is its own")
struct HubFloodTests {
    @Test("refused frames before the sign-in: the tenth is answered, the eleventh ends the connection")
    func anonymous() {
        let script = HubScript()
        let id = script.hub.opened(now: script.now)
        for _ in 0..<Hub.refusalsBeforeSignIn.burst {
            script.say(.context(.all), id)
            #expect(script.seen() == [.frame(id, "error not_signed_in")])
        }
        script.say(.context(.all), id)
        #expect(script.seen() == [.close(id, .policyViolation, dropsQueue: false)])
    }

    @Test("refused frames of a session: at the limit it is answered, above it it ends, and each second allows 200 more")
    func refusals() {
        var limits = Limits()
        limits.refusals = 300
        limits.mutationsPerSecond = 1
        limits.mutationBurst = 1
        var script = HubScript(limits: limits)
        let id = script.live(at: 0)
        script.say(.context(.all), id)
        _ = script.seen()
        func flood(_ count: Int) {
            for _ in 0..<count { script.say(.context(.all), id) }
        }
        flood(300)
        let first = script.seen()
        #expect(first == [HubScript.Seen](repeating: .frame(id, "error rate_limited"), count: 300))
        script.now += 1_000
        // One of them is a context that the rate allows again.
        flood(201)
        #expect(script.seen().filter { $0 == .frame(id, "error rate_limited") }.count == 200)
        script.say(.context(.all), id)
        #expect(script.seen() == [.close(id, .policyViolation, dropsQueue: false)])
    }

    @Test("a context that changes nothing is sent to nobody else, and contexts count against the rate")
    func contexts() {
        var limits = Limits()
        limits.mutationBurst = 2
        let script = HubScript(limits: limits)
        let id = script.live(at: 0)
        let other = script.live(HubScript.maya, role: .athlete, at: 0)
        _ = script.seen()
        script.say(.context(.all), id)
        #expect(script.seen() == [.frame(id, "context")])
        script.say(.context(.athlete(HubScript.maya)), id)
        let told = script.seen()
        #expect(told.contains(.frame(other, "presence 1")))
        script.say(.context(.all), id)
        #expect(script.seen() == [.frame(id, "error rate_limited")])
    }

    @Test("pages: the allowed number is read at the same time, the next is busy")
    func pages() {
        let script = HubScript()
        let id = script.live(at: 0)
        let list = ClientFrame.list(ListRequest(request: 1, kind: .message, before: nil, limit: 10))
        for _ in 0..<Hub.maxPendingPages {
            script.say(list, id)
            #expect(script.seen() == [.read(id, "page")])
        }
        script.say(list, id)
        #expect(script.seen() == [.frame(id, "error busy")])
        script.answer(.page(Array("page".utf8)), id)
        _ = script.seen()
        script.say(list, id)
        #expect(script.seen() == [.read(id, "page")])
    }

    @Test("a request without room at the readers is refused as busy, and can be repeated")
    func refusedReads() throws {
        let script = HubScript()
        let id = script.hub.opened(now: script.now)
        script.say(.signIn(token: "t"), id)
        _ = script.seen()
        #expect(script.hub.payer(of: id) == nil)
        #expect(script.hub.refusedRead(id, .signIn(token: "t")))
        #expect(script.seen() == [.frame(id, "error busy")])
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(HubScript.signedIn()), id)
        _ = script.seen()
        let join = Join(family: HubScript.family, client: HubScript.client, cursor: Cursor(epoch: "e1", sequence: 0))
        script.say(.join(join), id)
        #expect(script.hub.payer(of: id) == WorkOwner(family: HubScript.family, member: HubScript.dana))
        #expect(script.hub.refusedRead(id, .join(person: 1, join)))
        _ = script.seen()
        script.say(.join(join), id)
        #expect(script.seen() == [.read(id, "join")])
        script.answer(.join(.success(HubScript.seat(head: 0))), id)
        #expect(script.hub.refusedRead(id, .changes(family: HubScript.family, after: 0)) == false)
        _ = script.seen()
        let list = ListRequest(request: 7, kind: .message, before: nil, limit: 10)
        for _ in 0..<2 * Hub.maxPendingPages {
            script.say(.list(list), id)
            #expect(script.seen() == [.read(id, "page")])
            #expect(script.hub.refusedRead(id, .page(family: HubScript.family, try list.query(context: .all), list)))
            #expect(script.seen() == [.frame(id, "error busy")])
        }
    }

    @Test("repeated sign-outs are one job of the writer")
    func signOuts() {
        let script = HubScript()
        let id = script.live(at: 0)
        for _ in 0..<1_000 { script.say(.signOut, id) }
        #expect(script.seen() == [.endSession(1)])
    }

    @Test("one person's connections are bounded also without joining")
    func connectionsOfPerson() {
        var limits = Limits()
        limits.connectionsPerMember = 2
        let script = HubScript(limits: limits)
        func signedIn() -> SessionID {
            let id = script.hub.opened(now: script.now)
            script.say(.signIn(token: "t"), id)
            _ = script.seen()
            script.answer(.signIn(HubScript.signedIn()), id)
            return id
        }
        var ids: [SessionID] = []
        for _ in 0..<4 {
            ids.append(signedIn())
            #expect(script.seen() == [.frame(ids.last ?? 0, "welcome")])
        }
        let last = signedIn()
        #expect(script.seen() == [.close(last, .tooManyConnections, dropsQueue: false)])
        script.hub.closed(last)
        script.hub.closed(ids[0])
        let next = signedIn()
        #expect(script.seen() == [.frame(next, "welcome")])
    }

    @Test("mutations of a session that has gone hold their room between reactor and writer until they are answered")
    func orphans() {
        var limits = Limits()
        // A family has a quarter.
        limits.pendingOctets = 600
        let script = HubScript(limits: limits)
        let one = script.live(at: 0)
        let two = script.live(HubScript.maya, role: .athlete, at: 0)
        let operation = Operation(kind: .message, id: HubScript.client, action: .delete(base: 1))
        script.say(.mutate(id: 1, operations: [operation]), one)
        #expect(script.seen() == [.propose(one, 1)])
        let held = script.hub.pendingOctets
        script.hub.closed(one)
        _ = script.seen()
        #expect(script.hub.pendingOctets == held)
        script.say(.mutate(id: 1, operations: [operation]), two)
        script.say(.mutate(id: 2, operations: [operation]), two)
        #expect(script.seen() == [.propose(two, 1), .frame(two, "reject 2 busy")])
        script.hub.committed([.receipt(Receipt(session: one, family: HubScript.family, mutation: 1, frame: []))])
        script.hub.committed([.receipt(Receipt(session: two, family: HubScript.family, mutation: 1, frame: Array("ack".utf8)))])
        #expect(script.hub.pendingOctets == 0)
    }

    @Test("a family that has its quarter of the room between reactor and writer leaves the rest to others, and has room again when it is answered")
    func familyShare() {
        var limits = Limits()
        limits.pendingOctets = 1_000
        let script = HubScript(limits: limits)
        let families = (1...4).map { Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0000 | $0) }
        let ids = families.map { script.live(in: $0, at: 0) }
        let operation = Operation(kind: .message, id: HubScript.client, action: .delete(base: 1))
        var taken: [SessionID: [Int64]] = [:]
        /// - Returns: whether it was taken.
        func propose(_ id: SessionID, _ mutation: Int64) -> Bool {
            script.say(.mutate(id: mutation, operations: [operation]), id)
            let seen = script.seen()
            guard seen == [.propose(id, mutation)] else {
                #expect(seen == [.frame(id, "reject \(mutation) busy")])
                return false
            }
            taken[id, default: []].append(mutation)
            return true
        }
        for mutation in 1...20 where !propose(ids[0], Int64(mutation)) { break }
        let held = script.hub.pendingOctets
        #expect((250..<500).contains(held), "the one that reaches the bound is the last one")
        let count = taken[ids[0]]?.count ?? 0
        // A second session of the family shares its part; another family has its own.
        let second = script.live(HubScript.maya, role: .athlete, in: families[0], at: 0)
        #expect(!propose(second, 1))
        for mutation in 1...count { #expect(propose(ids[1], Int64(mutation))) }
        #expect(!propose(ids[1], 21))
        // All four together reach the bound of all, and not before.
        for id in ids[2...] { for mutation in 1...20 where !propose(id, Int64(mutation)) { break } }
        #expect(script.hub.pendingOctets >= 1_000)
        // A session that has gone holds its part of the family.
        script.hub.closed(ids[0])
        _ = script.seen()
        #expect(!propose(second, 2))
        script.hub.committed((taken[ids[0]] ?? []).map { .receipt(Receipt(session: ids[0], family: families[0], mutation: $0, frame: [])) })
        #expect(propose(second, 3))
        for (family, id) in zip(families, ids).dropFirst() {
            script.hub.committed((taken[id] ?? []).map { .receipt(Receipt(session: id, family: family, mutation: $0, frame: [])) })
        }
        script.hub.committed([.receipt(Receipt(session: second, family: families[0], mutation: 3, frame: []))])
        #expect(script.hub.pendingOctets == 0)
    }

    @Test("when all sessions end, none is notified that the others leave")
    func endAll() {
        let script = HubScript()
        let ids = (0..<20).map { _ in script.live(at: 0) }
        script.hub.endAll(.restarting, "restart")
        #expect(script.seen() == ids.map { .close($0, .restarting, dropsQueue: false) })
    }

    @Test("before a restart each client gets another time to come back, spread evenly", arguments: [1, 4, 1_000, 5_000])
    func spread(count: Int) {
        let script = HubScript()
        for _ in 0..<count { _ = script.hub.opened(now: script.now) }
        script.hub.spreadReturns()
        var waits: [Int64] = []
        for effect in script.hub.takeEffects() {
            guard case .send(_, let octets) = effect,
                case .drain(let wait)? = try? octets.withUnsafeBytes({ raw throws(Rejection) in try ServerFrame.decode(raw) })
            else { continue }
            waits.append(wait)
        }
        #expect(waits.count == count)
        #expect(waits.allSatisfy { $0 >= Hub.firstReturn && $0 <= Hub.longestReturn })
        // In no tenth of a second come more than what the server takes.
        let busiest = Dictionary(grouping: waits) { $0 / 100 }.values.map(\.count).max() ?? 0
        #expect(busiest <= max(Int(Hub.returnsPerMillisecond) * 100, 1))
    }

    @Test("before the sign-in a message is short, after it it has its full length")
    func messageLimit() {
        let script = HubScript()
        let id = script.hub.opened(now: script.now)
        #expect(script.hub.messageLimit(id) == 4_096)
        script.say(.signIn(token: "t"), id)
        #expect(script.hub.messageLimit(id) == 4_096)
        script.answer(.signIn(HubScript.signedIn()), id)
        #expect(script.hub.messageLimit(id) == 262_144)
    }
}

@Suite("Hub: snapshots in memory, `bounded`")
struct HubSnapshotTests {
    private func reads(_ script: HubScript) -> [SessionID] {
        script.seen().compactMap { if case .read(let id, "snapshot") = $0 { id } else { nil } }
    }

    @Test("snapshots are read one at a time, in the order in which they were asked for")
    func oneAtATime() {
        let script = HubScript()
        let ids = (0..<4).map { _ in script.joined(at: 1, resume: .snapshot) }
        #expect(reads(script) == [ids[0]])
        script.answer(.snapshot(frames: [Array("s".utf8)], sequence: 1, HubScript.sums), ids[0])
        #expect(reads(script) == [ids[1]])
        // A session that has gone is passed over, but a read that has begun is waited for.
        script.hub.closed(ids[1])
        script.hub.closed(ids[2])
        #expect(reads(script) == [])
        script.answer(.snapshot(frames: [], sequence: 1, HubScript.sums), ids[1])
        #expect(reads(script) == [ids[3]])
        script.answer(.failed, ids[3])
        let next = script.joined(at: 1, resume: .snapshot)
        #expect(reads(script) == [next])
    }

    @Test("above the memory for snapshots the next one waits; a client that reads its own in drips is closed, one that reads well is not")
    func memory() {
        var script = HubScript()
        let slow = script.joined(at: 1, resume: .snapshot)
        let frame = [UInt8](repeating: 0, count: Hub.maxSnapshotOctets / 2)
        script.answer(.snapshot(frames: [frame, frame], sequence: 1, HubScript.sums), slow)
        let next = script.joined(at: 1, resume: .snapshot)
        #expect(!reads(script).contains(next))
        script.now += Hub.snapshotGrace
        script.hub.tick(now: script.now)
        #expect(script.seen() == [], "it has its grace")
        // 128 MiB were sent at one time, which is enough for a long time.
        script.now += Int64(Hub.maxSnapshotOctets) / 2 / Hub.snapshotOctetsPerSecond * 1_000 - Hub.snapshotGrace
        script.hub.tick(now: script.now)
        #expect(script.seen() == [])
        script.now += 1_000
        script.hub.tick(now: script.now)
        let seen = script.seen()
        #expect(seen.contains(.close(slow, .slowReader, dropsQueue: false)))
        #expect(seen.contains(.read(next, "snapshot")))
        #expect(script.hub.snapshotOctets == 0)
    }
}
