/// The speed at which a disk takes octets from one writer, measured while it writes.
///
/// The processor and other writers make a call slower, never the disk faster, so the best of many short samples is
/// closest to the disk's speed. It is valid for this window of samples and the next one: a disk that becomes slow is
/// noticed after at most two windows.
struct DiskSpeed: Sendable {
    /// The octets of one sample: a few calls.
    static let sampleOctets = 1 << 20
    /// The number of samples in one window: a large file, or a few.
    static let window = 128
    /// The divisor of the speed of one writer that gives the rate for files while members write. On a disk that gives
    /// one writer 450 to 570 MB/s, the p99 of a commit beside 150 MB/s is the same as on an idle disk, beside 240 MB/s
    /// 1.7 to 1.9 times that, beside 560 MB/s 3 to 10 times (two cores, ext4).
    static let share = 3
    /// The largest rate for files while members write, in octets per second, for all files together: it is above a
    /// gigabit line (125 MB/s), and a higher rate only makes commits slower. It is also the rate before the first
    /// measurement.
    static let most = 150_000_000
    /// The smallest rate: a file of 100 MB in 25 seconds, even on a slow disk.
    static let least = 4_000_000

    private var octets = 0
    private var nanoseconds: Int64 = 0
    private var samples = 0
    /// Octets per second: the best samples of this window and of the previous one.
    private var best = 0
    private var former = 0

    /// Adds the octets that one call has written.
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

    /// The octets per second that one writer gets; `nil` until a sample is complete.
    var measured: Int? {
        let most = max(best, former)
        return most > 0 ? most : nil
    }

    /// The octets per second that files may use while members write.
    var beside: Int {
        guard let measured else { return DiskSpeed.most }
        return min(max(measured / DiskSpeed.share, DiskSpeed.least), DiskSpeed.most)
    }
}
