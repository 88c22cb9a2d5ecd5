import CLinux
import Glibc

/// The program that this process runs.
package enum RunningProgram {
    /// Starts the same program file again in this process, with other arguments. The process id, the environment, and
    /// the descriptors that `keepOpen` was called for stay; nothing else of the memory stays.
    ///
    /// - Parameter arguments: the program's name and its arguments.
    /// - Throws: the reason why it cannot be started; nothing has changed then.
    ///
    /// Source: Linux execve(2), proc(5).
    package static func restart(_ arguments: [String]) throws(Errno) -> Never {
        // The program uses its own path, because otherwise the process would be called "exe". A new build may have
        // replaced the file.
        let link = "/proc/self/exe"
        let path = Files.resolved(link).flatMap { Files.isSame($0, link) ? $0 : nil } ?? link
        let code = ChildProcess.withStrings(arguments) { argv in
            execve(path, argv, linux_environment())
            return errno
        }
        throw Errno(code, "execve")
    }
}

extension FileDescriptor {
    /// Keeps the descriptor open across `RunningProgram.restart`.
    package borrowing func keepOpen() throws(Errno) {
        guard retrying({ fcntl(raw, F_SETFD, 0) }) == 0 else { throw Errno.last("fcntl") }
    }

    /// Takes over the descriptor that a path like `/dev/fd/3` names. The program that started this one left it open, as shells do for
    /// `<(COMMAND)`.
    ///
    /// - Returns: `nil` for every other path, for the three standard descriptors, and if nothing is open there.
    package static func inherited(_ path: String) -> FileDescriptor? {
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            guard let raw = Int32(path.dropFirst(folder.count)), raw > Standard.error, fcntl(raw, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
            return FileDescriptor(owning: raw)
        }
        return nil
    }
}
