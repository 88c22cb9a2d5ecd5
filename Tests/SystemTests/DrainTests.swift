import Bytes
import Family
import Glibc
import Posix
import Sessions
import Sync
import Testing
import Wire

extension SystemTests {
    /// Promises: durable, exactly-once, resumable; `honest errors` for the close code.
    @Suite("SIGTERM") struct DrainTests {
        @Test("accepted requests are answered, all clients are asked to reconnect, and the server ends within 5 seconds")
        func drains() throws {
            let (_, demo, server) = try Demo.served()
            let idle = try RawClient(server)
            let before = try idle.enter(demo.parents[0].token, demo.family, client: Ask.id())
            // One that never answers the close frame, and one that never said anything.
            let deaf = try RawClient(server)
            try deaf.enter(demo.athletes[0].token, demo.family, client: Ask.id())
            let mute = try Socket.connectTCP(host: "127.0.0.1", port: server.port)
            defer { withExtendedLifetime(deaf) {} }

            let client = Ask.id()
            let busy = try RawClient(server)
            try busy.enter(demo.parents[1].token, demo.family, client: client)
            for id in 1...100 { busy.send(.mutate(id: Int64(id), operations: [Ask.say("Message \(id)")])) }
            _ = try busy.frame { if case .ack(let ack) = $0 { ack } else { nil } }
            let milliseconds = try server.stop()
            #expect(milliseconds < 5_000)
            print("SIGTERM: ended after \(milliseconds) ms")

            let (frames, code) = try busy.rest()
            #expect(code == CloseCode.restarting.rawValue)
            #expect(frames.count { if case .drain(500...30_000) = $0 { true } else { false } } == 1)
            var done: Set<Int64> = [1]
            for frame in frames {
                switch frame {
                case .ack(let ack): #expect(done.insert(ack.mutation).inserted)
                case .reject(_, let rejection): #expect(rejection.code.isRetryable)
                default: break
                }
            }
            let (heard, idleCode) = try idle.rest()
            #expect(idleCode == CloseCode.restarting.rawValue)
            // Every change that was done was reported.
            let book = try DatabaseContent(server.folder, demo.family)
            #expect(Set(book.changes(of: client).keys) == done)
            let changes = heard.compactMap { if case .change(let change) = $0 { change } else { nil } }
            #expect(changes.map(\.sequence) == Array(before + 1..<book.sequence + 1))
            withExtendedLifetime(mute) {}

            try server.restart()
            let back = try RawClient(server)
            let cursor = Cursor(epoch: book.epoch, sequence: before)
            let head = try back.enter(demo.parents[1].token, demo.family, client: client, cursor: cursor)
            #expect(head == book.sequence)
            // Mutations without an answer are sent again, and take effect once.
            for id in 1...100 where !done.contains(Int64(id)) {
                back.send(.mutate(id: Int64(id), operations: [Ask.say("Message \(id)")]))
                let ack = try back.frame { if case .ack(let ack) = $0 { ack } else { nil } }
                #expect(ack.mutation == Int64(id))
            }
            back.leave()
            try server.stop()
        }

        @Test("a session goes offline and comes back by itself")
        func resumes() throws {
            let (_, demo, server) = try Demo.served()
            let client = try LiveClient(server, demo.parents[0].token)
            try client.waitUntilLive()
            let said = try client.perform(Ask.say("Before")).get()
            var code: UInt16??
            try server.stop {
                code = try client.wait { notice -> UInt16?? in
                    if case .offline(let code, retryAfter: _) = notice { .some(code) } else { nil }
                }
            }
            #expect(code == CloseCode.restarting.rawValue)
            // Typed while nobody listens.
            _ = try client.session.perform([Ask.say("Meanwhile")])
            try server.restart()
            let ack: Ack = try client.wait { notice in if case .acknowledged(let ack) = notice { ack } else { nil } }
            #expect(ack.sequence == said.sequence.map { $0 + 1 })
            #expect(client.session.engine.faultCount == 0)
        }
    }
}
