import CLinux
import Glibc

/// The limits of a program that processes untrusted files: it may read given files and write to open descriptors,
/// within a time and a memory limit. It has no network and no other process, and it changes no file.
///
/// The limits use rlimits (setrlimit(2)), Landlock (landlock(7)) and a filter of system calls (seccomp(2)), which no
/// privilege of the user can lift.
package struct Confinement {
    /// The largest processor time, in seconds.
    package var processorSeconds: UInt
    /// The largest address space, in octets.
    package var memoryOctets: UInt
    /// The largest number of descriptors.
    package var files: UInt
    /// The readable files, and folders with all their content.
    package var readable: [String]

    package init(processorSeconds: UInt, memoryOctets: UInt, files: UInt = 64, readable: [String]) {
        self.processorSeconds = processorSeconds
        self.memoryOctets = memoryOctets
        self.files = files
        self.readable = readable
    }

    /// Whether this kernel supports it.
    package static var isPossible: Bool { linux_landlock_version() >= 1 }

    /// Confines this process and executes another program. It returns only by throwing, and the process is then partly
    /// confined: it must end.
    ///
    /// - Parameters:
    ///   - arguments: the program's path and its arguments.
    ///   - environment: strings "NAME=value".
    package func become(_ arguments: [String], environment: [String]) throws(Errno) -> Never {
        precondition(!arguments.isEmpty, "a program has a name")
        // The parent of the server may have left descriptors open that are not closed on exec.
        guard linux_close_all_but_standard() == 0 else { throw Errno.last("close_range") }
        try limit(RLIMIT_CORE, 0)
        // Pipes and sockets do not count as files here.
        try limit(RLIMIT_FSIZE, 0)
        try limit(RLIMIT_NOFILE, files)
        try limit(RLIMIT_CPU, processorSeconds)
        let code = Self.withStrings(arguments) { argv in
            Self.withStrings(environment) { envp in
                Self.withStrings(readable) { paths -> Int32 in
                    // This comes after all our own calls that take memory or open a file.
                    var space = rlimit(rlim_cur: memoryOctets, rlim_max: memoryOctets)
                    return paths.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: readable.count) { readable in
                        guard linux_confine_files(readable, self.readable.count) == 0, linux_confine_calls() == 0,
                            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &space) == 0
                        else { return errno }
                        if let program = argv[0] { execve(program, argv, envp) }
                        return errno
                    }
                }
            }
        }
        throw Errno(code, "execve")
    }

    /// Ends this process when its parent ends.
    package static func dieWithParent(_ parent: Int32) throws(Errno) {
        guard linux_die_with_parent(parent) == 0 else { throw Errno.last("prctl") }
    }

    private func limit(_ resource: __rlimit_resource, _ value: UInt) throws(Errno) {
        var limit = rlimit(rlim_cur: value, rlim_max: value)
        guard setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { throw Errno.last("setrlimit") }
    }

    private static func withStrings<R>(_ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R) -> R {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
    }
}
