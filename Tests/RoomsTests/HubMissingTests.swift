import Bytes
import Family
import TestSupport
import Testing
import Wire

@testable import Rooms

/// Frames of this suite are texts: "log 5" is the change with sequence 5.
@Suite("Hub: missing and repeated changes, guarantees.md (ordered, resumable)")
struct HubMissingTests {
    private typealias Seen = HubScript.Seen

    private func frames(_ range: ClosedRange<Int64>) -> [(sequence: Int64, frame: [UInt8])] {
        range.map { ($0, Array("log \($0)".utf8)) }
    }

    private func found(
        _ range: ClosedRange<Int64>, rights: [(member: Identifier, role: Role?)] = [], reachedEnd: Bool = true
    ) -> MissingAnswer {
        .changes(
            MissedChanges(
                changes: frames(range), rights: rights, reachedEnd: reachedEnd,
                checksum: reachedEnd ? StateChecksum(UInt32(range.upperBound)) : nil))
    }

    private func nothing() -> MissingAnswer { .changes(MissedChanges(changes: [], reachedEnd: true)) }

    private func answer(_ script: HubScript, after sequence: Int64, _ answer: MissingAnswer) {
        script.hub.answeredMissing(HubScript.family, after: sequence, answer)
    }

    @Test("A change that the room knows already is skipped")
    func known() {
        let script = HubScript()
        let id = script.live(at: 4)
        script.commit(5)
        script.commit(6)
        script.commit(5)
        script.commit(6)
        #expect(script.seen() == [.frame(id, "log 5"), .frame(id, "log 6")])
        script.commit(7)
        #expect(script.seen() == [.frame(id, "log 7")])
    }

