import Glibc

extension ChildProcess {
    /// The result of a program whose output was captured.
    package enum Captured: Equatable, Sendable {
        case ended(Ending, output: [UInt8])
        /// The program wrote more than the limit, and was killed.
        case tooMuch
        /// The program exceeded its time, and was killed.
        case late
        /// The caller asked to stop; the program was killed.
        case stopped
    }

    /// Runs an untrusted program without input, and captures its standard output.
    ///
    /// - Parameters:
    ///   - limit: the largest number of octets of output.
    ///   - isStopped: called several times per second; true stops the program.
    package static func capture(
        _ arguments: [String], environment: [String], limit: Int, timeoutMilliseconds: Int, isStopped: () -> Bool = { false }
    ) throws(Errno) -> Captured {
        let child = try start(arguments, environment: environment, input: .nothing, output: .piped, errors: .nothing)
        let end = Clock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
        var output: [UInt8] = []
        // The program is killed with the last reference, on every path out of this function.
        while true {
            let left = Int(end - Clock.monotonicMilliseconds())
            guard left > 0 else { return .late }
            guard !isStopped() else { return .stopped }
            var items = [Poll.Item(child.endedRaw, .readable)]
            if let raw = child.outputRaw { items.append(Poll.Item(raw, .readable)) }
            guard try Poll.wait(&items, timeoutMilliseconds: min(left, 100)) > 0 else { continue }
            if items.count > 1, items[1].ready != [] {
                output += try child.takeOutput()
                guard output.count <= limit else { return .tooMuch }
            } else if items[0].ready != [], let ending = try child.wait(timeoutMilliseconds: 0) {
                return .ended(ending, output: output)
            }
        }
    }
}
