/// The pacing of writes to files; all times in monotonic nanoseconds.
struct DiskPace: Sendable {
    /// Without a commit for this long, no user could notice a delay.
    static let memory: Int64 = 1_000_000_000
    /// The amount that may be written immediately after a pause: one piece of each thread.
    static let ahead: Int64 = 5_000_000

    /// The time at which the next octets may be written.
    private var next: Int64 = 0

    /// - Parameters:
    ///   - quiet: the time for which no commit has been in progress.
    ///   - octetsPerSecond: the sum for all threads.
    /// - Returns: the time to wait before writing that many octets; no wait if it is not positive.
    mutating func take(_ octets: Int, at now: Int64, quiet: Int64, octetsPerSecond: Int) -> Int64 {
        guard quiet < DiskPace.memory else { return 0 }
        next = max(next, now - DiskPace.ahead) + Int64(octets) * 1_000_000_000 / Int64(octetsPerSecond)
        return next - now
    }
}
