import Bytes
import Family
import Posix
import Sessions
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// Somebody who does not read, and those who do.
    @Suite("A slow reader, limits.json outbox_octets") struct BroadcastTests {
        /// Octets of a change that carries `text`, roughly; the number of them per second makes a megabyte.
        private static let octets = 3_800
        private static let text = String(repeating: "a", count: 3_500)
        /// Changes that are asked for together.
        private static let batch: Int64 = 10

        /// A member who has come up to date and then takes nothing more.
        private final class Deaf {
            private let descriptor: FileDescriptor
            private(set) var heard: [UInt8] = []

            init(_ server: RunningServer, _ member: Demo.Member, _ family: Identifier) throws {
                descriptor = try Socket.connectTCP(host: "127.0.0.1", port: server.port)
                // Large enough to read away in a moment what waits for it, once it reads again.
                try Socket.setBuffers(descriptor.raw, octets: 65_536)
                try Socket.setReceiveTimeout(descriptor.raw, milliseconds: 10_000)
                try Socket.sendAll(descriptor.raw, AbuseCase.upgrade + AbuseCase.frame(1, ClientFrame.signIn(token: member.token).encode()))
                try read(to: "welcome")
                try Socket.sendAll(descriptor.raw, AbuseCase.frame(1, ClientFrame.join(Join(family: family, client: Ask.id())).encode()))
                try read(to: "live")
            }

            private func read(to type: String) throws {
                while !String(decoding: heard, as: UTF8.self).contains("{\"type\":\"\(type)\"") {
                    guard try more() else { throw Unexpected("the server ended it before \(type)") }
                }
            }

            /// - Returns: false at the end of the stream.
            private func more() throws -> Bool {
                let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
                defer { space.deallocate() }
                switch try Socket.receive(descriptor.raw, into: space) {
                case .done(let count): heard += space[..<count]
                case .endOfStream: return false
                case .wouldBlock: throw Unexpected("nothing came in 10 s, after \(heard.count) octets")
                }
                return true
            }

            /// Everything up to the end of the stream.
            func rest() throws -> (changes: [Int64], code: UInt16?) {
                while try more() {}
                let frames = try #require(AbuseRun.frames(heard), "a frame is not whole")
                let changes = try frames.filter { $0.opcode == 1 }.compactMap { frame -> Int64? in
                    guard case .change(let change) = try frame.payload.withUnsafeBytes({ try ServerFrame.decode($0) }) else { return nil }
                    return change.sequence
                }
                let last = frames.last.flatMap { $0.opcode == 8 && $0.payload.count >= 2 ? $0.payload : nil }
                return (changes, last.map { UInt16($0[0]) << 8 | UInt16($0[1]) })
            }
        }

        @Test("a client that reads nothing of a megabyte per second is closed with 4001; memory is bounded, the others receive all of it in time")
        func deaf() throws {
            let folder = try TemporaryFolder()
            let demo = try Demo(in: folder.path)
            let server = try RunningServer(folder.path, options: ["--mutations-per-second", "0"])
            let (author, reader) = (try RawClient(server), try RawClient(server))
            _ = try author.enter(demo.parents[0].token, demo.family, client: Ask.id())
            let first = try reader.enter(demo.parents[1].token, demo.family, client: Ask.id())
            let deaf = try Deaf(server, demo.athletes[0], demo.family)
            let before = try server.residentKiB()
            let start = Clock.monotonicMilliseconds()
            var (sequence, sent, worst, peak, cutAt) = (first, Int64(0), Int64(0), before, Int64?.none)
            while cutAt == nil, Clock.monotonicMilliseconds() - start < 60_000 {
                let due = start + sent * Int64(Self.octets) / 1_000
                let early = due - Clock.monotonicMilliseconds()
                if early > 0 { _ = try Poll.wait(-1, .readable, timeoutMilliseconds: Int(early)) }
                let asked = Clock.monotonicMilliseconds()
                for _ in 0..<Self.batch {
                    sent += 1
                    author.send(.mutation(id: sent, body: .operations([Ask.say(Self.text)]), overlap: nil))
                }
                let wanted = sent
                try author.frame { if case .ack(let ack) = $0, ack.mutation == wanted { () } else { nil } }
                while sequence < first + sent {
                    switch try reader.next() {
                    case .frame(.change(let change)):
                        #expect(change.sequence == sequence + 1)
                        sequence = change.sequence
                    case .frame(.presence(let presence)):
                        if presence.member == demo.athletes[0].id, presence.connections == 0 { cutAt = Clock.monotonicMilliseconds() - start }
                    case .frame, .opened: break
                    case .closed(let code, let reason): throw Unexpected("the reader was closed: \(code ?? 0), \(reason)")
                    }
                }
                worst = max(worst, Clock.monotonicMilliseconds() - asked)
                peak = max(peak, try server.residentKiB())
            }
            let heard = try deaf.rest()
            #expect(cutAt != nil)
            #expect(heard.code == CloseCode.slowReader.rawValue)
            // The changes that it got before are whole and in order; it comes back for the rest.
            #expect(heard.changes == heard.changes.indices.map { first + 1 + Int64($0) } && !heard.changes.isEmpty)
            #expect(worst < AbuseTests.patience, "a reader waited \(worst) ms")
            // One megabyte for the deaf one, four that the pools keep, and what SQLite holds of the new rows.
            #expect(peak - before < 32 * 1_024, "\(before) KiB grew to \(peak)")
            for client in [author, reader] { client.leave() }
            try server.stop()
        }
    }
}
