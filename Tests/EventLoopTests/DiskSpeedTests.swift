import Posix
import Testing

@testable import EventLoop

@Suite("The speed of a disk is measured while it writes")
struct DiskSpeedTests {
    /// One sample at a rate.
    private static func write(_ speed: inout DiskSpeed, megabytesPerSecond rate: Int64, samples: Int = 1) {
        for _ in 0..<samples {
            for _ in 0..<4 { speed.note(262_144, nanoseconds: 262_144 * 1_000 / rate) }
        }
    }

    @Test("Unmeasured, files get the largest rate; a slow disk gives a part of its speed, and never less than the smallest", arguments: [
        (1_200, 150_000_000), (600, 150_000_000), (400, 133_333_333), (80, 26_666_666), (8, 4_000_000),
    ] as [(Int64, Int)])
    func share(rate: Int64, beside: Int) {
        var speed = DiskSpeed()
        #expect(speed.measured == nil && speed.beside == DiskSpeed.most)
        speed.note(DiskSpeed.sampleOctets - 1, nanoseconds: 1_000_000_000)
        #expect(speed.measured == nil)
        speed = DiskSpeed()
        Self.write(&speed, megabytesPerSecond: rate)
        #expect(abs(speed.beside - beside) <= beside / 100, "\(speed.beside)")
    }

    @Test("A busy processor makes samples slower and changes nothing; a disk that became slow is noticed after two windows")
    func best() {
        var speed = DiskSpeed()
        Self.write(&speed, megabytesPerSecond: 400)
        let alone = speed.beside
        Self.write(&speed, megabytesPerSecond: 60, samples: DiskSpeed.window - 1)
        #expect(speed.beside == alone)
        Self.write(&speed, megabytesPerSecond: 60, samples: DiskSpeed.window - 1)
        #expect(speed.beside == alone)
        Self.write(&speed, megabytesPerSecond: 60)
        #expect(speed.beside < alone / 6)
        // One fast sample makes it fast again.
        Self.write(&speed, megabytesPerSecond: 400)
        #expect(speed.beside == alone)
    }

    @Test("A clock that stops or goes back does no harm")
    func clock() {
        var speed = DiskSpeed()
        speed.note(DiskSpeed.sampleOctets, nanoseconds: 0)
        speed.note(DiskSpeed.sampleOctets, nanoseconds: -5)
        #expect(speed.beside == DiskSpeed.most)
    }

    @Test("A policy with slow measured writes holds writers to a part of that rate beside a commit")
    func policy() {
        let policy = DiskPolicy()
        // 30 MB/s, so 10 MB/s while members write.
        for _ in 0..<4 { policy.didWrite(262_144, nanoseconds: 262_144 * 100 / 3) }
        policy.begin()
        let begun = Clock.monotonicMilliseconds()
        for _ in 0..<8 { policy.waitToWrite(250_000) }
        // A fifth of a second's worth, less the part that may be ahead.
        #expect(Clock.monotonicMilliseconds() - begun >= 190)
        policy.end()
    }
}
