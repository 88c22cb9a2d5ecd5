import Bytes
import Family
import Testing
import Wire

@testable import Rooms

/// The test commits change n with the checksum n (`HubScript.commit`), so a frame is true at its sequence if both numbers are equal.
@Suite("Hub: checksums, guarantees.md (verifiable)")
struct HubChecksumTests {
    private static let pace = ChecksumPace()

    /// The `checksum` frames among the effects, as session, sequence and checksum.
    private func checksums(_ script: HubScript) -> [[UInt64]] {
        script.hub.takeEffects().compactMap { effect in
            guard case .send(let id, let octets) = effect, case .checksum(let sequence, let checksum)? = try? ServerFrame.decode(octets) else { return nil }
            return [id, UInt64(sequence), UInt64(checksum.value)]
        }
    }

    /// All effects as words, with the checksums that the frames carry.
    private func told(_ script: HubScript) -> [String] {
        script.hub.takeEffects().compactMap { effect in
            guard case .send(let id, let octets) = effect else { return nil }
            switch try? ServerFrame.decode(octets) {
            case .live(let sequence, let checksum): return "\(id): live \(sequence) \(checksum.map { "\($0.value)" } ?? "without")"
            case .checksum(let sequence, let checksum): return "\(id): checksum \(sequence) \(checksum.value)"
            case .snapshotEnd(let sequence, let sums):
                return "\(id): snapshot end \(sequence) \(sums.map { "\($0.checksum.value) \($0.unsent.value)" } ?? "without")"
            default: return "\(id): \(HubScript.word(octets))"
            }
        }
    }

    @Test("A change is followed by a checksum a minute later, once, and not without a change")
    func eachMinute() {
        var script = HubScript()
        script.hub.tick(now: script.now)
        let id = script.live(at: 0)
        script.commit(1)
        script.now += 1_000
        script.hub.tick(now: script.now)
        script.commit(2)
        _ = script.seen()
        script.now += Self.pace.interval - 1_001
        script.hub.tick(now: script.now)
        #expect(checksums(script) == [], "a minute after the first change, not before")
        script.now += 1
        script.hub.tick(now: script.now)
        #expect(checksums(script) == [[id, 2, 2]])
        script.now += 10 * Self.pace.interval
        script.hub.tick(now: script.now)
        #expect(checksums(script) == [], "nothing changed since")
        script.commit(3)
        script.now += Self.pace.interval
        script.hub.tick(now: script.now)
        #expect(checksums(script) == [[id, 3, 3]])
    }

    @Test("Each 1,000 changes are followed by a checksum, right behind the last of them, and the minute begins again")
    func eachThousand() {
        var script = HubScript()
        script.hub.tick(now: script.now)
        let (one, two) = (script.live(at: 0), script.live(HubScript.maya, role: .athlete, at: 0))
        for sequence in 1..<Int64(Self.pace.changes) { script.commit(sequence) }
        #expect(checksums(script) == [])
        script.commit(1_000)
        #expect(told(script) == ["\(one): log 1000", "\(two): log 1000", "\(one): checksum 1000 1000", "\(two): checksum 1000 1000"])
        script.now += Self.pace.interval
        script.hub.tick(now: script.now)
        #expect(checksums(script) == [])
        script.commit(1_001)
        script.now += Self.pace.interval
        script.hub.tick(now: script.now)
        #expect(checksums(script) == [[one, 1_001, 1_001], [two, 1_001, 1_001]])
    }

    @Test("The octets are shared by all sessions of the room")
    func shared() {
        var script = HubScript()
        script.hub.tick(now: script.now)
        _ = (script.live(at: 0), script.live(HubScript.maya, role: .athlete, at: 0))
        script.commit(1)
        _ = script.seen()
        script.now += Self.pace.interval
        script.hub.tick(now: script.now)
        let addresses = script.hub.takeEffects().compactMap { effect -> UnsafeRawPointer? in
            guard case .send(_, let octets) = effect else { return nil }
            return octets.withUnsafeBytes(\.baseAddress)
        }
        #expect(addresses.count == 2 && addresses[0] == addresses[1])
    }

