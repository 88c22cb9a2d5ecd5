import Bytes
import Rooms
import TestSupport
import WebSocket

/// One connection between a client and the server: octets in both directions, late, in pieces, until it is cut.
///
/// Frames are real: each end masks, encodes and decodes as on a socket; only the upgrade is omitted.
final class Link {
    let number: Int
    unowned let client: SimulatedClient
    var session: SessionID?
    private(set) var isOpen = true

    private var atServer = LinkEnd(role: .server)
    private var atClient = LinkEnd(role: .client)
    /// Octets that the server has queued for this client and the network has not taken.
    private(set) var queuedAtServer = 0
    /// The time before which nothing of a direction arrives, in milliseconds, so that pieces never overtake each other.
    private var upAt: Int64 = 0
    private var downAt: Int64 = 0
    /// The extra delay of a slow reader's network.
    let slowness: Int64

    init(number: Int, client: SimulatedClient, slowness: Int64) {
        self.number = number
        self.client = client
        self.slowness = slowness
    }

    func cut() { isOpen = false }

    /// Octets from the client.
    func sendUp(_ opcode: Opcode, _ payload: [UInt8], in world: World) {
        let frame = WebSocketEncoder.frame(opcode, payload, maskKey: UInt32(truncatingIfNeeded: world.dice.next()))
        for piece in world.pieces(frame) {
            upAt = max(upAt, world.scheduler.now) + world.dice.number(0...world.delay)
            world.scheduler.after(upAt - world.scheduler.now) { [self] world in
                guard isOpen else { return }
                atServer.receive(piece) { world.serverReceived($0, on: self) }
            }
        }
    }

    /// Octets from the server.
    func sendDown(_ opcode: Opcode, _ payload: [UInt8], in world: World) {
        let frame = WebSocketEncoder.frame(opcode, payload)
        queuedAtServer += frame.count
        for piece in world.pieces(frame) {
            downAt = max(downAt, world.scheduler.now) + world.dice.number(0...world.delay) + slowness
            world.scheduler.after(downAt - world.scheduler.now) { [self] world in
                guard isOpen else { return }
                queuedAtServer -= piece.count
                atClient.receive(piece) { self.client.received($0, on: self, in: world) }
                world.reportDrained()
            }
        }
    }
}

enum LinkEvent {
    case text([UInt8])
    case close(UInt16?)
    case broken
}

private struct LinkEnd {
    private var decoder: DecoderBox

    init(role: WebSocketRole) { decoder = DecoderBox(role: role) }

    mutating func receive(_ octets: [UInt8], _ event: (LinkEvent) -> Void) {
        var copy = octets
        copy.withUnsafeMutableBytes { raw in
            decoder.decoder.feed(raw)
            do throws(WebSocketError) {
                while let next = try decoder.decoder.next() {
                    switch next {
                    case .message(_, let payload): event(.text(Array(payload)))
                    case .close(let code, _): event(.close(code))
                    case .ping, .pong: break
                    }
                }
            } catch {
                event(.broken)
            }
        }
    }
}

private final class DecoderBox {
    var decoder: WebSocketDecoder

    init(role: WebSocketRole) {
        decoder = WebSocketDecoder(role: role, limits: WebSocketLimits(maxMessage: 1 << 22, maxFragments: 64))
    }
}
