import Posix
import EventLoop
import Testing

@Suite("Reactor: the order of each tick, events only for registered channels")
struct ReactorTests {
    private final class LoggingHooks: ReactorHooks {
        let log: Log
        init(_ log: Log) { self.log = log; super.init() }
        override func drainMailbox() { log.lines.append("mailbox") }
        override func beforeSleep() { log.lines.append("before sleep") }
    }

    @Test("A tick runs: mailbox, ready events, repeated channels, timers, before sleep")
    func order() throws {
        let log = Log()
        let reactor = try Reactor()
        reactor.setHooks(LoggingHooks(log))
        let link = try Link()
        let channel = Recorder("a", log)
        let other = Recorder("b", log)
        let quiet = try Link()
        _ = try reactor.add(fd: link.near.raw, interest: .readable, channel: channel)
        let registration = try reactor.add(fd: quiet.near.raw, interest: .readable, channel: other)
        try Socket.sendAll(link.far.raw, [1])
        reactor.callAgain(registration)
        let start = reactor.now
        _ = reactor.schedule(afterMilliseconds: 0, channel, kind: 7)
        while !log.lines.contains("a timer 7") {
            log.lines = []
            reactor.callAgain(registration)
            reactor.tick()
        }
        #expect(log.lines == ["mailbox", "a ready", "b ready", "a timer 7", "before sleep"])
        #expect(reactor.now > start)
    }

    @Test("Unread input is reported again; a channel without interest is not called")
    func interest() throws {
        let log = Log()
        let reactor = try Reactor()
        let link = try Link()
        let registration = try reactor.add(fd: link.near.raw, interest: .readable, channel: Recorder("a", log))
        reactor.tick(waitingAtMost: 0)
        #expect(log.lines == [])
        try Socket.sendAll(link.far.raw, [1])
        reactor.tick()
        reactor.tick()
        #expect(log.lines == ["a ready", "a ready"])
        try reactor.modify(registration, interest: [])
        reactor.tick(waitingAtMost: 0)
        #expect(log.lines.count == 2)
        try reactor.modify(registration, interest: .writable)
        reactor.tick()
        #expect(log.lines.count == 3)
    }

    @Test("An event for a channel that was removed in the same tick reaches no channel, least of all the slot's next one")
    func stale() throws {
        let log = Log()
        let reactor = try Reactor()
        let links = try [Link(), Link()]
        let fresh = try Link()
        var registrations: [Registration] = []
        for (index, link) in links.enumerated() {
            let channel = Recorder("\(index)", log)
            channel.whenReady = { recorder in
                let other = recorder.name == "0" ? 1 : 0
                reactor.remove(registrations[other])
                _ = try? reactor.add(fd: fresh.near.raw, interest: .readable, channel: Recorder("new", log))
            }
            registrations.append(try reactor.add(fd: link.near.raw, interest: .readable, channel: channel))
            try Socket.sendAll(link.far.raw, [1])
        }
        // Optimized code ends a link after its last use, and a closed socket has no event.
        withExtendedLifetime(links) { reactor.tick() }
        #expect(log.lines.count == 1)
        #expect(log.lines.first != "new ready")
        #expect(reactor.channelCount == 2)
    }

    @Test("Removing, changing and calling a removed registration has no effect")
    func gone() throws {
        let log = Log()
        let reactor = try Reactor()
        let link = try Link()
        let registration = try reactor.add(fd: link.near.raw, interest: .readable, channel: Recorder("old", log))
        reactor.remove(registration)
        let next = try reactor.add(fd: link.near.raw, interest: .readable, channel: Recorder("new", log))
        #expect(next != registration)
        reactor.remove(registration)
        try reactor.modify(registration, interest: [])
        reactor.callAgain(registration)
        try Socket.sendAll(link.far.raw, [1])
        reactor.tick()
        #expect(log.lines == ["new ready"])
        #expect(reactor.channelCount == 1)
    }

    @Test("Adding a descriptor twice is an error, and takes no slot")
    func twice() throws {
        let reactor = try Reactor()
        let link = try Link()
        _ = try reactor.add(fd: link.near.raw, interest: .readable, channel: Recorder("a", Log()))
        var error: Errno?
        do throws(Errno) {
            _ = try reactor.add(fd: link.near.raw, interest: .readable, channel: Recorder("b", Log()))
        } catch let thrown {
            error = thrown
        }
        #expect(error == .exists)
        #expect(reactor.channelCount == 1)
    }

    @Test("A channel that asks again is called in the next tick, not in this one")
    func again() throws {
        let log = Log()
        let reactor = try Reactor()
        let link = try Link()
        let channel = Recorder("a", log)
        let registration = try reactor.add(fd: link.near.raw, interest: [], channel: channel)
        channel.whenReady = { recorder in if recorder.log.lines.count < 3 { reactor.callAgain(registration) } }
        reactor.callAgain(registration)
        reactor.tick()
        #expect(log.lines.count == 1)
        reactor.tick()
        reactor.tick()
        reactor.tick(waitingAtMost: 0)
        #expect(log.lines.count == 3)
    }