    @Test("A gap is read from the log once; changes that commit in the meantime wait and follow in order")
    func gap() {
        let script = HubScript()
        let (one, two) = (script.live(at: 4), script.live(HubScript.maya, role: .athlete, at: 4))
        script.commit(5)
        _ = script.seen()
        script.commit(8)
        #expect(script.seen() == [.missing(after: 5)])
        script.commit(9)
        script.commit(7)
        #expect(script.seen() == [])
        answer(script, after: 5, found(6...8))
        #expect(
            script.seen() == [
                .frame(one, "log 6"), .frame(two, "log 6"), .frame(one, "log 7"), .frame(two, "log 7"), .frame(one, "log 8"), .frame(two, "log 8"),
                .frame(one, "log 9"), .frame(two, "log 9"),
            ])
        script.commit(10)
        #expect(script.seen() == [.frame(one, "log 10"), .frame(two, "log 10")])
    }

    @Test("A gap before the first change of a room shows by the cursors of its live sessions")
    func first() {
        let script = HubScript()
        let id = script.live(at: 4)
        script.commit(7)
        #expect(script.seen() == [.missing(after: 4)])
        answer(script, after: 4, found(5...7))
        #expect(script.seen() == [.frame(id, "log 5"), .frame(id, "log 6"), .frame(id, "log 7")])
    }

    @Test("A gap before the first change of a room shows although nobody is live yet; a removal in it ends a session that catches up")
    func firstWhileCatchingUp() {
        let script = HubScript()
        let (one, two) = (script.joined(at: 2, head: 4), script.joined(HubScript.maya, role: .athlete, at: 2, head: 4))
        _ = script.seen()
        script.commit(7)
        #expect(script.seen() == [.missing(after: 4)])
        script.answer(.changes(frames: frames(3...4).map(\.frame), last: 4, reachedEnd: true, checksum: nil), one)
        #expect(script.seen() == [.frame(one, "log 3"), .frame(one, "log 4"), .frame(one, "live 4")])
        answer(script, after: 4, found(5...7, rights: [(HubScript.maya, nil)]))
        let seen = script.seen()
        #expect(seen.contains(.close(two, .removed, dropsQueue: true)))
        #expect(seen.filter { if case .frame(one, let text) = $0 { text.hasPrefix("log") } else { false } } == [.frame(one, "log 5"), .frame(one, "log 6"), .frame(one, "log 7")])
        script.commit(8)
        #expect(script.seen() == [.frame(one, "log 8")])
    }

    @Test("Changes before the first join of a room wait for it: known ones are skipped, a gap is read")
    func beforeTheFirstJoin() {
        for head in Int64(4)...8 {
            let script = HubScript()
            let id = script.joining(at: 2)
            _ = script.seen()
            script.commit(7)
            script.commit(8)
            #expect(script.seen() == [])
            script.answer(.join(.success(HubScript.seat(head: head))), id)
            #expect(script.seen().contains(.missing(after: head)) == (head < 6), "seat at \(head)")
            if head < 6 { answer(script, after: head, found(head + 1...8)) }
            script.answer(.changes(frames: frames(3...8).map(\.frame), last: 8, reachedEnd: true, checksum: nil), id)
            #expect(script.seen().suffix(2) == [.frame(id, "log 8"), .frame(id, "live 8")], "seat at \(head)")
            script.commit(9)
            #expect(script.seen() == [.frame(id, "log 9")], "seat at \(head)")
        }
    }

    @Test("More changes before the first join than the room keeps are read from the log")
    func manyBeforeTheFirstJoin() {
        let script = HubScript()
        let id = script.joining(at: 4)
        _ = script.seen()
        for sequence in Int64(5)...6 {
            script.hub.committed([
                .change(
                    CommittedChange(
                        family: HubScript.family, sequence: sequence, frame: [UInt8](repeating: 0x20, count: Hub.portionOctets),
                        checksum: StateChecksum()))
            ])
        }
        script.answer(.join(.success(HubScript.seat(head: 4))), id)
        #expect(script.seen().contains(.missing(after: 4)))
    }

    @Test("A change of rights before the first join counts: an old join is read again, and a removed member gets none")
    func rightsBeforeTheFirstJoin() {
        let script = HubScript()
        let (one, two) = (script.joining(at: 4), script.joining(HubScript.maya, role: .athlete, at: 4))
        _ = script.seen()
        script.commit(5, members: [(HubScript.maya, nil)])
        #expect(script.seen() == [.close(two, .removed, dropsQueue: true)], "a removal does not wait")
        script.answer(.join(.success(HubScript.seat(head: 4))), one)
        #expect(script.seen() == [.read(one, "join")])
        script.answer(.join(.success(HubScript.seat(head: 4, member: HubScript.maya, role: .athlete))), two)
        #expect(script.seen() == [])
        script.answer(.join(.success(HubScript.seat(head: 5))), one)
        #expect(script.seen().contains(.frame(one, "joined at 5")))
    }

    @Test("A change of role that waits for the first join applies to its session")
    func roleBeforeTheFirstJoin() {
        let script = HubScript()
        let id = script.joining(HubScript.maya, role: .athlete, at: 4)
        _ = script.seen()
        script.commit(5, members: [(HubScript.maya, .guest)])
        script.answer(.join(.success(HubScript.seat(head: 4, member: HubScript.maya, role: .athlete))), id)
        #expect(script.seen() == [.read(id, "join")])
        script.answer(.join(.success(HubScript.seat(head: 5, member: HubScript.maya, role: .guest))), id)
        #expect(script.seen().contains(.frame(id, "joined at 5")))
    }

    @Test("While changes are missing, a removal that commits takes effect immediately")
    func removalWhileMissing() {
        let script = HubScript()
        let (one, two) = (script.live(at: 4), script.live(HubScript.maya, role: .athlete, at: 4))
        script.commit(6)
        #expect(script.seen() == [.missing(after: 4)])
        script.commit(7, members: [(HubScript.maya, nil)])
        #expect(script.seen().contains(.close(two, .removed, dropsQueue: true)))
        answer(script, after: 4, found(5...7, rights: [(HubScript.maya, nil)]))
        #expect(script.seen() == [.frame(one, "log 5"), .frame(one, "log 6"), .frame(one, "log 7")])
    }

    @Test("A join that was read before the room's first join is read again: a change of rights between the two is skipped as known")
    func olderJoin() {
        let script = HubScript()
        let (one, two) = (script.joining(at: 4), script.joining(HubScript.maya, role: .athlete, at: 4))
        script.answer(.join(.success(HubScript.seat(head: 6))), one)
        _ = script.seen()
        script.answer(.join(.success(HubScript.seat(head: 5, member: HubScript.maya, role: .athlete))), two)
        #expect(script.seen() == [.read(two, "join")])
        script.commit(6, members: [(HubScript.maya, nil)])
        #expect(script.seen() == [])
        script.answer(.join(.failure(Rejection(.notFound, "There is no family with this id, or you are not a member of it. Check the id."))), two)
        #expect(script.seen() == [.frame(two, "error not_found")])
    }

    @Test("A receipt does not wait for missing changes of others")
    func receipt() {
        let script = HubScript()
        let id = script.live(at: 4)
        script.commit(5)
        script.commit(7)
        _ = script.seen()
        script.hub.committed([
            .receipt(Receipt(session: id, family: HubScript.family, mutation: 1, frame: Array("receipt".utf8)))
        ])
        #expect(script.seen() == [.frame(id, "receipt")])
    }

    @Test("A member whom a missing change removed receives none of the missing changes")
    func removed() {
        let script = HubScript()
        let (one, two) = (script.live(at: 4), script.live(HubScript.maya, role: .athlete, at: 4))
        script.commit(5)
        script.commit(8)
        _ = script.seen()
        answer(script, after: 5, found(6...8, rights: [(HubScript.maya, nil)]))
        let seen = script.seen()
        #expect(seen.contains(.close(two, .removed, dropsQueue: true)))
        #expect(!seen.contains { if case .frame(two, let text) = $0 { text.hasPrefix("log") } else { false } })
        #expect(seen.filter { $0 == .frame(one, "log 6") || $0 == .frame(one, "log 7") || $0 == .frame(one, "log 8") }.count == 3)
    }

    @Test("A join that was read before a missing change of rights is read again")
    func seatAgain() {
        let script = HubScript()
        _ = script.live(at: 4)
        script.commit(5)
        let late = script.hub.opened(now: script.now)
        script.say(.signIn(token: "t"), late)
        script.answer(.signIn(HubScript.signedIn(HubScript.maya, role: .athlete)), late)
        script.say(.join(Join(family: HubScript.family, client: HubScript.client)), late)
        script.commit(8)
        _ = script.seen()
        answer(script, after: 5, found(6...8, rights: [(HubScript.maya, .guest)]))
        _ = script.seen()
        script.answer(.join(.success(HubScript.seat(head: 5, member: HubScript.maya, role: .athlete))), late)
        #expect(script.seen() == [.read(late, "join")])
        script.answer(.join(.success(HubScript.seat(head: 8, member: HubScript.maya, role: .guest))), late)
        #expect(script.seen().contains(.frame(late, "joined at 8")))
    }

    @Test("More than the room keeps while it reads is read from the log afterwards")
    func overflow() {
        let script = HubScript()
        let id = script.live(at: 4)
        script.commit(5)
        script.commit(7)
        for sequence in Int64(8)...9 {
            script.hub.committed([
                .change(
                    CommittedChange(
                        family: HubScript.family, sequence: sequence, frame: [UInt8](repeating: 0x20, count: Hub.portionOctets),
                        checksum: StateChecksum()))
            ])
        }
        _ = script.seen()
        answer(script, after: 5, found(6...7))
        #expect(script.seen() == [.frame(id, "log 6"), .frame(id, "log 7"), .missing(after: 7)])
        answer(script, after: 7, found(8...8, reachedEnd: false))
        #expect(script.seen() == [.frame(id, "log 8"), .missing(after: 8)])
        answer(script, after: 8, found(9...9))
        #expect(script.seen() == [.frame(id, "log 9")])
        script.commit(10)
        #expect(script.seen() == [.frame(id, "log 10")])
    }

    @Test("If the log cannot give the missing changes, the room's sessions are closed and come back with their cursors")
    func lost() {
        let answers: [(MissingAnswer, CloseCode)] = [
            (.failed, .internalError), (.trimmed, .slowReader), (.changes(MissedChanges(changes: [], reachedEnd: true)), .internalError),
        ]
        for (found, code) in answers {
            let script = HubScript()
            let id = script.live(at: 4)
            script.commit(5)
            script.commit(7)
            _ = script.seen()
            answer(script, after: 5, found)
            #expect(script.seen().filter { $0 != .missing(after: 5) } == [.close(id, code, dropsQueue: false)])
            script.hub.closed(id)
            // The next room begins without the old one's state.
            let again = script.live(at: 7)
            script.commit(8)
            #expect(script.seen() == [.frame(again, "log 8")])
        }
    }

    @Test("While changes are missing, no checksum is sent; when the room knows them all, the next one is true")
    func checksum() {
        var script = HubScript()
        script.hub.tick(now: script.now)
        let id = script.live(at: 4)
        script.commit(5)
        script.commit(9)
        _ = script.seen()
        answer(script, after: 5, found(6...7, reachedEnd: false))
        _ = script.seen()
        script.now += ChecksumPace().interval + 1
        script.hub.tick(now: script.now)
        #expect(script.seen() == [], "the checksum of change 5 must not be sent as that of change 7")
        answer(script, after: 7, found(8...9))
        #expect(script.seen() == [.frame(id, "log 8"), .frame(id, "log 9")])
        script.hub.tick(now: script.now)
        #expect(script.seen() == [.frame(id, "checksum 9")])
    }

    @Test("An answer that comes when everybody has left, or for an earlier room, changes nothing")
    func late() {
        let script = HubScript()
        let id = script.live(at: 4)
        script.commit(5)
        script.commit(7)
        script.hub.closed(id)
        _ = script.seen()
        answer(script, after: 5, found(6...7))
        #expect(script.seen() == [])
        let again = script.live(at: 7)
        answer(script, after: 5, found(6...9))
        #expect(script.seen() == [])
        script.commit(8)
        #expect(script.seen() == [.frame(again, "log 8")])
    }

    @Test("A session that reads the log while its room reads what is missing goes live behind both, without a gap")
    func catchingUp() {
        let script = HubScript()
        _ = script.live(at: 4)
        script.commit(5)
        _ = script.seen()
        let late = script.joined(HubScript.maya, role: .athlete, at: 2, head: 5)
        _ = script.seen()
        script.commit(8)
        script.answer(.changes(frames: frames(3...8).map(\.frame), last: 8, reachedEnd: true, checksum: StateChecksum(8)), late)
        _ = script.seen()
        answer(script, after: 5, found(6...8))
        #expect(!script.seen().contains { if case .frame(late, _) = $0 { true } else { false } }, "it has them already")
        script.commit(9)
        #expect(script.seen().contains(.frame(late, "log 9")))
    }

    @Test("Reports that are lost, repeated and out of order leave every session with each change once and in order", arguments: UInt64(1)...40)
    func random(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        let script = HubScript()
        var received: [SessionID: [String]] = [:]
        var reads: [Int64] = []
        var head: Int64 = 0
        for _ in 0..<3 { received[script.live(at: 0)] = [] }
        func drain() {
            for seen in script.seen() {
                switch seen {
                case .frame(let id, let text) where text.hasPrefix("log"): received[id]?.append(text)
                case .missing(let after): reads.append(after)
                case .close(let id, let code, _): Issue.record("seed \(seed): session \(id) was closed with \(code) at \(received[id]?.last ?? "the start"), head \(head)")
                default: break
                }
            }
        }
        for _ in 0..<300 {
            if dice.chance(60) {
                head += 1
                if !dice.chance(15) { script.commit(head) }
            } else if head > 0, dice.chance(50) {
                script.commit(Int64(1 + dice.below(Int(head))))
            } else if !reads.isEmpty {
                let after = reads.removeFirst()
                let last = dice.chance(30) ? min(head, after + 1 + Int64(dice.below(5))) : head
                answer(script, after: after, last > after ? found(after + 1...last, reachedEnd: last == head) : nothing())
            }
            drain()
        }
        head += 1
        script.commit(head)
        drain()
        while !reads.isEmpty {
            let after = reads.removeFirst()
            answer(script, after: after, head > after ? found(after + 1...head) : nothing())
            drain()
        }
        let all = (1...head).map { "log \($0)" }
        for (id, texts) in received where texts != all { Issue.record("seed \(seed): session \(id) received \(texts.count) of \(head) changes") }
    }
}
