/// The speed at which a disk takes octets from one writer, measured while it writes.
///
/// The processor and other writers make a call slower, never the disk faster, so the best of many short samples is nearest to the disk. It holds for
/// this window of samples and the next one: a disk that becomes slow is noticed after two windows at most.
struct DiskSpeed: Sendable {
    /// Octets of one sample: a few calls.
    static let sampleOctets = 1 << 20
    /// Samples of one window: a large file, or a few.
    static let window = 128
    /// Files get one part in this many of what one writer gets, while people write. On a disk that gives one writer 450 to 570 MB/s, the p99 of a
    /// commit beside 150 MB/s is what it is alone, beside 240 MB/s 1.7 to 1.9 times that, beside 560 MB/s 3 to 10 times (two cores, ext4).
    static let share = 3
    /// Octets per second in sum that files get beside people at most: no gigabit line (125 MB/s) feels it, and more only makes commits slower.
    /// Also what they get before anything was measured.
    static let most = 150_000_000
    /// At least: a file of 100 MB in 25 seconds, however slow the disk is.
    static let least = 4_000_000

    private var octets = 0
    private var nanoseconds: Int64 = 0
    private var samples = 0
    /// Octets per second: the best sample of this window and of the one before.
    private var best = 0
    private var former = 0

    /// One call has written octets.
    mutating func note(_ count: Int, nanoseconds took: Int64) {
        octets += count
        nanoseconds += max(took, 0)
        guard octets >= DiskSpeed.sampleOctets else { return }
        best = max(best, Int(Double(octets) * 1e9 / Double(max(nanoseconds, 1))))
        (octets, nanoseconds) = (0, 0)
        samples += 1
        guard samples == DiskSpeed.window else { return }
        (former, best, samples) = (best, 0, 0)
    }

    /// Octets per second that one writer gets; `nil` until a sample is complete.
    var measured: Int? {
        let most = max(best, former)
        return most > 0 ? most : nil
    }

    /// Octets per second that files may take while people write.
    var beside: Int {
        guard let measured else { return DiskSpeed.most }
        return min(max(measured / DiskSpeed.share, DiskSpeed.least), DiskSpeed.most)
    }
}
