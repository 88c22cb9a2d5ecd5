import CLinux
import Glibc
import Posix
import EventLoop
import WebSocket

// The loop, its queues, and what the kernel asks for them.
extension BenchCase {
    static var machinery: [BenchCase] {
        [
            BenchCase(
                name: "tick-idle", question: "a tick with 200 quiet connections and 1,000 timers", unit: .nanoseconds(per: "tick"),
                floor: "epoll_wait that finds nothing"
            ) {
                let crowd = try IdleConnections(channels: 200, timers: 1_000)
                return Work(
                    run: { times in for _ in 0..<times { crowd.reactor.tick(waitingAtMost: 0) } },
                    floor: { times in
                        var event = epoll_event()
                        for _ in 0..<times { use(epoll_wait(crowd.epoll.raw, &event, 1, 0)) }
                    })
            },
            BenchCase(
                name: "outbox-5", question: "a change queued for 5 peers, and taken off their queues", unit: .nanoseconds(per: "change"),
                floor: "copying its frame 5 times"
            ) {
                let pool = BufferPool()
                let queues = (0..<5).map { _ in Queue(pool) }
                let memory = Scratch(8_192)
                return Work(
                    run: { times in
                        for _ in 0..<times {
                            for queue in queues { queue.add(Samples.changeFrame) }
                            for queue in queues { queue.drop() }
                        }
                    },
                    floor: { times in
                        for _ in 0..<times { for place in 0..<5 { memory.copy(Samples.changeFrame, at: place * 1_024) } }
                    })
            },
            BenchCase(
                name: "thread-crossing", question: "an item to another thread and back: queue, mailbox, two wake-ups",
                unit: .microseconds(per: "round trip"), floor: "a ring of an eventfd and the epoll_wait that hears it"
            ) {
                let crossing = try Crossing()
                return Work(
                    run: { times in for _ in 0..<times { try crossing.roundTrip() } },
                    floor: { times in
                        var event = epoll_event()
                        for _ in 0..<times {
                            crossing.bell.ring()
                            use(epoll_wait(crossing.epoll.raw, &event, 1, 0))
                        }
                    })
            },
            BenchCase(
                name: "flush-loopback", question: "a queued change of a peer flushed to its socket and read there",
                unit: .microseconds(per: "change"),
                floor: "the same send and recv alone"
            ) {
                let line = try Line()
                let queue = Queue(BufferPool())
                return Work(
                    run: { times in
                        for _ in 0..<times {
                            queue.add(Samples.changeFrame)
                            try queue.flush(line.here.raw)
                            try line.read(Samples.changeFrame.count)
                        }
                    },
                    floor: { times in
                        for _ in 0..<times {
                            try Samples.changeFrame.withUnsafeBytes { raw in use(try Socket.send(line.here.raw, raw)) }
                            try line.read(Samples.changeFrame.count)
                        }
                    })
            },
        ]
    }
}

func checkText(_ octets: UnsafeRawBufferPointer) -> Bool { TextCheck.isText(octets) }

/// A reactor with connections on which nothing happens.
private final class IdleConnections {
    let reactor: Reactor
    /// Another epoll with nothing in it.
    let epoll: FileDescriptor
    private var ends: [Ends] = []

    private final class Ends {
        let first: FileDescriptor
        let second: FileDescriptor

        init() throws(Errno) {
            var pair = try Socket.Pair()
            first = pair.takeFirst()
            second = pair.takeSecond()
        }
    }

    init(channels: Int, timers: Int) throws {
        reactor = try Reactor()
        epoll = try Epoll.make()
        let target = TimerTarget()
        for _ in 0..<channels {
            let pair = try Ends()
            _ = try reactor.add(fd: pair.first.raw, interest: .readable, channel: Channel())
            ends.append(pair)
        }
        // Due in an hour: none fires while this runs.
        for _ in 0..<timers { _ = reactor.schedule(afterMilliseconds: 3_600_000, target, kind: 0) }
    }
}

private enum Epoll {
    static func make() throws(Errno) -> FileDescriptor {
        let raw = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard raw >= 0 else { throw Errno.last("epoll_create1") }
        return FileDescriptor(owning: raw)
    }
}

/// The queue of one peer.
private final class Queue {
    private var outbox: Outbox

    init(_ pool: BufferPool) { outbox = Outbox(pool: pool, limit: 1 << 20) }

    func add(_ frame: [UInt8]) { use(outbox.append(sharing: frame, now: 0)) }

    func drop() { outbox.removeAll() }

    func flush(_ raw: Int32) throws(Errno) {
        guard try outbox.flush(to: raw) == .empty else { throw Errno(EAGAIN, "send") }
    }
}

/// Two ends of a TCP connection over loopback.
private final class Line {
    let here: FileDescriptor
    private let there: FileDescriptor
    private let memory = Scratch(65_536)

    init() throws {
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        here = try Socket.connectTCP(host: "127.0.0.1", port: try SocketAddress.local(of: listener.raw).port)
        guard try Poll.wait(listener.raw, .readable, timeoutMilliseconds: 1_000) != [],
            let other = try Socket.accept(on: listener.raw)
        else { throw BenchFailure("no connection over loopback") }
        there = other
    }

    func read(_ count: Int) throws {
        var left = count
        while left > 0 {
            guard case .done(let got) = try Socket.receive(there.raw, into: memory.octets) else { throw BenchFailure("octets are missing") }
            left -= got
        }
    }
}

/// Another thread that sends back what it gets, as the writer does.
private final class Crossing {
    let bell: Waker
    let epoll: FileDescriptor
    private let reactor: Reactor
    private let queue = BlockingQueue<Int>(limit: 16)
    private let answers: Mailbox<Int>
    private let thread: Posix.Thread
    private let hooks: Hooks

    private final class Hooks: ReactorHooks {
        let answers: Mailbox<Int>
        var seen = 0

        init(_ answers: Mailbox<Int>) {
            self.answers = answers
            super.init()
        }

        override func drainMailbox() { seen += answers.drain().count }
    }

    init() throws {
        reactor = try Reactor()
        bell = try Waker()
        epoll = try Epoll.make()
        var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(u64: 0))
        guard epoll_ctl(epoll.raw, EPOLL_CTL_ADD, bell.raw, &event) == 0 else { throw Errno.last("epoll_ctl") }
        let answers = Mailbox<Int>(waker: reactor.waker)
        self.answers = answers
        hooks = Hooks(answers)
        reactor.setHooks(hooks)
        let queue = queue
        thread = Posix.Thread.start(name: "echo") {
            while true {
                let items = queue.take()
                if items.isEmpty { return }
                answers.put(contentsOf: items)
            }
        }
    }

    func roundTrip() throws {
        let before = hooks.seen
        guard queue.put(1) else { throw BenchFailure("the queue is full") }
        while hooks.seen == before { reactor.tick(waitingAtMost: 1_000) }
    }

    deinit {
        queue.close()
        thread.join()
    }
}