    @Test("A cancelled timer does not fire, one that fires may schedule the next")
    func timers() throws {
        final class Chain: TimerTarget {
            let reactor: Reactor
            var fired: [Int] = []
            init(_ reactor: Reactor) { self.reactor = reactor; super.init() }
            override func timerFired(kind: Int) {
                fired.append(kind)
                if kind < 3 { _ = reactor.schedule(afterMilliseconds: 1, self, kind: kind + 1) } else { reactor.stop() }
            }
        }
        let reactor = try Reactor()
        let chain = Chain(reactor)
        let cancelled = reactor.schedule(afterMilliseconds: 1, chain, kind: 99)
        _ = reactor.schedule(afterMilliseconds: 1, chain, kind: 1)
        #expect(reactor.cancel(cancelled))
        #expect(!reactor.cancel(cancelled))
        reactor.run()
        #expect(chain.fired == [1, 2, 3])
    }

    @Test("Values from other threads in a mailbox wake the reactor and come out in order")
    func mailbox() throws {
        final class Collector: ReactorHooks {
            let mailbox: Mailbox<Int>
            let reactor: Reactor
            var all: [Int] = []
            private var batch: [Int] = []
            init(_ reactor: Reactor) {
                self.reactor = reactor
                mailbox = Mailbox(waker: reactor.waker)
                super.init()
            }
            override func drainMailbox() {
                mailbox.drain(into: &batch)
                all += batch
                batch.removeAll(keepingCapacity: true)
                if all.count == 10_000 { reactor.stop() }
            }
        }
        let reactor = try Reactor()
        let hooks = Collector(reactor)
        reactor.setHooks(hooks)
        let mailbox = hooks.mailbox
        let thread = Thread.start(name: "sender") {
            for number in 0..<5_000 { mailbox.put(number) }
            for number in stride(from: 5_000, to: 10_000, by: 10) { mailbox.put(contentsOf: Array(number..<number + 10)) }
            mailbox.put(contentsOf: [])
        }
        reactor.run()
        thread.join()
        #expect(hooks.all == Array(0..<10_000))
        #expect(mailbox.drain() == [])
    }
}

@Suite("BlockingQueue: bounded, whole batches, ends when closed")
struct BlockingQueueTests {
    @Test("Items come out oldest first, at most the requested number")
    func order() {
        let queue = BlockingQueue<Int>(limit: 10)
        let put = [queue.put(1), queue.put(contentsOf: [2, 3, 4]), queue.put(contentsOf: [])]
        #expect(put == [true, true, true])
        #expect(queue.take(maximum: 3) == [1, 2, 3])
        #expect(queue.take() == [4])
        #expect(queue.count == 0)
    }

    @Test("The limit holds exactly, and a batch that does not fit leaves nothing behind")
    func limit() {
        let queue = BlockingQueue<Int>(limit: 3)
        let put = [queue.put(contentsOf: [1, 2]), queue.put(contentsOf: [3, 4]), queue.put(3), queue.put(4)]
        #expect(put == [true, false, true, false])
        #expect(queue.take() == [1, 2, 3])
    }

    @Test("A closed queue takes no items, returns its remaining ones, and then reports its end")
    func close() {
        let queue = BlockingQueue<Int>(limit: 3)
        let before = queue.put(1)
        queue.close()
        let after = [queue.put(2), queue.put(contentsOf: [3])]
        #expect(before && after == [false, false])
        #expect(queue.take() == [1])
        #expect(queue.take() == [])
    }

    @Test("A waiting thread gets an item that another adds, and the end when the queue is closed")
    func threads() throws {
        let queue = BlockingQueue<Int>(limit: 100_000)
        let results = Mailbox<Int>(waker: try Waker())
        let thread = Thread.start(name: "taker") {
            while true {
                let batch = queue.take(maximum: 7)
                if batch.isEmpty { return }
                results.put(contentsOf: batch)
            }
        }
        for number in 0..<1_000 { #expect(queue.put(number)) }
        queue.close()
        thread.join()
        #expect(results.drain() == Array(0..<1_000))
    }

    @Test("Several waiting threads share the items of several senders: each item once, none forgotten, and all threads end")
    func sharing() throws {
        let queue = BlockingQueue<Int>(limit: 4)
        let results = Mailbox<Int>(waker: try Waker())
        let takers = (0..<4).map { _ in
            Thread.start(name: "taker") {
                while let item = queue.take(maximum: 1).first { results.put(item) }
            }
        }
        let putters = (0..<3).map { number in
            Thread.start(name: "putter") {
                // Alternately one and two at a time; a full queue is tried again, so takers sleep and wake all the
                // time.
                for item in 0..<2_000 {
                    let mine = number * 10_000 + item
                    if item % 2 == 0 {
                        while !queue.put(mine) {}
                    } else {
                        while !queue.put(contentsOf: [mine, mine + 5_000]) {}
                    }
                }
            }
        }
        for thread in putters { thread.join() }
        queue.close()
        for thread in takers { thread.join() }
        var wanted: [Int] = []
        for number in 0..<3 {
            for item in 0..<2_000 {
                wanted.append(number * 10_000 + item)
                if item % 2 == 1 { wanted.append(number * 10_000 + item + 5_000) }
            }
        }
        #expect(results.drain().sorted() == wanted.sorted() && queue.count == 0)
    }
}
