import Bytes
import Family
import Glibc
import HTTP1
import Posix
import EventLoop
import TLS
import WebSocket
import Wire

/// One client of the crowd: connects, upgrades, signs in, joins, and then hands every frame to the crowd.
final class LoadConnection: Channel {
    enum Phase { case connecting, upgrading, signingIn, joining, live, ended }

    /// In the crowd, from 0.
    let index: Int
    let family: Int
    let member: Int
    private(set) var phase = Phase.connecting

    private unowned let pool: ClientPool
    private var transport: Transport
    private var registration: Registration?
    private var decoder = WebSocketDecoder(role: .client, limits: WebSocketLimits(maxMessage: 16 << 20, maxFragments: 1_024))
    private var outbox: Outbox
    private let handshake: WebSocketClientHandshake
    private var head: [UInt8] = []
    private var isWatchingWrites = true
    private var isDirty = false

    /// Octets that may wait for the server: more than it lets one session have unanswered, at the largest message.
    private static let outboxLimit = 4 << 20

    init(pool: ClientPool, index: Int, family: Int, member: Int, nonce: [UInt8]) throws(Errno) {
        self.pool = pool
        self.index = index
        self.family = family
        self.member = member
        transport = try Self.transport(to: pool.target)
        outbox = Outbox(pool: pool.reactor.buffers, limit: LoadConnection.outboxLimit)
        handshake = WebSocketClientHandshake(
            host: pool.target.address.description, target: "/ws", subprotocols: ["huddle.v1"], nonce: nonce)
        super.init()
        registration = try pool.reactor.add(fd: transport.raw, interest: [.readable, .writable], channel: self)
    }

    private static func transport(to target: LoadTarget) throws(Errno) -> Transport {
        let descriptor = try Socket.startConnecting(to: target.address)
        guard let trust = target.trust else { return Transport(descriptor) }
        // Memory is all that can be missing here; the handshake comes with the first octets.
        do throws(TLSError) { return try Transport(descriptor, client: trust, host: target.host) } catch { throw Errno(ENOMEM, "TLS") }
    }

    override func ready(_ events: ReadyEvents) {
        if phase == .connecting {
            guard events.contains(.writable) || !events.isDisjoint(with: [.failed, .hungUp]) else { return }
            do throws(Errno) { try Socket.finishConnecting(transport.raw) } catch { return fail("cannot connect: \(error.text)") }
            phase = .upgrading
            _ = outbox.append(copying: handshake.request, now: pool.reactor.now)
            flush()
        } else if events.contains(.writable) || transport.sendWaitsForReadable {
            flush()
        }
        if !events.isDisjoint(with: [.readable, .failed, .hungUp]) || transport.receiveWaitsForWritable { receive() }
    }

    // MARK: Output

    func send(_ frame: ClientFrame) {
        send(frame.encode())
    }

    /// Queues one text message; it leaves at the end of the tick.
    func send(_ message: [UInt8]) {
        message.withUnsafeBytes { send(.text, $0) }
    }

    private func send(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer) {
        guard phase != .ended else { return }
        pool.scratch.removeAll(keepingCapacity: true)
        WebSocketEncoder.append(opcode, payload, maskKey: pool.nextMask(), to: &pool.scratch)
        guard outbox.append(copying: pool.scratch, now: pool.reactor.now) else { return fail("the server takes nothing any more") }
        if !isDirty {
            isDirty = true
            pool.markDirty(self)
        }
    }

    func flush() {
        isDirty = false
        guard let registration, phase != .ended, phase != .connecting else { return }
        do throws(TransportError) {
            let isBlocked = try sendQueued()
            let watches = isBlocked && !transport.sendWaitsForReadable || transport.receiveWaitsForWritable
            guard watches != isWatchingWrites else { return }
            isWatchingWrites = watches
            do throws(Errno) { try pool.reactor.modify(registration, interest: watches ? [.readable, .writable] : .readable) } catch {
                throw .system(error)
            }
        } catch { fail("sending failed: \(reason(error))") }
    }

