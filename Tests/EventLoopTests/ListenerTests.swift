import Glibc
import Posix
import EventLoop
import Testing

@Suite("Listener: a budget each tick, a pause when descriptors run out", .serialized)
struct ListenerTests {
    /// Keeps the accepted connections.
    private final class Door {
        var accepted: [Int32] = []
        var refused: [Errno] = []
        deinit { for raw in accepted { Glibc.close(raw) } }
    }

    private func open(_ reactor: Reactor, _ door: Door, budget: Int = Listener.defaultBudget) throws -> (Listener, SocketAddress) {
        let socket = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        let address = try SocketAddress.local(of: socket.raw)
        let listener = try Listener(
            reactor: reactor, descriptor: socket, budget: budget, refused: { door.refused.append($0) },
            accepted: { door.accepted.append($0.take()) })
        return (listener, address)
    }

    @Test("The listener accepts at most its budget in one tick, the rest in the next")
    func budget() throws {
        let reactor = try Reactor()
        let door = Door()
        let (listener, address) = try open(reactor, door, budget: 2)
        var clients: [Int32] = []
        defer { for raw in clients { Glibc.close(raw) } }
        for _ in 0..<5 { clients.append(try Socket.connectTCP(host: address.host, port: address.port).take()) }
        reactor.tick()
        #expect(door.accepted.count == 2)
        reactor.tick()
        #expect(door.accepted.count == 4)
        reactor.tick()
        #expect(door.accepted.count == 5)
        listener.close()
        #expect(reactor.channelCount == 0)
        // A child of another test, forked and not yet executed, may hold a copy of the descriptor for a moment.
        let end = Clock.monotonicMilliseconds() + 10_000
        var isFree = false
        while !isFree, Clock.monotonicMilliseconds() < end {
            isFree = (try? Socket.listenTCP(host: address.host, port: address.port).raw) != nil
        }
        #expect(isFree)
        listener.close()
    }

    @Test("A held listener accepts no connection; after resuming, the waiting ones are accepted")
    func hold() throws {
        let reactor = try Reactor()
        let door = Door()
        let (listener, address) = try open(reactor, door)
        listener.hold()
        let client = try Socket.connectTCP(host: address.host, port: address.port)
        reactor.tick(waitingAtMost: 0)
        #expect(door.accepted.isEmpty)
        listener.resume()
        reactor.tick()
        #expect(door.accepted.count == 1)
        #expect(client.raw >= 0)
        listener.close()
    }

    @Test("Without descriptors the listener pauses without spinning, and accepts waiting connections when there are some again")
    func exhausted() async {
        // In a process of its own, because the number of descriptors belongs to the whole process.
        await #expect(processExitsWith: .success) {
            let reactor = try Reactor()
            let door = Door()
            let socket = try Socket.listenTCP(host: "127.0.0.1", port: 0)
            let address = try SocketAddress.local(of: socket.raw)
            let listener = try Listener(
                reactor: reactor, descriptor: socket, refused: { door.refused.append($0) },
                accepted: { door.accepted.append($0.take()) })
            let client = try Socket.connectTCP(host: address.host, port: address.port)
            // The lowest free number is used next: from here on there is none.
            let lowest = dup(client.raw)
            Glibc.close(lowest)
            try Environment.limitOpenFiles(to: Int(lowest))
            reactor.tick()
            guard listener.isPaused, door.accepted.isEmpty, door.refused == [Errno(EMFILE)] else { exit(1) }
            reactor.tick(waitingAtMost: 0)
            guard door.refused.count == 1, listener.isPaused else { exit(2) }
            try Environment.raiseOpenFiles()
            let start = reactor.now
            while door.accepted.isEmpty { reactor.tick() }
            guard !listener.isPaused, reactor.now - start < 10_000 else { exit(3) }
            exit(client.raw >= 0 ? 0 : 4)
        }
    }
}
