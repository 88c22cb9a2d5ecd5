import Glibc

/// The resources that this process uses, as the kernel counts them.
package struct ProcessUsage: Equatable, Sendable {
    /// Nanoseconds of processor time, of all threads.
    package var processorTime: Int64
    /// Octets of memory that are not swapped out.
    package var resident: Int
    /// Octets of the address space.
    package var virtual: Int
    package var openFiles: Int
    package var maxOpenFiles: Int
    package var threads: Int

    /// Reads all of it. Takes longer the more descriptors are open on kernels before 6.2, so a thread that others wait for leaves it to another.
    package static func read() -> ProcessUsage {
        let memory = words("/proc/self/statm").prefix(2).map { (Int($0) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) }
        var limit = rlimit()
        let hasLimit = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return ProcessUsage(
            processorTime: Clock.processNanoseconds(), resident: memory.count > 1 ? memory[1] : 0, virtual: memory.first ?? 0, openFiles: countOpenFiles(),
            maxOpenFiles: hasLimit ? Int(clamping: limit.rlim_cur) : 0, threads: countThreads())
    }

    private static func words(_ path: String) -> [Substring] {
        guard let octets = try? Files.read(path, limit: 1 << 16) else { return [] }
        return String(decoding: octets, as: UTF8.self).split { $0 == " " || $0 == "\n" || $0 == "\t" }
    }

    private static func countThreads() -> Int {
        let words = words("/proc/self/status")
        guard let index = words.firstIndex(of: "Threads:"), index + 1 < words.count else { return 0 }
        return Int(words[index + 1]) ?? 0
    }

    /// From Linux 6.2 on the size of the folder is the number of its entries; before that, zero.
    private static func countOpenFiles() -> Int {
        var found = stat()
        let path = "/proc/self/fd"
        if stat(path, &found) == 0, found.st_size > 0 { return Int(found.st_size) }
        guard let folder = opendir(path) else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            // "." and "..".
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        // The folder itself was open while it was read.
        return max(count - 1, 0)
    }
}