    /// - Returns: whether something is left for later.
    private func sendQueued() throws(TransportError) -> Bool {
        guard transport.isSecure else {
            do throws(Errno) { return try outbox.flush(to: transport.raw) == .blocked } catch { throw .system(error) }
        }
        while !outbox.isEmpty {
            guard case .done(let count) = try transport.send(outbox.front) else { return true }
            outbox.consume(count)
        }
        return false
    }

    private func reason(_ error: TransportError) -> String { transport.distrust ?? error.text }

    // MARK: Input

    private func receive() {
        guard phase != .ended else { return }
        let buffer = pool.reactor.receiveBuffer
        do throws(TransportError) {
            // epoll does not report octets that TLS has decrypted and the buffer had no room for.
            repeat {
                switch try transport.receive(into: buffer) {
                case .wouldBlock: return
                case .endOfStream: return fail("the server closed the connection")
                case .done(let count):
                    pool.didReceive(octets: count)
                    let octets = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                    if phase == .upgrading { receiveHead(octets) } else { receiveFrames(octets) }
                }
            } while transport.hasMore && phase != .ended
        } catch { fail("receiving failed: \(reason(error))") }
    }

    private func receiveHead(_ octets: UnsafeMutableRawBufferPointer) {
        head.append(contentsOf: octets)
        do {
            guard let (response, length) = try ResponseHead.parse(head.span) else { return }
            guard try handshake.check(response) == "huddle.v1" else { return fail("the server does not speak huddle.v1") }
            phase = .signingIn
            send(.signIn(token: SeedNames.token(family: family, member: member)))
            var rest = Array(head.dropFirst(length))
            head = []
            if !rest.isEmpty { rest.withUnsafeMutableBytes { receiveFrames($0) } }
        } catch { fail("no upgrade: \(error)") }
    }

    private func receiveFrames(_ octets: UnsafeMutableRawBufferPointer) {
        decoder.feed(octets)
        do throws(WebSocketError) {
            while let event = try decoder.next() {
                switch event {
                case .message(_, let payload): receive(payload)
                case .ping(let payload): send(.pong, payload)
                case .pong: break
                case .close(let code, let reason): fail("the server closed with \(code.map(String.init) ?? "no code") \(reason)")
                }
                if phase == .ended { return }
            }
        } catch { fail("malformed frames: \(error)") }
    }

    private func receive(_ frame: UnsafeRawBufferPointer) {
        let kind = ServerFrameKind(frame)
        switch (phase, kind) {
        case (.live, _): pool.received(kind, frame, self)
        case (_, .error): fail("refused: \(String(decoding: frame, as: UTF8.self))")
        case (.signingIn, .welcome):
            phase = .joining
            send(.join(Join(family: SeedNames.family(family), client: pool.clientID(index), context: .all, cursor: pool.cursor(index))))
        case (.joining, .joined): pool.received(kind, frame, self)
        case (.joining, .live):
            phase = .live
            pool.didBecomeLive(self, frame)
        default: break
        }
    }

    // MARK: Ends

    private func fail(_ reason: String) {
        guard phase != .ended else { return }
        let wasLive = phase == .live
        close()
        pool.didFail(self, reason, wasLive: wasLive)
    }

    /// Leaves, with a close frame if the kernel accepts it immediately.
    func leave() {
        guard phase != .ended else { return }
        if phase != .connecting, phase != .upgrading {
            _ = outbox.append(copying: WebSocketEncoder.close(1000, maskKey: pool.nextMask()), now: pool.reactor.now)
            _ = try? sendQueued()
        }
        close()
    }

    private func close() {
        phase = .ended
        if let registration { pool.reactor.remove(registration) }
        registration = nil
        outbox.removeAll()
    }
}