    @Test("A session that catches up gets no checksum frame: its own comes with live")
    func catchingUp() {
        var script = HubScript()
        script.hub.tick(now: script.now)
        let id = script.joined(at: 0)
        script.commit(1)
        script.now += Self.pace.interval
        script.hub.tick(now: script.now)
        #expect(checksums(script) == [])
        script.answer(.changes(frames: [Array("log 1".utf8)], last: 1, reachedEnd: true, checksum: StateChecksum(1)), id)
        #expect(told(script).suffix(2) == ["\(id): log 1", "\(id): live 1 1"])
    }

    @Test("A change that commits while the log is read comes with its own checksum, not with the log's")
    func committedMeanwhile() {
        let script = HubScript()
        let id = script.joined(at: 5)
        _ = script.seen()
        script.commit(6)
        script.commit(7)
        script.answer(.changes(frames: [], last: 5, reachedEnd: true, checksum: StateChecksum(5)), id)
        #expect(told(script) == ["\(id): log 6", "\(id): log 7", "\(id): live 7 7"])
    }

    @Test("A session that read further in the log than the writer has reported gets no checksum of an earlier sequence")
    func aheadOfTheWriter() {
        var script = HubScript()
        script.hub.tick(now: script.now)
        let behind = script.live(at: 0)
        script.commit(1)
        // The reader saw 2 and 3 before the writer's results are here.
        let ahead = script.joined(HubScript.maya, role: .athlete, at: 1)
        let log = [Array("log 2".utf8), Array("log 3".utf8)]
        script.answer(.changes(frames: log, last: 3, reachedEnd: true, checksum: StateChecksum(3)), ahead)
        #expect(told(script).last == "\(ahead): live 3 3")
        script.commit(2)
        script.now += Self.pace.interval
        script.hub.tick(now: script.now)
        #expect(checksums(script) == [[behind, 2, 2]])
        script.commit(3)
        script.now += Self.pace.interval
        script.hub.tick(now: script.now)
        #expect(checksums(script).sorted { $0[0] < $1[0] } == [[behind, 3, 3], [ahead, 3, 3]].sorted { $0[0] < $1[0] })
    }

    @Test("A log whose end is of another sequence says nothing about the checksum")
    func unknown() {
        let script = HubScript()
        let id = script.joined(at: 5)
        _ = script.seen()
        script.answer(.changes(frames: [], last: 5, reachedEnd: true, checksum: nil), id)
        #expect(told(script) == ["\(id): live 5 without"])
    }

    @Test("The end of a snapshot carries both sums")
    func snapshot() {
        let script = HubScript()
        let id = script.joined(at: 9, resume: .snapshot)
        _ = script.seen()
        script.answer(.snapshot(frames: [], sequence: 9, SnapshotVerification(checksum: StateChecksum(90), unsent: StateChecksum(30))), id)
        #expect(told(script) == ["\(id): snapshot end 9 90 30"])
    }

    @Test("A client that differed is noted once it sits in the room, with family, member and sequence; a stranger is not")
    func differs() {
        let script = HubScript()
        func differences() -> [String] {
            script.hub.takeEffects().compactMap { effect in
                guard case .noteDifference(_, let family, let member, let sequence) = effect else { return nil }
                return "\(family == HubScript.family) \(member == HubScript.dana) \(sequence)"
            }
        }
        let id = script.hub.opened(now: 0)
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(HubScript.signedIn()), id)
        script.say(.join(Join(family: HubScript.maya, client: HubScript.client, differed: 4)), id)
        script.say(.join(Join(family: HubScript.family, client: HubScript.client, differed: 4)), id)
        #expect(differences() == [])
        script.answer(.join(.success(HubScript.seat(head: 9, resume: .snapshot))), id)
        #expect(differences() == ["true true 4"])
    }
}
