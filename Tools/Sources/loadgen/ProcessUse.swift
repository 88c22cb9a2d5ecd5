import CLinux
import Glibc
import Posix

/// Figures of the kernel about a process.
enum ProcessUse {
    /// CPU time so far, user and system, nanoseconds; `nil` when there is no such process. The kernel counts in ticks of 10 ms.
    static func cpu(pid: Int32) -> Int64? {
        guard let text = try? Files.read("/proc/\(pid)/stat", limit: 4_096), let ticks = cpuTicks(stat: text) else { return nil }
        return ticks * (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// utime + stime of a stat line: the 14th and 15th words. The second, in parentheses, may hold blanks and parentheses.
    ///
    /// Source: proc(5), /proc/pid/stat.
    static func cpuTicks(stat: [UInt8]) -> Int64? {
        guard let close = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let words = stat[(close + 1)...].split(separator: UInt8(ascii: " "))
        guard words.count > 12, let user = Int64(String(decoding: words[11], as: UTF8.self)),
            let system = Int64(String(decoding: words[12], as: UTF8.self))
        else { return nil }
        return user + system
    }

    struct Memory: Equatable {
        /// Octets.
        var resident: Int64
        /// Octets that no other process shares.
        var `private`: Int64
    }

    static func memory(pid: Int32) -> Memory? {
        guard let text = try? Files.read("/proc/\(pid)/smaps_rollup", limit: 16_384) else { return nil }
        return memory(rollup: text)
    }

    /// Rss, and Private_Clean + Private_Dirty; the kernel writes them in kB of 1,024.
    static func memory(rollup: [UInt8]) -> Memory? {
        var found: [String: Int64] = [:]
        for line in rollup.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count == 3, let number = Int64(String(decoding: words[1], as: UTF8.self)) else { continue }
            found[String(decoding: words[0], as: UTF8.self)] = number * 1_024
        }
        guard let resident = found["Rss:"], let clean = found["Private_Clean:"], let dirty = found["Private_Dirty:"] else { return nil }
        return Memory(resident: resident, private: clean + dirty)
    }

    /// CPU time of this process so far, nanoseconds.
    static func own() -> Int64 {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
