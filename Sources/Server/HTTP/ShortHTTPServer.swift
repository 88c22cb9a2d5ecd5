import HTTP1
import Posix
import EventLoop

/// Answers short requests on a listener of its own: one request per connection, with content of some kilobytes.
///
/// For requests that have no session and must not use the clients' room: metrics for a monitoring program, and the port
/// for HTTP without TLS. It accepts no content, and every connection ends within seconds, whatever its peer does.
final class ShortHTTPServer {
    /// Answers a request, now or later, on the reactor's thread.
    typealias Handler = (RequestHead, @escaping (HTTPResponse) -> Void) -> Void

    struct Bounds {
        /// The largest number of connections that may be open at the same time.
        var connections = 16
        /// The largest number of connections from one address; loopback and Unix sockets are not counted.
        var connectionsPerAddress = 16
    }

    /// Milliseconds from the accept until the whole response is sent.
    static let time: Int64 = 10_000
    /// Milliseconds for the peer to end the stream after that.
    static let lingeringTime: Int64 = 2_000
    /// The largest number of octets of a response, with its head.
    static let maxResponse = 1 << 20

    private let name: StaticString
    fileprivate let reactor: Reactor
    private let log: Log
    private let bounds: Bounds
    fileprivate let handler: Handler
    private var connections: [ObjectIdentifier: ShortHTTPConnection] = [:]
    private var addresses = AddressCounts()

    /// - Parameter name: the name of the event that reports refused connections.
    init(_ name: StaticString, reactor: Reactor, log: Log, bounds: Bounds = Bounds(), handler: @escaping Handler) {
        self.name = name
        self.reactor = reactor
        self.log = log
        self.bounds = bounds
        self.handler = handler
    }

    /// The number of open connections.
    var count: Int { connections.count }

    /// Serves a connection, or ends it if there are too many.
    func accept(_ descriptor: consuming FileDescriptor) {
        let peer = (try? SocketAddress.peer(of: descriptor.raw)).flatMap { NetworkAddress($0.host) }
        accept(descriptor, from: peer)
    }

    /// As above.
    ///
    /// - Parameter peer: the address at the other end; `nil` is not counted.
    func accept(_ descriptor: consuming FileDescriptor, from peer: NetworkAddress?) {
        let group = AddressCounts.group(peer)
        guard connections.count < bounds.connections, addresses.enter(group, limit: bounds.connectionsPerAddress) else {
            return log(.warning, name, [.init("open", connections.count)])
        }
        let connection = ShortHTTPConnection(self, descriptor, group)
        guard (try? connection.register()) != nil else { return addresses.leave(group) }
        connections[ObjectIdentifier(connection)] = connection
    }

    fileprivate func didEnd(_ connection: ShortHTTPConnection) {
        addresses.leave(connection.group)
        connections[ObjectIdentifier(connection)] = nil
    }

    /// Ends all connections.
    func endAll() { for connection in connections.values { connection.end() } }
}

@available(*, unavailable) extension ShortHTTPServer: Sendable {}

private final class ShortHTTPConnection: Channel {
    private enum Phase {
        /// The head of the request is not complete.
        case reading
        /// The handler has not answered.
        case answering
        /// The response is not sent yet.
        case sending
        /// This side has ended the stream; received octets are dropped, so that no reset overtakes the response.
        case lingering
        case closed
    }

    /// The largest number of octets that are read and dropped at the end.
    private static let maxDiscarded = 65_536

    private unowned let server: ShortHTTPServer
    private let descriptor: FileDescriptor
    let group: NetworkAddress?
    private var registration: Registration?
    private var timer: TimerID?
    private var machine = HTTPServerConnection()
    private var held: [UInt8] = []
    private var outbox: Outbox
    private var phase = Phase.reading
    private var discarded = 0

    init(_ server: ShortHTTPServer, _ descriptor: consuming FileDescriptor, _ group: NetworkAddress?) {
        self.server = server
        self.descriptor = descriptor
        self.group = group
        outbox = Outbox(pool: server.reactor.buffers, limit: ShortHTTPServer.maxResponse)
        super.init()
    }

    func register() throws(Errno) {
        registration = try server.reactor.add(fd: descriptor.raw, interest: .readable, channel: self)
        timer = server.reactor.schedule(afterMilliseconds: ShortHTTPServer.time, self, kind: 0)
    }

    override func ready(_ events: ReadyEvents) {
        switch phase {
        case .reading: receive()
        case .answering: if !events.isDisjoint(with: [.hungUp, .failed]) { end() }
        case .sending: if events.isDisjoint(with: [.hungUp, .failed]) { flush() } else { end() }
        case .lingering: discard()
        case .closed: break
        }
    }

    /// The time for the request, the response, or the peer's end of the stream is over.
    override func timerFired(kind: Int) {
        timer = nil
        end()
    }

    private func receive() {
        let buffer = server.reactor.receiveBuffer
        switch try? Socket.receive(descriptor.raw, into: buffer) {
        case .wouldBlock?: return
        case .endOfStream?, nil: return end()
        case .done(let count)?: held.append(contentsOf: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
        }
        let (event, _) = machine.next(held.span)
        switch event {
        case .request(let head):
            phase = .answering
            watch([])
            server.handler(head) { [weak self] response in self?.respond(response) }
        case .refused(let error):
            phase = .answering
            respond(HTTPResponse(error.status, "This port does not accept this request. Check its syntax and size."))
        case .needsMore, .waits, .content, .contentEnd: break
        }
    }

    private func respond(_ response: HTTPResponse) {
        guard case .answering = phase else { return }
        held = []
        var octets: [UInt8] = []
        machine.endSoon()
        let date = HTTPDate.text(Clock.wallMilliseconds() / 1_000)
        if machine.respond(ResponseHead(response.status, response.fields), .octets(response.content.count), date: date, to: &octets) {
            response.content.withUnsafeBytes { machine.append($0, to: &octets) }
        }
        machine.finishResponse(to: &octets)
        guard outbox.append(copying: octets, now: server.reactor.now) else { return end() }
        phase = .sending
        flush()
    }

    private func flush() {
        switch try? outbox.flush(to: descriptor.raw) {
        case .blocked?: watch(.writable)
        case .empty?:
            phase = .lingering
            guard (try? Socket.finishSending(descriptor.raw)) != nil else { return end() }
            if let timer { server.reactor.cancel(timer) }
            timer = server.reactor.schedule(afterMilliseconds: ShortHTTPServer.lingeringTime, self, kind: 0)
            watch(.readable)
        case nil: end()
        }
    }

    private func discard() {
        switch try? Socket.receive(descriptor.raw, into: server.reactor.receiveBuffer) {
        case .wouldBlock?: return
        case .endOfStream?, nil: end()
        case .done(let count)?:
            discarded += count
            if discarded > Self.maxDiscarded { end() }
        }
    }

    private func watch(_ interest: Interest) {
        guard let registration else { return }
        try? server.reactor.modify(registration, interest: interest)
    }

    func end() {
        guard let registration else { return }
        self.registration = nil
        phase = .closed
        server.reactor.remove(registration)
        if let timer { server.reactor.cancel(timer) }
        timer = nil
        outbox.removeAll()
        server.didEnd(self)
    }
}
