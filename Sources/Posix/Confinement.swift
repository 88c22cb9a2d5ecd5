import CLinux
import Glibc

/// What a program may use that works on files of strangers: it reads what it is told to and writes to what is open, for so long, with so much
/// memory. No network, no other process, no file that is changed.
///
/// By rlimits (setrlimit(2)), Landlock (landlock(7)) and a filter of system calls (seccomp(2)), which no right of the user lifts.
package struct Confinement {
    /// Seconds of a processor.
    package var processorSeconds: UInt
    /// Octets of address space.
    package var memoryOctets: UInt
    /// Descriptors.
    package var files: UInt
    /// Files, and folders with all that is in them.
    package var readable: [String]

    package init(processorSeconds: UInt, memoryOctets: UInt, files: UInt = 64, readable: [String]) {
        self.processorSeconds = processorSeconds
        self.memoryOctets = memoryOctets
        self.files = files
        self.readable = readable
    }

    /// Whether this kernel can do it.
    package static var isPossible: Bool { linux_landlock_version() >= 1 }

    /// Confines this process and becomes another program. Only returns by throwing, and is then confined more or less: end.
    ///
    /// - Parameters:
    ///   - arguments: the program's path and what it is given.
    ///   - environment: "NAME=value" each.
    package func become(_ arguments: [String], environment: [String]) throws(Errno) -> Never {
        precondition(!arguments.isEmpty, "a program has a name")
        // Whoever started the server may have left some open that are not closed by themselves.
        guard linux_close_all_but_standard() == 0 else { throw Errno.last("close_range") }
        try limit(RLIMIT_CORE, 0)
        // Pipes and sockets are no files here.
        try limit(RLIMIT_FSIZE, 0)
        try limit(RLIMIT_NOFILE, files)
        try limit(RLIMIT_CPU, processorSeconds)
        let code = Self.withStrings(arguments) { argv in
            Self.withStrings(environment) { envp in
                Self.withStrings(readable) { paths -> Int32 in
                    // After everything of ours that takes memory or opens a file.
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

    /// Ends this process when the one that started it does.
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
