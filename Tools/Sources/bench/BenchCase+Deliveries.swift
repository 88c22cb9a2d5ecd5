import Bytes
import Family
import EventLoop
import Rooms
import WebSocket
import Wire

// Whole paths of one frame through this process, without the kernel: what `Tools/bench/thresholds.txt` holds them to.
extension BenchCase {
    static var deliveries: [BenchCase] {
        [
            BenchCase(
                name: "echo-frame", question: "a masked 500-octet frame received, checked, framed again, queued and taken off the queue",
                unit: .nanoseconds(per: "frame"), floor: "copying its octets twice"
            ) {
                let frame = WebSocketEncoder.frame(.text, Samples.mutate, maskKey: 0x1234_5678)
                let memory = Scratch(8_192)
                let peer = EchoPeer()
                return Work(
                    run: { times in try peer.echo(frame, memory, times) },
                    floor: { times in
                        for _ in 0..<times { for place in 0..<2 { memory.copy(frame, at: place * 4_096) } }
                    })
            },
            BenchCase(
                name: "broadcast-frame", question: "a change handed to a room of 64, framed, queued and taken off each queue",
                unit: .nanoseconds(per: "subscriber"), perCall: 64, floor: "copying its frame 64 times"
            ) {
                let room = try FullRoom(sessions: 64)
                let pool = BufferPool()
                let subscribers = room.sessions.map { _ in Subscriber(pool) }
                var effects: [Effect] = []
                let memory = Scratch(4_096)
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
                            room.hub.exchangeEffects(&effects)
                            for effect in effects {
                                if case .send(let session, let frame) = effect { subscribers[Int(session & 0xFFFF_FFFF)].queue(frame) }
                            }
                            effects.removeAll(keepingCapacity: true)
                            for subscriber in subscribers { subscriber.drop() }
                        }
                    },
                    floor: { times in
                        for _ in 0..<times { for _ in 0..<64 { memory.copy(Samples.changeFrame) } }
                    })
            },
        ]
    }
}

/// The two ends of an echo, as a server's connection has them.
private final class EchoPeer {
    private var decoder = WebSocketDecoder(role: .server, limits: WebSocketLimits(maxMessage: 1 << 20, maxFragments: 8))
    private var outbox = Outbox(pool: BufferPool(), limit: 1 << 20)

    func echo(_ frame: [UInt8], _ memory: Scratch, _ times: Int) throws {
        let input = UnsafeMutableRawBufferPointer(rebasing: memory.octets[..<frame.count])
        for _ in 0..<times {
            // Decoding unmasks in place, so each frame has to arrive again, as it does from a socket.
            memory.copy(frame)
            decoder.feed(input)
            while let event = try decoder.next() {
                guard case .message(let kind, let payload) = event else { throw BenchFailure("no message") }
                queueFrame(kind.opcode, payload, in: &outbox)
            }
            outbox.consume(outbox.octets)
        }
    }
}

/// The queue of one member of a room.
private final class Subscriber {
    private var outbox: Outbox

    init(_ pool: BufferPool) { outbox = Outbox(pool: pool, limit: 1 << 20) }

    func queue(_ frame: [UInt8]) {
        frame.withUnsafeBytes { queueFrame(.text, $0, in: &outbox) }
    }

    func drop() { outbox.consume(outbox.octets) }
}

private func queueFrame(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, in outbox: inout Outbox) {
    withUnsafeTemporaryAllocation(byteCount: FrameHead.maxLength, alignment: 8) { head in
        let length = WebSocketEncoder.writeHead(opcode, payload: payload.count, into: head)
        use(outbox.append(copying: UnsafeRawBufferPointer(rebasing: head[..<length]), now: 0))
    }
    use(outbox.append(copying: payload, now: 0))
}
