import Locks
import Posix
import Testing

@Suite("Priorities of threads, sched(7)")
struct PriorityTests {
    /// The nice value of the calling thread: field 19 of proc_pid_stat(5), the seventeenth after the name.
    private static func nice() -> Int? {
        guard let octets = try? Files.read("/proc/thread-self/stat"), let end = octets.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = String(decoding: octets[octets.index(after: end)...], as: UTF8.self).split(separator: " ")
        return fields.count > 16 ? Int(fields[16]) : nil
    }

    @Test("A thread changes only its own priority", arguments: [0, 5, 19])
    func nice(value: Int32) throws {
        let own = try #require(Self.nice())
        let seen = Lock<Int?>(nil)
        let thread = Thread.start(name: "nice", nice: value) { seen.withLock { $0 = Self.nice() } }
        thread.join()
        #expect(seen.withLock { $0 } == max(own, Int(value)))
        #expect(Self.nice() == own)
    }
}
