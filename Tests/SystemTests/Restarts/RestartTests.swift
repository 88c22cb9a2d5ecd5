import Bytes
import Family
import Glibc
import Posix
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// Promises: durable, ordered, resumable, exactly-once, no lost update, nothing lost at the client.
    @Suite("Killed and started again") struct RestartTests {
        private static let mutations = 2_000
        private static let kills = 20

        @Test("R014 two clients, 2,000 mutations, 20 kills: every mutation is done once or is a draft, and all clients agree")
        func survivesKills() throws {
            let seed = SplitMix64.freshSeed()
            print("Killed and started again: HUDDLE_SEED=\(seed)")
            var random = SplitMix64(seed: seed)
            let start = Clock.monotonicMilliseconds()
            // Far above the usual 20 s: a busy machine must not end the test, a hang must.
            let deadline = start + 300_000
            let (_, demo, server) = try Demo.served()
            let progress = try Progress()

            let contenders = try (0..<2).map { side in
                EditingClient(
                    try server.address(), demo.parents[side], athletes: demo.athletes.map(\.id), side: side,
                    mutations: Self.mutations / 2, seed: random.next(), progress: progress.writing, deadline: deadline)
            }
            // A few in a row hit a server that has only just begun, and clients that are catching up.
            var moments = (0..<Self.kills - 4).map { _ in random.number(20..<Self.mutations * 9 / 10) }
            moments += (0..<4).map { _ in moments[random.number(0..<moments.count)] }
            for moment in moments.sorted() {
                try progress.wait(until: deadline) { $0.answers >= moment }
                // A commit takes about a millisecond: anywhere in it.
                let end = Clock.monotonicNanoseconds() + Int64(random.number(0..<3_000_000))
                while Clock.monotonicNanoseconds() < end { sched_yield() }
                try server.kill()
                try server.restart()
                for contender in contenders { contender.hurry() }
            }
            try progress.wait(until: deadline) { $0.ends == 2 }
            let newest = contenders.map(\.newest).max() ?? 0
            let tallies = contenders.map { $0.end(at: newest) }
            // Even the last moments need no orderly end.
            try server.kill()

            let book = try DatabaseContent(server.folder, demo.family)
            RestartReport(book: book, tallies: tallies).check(mutations: Self.mutations, kills: Self.kills)
            let seconds = Double(Clock.monotonicMilliseconds() - start) / 1_000
            print("Killed and started again: \(RestartReport.summary(book, tallies)), \(seconds) s")
        }
    }
}

/// The reports of the clients' threads, one octet each.
private final class Progress {
    private let end: FileDescriptor
    private let other: FileDescriptor
    private(set) var answers = 0
    private(set) var ends = 0
    private var failures = 0

    init() throws(Errno) {
        var pipe = try Pipe()
        end = pipe.takeReading()
        other = pipe.takeWriting()
    }

    /// Where the clients write.
    var writing: Int32 { other.raw }

    func wait(until deadline: Int64, _ isReached: (Progress) -> Bool) throws {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !isReached(self), failures == 0 {
            let left = Int(deadline - Clock.monotonicMilliseconds())
            guard left > 0, try Poll.wait(end.raw, .readable, timeoutMilliseconds: left) != [] else {
                throw Unexpected("late: \(answers) answers, \(ends) clients at their end")
            }
            guard case .done(let count) = try buffer.withUnsafeMutableBytes({ try Octets.read(end.raw, into: $0) }) else { continue }
            for octet in buffer[..<count] {
                switch octet {
                case EditingClient.answered: answers += 1
                case EditingClient.finished: ends += 1
                default: failures += 1
                }
            }
        }
    }
}
