import Posix
import EventLoop
import TLS
import WebSocket

/// One reactor, one listener, and every connection that is open.
final class EchoServer {
    /// Milliseconds that connections get to finish after SIGTERM: a local peer answers a close frame immediately.
    private static let drainMilliseconds: Int64 = 1_000

    let reactor: Reactor
    let limits: WebSocketLimits
    let messages = MessagePool()
    let compression: CompressionPolicy?
    private(set) var address = ""
    private let context: TLSServerContext?
    private var listener: Listener?
    private var connections: [EchoConnection] = []
    private var stopping: Stopping?

    init(_ options: Program.Options) throws {
        reactor = try Reactor()
        limits = WebSocketLimits(maxMessage: options.maxMessage, maxFragments: 65_536)
        compression = options.compression
        if let certificate = options.certificate, let key = options.key {
            context = try TLSServerContext(certificateFile: certificate, keyFile: key)
        } else {
            context = nil
        }
        let socket = try Socket.listenTCP(host: options.host, port: options.port)
        address = try SocketAddress.local(of: socket.raw).description
        listener = try Listener(
            reactor: reactor, descriptor: socket,
            refused: { Standard.write(error: "wsecho: accepting pauses: \($0)\n") },
            accepted: { [unowned self] in admit($0) })
        stopping = try Stopping(self)
    }

    /// Serves until a signal ends it.
    func run() { reactor.run() }

    private func admit(_ descriptor: consuming FileDescriptor) {
        let transport: Transport
        if let context {
            do throws(TLSError) {
                transport = try Transport(descriptor, server: context)
            } catch {
                Standard.write(error: "wsecho: \(error)\n")
                return
            }
        } else {
            transport = Transport(descriptor)
        }
        let connection = EchoConnection(self, transport)
        do throws(Errno) {
            try connection.start()
        } catch {
            Standard.write(error: "wsecho: \(error)\n")
            return
        }
        connection.place = connections.count
        connections.append(connection)
    }

    /// Called once by each connection when its descriptor leaves the reactor.
    func didEnd(_ connection: EchoConnection) {
        let last = connections.removeLast()
        if last !== connection {
            last.place = connection.place
            connections[connection.place] = last
        }
        if listener == nil, connections.isEmpty { reactor.stop() }
    }

    /// Closes the door, then every connection with 1001, and stops when they are gone or the time is over.
    fileprivate func drain() {
        guard listener != nil else { return reactor.stop() }
        listener?.close()
        listener = nil
        // A copy: connections that end immediately leave the list.
        for connection in Array(connections) { connection.goAway() }
        if connections.isEmpty { reactor.stop() }
        if let stopping { _ = reactor.schedule(afterMilliseconds: Self.drainMilliseconds, stopping, kind: 0) }
    }

    /// Hears the signals that end the program.
    private final class Stopping: Channel {
        private unowned let server: EchoServer
        private let signals: SignalDescriptor

        init(_ server: EchoServer) throws(Errno) {
            self.server = server
            signals = try SignalDescriptor([Signals.terminate, Signals.interrupt])
            super.init()
            _ = try server.reactor.add(fd: signals.raw, interest: .readable, channel: self)
        }

        override func ready(_ events: ReadyEvents) {
            var arrived = false
            while let signal = try? signals.next() { arrived = arrived || signal != 0 }
            if arrived { server.drain() }
        }

        override func timerFired(kind: Int) { server.reactor.stop() }
    }
}

@available(*, unavailable) extension EchoServer: Sendable {}
