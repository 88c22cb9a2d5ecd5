/// When octets of files may be written; all times in monotonic nanoseconds.
struct DiskPace: Sendable {
    /// Without a commit for this long, nobody is there who could feel anything.
    static let memory: Int64 = 1_000_000_000
    /// How much may be written immediately after a pause: a piece of each thread.
    static let ahead: Int64 = 5_000_000

    /// When the next octets may be written.
    private var next: Int64 = 0

    /// - Parameters:
    ///   - quiet: for how long no commit has been under way.
    ///   - octetsPerSecond: in sum, of all threads.
    /// - Returns: for how long to wait before writing that many octets; not at all when it is not positive.
    mutating func take(_ octets: Int, at now: Int64, quiet: Int64, octetsPerSecond: Int) -> Int64 {
        guard quiet < DiskPace.memory else { return 0 }
        next = max(next, now - DiskPace.ahead) + Int64(octets) * 1_000_000_000 / Int64(octetsPerSecond)
        return next - now
    }
}
