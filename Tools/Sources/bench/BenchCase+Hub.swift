import Bytes
import Family
import Rooms
import Wire

// The decisions of the reactor's thread about a mutation, without the sockets.
extension BenchCase {
    static var hub: [BenchCase] {
        [
            BenchCase(
                name: "hub-mutate", question: "a mutate frame decoded, admitted and proposed, and its receipt handed back",
                unit: .nanoseconds(per: "mutation"), floor: "checking that it is UTF-8"
            ) {
                let room = try FullRoom(sessions: 1)
                let ack = ServerFrame.ack(Ack(mutation: 1_000, sequence: 1, records: [])).encode()
                return Work(
                    run: { times in
                        for _ in 0..<times {
                            Samples.mutate.withUnsafeBytes { room.hub.received($0, from: room.sessions[0], now: 1_000) }
                            room.discardEffects()
                            room.hub.committed([
                                .receipt(Receipt(session: room.sessions[0], family: Samples.family, mutation: 1_000, frame: ack))
                            ])
                            room.discardEffects()
                        }
                    }, floor: { times in for _ in 0..<times { use(Samples.mutate.withUnsafeBytes { checkText($0) }) } })
            },
            BenchCase(
                name: "hub-broadcast-5", question: "a change handed to a room of 5", unit: .nanoseconds(per: "change"),
                floor: "copying its frame 5 times"
            ) {
                let room = try FullRoom(sessions: 5)
                let memory = Scratch(8_192)
                return Work(
                    run: { times in
                        for _ in 0..<times {
                            room.sequence += 1
                            room.hub.committed([
                                .change(
                                    CommittedChange(
                                        family: Samples.family,
                                        change: Change(sequence: room.sequence, at: 0, member: Samples.family, client: nil, mutation: nil, entries: []),
                                        frame: Samples.changeFrame, checksum: StateChecksum()))
                            ])
                            room.discardEffects()
                        }
                    },
                    floor: { times in
                        for _ in 0..<times { for place in 0..<5 { memory.copy(Samples.changeFrame, at: place * 1_024) } }
                    })
            },
        ]
    }
}

/// One family's room with everybody live.
final class FullRoom {
    let hub: Hub
    private(set) var sessions: [SessionID] = []
    var sequence: Int64 = 0
    private var scratch: [Effect] = []

    init(sessions count: Int) throws {
        var limits = Limits()
        limits.mutationsPerSecond = 0
        hub = Hub(limits: limits, serverVersion: "bench")
        for number in 0..<count {
            let member = Identifier(high: Samples.member.high, low: Samples.member.low + UInt64(number) << 8)
            let session = hub.opened(now: 0)
            sessions.append(session)
            say(.signIn(token: "bench"), session)
            hub.answered(
                session,
                .signIn(
                    SignedIn(
                        session: Int64(number + 1), person: Int64(number + 1),
                        memberships: [Membership(family: Samples.family, name: "Bench", member: member, role: .parent)])), time: 0)
            say(.join(Join(family: Samples.family, client: Samples.client)), session)
            let seat = JoinResult(epoch: "bench", head: 0, member: member, role: .parent, athletes: [], resume: .snapshot)
            hub.answered(session, .join(.success(seat)), time: 0)
            hub.answered(session, .snapshot(frames: [], sequence: 0, SnapshotVerification(checksum: StateChecksum(), unsent: StateChecksum())), time: 0)
            _ = hub.takeEffects()
            hub.answered(session, .changes(frames: [], last: 0, reachedEnd: true, checksum: StateChecksum()), time: 0)
            let live = ServerFrame.live(sequence: 0, checksum: StateChecksum()).encode()
            let isLive = hub.takeEffects().contains { effect in
                if case .send(session, live) = effect { true } else { false }
            }
            guard isLive else { throw BenchFailure("a session did not become live") }
        }
    }

    func discardEffects() {
        hub.exchangeEffects(&scratch)
        use(scratch.count)
        scratch.removeAll(keepingCapacity: true)
    }

    private func say(_ frame: ClientFrame, _ session: SessionID) {
        frame.encode().withUnsafeBytes { hub.received($0, from: session, now: 0) }
    }
}

struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
