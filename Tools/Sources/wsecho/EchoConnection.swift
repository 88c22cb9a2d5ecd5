import Posix
import EventLoop
import TLS

/// One connection as the reactor and the server see it; what it does is `Echo`.
final class EchoConnection: Channel {
    /// Where the server lists this connection.
    var place = 0
    private unowned let server: EchoServer
    /// All state in one struct: the runtime then checks for overlapping access once a readiness, not at every field.
    private var echo: Echo

    init(_ server: EchoServer, _ transport: consuming Transport) {
        self.server = server
        echo = Echo(
            transport, reactor: server.reactor, limits: server.limits, pool: server.messages, compression: server.compression)
    }

    func start() throws(Errno) {
        try echo.start(self)
    }

    /// The server stops.
    func goAway() {
        echo.goAway(self)
        leaveWhenEnded()
    }

    override func timerFired(kind: Int) {
        echo.end()
        leaveWhenEnded()
    }

    override func ready(_ events: ReadyEvents) {
        echo.ready(events, self)
        leaveWhenEnded()
    }

    /// Once: after its end neither the reactor nor a timer calls again.
    private func leaveWhenEnded() {
        if echo.hasEnded { server.didEnd(self) }
    }
}
